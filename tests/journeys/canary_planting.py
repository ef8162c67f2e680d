"""Credentials planted in every field of one running service."""

from __future__ import annotations

import base64
import codecs
import json
import re
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import pyotp
import pytest
import requests
from redis import Redis

from inbox.domain.senders import keys
from tests.faults.service_processes import EMAIL, PASSWORD, RunningService, running, until
from tests.mail.servers import MailServer
from tests.stand_ins.post_office import LINK, MAIL_FROM
from tests.stand_ins.receivers import Answer, Receiver

URL_PASSWORD = "canary-of-a-url-password"


URL = f"https://deploy:{URL_PASSWORD}@example.org/hook"


@dataclass
class Planting:
    """One running service in which everything was planted, and what it answered."""

    service: RunningService
    canaries: dict[str, str] = field(default_factory=dict)
    answers: list[tuple[str, str]] = field(default_factory=list)
    streamed: list[str] = field(default_factory=list)
    commands: list[list[bytes]] = field(default_factory=list)
    received: list[str] = field(default_factory=list)
    export: str = ""

    def keep(self, kind: str, secret: str) -> str:
        self.canaries[kind] = secret
        return secret

    def send(self, method: str, path: str, **options: Any) -> requests.Response:
        """As nobody in particular; what it answers is searched later."""
        headers = {"Content-Type": "application/json", **options.pop("headers", {})}
        answer = requests.request(
            method, self.service.address + path, headers=headers, timeout=60, allow_redirects=False, **options
        )
        assert answer.status_code < 500, (method, path, answer.text)
        self.answers.append((f"{method} {path} {answer.status_code}", f"{answer.headers} {answer.text}"))
        return answer

    def written(self, key: bytes) -> list[list[bytes]]:
        """The commands that Redis got to write keys that begin so."""
        return [words for words in self.commands if words[0].upper() in WRITES and words[1].startswith(key)]

    def leaks(self, text: str) -> list[str]:
        """The kinds of the credentials that the text holds, as they are or encoded."""
        return [kind for kind, secret in self.canaries.items() if any(form in text for form in _forms(secret))]


def _forms(secret: str) -> set[str]:
    raw = secret.encode()
    codings = {base64.b64encode(raw).decode().rstrip("="), base64.urlsafe_b64encode(raw).decode().rstrip("=")}
    return {secret, raw.hex(), quote(secret, safe=""), *codings}


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planting]:
    with MailServer() as post, Receiver() as receiver, pytest.MonkeyPatch.context() as patch:
        patch.setenv("INBOX_SMTP_URL", post.url)
        patch.setenv("INBOX_MAIL_FROM", MAIL_FROM)
        with running(tmp_path_factory.mktemp("canaries"), durable=False, web=1, workers=1) as service:
            planting = Planting(service)
            with listening(planting):
                workspace = make_credentials(planting, post, receiver)
                follow(planting)
                plant_in_events(planting)
                plant_in_requests(planting)
                until(service.settled, "all is delivered")
                until(lambda: all(planting.written(key) for key in WRITTEN), "jobs and clocks are written to Redis")
            planting.received = [f"{each.path} {each.headers} {each.body!r}" for each in receiver.requests]
            planting.export = service.api.get(f"{service.address}/v1/workspaces/{workspace}/export", timeout=60).text
            yield planting


JOBS, SCHEDULED = b"rq:job:", b"rq:scheduler:scheduled_jobs"


WRITTEN = (JOBS, SCHEDULED, b"rq:queue:routing", b"rq:queue:delivery", b"rq:queue:mail")


WRITES = {b"HSET", b"HMSET", b"ZADD", b"RPUSH", b"LPUSH", b"SET"}


@contextmanager
def listening(planting: Planting) -> Iterator[None]:
    """Keep every command that Redis is given: a job is gone again as soon as it is done."""
    redis = Redis.from_url(planting.service.servers.redis_url)
    connection = redis.connection_pool.get_connection()
    connection.send_command("MONITOR")
    assert connection.read_response() == b"OK"
    ended = threading.Event()

    def read() -> None:
        while not ended.is_set():
            if connection.can_read(timeout=0.5):
                words = re.findall(rb'"((?:[^"\\]|\\.)*)"', connection.read_response())
                planting.commands.append([codecs.escape_decode(word)[0] for word in words])

    reader = threading.Thread(target=read)
    reader.start()
    try:
        yield
    finally:
        ended.set()
        reader.join()
        connection.disconnect()
        redis.close()


