"""Rules decide about events: which rule, which outcome, and who is notified."""

from __future__ import annotations

from inbox.domain.values.severity import Severity
from inbox.models.deliveries.tables import Notice
from inbox.models.incidents.tables import Incident
from inbox.models.routing import routing_config
from inbox.models.workspaces.tables import Workspace
from tests.cast import NOW, Cast, make_source, typeid
from tests.flow.routing.route_rules_steps import (
    MINUTE,
)
from tests.flow.routing_fixtures import (
    bodies,
    decisions,
    event,
    incident,
    listen,
    notices,
    reported,
    routed,
    waiting,
)
from tests.flow.rulemaking import ANY, clause, profile, rule


def test_the_first_rule_that_matches_decides(cast: Cast) -> None:
    rule(cast.workspace, clause("title", "contains", "network"), "drop")
    second = rule(cast.workspace, clause("title", "contains", "DISK"), "log", name="Disks")
    rule(cast.workspace, ANY, "incident")

    logged = routed(cast.source, severity="CRITICAL")

    assert (logged.disposition, logged.incident_id) == ("logged", None)
    assert (logged.routing["by"], logged.routing["ruleId"]) == ("rule", typeid("rul", second.id))
    assert logged.routing["trace"] == ['rule "Disks" logs the event only']
    assert [(stated["name"], stated["clauses"]) for stated in logged.routing["rules"]] == [
        ("Disks", [{"clause": 'title contains "DISK"', "matched": True, "value": "Disk full"}])
    ]
    assert routed(cast.source, title="Network down", key="net").disposition == "dropped"


def test_an_event_that_no_rule_matches_takes_the_default_route(cast: Cast) -> None:
    rule(cast.workspace, clause("title", "contains", "network"), "drop")

    opened = routed(cast.source)

    assert (opened.disposition, opened.routing["by"], opened.routing["ruleId"]) == ("opened", "default", None)
    assert "rules" not in opened.routing


def test_a_rule_opens_an_incident_from_an_event_that_the_default_route_logs(cast: Cast) -> None:
    made = rule(cast.workspace, severity=Severity.CRITICAL, add_tags=("paging", "db"))

    opened = routed(cast.source, severity="INFO", tags=["db", "prod"])

    existing = incident(opened.id)
    assert (existing.severity, existing.last_severity, existing.rule_id) == ("CRITICAL", "CRITICAL", made.id)
    assert existing.tags == ["db", "prod", "paging"]
    assert event(opened.id).severity == "INFO"
    assert 'rule "Rule" changed the severity from INFO to CRITICAL' in opened.routing["trace"]


def test_a_dropped_event_is_kept_as_a_record_and_notified_to_nobody(cast: Cast) -> None:
    pager = listen(cast.workspace)
    rule(cast.workspace, ANY, "drop")

    dropped = routed(cast.source, severity="CRITICAL")

    assert (dropped.disposition, waiting()) == ("dropped", 0)
    assert reported(pager) == []
    assert Incident.select().count() == Notice.select().count() == 0


def test_a_rule_may_notify_without_an_incident(cast: Cast) -> None:
    operator, chat = listen(cast.workspace, "Desk"), listen(cast.workspace, "Chat", routed=False)
    rule(cast.workspace, ANY, "notify", destination_ids=(chat.id,))

    stated = routed(cast.source, severity="INFO", resource="host:db1")

    assert (stated.disposition, stated.incident_id, stated.routing["reason"]) == ("notified", None, "informational")
    assert (reported(chat), reported(operator)) == ([("informational", "pending", None)], [])
    [notice] = Notice.select()
    assert (notice.incident_id, notice.event_id) == (None, stated.id)
    [body] = bodies(None)  # type: ignore[arg-type]
    assert (body["type"], body["data"]["incidentId"]) == ("incident.informational", "")
    assert (body["data"]["eventId"], body["data"]["resource"]) == (typeid("evt", stated.id), "host:db1")
    assert Incident.select().count() == 0


def test_an_informational_notice_of_a_rule_without_destinations_takes_the_default_route(cast: Cast) -> None:
    operator = listen(cast.workspace, "Desk")
    rule(cast.workspace, ANY, "notify")

    routed(cast.source, severity="DEBUG")

    assert reported(operator) == [("informational", "pending", None)]


