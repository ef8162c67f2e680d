"""The check of the path to which the browser is redirected after a sign-in."""

from __future__ import annotations

LONGEST = 512


def safe_return(path: object) -> str:
    """Return the path, or `/` when it is not plainly a local path.

    Other sites, other schemes and ambiguous slashes are rejected.
    """
    if not isinstance(path, str) or not path.startswith("/") or len(path) > LONGEST:
        return "/"
    is_plain = path.isascii() and path.isprintable() and not set(path) & set("\\ \"'<>`")
    leaves = path.startswith("//") or "://" in path.partition("?")[0]
    return path if is_plain and not leaves else "/"
