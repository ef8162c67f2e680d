"""No connection is made to a forbidden address: shown in a network in which every address would accept one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from inbox.destinations import KINDS
from inbox.destinations.descriptors import FieldType
from tests.destinations.kinds.cases import CASES
from tests.destinations.namespace.world import FORBIDDEN, PUBLIC, SET_UP

pytestmark = pytest.mark.slow

UNSHARE = ["unshare", "-n", "-m", "sh", "-c", f'{SET_UP} && exec "$@"', "sh"]
LIMIT_SECONDS = 480


@pytest.fixture(scope="module")
def found(root: Path) -> dict[str, Any]:
    """What came of the scenarios."""
    if os.geteuid() != 0 or subprocess.run([*UNSHARE, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("a network namespace needs Linux, root, unshare and ip")
    words = [*UNSHARE, sys.executable, "-m", "tests.destinations.namespace"]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    done = subprocess.run(
        words, cwd=root, env=environment, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    scenarios: dict[str, Any] = json.loads(done.stdout)
    return scenarios


def test_the_listeners_see_each_call_that_is_allowed(found: dict[str, Any]) -> None:
    assert found["what_is_allowed"]["connections"] == {"10.0.0.1 80": 1, "fd00::1 80": 1, f"{PUBLIC} 443": 2}


def test_no_form_of_a_url_reaches_a_forbidden_address(found: dict[str, Any]) -> None:
    result = found["every_url_form"]

    assert result == {"calls": result["calls"], "saved": 0, "answered": 0, "connections": {}}
    assert result["calls"] >= 500


def test_an_instance_with_private_receivers_calls_neither_metadata_services_nor_its_own_servers(
    found: dict[str, Any],
) -> None:
    result = found["forms_that_no_instance_calls"]

    assert result == {"calls": result["calls"], "saved": 0, "connections": {}}
    assert result["calls"] >= 500


def test_the_client_connects_only_to_checked_addresses_when_dns_answers_change(found: dict[str, Any]) -> None:
    assert found["rebinding"] == {
        "calls": 1_000,
        "saved": 500,
        "resolved once": 500,
        "connections": {f"{PUBLIC} 443": 500},
    }


def test_no_field_of_any_kind_leads_to_a_forbidden_address(found: dict[str, Any]) -> None:
    result = found["settings_of_kinds"]

    assert result == {"calls": result["calls"], "saved": [], "connections": {}}
    assert result["calls"] >= 2_000


def test_no_endpoint_of_a_phone_leads_to_a_forbidden_address(found: dict[str, Any]) -> None:
    result = found["push_endpoints"]

    assert result == {"calls": result["calls"], "connections": {}}
    assert result["calls"] >= 100


def test_no_identity_provider_leads_to_a_forbidden_address(found: dict[str, Any]) -> None:
    result = found["identity_providers"]

    assert result == {"calls": result["calls"], "answered": 0, "connections": {}}
    assert result["calls"] >= 200


def test_no_form_of_an_address_of_apprise_leads_to_a_forbidden_address(found: dict[str, Any]) -> None:
    forms, own = found["each_form_through_apprise"], found["apprise_of_an_instance_with_private_receivers"]

    assert forms == {"calls": forms["calls"], "sent": 0, "connections": {}}
    assert own == {"calls": own["calls"], "sent": 0, "connections": {}}
    assert forms["calls"] >= 1_000
    assert own["calls"] >= 50


def test_apprise_connects_only_to_checked_addresses_when_dns_answers_change(found: dict[str, Any]) -> None:
    assert found["rebinding_through_apprise"] == {"calls": 400, "sent": 0, "connections": {f"{PUBLIC} 443": 200}}


def test_a_message_through_apprise_goes_where_the_policy_allows_it(found: dict[str, Any]) -> None:
    assert found["messages_through_apprise"] == {
        "calls": 5,
        "failures": ["address_refused"],
        "connections": {"10.0.0.1 80": 1},
    }


def test_the_scenarios_have_every_kind_with_an_address_and_every_class_of_addresses() -> None:
    with_address = {
        name for name, kind in KINDS.items() for each in kind.description.fields if each.type is FieldType.URL
    }

    assert with_address <= {"webhook", *(case.kind for case in CASES.values())}
    assert len(set(FORBIDDEN)) == len(FORBIDDEN) >= 20
