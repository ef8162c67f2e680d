"""The check of every JSON body before its fields are read (specification 2.2, decision 0008)."""

import re
from collections.abc import Callable, Iterable, Iterator
from json import JSONDecodeError
from math import isfinite
from typing import Any

from inbox.domain.values.refusals import BadRequest

MAX_DEPTH = 32
"""The maximum nesting of objects and arrays, including the body itself."""

MAX_NODES = 20_000
"""The maximum number of values in a body: the body, each object member and each array item."""

MAX_BATCH_NODES = 200_000
"""The same for `POST /v1/events`: a batch of 100 events with 256 metadata keys each is legal."""

MAX_HOOK_NODES = 600_000
"""The same for a webhook above 2 MiB: the alerts of a mass outage have about 30 values each."""

CONTAINERS_OF_STEP = 1_024
"""The number of objects and arrays after which `check_tree` lets other requests run."""

MAX_INTEGER_BITS = 4096

MAX_POINTERS = 51
MAX_TOKEN = 100
"""The number of characters of one name that a pointer shows."""

EMPTY = "The body is empty: send one JSON object."
FORM = "The body is a form (name=value). Send one JSON object, with `Content-Type: application/json`."

_FORM = re.compile(rb"[\w.\-\[\]%]{1,100}=")


def check_tree(value: object, *, max_nodes: int = MAX_NODES, pause: Callable[[], object] = lambda: None) -> Any:
    """Returns the parsed value unchanged, after a check that it can be stored and written later.

    Raises `BadRequest` for nesting deeper than 32 and for more than `max_nodes` values. It also raises it for NaN,
    infinities, lone surrogates and integers of more than a thousand digits. Values that are not JSON are refused, too.
    Each value is read once, level by level, without recursion. `pause` is called between steps.
    """
    level: list[Any] = []
    _check((value,), level)
    nodes = 1
    for _ in range(MAX_DEPTH):
        if not level:
            return value
        next_level: list[Any] = []
        for number, container in enumerate(level):
            if number % CONTAINERS_OF_STEP == CONTAINERS_OF_STEP - 1:
                pause()
            nodes += len(container)
            if nodes > max_nodes:
                raise BadRequest(f"The body holds more than {max_nodes:,} values.")
            if type(container) is dict:
                _check_keys(container)
                _check(container.values(), next_level)
            else:
                _check(container, next_level)
        level = next_level
    if level:
        raise BadRequest(f"The body is nested deeper than {MAX_DEPTH} levels.")
    return value


def nul_pointers(value: object) -> list[str]:
    """Returns JSON pointers to the texts that contain U+0000, in their order, at most 51 of them.

    A member whose name contains U+0000 is reported at its object. The value has passed `check_tree`. There is no
    recursion, and a pointer shows at most 100 characters of each name.
    """
    found: list[str] = ["" for text in (value,) if isinstance(text, str) and "\0" in text]
    path: list[Any] = []
    stack = [_members(value)]
    while stack and len(found) < MAX_POINTERS:
        member = next(stack[-1], None)
        if member is None:
            stack.pop()
            if path:
                path.pop()
            continue
        name, inner = member
        if type(name) is str and "\0" in name:
            found.append(_pointer(path))
        if type(inner) is str:
            if "\0" in inner:
                found.append(_pointer([*path, name]))
        elif type(inner) is dict or type(inner) is list:
            path.append(name)
            stack.append(_members(inner))
    return found[:MAX_POINTERS]


def not_json(body: bytes, fault: JSONDecodeError) -> BadRequest:
    """Returns the refusal of a body that cannot be parsed.

    It names the mistake or its position, and repeats nothing of the body.
    """
    if not body or body.isspace():
        return BadRequest(EMPTY)
    if _FORM.match(body):
        return BadRequest(FORM)
    try:
        body.decode()
    except UnicodeDecodeError as wrong:
        return BadRequest(f"The body is not UTF-8 text at byte {wrong.start + 1}.")
    return BadRequest(f"The body is not valid JSON at line {fault.lineno}, column {fault.colno}: {fault.msg}.")


def escaped(token: object) -> str:
    """Returns one token of a JSON pointer (RFC 6901)."""
    return str(token).replace("~", "~0").replace("/", "~1")


def _members(value: object) -> Iterator[tuple[Any, Any]]:
    if type(value) is dict:
        return iter(value.items())
    return enumerate(value) if type(value) is list else iter(())


def _pointer(path: Iterable[Any]) -> str:
    return "".join(f"/{escaped(name[:MAX_TOKEN] if type(name) is str else name)}" for name in path)


def _check(items: Iterable[Any], containers: list[Any]) -> None:  # noqa: C901  runs for each value of a body
    for item in items:
        kind = type(item)
        if kind is str:
            if not item.isascii():
                _check_text(item)
        elif kind is dict or kind is list:
            containers.append(item)
        elif kind is float:
            if not isfinite(item):
                raise BadRequest("The body holds a number that is not finite.")
        elif kind is int:
            if item.bit_length() > MAX_INTEGER_BITS:
                raise BadRequest("The body holds a number of too many digits.")
        elif item is not None and kind is not bool:
            raise BadRequest("The body is not JSON.")


def _check_keys(members: dict[Any, Any]) -> None:
    for key in members:
        if type(key) is not str:
            raise BadRequest("The body is not JSON.")
        if not key.isascii():
            _check_text(key)


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadRequest("The body holds half a character (a lone surrogate).") from None
