"""Where a person is sent after signing in: a place of this dashboard and nowhere else."""

from __future__ import annotations

LONGEST = 512


def safe_return(path: object) -> str:
    """The path, or `/` when it is not plainly one of ours: other sites, other schemes and tricks with slashes are not."""
    if not isinstance(path, str) or not path.startswith("/") or len(path) > LONGEST:
        return "/"
    is_plain = path.isascii() and path.isprintable() and not set(path) & set("\\ \"'<>`")
    leaves = path.startswith("//") or "://" in path.partition("?")[0]
    return path if is_plain and not leaves else "/"
