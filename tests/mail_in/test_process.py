"""`bin/mail-in` as a process: it starts if enabled, stores mails, and stops on a signal."""

from __future__ import annotations

import json
import os
import shutil
import signal
import smtplib
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from inbox.config.settings import Settings
from inbox.models.events.tables import Event
from tests.browser import Browser
from tests.cast import Cast, make_key, typeid
from tests.database.pgbouncer import environment_of
from tests.mail_in.conftest import DOMAIN, MAIL, SECONDS
from tests.ops.processes import Reported
from tests.runner.ports import free_port
from tests.runner.programs import needs_curl

Browsers = Callable[[str], Browser]

pytestmark = pytest.mark.slow


def environment(settings: Settings, **more: str) -> dict[str, str]:
    return {
        **os.environ,
        **environment_of(settings),
        "REDIS_URL": settings.redis_url,
        "INBOX_SECRET_KEYS": settings.secret_keys,
        "INBOX_SIGNING_KEY": settings.signing_key,
        **more,
    }


@contextmanager
def running(settings: Settings, folder: Path, **more: str) -> Iterator[tuple[Reported, int]]:
    port = free_port()
    on = {"INBOX_MAIL_IN_PORT": str(port), "INBOX_MAIL_IN_DOMAIN": DOMAIN, **more}
    reported = Reported(["-m", "jobs.mail_in"], folder / "log", environment(settings, **on))
    try:
        reported.waits_for("mail-in started")
        yield reported, port
    finally:
        reported.kill()


def test_a_mail_is_stored_and_the_process_ends_in_order(settings: Settings, cast: Cast, tmp_path: Path) -> None:
    address = f"{make_key(cast.source, kind='mail_address')}@{DOMAIN}"
    with running(settings, tmp_path) as (reported, port):
        with smtplib.SMTP("127.0.0.1", port, timeout=SECONDS) as client:
            client.sendmail("nas@example.org", [address], MAIL)
        reported.process.send_signal(signal.SIGTERM)

        assert reported.process.wait(SECONDS) == 0
    assert [event.title for event in Event.select()] == ["Volume full"]
    assert address.partition("@")[0] not in reported.stated and "mail-in stopped" in reported.stated


@pytest.mark.parametrize(
    ("more", "text"),
    [({}, "INBOX_MAIL_IN_PORT is not set"),
     ({"INBOX_MAIL_IN_PORT": "2525", "INBOX_MAIL_IN_CERTIFICATE": "/nonexistent", "INBOX_MAIL_IN_CERTIFICATE_KEY": "/nonexistent"},
      "INBOX_MAIL_IN_CERTIFICATE or INBOX_MAIL_IN_CERTIFICATE_KEY cannot be used"),
     ({"INBOX_MAIL_IN_PORT": "2525", "INBOX_MAIL_IN_HOST": "192.0.2.1"}, "192.0.2.1:2525")],
)  # fmt: skip
def test_a_receiver_that_cannot_start_says_why(
    more: dict[str, str], text: str, settings: Settings, tmp_path: Path
) -> None:
    reported = Reported(["-m", "jobs.mail_in"], tmp_path / "log", environment(settings, **more))
    try:
        assert reported.process.wait(SECONDS) == 2
    finally:
        reported.kill()
    assert text in reported.stated and "Traceback" not in reported.stated


@needs_curl
def test_the_text_for_curl_sends_an_event(
    settings: Settings, cast: Cast, browser: Browsers, in_settings: Callable[..., Settings], tmp_path: Path
) -> None:
    secret = make_key(cast.source, kind="mail_address")
    with running(settings, tmp_path) as (_, port):
        in_settings(mail_in_port=port, mail_in_domain=DOMAIN)
        answer = browser("vic").get(f"/v1/sources/{typeid('src', cast.source.id)}/snippets").json
        found = {each["name"]: each["text"] for each in answer["items"] if each["kind"] == "mail"}
        recipient = found["address"].splitlines()[0].replace("Recipient:", "").strip()
        text = found["curl"].replace(f"smtp://{DOMAIN}", "smtp://127.0.0.1").replace("INBOX_KEY_HERE", secret)

        done = subprocess.run(["sh"], input=text, capture_output=True, text=True, timeout=SECONDS, check=False)

    assert done.returncode == 0, done.stderr
    assert recipient.replace("INBOX_KEY_HERE", secret) == f"{secret}@{DOMAIN}"
    [event] = Event.select()
    assert (event.title, event.body) == ("Volume 91 % full on nas", "/data has 9 % left.")


def test_swaks_sends_an_event(settings: Settings, cast: Cast, tmp_path: Path) -> None:
    if shutil.which("swaks") is None:
        pytest.skip("swaks is not installed; on Debian: apt install swaks")
    address = f"{make_key(cast.source, kind='mail_address')}@{DOMAIN}"
    with running(settings, tmp_path) as (_, port):
        command = ["swaks", "--server", f"127.0.0.1:{port}", "--to", address, "--from", "ups@example.org"]
        more = ["--header", "Subject: UPS on battery", "--body", "for 2 minutes", "--attach", "@/dev/null"]
        done = subprocess.run([*command, *more], capture_output=True, text=True, timeout=SECONDS, check=False)

    assert done.returncode == 0, done.stdout
    [event] = Event.select()
    assert (event.title, event.body) == ("UPS on battery", "for 2 minutes")
    assert [warning["code"] for warning in event.warnings] == ["attachment_dropped"]


def test_mail_is_a_source_kind_only_where_mails_are_received(
    cast: Cast, browser: Browsers, in_settings: Callable[..., Settings]
) -> None:
    def kinds() -> set[str]:
        items = browser("vic").get("/v1/source-kinds").json["items"]
        return {each["kind"] for each in items if each["available"]}

    assert "mail" not in kinds()
    in_settings(mail_in_port=2525)
    assert "mail" in kinds()


def test_doctor_says_whether_the_receiver_greets(settings: Settings, cast: Cast, tmp_path: Path) -> None:
    def found(port: int) -> tuple[str, str]:
        more = {"INBOX_MAIL_IN_PORT": str(port), "INBOX_MAIL_IN_DOMAIN": DOMAIN}
        command = [sys.executable, "-m", "cli", "doctor", "--json"]
        done = subprocess.run(
            command, env=environment(settings, **more), capture_output=True, text=True, timeout=SECONDS, check=False
        )
        [row] = [each for each in json.loads(done.stdout) if each["what"] == "mail in"]
        return row["state"], row["said"]

    with running(settings, tmp_path) as (_, port):
        assert found(port) == ("ok", f"receives for @{DOMAIN} on port {port}")

    state, text = found(port)
    assert state == "degraded" and "mail-in" in text
