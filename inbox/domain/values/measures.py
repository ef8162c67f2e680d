"""Measures in texts: what changes from one message about a thing to the next, in contrast to the names of things.

Measures are percentages, sizes and durations with a unit, decimals, dates, times, UUIDs and hexadecimal runs. IP and
email addresses, host names, versions, ports and bare numbers ("Disk 3", "VM 101") name things.
"""

import re
import unicodedata

PLACEHOLDER = "#"

# A measure is no part of a longer name: `web-80`, `10.0.0.5`, `i-0abc12345678def`, `v1.4`.
_LEFT = r"(?<!\w[-.])(?<![0-9][,:])"
_RIGHT = r"(?![\w@]|[.-]\w|,[0-9])"

_MONTH = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
_WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?\s)"
_YEAR = r"(?:(?:19|20)[0-9]{2})"
_CLOCK = r"(?:[0-9]{1,2}:[0-5][0-9](?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?:\s?[ap]m)?(?:\s?z|\s?(?:utc|gmt)|\s?[+-][0-9]{2}:?[0-9]{2})?)"
_DATE = (
    rf"(?:{_YEAR}([-/.])[0-9]{{1,2}}\1[0-9]{{1,2}}|[0-9]{{1,2}}([-/.])[0-9]{{1,2}}\2{_YEAR}"
    rf"|[0-9]{{2}}/[0-9]{{2}}/[0-9]{{2}}|{_YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])"
    rf"|{_WEEKDAY}?(?:[0-9]{{1,2}}\.?\s{_MONTH}|{_MONTH}\s{{1,2}}[0-9]{{1,2}}(?:,|(?![\w:.])))(?:\s{_YEAR})?)"
)
_SIZE = r"(?:(?:[kmgtpe]i?|kilo|mega|giga|tera|peta)?(?:bytes?|bits?|bps)|[kmgtpe]i?b(?:ps)?|[kmgt]i)(?:/s(?:ec)?)?"
_DURATION = (
    r"(?:[num\u03bc]s(?:ecs?)?|(?:milli|micro|nano)seconds?|s(?:ec(?:ond)?s?)?|m(?:in(?:ute)?s?)?|h(?:rs?|ours?)?|d(?:ays?)?"
    r"|weeks?|months?|years?)"
)
_OTHER_UNIT = r"(?:percent|pct|°\s?[cf]?|celsius|fahrenheit|[kmg]?hz|rpm)"
_NUMBER = r"[+-]?[0-9]++(?:[.,][0-9]++)*+"
_STANDING_ALONE = (
    rf"(?<!/){_DATE}(?:(?:\s|t|_|,\s){_CLOCK}|(?:t|_)[0-9]{{4,6}}z?)?{_RIGHT}",
    rf"(?<!:){_CLOCK}{_RIGHT}(?!:\w)",
    rf"0x[0-9a-f]++{_RIGHT}",
    rf"(?=[0-9]*+[a-f])[0-9a-f]{{8,}}+{_RIGHT}",
    rf"{_NUMBER}\s?(?:%(?!\w)|(?:{_SIZE}|{_DURATION}|{_OTHER_UNIT})(?:[0-9]++{_DURATION})*{_RIGHT})",
    rf"{_NUMBER}[kmgt]{_RIGHT}",
    rf"[+-]?[0-9]++(?:(?:,[0-9]{{3}})++(?:\.[0-9]++)?|[.,][0-9]++)(?:e[+-]?[0-9]++|[a-z\u03bc]{{1,4}})?{_RIGHT}",
    rf"[+-]?[0-9]++e[+-][0-9]++{_RIGHT}",
)
_MEASURE = re.compile(
    r"(?=[0-9a-fjmnostw+-])(?<![\w@])"  # The letters begin hexadecimal runs, months and weekdays.
    r"(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?!\w)"
    rf"|{_LEFT}(?:{'|'.join(_STANDING_ALONE)}))"
)
_DIGIT = re.compile("[0-9]")
_SEVERAL = re.compile(rf"{PLACEHOLDER}(?:,? {PLACEHOLDER})+")


def replace_measures(text: str) -> str:
    """Returns the text with `#` for each measure, case-folded and with single spaces; consecutive measures are one `#`.

    Two texts about one thing are equal, whatever its values are. The work is linear in the length of the text.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    text = text.casefold()
    if _DIGIT.search(text):
        text = _MEASURE.sub(PLACEHOLDER, text)
    return _SEVERAL.sub(PLACEHOLDER, " ".join(text.split()))
