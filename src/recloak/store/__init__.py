"""Store: what a running shop published, in a database, each release whole or not at all.

- `database`: a URL to an engine; how SQLite and PostgreSQL are locked, and what their errors mean
- `schema`: the tables, their versions and the steps from one to the next
- `records`: what is written down of a release, and the chain of digests over all of them
- `keeping`: `Store`, which reads and writes them
- `releasing`: `release_next`, the nightly step
- `importing`: `import_public`, what people saw before the first protected release
- `checking`: `check_chain` and `verify_store`, which trust nothing that is written down
- `remembered`: what ranking leaves for the next night, as bytes

It needs the extra ``store``: pip install 'recloak[store]'.
"""
