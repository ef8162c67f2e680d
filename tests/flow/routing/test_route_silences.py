"""An event that would open or reopen an incident while a silence matches opens it silenced (specification 3.6)."""

from __future__ import annotations

from datetime import timedelta

from inbox.domain.incidents.incident import Act, Actor
from inbox.domain.values.severity import Severity
from inbox.flow.people import incidents
from inbox.flow.routing.route import route
from inbox.flow.unit_of_work import work
from inbox.models.deliveries.tables import Notice
from inbox.models.routing import routing_config
from inbox.models.routing.silences import Silence
from tests.cast import NOW, Cast, make_source, typeid
from tests.flow.routing_fixtures import accept, decisions, event, incident, listen, notices, reported, routed, timeline
from tests.flow.rulemaking import ANY, clause, rule, silence

MINUTE = timedelta(minutes=1)


def hits(made: Silence) -> int:
    return int(Silence.get_by_id(made.id).hits)


def test_an_incident_that_opens_under_a_silence_is_silenced_and_names_it(cast: Cast) -> None:
    pager = listen(cast.workspace)
    silence(cast.workspace, clause("title", "contains", "network"))
    made = silence(cast.workspace, clause("title", "contains", "disk"))

    opened = routed(cast.source)

    existing = incident(opened.id)
    assert (existing.state, existing.state_before_silence, existing.silenced_by) == ("silenced", "open", made.id)
    assert (opened.disposition, opened.routing["act"]) == ("opened", "trigger_silenced")
    assert reported(pager) == []
    assert decisions(notices(existing.id)[0]) == {"Pager": f"silenced:{typeid('sil', made.id)}"}


def test_every_covered_event_is_counted_by_the_silence(cast: Cast) -> None:
    made = silence(cast.workspace)
    for minute in range(3):
        accept(cast.source, NOW + minute * MINUTE)
    accept(cast.source, NOW, severity="INFO", key="quiet")
    accept(cast.foreign_source)

    route(lambda: NOW + 3 * MINUTE)

    assert hits(made) == 3
    assert Silence.get_by_id(made.id).last_hit_at == NOW + 3 * MINUTE


def test_an_incident_that_reopens_under_a_silence_is_silenced(cast: Cast) -> None:
    first = routed(cast.source)
    routed(cast.source, NOW + MINUTE, action="resolve")
    made = silence(cast.workspace)

    routed(cast.source, NOW + 2 * MINUTE)

    assert (incident(first.id).state, incident(first.id).silenced_by) == ("silenced", made.id)


def test_a_reopened_incident_is_silenced_by_a_silence_that_matches_only_the_incident(cast: Cast) -> None:
    first = routed(cast.source, tags=["db"])
    routed(cast.source, NOW + MINUTE, action="resolve")
    made = silence(cast.workspace, clause("tags", "contains", "db"))

    routed(cast.source, NOW + 2 * MINUTE, tags=["web"])

    assert (incident(first.id).state, incident(first.id).silenced_by) == ("silenced", made.id)


def test_a_reopened_incident_gets_the_tags_of_rules_and_is_silenced_by_them(cast: Cast) -> None:
    first = routed(cast.source, tags=["db"])
    routed(cast.source, NOW + MINUTE, action="resolve")
    rule(cast.workspace, add_tags=("planned",))
    made = silence(cast.workspace, clause("tags", "contains", "planned"))

    routed(cast.source, NOW + 2 * MINUTE)

    existing = incident(first.id)
    assert (existing.state, existing.silenced_by, existing.tags) == ("silenced", made.id, ["db", "planned"])


def test_a_new_incident_is_not_silenced_by_tags_of_its_predecessor(cast: Cast) -> None:
    routed(cast.source, tags=["db"])
    routed(cast.source, NOW + MINUTE, action="resolve")
    later = NOW + timedelta(hours=3)
    silence(cast.workspace, clause("tags", "contains", "db"), since=later)

    assert incident(routed(cast.source, later, tags=["web"]).id).state == "open"


def test_a_repeat_that_begins_to_match_is_silenced_before_it_is_notified(cast: Cast) -> None:
    pager = listen(cast.workspace)
    first = routed(cast.source, severity="WARNING", tags=["web"])
    made = silence(cast.workspace, clause("tags", "contains", "db"))

    routed(cast.source, NOW + MINUTE, severity="WARNING", tags=["web"])
    assert incident(first.id).state == "open"
    repeat = routed(cast.source, NOW + 20 * MINUTE, severity="CRITICAL", tags=["db"])

    existing = incident(first.id)
    assert (existing.state, existing.silenced_by, existing.severity) == ("silenced", made.id, "CRITICAL")
    assert (repeat.disposition, hits(made)) == ("updated", 1)
    assert timeline(existing.id) == ["opened", "silenced", "escalated"]
    assert [reason for reason, _, _ in reported(pager)] == ["opened"]
    assert decisions(notices(existing.id)[-1]) == {"Pager": f"silenced:{typeid('sil', made.id)}"}


