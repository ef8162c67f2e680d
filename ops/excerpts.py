"""What a child wrote to its log since its last start, in the one line that matters."""

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
    """The first line that says why it does not work; the last line where none does."""
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
