"""policy: write a policy file to be signed by a privacy officer."""

from __future__ import annotations

import argparse

from recloak.cli._shared.arguments import Parser, needed

EXAMPLES = """examples:
  recloak policy init
  recloak policy init --out our-policy.toml
  recloak policy check our-policy.toml
  recloak policy schema > policy.schema.json

'init' writes a commented copy of the default policy; 'check' reads a policy and lists its lines.
'recloak publish --policy FILE' then publishes only if every line passes. 'schema' prints the JSON
Schema of policies: an editor that knows TOML completes and checks a policy whose first line is
'#:schema ./policy.schema.json'."""


_CHOICES = ("init", "check", "schema")


def configure(parser: Parser, words: list[str]) -> None:
    parser.add_argument("action", nargs="?", choices=_CHOICES, metavar="init | check | schema")
    parser.add_argument("file", nargs="?", metavar="FILE", help="the policy to check")
    parser.add_argument("--out", metavar="FILE", default="policy.toml", help="default: policy.toml")


def run(arguments: argparse.Namespace) -> int:
    needed(arguments, "action")
    from pathlib import Path

    from recloak.auditing.policy import Policy, default_text
    from recloak.cli._shared.screen import Screen
    from recloak.core.files import write_whole

    screen = Screen(arguments)
    if arguments.action == "schema":
        from recloak.auditing.policy.schema import policy_schema

        screen.document(policy_schema())
        return 0
    if arguments.action == "init":
        write_whole(Path(arguments.out), default_text().encode())
        screen.result({"policy": arguments.out})
        screen.say(f"Wrote {arguments.out}: read it, change the limits, have it signed.")
        return 0
    needed(arguments, "file")
    policy = Policy.read(arguments.file)
    lines = [(str(line), line.because) for line in policy.requirements]
    screen.result({"title": policy.title, "lines": [line for line, _ in lines]})
    screen.heading(policy.title)
    screen.table(("line", "because"), lines)
    return 0