def make_credentials(planting: Planting, post: MailServer, receiver: Receiver) -> str:
    """One real credential of each kind there is, and the receiver that answers with all of them."""
    service, keep = planting.service, planting.keep
    keep("password", PASSWORD)
    keep("URL password", URL_PASSWORD)
    keep("heartbeat token", keys.mint(keys.KeyKind.HEARTBEAT, secrets.token_bytes(32)))
    workspace = service.sign_in()
    make_factors(planting)
    for kind, name in (("session", "inbox_session"), ("trusted browser", "inbox_trusted")):
        keep(kind, next(str(cookie.value) for cookie in service.api.cookies if cookie.name.startswith(name)))
    keep("source key", service.source_key(workspace))
    make_feed(planting, workspace)
    secret = keep("signing secret", "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode())
    receiver.secrets.add(secret)
    service.webhook(workspace, receiver.url, secret)
    invite = service.call("POST", f"/v1/workspaces/{workspace}/invites", {"role": "viewer", "email": "vic@example.org"})
    keep("invitation", str(invite["link"]).partition("#token=")[2])
    code = service.call("POST", "/v1/devices/pairings", {})["code"]
    keep("pairing code", code)
    device = service.call("POST", "/v1/devices/pair", {"code": code, "name": "Phone"})
    keep("access token", device["accessToken"])
    keep("refresh token", device["refreshToken"])
    service.call("POST", "/v1/auth/password-reset", {"email": EMAIL})
    until(lambda: any("/reset#token=" in mail.text for mail in post.mails), "the link is mailed")
    keep(
        "reset link",
        next(match[2] for mail in post.mails for match in LINK.finditer(mail.text) if "/reset" in match[1]),
    )
    reported = json.dumps({"you sent": [planting.canaries[kind] for kind in RECOGNISED], "to": URL})
    receiver.answer = Answer(status=200, body=reported.encode(), headers={"X-Secret": planting.canaries["source key"]})
    return workspace


def make_feed(planting: Planting, workspace: str) -> None:
    """A calendar feed, whose secret is in the path of each reading."""
    service = planting.service
    made = service.call("POST", "/v1/calendar-feeds", {"workspaceId": workspace})
    planting.keep("calendar feed", str(made["icsUrl"]).rpartition("/")[2].removesuffix(".ics"))
    for form in ("icsUrl", "textUrl", "jsonUrl"):
        requests.get(made[form], timeout=60).raise_for_status()


def make_factors(planting: Planting) -> None:
    """An authenticator app with recovery codes, and a sign-in with it, which makes the browser trusted."""
    service = planting.service
    app = pyotp.TOTP(planting.keep("app secret", service.call("POST", "/v1/me/totp", {})["secret"]))
    codes = service.call("POST", "/v1/me/totp/confirm", {"code": app.now()})["recoveryCodes"]
    planting.keep("recovery code", codes[0])
    challenge = service.call("POST", "/v1/auth/login", {"email": EMAIL, "password": PASSWORD})["challenge"]
    proof = {"factor": "totp", "code": app.at(time.time() + 30)}  # the code before was used to confirm
    service.call("POST", "/v1/auth/login/factor", {"challenge": challenge, "rememberBrowser": True, **proof})


RECOGNISED = ("heartbeat token", "source key", "signing secret")
"""What is recognised for what it is, in whatever text it stands; the others are words like any other there."""


def follow(planting: Planting) -> None:
    """Store the lines of the stream until the service ends."""

    def read() -> None:
        try:
            with planting.service.api.get(f"{planting.service.address}/v1/stream", stream=True, timeout=60) as answer:
                for line in answer.iter_lines(decode_unicode=True):
                    planting.streamed.append(str(line))
        except requests.RequestException:
            pass

    threading.Thread(target=read, daemon=True).start()
    until(lambda: planting.streamed, "the stream has begun")


def plant_in_events(planting: Planting) -> None:
    """Each text of an event, and its metadata at every depth, as names and as values; identities stay as they are."""
    for secret in [*(planting.canaries[kind] for kind in RECOGNISED), URL]:
        text = f"login with {secret} failed"
        nested = {"env": {"deep": [{"token": secret, secret: "as a name"}, text]}}
        fields: list[dict[str, Any]] = [
            {"title": text}, {"body": text}, {"body": text * 200}, {"resource": secret},
            {"type": secret}, {"tags": [secret]}, {"url": URL}, {"metadata": nested},
            {"severity": secret}, {"action": secret}, {"occurredAt": secret}, {secret: 1},
        ]  # fmt: skip
        for given in fields:
            event = {"title": "Disk full", "severity": "ERROR", **given}
            planting.send("POST", "/v1/events", json=event, headers=_bearer(planting.canaries["source key"]))
            planting.send(
                "POST", "/v1/events", json={"events": [event]}, headers=_bearer(planting.canaries["source key"])
            )


def _bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


BODIES = {
    "/v1/events": "title",
    "/v1/auth/login": "password",
    "/v1/auth/login/factor": "challenge",
    "/v1/auth/login/options": "challenge",
    "/v1/auth/passkey": "challenge",
    "/v1/auth/password-reset": "email",
    "/v1/auth/password-reset/confirm": "token",
    "/v1/auth/email-change/confirm": "token",
    "/v1/auth/verify-email": "token",
    "/v1/auth/step-up": "password",
    "/v1/devices/pair": "code",
    "/v1/devices/token": "refreshToken",
    "/v1/invites/preview": "token",
    "/v1/invites/accept": "token",
    "/v1/me/password": "currentPassword",
    "/v1/setup": "token",
    "/v1/wall": "token",
    "/v1/destinations": "config",
    "/v1/sources": "workspaceId",
}
"""What takes a credential, or might be sent one by mistake, by the field it belongs in."""


PARENTS = ("", "/v1", "/v1/incidents", "/v1/sources", "/v1/heartbeats", "/v1/webhooks", "/problems", "/invite")
HEADERS = ("Cookie", "If-Match", "Last-Event-ID", "Referer", "X-Api-Key", "Origin")


def plant_in_requests(planting: Planting) -> None:
    """Headers, cookies, queries, paths and bodies of requests, most of which fail. The session is spent last."""
    name = next(cookie.name for cookie in planting.service.api.cookies if cookie.name.startswith("inbox_session"))
    for kind, secret in planting.canaries.items():
        existing = kind in RECOGNISED
        bare, shown = quote(secret, safe=""), {"Cookie": f"{name}={planting.canaries['session']}"}
        for path in PARENTS:
            planting.send("GET", f"{path}/{bare}", headers=shown)
            planting.send("POST", f"{path}/{bare}", json={}, headers=shown)
        for query in ("cursor", "token", "workspaceId", "access_token", secret if existing else "sort"):
            planting.send("GET", f"/v1/incidents?{quote(query, safe='')}={bare}", headers=shown)
            planting.send("GET", f"/v1/me?{quote(query, safe='')}={bare}")
        for header in (*HEADERS, "X-Request-Id" if existing else "X-Token"):
            planting.send("GET", "/v1/me", headers={header: secret})
        for scheme in ("Bearer", "Basic", "Token", ""):
            planting.send("GET", "/v1/sources", headers={"Authorization": f"{scheme} {secret}".strip()})
            planting.send("POST", "/v1/events", data="{}", headers={"Authorization": f"{scheme} {secret}!".strip()})
        for path, name in BODIES.items():
            # With a key, a refused body becomes the sample of the source, in which any other is a word like in a title.
            is_sent = path == "/v1/events" and existing
            headers = {**shown, **(_bearer(planting.canaries["source key"]) if is_sent else {})}
            planting.send("POST", path, json={name: [secret]}, headers=headers)
            if existing or path != "/v1/events":  # there any other would be a title
                planting.send("POST", path, json={name: f"{secret}x"}, headers=headers)
            if existing:
                planting.send("POST", path, json={name: "x", secret: secret}, headers=headers)
            planting.send("POST", path, data=f'{{"{name}": "{secret}', headers=headers)
            planting.send("POST", path, data=json.dumps([secret]), headers=headers)
            planting.send("POST", path, data=secret, headers={**headers, "Content-Type": "text/plain"})
