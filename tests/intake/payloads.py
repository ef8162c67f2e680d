"""Payloads from the documentation of tools: an alarm and its end, one file per tool."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent / "tools"
NAMES = sorted(path.parent.name for path in HERE.glob("*/payload.json"))


def payload(tool: str, moment: str) -> Any:
    """The payload of a tool at the `alarm` or at its `end`."""
    return json.loads((HERE / tool / "payload.json").read_text())[moment]
