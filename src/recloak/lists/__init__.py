"""Lists: making sequences of related-item lists private, and publishing them.

- `protection`: the algorithms `suppression`, `permutation` and `constructive`
- `replay`: `replay(ratings, algorithm, …) -> History`, and `protect_next` for one release
- `external`: `ExternalLists`, lists and scores of another recommender
- `incremental_ranking`: the nearest items of each item, updated by the ratings that changed
- `perturbed`: lists from noisy ratings, the baseline of the paper
- `publish`: `publish_lists`, a folder that appears whole and verified, or not at all
- `audit`: `audit_lists`, the bound, attacks and measures of a history
- `store`: a database of releases, for a shop that publishes every night
- `service`: the lists in force over HTTP

Histories, their files and their folders are in `recloak.releases.lists`, which checkers and
attacks use. No guarantee and no attack imports this package.
"""
