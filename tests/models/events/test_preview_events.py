"""Stored events as a preview reads them: unchanged, page by page, in the order of ids."""

from __future__ import annotations

from datetime import timedelta

from inbox.models.events import preview_events
from inbox.models.events.preview_events import CACHED_LENGTH, FIRST_PAGE, PAGE, SMALLEST_PAGE, Period
from tests.cast import NOW, Cast
from tests.flow.routing_fixtures import accept

TAGS = ["prod", "two words", 'a "quote", a comma', "back\\slash", "{brace}", "NULL", "ü😀", ""]
SECOND = timedelta(seconds=1)


def test_tags_are_read_as_they_were_stored(cast: Cast) -> None:
    existing = accept(cast.source, NOW, tags=TAGS)
    accept(cast.source, NOW + SECOND)
    period = Period(cast.workspace.id, NOW, NOW + 2 * SECOND)

    assert [[event.tags for event in page] for page in preview_events.pages(period, ())] == [[TAGS, []]]
    found = preview_events.find(cast.workspace.id, existing)
    assert found is not None and found.tags == TAGS


def test_a_page_may_be_emptied_before_the_next_is_read(cast: Cast) -> None:
    ids = sorted(accept(cast.source, NOW + n * SECOND / PAGE, metadata={"n": n % 3}) for n in range(2 * PAGE))
    seen, sizes = [], []

    for page in preview_events.pages(Period(cast.workspace.id, NOW, NOW + 2 * SECOND), {"metadata"}):
        seen += [(event.id, event.metadata) for event in page]
        sizes.append(len(page))
        page.clear()

    assert sizes == [FIRST_PAGE, PAGE, PAGE - FIRST_PAGE]
    assert seen == [(id, {"n": n % 3}) for n, id in enumerate(ids)]


def test_a_page_of_long_texts_has_fewer_events(cast: Cast) -> None:
    for n in range(FIRST_PAGE + 2 * SMALLEST_PAGE):
        accept(cast.source, NOW + n * SECOND / PAGE, body="x" * 16_000, metadata={"n": "y" * 30_000})

    pages = preview_events.pages(Period(cast.workspace.id, NOW, NOW + 2 * SECOND), {"body", "metadata"})

    assert [len(page) for page in pages] == [FIRST_PAGE, SMALLEST_PAGE, SMALLEST_PAGE]


def test_long_metadata_is_not_cached(cast: Cast) -> None:
    documents = preview_events.JsonCache()
    short, long = ('{"a": "' + "x" * (CACHED_LENGTH + over - 9) + '"}' for over in (0, 1))

    assert documents.parse(short) is documents.parse(short)
    assert documents.parse(long) is not documents.parse(long)
