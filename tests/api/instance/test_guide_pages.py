"""The guide of an instance: the pages of `docs/users`, public and complete (specification 13.6)."""

from __future__ import annotations

import re

import pytest

from inbox.api.instance.guide_pages import FOLDER, NAMES
from tests.browser import Browser


def text_of(anonymous: Browser, name: str) -> str:
    answer = anonymous.get(f"/docs/users/{name}")
    assert (answer.status_code, answer.mimetype) == (200, "text/html")
    return answer.get_data(as_text=True)


def test_the_guide_has_all_pages_for_users() -> None:
    assert sorted(NAMES) == sorted(page.stem for page in FOLDER.glob("*.md"))


@pytest.mark.parametrize("name", NAMES)
def test_a_page_shows_its_title_no_markdown_source_and_the_other_pages(anonymous: Browser, name: str) -> None:
    page = text_of(anonymous, name)
    shown = re.sub("<pre>.*?</pre>|<code>.*?</code>|<style>.*?</style>", "", page, flags=re.DOTALL)

    assert f"<h1>{(FOLDER / f'{name}.md').read_text().partition(chr(10))[0].removeprefix('# ')}</h1>" in page
    assert not re.search(r"`|\]\(|\*\*|<img|^\s*[|#]|&lt;!--", shown, re.MULTILINE)
    assert {f"/docs/users/{each}" for each in NAMES} - {f"/docs/users/{name}"} <= set(re.findall('href="(.*?)"', page))


def test_each_link_of_the_guide_leads_to_another_site_or_to_a_page(anonymous: Browser) -> None:
    links = {link for name in NAMES for link in re.findall('<a href="(.*?)"', text_of(anonymous, name))}

    for link in links:
        assert link.startswith("https://") or anonymous.get(link).status_code == 200, link


@pytest.mark.parametrize("name", ["README", "unknown", "phone.md", "..%2Fmap", "%2e%2e%2fmap"])
def test_an_unknown_page_is_not_found(anonymous: Browser, name: str) -> None:
    assert anonymous.get(f"/docs/users/{name}").status_code == 404
