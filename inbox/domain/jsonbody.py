"""What any JSON body must be before a field of it is looked at (decision 6)."""

from collections.abc import Iterable
from math import isfinite
from typing import Any

from inbox.domain.refusals import BadRequest

MAX_DEPTH = 32
"""How deep objects and arrays may nest, the body itself counted."""

MAX_INTEGER_BITS = 4096


def check_tree(value: Any) -> Any:
    """The value itself, as a JSON parser gave it, once nothing in it can break what stores or writes it later.

    Raises `BadRequest` for what is nested deeper than 32, for NaN, infinities, lone surrogates, integers of more than a
    thousand digits and for what is no JSON at all. Takes one look at each value, level by level, without recursion.
    """
    level: list[Any] = []
    _check((value,), level)
    for _ in range(MAX_DEPTH):
        if not level:
            return value
        deeper: list[Any] = []
        for container in level:
            if type(container) is dict:
                _check_keys(container)
                _check(container.values(), deeper)
            else:
                _check(container, deeper)
        level = deeper
    if level:
        raise BadRequest(f"The body is nested deeper than {MAX_DEPTH} levels.")
    return value


def _check(items: Iterable[Any], containers: list[Any]) -> None:
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
