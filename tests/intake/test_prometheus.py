"""The Alertmanager API: fingerprints, repeats and ends of the alerts that Prometheus pushes (specification 19.10)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inbox.domain.events import validation
from inbox.domain.values import times
from inbox.domain.values.severity import Severity
from inbox.intake import prometheus
from tests.cast import NOW
from tests.database.call_counts import calls_of
from tests.intake.payloads import payload
from tests.intake.test_tools import JSON, accepted, places, replaced

LABELS = {"alertname": "DiskFull", "instance": "db2:9100", "severity": "critical"}


def at(minutes: float) -> str:
    return times.rfc3339(NOW + timedelta(minutes=minutes))


def alert(**more: Any) -> dict[str, Any]:
    """As Prometheus 2.42 sends it while it fires."""
    sent = {"startsAt": at(-1), "endsAt": at(4), "generatorURL": "http://prom:9090/graph?g0.expr=x"}
    return {"labels": LABELS, "annotations": {"summary": "db2 is full"}, **sent, **more}


def stored(*alerts: Any) -> list[validation.NewEvent]:
    """The events as ingest stores them."""
    return validation.accept({"events": [each.event for each in prometheus.read(alerts, NOW).alerts]}, received_at=NOW)


def test_the_fingerprint_equals_the_fingerprint_of_alertmanager() -> None:
    assert prometheus.fingerprint(LABELS) == "db73c85864f826bb"
    assert prometheus.fingerprint(dict(reversed(LABELS.items()))) == "db73c85864f826bb"
    assert prometheus.fingerprint({**LABELS, "severity": "warning"}) != "db73c85864f826bb"
    assert prometheus.fingerprint({}) == "cbf29ce484222325"


def test_a_pushed_alert_belongs_to_the_incident_of_the_webhook() -> None:
    hooked = payload("alertmanager", "alarm")["alerts"][0]

    [pushed] = stored({"labels": LABELS, "startsAt": at(-1)})
    [of_webhook] = accepted("alertmanager", {"alerts": [{**hooked, "labels": LABELS}]})

    assert pushed.dedup_key == of_webhook.dedup_key == "alertmanager:db73c85864f826bb"


def test_a_firing_alert_becomes_an_alarm() -> None:
    [found] = stored(alert())

    assert (found.title, found.severity, found.resource) == ("db2 is full", Severity.CRITICAL, "host:db2")
    assert (found.recovers, found.external_id) == (False, "db73c85864f826bb")
    assert found.url == "http://prom:9090/graph?g0.expr=x"
    assert found.occurred_at == NOW - timedelta(minutes=1)


@pytest.mark.parametrize(("minutes", "has_ended"), [(-1, True), (0, True), (0.001, False), (4, False)])
def test_an_alert_has_ended_when_its_end_is_not_in_the_future(minutes: float, has_ended: bool) -> None:
    [found] = stored(alert(endsAt=at(minutes)))
    assert found.recovers is has_ended


@pytest.mark.parametrize("ends_at", [None, "", "0001-01-01T00:00:00Z", "soon", 7])
def test_an_alert_without_an_end_fires(ends_at: Any) -> None:
    [found] = stored(alert(endsAt=ends_at))
    assert not found.recovers


def test_empty_labels_do_not_count() -> None:
    [plain], [more] = stored(alert()), stored(alert(labels={**LABELS, "empty": ""}))
    assert plain.dedup_key == more.dedup_key


@pytest.mark.parametrize("labels", [None, {}, {"a": ""}, {"a": 1}, {"a": None}, [], "text"])
def test_an_alert_without_labels_drops_no_other_one(labels: Any) -> None:
    result = prometheus.read([alert(), alert(labels=labels), alert(labels={"a": "b"})], NOW)

    assert len(result.alerts) == 2
    assert [fault.pointer for fault in result.faults] == ["/1/labels"]


@pytest.mark.parametrize(
    ("starts_at", "ends_at", "expired", "is_moved"),
    [(-9, 4, -5, True), (-5, 4, -5, True), (-4, 4, -5, False), (-9, -1, -5, False), (-9, 4, None, False)],
)
def test_an_alert_that_fires_on_after_its_expiry_is_a_new_event(
    starts_at: float, ends_at: float, expired: float | None, is_moved: bool
) -> None:
    [found] = prometheus.read([alert(startsAt=at(starts_at), endsAt=at(ends_at))], NOW).alerts

    made = found.event_after(None if expired is None else NOW + timedelta(minutes=expired))

    assert (made != found.event) is is_moved
    [event] = validation.accept(made, received_at=NOW)
    assert not is_moved or event.occurred_at == NOW + timedelta(minutes=-5)


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_no_alert_raises_and_every_event_is_valid(data: st.DataObject) -> None:
    document: Any = [alert(), alert(labels={"a": "b"})]
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from([place for place in places(document) if place]))
        document = replaced(document, path, data.draw(JSON))

    result = prometheus.read(document, NOW)

    assert len(result.alerts) + len(result.faults) == 2
    for found in result.alerts:
        assert validation.accept(found.event, received_at=NOW)
        assert validation.accept(found.event_after(NOW), received_at=NOW)


@pytest.mark.parametrize(("beyond", "is_alertmanagers"), [(-1, True), (0, True), (1, False)])
def test_labels_longer_than_any_real_ones_have_a_digest_that_is_cheap(beyond: int, is_alertmanagers: bool) -> None:
    labels = {"a": "x" * (prometheus.LONGEST_LABELS - len("a__") + beyond)}

    calls = calls_of(lambda: prometheus.fingerprint(labels))
    mark = prometheus.fingerprint(labels)

    assert len(mark) == 16 and mark == prometheus.fingerprint(dict(labels)) != prometheus.fingerprint({"a": "y"})
    assert (mark == slow_fingerprint(labels)) is is_alertmanagers
    assert calls < 100


def slow_fingerprint(labels: dict[str, str]) -> str:
    """FNV-1a of 64 bits, as Alertmanager computes it."""
    found = 0xCBF29CE484222325
    for byte in b"".join(text.encode() + b"\xff" for pair in sorted(labels.items()) for text in pair):
        found = (found ^ byte) * 0x100000001B3 % 2**64
    return f"{found:016x}"
