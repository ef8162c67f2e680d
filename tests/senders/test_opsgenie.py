"""The Opsgenie SDK for Python sends alerts and heartbeats to the compatible address (specification 19.11)."""

from __future__ import annotations

import pytest

from tests.heartbeats import make_monitor, reread
from tests.senders.conftest import Instance, python

pytestmark = pytest.mark.slow

ALIAS = "SVC_PROBLEM_ID: 7/x"

PRELUDE = """
import opsgenie_sdk
conf = opsgenie_sdk.Configuration()
conf.host = URL
conf.retry_count = 1
conf.api_key['Authorization'] = KEY
client = opsgenie_sdk.ApiClient(configuration=conf)
alerts = opsgenie_sdk.AlertApi(api_client=client)
"""


def run(script: str, instance: Instance) -> str:
    """What the script prints that uses the client."""
    url = f"{instance.address}/v1/compat/opsgenie"
    return python(f"KEY, URL, ALIAS = {instance.key!r}, {url!r}, {ALIAS!r}\n{PRELUDE}\n{script}", {})


CREATE = """
payload = opsgenie_sdk.CreateAlertPayload(message='Disk is full', alias=ALIAS, priority='P1', details={'host': 'db2'})
result = alerts.create_alert(create_alert_payload=payload)
print(result.result)
status = result.retrieve_result()
print(status.data.is_success, status.data.alias == ALIAS)
"""


def test_an_alert_opens_an_incident_whose_request_status_is_ready(instance: Instance) -> None:
    printed = run(CREATE, instance)

    assert printed.splitlines() == ["Request will be processed", "True True"]
    assert instance.incidents() == {"Disk is full": "open"}
    [event] = instance.events()
    assert (event["severity"], event["dedup_key"]) == ("CRITICAL", f"og:{ALIAS}")


ACTS = """
alerts.acknowledge_alert(identifier=ALIAS, identifier_type='alias')
note = opsgenie_sdk.AddNoteToAlertPayload(note='on it')
alerts.add_note(identifier=ALIAS, identifier_type='alias', add_note_to_alert_payload=note)
"""


def test_a_repeat_keeps_the_incident_acts_are_logged_and_a_close_resolves_it(instance: Instance) -> None:
    run(CREATE, instance)
    run(CREATE + ACTS, instance)
    repeated = instance.incidents()
    run("alerts.close_alert(identifier=ALIAS, identifier_type='alias')", instance)

    assert repeated == {"Disk is full": "open"}
    assert instance.incidents() == {"Disk is full": "resolved"}
    assert [event["disposition"] for event in instance.events()][2:4] == ["logged", "logged"]


def test_a_heartbeat_pings_the_monitor_with_its_name(instance: Instance) -> None:
    monitor, _ = make_monitor(instance.cast.source, name="nightly backup")

    printed = run("print(opsgenie_sdk.HeartbeatApi(api_client=client).ping('nightly backup').result)", instance)

    assert printed == "PONG - Heartbeat received"
    assert reread(monitor).status == "up"


def test_an_unknown_key_is_an_authentication_error_of_the_client(instance: Instance) -> None:
    attempt = CREATE.replace("\n", "\n    ")
    foreign = Instance(instance.address, "svc_src_unknown", instance.cast)

    handler = "except opsgenie_sdk.exceptions.AuthenticationException as error:\n    print(error.status)"
    printed = run(f"try:{attempt}\n{handler}", foreign)

    assert printed == "401"
    assert instance.events() == []
