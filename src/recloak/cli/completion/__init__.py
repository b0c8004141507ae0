"""completion: print a script that completes commands, flags and names in your shell."""

from __future__ import annotations

import argparse

from recloak.cli._shared.arguments import Parser, needed

SHELLS = ("bash", "zsh", "fish")
EXAMPLES = """examples:
  recloak completion bash > ~/.local/share/bash-completion/completions/recloak
  recloak completion zsh > ~/.zfunc/_recloak      # with fpath+=~/.zfunc before compinit
  recloak completion fish > ~/.config/fish/completions/recloak.fish

The script knows the commands, flags and methods that are installed now. Print it again after an
update, or after you install a package that adds methods."""


def configure(parser: Parser, words: list[str]) -> None:
    parser.add_argument("shell", nargs="?", choices=SHELLS, metavar=" | ".join(SHELLS))


def run(arguments: argparse.Namespace) -> int:
    needed(arguments, "shell")
    from recloak.cli._shared.screen import Screen
    from recloak.cli.completion._declared import completions
    from recloak.cli.completion._scripts import SCRIPTS

    script = SCRIPTS[arguments.shell](completions())
    screen = Screen(arguments)
    screen.result({"shell": arguments.shell, "script": script})
    if not screen.json and not screen.quiet:
        print(script, end="")  # as it is: a script is neither wrapped nor coloured
    return 0