def test_a_rule_names_who_is_notified_in_place_of_the_default_route(cast: Cast) -> None:
    operator, chat = listen(cast.workspace, "Desk"), listen(cast.workspace, "Chat", routed=False)
    rule(cast.workspace, destination_ids=(chat.id,))

    opened = routed(cast.source)
    routed(cast.source, NOW + MINUTE, action="resolve")

    assert incident(opened.id).destination_ids == [chat.id]
    assert [reason for reason, _, _ in reported(chat)] == ["opened", "resolved"]
    assert reported(operator) == []


def test_a_continuing_rule_adds_its_actions_to_later_rules(cast: Cast) -> None:
    operator, chat = listen(cast.workspace, "Desk"), listen(cast.workspace, "Chat", routed=False)
    adds = rule(
        cast.workspace, ANY, None, continue_matching=True, destination_ids=(chat.id,), add_tags=("seen",), name="Adds"
    )

    opened = routed(cast.source)

    existing = incident(opened.id)
    assert (opened.routing["by"], existing.rule_id, existing.tags) == ("default", None, ["seen"])
    assert set(decisions(notices(existing.id)[0])) == {"Desk", "Chat"}
    assert [stated["ruleId"] for stated in opened.routing["rules"]] == [typeid("rul", adds.id)]
    assert reported(operator) == reported(chat) == [("opened", "pending", None)]


def test_a_rule_names_a_profile(cast: Cast) -> None:
    listen(cast.workspace, "Desk")
    night = listen(cast.workspace, "Night", routed=False)
    made = profile(cast.workspace, night)
    rule(cast.workspace, routing_profile_id=made.id)

    opened = routed(cast.source)

    assert incident(opened.id).routing_profile_id == made.id
    assert reported(night) == [("opened", "pending", None)]


def test_the_sources_profile_comes_before_the_default_route(cast: Cast) -> None:
    operator = listen(cast.workspace, "Desk")
    night = listen(cast.workspace, "Night", routed=False)
    made = profile(cast.workspace, night)
    source, _ = make_source(cast.workspace, "Nightly", routing_profile_id=made.id)

    opened = routed(source)

    assert (opened.routing["by"], incident(opened.id).routing_profile_id) == ("profile", made.id)
    assert (reported(night), reported(operator)) == ([("opened", "pending", None)], [])


def test_the_default_route_may_have_a_profile(cast: Cast) -> None:
    night = listen(cast.workspace, "Night", routed=False)
    made = profile(cast.workspace, night)
    Workspace.update(default_route={"routingProfileId": str(made.id)}).where(
        Workspace.id == cast.workspace.id
    ).execute()
    routing_config.bump_revision(cast.workspace.id)

    opened = routed(cast.source)

    assert (opened.routing["by"], incident(opened.id).routing_profile_id) == ("default", made.id)
    assert reported(night) == [("opened", "pending", None)]


def test_the_profiles_reopen_window_holds_for_its_incidents(cast: Cast) -> None:
    made = profile(cast.workspace, listen(cast.workspace, routed=False), reopen_window_minutes=5)
    rule(cast.workspace, routing_profile_id=made.id)
    first = routed(cast.source)
    routed(cast.source, NOW + MINUTE, action="resolve")

    assert routed(cast.source, NOW + 6 * MINUTE).incident_id == first.incident_id
    routed(cast.source, NOW + 7 * MINUTE, action="resolve")
    assert routed(cast.source, NOW + 13 * MINUTE).incident_id != first.incident_id


def test_an_incident_that_opens_again_is_notified_as_it_is_routed_then(cast: Cast) -> None:
    operator, chat = listen(cast.workspace, "Desk"), listen(cast.workspace, "Chat", routed=False)
    first = routed(cast.source)
    routed(cast.source, NOW + MINUTE, action="resolve")
    made = rule(cast.workspace, destination_ids=(chat.id,))

    repeated = routed(cast.source, NOW + 2 * MINUTE)

    existing = incident(first.id)
    assert (repeated.incident_id, existing.rule_id, existing.destination_ids) == (existing.id, made.id, [chat.id])
    assert ([reason for reason, _, _ in reported(operator)], [reason for reason, _, _ in reported(chat)]) == (
        ["opened", "resolved"],
        ["reopened"],
    )


def test_a_repeat_does_not_change_how_an_unresolved_incident_is_routed(cast: Cast) -> None:
    first = routed(cast.source)
    chat = listen(cast.workspace, "Chat", routed=False)
    rule(cast.workspace, destination_ids=(chat.id,))

    routed(cast.source, NOW + 20 * MINUTE)

    assert (incident(first.id).rule_id, incident(first.id).destination_ids) == (None, [])
    assert reported(chat) == []
