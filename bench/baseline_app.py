"""The least work that a gunicorn worker can do, for comparison with everything else."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

HELLO = b"hello\n"


def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Answers every request alike, without reading its body."""
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(HELLO)))])
    return [HELLO]
