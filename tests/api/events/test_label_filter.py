"""Events by a label of their metadata (specification 4.10)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest

from inbox.domain.events.labels import DEEPEST, LONGEST_FILTER
from tests.browser import Browser
from tests.cast import NOW, Cast
from tests.flow.routing_fixtures import accept

Browsers = Callable[[str], Browser]


def found(browser: Browser, *labels: str) -> list[str]:
    query = "&".join(f"label={quote(each)}" for each in labels)
    return [each["title"] for each in browser.get(f"/v1/events?{query}").get_json()["items"]]


@pytest.mark.parametrize(
    ("metadata", "label"),
    [
        ({"instance": "db-1:9100"}, "instance=db-1:9100"),
        ({"labels": {"instance": "db-1:9100"}}, "instance=db-1:9100"),
        ({"labels": {"instance": "db-1:9100"}}, "labels.instance=db-1:9100"),
        ({"annotations": {"team": "ops"}}, "team=ops"),
        ({"commonLabels": {"app.kubernetes.io/name": "web"}}, "app.kubernetes.io/name=web"),
        ({"host": {"name": "db-1"}}, "host.name=db-1"),
        ({"query": "a=b"}, "query=a=b"),
        ({"percent": 96}, "percent=96"),
        ({"empty": ""}, "empty="),
    ],
)
def test_a_label_is_found_where_senders_put_it(
    browser: Browsers, cast: Cast, metadata: dict[str, Any], label: str
) -> None:
    accept(cast.source, NOW, title="Meant", key="a", metadata=metadata)
    accept(cast.source, NOW, title="Other", key="b", metadata={"instance": "db-2"})
    accept(cast.source, NOW, title="Bare", key="c")

    assert found(browser("vic"), label) == ["Meant"]


def test_one_of_several_labels_suffices_and_a_part_of_a_value_does_not(browser: Browsers, cast: Cast) -> None:
    for name in ("db-1", "db-2", "db-12"):
        accept(cast.source, NOW, title=name, key=name, metadata={"labels": {"instance": name}})

    assert sorted(found(browser("vic"), "instance=db-1", "instance=db-2")) == ["db-1", "db-2"]


def test_labels_of_another_workspace_are_not_found(browser: Browsers, cast: Cast) -> None:
    accept(cast.source, NOW, title="Meant", metadata={"instance": "db-1"})

    assert found(browser("eve"), "instance=db-1") == []


@pytest.mark.parametrize(
    ("label", "status"),
    [
        ("instance", 422),
        ("=db-1", 422),
        ("i=" + "x" * (LONGEST_FILTER - 3), 200),
        ("i=" + "x" * (LONGEST_FILTER - 2), 200),
        ("i=" + "x" * (LONGEST_FILTER - 1), 422),
        (".".join("a" * (DEEPEST - 1)) + "=x", 200),
        (".".join("a" * DEEPEST) + "=x", 200),
        (".".join("a" * (DEEPEST + 1)) + "=x", 422),
    ],
)
def test_a_filter_by_a_label_is_bounded(browser: Browsers, cast: Cast, label: str, status: int) -> None:
    assert browser("vic").get(f"/v1/events?label={quote(label)}").status_code == status
