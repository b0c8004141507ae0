"""Algorithm `permutation`: entries that climbed are moved down again before any is taken out."""

from __future__ import annotations

from typing import ClassVar

from recloak.lists.protection.suppression import Suppression


class Permutation(Suppression):
    """As `suppression`, but what was in all lists of the window is moved to a slot that tells
    nothing, if whoever stood there may move up; only then it is taken out.
    """

    name: ClassVar[str] = "permutation"
    summary: ClassVar[str] = "Move down what climbed; take out only what is new and tells too much."
    permuting: ClassVar[bool] = True
