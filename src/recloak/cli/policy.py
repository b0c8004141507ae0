"""policy: write a policy file to be signed by a privacy officer."""

from __future__ import annotations

import argparse

from recloak.cli._shared.arguments import Parser, needed

EXAMPLES = """examples:
  recloak policy init
  recloak policy init --for partner --out our-policy.toml
  recloak policy check our-policy.toml
  recloak policy schema > policy.schema.json

'init' writes a commented policy: the default one, or one for a survey, for a partner under contract
or for a public release. 'check' reads a policy and lists its lines and its digest, which the report
shows beside the signature. 'recloak publish --policy FILE' publishes only if every line passes.
'schema' prints the JSON Schema of policies: an editor that knows TOML completes and checks a policy
whose first line is '#:schema ./policy.schema.json'."""


_CHOICES = ("init", "check", "schema")


def configure(parser: Parser, words: list[str]) -> None:
    parser.add_argument("action", nargs="?", choices=_CHOICES, metavar="init | check | schema")
    parser.add_argument("file", nargs="?", metavar="FILE", help="the policy to check")
    parser.add_argument(
        "--for",
        dest="template",
        choices=("default", "survey", "partner", "public"),
        default="default",
        metavar="WHOM",
        help="what 'init' starts from: survey, partner, public (default: the default policy)",
    )
    parser.add_argument("--out", metavar="FILE", default="policy.toml", help="default: policy.toml")


def run(arguments: argparse.Namespace) -> int:
    needed(arguments, "action")
    from pathlib import Path

    from recloak.auditing.policy import Policy, template_text
    from recloak.cli._shared.screen import Screen
    from recloak.core.files import write_whole

    screen = Screen(arguments)
    if arguments.action == "schema":
        from recloak.auditing.policy.schema import policy_schema

        screen.document(policy_schema())
        return 0
    if arguments.action == "init":
        write_whole(Path(arguments.out), template_text(arguments.template).encode())
        screen.result({"policy": arguments.out})
        screen.say(f"Wrote {arguments.out}: read it, change the limits, have it signed.")
        return 0
    needed(arguments, "file")
    policy = Policy.read(arguments.file)
    lines = [(line.in_words, line.because) for line in policy.requirements]
    content = {"title": policy.title, "digest": policy.digest}
    screen.result({**content, "lines": [line for line, _ in lines]})
    screen.heading(policy.title)
    screen.table(("line", "because"), lines)
    screen.say(f"\ndigest   {policy.digest}")
    return 0
