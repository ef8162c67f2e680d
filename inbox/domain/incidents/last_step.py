"""The last due step of an incident, as it is stored. Specification 6.7."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class LastStep(NamedTuple):
    """The last due step of a notification plan. Times are in minutes from the end of the delay.

    `number` is the incident's `steps_taken`. `first_minutes` is the time of the plan's first step, when this step was
    taken: the plan may change later.
    """

    number: int
    minutes: int
    first_minutes: int


class StepProgress(Protocol):
    """The progress of an incident through its plan. `last_step` has the members of `LastStep`, or is None."""

    @property
    def last_step(self) -> Sequence[int] | None: ...
