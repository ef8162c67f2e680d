"""Redaction of the service's own keys and of passwords in URLs in text that will be stored (specification 4.4)."""

import re
from collections.abc import Mapping
from typing import Any

MARK = "[REDACTED]"

# Each pattern takes linear time. Neighbouring repetitions share no character. The parts of an authority are matched
# possessively or end at the first `/`, which every `://` has, so attempts do not overlap.
#
# A key of an unknown kind is recognized by its length. Otherwise an account name such as `svc_backup_eu` would be
# redacted.
_KEY = re.compile(
    r"(svc_)(?:(?:src|hb|pat)_[A-Za-z0-9_-]++|[a-z0-9]{1,16}+_[A-Za-z0-9_-]{16,}+)|(whsec_)[A-Za-z0-9+/=_-]++"
)
# Up to the last `@` of the authority: a user may be an email address, and a password may contain an `@`. Some
# languages write a slash inside JSON as `\/`.
_PASSWORD = re.compile(r'(:\\?/\\?/)[^\s/?#:"<>]*+:[^\s/?#"<>]+@')


def redact(text: str) -> str:
    """Returns the text with every secret replaced by the mark; the same object when it had none.

    `svc_[REDACTED]`, `whsec_[REDACTED]`, `https://[REDACTED]@host`. A second redaction changes nothing.
    """
    if "svc_" in text or "whsec_" in text:
        text = _KEY.sub(r"\1\2" + MARK, text)
    if "@" in text and "/" in text:
        text = _PASSWORD.sub(r"\1" + MARK + "@", text)
    return text


def redact_tree(value: object) -> tuple[Any, bool]:
    """Returns a JSON value with all strings and keys redacted, and whether anything changed.

    Keys that become equal get a number, so that no value is lost. The value may nest as deep as `jsonbody.check_tree`
    allows.
    """
    if isinstance(value, str):
        redacted = redact(value)
        return redacted, redacted != value
    if isinstance(value, Mapping):
        return _redact_members(value)
    if isinstance(value, list):
        pairs = [redact_tree(item) for item in value]
        return [item for item, _ in pairs], any(changed for _, changed in pairs)
    return value, False


def _redact_members(members: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    redacted: dict[str, Any] = {}
    used: dict[str, int] = {}
    any_changed = False
    for key, value in members.items():
        new_value, changed = redact_tree(value)
        new_key = redact(key)
        any_changed = any_changed or changed or new_key != key
        redacted[free_key(redacted, new_key, used)] = new_value
    return redacted, any_changed


def free_key(keys: Mapping[str, Any], key: str, used: dict[str, int]) -> str:
    """Returns the key, or the first unused one of `key (2)`, `key (3)` …

    `used` belongs to the caller and is empty at first. It stores the last number of each key. Without it, many equal
    keys would take quadratic time.
    """
    if key not in keys:
        return key
    number = used.get(key, 1) + 1
    while f"{key} ({number})" in keys:
        number += 1
    used[key] = number
    return f"{key} ({number})"


def cut(text: str, limit: int) -> str:
    """Returns the first `limit` characters of a redacted text, fewer when the cut would fall inside a mark."""
    if len(text) <= limit:
        return text
    start = text.find(MARK, max(0, limit - len(MARK) + 1), limit + len(MARK) - 1)
    return text[:limit] if start < 0 else text[:start]
