"""Apprise sends in the legacy push format (specification 19.2)."""

from __future__ import annotations

import os
import subprocess

import pytest

from inbox.models.senders.sources import Source
from tests.cast import make_key
from tests.senders.conftest import Instance
from tests.senders.programs import python_of_clients

pytestmark = pytest.mark.slow


def apprise(instance: Instance, token: str, *options: str) -> subprocess.CompletedProcess[str]:
    """One message by its command, to the address of the instance as a Gotify server."""
    url = f"gotify://{instance.address.removeprefix('http://')}/{token}"
    command = [str(python_of_clients().with_name("apprise")), *options]
    return subprocess.run([*command, url.replace("?", "/?")], capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize(
    ("priority", "severity"), [("moderate", "INFO"), ("normal", "WARNING"), ("emergency", "CRITICAL")]
)
def test_a_message_is_an_event_whose_severity_follows_the_priority(
    priority: str, severity: str, instance: Instance
) -> None:
    token = make_key(instance.cast.source, kind="alias_token")

    sent = apprise(instance, f"{token}?priority={priority}", "-t", "Storage", "-b", "Disk 91 % on nas")

    assert sent.returncode == 0, sent.stdout + sent.stderr
    [event] = instance.events()
    assert (event["title"], event["body"], event["severity"]) == ("Storage", "Disk 91 % on nas", severity)


def test_the_text_of_the_service_sends_a_message(instance: Instance) -> None:
    text = instance.snippet("legacy_push", "apprise", make_key(instance.cast.source, kind="alias_token"))
    path = f"{python_of_clients().parent}:{os.environ['PATH']}"

    done = subprocess.run(
        ["sh"],
        input=text,
        env={**os.environ, "PATH": path, "PYTHONPATH": ""},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert instance.incidents() == {"Storage": "open"}


def test_an_unknown_token_is_a_failure_that_the_client_reports(instance: Instance) -> None:
    refused = apprise(instance, "A" + "x" * 14, "-t", "Storage", "-b", "Disk 91 % on nas")

    assert (refused.returncode, instance.events()) == (1, [])


def test_a_recovery_pattern_of_the_source_resolves_the_incident(instance: Instance) -> None:
    token = make_key(instance.cast.source, kind="alias_token")
    Source.update(recovery_pattern="^(?:(?P<recovery>Up)|Down): (?P<key>.+)").execute()

    assert apprise(instance, f"{token}?priority=high", "-t", "Down: nas", "-b", "no answer").returncode == 0
    opened = instance.incidents()
    assert apprise(instance, f"{token}?priority=high", "-t", "Up: nas", "-b", "answers again").returncode == 0

    assert (opened, instance.incidents()) == ({"Down: nas": "open"}, {"Down: nas": "resolved"})
