"""Severities of events, and the names that a sender may use for them (specification 4.2)."""

from inbox.domain.values.enums import FastStrEnum


class Severity(FastStrEnum):
    """The canonical names, lowest first. Compare them by `rank`, never by name: INFO and SUCCESS are equal."""

    DEBUG = "DEBUG"
    INFO = "INFO"
    SUCCESS = "SUCCESS"
    WARNING = "WARNING"
    ERROR = "ERROR"
    CRITICAL = "CRITICAL"

    @property
    def rank(self) -> int:
        """Returns 1 (lowest) to 5 (highest), as in specification 4.2."""
        return RANKS[self]


RANKS = {
    Severity.DEBUG: 1,
    Severity.INFO: 2,
    Severity.SUCCESS: 2,
    Severity.WARNING: 3,
    Severity.ERROR: 4,
    Severity.CRITICAL: 5,
}

ALIASES = {
    "warn": Severity.WARNING,
    "err": Severity.ERROR,
    "crit": Severity.CRITICAL,
    "fatal": Severity.CRITICAL,
}

_BY_EXACT_NAME: dict[str, Severity] = {str(severity): severity for severity in Severity}
_BY_LOWER_NAME: dict[str, Severity] = {str(severity).lower(): severity for severity in Severity} | ALIASES


def rank(severity: Severity) -> int:
    """Returns 1 (lowest) to 5 (highest), as in specification 4.2."""
    return RANKS[severity]


def higher(one: Severity, other: Severity) -> Severity:
    """Returns the higher of both; the first if they are equal."""
    return other if RANKS[other] > RANKS[one] else one


def parse(text: str) -> Severity | None:
    """Returns the severity of a sender's text, aliases included, in any case; None for unknown text."""
    exact = _BY_EXACT_NAME.get(text)
    if exact is not None:
        return exact
    return _BY_LOWER_NAME.get(text.lower())
