"""Answers that are found once and kept, as many as there is room for."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

Question = TypeVar("Question", bound=Hashable)
Answer = TypeVar("Answer")


class Answers(dict[Question, Answer]):
    """A dictionary that asks `find` for what is not in it; with `most` answers it forgets all, and begins anew.

    Threads may share it: at worst two of them find the same.
    """

    __slots__ = ("_find", "_most")

    def __init__(self, find: Callable[[Question], Answer], most: int) -> None:
        super().__init__()
        self._find, self._most = find, most

    def __missing__(self, question: Question) -> Answer:
        if len(self) >= self._most:
            self.clear()
        answer = self[question] = self._find(question)
        return answer
