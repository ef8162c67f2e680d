"""The addresses of an `email` destination: one to ten in one text, each with a mail of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

MAX_RECIPIENTS = 10
LONGEST_ADDRESS = 254
LONGEST_TEXT = MAX_RECIPIENTS * (LONGEST_ADDRESS + 2)

_GAP = re.compile(r"[\s,;]+")


def of_config(public: Mapping[str, Any]) -> list[str]:
    """Returns the addresses, each once, in their order."""
    return _addresses(str(public["to"]))


def without(public: Mapping[str, Any], address: str) -> str:
    """Returns the setting without an address; empty when it was the only one."""
    return ", ".join(each for each in of_config(public) if each != address)


def fault(text: str) -> str | None:
    """Returns what is wrong with the setting; None when it can be stored."""
    found = _addresses(text)
    if len(found) > MAX_RECIPIENTS:
        return f"must have at most {MAX_RECIPIENTS} addresses"
    if found and all(map(_is_address, found)):
        return None
    return "must be email addresses, separated by commas"


def _addresses(text: str) -> list[str]:
    return list(dict.fromkeys(each for each in _GAP.split(text) if each))


def _is_address(text: str) -> bool:
    local, _, domain = text.rpartition("@")
    has_form = re.fullmatch(r"[^\s@<>,;:\"\\()\[\]]{1,64}", local) and re.fullmatch(
        r"[^\s@<>,;]+\.[^\s@<>,;.]+", domain
    )
    return has_form is not None and len(text) <= LONGEST_ADDRESS
