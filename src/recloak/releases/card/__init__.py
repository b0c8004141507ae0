"""Card: the page in each release folder that tells its recipient what it is and how to use it."""

from __future__ import annotations

from recloak.releases.card._page import CARD_NAME, card_of, limits_of, verified_lines

__all__ = ["CARD_NAME", "card_of", "limits_of", "verified_lines"]
