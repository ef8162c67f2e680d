"""Generated requests as everybody, alone and one after the other: no operation answers 5xx, or what is not described.

`TEST_REQUESTS` multiplies how much is generated (docs/engineers/contributing.md). With 1, the default, an owner sends one or two
random requests to each operation. With more, an owner also sends every boundary value of every parameter.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.faults.service_processes import PROJECT, RunningService, running
from tests.runner.amounts import amount

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("generated")]

TIMES = amount("TEST_REQUESTS", usual=1, long=20)
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
EVERY_OPERATION = "examples,fuzzing" if TIMES == 1 else "examples,coverage,fuzzing"
"""The phase `coverage` sends thousands of boundary values, which are the same in each run."""

PROGRAM = shutil.which("schemathesis", path=str(Path(sys.executable).parent)) or "schemathesis"
MEMBERS = ("viewer", "member", "admin", "owner")

ENDLESS_OR_ENDING = ("streamRead", "authLogout", "meChangePassword", "meEndSession", "accountClose")
"""The stream does not end, and the others end the session that asks. They have their own tests."""

NOUNS = ("sources", "destinations", "views", "silences", "rules", "routing-profiles", "workspaces")
MADE = ("sources", "destinations")
"""Of these what is made up is always good enough for a new one, which is then read and removed."""


@dataclass
class Instance:
    """A running service in which somebody has every role; `headers` is what each of them shows."""

    service: RunningService
    existing: list[str] = field(default_factory=list)
    protected: list[str] = field(default_factory=list)
    headers: dict[str, dict[str, str]] = field(default_factory=dict)

    def generate(self, who: str, phases: str, examples: int, *which: str) -> Mapping[str, set[int]]:
        """Send generated requests as `who`; answers by operation which statuses came. Fails when schemathesis does."""
        log = self.service.state / "answers"
        log.write_text("")
        given = {"known": self.existing, "protected": self.protected, "log": str(log)}
        shown = [word for name, value in self.headers.get(who, {}).items() for word in ("-H", f"{name}: {value}")]
        command = [
            PROGRAM, "run", f"{self.service.address}/v1/openapi.json", "--url", self.service.address, "--checks", CHECKS,
            "--max-examples", str(examples * TIMES), "--phases", phases, "--seed", "1", "--request-timeout", "60",
            "--suppress-health-check", "all", "--no-color", *shown, *which,
        ]  # fmt: skip
        environment = os.environ | {
            "SCHEMATHESIS_HOOKS": "tests.journeys.dashboard_origin", "PYTHONPATH": str(PROJECT), "GENERATED": json.dumps(given)
        }  # fmt: skip
        run = subprocess.run(
            command, capture_output=True, text=True, cwd=self.service.state, env=environment,
            timeout=900 * TIMES, check=False,
        )  # fmt: skip
        assert run.returncode == 0, run.stdout[:6000] + run.stdout[-2000:] + run.stderr[-2000:]
        answers: dict[str, set[int]] = {}
        for line in log.read_text().splitlines():
            name, _, status = line.rpartition(" ")
            answers.setdefault(name, set()).add(int(status))
        return answers


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    with running(tmp_path_factory.mktemp("generated"), durable=False, web=1, workers=1) as service:
        yield peopled(service)


def peopled(service: RunningService) -> Instance:
    """Somebody of every kind, and one more who may be changed and removed."""
    made, workspace = Instance(service), service.sign_in()
    made.headers["instance admin"] = {"Cookie": cookie(service.api)}
    made.headers["sender"] = {"Authorization": f"Bearer {service.source_key(workspace)}"}
    made.protected = [workspace, service.call("GET", "/v1/me")["id"]]
    for who in (*MEMBERS, "device", "spare"):
        browser, user = joined(service, workspace, who, role=who if who in MEMBERS else "admin")
        made.headers[who] = {"Cookie": cookie(browser)}
        (made.existing if who == "spare" else made.protected).append(user)
        if who == "device":
            paired = device(service, browser)
            made.headers[who] = {"Authorization": f"Bearer {paired['accessToken']}"}
            made.protected.append(paired["deviceId"])
    made.existing.append(workspace)
    service.webhook(workspace, "http://127.0.0.1:9/", "whsec_" + "A" * 43 + "=")
    opening = {"title": "Disk full", "severity": "ERROR"}
    sent = requests.post(f"{service.address}/v1/events", json=opening, headers=made.headers["sender"], timeout=60)
    made.existing.append(sent.json()["events"][0]["id"])
    for noun in ("sources", "destinations"):
        made.existing += [each["id"] for each in service.call("GET", f"/v1/{noun}")["items"]]
    return made


def cookie(browser: requests.Session) -> str:
    return "; ".join(f"{name}={value}" for name, value in browser.cookies.items())


def joined(service: RunningService, workspace: str, name: str, *, role: str) -> tuple[requests.Session, str]:
    """The browser of somebody who has accepted an invitation, and their id."""
    link = service.call("POST", f"/v1/workspaces/{workspace}/invites", {"role": role})["link"]
    browser = requests.Session()
    body = {"token": link.partition("#token=")[2], "email": f"{name}@example.org", "name": name.title(),
            "password": "a long phrase of their own"}  # fmt: skip
    return browser, str(posted(service, browser, "/v1/invites/accept", body)["user"]["id"])


def device(service: RunningService, browser: requests.Session) -> Any:
    code = posted(service, browser, "/v1/devices/pairings", {})["code"]
    return posted(service, requests.Session(), "/v1/devices/pair", {"code": code, "name": "Phone"})


def posted(service: RunningService, browser: requests.Session, path: str, body: dict[str, Any]) -> Any:
    answer = browser.post(service.address + path, json=body, headers={"Origin": service.address}, timeout=60)
    assert answer.status_code < 300, answer.text
    return answer.json()


def everything() -> list[str]:
    left_out = (*ENDLESS_OR_ENDING, "eventsCreate")
    return [word for name in left_out for word in ("--exclude-operation-id", name)]


def by_source_key(service: RunningService) -> list[str]:
    """The operations that a source key is for."""
    described = requests.get(f"{service.address}/v1/openapi.json", timeout=60).json()
    operations = [each for item in described["paths"].values() for each in item.values() if isinstance(each, dict)]
    names = [each["operationId"] for each in operations if {"sourceKey": []} in each.get("security", ())]
    assert "eventsCreate" in names
    return [word for name in names for word in ("--include-operation-id", name)]


def test_a_sender_finds_no_fault_in_ingest(instance: Instance) -> None:
    answers = instance.generate("sender", "examples,coverage,fuzzing", 10, *by_source_key(instance.service))

    assert answers["POST /v1/events"] >= {202, 400, 422}


def test_a_stranger_finds_no_fault_in_any_operation(instance: Instance) -> None:
    answers = instance.generate("stranger", "examples,fuzzing", 1, *everything())

    assert answers["GET /v1/sources"] <= {401, 422} and answers["GET /v1/info"] >= {200}


@pytest.mark.parametrize("who", [*MEMBERS, "device", "instance admin"])
def test_chained_requests_of_a_signed_in_person_find_no_fault(instance: Instance, who: str) -> None:
    answers = instance.generate(who, "stateful", 8, *everything())

    assert any(status < 300 for statuses in answers.values() for status in statuses)


@pytest.mark.parametrize("noun", NOUNS)
def test_an_owner_makes_reads_changes_and_removes_and_finds_no_fault(instance: Instance, noun: str) -> None:
    answers = instance.generate(
        "owner",
        "stateful",
        25 if noun in MADE else 5,
        "--mode",
        "positive",
        "--include-path-regex",
        f"^/v1/{noun}(/{{[a-z_]+}})?$",
    )

    assert 200 in answers[f"GET /v1/{noun}"]
    if noun in MADE:
        [one] = {name.partition(" ")[2] for name in answers if name.endswith("}")}
        assert 201 in answers[f"POST /v1/{noun}"] and 200 in answers[f"GET {one}"] and 204 in answers[f"DELETE {one}"]


def test_an_owner_finds_no_fault_in_any_operation(instance: Instance) -> None:
    answers = instance.generate("owner", EVERY_OPERATION, 1, *everything())

    assert len(answers) > 100 and 200 in answers["GET /v1/sources"]
