"""The texts for the forms of tools: a tool that is set up as the text says sends an event (specification 19.7)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import jinja2
import pytest
import yaml
from flask import Flask

from inbox.config.settings import Settings
from inbox.models.events.tables import Event
from tests.browser import Browser
from tests.cast import Cast, make_key, make_signing_secret, typeid
from tests.intake.payloads import payload
from tests.intake.snippet_requests import address_in
from tests.intake.tools import table

Browsers = Callable[[str], Browser]
SENT = {(tool, text): headers for tool, sent in table("SENT").items() for text, headers in sent.items()}
"""The headers that each tool sends with what was entered. The body is that of its fixture."""


def text_of(browser: Browser, cast: Cast, kind: str, name: str) -> str:
    """The text as the dashboard shows it, with a key of the kind that it names."""
    items = browser.get(f"/v1/sources/{typeid('src', cast.source.id)}/snippets").json["items"]
    [found] = [each for each in items if (each["kind"], each["name"]) == (kind, name)]
    if found["keyKind"] == "signing_secret":
        secret = make_signing_secret(
            cast.source, kind, "0f8c1d2e3a4b5c6d7e8f9a0b1c2d3e4f" if kind == "sentry" else None
        )
    else:
        secret = make_key(cast.source, kind=found["keyKind"])
    text: str = found["text"]
    return text.replace("INBOX_KEY_HERE", secret)


@pytest.mark.parametrize(("kind", "name"), SENT)
def test_a_tool_that_is_set_up_by_its_text_sends_an_event(
    app: Flask, cast: Cast, browser: Browsers, settings: Settings, kind: str, name: str
) -> None:
    text = text_of(browser("vic"), cast, kind, name)
    fields = dict(re.findall(r"^([A-Z][\w ]+):\s+(.+)$", text, re.MULTILINE))
    address = urlsplit(address_in(fields))
    body = json.dumps(payload(kind, "alarm")).encode()

    answer = app.test_client().post(address.path, headers=SENT[kind, name](fields, body), data=body)

    assert (answer.status_code, Event.select().count()) == (202, 1), answer.text
    assert f"{address.hostname}:{address.port}" == urlsplit(settings.base_url).netloc


def test_the_command_of_home_assistant_sends_an_event(app: Flask, cast: Cast, browser: Browsers) -> None:
    text = text_of(browser("vic"), cast, "home_assistant", "home_assistant")
    command: dict[str, Any] = yaml.safe_load(text)["rest_command"]["inbox"]
    templates = jinja2.Environment(autoescape=False)
    templates.filters["to_json"] = json.dumps
    body = templates.from_string(command["payload"]).render(entity="binary_sensor.door", title='The "door" is open')

    answer = app.test_client().open(
        urlsplit(command["url"]).path, method=command["method"].upper(), headers=command["headers"], data=body
    )

    assert answer.status_code == 202, answer.text
    [event] = Event.select()
    assert (event.title, str(event.severity), event.dedup_key) == (
        'The "door" is open', "WARNING", "ha:binary_sensor.door"
    )  # fmt: skip
