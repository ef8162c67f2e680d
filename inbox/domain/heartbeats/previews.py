"""Requests at a ping address that are no sign of life: previews of links, scanners, and ends of alerts (specification 18.5)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

AGENTS = (
    *(
        "slackbot",
        "slack-imgproxy",
        "skypeuripreview",
        "microsoft teams",
        "msteams",
        "telegrambot",
        "discordbot",
        "whatsapp",
    ),
    *("facebookexternalhit", "facebookcatalog", "facebot", "meta-externalagent", "meta-externalfetcher", "linkedinbot"),
    *(
        "twitterbot",
        "mattermost",
        "rocket.chat",
        "zulipurlpreview",
        "synapse (bot",
        "matrix-media-repo",
        "viber",
        "kakaotalk",
    ),
    *(
        "snapchat",
        "pinterest",
        "redditbot",
        "mastodon",
        "iframely",
        "embedly",
        "google-pagerenderer",
        "googleimageproxy",
    ),
    *(
        "googlebot",
        "google-safety",
        "google-inspectiontool",
        "feedfetcher-google",
        "bingbot",
        "bingpreview",
        "applebot",
    ),
    *("duckduckbot", "yandexbot", "baiduspider", "yahoomailproxy", "safelinks", "safe links", "mimecast", "proofpoint"),
    *("barracuda", "symantec", "messagelabs", "virustotal", "urlscan", "outlook-ios", "microsoft office", "ms-office"),
)
"""Parts of the names of programs that open links which people sent, in lower case. No job has one of them."""

_AGENT = re.compile("|".join(map(re.escape, AGENTS)), re.IGNORECASE)
_PURPOSE = re.compile("prefetch|prerender|preview", re.IGNORECASE)
_ENDED = re.compile(rb'"status"\s*:\s*"resolved"|"state"\s*:\s*"(?:ok|paused)"')
_OF_GROUP = re.compile(rb'"status"\s*:\s*"(\w{1,20})"')
PURPOSES = ("Sec-Purpose", "Purpose", "X-Purpose", "X-Moz")
"""The headers in which browsers say that nobody has opened the link yet."""


def is_preview(agent: str, purposes: Iterable[str]) -> bool:
    """Returns whether a program opened the address to look at it. `purposes` are the values of `PURPOSES`."""
    return _AGENT.search(agent) is not None or any(_PURPOSE.search(purpose) for purpose in purposes)


def is_end_of_alerts(body: bytes) -> bool:
    """Returns whether a body is a webhook of Alertmanager or Grafana whose alerts have ended: its Watchdog has stopped.

    A body that is cut is no JSON. Its first `status` before the list of alerts is that of the group.
    """
    if _ENDED.search(body) is None:
        return False
    try:
        sent = json.loads(body)
    except ValueError:
        group = _OF_GROUP.search(body.partition(b'"alerts"')[0])
        return b"alerts" in body and group is not None and group[1] == b"resolved"
    match sent:
        case {"alerts": _, "status": "resolved"}:
            return True
        case {"ruleId": _, "state": "ok" | "paused"}:  # Grafana before version 8
            return True
        case [_, *_]:
            return all(
                isinstance(each, dict) and "labels" in each and each.get("status") == "resolved" for each in sent
            )
        case _:
            return False
