"""Stand-ins of ntfy, Gotify, Pushover, PagerDuty, Opsgenie and Twilio, as strict as their documentation."""

from __future__ import annotations

import base64
import re
from typing import Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from inbox.destinations.layout import utf8_length
from tests.destinations.kinds.stand_in import (
    StandIn,
    bearer,
    given,
    json_of,
    members,
    own_link,
    plain_markdown,
    read_html,
    text_of,
)
from tests.stand_ins.receivers import Answer, Request

NTFY_TOKEN, GOTIFY_TOKEN = "tk_SecretOfNtfy", "ASecretOfGotify"
PUSHOVER_USER, PUSHOVER_TOKEN = "uSecretUserOfPushover000000000", "aSecretTokenOfPushover00000000"
PAGERDUTY_KEY = "R0SecretOfPagerDuty0123456789ABC"
OPSGENIE_KEY = "Secret00-0000-0000-0000-OpsgenieSecr"
TWILIO_ACCOUNT, TWILIO_KEY, TWILIO_SECRET = "AC" + "0" * 32, "SK" + "1" * 32, "SecretOfTwilio"
FIELD_OF_ALERT = {"message": 130, "alias": 512, "description": 15_000, "entity": 512, "source": 100}
LONGEST_DETAILS, LONGEST_NOTE = 8_000, 25_000


class Ntfy(StandIn):
    """ntfy from version 2.16 on: a later notification replaces that with its sequence id."""

    origin = "https://ntfy.sh"

    def answer(self, request: Request) -> Answer:
        bearer(request, NTFY_TOKEN)
        assert request.path == "/", "JSON sent to a topic is shown as it is"
        fields = members(json_of(request), "topic message", "title priority click actions sequence_id")
        assert fields["topic"] == "ops-3f9a2c"
        text_of(fields["message"], 4_096, utf8_length)
        assert fields["priority"] in (1, 2, 3, 4, 5)
        assert isinstance(fields["title"], str)
        assert len(fields["actions"]) <= 3
        for action in fields["actions"]:
            assert action["action"] in ("view", "http")
            own_link(members(action, "action label url", "clear")["url"])
            assert isinstance(action["label"], str)
        own_link(fields["click"])
        assert re.fullmatch(r"[-_A-Za-z0-9]{1,64}", fields.get("sequence_id", "x"))
        id = self.show(f"{fields['title']}\n{fields['message']}", fields.get("sequence_id"))
        if fields["priority"] < 3:
            self.alerts.pop()
        return given(200, {"id": "n1", "event": "message", "sequence_id": id})


class Gotify(StandIn):
    """Gotify below a base path."""

    origin = "https://gotify.example.org"

    def answer(self, request: Request) -> Answer:
        assert request.path == "/push/message"
        assert request.headers["x-gotify-key"] == GOTIFY_TOKEN
        fields = members(json_of(request), "message", "title priority extras")
        assert members(fields["extras"], "client::display client::notification")["client::display"] == {
            "contentType": "text/markdown"
        }
        notification = members(fields["extras"]["client::notification"], "click")
        own_link(members(notification["click"], "url")["url"])
        assert 0 <= fields["priority"] <= 10
        assert isinstance(fields["title"], str)
        message, links = text_of(fields["message"], 8_000).rsplit("\n\n", 1)
        for link in links.split(" · "):
            found = re.fullmatch(r"\[(Open|Acknowledge|Resolve)\]\(([^()\s]+)\)", link)
            assert found, link
            own_link(found[2])
        self.show(f"{fields['title']}\n{plain_markdown(message)}")
        return given(200, {"id": 1, "appid": 1, "date": "2026-11-22T10:00:00Z"})


class Pushover(StandIn):
    """Pushover. `repeating` are the tags of notifications that repeat."""

    origin = "https://api.pushover.net"

    def __init__(self) -> None:
        super().__init__()
        self.repeating: list[str] = []

    def answer(self, request: Request) -> Answer:
        fields = json_of(request)
        assert fields["token"] == PUSHOVER_TOKEN
        if request.path.startswith("/1/receipts/cancel_by_tag/"):
            members(fields, "token")
            tag = re.fullmatch(r"/1/receipts/cancel_by_tag/([^/?]+)\.json", request.path)
            assert tag, request.path
            self.repeating = [each for each in self.repeating if each != tag[1]]
            return given(200, {"status": 1, "request": "r1"})
        assert request.path == "/1/messages.json"
        members(fields, "token user message priority", "title timestamp url url_title device retry expire tags html")
        assert fields["user"] == PUSHOVER_USER
        message = text_of(fields["message"], 1_024)
        assert fields.get("html", 0) in (0, 1)
        shown = f"{text_of(fields['title'], 250)}\n{read_html(message, 'a') if fields.get('html') else message}"
        text_of(own_link(fields["url"]), 512)
        text_of(fields["url_title"], 100)
        assert isinstance(fields["timestamp"], int)
        assert fields["priority"] in (-2, -1, 0, 1, 2)
        if fields["priority"] == 2:
            assert fields["retry"] >= 30
            assert fields["expire"] <= 10_800
            self.repeating.append(text_of(fields["tags"], 255))
        self.show(shown)
        return given(200, {"status": 1, "request": "r1", **({"receipt": "x" * 30} if fields["priority"] == 2 else {})})


