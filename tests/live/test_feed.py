"""References of the feed: addressed, condensed, without a title, name or text."""

from __future__ import annotations

import json
from uuid import UUID

import pytest

from inbox.database.base import new_id
from inbox.domain.values import ids
from inbox.flow.unit_of_work import work
from inbox.live import feed, wire
from inbox.live.feed import Change, Reference, coalesce

WORKSPACE, OTHER, PERSON = (UUID(int=number) for number in (1, 2, 3))


def incident(number: int = 100, workspace: UUID = WORKSPACE, **more: object) -> Reference:
    return Reference("incident", UUID(int=number), workspace, **more)  # type: ignore[arg-type]


def test_a_line_has_type_id_workspace_op_and_revision_and_nothing_else():
    line = wire.line(incident(op="created", rev=7).stored())

    assert json.loads(line.removeprefix(b"data: ")) == {
        "type": "incident",
        "id": ids.encode("inc", UUID(int=100)),
        "workspaceId": ids.encode("wsp", WORKSPACE),
        "op": "created",
        "rev": 7,
    }
    assert line.endswith(b"}\n\n")


def test_a_workspaces_reference_is_addressed_to_the_workspace():
    assert incident().stored()["to"] == ids.encode("wsp", WORKSPACE)


def test_me_is_addressed_to_that_person_alone():
    assert Reference("me", PERSON, None).stored()["to"] == ids.encode("usr", PERSON)


def test_a_personal_record_is_addressed_to_its_person_even_in_a_workspace():
    reference = Reference("view", UUID(int=9), WORKSPACE, only=PERSON)

    assert reference.stored()["to"] == ids.encode("usr", PERSON)
    assert reference.stored()["workspaceId"] == ids.encode("wsp", WORKSPACE)


def test_a_reference_for_nobody_is_refused():
    with pytest.raises(ValueError, match="nobody"):
        Reference("device", UUID(int=9), None).stored()


def test_every_word_of_the_stream_has_a_prefix():
    words = {"incident", "event", "source", "rule", "routingProfile", "destination", "delivery", "monitor", "watcher"}
    words |= {"silence", "schedule", "forwarding", "member", "invite", "workspace", "device", "view", "me"}

    assert set(feed.PREFIX) == words


def test_changes_of_one_record_are_coalesced_to_the_strongest_op_and_newest_revision():
    assert coalesce([incident(op="created", rev=1), incident(rev=3), incident(rev=2)]) == [
        incident(op="created", rev=3)
    ]
    assert coalesce([incident(rev=1), incident(op="deleted", rev=2)]) == [incident(op="deleted", rev=2)]


def test_more_than_a_hundred_changes_of_a_workspace_are_one_resync_for_this_workspace():
    many = [incident(number) for number in range(1, 102)]
    lone = incident(500, OTHER)

    reported = [reference.stored() for reference in coalesce([*many, lone])]

    assert reported == [{"type": "resync", "types": ["incident"], "to": ids.encode("wsp", WORKSPACE)}, lone.stored()]


def test_a_hundred_things_of_each_of_two_workspaces_are_reported_one_by_one():
    many = [incident(number, workspace) for number in range(1, 101) for workspace in (WORKSPACE,)]
    others = [incident(number + 1000, OTHER) for number in range(1, 101)]

    assert len(coalesce([*many, *others])) == 200


def test_a_unit_of_work_leaves_one_row_in_its_own_transaction(ground):
    first, second = new_id(), new_id()
    with work() as done:
        done.publish_change("incident", first, WORKSPACE, op="created", rev=1)
        done.publish_change("incident", first, WORKSPACE, rev=2)
        done.publish_change("me", second, None)

    (row,) = Change.select()
    assert row.refs == [
        Reference("incident", first, WORKSPACE, "created", 2).stored(),
        Reference("me", second, None).stored(),
    ]


def test_a_failed_unit_of_work_leaves_no_row(ground):
    with pytest.raises(ZeroDivisionError), work() as done:
        done.publish_change("incident", new_id(), WORKSPACE)
        raise ZeroDivisionError

    assert Change.select().count() == 0


def test_an_event_and_a_delivery_name_their_parents():
    parents = feed.Parents(UUID(int=7), UUID(int=8), UUID(int=9))
    event = Reference("event", UUID(int=5), WORKSPACE, parents=parents).wire()
    delivery = Reference("delivery", UUID(int=6), WORKSPACE, parents=parents).wire()

    assert (event["incidentId"], event["sourceId"]) == (ids.encode("inc", UUID(int=7)), ids.encode("src", UUID(int=8)))
    assert "destinationId" not in event
    assert delivery["destinationId"] == ids.encode("dst", UUID(int=9))
    assert "incidentId" not in incident().wire()
    (merged,) = coalesce(
        [
            Reference("event", UUID(int=5), WORKSPACE, "created", parents=parents),
            Reference("event", UUID(int=5), WORKSPACE, parents=feed.Parents(incident_id=UUID(int=4))),
        ]
    )
    assert merged.parents == feed.Parents(UUID(int=4), UUID(int=8), UUID(int=9))


def test_a_line_of_an_earlier_version_is_written_without_parents():
    old = {"type": "event", "id": "evt_1", "workspaceId": "wsp_1", "op": "created", "rev": 0, "to": "wsp_1"}

    assert json.loads(wire.line(old).removeprefix(b"data: ")) == {k: v for k, v in old.items() if k != "to"}


def test_an_act_is_marked_for_the_processes_and_not_for_clients():
    act = incident(is_act=True, rev=2)

    assert act.stored() == {**incident(rev=2).stored(), "act": True}
    assert wire.line(act.stored()) == wire.line(incident(rev=2).stored())
    assert coalesce([act, incident(rev=3)]) == coalesce([incident(rev=2), incident(rev=3, is_act=True)])
