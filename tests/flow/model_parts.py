"""Parts of the incident model: destinations, suppressions, sent notices, silences and the incident."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.flow.model_alerts import Alerts

MINUTE = 60
DAY = 24 * 60 * MINUTE
HALF_HOUR = 30 * MINUTE
SETTLED = 30
UPDATES = {"resolved", "acknowledged", "snoozed", "updated"}
SILENCED_BY_FLAPPING = {"opened", "reopened", "resolved", "reoccurred"}
UNRESOLVED = {"open", "acknowledged", "snoozed", "silenced"}


@dataclass
class ModelRecipient:
    """A destination: whether it is `on`, `stopped` or `off`, the least rank it wants, below which rank it sleeps."""

    power: str = "on"
    updates: bool = True
    notes: bool = True
    floor: int = 0
    sleeps_below: int = 0
    phone: bool = False
    """A phone gets each alarm beside the ladder, and pages of its person whatever its floor and the night."""


@dataclass(frozen=True)
class StepGroup:
    """A step of the ladder, `after` seconds from the first, for incidents of at least a rank."""

    after: int
    to: tuple[str, ...]
    floor: int = 0
    pages: bool = False
    """Whether it pages whoever is on call."""

    def wants(self, rank: int) -> bool:
        return rank >= self.floor


@dataclass(frozen=True)
class Terms:
    """What holds for all incidents of the workspace; 0 is never. `step_groups` are in order, with their repetitions."""

    step_groups: tuple[StepGroup, ...]
    renotify: dict[int, int]
    renotify_max: int
    hold: int = 0
    ack_timeout: int = 0
    auto_resolve: int = 0
    reopen: int = 60 * MINUTE
    quiet: int = 15 * MINUTE
    joined_quiet: int = 5 * MINUTE
    any_end: bool = False
    sleeps: bool = True
    nights: tuple[tuple[int, int], ...] = ()
    on_call: tuple[tuple[int, int, str], ...] = ()
    """Who is on call from and until a time of the day; nobody else is."""
    round: int = 1
    """The step groups of a round."""

    def on_duty(self, now: int) -> str:
        """Who is on call at a moment; empty for nobody."""
        return next((name for start, end, name in self.on_call if start <= now % DAY < end), "")

    def night_until(self, now: int) -> int | None:
        """When the quiet hours end in which the moment lies, by the time of day."""
        today = now - now % DAY
        return next((today + end for start, end in self.nights if start <= now % DAY < end), None)


@dataclass
class Sent:
    """A delivery: it stands for a notice to one destination; quiet hours may hold it `until` a time."""

    seq: int
    reason: str
    status: str
    cause: str | None = None
    until: int | None = None

    @property
    def sleeps(self) -> bool:
        return self.until is not None


@dataclass
class Told:
    """A notice: its reason, what was decided for each destination, and how many alerts that joined it names."""

    reason: str
    decisions: dict[str, str]
    joined: int = 0


@dataclass
class ModelSilence:
    """A silence of one key, of one tag, or of all, and when it is to be looked at: at its ends, and again when all has
    settled."""

    key: str | None
    tag: str | None
    start: int
    end: int
    turn: int | None
    look: int | None = None

    def holds(self, now: int) -> bool:
        return self.start <= now < self.end

    def takes(self, case: Case, now: int) -> bool:
        """It takes the incident as it is, or its newest event with the tags of both."""
        itself = self.key in (None, case.key) and (self.tag is None or self.tag in case.own)
        newest = self.key in (None, case.latest_key) and (self.tag is None or self.tag in case.own | case.latest)
        return self.holds(now) and (itself or newest)


@dataclass
class Case:
    """An incident. `step_groups_at` are the times of all step_groups, `climbed` how many are behind it; `since` is when its notices
    resume. `reported`: whether it ever had a notice that it is broken, `told`: when the last one
    was. Tags: its `own`, and its `latest` event's."""

    key: str
    rank: int
    seen: int
    opened: int
    state: str = "open"
    retained: str | None = None
    own: frozenset[str] = frozenset()
    latest: frozenset[str] = frozenset()
    latest_key: str = ""
    """The group that its newest event names: an end finds its alert by name in other groups, too."""
    model_silence: ModelSilence | None = None
    count: int = 1
    reopened: int = 0
    moves: list[int] = field(default_factory=list)
    flaps: bool = False
    until: int | None = None
    taken: int = 0
    taker: int = 0
    ended: int = 0
    ended_by: str = ""
    """`event`, `person` or `clock`."""
    step_groups_at: list[int] = field(default_factory=list)
    climbed: int = 0
    paged: dict[int, str] = field(default_factory=dict)
    """Whom each step group paged since the last opening; empty: nobody was on call."""
    reached: set[int] = field(default_factory=set)
    """The step groups that page and that a destination of theirs was notified of."""
    nobody_at: int | None = None
    """When a step group reached nobody, until a clock has looked at it."""
    reported: bool = False
    reported_rank: int = 0
    told: int | None = None
    since: int = 0
    repeated: int = 0
    notices: list[Told] = field(default_factory=list)
    newly_told: list[Told] = field(default_factory=list)
    """Its notices of the batch that alert people."""
    alerts: Alerts = field(default_factory=Alerts)
    lines: list[str] = field(default_factory=list)
    """What its timeline says about alerts."""
    sent: dict[str, list[Sent]] = field(default_factory=dict)

    @property
    def rests_at(self) -> int:
        """Half an hour after a move, and an hour if it is one of six in three hours and not of five in half an hour."""
        near, far = (sum(self.moves[-1] - one <= span for one in self.moves) for span in (HALF_HOUR, 6 * HALF_HOUR))
        return self.moves[-1] + (2 * HALF_HOUR if near < 5 and far >= 6 else HALF_HOUR)

    def calm(self, at: int) -> None:
        """Nothing of a flapping that is over counts later."""
        if self.flaps and at >= self.rests_at:
            self.flaps, self.moves = False, []

    def arrived(self, name: str) -> bool:
        return any(one.status != "skipped" for one in self.sent.get(name, ()))

    def move(self, at: int) -> bool:
        """Between open and resolved; whether it begins to flap with this."""
        at = max([at, *self.moves[-1:]])
        self.calm(at)
        was = self.flaps
        self.moves.append(at)
        near, far = (sum(at - one <= span for one in self.moves) for span in (HALF_HOUR, 6 * HALF_HOUR))
        self.flaps = was or near >= 5 or far >= 6
        return self.flaps and not was

    def is_news(self) -> bool:
        """Whether nobody was told of what the incident is now."""
        unsent = any(self._has_lost(line) for line in self.sent.values())
        known = self.told is not None and self.told >= self.opened and self.rank <= self.reported_rank
        return unsent or not known

    def _has_lost(self, line: list[Sent]) -> bool:
        """Whether a silence passed over an alarm, and nothing that is one left after it."""
        alarms = [one for one in line if one.reason not in UPDATES]
        passed = [one.seq for one in alarms if one.cause == "silenced"]
        return any(
            one.seq > max([0, *(a.seq for a in alarms if a.status != "skipped")]) for one in alarms if one.seq in passed
        )

    def fresh(self) -> None:
        self.until, self.taken = None, 0