class PagerDuty(StandIn):
    """PagerDuty: `messages` are the alerts by their keys."""

    origin = "https://events.eu.pagerduty.com"

    def answer(self, request: Request) -> Answer:
        assert request.path == "/v2/enqueue"
        assert len(request.body) <= 512 * 1024
        event = json_of(request)
        assert event["routing_key"] == PAGERDUTY_KEY
        key = text_of(event["dedup_key"], 255)
        if event["event_action"] == "trigger":
            members(event, "routing_key event_action dedup_key payload", "client client_url links")
            self.show(f"triggered {self._read(event)}", key)
        else:
            members(event, "routing_key event_action dedup_key")
            words = {"acknowledge": "ACKNOWLEDGED", "resolve": "RESOLVED"}
            if key in self.messages:
                self.messages[key] = f"{words[event['event_action']]} {self.messages[key].split(' ', 1)[1]}"
        return given(202, {"status": "success", "message": "Event processed", "dedup_key": key})

    def _read(self, event: Any) -> str:
        payload = members(event["payload"], "summary source severity", "timestamp custom_details")
        assert payload["severity"] in ("critical", "error", "warning", "info")
        own_link(members(event["links"][0], "href text")["href"])
        own_link(event["client_url"])
        assert text_of(payload["source"], 1_024)
        return f"{text_of(payload['summary'], 1_024)}\n{payload['custom_details']['Reason']}"


class Opsgenie(StandIn):
    """Opsgenie: `messages` are the alerts by their aliases."""

    origin = "https://api.atlassian.com"

    def answer(self, request: Request) -> Answer:
        path = request.path.removeprefix("/jsm/ops/integration/v2/alerts")
        assert path != request.path
        assert request.headers["authorization"] == f"GenieKey {OPSGENIE_KEY}"
        fields = json_of(request)
        if path == "":
            members(fields, "message alias", "description priority source entity details")
            for name, most in FIELD_OF_ALERT.items():
                assert isinstance(fields[name], str), name
                assert len(fields[name]) <= most, name
            assert fields["message"], "an alert has a message"
            assert fields["priority"] in ("P1", "P2", "P3", "P4", "P5")
            assert all(isinstance(value, str) for value in fields["details"].values())
            assert sum(map(len, fields["details"].values())) <= LONGEST_DETAILS
            self.show(f"open {fields['message']}\n{fields['description']}", fields["alias"])
        else:
            text_of(members(fields, "source", "note")["source"], FIELD_OF_ALERT["source"])
            text_of(fields.get("note", "none"), LONGEST_NOTE)
            found = re.fullmatch(r"/([^/?]+)/(close|acknowledge)\?identifierType=alias", path)
            assert found, path
            if found[1] not in self.messages:
                return given(404, {"message": "Alert does not exist"})
            word = {"close": "RESOLVED", "acknowledge": "ACKNOWLEDGED"}[found[2]]
            self.messages[found[1]] = f"{word} {self.messages[found[1]].split(' ', 1)[1]}"
        return given(202, {"result": "Request will be processed", "took": 0.1, "requestId": "r1"})


class Twilio(StandIn):
    """Twilio, with a number that sends. `reports_to` are the addresses for reports on the messages; `hosts` those it can reach."""

    origin = "https://api.twilio.com"
    hosts = frozenset({"inbox.example.org"})

    def __init__(self) -> None:
        super().__init__()
        self.reports_to: list[str] = []

    def answer(self, request: Request) -> Answer:
        assert (request.method, request.path) == ("POST", f"/2010-04-01/Accounts/{TWILIO_ACCOUNT}/Messages.json")
        assert request.headers["content-type"] == "application/x-www-form-urlencoded"
        pair = f"{TWILIO_KEY}:{TWILIO_SECRET}".encode()
        assert request.headers["authorization"] == f"Basic {base64.b64encode(pair).decode()}"
        pairs = parse_qsl(request.body.decode(), keep_blank_values=True, strict_parsing=True)
        form = dict(pairs)
        assert len(pairs) == len(form), "a parameter is given twice"
        members(form, "To From Body", "ValidityPeriod StatusCallback")
        if "StatusCallback" in form:
            address = urlsplit(form["StatusCallback"])
            overrides = dict(pair.split("=") for pair in address.fragment.split("&"))
            assert overrides.keys() <= {"rc", "rp", "ct", "rt", "tt", "e", "sni"}, "unknown connection overrides"
            assert 0 <= int(overrides["rc"]) <= 5
            assert set(overrides["rp"].split(",")) <= {"4xx", "5xx", "ct", "rt", "all"}
            if address.scheme not in ("http", "https") or address.hostname not in self.hosts:
                return given(
                    400, {"code": 21609, "message": "The StatusCallback URL is not a valid URL.", "status": 400}
                )
            self.reports_to.append(urlunsplit(address._replace(fragment="")))
        assert 1 <= int(form["ValidityPeriod"]) <= 14_400
        assert (form["To"], form["From"]) == ("+491700000000", "+15550100")
        assert form["Body"].isprintable() or "\u202e" in form["Body"], "control characters"
        self.show(text_of(form["Body"], 1_600))
        return given(201, {"sid": "SM1", "status": "queued"})
