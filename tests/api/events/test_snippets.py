"""The snippets for scripts run as they are answered, against a real web process (specification 19.7)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from inbox.config.settings import Settings
from inbox.models.events.tables import Event
from tests.browser import Browser
from tests.cast import Cast, make_key, typeid
from tests.live.web import Web
from tests.runner.programs import needs_curl

Browsers = Callable[[str], Browser]


def texts(browser: Browser, source_id: str, base: str) -> dict[tuple[str, str], str]:
    """The texts by kind and name, with the address of the running process."""
    answer = browser.get(f"/v1/sources/{source_id}/snippets").json
    return {(each["kind"], each["name"]): each["text"].replace(base, "ADDRESS") for each in answer["items"]}


def run(argv: list[str], text: str) -> str:
    done = subprocess.run(argv, input=text, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("kind", "name", "command", "stored"),
    [pytest.param("events", "curl", ["sh"], ("Disk is almost full", "ERROR"), marks=needs_curl),
     pytest.param("events", "resolve", ["sh"], ("Disk has room again", "SUCCESS"), marks=needs_curl),
     ("events", "python", [sys.executable, "-"], ("Disk is almost full", "ERROR")),
     pytest.param("legacy_push", "curl", ["sh"], ("Storage", "ERROR"), marks=needs_curl)],
)  # fmt: skip
def test_a_text_sends_an_event(
    web: Web, cast: Cast, browser: Browsers, settings: Settings, kind: str, name: str, command: list[str],
    stored: tuple[str, str],
) -> None:  # fmt: skip
    key = make_key(cast.source, kind="alias_token" if kind == "legacy_push" else "source_key")
    text = texts(browser("vic"), typeid("src", cast.source.id), settings.base_url)[kind, name]

    run(command, text.replace("ADDRESS", f"http://127.0.0.1:{web.port}").replace("INBOX_KEY_HERE", key))

    [event] = Event.select()
    assert (event.title, event.severity) == stored


@needs_curl
def test_the_script_of_icinga_and_that_of_checkmk_send_an_event(
    web: Web, cast: Cast, browser: Browsers, settings: Settings, tmp_path: Path
) -> None:
    found = texts(browser("vic"), typeid("src", cast.source.id), settings.base_url)
    for tool, more in (("icinga", ["PROBLEM", "db2", "disk", "CRITICAL", "97%", "1763803530"]), ("checkmk", [])):
        script = tmp_path / tool
        address = f"http://127.0.0.1:{web.port}"
        script.write_text(found[tool, tool].replace("ADDRESS", address).replace("INBOX_KEY_HERE", cast.key))
        program = ["sh", str(script)] if tool == "icinga" else [sys.executable, str(script)]
        facts = {
            "NOTIFY_NOTIFICATIONTYPE": "PROBLEM",
            "NOTIFY_HOSTNAME": "db3",
            "NOTIFY_WHAT": "HOST",
            "NOTIFY_HOSTSTATE": "DOWN",
        }
        environment = [f"{name}={value}" for name, value in facts.items()]
        run(["env", *environment, *program, *more], "")

    assert {event.title for event in Event.select()} == {"disk on db2", "Host db3"}


@needs_curl
@pytest.mark.parametrize(("tool", "name"), [("icinga", "NOTIFY_X"), ("checkmk", "NOTIFY_SERVICEOUTPUT")])
def test_a_script_sends_bytes_that_are_no_utf8_replaced(
    web: Web, cast: Cast, browser: Browsers, settings: Settings, tmp_path: Path, tool: str, name: str
) -> None:
    text = texts(browser("vic"), typeid("src", cast.source.id), settings.base_url)[tool, tool]
    script = tmp_path / tool
    script.write_text(text.replace("ADDRESS", f"http://127.0.0.1:{web.port}").replace("INBOX_KEY_HERE", cast.key))
    odd = os.fsdecode("für ".encode() + b"f\xfcr")
    facts = {
        "WHAT": "SERVICE",
        "NOTIFICATIONTYPE": "PROBLEM",
        "HOSTNAME": "db2",
        "SERVICEDESC": "disk",
        "SERVICESTATE": "CRITICAL",
    }
    environment = [*(f"NOTIFY_{fact}={value}" for fact, value in facts.items()), f"{name}={odd}"]
    program = ["sh" if tool == "icinga" else sys.executable, str(script)]

    run(["env", *environment, *program, "PROBLEM", "db2", "disk", "CRITICAL", odd, "1763803530"], "")

    [event] = Event.select()
    assert event.title == "disk on db2" and "für f\ufffdr" in event.body


def test_kinds_are_listed_with_their_paths(browser: Browsers, cast: Cast) -> None:
    kinds = {each["kind"]: each for each in browser("vic").get("/v1/source-kinds").json["items"]}

    assert kinds["alertmanager"]["path"] == "/v1/hooks/alertmanager"
    assert (kinds["events"]["keyKind"], kinds["legacy_push"]["keyKind"]) == ("source_key", "alias_token")


def test_a_source_kind_has_its_page_icon_and_availability(browser: Browsers, cast: Cast) -> None:
    kinds = {each["kind"]: each for each in browser("vic").get("/v1/source-kinds").json["items"]}

    own = {"events", "legacy_push", "mail", "heartbeats", "custom"}
    assert {kind for kind, each in kinds.items() if each["docsUrl"] is None} == own
    assert {each["docsUrl"][:8] for each in kinds.values() if each["docsUrl"]} == {"https://"}
    assert {kind for kind, each in kinds.items() if each["icon"] != "tool"} == own
    assert {kind for kind, each in kinds.items() if not each["available"]} == {"mail"}
    assert "INBOX_MAIL_IN_PORT" in kinds["mail"]["unavailableBecause"]
    assert kinds["grafana"]["keyKinds"] == ["source_key", "signing_secret"]
    assert [field["name"] for field in kinds["legacy_push"]["fields"]] == [
        "recoveryPreset", "recoveryPattern", "allowQueryToken"
    ]  # fmt: skip
    assert [(field["of"], field["required"]) for field in kinds["sentry"]["fields"]] == [("key", True)]
    assert [(field["name"], field["required"]) for field in kinds["grafana"]["fields"]] == [
        ("incidentFor", True), ("keepOpenOnMissingData", False), ("secret", False)
    ]  # fmt: skip


def test_snippets_are_hidden_from_other_workspaces(browser: Browsers, cast: Cast) -> None:
    assert browser("eve").get(f"/v1/sources/{typeid('src', cast.source.id)}/snippets").status_code == 404
