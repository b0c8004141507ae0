"""BLAS starts no threads while somebody asks for that, and as many as before afterwards."""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from recloak.core.blas import one_blas_thread


def blas_threads() -> set[int]:
    np.ones((2, 2)) @ np.ones((2, 2))
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


def test_one_thread_until_the_last_has_left() -> None:
    with threadpool_limits(limits=2, user_api="blas"):
        before = blas_threads()
        first, second = one_blas_thread(), one_blas_thread()
        first.__enter__()
        second.__enter__()
        assert blas_threads() == {1}
        first.__exit__(None, None, None)
        assert blas_threads() == {1}
        second.__exit__(None, None, None)
        assert blas_threads() == before
