"""Snippets: each names the address of its kind and has a key placeholder; sender pages are generated from them."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import yaml

from inbox.intake import snippets
from inbox.intake.base import Payload
from inbox.intake.registry import TOOL_FOLDERS, TOOLS
from inbox.intake.snippets import KINDS, Snippet, SourceKind
from ops import senders
from tests.api.senders.test_snippets_entered import SENT

BASE = "https://inbox.example.org:8443/here"
COMPATIBLE = ("pagerduty", "prometheus", "opsgenie", "cloudevents")
ALL = [(kind, each) for kind in KINDS.values() for each in kind.snippets]
BY_NAME = {kind: KINDS[kind].snippets[0].text(BASE) for kind in TOOLS}


RUN = {
    "tests/api/events/test_snippets.py": {
        *(("events", name) for name in ("curl", "resolve", "python")),
        *(("legacy_push", "curl"), ("icinga", "icinga"), ("checkmk", "checkmk")),
    },
    "tests/api/events/test_snippets_run.py": {
        *((kind, "curl") for kind in ("heartbeats", "pagerduty", "opsgenie", "cloudevents", "custom")),
        *(
            ("events", "cron"),
            ("heartbeats", "cron"),
            ("events", "systemd"),
            ("github", "actions"),
            ("gitlab", "ci"),
            ("jenkins", "pipeline"),
        ),
        ("zabbix", "zabbix"),
    },
    "tests/api/senders/test_snippets_entered.py": {*SENT, ("home_assistant", "home_assistant")},
    "tests/mail_in/test_process.py": {("mail", "curl"), ("mail", "address")},
    "tests/mail_in/test_mail_texts.py": {("mail", name) for name in ("monit", "smartd", "mdadm", "cron")},
    "tests/senders/test_alertmanager.py": {
        (kind, "alertmanager") for kind in ("alertmanager", "pagerduty", "opsgenie")
    },
    "tests/senders/test_apprise.py": {("legacy_push", "apprise")},
    "tests/senders/test_jobs.py": {("heartbeats", "borgmatic")},
    "tests/senders/test_netdata.py": {("legacy_push", "netdata")},
    "tests/senders/test_prometheus.py": {("prometheus", "prometheus")},
}
"""The texts that each file of tests runs."""


def body_in(text: str) -> str:
    """The JSON object at the end of a line that names a body or a payload."""
    found = re.search(r"(?:Body|Payload):\s+(\{.*\})$", text, re.MULTILINE)
    assert found is not None
    return found[1]


def filled(text: str, pattern: str, values: dict[str, str]) -> Any:
    """The JSON of a template whose variables are replaced; an unknown variable fails."""
    return json.loads(re.sub(pattern, lambda found: values[found[1]], text))


@pytest.mark.parametrize(("kind", "snippet"), ALL, ids=lambda value: getattr(value, "name", ""))
def test_a_text_has_the_address_and_a_place_for_the_key(kind: SourceKind, snippet: Snippet) -> None:
    text = snippet.text(BASE)

    path = kind.path if snippet.key_kind is None else f"/v1/hooks/{kind.kind}"
    for place, value in (("{sourceId}", snippets.SOURCE), ("{pingKey}", snippets.KEY), ("{slug}", "backup")):
        path = path.replace(place, value)
    address = f"inbox.example.org:8443/here{'/inbox.py' if snippet.name == 'systemd' else path}"
    assert (f"{snippets.KEY}@inbox.example.org" if kind is snippets.MAIL else address) in text
    assert snippets.KEY in text
    assert re.findall(r"@[A-Z_]+@", text) == []
    assert snippet.label and snippet.expect


def test_every_text_is_run_by_a_test() -> None:
    assert sorted((kind.kind, snippet.name) for kind, snippet in ALL) == sorted(set().union(*RUN.values()))


def test_every_text_belongs_to_a_kind() -> None:
    files = [*snippets.TEXTS.iterdir(), *TOOL_FOLDERS.glob("[!_]*/*.*")]

    assert {path for path in files if path.suffix not in (".py", ".pyc") and not path.name.endswith("page.txt")} == {
        snippet.folder / snippet.file for _, snippet in ALL
    }
    assert KINDS.keys() == {"events", "legacy_push", "mail", "heartbeats", "custom", *COMPATIBLE, *TOOLS}


@pytest.mark.parametrize("kind", [name for name in TOOLS if KINDS[name].snippets[0].language == "yml"])
def test_a_configuration_is_yaml(kind: str) -> None:
    assert yaml.safe_load(BY_NAME[kind])


def test_the_published_body_of_healthchecks_is_read() -> None:
    values = {"CODE": "c-1", "STATUS": "down", "NOW": "2026-11-22T10:15:30+00:00", "EXITSTATUS": "-1",
              "JSON": '{"name": "nightly"}', "BODY_JSON": '"text"'}  # fmt: skip
    document = filled(body_in(BY_NAME["healthchecks"]), r"\$([A-Z_]+)", values)

    [event] = TOOLS["healthchecks"].events(Payload(document)).events

    assert (event["title"], event["dedupKey"], event["body"]) == ("nightly is down", "hc:c-1", "text")


def test_the_published_body_of_librenms_is_read() -> None:
    values = {"id": "17", "uid": "3", "state": "1", "severity": "warning", "title": "Port down", "name": "rule",
              "hostname": "sw1", "device_id": "4", "timestamp": "x"}  # fmt: skip
    document = filled(body_in(BY_NAME["librenms"]), r"\{\{ \$alert->(\w+) \}\}", values)

    [event] = TOOLS["librenms"].events(Payload(document)).events

    assert (event["title"], event["severity"], event["dedupKey"]) == ("Port down", "WARNING", "librenms:17")


def test_the_published_body_of_proxmox_is_read() -> None:
    values = {"escape title": "failed", "escape message": "x", "severity": "error", "timestamp": "1763803530",
              "json fields": '{"type": "replication", "hostname": "pve"}'}  # fmt: skip
    document = filled(body_in(BY_NAME["proxmox"]), r"\{\{([a-z ]+)\}\}", values)

    [event] = TOOLS["proxmox"].events(Payload(document)).events

    assert (event["severity"], event["dedupKey"]) == ("ERROR", "pve:pve:replication:manual")


def test_the_published_payload_of_datadog_is_read_with_variables_that_are_not_set() -> None:
    document = json.loads(body_in(BY_NAME["datadog"]))
    document |= {"cycle": "9", "transition": "Recovered", "title": "[Recovered] CPU"}

    [event] = TOOLS["datadog"].events(Payload(document)).events

    assert (event["title"], event["action"], event["dedupKey"]) == ("CPU", "resolve", "dd:9")
    assert "$" not in json.dumps(event)


@pytest.mark.parametrize("tool", ["icinga", "nagios"])
def test_both_commands_of_a_page_give_every_argument_of_the_script(tool: str) -> None:
    [names] = re.findall(r'names = "([^"]+)"', BY_NAME["icinga"])
    page = (TOOL_FOLDERS / "icinga" / "page.txt").read_text().replace(",\n   ", ",")
    found = re.findall(r"(?:command = \[|command_line )(.*?)(?: \]|$)", page, re.MULTILINE)
    commands = [re.findall(r'"([^"]*)"', line) for line in found]
    macros = [each for each in commands if ("$HOSTNAME$" in each) is (tool == "nagios")]

    arguments = [dict(zip(names.split(), each[-12:], strict=True)) for each in macros]

    assert [each["service"] == "" for each in arguments] == [True, False]
    assert all("state" in each["state"].lower() and "comment" in each["comment"].lower() for each in arguments)
    assert all("output" in each["output"].lower() and "address" in each["address"].lower() for each in arguments)


def test_the_sender_pages_match_the_snippets() -> None:
    written = {path.name: path.read_text(encoding="utf-8") for path in senders.FOLDER.iterdir()}
    assert written == senders.pages(), "run python -m ops.senders --write"
