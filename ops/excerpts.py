"""Finds the one line that matters in a child's log since its last start."""

from __future__ import annotations

from ops.children import Child

FATAL = ("FATAL", "PANIC", "error:", "fatal:")
PASSING = (
    "the database system is starting up",
    "the database system is shutting down",
    "not yet accepting connections",
)
MOST = 256 * 1024


def first_fatal(child: Child) -> str:
    """Returns the first line that gives the reason of a failure; the last line without one."""
    lines = _lines(child)
    matching = [
        line for line in lines if any(word in line for word in FATAL) and not any(word in line for word in PASSING)
    ]
    return (matching or lines[-1:] or ["it printed nothing"])[0]


def _lines(child: Child) -> list[str]:
    if child.log is None:
        return []
    try:
        with child.log.open("rb") as log:
            log.seek(child.log_began)
            return [line for line in log.read(MOST).decode(errors="replace").splitlines() if line.strip()]
    except OSError:
        return []
