"""Duplicates: what becomes of the ratings of a user who rated an item more than once."""

from typing import Literal

Duplicates = Literal["error", "last", "mean", "max"]
