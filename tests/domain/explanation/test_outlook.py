"""How an incident stands, and what is still to come, in sentences."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from inbox.domain.explanation import spoken
from inbox.domain.explanation.outlook import KINDS, Coming, Kind, Stand, of_standing
from inbox.domain.explanation.telling import Hushing
from inbox.domain.moves import State
from inbox.domain.plan import TIMERS

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")
SOON = NOW + timedelta(minutes=10)


@pytest.mark.parametrize("kind", Kind)
def test_every_kind_says_when_and_what(kind: Kind) -> None:
    said = Coming(kind, SOON).words(BERLIN, NOW)

    assert said.startswith("At 10:10 Europe/Berlin ") and said.endswith(".")
    assert len({Coming(each, SOON).words(BERLIN, NOW) for each in Kind}) == len(Kind)


def test_every_timer_of_a_plan_is_told() -> None:
    assert KINDS.keys() == TIMERS


@pytest.mark.parametrize(
    ("coming", "words"),
    [
        (Coming(Kind.STEP, SOON, ["Chat"], step=2), "step 2 tells Chat, if nobody has taken it"),
        (Coming(Kind.STEP, SOON, step=2), "step 2 tells nobody"),
        (Coming(Kind.HOLD_ENDS, SOON, ["Chat"]), "Chat will hear of it, if it is still open."),
        (Coming(Kind.HOLD_ENDS, SOON, ["Chat"], only_worse=True), "still open and worse than what was told before."),
        (Coming(Kind.RENOTIFY, SOON, times=(1, 6)), "1 of at most 6 times"),
        (Coming(Kind.SILENCE_ENDS, SOON, hushing=Hushing("Upgrade", "Mia")), 'silence "Upgrade" by Mia ends'),
        (Coming(Kind.QUIET_HOURS_END, SOON, ["Pager", "Chat"]), "Pager and Chat will hear how it then stands"),
    ],
)
def test_it_says_who_will_hear(coming: Coming, words: str) -> None:
    assert words in coming.words(BERLIN, NOW)


@pytest.mark.parametrize(
    ("stand", "words"),
    [
        ({"state": State.OPEN}, "It is open, and nobody has taken it."),
        ({"state": State.OPEN, "is_held": True}, "It is open, and its routing profile waits before anybody is told."),
        ({"state": State.ACKNOWLEDGED, "by": "Mia"}, "Mia has taken it: repeats are not told until it gets worse."),
        ({"state": State.ACKNOWLEDGED}, "Somebody has taken it: repeats are not told until it gets worse."),
        (
            {"state": State.SNOOZED, "until": SOON},
            "It is put off until 10:10 Europe/Berlin: nothing is told before that",
        ),
        ({"state": State.SILENCED, "hushing": Hushing("Upgrade", "Mia")}, 'Silence "Upgrade" by Mia covers it: nobody'),
        ({"state": State.SILENCED}, "A silence covers it: nobody is told until that ends."),
        ({"state": State.RESOLVED}, "It is over."),
    ],
)
def test_how_it_stands_says_whether_somebody_is_told(stand: dict[str, Any], words: str) -> None:
    assert words in of_standing(Stand(**stand), BERLIN, NOW)


FLAPS = (
    "It keeps opening and resolving: until that ends nobody is told when it opens, resolves or happens again,"
    " unless it is worse than what was told before."
)


@pytest.mark.parametrize(
    ("stand", "ending"),
    [
        (
            {"state": State.OPEN},
            (
                f"{FLAPS} While it stays open and nobody takes it, its next steps still tell, and it is still told again,"
                " when that is due."
            ),
        ),
        ({"state": State.OPEN, "is_held": True}, FLAPS),
        ({"state": State.ACKNOWLEDGED}, FLAPS),
        ({"state": State.SNOOZED}, FLAPS),
        ({"state": State.SILENCED}, "nobody is told until that ends. It keeps opening and resolving, too."),
        ({"state": State.RESOLVED}, f"It is over. {FLAPS} If it stays resolved, that is told then."),
    ],
)
def test_of_what_flaps_it_says_what_is_told_all_the_same(stand: dict[str, Any], ending: str) -> None:
    assert of_standing(Stand(flapping=True, **stand), BERLIN, NOW).endswith(ending)
    assert "opening and resolving" not in of_standing(Stand(**stand), BERLIN, NOW)


def test_a_time_has_its_day_when_that_is_not_clear() -> None:
    assert spoken.clock(NOW + timedelta(hours=23, minutes=59), BERLIN, NOW) == "09:59 Europe/Berlin"
    assert spoken.clock(NOW + timedelta(hours=24), BERLIN, NOW) == "Sun 22 Nov 2026 10:00 Europe/Berlin"
    assert spoken.clock(NOW - timedelta(hours=24), BERLIN, NOW) == "Fri 20 Nov 2026 10:00 Europe/Berlin"


@pytest.mark.parametrize(
    ("found", "said"),
    [([], "nobody"), (["A"], "A"), (["A", "B"], "A and B"), (list("ABCDE"), "A, B, C, D and E"),
     (list("ABCDEF"), "A, B, C, D and 2 more")],
)  # fmt: skip
def test_names_are_listed_and_beyond_five_counted(found: list[str], said: str) -> None:
    assert spoken.names(found) == said
