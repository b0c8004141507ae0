"""Publishing from Apache Spark: a DataFrame goes in, a release comes out.

Needs the extra ``spark``, and Java 17 or newer unless the session is one of Spark Connect.
"""

from __future__ import annotations

from typing import Any

from recloak.core.progress import Progress
from recloak.core.progress.shown import SHOWN
from recloak.methods import Method
from recloak.publishing.options import PublishOptions
from recloak.publishing.published import Published
from recloak.publishing.run import publish as _publish

__all__ = ["publish"]


def publish(
    df: Any,
    method: Method | str,
    *,
    options: PublishOptions | None = None,
    progress: Progress = SHOWN,
    **parameters: Any,
) -> Published:
    """Publish the ratings of a DataFrame by ``method`` as the folder ``out``.

    As `recloak.publish` with ``engine="spark"``: the same options and errors, and under the same
    seed the same bytes. The workers write the parts of the release themselves, so ``out`` must be
    in a folder that they and the driver share under one path.

    Parameters
    ----------
    df
        A DataFrame of Spark, classic or Connect, with a row for each rating; or the path of a file
        that Spark is to read.
    method
        A method, or the name of one: pseudonymize, gaussian-noise, uniform-noise, fragmentation,
        synthetic, predictive, or microaggregation with clustering binned.
    options
        All options at once; those that are given one by one win.
    progress
        Where to report how far the work is.
    **parameters
        Options of publishing and reading one by one, and the parameters of a method that is given
        by its name.

    Examples
    --------
    >>> import recloak.spark
    >>> ratings = spark.table("ratings")  # doctest: +SKIP
    >>> recloak.spark.publish(ratings, "gaussian-noise", out="/shared/release")  # doctest: +SKIP

    """
    return _publish(
        df, method, options=options, progress=progress, **{"engine": "spark", **parameters}
    )
