"""Builds one valid request for an operation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.api.stage import Stage


@dataclass(frozen=True)
class Sample:
    """What an operation is sent, where that is not made of its route alone.

    `body` may be a function of the stage; `before` is done first; `path` names what is no id in the route. `status` is
    that of who may do it, where it is not the operation's one success.
    """

    body: Any = None
    before: Callable[[Stage], object] | None = None
    path: tuple[tuple[str, str], ...] = ()
    status: int | None = None
