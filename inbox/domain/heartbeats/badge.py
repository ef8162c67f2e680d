"""Status badges: the SVG image, and two JSON forms (specification 18.8)."""

from __future__ import annotations

from html import escape
from typing import Any

from inbox.domain.heartbeats.monitor import HeartbeatStatus

COLORS = {
    HeartbeatStatus.NEW: "#9f9f9f",
    HeartbeatStatus.UP: "#2f7d1d",
    HeartbeatStatus.LATE: "#9a5b00",
    HeartbeatStatus.DOWN: "#c0392b",
    HeartbeatStatus.PAUSED: "#6b6b6b",
    HeartbeatStatus.RUNNING: "#0b6a9e",
}
_SHIELDS = {HeartbeatStatus.UP: "success", HeartbeatStatus.RUNNING: "success", HeartbeatStatus.LATE: "important",
            HeartbeatStatus.DOWN: "critical"}  # fmt: skip
_HEIGHT, _MARGIN, _CHARACTER = 20, 6, 7
LONGEST_LABEL = 60


def svg(label: str, status: HeartbeatStatus) -> str:
    """Returns the badge as an SVG image. It contains no script and no reference."""
    label = label[:LONGEST_LABEL]
    left, right = _width(label), _width(status)
    name, value = escape(label), escape(str(status))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="{_HEIGHT}" role="img"'
        f' aria-label="{name}: {value}"><title>{name}: {value}</title>'
        f'<rect width="{left}" height="{_HEIGHT}" fill="#444"/>'
        f'<rect x="{left}" width="{right}" height="{_HEIGHT}" fill="{COLORS[status]}"/>'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f'<text x="{left / 2:g}" y="14">{name}</text><text x="{left + right / 2:g}" y="14">{value}</text></g></svg>'
    )


def json_form(status: HeartbeatStatus) -> dict[str, Any]:
    """Returns the badge as JSON: the status, and counts for readers of several monitors."""
    is_down, is_late = status is HeartbeatStatus.DOWN, status is HeartbeatStatus.LATE
    return {"status": str(status), "total": 1, "grace": int(is_late), "down": int(is_down)}


def shields_form(label: str, status: HeartbeatStatus) -> dict[str, Any]:
    """Returns the badge in the endpoint format of shields.io."""
    color = _SHIELDS.get(status, "inactive")
    return {"schemaVersion": 1, "label": label[:LONGEST_LABEL], "message": str(status), "color": color}


def _width(text: str) -> int:
    return len(text) * _CHARACTER + 2 * _MARGIN
