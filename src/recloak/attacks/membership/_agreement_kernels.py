"""Kernel of agreement: squared products of a person's tastes with those of all rows."""

from __future__ import annotations

from recloak.core.arrays import Codes, Floats, Offsets, Values
from recloak.core.kernels import kernel


@kernel
def summed_agreement(
    known_offsets: Offsets,
    known_items: Codes,
    liked: Floats,
    column_offsets: Offsets,
    column_rows: Codes,
    column_values: Values,
    squares: Floats,
    weights: Floats,
    products: Floats,
    found: Floats,
) -> None:
    """For each person and each weighing of items: how much pairs of items agree, and the weight.

    The product of a person with a row is the sum, over the items of both, of what they depart by
    and the item's weight. Its squares, summed over all rows, without what an item adds with itself,
    tell by how much pairs of items go together in the rows as they do with the person.
    ``products`` has a line of zeros for each row; ``squares`` are the summed squares of each item.
    """
    kinds = weights.shape[1]
    for person in range(len(known_offsets) - 1):
        start, end = known_offsets[person], known_offsets[person + 1]
        for at in range(start, end):
            item = known_items[at]
            for place in range(column_offsets[item], column_offsets[item + 1]):
                both = liked[at] * column_values[place]
                for kind in range(kinds):
                    products[column_rows[place], kind] += both * weights[item, kind]
            for kind in range(kinds):
                alone = (liked[at] * weights[item, kind]) ** 2
                found[person, kind, 0] -= alone * squares[item]
                found[person, kind, 1] += alone
        for row in range(len(products)):
            for kind in range(kinds):
                found[person, kind, 0] += products[row, kind] ** 2
                products[row, kind] = 0.0
