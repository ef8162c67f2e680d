"""PagerDuty's Python clients, which require TLS, send events to the compatible address (specification 19.9)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.senders.conftest import Instance, python
from tests.senders.tls import Front, front_of

pytestmark = pytest.mark.slow

CLIENTS = {
    "pagerduty": "import pagerduty; client = pagerduty.EventsApiV2Client(KEY, base_url=URL)",
    "pdpyras": "import pdpyras; client = pdpyras.EventsAPISession(KEY); client.url = URL",
}


@pytest.fixture
def front(instance: Instance, tmp_path: Path) -> Iterator[Front]:
    with front_of(instance.address, tmp_path) as front:
        yield front


def run(client: str, script: str, instance: Instance, front: Front) -> str:
    """What the script prints that uses `client`."""
    url = f"{front.address}/v1/compat/pagerduty"
    trusts = {name: str(front.authority) for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")}
    return python(f"KEY, URL = {instance.key!r}, {url!r}\n{CLIENTS[client]}\n{script}", trusts)


@pytest.mark.parametrize("client", CLIENTS)
def test_a_repeat_keeps_the_incident_an_acknowledge_is_logged_and_a_resolve_resolves_it(
    client: str, instance: Instance, front: Front
) -> None:
    for _ in range(2):
        key = run(client, "print(client.trigger('Disk is full', 'db2', dedup_key='disk/db2'))", instance, front)
    opened, events = instance.incidents(), len(instance.events())
    run(client, "client.acknowledge('disk/db2')", instance, front)
    acknowledged = [event["title"] for event in instance.events()]
    run(client, "client.resolve('disk/db2')", instance, front)

    assert (key, events) == ("disk/db2", 2)
    assert opened == {"Disk is full": "open"}
    assert acknowledged == ["Disk is full", "Disk is full", "The alert was acknowledged by the sender"]
    assert instance.incidents() == {"Disk is full": "resolved"}
    assert instance.events()[0]["severity"] == "CRITICAL"


def test_a_trigger_without_a_key_gets_one_that_resolves_it(instance: Instance, front: Front) -> None:
    key = run("pagerduty", "print(client.trigger('Disk is full', 'db2'))", instance, front)
    opened = instance.incidents()
    run("pagerduty", f"client.resolve({key!r})", instance, front)

    assert (opened, instance.incidents()) == ({"Disk is full": "open"}, {"Disk is full": "resolved"})


def test_a_change_event_is_logged(instance: Instance, front: Front) -> None:
    script = "client.submit('Version 3 is live', source='ci', timestamp='2026-11-24T10:00:00Z')"

    run("pagerduty", script, instance, front)

    assert instance.incidents() == {}
    assert [(event["title"], event["severity"]) for event in instance.events()] == [("Version 3 is live", "INFO")]


def test_an_unknown_key_is_an_error_of_the_client(instance: Instance, front: Front) -> None:
    script = """
try:
    client.trigger('Disk is full', 'db2')
except pagerduty.HttpError as error:
    print(error.response.status_code)
"""
    foreign = Instance(instance.address, "svc_src_unknown", instance.cast)

    assert run("pagerduty", script, foreign, front) == "401"
    assert instance.events() == []
