"""Kernels of linear algebra on small matrices, where a library would start threads for nothing."""

from __future__ import annotations

import numpy as np

from recloak.core.arrays import Floats
from recloak.core.kernels import inner_kernel, kernel


@inner_kernel
def cholesky(matrix: Floats) -> None:
    """In place, of a positive definite matrix; only the lower triangle is used."""
    rank = len(matrix)
    for row in range(rank):
        for column in range(row + 1):
            total = matrix[row, column]
            for inner in range(column):
                total -= matrix[row, inner] * matrix[column, inner]
            if row == column:
                matrix[row, row] = np.sqrt(total)
            else:
                matrix[row, column] = total / matrix[column, column]


@inner_kernel
def solve(factor: Floats, vector: Floats) -> None:
    """In place, the solution for a matrix of which the Cholesky factor is given."""
    rank = len(vector)
    for row in range(rank):
        for inner in range(row):
            vector[row] -= factor[row, inner] * vector[inner]
        vector[row] /= factor[row, row]
    for row in range(rank - 1, -1, -1):
        for inner in range(row + 1, rank):
            vector[row] -= factor[inner, row] * vector[inner]
        vector[row] /= factor[row, row]


@kernel
def make_orthonormal(columns: Floats) -> None:
    """Gram and Schmidt, twice over, in place; a column that depends on others becomes 0."""
    rows, count = columns.shape
    for column in range(count):
        before = 0.0
        for row in range(rows):
            before += columns[row, column] ** 2
        for _ in range(2):
            for other in range(column):
                shared = 0.0
                for row in range(rows):
                    shared += columns[row, column] * columns[row, other]
                for row in range(rows):
                    columns[row, column] -= shared * columns[row, other]
        length = 0.0
        for row in range(rows):
            length += columns[row, column] ** 2
        scale = 0.0 if length <= 1e-24 * before else 1.0 / np.sqrt(length)
        for row in range(rows):
            columns[row, column] *= scale
