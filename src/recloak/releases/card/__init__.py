"""Card: the page in each release folder that tells its recipient what it is and how to use it."""

from __future__ import annotations

from recloak.releases.card._page import CARD_NAME, card_of, limits_of, verified_lines
from recloak.releases.card.croissant import CROISSANT_NAME, croissant_of

__all__ = ["CARD_NAME", "CROISSANT_NAME", "card_of", "croissant_of", "limits_of", "verified_lines"]
