"""``python -m recloak``."""

from recloak.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
