"""Lists: related-item lists, and how a sequence of them is published without telling who rated.

What any checker or attacker may use:

- `exact`: shares such as δ as exact fractions
- `related`: `Lists`, one release of N slots for each item; empties are -1 and never collapsed
- `history`: `DatedLists` and `History`, a sequence of releases with its window and δ
- `timeline`: `Timeline` and `Snapshot`, the ratings up to a cut, by user and by item
- `supports`: `Supports`, how many people rated all of a set of items, on demand
- `similarity`: what makes two items related (a registry), and `rank`, the nearest of each item
- `unprotected`: `raw_history` and `raw_at`, the lists as they follow from the ratings
- `own`: `own_ranking`, a shop's own lists and scores, for `protect_next(…, own=…)`
- `given`: tables of lists from a file: `OwnLists` by release, `public_lists` as they were shown
- `files`: a history as Parquet or JSON
- `folder`: the folder that is published, and `open_history`, which reads it to be verified

The protecting half, which no guarantee and no attack imports:

- `protection`: what the algorithms have in common; `suppression`, `permutation`, `constructive`
- `replaying`: `replay(ratings, algorithm, …) -> History`, and `protect_next` for one release
- `publishing`: `publish_history`, a folder that appears whole, verified, or not at all
"""
