"""Store: the published lists of a running shop in a database, each release whole or not at all.

- `store`: `Store`, and `StoreTransaction`, which reads and writes releases
- `releasing`: `release_next`, the nightly release
- `importing`: `import_public`, the lists that were public before the first protected release
- `checking`: `check_chain` and `verify_store`, which check everything that is stored
- `records`: the record of a release, and the chain of digests over all of them
- `database`: SQLite and PostgreSQL: engines, locks and errors

It needs the extra ``store``: pip install 'recloak[store]'.
"""
