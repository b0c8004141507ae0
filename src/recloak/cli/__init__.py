"""The command line: one file for each command, thin: parse, call the library, show."""

from recloak.cli.main import main

__all__ = ["main"]
