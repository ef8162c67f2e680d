"""Character sets by their labels, as browsers decode them. The values were read from `TextDecoder` of a browser."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbox.domain.values import charset_labels
from tests.database.call_counts import calls_of

SMART = b"\x93knapp\x94 \x96 91 %"


@pytest.mark.parametrize(
    ("label", "data", "text"),
    [
        ("ks_c_5601-1987", b"\xbc\xad\xb9\xf6 \xb4\xd9\xbf\xee", "서버 다운"),
        ("euc-kr", "똠방각하".encode("cp949"), "똠방각하"),
        ("gb2312", b"\xb4\xc5\xc5\xcc\xd2\xd1\xc2\xfa \xa8C \xd5\x88\x99z\xb2\xe9", "磁盘已满 – 請檢查"),
        ("gbk", b"5 \x80", "5 €"),
        ("GBK", b"\xa2\xe3", "€"),
        ("shift_jis", "障害①㈱～".encode("cp932"), "障害①㈱～"),
        ("windows-31j", b"\x8f\xe1\x8aQ\x87@", "障害①"),
        ("x-sjis", b"\xb1\xb2", "ｱｲ"),
        ("euc-jp", b"\xbe\xe3\xb3\xb2\xad\xa1\xa1\xc1", "障害①～"),
        ("iso-2022-jp", b"\x1b$B>c32-!-j\x1b(B!", "障害①㈱!"),
        ("iso-2022-jp", b"\x1b(I12\x1b(B", "ｱｲ"),
        ("big5", "磁碟已滿".encode("big5"), "磁碟已滿"),
        ("iso-8859-1", SMART, "“knapp” – 91 %"),
        ("US-ASCII", SMART, "“knapp” – 91 %"),
        ("latin1", b"\x80 \x81", "€ \x81"),
        ("iso-8859-9", b"\x93\xfe\x94", "“ş”"),
        ("iso-8859-8-i", b"\xf9\xe2\xe9\xe0\xe4", "שגיאה"),
        ("windows-1255", b"\xca\xd9", "\u05ba\ufffd"),
        ("tis-620", b"\xa1\x85", "ก…"),
        ("koi8-u", b"\xae\xa4", "ўє"),
        ("iso-8859-15", b"\xa4\x85", "€\x85"),
        ("cp850", b"Gr\x81\xe1e", "Grüße"),
        ("utf-8", b"\xef\xbb\xbfa\xff", "a\ufffd"),
        ("iso-8859-1", b"\xef\xbb\xbfd\xc3\xbc", "dü"),
        ("utf-16", b"\xfe\xff\x00a", "a"),
        ("utf-16", b"a\x00\x00\xd8", "a\ufffd"),
    ],
)  # fmt: skip
def test_bytes_are_decoded_as_browsers_do(label: str, data: bytes, text: str) -> None:
    assert charset_labels.decode(data, label) == text


@pytest.mark.parametrize(
    ("label", "codec"),
    [("KS_C_5601-1987", "cp949"), (" utf8 ", "utf-8"), ("ISO_8859-1:1987", "cp1252"), ("iso8859-1", "cp1252"),
     ("iso-8859-11", "cp874"), ("utf-8*en", "utf-8"), ("windows-936", "gb18030"), ("cp1252", "cp1252")],
)  # fmt: skip
def test_labels_have_many_spellings(label: str, codec: str) -> None:
    assert charset_labels.codec(label) == codec


@pytest.mark.parametrize(
    "label", ["", "punycode", "unknown-8bit", "utf-7", "idna", "x" * 10_000, "rot13", "isö-8859-1"]
)
def test_other_labels_are_unknown(label: str) -> None:
    assert charset_labels.decode(b"abc", label) is None


ALL_LABELS = sorted(charset_labels._CODECS)


@pytest.mark.parametrize("label", ALL_LABELS)
def test_every_label_decodes_ascii_and_any_bytes(label: str) -> None:
    is_wide = (charset_labels.codec(label) or "").startswith("utf-16")
    every = bytes(range(256)) * 2

    assert is_wide or charset_labels.decode(b"Disk 3 failed", label) == "Disk 3 failed"
    assert charset_labels.decode(every, label)


@given(
    st.binary(max_size=60),
    st.sampled_from(["gb2312", "iso-2022-jp", "euc-jp", "shift_jis", "euc-kr", "big5", "utf-16"]),
)
def test_any_bytes_of_wide_sets_are_text_that_utf_8_can_store(data: bytes, label: str) -> None:
    text = charset_labels.decode(data, label)

    assert text is not None and bool(text.encode()) is bool(text)


def test_faults_of_large_texts_cost_little() -> None:
    large = b"\x80" * 4_000_000

    assert calls_of(lambda: charset_labels.decode(large, "gbk")) < 1_000
