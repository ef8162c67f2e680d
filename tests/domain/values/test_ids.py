from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbox.domain.values import ids

UUIDS = st.integers(0, 2**128 - 1).map(lambda number: UUID(int=number))


@pytest.mark.parametrize(
    ("uuid", "suffix"),
    [
        ("00000000-0000-0000-0000-000000000000", "00000000000000000000000000"),
        ("00000000-0000-0000-0000-000000000001", "00000000000000000000000001"),
        ("00000000-0000-0000-0000-00000000000a", "0000000000000000000000000a"),
        ("00000000-0000-0000-0000-000000000010", "0000000000000000000000000g"),
        ("00000000-0000-0000-0000-000000000020", "00000000000000000000000010"),
        ("ffffffff-ffff-ffff-ffff-ffffffffffff", "7zzzzzzzzzzzzzzzzzzzzzzzzz"),
        ("0110c853-1d09-52d8-d73e-1194e95b5f19", "0123456789abcdefghjkmnpqrs"),
        ("01890a5d-ac96-774b-bcce-b302099a8057", "01h455vb4pex5vsknk084sn02q"),
    ],
)
def test_the_examples_of_the_typeid_specification_hold_in_both_directions(uuid: str, suffix: str) -> None:
    assert ids.encode("evt", UUID(uuid)) == f"evt_{suffix}"
    assert ids.decode("evt", f"evt_{suffix}") == UUID(uuid)


@given(UUIDS, st.sampled_from(sorted(ids.PREFIXES)))
def test_an_identifier_reads_back_as_its_uuid(value: UUID, prefix: str) -> None:
    assert ids.decode(prefix, ids.encode(prefix, value)) == value


@given(UUIDS, UUIDS)
def test_identifiers_sort_like_their_uuids(one: UUID, other: UUID) -> None:
    assert (one < other) == (ids.encode("evt", one) < ids.encode("evt", other))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "evt",
        "evt_",
        "inc_01h455vb4pex5vsknk084sn02q",
        "EVT_01h455vb4pex5vsknk084sn02q",
        "evt_01H455VB4PEX5VSKNK084SN02Q",
        "evt_81h455vb4pex5vsknk084sn02q",
        "evt_z1h455vb4pex5vsknk084sn02q",
        "evt_01h455vb4pex5vsknk084sn02",
        "evt_01h455vb4pex5vsknk084sn02q0",
        "evt_01h455vb4pex5vsknk084sn02i",
        "evt_01h455vb4pex5vsknk084sn02l",
        "evt_01h455vb4pex5vsknk084sn02o",
        "evt_01h455vb4pex5vsknk084sn02u",
        "evt_01h455vb4pex5vsknk084sn0_2",
        "evt_01h455vb4pex5vsknk084sn02\n",
        "evt_01h455vb4pex5vsknk084sn02q\n",
        " evt_01h455vb4pex5vsknk084sn02q",
        "evt-01h455vb4pex5vsknk084sn02q",
        "evt_+1h455vb4pex5vsknk084sn02q",
        "evt_0١h455vb4pex5vsknk084sn02q",
        "evt_01890a5d-ac96-774b-bcce-b302099a8057",
    ],
)
def test_only_the_canonical_form_of_an_identifier_is_decoded(text: str) -> None:
    assert ids.decode("evt", text) is None


@given(st.text())
def test_reading_an_identifier_never_raises(text: str) -> None:
    assert ids.decode("evt", text) is None


@given(st.integers(0, 2**48 - 1), st.binary(min_size=10, max_size=10))
def test_a_new_uuid_is_of_version_7_and_begins_with_its_millisecond(unix_ms: int, random_bits: bytes) -> None:
    value = ids.uuid7(unix_ms, random_bits)

    assert (value.version, value.variant) == (7, "specified in RFC 4122")
    assert value.int >> 80 == unix_ms


def test_the_random_bits_of_a_new_uuid_all_come_from_the_bytes_given() -> None:
    seen = ids.uuid7(0, b"\x00" * 10).int ^ ids.uuid7(0, b"\xff" * 10).int

    assert seen.bit_count() == 74


@pytest.mark.parametrize(("unix_ms", "length"), [(-1, 10), (2**48, 10), (0, 9), (0, 11)])
def test_a_uuid_refuses_values_out_of_range(unix_ms: int, length: int) -> None:
    with pytest.raises(ValueError):
        ids.uuid7(unix_ms, b"\x00" * length)


def test_every_kind_of_record_has_its_prefix() -> None:
    decided = "usr ses dev wsp mbr inv src key evt inc sil rul prf dst ntc dlv mon wat aud view psk prv cac tbr alr sch lay ovr fwd cal cme"

    assert sorted(ids.PREFIXES) == sorted(decided.split())
