"""A bounded cache that computes missing values."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

Question = TypeVar("Question", bound=Hashable)
Value = TypeVar("Value")


class BoundedCache(dict[Question, Value]):
    """A dictionary that computes missing values with `find`. With `max_entries` entries it is cleared before the next
    one.

    Threads may share it: at worst two threads compute the same value.
    """

    __slots__ = ("_find", "_max_entries")

    def __init__(self, find: Callable[[Question], Value], max_entries: int) -> None:
        super().__init__()
        self._find, self._max_entries = find, max_entries

    def __missing__(self, question: Question) -> Value:
        if len(self) >= self._max_entries:
            self.clear()
        answer = self[question] = self._find(question)
        return answer
