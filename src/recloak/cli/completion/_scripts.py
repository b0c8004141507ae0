"""Scripts: what a shell has to know of commands and flags, each in its own language."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable

from recloak.cli._shared.arguments import COMMANDS
from recloak.cli.completion._declared import CommandCompletion, CompletedFlag

_BASH = """\
# Completion of recloak for bash; made by 'recloak completion bash'.
_recloak() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
    local command=${{COMP_WORDS[1]}} word flags='' words=''
    if [[ $previous == = ]]; then previous=${{COMP_WORDS[COMP_CWORD-2]}}; fi
    if [[ $current == = ]]; then current=''; fi
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W '{commands}' -- "$current"))
        return
    fi
    local values=''
    for word in '' "${{COMP_WORDS[@]:2:COMP_CWORD-2}}"; do
        case "$command $word" in
{completions}
        esac
    done
    case "$values " in
        *" $previous:folder "*) compopt -o filenames 2>/dev/null
            COMPREPLY=($(compgen -d -- "$current")); return ;;
        *" $previous:file "*) return ;;
        *" $previous:text "*) compopt +o default 2>/dev/null; return ;;
        *" $previous:word:"*) words=${{values##* $previous:word:}}; words=${{words%% *}}
            COMPREPLY=($(compgen -W "${{words//,/ }}" -- "$current")); return ;;
    esac
    if [[ $current == -* ]]; then words=$flags; fi
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _recloak recloak
"""


def bash(completions: list[CommandCompletion]) -> str:
    """Flags and values as lists of words, gathered along the words before the cursor."""
    cases = []
    for completion in completions:
        flags = " ".join(flag.name for flag in completion.flags)
        values = " ".join(f"{flag.name}:{_bash_value(flag)}" for flag in completion.flags)
        lines = [f"flags+={shlex.quote(' ' + flags)}", f"values+={shlex.quote(' ' + values)}"]
        if not completion.word:
            lines.append(f"words={shlex.quote(' '.join(completion.words))}")
        elif completion.is_action:
            lines.append("words=''")  # after an action come files
        cases.append(f"            {_pattern(completion)}) {'; '.join(lines)} ;;")
    return _BASH.format(commands=" ".join(COMMANDS), completions="\n".join(cases))


def _bash_value(flag: CompletedFlag) -> str:
    return f"word:{','.join(flag.words)}" if flag.value == "word" else flag.value


_ZSH = """\
#compdef recloak
# Completion of recloak for zsh; made by 'recloak completion zsh'.
_recloak() {{
    local -a commands specs
    local word
    commands=(
{commands}
    )
    if ((CURRENT == 2)); then
        _describe command commands
        return
    fi
    for word in '' ${{words[3,CURRENT-1]}}; do
        case "${{words[2]}} $word" in
{completions}
        esac
    done
    words=("${{words[1]}} ${{words[2]}}" "${{(@)words[3,-1]}}")
    ((CURRENT--))
    _arguments $specs
}}
if [[ $funcstack[1] == _recloak ]]; then _recloak "$@"; else compdef _recloak recloak; fi
"""


def zsh(completions: list[CommandCompletion]) -> str:
    """Specifications for ``_arguments``, gathered along the words before the cursor."""
    cases = []
    for completion in completions:
        specs = [_zsh_flag(flag) for flag in completion.flags]
        if not completion.word or completion.is_action:
            specs += [f"1:word:({' '.join(completion.words)})"] if completion.words else []
            specs += ["*:file:_files"] if completion.takes_files else []
        listed = "\n".join(f"                {shlex.quote(spec)}" for spec in specs)
        # An action has the flags of its command too, which must not be said twice.
        adding = "specs=" if completion.is_action else "specs+="
        cases.append(f"            {_pattern(completion)}) {adding}(\n{listed}\n            ) ;;")
    commands = [f"        {shlex.quote(f'{name}:{text}')}" for name, text in COMMANDS.items()]
    return _ZSH.format(commands="\n".join(commands), completions="\n".join(cases))


def _pattern(completion: CommandCompletion) -> str:
    return f"'{completion.command} {completion.word}'"


def _zsh_flag(flag: CompletedFlag) -> str:
    text = flag.help
    for sign in "\\[]:":
        text = text.replace(sign, f"\\{sign}")
    actions = {
        "nothing": "",
        "file": ":file:_files",
        "folder": ":folder:_files -/",
        "word": f":word:({' '.join(flag.words)})",
        "text": ":value: ",
    }
    equals = "" if flag.value == "nothing" else "="
    return f"{'*' if flag.many else ''}{flag.name}{equals}[{text}]{actions[flag.value]}"


_FISH = """\
# Completion of recloak for fish; made by 'recloak completion fish'.
function __recloak_at
    set -l words (commandline -opc)
    test "$words[2]" = $argv[1]; or return 1
    test (count $argv) -eq 1; or contains -- $argv[2] $words[3..-1]
end
function __recloak_starts
    test (count (commandline -opc)) -eq 1
end
"""


def fish(completions: list[CommandCompletion]) -> str:
    """A line for each command and each flag, with the place where it is offered."""
    lines = [
        f"complete -c recloak -n __recloak_starts -f -a {name} -d {_fish_text(text)}"
        for name, text in COMMANDS.items()
    ]
    for completion in completions:
        at = (
            f"complete -c recloak -n '__recloak_at {completion.command} {completion.word}".rstrip()
            + "'"
        )
        lines += [f"{at} {_fish_flag(flag)}" for flag in completion.flags]
        if completion.words and not completion.word:
            lines.append(f"{at} -a {_fish_text(' '.join(completion.words))}")
    return _FISH + "\n".join(lines) + "\n"


def _fish_flag(flag: CompletedFlag) -> str:
    values = {
        "nothing": "",
        "file": " -r -F",
        "folder": " -x -a '(__fish_complete_directories)'",
        "word": f" -x -a {_fish_text(' '.join(flag.words))}",
        "text": " -x",
    }
    about = f" -d {_fish_text(flag.help)}" if flag.help else ""
    return f"-l {flag.name[2:]}{values[flag.value]}{about}"


def _fish_text(text: Iterable[str]) -> str:
    return "'" + "".join(text).replace("\\", "\\\\").replace("'", "\\'") + "'"


SCRIPTS: dict[str, Callable[[list[CommandCompletion]], str]] = {
    "bash": bash,
    "zsh": zsh,
    "fish": fish,
}
