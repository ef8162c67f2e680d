"""Answers reads of people from the replica where it has replayed what they may know; else the primary answers.

Specification 2.6 names no server: the answer is the same (decision 0044).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar

from inbox.api.http.callers import caller
from inbox.api.http.policy.columns import View, declared
from inbox.database import replica as replicas
from inbox.database.base import db
from inbox.database.replica import FAULTS, Replica, ReplicaUnavailable
from inbox.domain.values import ids
from inbox.live import replayed
from inbox.live.replayed import Position
from inbox.runtime import metrics

Answer = TypeVar("Answer")

STATEMENT_TIMEOUT = "57014"
"""The SQLSTATE of a query that took too long. The primary would take as long."""


class _Behind(Exception):
    """The replica has not replayed what the caller may know."""


def routed(view: View) -> View:
    """Returns the view, which the replica answers where it can. A view without `replica` in its policy stays as it is."""
    policy = declared(view)
    if policy is None or not policy.replica:
        return view

    @wraps(view)
    def on_either(*args: Any, **kwargs: Any) -> Any:
        if replicas.current() is None:
            return view(*args, **kwargs)
        return answer(lambda: view(*args, **kwargs), audiences())

    return on_either  # type: ignore[return-value]


def audiences() -> list[str]:
    """Returns the ids of the caller and of the caller's workspaces, as the change feed has them."""
    who = caller()
    return [ids.encode("usr", who.user_id), *(ids.encode("wsp", each) for each in who.workspace_ids)]


def answer(read: Callable[[], Answer], audiences: Sequence[str]) -> Answer:
    """Returns the answer of a function that only reads, from the replica or from the primary.

    1. The primary says which changes these audiences may know.
    2. The function runs on the replica, if it has replayed them.
    3. Otherwise, and after a failure there, it runs on the primary.
    """
    replica = replicas.current()
    if replica is None or db.in_transaction():
        return read()
    outcome = "unavailable"
    try:
        found = _answer_of(replica, read, audiences)
        metrics.READS.labels("replica").inc()
        return found
    except ReplicaUnavailable:
        pass
    except _Behind:
        outcome = "behind"
    except FAULTS as fault:
        if getattr(getattr(fault, "orig", fault), "pgcode", None) == STATEMENT_TIMEOUT:
            raise
        outcome = "failed"
    metrics.READS.labels(outcome).inc()
    return read()


def _answer_of(replica: Replica, read: Callable[[], Answer], audiences: Sequence[str]) -> Answer:
    if replica.is_paused:
        raise ReplicaUnavailable
    identity, position = replica.primary_identity(), replayed.position(audiences)
    with replica.queries():
        found, is_replayed = _look(replica, position)
        if found != identity:
            replica.refuse_other_system()
            raise ReplicaUnavailable
        if not is_replayed:
            raise _Behind
        return read()


def _look(replica: Replica, position: Position) -> tuple[str, bool]:
    """Asks the replica. One that does not answer, or has no such table, is paused."""
    try:
        with replicas.answer_limit():
            return replayed.look(position)
    except FAULTS:
        replica.pause()
        raise
