import re
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbox.domain.events.grouping import (
    alert_key,
    fingerprint,
    group_fingerprint,
    groupable,
    normalise_title,
    with_recipients,
)

SOURCE = UUID("01890a5d-ac96-774b-bcce-b302099a8057")
OTHER_SOURCE = UUID("01890a5d-ac96-774b-bcce-b302099a8058")
PARTS = st.text(max_size=6)


@dataclass(frozen=True)
class Sent:
    title: str = "disk full"
    type: str | None = None
    resource: str | None = None
    dedup_key: str | None = None
    url: str | None = None
    metadata: dict[str, Any] | None = None


def of(*group_by: str, source: UUID | str = SOURCE, **fields: Any) -> str:
    return fingerprint(source, Sent(**fields), group_by)


def test_a_fingerprint_is_its_version_and_40_hexadecimal_digits() -> None:
    assert re.fullmatch(r"f1:[0-9a-f]{40}", of())


def test_a_fingerprint_never_changes_between_releases_because_open_incidents_hold_it() -> None:
    assert of(dedup_key="disk:db1") == "f1:cd53abeaf127f4be94cf99f46563f1eb2dbd6d96"
    assert of("metadata.team", metadata={"team": "infra"}) == "f1:bf09a5d098c48e9d0ac17b09dbb8afa4abc73eee"
    assert of(type="disk.full", resource="host:db1") == "f1:0c94c11f8cd43a0f88fdb7d5d1eb945f70e8cf18"
    assert of(resource="host:db1", title="Disk 91% full") == "f1:1baf7a383d1cb3132e1770ad858a0a7fde71cbfc"
    assert of(title="Disk 91% full") == "f1:68b2cac90d978f4f7b4162dcab1e3cceab61bf32"


def test_a_source_is_the_same_as_uuid_and_as_text() -> None:
    assert of(source=SOURCE) == of(source=str(SOURCE))


def test_grouping_never_crosses_sources() -> None:
    assert of(dedup_key="k") != of(dedup_key="k", source=OTHER_SOURCE)


def test_the_dedup_key_decides_over_everything_else() -> None:
    assert of("type", dedup_key="k", type="a", resource="b:c", title="x") == of(dedup_key="k", title="y")


@pytest.mark.parametrize("other", ["K", "k ", " k", "ｋ", "k\u200b"])
def test_the_dedup_key_is_compared_verbatim(other: str) -> None:
    assert of(dedup_key="k") != of(dedup_key=other)


def test_group_by_decides_over_type_and_resource() -> None:
    event = {"type": "disk", "resource": "host:a", "metadata": {"team": "infra"}}

    assert of("metadata.team", **event) == of("metadata.team", metadata={"team": "infra"}, title="other")
    assert of("metadata.team", **event) != of("metadata.team", **event | {"metadata": {"team": "web"}})


def test_a_missing_group_by_field_counts_as_empty() -> None:
    assert of("type", "metadata.x", type="a") == of("type", "metadata.x", type="a", metadata={"x": ""})


def test_an_event_with_none_of_the_group_by_fields_is_grouped_as_if_there_were_none() -> None:
    assert of("metadata.x", "url", type="a", resource="b") == of(type="a", resource="b")


def test_type_and_resource_together_decide_over_the_title() -> None:
    assert of(type="a", resource="b", title="x") == of(type="a", resource="b", title="y")


def test_a_type_without_a_resource_does_not_decide() -> None:
    assert of(type="a") == of(type="b") == of()


def test_a_resource_without_a_type_needs_the_title_too() -> None:
    assert of(resource="a", title="x") != of(resource="a", title="y")
    assert of(resource="a", title="disk 91%") == of(resource="a", title="DISK  92%")


def test_fingerprints_of_different_grounds_never_collide() -> None:
    same = [
        of(dedup_key="x"),
        of("type", type="x"),
        of("metadata.x", metadata={"x": "x"}),
        of(type="x", resource="x"),
        of(resource="x", title="x"),
        of(title="x"),
    ]

    assert len(set(same)) == len(same)


@given(st.tuples(PARTS, PARTS), st.tuples(PARTS, PARTS))
def test_two_pairs_of_values_never_collide(one: tuple[str, str], other: tuple[str, str]) -> None:
    prints = [of("metadata.a", "metadata.b", metadata={"a": a, "b": b, "c": "c"}) for a, b in (one, other)]

    if any(one) and any(other):
        assert (prints[0] == prints[1]) == (one == other)


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("type", {"type": "a"}, {"type": "b"}),
        ("resource", {"resource": "host:a"}, {"resource": "host:b"}),
        ("resource.kind", {"resource": "host:a"}, {"resource": "pod:a"}),
        ("resource.name", {"resource": "host:a"}, {"resource": "host:b"}),
        ("title", {"title": "a"}, {"title": "b"}),
        ("url", {"url": "https://a"}, {"url": "https://b"}),
        ("metadata.a", {"metadata": {"a": 1}}, {"metadata": {"a": 2}}),
        ("metadata.a.b", {"metadata": {"a": {"b": "x"}}}, {"metadata": {"a": {"b": "y"}}}),
        ("metadata.a.b", {"metadata": {"a.b": "x"}}, {"metadata": {"a.b": "y"}}),
        ("metadata.a.1", {"metadata": {"a": [0, 1]}}, {"metadata": {"a": [0, 2]}}),
        ("metadata.a", {"metadata": {"a": {"x": 1, "y": 2}}}, {"metadata": {"a": {"x": 1, "y": 3}}}),
        ("metadata.a", {"metadata": {"a": False}}, {"metadata": {"a": 0}}),
    ],
)
def test_each_field_can_be_grouped_by(name: str, one: dict[str, Any], other: dict[str, Any]) -> None:
    assert groupable(name)
    assert of(name, **one) != of(name, **other)
    assert of(name, **one) == of(name, **one)


