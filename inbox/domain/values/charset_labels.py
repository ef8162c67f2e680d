"""Character sets by the labels that senders give them, decoded as browsers do (the Encoding Standard of the WHATWG).

Mail programs and appliances label text by habit: `iso-8859-1` is Windows-1252, `gb2312` is GB 18030, and
`ks_c_5601-1987` is the Korean code page 949. Only the codecs of this table are used, because codecs such as `punycode`
take quadratic time.
"""

from __future__ import annotations

import codecs
from functools import lru_cache

_SINGLE_BYTE = {
    "cp866": "866 cp866 csibm866 ibm866",
    "iso8859_2": "csisolatin2 iso88592 iso885921987 isoir101 l2 latin2",
    "iso8859_3": "csisolatin3 iso88593 iso885931988 isoir109 l3 latin3",
    "iso8859_4": "csisolatin4 iso88594 iso885941988 isoir110 l4 latin4",
    "iso8859_5": "csisolatincyrillic cyrillic iso88595 iso885951988 isoir144",
    "iso8859_6": "arabic asmo708 csiso88596e csiso88596i csisolatinarabic ecma114 iso88596 iso88596e iso88596i"
    " iso885961987 isoir127",
    "iso8859_7": "csisolatingreek ecma118 elot928 greek greek8 iso88597 iso885971987 isoir126 suneugreek",
    "iso8859_8": "csiso88598e csiso88598i csisolatinhebrew hebrew iso88598 iso88598e iso88598i iso885981988 isoir138"
    " logical visual",
    "iso8859_10": "csisolatin6 iso885910 isoir157 l6 latin6",
    "iso8859_13": "iso885913 latin7",
    "iso8859_14": "iso885914 latin8",
    "iso8859_15": "csisolatin9 iso885915 l9 latin9",
    "iso8859_16": "iso885916 latin10",
    "koi8_r": "cskoi8r koi koi8 koi8r",
    "koi8_u": "koi8ru koi8u",
    "mac_cyrillic": "xmaccyrillic xmacukrainian",
    "mac_roman": "csmacintosh mac macintosh xmacroman",
    "cp874": "cp874 dos874 iso885911 tis620 windows874",
    "cp1250": "cp1250 windows1250 xcp1250",
    "cp1251": "cp1251 windows1251 xcp1251",
    "cp1252": "ansix341968 ascii cp1252 cp819 csisolatin1 ibm819 iso646us iso88591 iso885911987 isoir100 l1 latin1 usascii"
    " windows1252 xcp1252",
    "cp1253": "cp1253 windows1253 xcp1253",
    "cp1254": "cp1254 csisolatin5 iso88599 iso885991989 isoir148 l5 latin5 windows1254 xcp1254",
    "cp1255": "cp1255 windows1255 xcp1255",
    "cp1256": "cp1256 windows1256 xcp1256",
    "cp1257": "cp1257 windows1257 xcp1257",
    "cp1258": "cp1258 windows1258 xcp1258",
    "cp437": "437 cp437 ibm437",
    "cp850": "850 cp850 ibm850",
    "cp852": "852 cp852 ibm852",
    "cp858": "858 cp858 ibm858 ibm00858",
}
"""The labels of codecs with a table of 256 characters. DOS code pages are not of the standard, but of old appliances."""

_MULTI_BYTE = {
    "utf-8": "unicode11utf8 unicode20utf8 utf8 xunicode20utf8",
    "utf-16-le": "csunicode iso10646ucs2 ucs2 unicode unicodefeff utf16 utf16le",
    "utf-16-be": "unicodefffe utf16be",
    "gb18030": "chinese cp936 csgb2312 csiso58gb231280 gb18030 gb2312 gb231280 gbk isoir58 ms936 windows936 xgbk",
    "big5hkscs": "big5 big5hkscs cnbig5 cp950 csbig5 windows950 xxbig5",
    "euc_jp": "cseucpkdfmtjapanese eucjp xeucjp",
    "iso2022_jp_ext": "cp50220 cp50221 csiso2022jp iso2022jp",
    "cp932": "cp932 csshiftjis ms932 mskanji shiftjis sjis windows31j windows932 xsjis",
    "cp949": "cp949 cseuckr csksc56011987 euckr isoir149 korean ksc5601 ksc56011987 ksc56011989 ms949 uhc windows949",
}

