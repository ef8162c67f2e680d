"""Where this copy of the product lies, a checkout or an installed wheel, and how its commands are typed there."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
"""The folder of `app.py`, `inbox/` and `migrations/`: the checkout, or `site-packages`."""

IS_CHECKOUT = (ROOT / "bin" / "inbox").is_file()

PROGRAMS = ("up", "web", "worker", "scheduler", "migrate")
"""The commands that a checkout has as programs of their own in `bin/`."""


def typed(command: str) -> str:
    """The command line for `command`. In a checkout: `bin/up`, `bin/inbox doctor`. Installed: `inbox up`, `inbox doctor`."""
    if not IS_CHECKOUT:
        return f"inbox {command}".rstrip()
    return f"bin/{command}" if command.split(" ")[0] in PROGRAMS else f"bin/inbox {command}".rstrip()
