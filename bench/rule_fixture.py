"""The rules of a busy team: fifty rules of all sorts and twenty routing profiles, created over the API."""

from __future__ import annotations

import base64
import secrets
from typing import Any

from bench.environment import Api
from bench.load import TEAMS

RULES, PROFILES = 50, 20
NO_DESTINATION = "http://127.0.0.1:9/nobody"
"""No worker sends while routing is measured."""


def write(web: Api) -> None:
    """Creates the profiles, and the rules in their order."""
    made = rules([_profile(web, number) for number in range(PROFILES)])
    for number, rule in enumerate(made):
        web.call("POST", "/v1/rules", {"workspaceId": web.workspace_id(), "name": f"Rule {number}", **rule})


def rules(profiles: list[str]) -> list[dict[str, Any]]:
    """Returns rules. The first ones edit their matches and continue, then one for each of many teams, and rare ones.

    Rules at every place of the order decide four of five of the load's `alerts`, the default route the others.
    """
    return [*_continuing(), *_of_teams(profiles), *_rare(profiles)]


def _profile(web: Api, number: int) -> str:
    secret = "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
    about = {"workspaceId": web.workspace_id(), "name": f"On call {number}"}
    webhook = {"kind": "webhook", "config": {"url": NO_DESTINATION, "secret": secret}}
    post = web.call("POST", "/v1/destinations", {**about, **webhook})["id"]
    steps = [{"afterMinutes": minutes, "destinationIds": [post]} for minutes in (0, 15, 60)]
    return str(web.call("POST", "/v1/routing-profiles", {**about, "steps": steps, "repeat": 1})["id"])


def _continuing() -> list[dict[str, Any]]:
    tags = {"severity >= CRITICAL": "urgent", 'resource startsWith "host:db"': "db", 'tags contains "eu"': "gdpr"}
    marks = [
        {"matchText": match, "continue": True, "then": {"disposition": None, "addTags": [tag]}}
        for match, tag in tags.items()
    ]
    louder = {"disposition": None, "severity": "CRITICAL"}
    return [*marks, {"matchText": 'body matches "(?i)data loss|corrupt"', "continue": True, "then": louder}]


def _of_teams(profiles: list[str]) -> list[dict[str, Any]]:
    day = {"windows": [{"days": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"], "start": "00:00", "end": "00:00"}]}
    return [
        {
            "matchText": f'metadata.team == "team-{team}" and severity >= WARNING and resource matches "^(host|svc):[a-z]+-"',
            "activeDuring": day if team % 8 == 0 else None,
            "then": {"disposition": "incident", "routingProfileId": profiles[team % PROFILES]},
        }
        for team in range(TEAMS * 4 // 5)
    ]


def _rare(profiles: list[str]) -> list[dict[str, Any]]:
    incident = {"disposition": "incident", "routingProfileId": profiles[0]}
    return [
        {"matchText": 'title startsWith "Certificate" and tags contains "tls"', "then": {"disposition": "notify"}},
        {"matchText": 'type in ("deploy.started", "deploy.done")', "then": {"disposition": "log"}},
        {"matchText": 'url startsWith "https://ci." and not severity == CRITICAL', "then": {"disposition": "drop"}},
        {"matchText": 'dedupKey matches "^probe:[0-9]+$"', "openAfter": {"count": 3, "withinMinutes": 5}, "then": incident},
        {"matchText": 'resource.kind == "queue" or metadata.region == "lab"', "then": incident},
        {"matchText": 'title contains "synthetic" and severity <= INFO', "then": {"disposition": "log"}},
    ]  # fmt: skip
