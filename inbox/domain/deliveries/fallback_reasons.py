"""The reasons of a `fallback` (specification 9.11)."""

from enum import StrEnum


class FallbackReason(StrEnum):
    """The reason of a `fallback` (specification 9.11)."""

    NO_DESTINATION = "no_destination"
    """No destination is enabled."""

    ALL_STOPPED = "all_stopped"
    """All enabled destinations are stopped."""

    RETRIES_EXHAUSTED = "retries_exhausted"
    """All deliveries of an alert were given up."""

    NOBODY_ON_CALL = "nobody_on_call"
    """The steps page people, and none of them was on call and reachable."""

    UNDELIVERED = "undelivered"
    """The alert is critical, and no receiver accepted it within two minutes of the first attempt."""
