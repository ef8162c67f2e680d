"""The pages for users keep their word: every command and every snippet runs, in the order of its page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.docs.pages import FIRST, Block, Page, pages
from tests.docs.sessions import Result, answers, is_like, run
from tests.faults.rig import PROJECT
from tests.up import Up, started

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("faults")]

NOT_EXECUTED: dict[tuple[str, str], str] = {
    ("first-steps.md", "bin/up"): "the fixture starts bin/up with a port and a data directory of its own",
}
"""Page and first line of each block that is not executed, and why."""

LONGEST_PAGE = 200


def listed(page: Page) -> set[Block]:
    return {block for block in page.blocks if block.key in NOT_EXECUTED}


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Page], Result]]:
    """Runs a page on the one service of this module, once. The page with the account runs before all others."""
    directory, results = tmp_path_factory.mktemp("users"), dict[str, Result]()

    with started(directory, "--web", "1", "--workers", "1") as up:

        def result(page: Page) -> Result:
            if page.name != FIRST:
                result(next(each for each in pages() if each.name == FIRST))
            if page.name not in results:
                results[page.name] = run(page, up, directory / page.path.stem, listed(page))
            return results[page.name]

        yield result


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_every_block_of_a_page_is_executed_or_listed_with_its_reason(
    page: Page, session: Callable[[Page], Result]
) -> None:
    result = session(page)

    assert result.complete, f"{page.name} stopped after:\n{result.transcript[-3000:]}"
    executed = result.executed(page)
    left = [str(block) for block in page.blocks if block not in executed and block not in listed(page)]
    assert left == [], result.transcript[-6000:]
    assert executed


def test_every_listed_block_exists_once() -> None:
    keys = [block.key for page in pages() for block in page.blocks]

    assert [key for key in NOT_EXECUTED if keys.count(key) != 1] == []


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_a_page_is_short_and_the_readme_names_it(page: Page) -> None:
    assert len(page.text.splitlines()) <= LONGEST_PAGE
    assert f"(docs/users/{page.name})" in (PROJECT / "README.md").read_text()


def test_a_page_stops_at_the_first_failure(tmp_path: Path) -> None:
    path = tmp_path / "page"
    path.write_text("```sh\necho one\n```\n\n```sh\nfalse\n```\n\n```sh\necho three\n```\n")
    page = Page(path)

    result = run(page, Up("http://127.0.0.1:9", "", tmp_path), tmp_path / "session", set())

    assert not result.complete
    assert result.executed(page) == page.blocks[:1]


def test_a_shown_answer_differs_from_another_one() -> None:
    shown = {"id": "evt_…", "warnings": [], "status": "accepted"}

    assert is_like(shown, {"id": "evt_1", "warnings": [], "status": "accepted"})
    assert not is_like(shown, {"id": "evt_1", "warnings": [], "status": "duplicate"})
    assert not is_like(shown, {"id": "evt_1", "warnings": [], "status": "accepted", "more": 1})
    assert is_like({**shown, "…": "…"}, {"id": "evt_1", "warnings": [], "status": "accepted", "more": 1})
    assert not is_like({"n": 1}, {"n": True})


def test_answers_are_found_between_other_lines() -> None:
    assert list(answers('[1] 4711\nverified {\n{"a": [1]} 202\n')) == [[1], {"a": [1]}]
