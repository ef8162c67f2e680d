"""Slack's markup: escapes texts, and writes the mention of the settings."""

from __future__ import annotations

from inbox.destinations import mentions
from inbox.destinations.base import Config
from inbox.domain.explaining.notice_content import NoticeContent

EVERYBODY = ("here", "channel", "everyone")


def escape(text: str) -> str:
    """Escapes the text for Slack's markup: `<!channel>` becomes text, and emphasis characters have no effect."""
    safe = entities(text)
    for sign in "*_~`":
        safe = safe.replace(sign, f"{sign}\u200b")
    return safe


def entities(text: str) -> str:
    """Escapes only the entities of Slack's markup, so that an address stays intact."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def mention_of(content: NoticeContent, config: Config) -> str:
    """Returns the mention of a message in Slack's markup, with a space behind it; empty without one."""
    mentioned = mentions.of_notice(content, config.public)
    if not mentioned:
        return ""
    if mentioned in EVERYBODY:
        return f"<!{mentioned}> "
    return f"<!subteam^{mentioned}> " if mentioned.startswith("S") else f"<@{mentioned}> "
