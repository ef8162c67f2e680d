"""Hands of a worker: while the database works for one, another thinks; each has a connection of its own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from types import TracebackType
from typing import Generic, Self, TypeVar

from inbox.models.base import db

Answer = TypeVar("Answer")


class Crew(Generic[Answer]):
    """Up to so many calls at a time, each in a thread; with one hand, or where one call is all there is, in the caller's.

    What a call raises is raised by `answers`. Who leaves waits for the calls that are under way.
    """

    def __init__(self, hands: int) -> None:
        self._hands = hands
        self._threads = ThreadPoolExecutor(hands, thread_name_prefix="crew")
        self._calls: dict[Future[Answer], int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._threads.shutdown(cancel_futures=True)

    @property
    def busy(self) -> Collection[int]:
        """For what there are calls whose answers are not taken yet."""
        return self._calls.values()

    @property
    def free(self) -> int:
        """So many more calls can be made now."""
        return self._hands - len(self._calls)

    def call(self, name: int, act: Callable[[], Answer], *, is_only: bool = False) -> None:
        """Have this done; `is_only` where nothing else is to be done beside it."""
        if self._hands == 1 or (is_only and not self._calls):
            done = Future[Answer]()
            done.set_result(act())
            self._calls[done] = name
        else:
            self._calls[self._threads.submit(_connected, act)] = name

    def answers(self) -> Iterator[tuple[int, Answer]]:
        """What is done, with its name, as soon as there is something; nothing where nobody is busy."""
        for done in wait(self._calls, return_when=FIRST_COMPLETED).done:
            yield self._calls.pop(done), done.result()


def _connected(act: Callable[[], Answer]) -> Answer:
    with db.connection_context():
        return act()
