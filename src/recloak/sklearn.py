"""Methods as scikit-learn transformers: a table of ratings goes in, a sanitised one comes out.

Needs the extra ``sklearn``. What comes out was neither verified nor audited: that is what
`recloak.publish` does before anything is handed out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from recloak.core.errors import InputError, MachineError
from recloak.core.frames import is_frame
from recloak.core.randomness import Randomness
from recloak.core.ratings import Ratings
from recloak.io import read
from recloak.methods import method

try:
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError:
    raise MachineError(
        "needs packages of the extra 'sklearn', which are not installed",
        where="recloak.sklearn",
        hint="pip install 'recloak[sklearn]'",
    ) from None

__all__ = ["Sanitizer"]


class Sanitizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A method of recloak as a transformer: ``fit_transform`` gives the sanitised table.

    All rows that are transformed at once are one release. Rows of the result are in an order that
    tells nothing, under new names, and there may be more or fewer of them: none is the row of the
    same place in what went in. So it stands before what learns from a whole table, and never beside
    a ``y`` that was aligned with the rows.

    Parameters
    ----------
    method
        The name of a method, such as ``synthetic`` or ``microaggregation``.
    parameters
        Parameters of the method, such as ``{"k": 5}``.
    layout
        ``long``: a frame with a row for each rating and columns user, item, rating and time, which
        comes back as a frame of the same library. ``wide``: people × items, where NaN is no rating.
    columns, scale
        As by `recloak.read`.
    seed
        Makes the result the same each time; without one it is drawn anew.

    Examples
    --------
    >>> import recloak
    >>> from recloak.sklearn import Sanitizer
    >>> frame = recloak.synthesize("ml-100k", users=60, ratings=2_000, seed=1).to_polars()
    >>> sanitized = Sanitizer("microaggregation", parameters={"k": 5}, seed=1).fit_transform(frame)
    >>> sanitized["user"].n_unique()
    60

    """

    def __init__(
        self,
        method: str = "synthetic",
        *,
        parameters: Mapping[str, Any] | None = None,
        layout: Literal["long", "wide"] = "long",
        columns: Mapping[str, str] | str | None = None,
        scale: str | None = None,
        seed: int | str | None = None,
    ) -> None:
        self.method = method
        self.parameters = parameters
        self.layout = layout
        self.columns = columns
        self.scale = scale
        self.seed = seed

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803 - as scikit-learn calls it
        """Check the method, its parameters and the columns; nothing is learnt about people yet."""
        self.method_ = method(self.method, **(self.parameters or {}))
        self._ratings(X, reset=True)
        return self

    def transform(self, X: Any) -> Any:  # noqa: N803
        """What the method makes of all rows together."""
        check_is_fitted(self, "method_")
        ratings = self._ratings(X, reset=False)
        made = self.method_.apply(ratings, Randomness.from_seed(self.seed))
        rows = made.release.as_ratings()
        if self.layout == "wide":
            return _matrix(rows, self.n_features_in_)
        return _like(X, rows)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The columns of a wide table, which stay; of a long one, those that a release has."""
        check_is_fitted(self, "method_")
        if self.layout == "long":
            return np.array(["user", "item", "rating", "time"], dtype=object)
        if input_features is not None:
            return np.asarray(input_features, dtype=object)
        known = getattr(self, "feature_names_in_", None)
        return known if known is not None else _numbered(self.n_features_in_)

    def _ratings(self, table: Any, *, reset: bool) -> Ratings:
        if self.layout == "wide":
            values = validate_data(
                self, table, reset=reset, dtype=np.float64, ensure_all_finite="allow-nan"
            )
            return _from_matrix(values, self.scale)
        if not is_frame(table):
            raise InputError(
                f"a {type(table).__name__} is not a frame with a row for each rating",
                where="layout",
                hint="For people × items say layout='wide'.",
            )
        return read(table, columns=self.columns, scale=self.scale)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.non_deterministic = self.seed is None
        return tags


def _from_matrix(values: NDArray[np.float64], scale: str | None) -> Ratings:
    rows, columns = np.nonzero(~np.isnan(values))
    if len(rows) == 0:
        raise InputError("there are no ratings", where="X")
    return Ratings.from_columns(rows, columns, values[rows, columns], scale=scale)


def _matrix(rows: Ratings, width: int) -> NDArray[np.float64]:
    """People × items in the order of the columns that went in; NaN where there is no rating."""
    found = np.full((rows.n_users, width), np.nan)
    places = rows.item_labels.astype(np.int64)[rows.items]
    found[rows.user_codes(), places] = rows.values
    return found


def _like(given: Any, rows: Ratings) -> Any:
    """A frame of the library that the given one is of."""
    table = rows.to_polars()
    if isinstance(given, pl.DataFrame | pl.LazyFrame):
        return table
    if type(given).__module__.startswith("pandas"):
        return rows.to_pandas()
    return table.to_arrow()


def _numbered(width: int) -> NDArray[Any]:
    return np.array([f"x{place}" for place in range(width)], dtype=object)
