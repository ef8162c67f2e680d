"""`bin/inbox events`: quarantined events are listed and released, and then routed (decision 0011)."""

from __future__ import annotations

import json
from uuid import UUID

import pytest
from redis import Redis
from rq import Queue

from inbox.config.settings import Settings
from inbox.domain.values import ids
from inbox.domain.values.times import rfc3339
from inbox.flow.routing.route import route
from inbox.models.events.tables import EventQueueRow
from inbox.models.records.audit import AuditEntry
from tests.cast import NOW, Cast, present
from tests.flow.routing_fixtures import accept, event
from tests.ops.conftest import Run

pytestmark = pytest.mark.slow


def set_aside(cast: Cast, **more: str) -> UUID:
    """An event of Acme's whose routing has failed."""
    found = accept(cast.source, present(), **more)
    EventQueueRow.update(quarantined_at=NOW, attempts=5).where(EventQueueRow.event_id == found).execute()
    return found


def test_quarantined_events_are_listed_the_oldest_first(inbox: Run, cast: Cast) -> None:
    accept(cast.source, present(), key="waits")
    bad = set_aside(cast, key="bad", title="Poison", severity="ERROR")

    listed = json.loads(inbox("events", "quarantined", "--json").stdout)

    assert [each["event"] for each in listed] == [ids.encode("evt", bad)]
    assert (listed[0]["workspace"], listed[0]["source"], listed[0]["title"]) == ("acme", cast.source.name, "Poison")
    assert (listed[0]["severity"], listed[0]["setAsideAt"]) == ("ERROR", rfc3339(NOW))
    assert "Poison" in inbox("events", "quarantined").stdout


def test_a_released_event_is_routed_at_its_old_place(inbox: Run, cast: Cast, settings: Settings) -> None:
    bad, other = set_aside(cast, key="a", title="First"), set_aside(cast, key="b")
    later = accept(cast.source, present(), key="a", title="Second")

    done = inbox("events", "release", ids.encode("evt", bad))

    assert (done.returncode, done.stdout) == (0, "1 event will be routed again\n"), done.stderr
    redis = Redis.from_url(settings.redis_url)
    assert Queue("routing", connection=redis).count == 1
    redis.close()
    route(present)
    assert (event(bad).disposition, event(later).disposition) == ("opened", "updated")
    assert event(other).disposition == "pending"
    entry = AuditEntry.get(AuditEntry.action == "event.released")
    assert (entry.target["id"], entry.workspace_id) == (ids.encode("evt", bad), cast.workspace.id)
    assert entry.actor["name"] == "bin/inbox"


def test_all_quarantined_events_are_released_at_once(inbox: Run, cast: Cast) -> None:
    both = {set_aside(cast, key="a"), set_aside(cast, key="b")}

    assert inbox("events", "release", "--all").stdout == "2 events will be routed again\n"
    repeated = inbox("events", "release", "--all")

    assert (repeated.returncode, repeated.stdout) == (0, "0 events will be routed again\n")
    route(present)
    assert {event(each).disposition for each in both} == {"opened"}


def test_a_release_without_a_quarantined_event_is_refused(inbox: Run, cast: Cast) -> None:
    waits = ids.encode("evt", accept(cast.source, present()))

    missed, unsaid, nonsense = (inbox("events", "release", *words) for words in ([waits], [], ["evt_x"]))

    assert (missed.returncode, f"{waits} is not quarantined" in missed.stderr) == (1, True)
    assert (unsaid.returncode, "--all" in unsaid.stderr) == (1, True)
    assert (nonsense.returncode, "not the id of an event" in nonsense.stderr) == (1, True)