_CODECS = {
    label: codec for table in (_SINGLE_BYTE, _MULTI_BYTE) for codec, labels in table.items() for label in labels.split()
}
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_CORRECTED = {
    "cp1255": {0xCA: "\u05ba"},
    "koi8_u": {0xAE: "\u045e", 0xBE: "\u040e"},
    "mac_cyrillic": {0xA2: "\u0490", 0xB6: "\u0491", 0xFF: "\u20ac"},
}
"""The characters of single bytes that the standard library lacks, or has from an older table."""

_JAPANESE = ("euc_jp", "iso2022_jp_ext")
_WIDE_SIGNS = str.maketrans("\u301c\u2016\u2212\xa2\xa3\xac", "\uff5e\u2225\uff0d\uffe0\uffe1\uffe2")
_MOST_HANDLED = 1024 * 1024
"""The most bytes whose faults are handled one by one. A handler is called for each fault, which takes time."""


def codec(label: str) -> str | None:
    """Returns the codec of a label; None for an unknown one. Case, blanks, `-`, `_` and a language after `*` are ignored."""
    letters = label.partition("*")[0][:64].lower()
    return _CODECS.get("".join(letter for letter in letters if letter.isascii() and letter.isalnum()))


def decode(data: bytes, label: str) -> str | None:
    """Returns the text; None for an unknown label. A byte order mark goes before the label, and is left out.

    A byte that has no character becomes U+FFFD, or in a table of single bytes the control character of its number.
    """
    name = codec(label)
    if name is None:
        return None
    for mark, of_mark in _MARKS:
        if data.startswith(mark):
            data, name = data[len(mark) :], of_mark
    if name in _SINGLE_BYTE:
        return codecs.charmap_decode(data, "strict", _table(name))[0]
    handled = name in _HANDLERS and len(data) <= _MOST_HANDLED
    text = data.decode(name, f"inbox.{name}" if handled else "replace")
    return text.translate(_WIDE_SIGNS) if name in _JAPANESE else text


@lru_cache(maxsize=len(_SINGLE_BYTE))
def _table(name: str) -> str:
    """Returns the character of each byte."""
    characters = [bytes((number,)).decode(name, "replace") for number in range(256)]
    for number in range(0x80, 0xA0):
        if characters[number] == "\ufffd":
            characters[number] = chr(number)
    for number, character in _CORRECTED.get(name, {}).items():
        characters[number] = character
    return "".join(characters)


def _euro(fault: UnicodeError) -> tuple[str, int]:
    """Returns the euro sign for a single byte 0x80, which the Chinese Windows writes."""
    assert isinstance(fault, UnicodeDecodeError)
    is_euro = fault.object[fault.start] == 0x80
    return "\u20ac" if is_euro else "\ufffd", fault.start + 1 if is_euro else fault.end


def _japanese(fault: UnicodeError) -> tuple[str, int]:
    """Returns a vendor character, such as `①` or `㈱`, from the same position in the Windows code page."""
    assert isinstance(fault, UnicodeDecodeError)
    row, cell = (byte | 0x80 for byte in (fault.object[fault.start : fault.start + 2] + b"\0\0")[:2])
    if not (0xA1 <= row <= 0xFE and 0xA1 <= cell <= 0xFE):
        return "\ufffd", fault.end
    row, cell = row - 0xA1, cell - 0xA1
    lead = row // 2 + (0x81 if row < 62 else 0xC1)
    trail = cell + 0x9F if row % 2 else cell + (0x40 if cell < 63 else 0x41)
    found = bytes((lead, trail)).decode("cp932", "replace")
    return (found, fault.start + 2) if len(found) == 1 and found != "\ufffd" else ("\ufffd", fault.end)


_HANDLERS = {"gb18030": _euro, "euc_jp": _japanese, "iso2022_jp_ext": _japanese}
for _name, _handler in _HANDLERS.items():
    codecs.register_error(f"inbox.{_name}", _handler)
