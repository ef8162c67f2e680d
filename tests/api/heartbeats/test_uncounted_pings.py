"""What opens a ping address without a job is logged and does not count (specification 18.5)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from inbox.models.heartbeats.tables import HeartbeatMonitor, HeartbeatPing
from tests.browser import Browser
from tests.cast import Cast, make_key, typeid
from tests.heartbeats import make_monitor, reread

RUN = "0b9ff0f4-2f4c-4b8b-9c0a-6f3f3f1f2a10"
SLACK = "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)"
TEAMS = "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com"
AGENTS = [
    *(
        SLACK,
        TEAMS,
        "TelegramBot (like TwitterBot)",
        "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
    ),
    *("WhatsApp/2.23.20.0", "facebookexternalhit/1.1", "Mozilla/5.0 (Windows NT 10.0) SafeLinks", "Mattermost-Bot/1.1"),
    *(
        "Synapse (bot; +https://github.com/matrix-org/synapse)",
        "LinkedInBot/1.0",
        "Mozilla/5.0 (compatible; bingbot/2.0)",
    ),
]
PURPOSES = [
    ("Sec-Purpose", "prefetch"), ("Sec-Purpose", "prefetch;prerender"), ("Purpose", "prefetch"), ("X-Moz", "prefetch"),
    ("X-Purpose", "preview"),
]  # fmt: skip
JOBS = [
    "curl/8.5.0",
    "Wget/1.21",
    "python-requests/2.32",
    "Mozilla/5.0 (Windows NT; PowerShell/7.4)",
    "Alertmanager/0.28",
    "backup-bot/2",
]


@pytest.fixture
def made(cast: Cast) -> tuple[HeartbeatMonitor, str]:
    return make_monitor(cast.source, slug="backup")


def addresses(cast: Cast, token: str) -> list[str]:
    key = make_key(cast.source, kind="ping_key")
    return [
        f"/v1/heartbeats/{token}",
        f"/v1/heartbeats/{key}/backup",
        f"/v1/heartbeats/{token}?rid={RUN}",
        f"/api/push/{token}",
    ]


def kinds() -> list[str]:
    return [ping.kind for ping in HeartbeatPing.select().order_by(HeartbeatPing.id)]


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("headers", [{"User-Agent": agent} for agent in AGENTS] + [dict([each]) for each in PURPOSES])
def test_a_preview_is_logged_and_does_not_count(
    app: Flask, cast: Cast, made: tuple[HeartbeatMonitor, str], method: str, headers: dict[str, str]
) -> None:
    answers = [app.test_client().open(path, method=method, headers=headers) for path in addresses(cast, made[1])]

    assert [answer.status_code for answer in answers] == [200] * 4
    assert kinds() == ["ignored"] * 4
    assert reread(made[0]).last_ping_at is None


@pytest.mark.parametrize("agent", JOBS)
def test_a_job_counts_whatever_its_program_is(
    app: Flask, cast: Cast, made: tuple[HeartbeatMonitor, str], agent: str
) -> None:
    for path in addresses(cast, made[1]):
        app.test_client().get(path, headers={"User-Agent": agent})

    assert kinds() == ["success"] * 4


def test_a_preview_of_a_failure_opens_no_incident(app: Flask, made: tuple[HeartbeatMonitor, str]) -> None:
    app.test_client().get(f"/v1/heartbeats/{made[1]}/fail", headers={"User-Agent": SLACK})

    assert (kinds(), reread(made[0]).down_since) == (["ignored"], None)


def test_a_preview_creates_no_monitor(app: Flask, cast: Cast) -> None:
    key = make_key(cast.source, kind="ping_key")
    for query in ("?create=1", f"?create=1&rid={RUN}"):
        answer = app.test_client().get(f"/v1/heartbeats/{key}/new{query}", headers={"User-Agent": SLACK})
        assert answer.status_code == 404

    assert HeartbeatMonitor.select().count() == 0


def test_with_post_alone_other_methods_are_logged_and_do_not_count(app: Flask, cast: Cast) -> None:
    monitor, token = make_monitor(cast.source, slug="backup", methods=["POST"])
    for path in addresses(cast, token)[:3]:
        for method in ("GET", "HEAD"):
            assert app.test_client().open(path, method=method).status_code == 200
    assert (kinds(), reread(monitor).last_ping_at) == (["ignored"] * 6, None)

    HeartbeatPing.delete().execute()
    for path in addresses(cast, token):
        app.test_client().post(path)
    assert kinds() == ["success"] * 4


def test_the_methods_that_count_are_set_and_answered(
    browser: Callable[[str], Browser], cast: Cast, made: tuple[HeartbeatMonitor, str]
) -> None:
    path = f"/v1/heartbeat-monitors/{typeid('mon', made[0].id)}"
    adam = browser("adam")

    assert adam.get(path).json["methods"] == ["GET", "HEAD", "POST"]
    assert adam.call("PATCH", path, {"methods": ["POST"]}).json["methods"] == ["POST"]
    for wrong in ([], ["PUT"], "POST", ["POST"] * 4):
        assert adam.call("PATCH", path, {"methods": wrong}).status_code == 422


def group(status: str, **more: Any) -> dict[str, Any]:
    return {
        "receiver": "watchdog",
        "status": status,
        "alerts": [{"status": status, "labels": {"alertname": "Watchdog"}}],
        **more,
    }


ENDED = group("resolved", version="4")
LONG = {**ENDED, "alerts": ENDED["alerts"] * 500}


@pytest.mark.parametrize(
    ("body", "kind"),
    [(group("firing"), "success"), (ENDED, "ignored"), (LONG, "ignored"), ({**LONG, "status": "firing"}, "success"),
     ({"version": "4", "groupKey": "x", "status": "resolved", "alerts": []}, "ignored"),
     (ENDED["alerts"] * 2, "ignored"), ([*ENDED["alerts"], *group("firing")["alerts"]], "success"), ([], "success"),
     ({"ruleId": 7, "ruleName": "Watchdog", "state": "ok"}, "ignored"), ({"ruleId": 7, "state": "alerting"}, "success"),
     ({"state": "ok"}, "success"), ({"status": "resolved"}, "success"), ({"alerts": [{"status": "resolved"}], "status": "firing"}, "success")],
)  # fmt: skip
def test_the_end_of_a_watchdog_is_no_sign_of_life(
    app: Flask, made: tuple[HeartbeatMonitor, str], body: Any, kind: str
) -> None:
    sent = json.dumps(body)
    for text in (sent, sent.replace(" ", "")):
        app.test_client().post(f"/v1/heartbeats/{made[1]}", data=text, content_type="application/json")

    assert kinds() == [kind] * 2
