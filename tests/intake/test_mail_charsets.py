"""Subjects, texts and names of attachments in the character sets that mail programs and appliances write."""

from __future__ import annotations

from base64 import b64encode
from urllib.parse import quote_from_bytes

import pytest

from inbox.intake import mail_message

SETS = [
    ("ks_c_5601-1987", "cp949", "서버 다운: db-1"),
    ("EUC-KR", "cp949", "똠 서버"),
    ("gb2312", "gb18030", "磁盘已满 – 請檢查 db-1"),
    ("gbk", "gb18030", "价格 5 €"),
    ("shift_jis", "cp932", "ディスク①障害～"),
    ("windows-31j", "cp932", "ディスク①障害"),
    ("x-sjis", "cp932", "障害㈱"),
    ("iso-2022-jp", "iso2022_jp", "障害"),
    ("euc-jp", "euc_jp", "障害"),
    ("big5", "big5", "磁碟已滿"),
    ("iso-8859-1", "cp1252", "Plattenplatz “knapp” – 91 % €"),
    ("us-ascii", "utf-8", "Größe “knapp”"),
    ("us-ascii", "cp1252", "Größe “knapp”"),
    ("unknown-8bit", "cp1252", "Größe"),
    ("iso-8859-9", "cp1254", "“şişe”"),
    ("iso-8859-8-i", "iso8859_8", "שגיאה"),
    ("windows-1251", "cp1251", "Диск полон"),
    ("koi8-r", "koi8_r", "Диск полон"),
    ("tis-620", "cp874", "ดิสก์…"),
    ("cp850", "cp850", "Größe"),
    ("iso-2022-kr", "iso2022_kr", "서버"),
    ("utf-8", "utf-8", "Größe ✓"),
]


@pytest.mark.parametrize(("label", "codec", "text"), SETS)
@pytest.mark.parametrize("encoding", ["base64", "8bit"])
def test_a_mail_reads_as_its_mail_program_shows_it(label: str, codec: str, text: str, encoding: str) -> None:
    data = text.encode(codec)
    body = b64encode(data) if encoding == "base64" else data
    mail = (
        f"From: nas@example.org\r\nSubject: =?{label}?B?{b64encode(data).decode()}?=\r\nMIME-Version: 1.0\r\n"
        f'Content-Type: text/plain; charset="{label}"\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n'
    ).encode() + body + b"\r\n"  # fmt: skip

    read = mail_message.read(mail)

    assert (read.subject, read.text) == (text, text)


@pytest.mark.parametrize(
    ("label", "codec", "text"),
    [each for each in SETS if each[0] not in ("iso-2022-kr", "iso-2022-jp", "us-ascii", "unknown-8bit")],
)
def test_a_subject_of_raw_bytes_has_the_character_set_of_the_text(label: str, codec: str, text: str) -> None:
    content = b"Subject: %b\r\nContent-Type: text/plain; charset=%b\r\n\r\nx" % (text.encode(codec), label.encode())

    assert mail_message.read(content).subject == text


def names(disposition: bytes) -> str:
    head = b"Subject: s\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: image/png\r\n"
    [described] = mail_message.read(head + disposition + b"\r\n\r\nabc\r\n--b--\r\n").attachments
    return described


@pytest.mark.parametrize(("label", "codec", "text"), SETS)
def test_the_name_of_an_attachment_is_decoded_in_each_way_to_write_it(label: str, codec: str, text: str) -> None:
    data, start = text.encode(codec), b"Content-Disposition: attachment; "
    word = f'filename="=?{label}?B?{b64encode(data).decode()}?="'
    percent = f"filename*={label}''{quote_from_bytes(data)}"

    assert names(start + word.encode()).startswith(f"{text} (image/png")
    assert names(start + percent.encode()).startswith(f"{text} (image/png")


def test_a_name_of_raw_bytes_or_of_the_type_is_a_name() -> None:
    raw = 'Content-Disposition: attachment;\r\n filename="Größe.png"'

    assert names(raw.encode()).startswith("Größe.png (")
    assert names(raw.encode("latin-1")).startswith("Größe.png (")
    assert names(b"Content-ID: <x>").startswith("a part without a name (")


def test_a_language_in_an_encoded_word_does_not_matter() -> None:
    assert mail_message.read(b"Subject: =?iso-8859-1*de?Q?Gr=F6=DFe?=\r\n\r\nx").subject == "Größe"
