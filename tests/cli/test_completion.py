"""Completion: the scripts, in the shells that they are for."""

import shutil
import subprocess
from pathlib import Path

import pytest

from recloak.cli import main
from recloak.cli._shared.arguments import COMMANDS
from recloak.methods import METHODS

BASH = """source ./script
COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _recloak
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
FISH = "source ./script; complete -C {line}"
ZSH = """_arguments() {{ print -rl -- "$@" }}
_describe() {{ print -rl -- "${{(P)2[@]}}" }}
compdef() {{ : }}
source ./script
complete_now() {{ local -a words; words=("$@"); integer CURRENT=$#; _recloak }}
complete_now {words}
"""


@pytest.fixture(params=("bash", "zsh", "fish"))
def shell(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    return name


def script_of(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["completion", shell]) == 0
    return capsys.readouterr().out


def offered(shell: str, folder: Path, *words: str) -> list[str]:
    """What the shell offers for the last of ``words``; of zsh, what it chooses from."""
    quoted = " ".join(f"'{word}'" for word in ("recloak", *words))
    line = f"'{' '.join(('recloak', *words))}'"
    texts = {"bash": BASH.format(words=quoted), "fish": FISH.format(line=line)}
    text = texts.get(shell) or ZSH.format(words=quoted)
    plain = {"bash": ["--norc"], "zsh": ["-f"], "fish": ["--no-config"]}[shell]
    done = subprocess.run(
        [shell, *plain, "-c", text], cwd=folder, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_the_shell_offers_what_is_declared(
    shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "script").write_text(script_of(shell, capsys), encoding="utf-8")

    def starts(start: str, *words: str) -> bool:
        return any(line.lstrip("*").startswith(start) for line in offered(shell, tmp_path, *words))

    assert starts("publish", "pub")
    assert starts("--table-format", "publish", "--table-f")
    assert starts("--sigma", "publish", "--method", "gaussian-noise", "--si")
    assert not starts("--sigma", "publish", "--method", "pseudonymize", "--si")
    assert starts("--store", "lists", "release", "--st")
    assert not starts("--store", "publish", "--st")


def test_values_are_offered_after_their_flag(
    shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "script").write_text(script_of(shell, capsys), encoding="utf-8")
    (tmp_path / "folder").mkdir()
    found = "\n".join(offered(shell, tmp_path, "publish", "--table-format", ""))
    assert "parquet" in found
    assert "csv" in found
    assert "gaussian-noise" in "\n".join(offered(shell, tmp_path, "publish", "--method", "gauss"))
    assert "release" in "\n".join(offered(shell, tmp_path, "lists", "re"))
    if shell != "zsh":
        assert "folder" in offered(shell, tmp_path, "publish", "--out", "fol")[0]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_command_and_method_is_in_the_script(
    shell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    script = script_of(shell, capsys)
    assert all(name in script for name in (*COMMANDS, *METHODS.names()))


def test_a_shell_must_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion"]) == 2
    assert "SHELL is missing" in capsys.readouterr().err
    assert main(["completion", "csh"]) == 2


TYPED = r"""zmodload zsh/zpty
zpty typing zsh -f -i
zpty -w typing "fpath=($PWD \$fpath); autoload -U compinit; compinit -u -D; print RE''ADY"
zpty -r -m typing seen '*READY*'
zpty -w -n typing $'recloak publish --method \t\t'
zpty -r -m typing seen '*uniform-noise*'
zpty -d typing
print -r -- $seen
"""


def test_zsh_offers_values_where_nothing_was_typed_yet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if shutil.which("zsh") is None:
        pytest.skip("zsh is not installed")
    (tmp_path / "_recloak").write_text(script_of("zsh", capsys), encoding="utf-8")
    done = subprocess.run(
        ["zsh", "-f", "-c", TYPED], cwd=tmp_path, capture_output=True, text=True, timeout=30
    )
    assert "fragmentation" in done.stdout
