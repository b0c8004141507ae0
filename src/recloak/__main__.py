"""``python -m recloak``, and what the command ``recloak`` starts."""

from __future__ import annotations

import os
import signal


def main() -> int:
    """Run the command line; a request to stop that comes while it loads is followed as well."""
    try:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        from recloak.cli import main as run

        return run()
    except KeyboardInterrupt:
        os.write(2, b"recloak: stopped on request\n")
        os._exit(130)  # Python would end with a signal if the interrupt fell into an exec


if __name__ == "__main__":
    raise SystemExit(main())
