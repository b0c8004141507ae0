"""Algorithm `permutation`: entries that climbed are moved down again before any is taken out."""

from __future__ import annotations

from typing import ClassVar

from recloak.lists.protection.suppression import Suppression


class Permutation(Suppression):
    """As `suppression`, but an entry that was in all lists of the window is moved to a slot where
    it reveals nothing, if the entry there may move up. If that is not possible, it is taken out.
    """

    name: ClassVar[str] = "permutation"
    summary: ClassVar[str] = (
        "Move down entries that climbed; take out only those that are new and reveal too much."
    )
    permuting: ClassVar[bool] = True
