"""What the tests of all tools read of each: a package for each tool.

`ALARM` is the title, severity and key of the alarm in `payload.json`. `LIST` is the path of an array inside an item that is
read. `SENT` are the headers that the tool sends with what was entered from each of its texts; the body is the alarm.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from inbox.intake.registry import TOOLS

MODULES = {name: importlib.import_module(f"tests.intake.tools.{name}") for name in TOOLS}


def table(name: str) -> Mapping[str, Any]:
    """The values of this name, by tool."""
    return {tool: getattr(module, name) for tool, module in MODULES.items() if hasattr(module, name)}
