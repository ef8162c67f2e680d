"""A digest of the time zone rules that this process reads, from the machine or from `tzdata`."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from pathlib import Path
from zoneinfo import TZPATH, available_timezones

PACKAGED = files("tzdata") / "zoneinfo"
"""The rules that come with the requirements. Those of the machine take precedence."""


@cache
def digest() -> str:
    """Returns a digest of the rules of all time zones, 64 hexadecimal characters: other rules have another one.

    It covers the files, because a distribution changes rules without a new version of the whole.
    """
    rules = hashlib.sha256()
    for name in sorted(available_timezones()):
        own = (Path(directory, name) for directory in TZPATH)
        rules.update(name.encode() + b"\0")
        rules.update(next((each for each in own if each.is_file()), PACKAGED / name).read_bytes())
    return rules.hexdigest()