def test_objects_in_another_order_are_the_same_value() -> None:
    assert of("metadata.a", metadata={"a": {"x": 1, "y": 2}}) == of("metadata.a", metadata={"a": {"y": 2, "x": 1}})


@pytest.mark.parametrize(("path", "metadata"), [
    ("a", None), ("a", {}), ("a", {"a": None}), ("a.b", {"a": "x"}), ("a.9", {"a": [1]}), ("a.x", {"a": [1]}),
    ("a.-1", {"a": [1]}), ("a.²", {"a": [1]}), ("a..b", {"a": {"b": 1}}), ("a." + "9" * 5000, {"a": [1]}),
])  # fmt: skip
def test_a_path_that_leads_nowhere_is_a_missing_field(path: str, metadata: dict[str, Any] | None) -> None:
    assert of(f"metadata.{path}", metadata=metadata) == of(metadata=metadata)


@pytest.mark.parametrize(
    "name", ["severity", "body", "tags", "occurredAt", "externalId", "dedupKey", "metadata", "metadata.", ""]
)
def test_a_field_unique_to_each_event_cannot_be_grouped_by(name: str) -> None:
    assert not groupable(name)
    assert of(name) == of()


@pytest.mark.parametrize(
    ("title", "normal"),
    [
        ("Disk 91% full", "disk # full"),
        ("Disk 91.5 % full", "disk # full"),
        ("Load 3,5 (limit -2)", "load # (limit #)"),
        ("used 10GB of 1.5 TiB", "used # of #"),
        ("took 250ms", "took #"),
        ("took 1m30s, 2 hours", "took #, #"),
        ("link at 10 Mbps", "link at #"),
        ("job 550e8400-e29b-41d4-a716-446655440000 failed", "job # failed"),
        ("commit deadbeef01 broke", "commit # broke"),
        ("pod api-7d9f8b6c5f down", "pod api-# down"),
        ("segfault at 0x1f", "segfault at #"),
        ("10.0.0.1 unreachable", "# unreachable"),
        ("10.0.0.1:443 and 10.0.0.0/8", "# and #"),
        ("fe80::1 and 2001:db8:0:0:1:2:3:4 and ::1", "# and # and #"),
        ("mail to ops+1@corp.example bounced.", "mail to # bounced."),
        ("on 2026-03-01", "on #"),
        ("at 2026-03-01T12:00:00.5Z", "at #"),
        ("at 2026-03-01 12:00:00+02:00", "at #"),
        ("at 01.03.2026 12:30", "at # #"),
        ("at 12:30:05", "at #"),
        ("  Two\t spaces ", "two spaces"),
        ("STRASSE Straße", "strasse strasse"),
        ("９１ ﬁles", "# files"),
        ("web1 and web-2 on /dev/sda1, v1.4", "web1 and web-2 on /dev/sda1, v1.4"),
        ("std::vector failed", "std::vector failed"),
        ("defaced facade", "defaced facade"),
        ("", ""),
    ],
)
def test_variable_parts_of_a_title_become_placeholders(title: str, normal: str) -> None:
    assert normalise_title(title) == normal


@given(st.text(max_size=256) | st.text("0123456789abcdef:.-@ %", max_size=256))
def test_a_normal_title_has_at_most_160_characters_and_single_spaces(title: str) -> None:
    normal = normalise_title(title)

    assert len(normal) <= 160
    assert normal == " ".join(normal.split())


def test_titles_that_agree_in_their_first_160_characters_share_a_fingerprint() -> None:
    assert normalise_title("x" * 161) == "x" * 160
    assert of(title="x" * 160 + "y") == of(title="x" * 160 + "z")


@given(st.integers(0, 10**7 - 1), st.integers(0, 10**7 - 1))
def test_titles_that_differ_in_a_number_share_a_fingerprint(one: int, other: int) -> None:
    assert of(title=f"{one} jobs failed") == of(title=f"{other} jobs failed")


def test_the_key_of_an_alert_is_the_dedup_key_verbatim() -> None:
    assert alert_key("Disk 91%", "Disk full") == "Disk 91%"


def test_without_a_dedup_key_the_key_of_an_alert_is_the_title_without_measures() -> None:
    assert alert_key(None, "UPS: on battery, 80% left") == alert_key(None, "UPS: on battery, 5% left")
    assert alert_key(None, "Disk 3 failed") != alert_key(None, "Disk 5 failed")
    assert alert_key(None, "CPU 97 %") != alert_key(None, "Disk full")


def group_of(*group_by: str, group: str = "g", **fields: Any) -> str | None:
    return group_fingerprint(SOURCE, Sent(**fields), group_by, group)


def test_the_group_of_a_tool_decides_over_the_dedup_key() -> None:
    assert group_of(dedup_key="a") == group_of(dedup_key="b") != group_of(dedup_key="a", group="other")
    assert group_of(dedup_key="a") != of(dedup_key="g")


def test_group_by_of_the_source_decides_over_the_group_of_a_tool() -> None:
    assert group_of("type", dedup_key="a", type="x") == group_of("type", dedup_key="b", type="x", group="other")
    assert group_of("type", dedup_key="a") == group_of(dedup_key="a")


def test_an_event_without_a_key_is_in_no_group() -> None:
    assert group_of() is None


def test_alerts_of_other_recipients_are_another_group() -> None:
    assert (
        len({with_recipients(SOURCE, "f1:g", who) for who in ((SOURCE,), (OTHER_SOURCE,), (SOURCE, OTHER_SOURCE))}) == 3
    )
