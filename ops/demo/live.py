"""The events of `--live`: problems of the table begin and end within minutes."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from inbox.models.senders.sources import Source
from inbox.models.workspaces.tables import Workspace
from inbox.services.senders import keys
from ops.demo.problems import PROBLEMS, ROUTINE, Problem
from ops.demo.script import Sent, opening_event, recovery_event, routine_event

KEY = "live"
LASTS = (timedelta(minutes=1), timedelta(minutes=6))
MOST = 6
"""The most problems at one time."""


class Live:
    """Chooses the next event: a new problem, a repeat, an end, or an event of the routine."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._present: dict[str, tuple[Problem, datetime]] = {}

    def next(self, now: datetime) -> Sent:
        """Returns the event to send now."""
        for problem, ends_at in self._present.values():
            if ends_at <= now:
                del self._present[problem.key]
                return recovery_event(problem, now)
        if self._chance.random() < 0.3:
            return routine_event(self._chance.choice(ROUTINE), now, self._chance)
        if len(self._present) < MOST:
            problem = self._chance.choice(PROBLEMS)
            length = self._chance.uniform(LASTS[0].total_seconds(), LASTS[1].total_seconds())
            self._present.setdefault(problem.key, (problem, now + timedelta(seconds=length)))
        else:
            problem, _ = self._chance.choice(list(self._present.values()))
        return opening_event(problem, now, self._chance)


@contextmanager
def source_keys(workspace: Workspace, clock: Callable[[], datetime]) -> Iterator[dict[str, str]]:
    """Yields a key of each source by the source's name. The keys are revoked after the block."""
    made, secrets = [], {}
    for source in Source.select().where(Source.workspace == workspace.id, Source.deleted_at.is_null()):
        key, secrets[source.name] = keys.create(source, KEY, by=None, now=clock())
        made.append(key)
    try:
        yield secrets
    finally:
        for key in made:
            keys.revoke(key, now=clock())