def test_a_repeat_of_an_acknowledged_incident_under_a_silence_returns_to_acknowledged(cast: Cast) -> None:
    first = routed(cast.source)
    with work() as done:
        incidents.act(first.incident_id, incidents.ActRequest(Act.ACKNOWLEDGE, by=Actor("user", "", "Mia")), NOW, done)
    made = silence(cast.workspace)

    routed(cast.source, NOW + MINUTE)

    existing = incident(first.id)
    assert (existing.state, existing.state_before_silence, existing.silenced_by) == (
        "silenced",
        "acknowledged",
        made.id,
    )


def test_a_recovery_resolves_silenced_incidents(cast: Cast) -> None:
    made = silence(cast.workspace)
    first = routed(cast.source)
    end = routed(cast.source, NOW + MINUTE, action="resolve")

    assert (end.disposition, incident(first.id).state, incident(first.id).silenced_by) == ("resolved", "resolved", None)
    assert hits(made) == 1


def test_a_silence_that_does_not_hold_now_takes_nothing(cast: Cast) -> None:
    silence(cast.workspace, since=NOW + 10 * MINUTE)
    silence(cast.workspace, since=NOW - timedelta(hours=1))

    assert incident(routed(cast.source, key="a").id).state == "open"
    assert incident(routed(cast.source, NOW + 10 * MINUTE, key="b").id).state == "silenced"


def test_an_event_routed_after_the_silence_ended_is_not_silenced(cast: Cast) -> None:
    silence(cast.workspace)
    late = accept(cast.source, NOW + MINUTE)

    route(lambda: NOW + timedelta(hours=2))

    assert incident(late).state == "open"


def test_a_silence_holds_for_its_sources_only(cast: Cast) -> None:
    other, _ = make_source(cast.workspace, "Other")
    silence(cast.workspace, ANY, source_ids=[other.id])

    assert incident(routed(cast.source).id).state == "open"
    assert incident(routed(other).id).state == "silenced"


def test_a_silence_sees_the_incident_as_rules_make_it(cast: Cast) -> None:
    rule(cast.workspace, severity=Severity.CRITICAL, add_tags=("planned",))
    silence(cast.workspace, {"all": [clause("severity", "eq", "CRITICAL"), clause("tags", "contains", "planned")]})

    assert incident(routed(cast.source, severity="WARNING").id).state == "silenced"


def test_a_silence_may_match_a_column_that_is_not_loaded_otherwise(cast: Cast) -> None:
    silence(cast.workspace, clause("metadata.env", "eq", "staging"))

    assert incident(routed(cast.source, key="a", metadata={"env": "staging"}).id).state == "silenced"
    assert incident(routed(cast.source, key="b", metadata={"env": "prod"}).id).state == "open"


def test_an_incident_snoozed_by_a_rule_stays_snoozed_when_its_silence_ends(cast: Cast) -> None:
    rule(cast.workspace, snooze=timedelta(hours=3))
    silence(cast.workspace)

    existing = incident(routed(cast.source).id)

    assert (existing.state, existing.state_before_silence, existing.snoozed_until) == (
        "silenced",
        "snoozed",
        NOW + timedelta(hours=3),
    )


def test_a_deleted_silence_does_not_apply_from_the_next_batch_on(cast: Cast) -> None:
    made = silence(cast.workspace)
    Silence.update(deleted_at=NOW).where(Silence.id == made.id).execute()
    routing_config.bump_revision(cast.workspace.id)

    assert incident(routed(cast.source).id).state == "open"


def test_a_stored_silence_that_is_broken_does_not_stop_routing(cast: Cast) -> None:
    silence(cast.workspace, {"field": "nonsense", "op": "eq", "value": 1})

    opened = routed(cast.source)

    assert (event(opened.id).disposition, incident(opened.id).state) == ("opened", "open")


def test_a_silence_withholds_informational_notices(cast: Cast) -> None:
    pager = listen(cast.workspace)
    rule(cast.workspace, ANY, "notify")
    made = silence(cast.workspace)

    stated = routed(cast.source, severity="INFO")

    assert (stated.disposition, reported(pager), hits(made)) == ("notified", [], 1)
    assert stated.routing["trace"][-1] == "a silence covers the event: no notification"
    assert decisions(Notice.get()) == {"Pager": f"silenced:{typeid('sil', made.id)}"}
