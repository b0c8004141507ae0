"""SyntheticModel: what was learnt, from which any number of made-up people can be drawn."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from recloak.core.arrays import Labels
from recloak.core.errors import InputError, ParameterError
from recloak.core.progress import SILENT, Progress
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.core.scale import Scale
from recloak.methods.synthetic._drawing import MadeUpPeople
from recloak.methods.synthetic._surveys import draw_survey
from recloak.methods.synthetic._traits import Traits
from recloak.releases.account import Account
from recloak.releases.sealing import Lock, Sealed, open_sealed, seal_content

__all__ = ["MOST_PEOPLE", "MadeUpPeople", "SyntheticModel", "open_model"]

_MAGIC = b"RECLOAK MODEL 1\n"
MOST_PEOPLE = 100_000_000


@dataclass(frozen=True, repr=False)
class SyntheticModel:
    """A model of how people rate. Drawing from it costs nothing: it does not know the data.

    ``parameters`` are those of the method that made it, ``account`` says what was asked of the
    data for it.

    >>> import recloak
    >>> ratings = recloak.synthesize("ml-100k", users=300, ratings=9_000, seed=1)
    >>> model = recloak.method("synthetic").fit(ratings, recloak.Randomness.from_seed(1))
    >>> model.draw(50, seed=2).n_users
    50
    """

    traits: Traits
    scale: Scale
    item_labels: Labels
    parameters: dict[str, Any]
    account: Account
    guessable: bool = False
    """Was it made under a short seed?"""

    @property
    def people(self) -> int:
        """About how many people it was learnt from, as far as the account tells."""
        return max(round(self.traits.people), 1)

    def draw(
        self,
        n: int | None = None,
        seed: int | str | Randomness | None = None,
        progress: Progress = SILENT,
    ) -> Ratings:
        """``n`` made-up people, by default as many as it was learnt from."""
        made_up = self.people_to_draw(n, seed)
        if self.traits.question is not None:
            rows = draw_survey(made_up, progress)
        else:
            # a table of ratings knows no item without any
            rows = made_up.rows(0, made_up.count, progress).compact()
        return rows.relabel_users(made_up.names())

    def people_to_draw(
        self, n: int | None = None, seed: int | str | Randomness | None = None
    ) -> MadeUpPeople:
        """Those people before they are drawn; of a survey, respondents."""
        count = self.people if n is None else n
        if not 1 <= count <= MOST_PEOPLE:
            raise ParameterError(
                f"{count:,} people cannot be drawn",
                where="--people",
                hint=f"Draw 1 to {MOST_PEOPLE:,}.",
            )
        drawn = seed if isinstance(seed, Randomness) else Randomness.from_seed(seed)
        calm = float(self.parameters["calm"])
        return MadeUpPeople(self.traits, self.scale, self.item_labels, calm, drawn, count)

    def sealed(self, lock: Lock, release_id: str) -> bytes:
        """Encrypted, to be kept: without noise it holds exact statistics of the people."""
        content = io.BytesIO()
        np.savez(content, **self.traits.arrays())  # type: ignore[arg-type]
        facts = {
            "scale": str(self.scale),
            "items": [item.item() if hasattr(item, "item") else item for item in self.item_labels],
            "parameters": self.parameters,
            "account": self.account.model_dump(mode="json"),
            "guessable": self.guessable,
        }
        plain = json.dumps(facts).encode() + b"\n" + content.getvalue()
        return seal_content(plain, lock, Sealed(_MAGIC, release_id, "model"))

    def __repr__(self) -> str:
        claim = (
            f"ε = {self.account.epsilon:g}" if self.account.epsilon else "no differential privacy"
        )
        return (
            f"SyntheticModel({len(self.traits.items):,} items, about {self.people:,} people, "
            f"{claim})"
        )


def open_model(path: str | Path, lock: Lock) -> SyntheticModel:
    """Open a model that was kept.

    Parameters
    ----------
    path
        The file that ``keep_model`` named.
    lock
        What the file was locked with.

    Returns
    -------
    SyntheticModel
        What `recloak.draw` draws people from.

    Raises
    ------
    InputError
        The file cannot be read, or holds no model.
    SecretError
        The lock is a wrong one, or the file was changed.

    Examples
    --------
    >>> import recloak
    >>> from recloak.releases.secret import Lock
    >>> lock = Lock.passphrase("correct horse battery staple")
    >>> model = recloak.open_model("release.model", lock)  # doctest: +SKIP

    """
    plain, _ = open_sealed(Path(path), lock, _MAGIC, "model")
    head, _, arrays = plain.partition(b"\n")
    try:
        facts = json.loads(head)
        with np.load(io.BytesIO(arrays), allow_pickle=False) as held:
            traits = Traits.from_arrays({name: held[name] for name in held.files})
        items = facts["items"]
        whole = all(isinstance(item, int) for item in items)
        return SyntheticModel(
            traits,
            Scale.parse(facts["scale"]),
            np.array(items, np.int64 if whole else object),
            facts["parameters"],
            Account.model_validate(facts["account"]),
            bool(facts["guessable"]),
        )
    except (KeyError, ValueError, TypeError) as problem:
        raise InputError(
            f"is not a model that this version of recloak can read: {problem}", where=str(path)
        ) from None
