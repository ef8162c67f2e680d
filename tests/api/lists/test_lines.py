"""Characters that single-line texts may contain."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser import Browser
from tests.cast import Cast, typeid
from tests.flow.routing_fixtures import incident, routed

Browsers = Callable[[str], Browser]
GOOD = ["👩\u200d💻 down", "نمی\u200cخواهم", "本番\u3000DB", "10\u00a0% of 5\u202f000"]
BAD = ["two\nlines", "a\tb", "\x1b[31mred", "x\u202egnp.exe", "a\u2028b", "a\u0085b"]
BLANK = ["", " ", "\u200b", "\u3000\u200d"]


def path(cast: Cast) -> str:
    return f"/v1/incidents/{typeid('inc', incident(routed(cast.source).id).id)}"


@pytest.mark.parametrize("text", GOOD)
def test_titles_and_tags_of_incidents_accept_the_text_of_events(browser: Browsers, cast: Cast, text: str) -> None:
    changed = browser("mia").patch(path(cast), {"title": text, "tags": [text]})
    assert (changed.status_code, changed.get_json()["title"], changed.get_json()["tags"]) == (200, text, [text])


@pytest.mark.parametrize("text", BAD)
def test_lines_have_no_control_character_and_no_sign_of_direction(browser: Browsers, cast: Cast, text: str) -> None:
    assert browser("mia").patch(path(cast), {"title": f"Disk {text} full"}).status_code in (400, 422)


@pytest.mark.parametrize("text", BLANK)
def test_lines_have_a_visible_character(browser: Browsers, cast: Cast, text: str) -> None:
    assert browser("mia").patch(path(cast), {"title": text}).status_code == 422
