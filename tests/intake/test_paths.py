"""Paths into JSON and texts with paths (specification 19.17)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbox.intake import paths
from inbox.intake.base import Node
from inbox.intake.paths import BadPath, Root, TooManyValues

BODY = {
    "status": "firing", "a.b": "dotted", "n": 0, "yes": True, "nothing": None, "größe": "x",
    "alerts": [{"labels": {"name": "Disk", "tags": ["a", "b", "a", 3]}}, {"labels": {"name": "CPU"}}, "text"],
}  # fmt: skip


def text(template: str, item: Any = BODY, body: Any = BODY) -> str:
    return paths.parse_template(template).text(Node(item), Root(body))


@pytest.mark.parametrize(
    ("template", "found"),
    [("{status}", "firing"), ('{["a.b"]}', "dotted"), ("{n}", "0"), ("{yes}", "true"), ("{größe}", "x"), ("{nothing}", ""),
     ("{alerts[0].labels.name}", "Disk"), ('{alerts[1]["labels"].name}', "CPU"), ("{alerts[2]}", "text"), ("{alerts[3]}", ""),
     ("{alerts[*].labels.name}", "Disk, CPU"), ("{alerts[0].labels.tags[*]}", "a, b, a, 3"), ("{alerts[0].labels}", ""),
     ("{@.status}", "firing"), ("{$.status}", "firing"), ("{status.deeper}", ""), ("{alerts.labels}", ""), ("{ status }", "firing"),
     ("host:{n} {missing}!", "host:0 !"), ("host:{missing}", ""), ("constant", "constant"), ("{{{status}}}", "{firing}"), ("", "")],
)  # fmt: skip
def test_a_text_takes_values_of_its_paths(template: str, found: str) -> None:
    assert text(template) == found


def test_a_path_from_the_dollar_begins_at_the_body_and_others_at_the_item() -> None:
    assert text("{labels.name} is {$.status}", BODY["alerts"][0]) == "Disk is firing"  # type: ignore[index]


def test_the_at_sign_reads_an_item_that_is_no_object() -> None:
    assert text("{@}", "down", ["down"]) == "down"
    assert text("{[0]}", ["x"], ["x"]) == "x"


@pytest.mark.parametrize(
    "template",
    ["{", "}", "{a", "a}", "{}", "{a..b}", "{.a}", "{a.}", "{a[x]}", "{a[-1]}", "{a[*].b[*]}", "{a b}", "{a[12345]}", "{$$}", '{a["]}',
     "{" + "a." * 20 + "a}", "{" + "a" * 201 + "}", "{a}" * 11, "x" * 501],
)  # fmt: skip
def test_a_text_that_cannot_be_read_is_refused(template: str) -> None:
    with pytest.raises(BadPath):
        paths.parse_template(template)


@pytest.mark.parametrize("template", ["{" + "a." * 19 + "a}", "{" + "a" * 200 + "}", "{a}" * 10, "x" * 500, "{a[*].b}"])
def test_a_text_at_its_limits_is_read(template: str) -> None:
    assert paths.parse_template(template)


@pytest.mark.parametrize(("path", "stars"), [("a[*].b[*]", 2), ("[*]", 1), ("", 1), ("a[*].b[*].c[*]", 2)])
def test_the_path_of_the_items_may_take_each_element_twice(path: str, stars: int) -> None:
    if path in ("", "a[*].b[*].c[*]"):
        with pytest.raises(BadPath):
            paths.parse_path(path, most_stars=2)
    else:
        assert paths.parse_path(path, most_stars=2).stars == stars


@pytest.mark.parametrize(("elements", "count"), [(99, 99), (100, 100), (101, 100)])
def test_a_text_reads_a_bounded_number_of_elements(elements: int, count: int) -> None:
    template = paths.parse_template("{a[*]}")

    body = {"a": list(range(elements))}

    assert (
        len(template.texts(Node(body), Root(body))) == len(template.text(Node(body), Root(body)).split(", ")) == count
    )


@given(st.text(max_size=40))
def test_any_text_is_a_template_or_refused(template: str) -> None:
    try:
        read = paths.parse_template(template)
    except BadPath:
        return
    read.text(Node(BODY), Root(BODY))


@given(st.text(st.sampled_from('ab.[]*"0{}$@ '), max_size=25))
def test_any_path_is_read_or_refused(path: str) -> None:
    try:
        read = paths.parse_path(path)
    except BadPath:
        return
    list(read.nodes(Node(BODY), Root(BODY)))


def look(count: int, elements: int) -> None:
    """Look at the elements of a body by so many paths."""
    body = [0] * elements
    root = Root(body)
    for number in range(count):
        paths.parse_template(f"{{[*].x{number}}}").text(Node(body), root)


def test_the_paths_of_a_payload_look_at_a_bounded_number_of_values() -> None:
    elements = 500
    most = paths.MOST_VISITED // (1 + 2 * elements)

    look(most, elements)
    with pytest.raises(TooManyValues, match=rf"more than 1,000,000 values .* `@\[\*\]\.x{most}`"):
        look(most + 1, elements)


def test_the_path_of_the_items_counts_its_elements() -> None:
    body = [[0] * 1_000 for _ in range(1_001)]

    with pytest.raises(TooManyValues, match=r"`@\[\*\]\[\*\]\.x`"):
        list(paths.parse_path("[*][*].x", most_stars=2).nodes(Node(body), Root(body)))
