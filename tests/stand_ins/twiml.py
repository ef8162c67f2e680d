"""TwiML as its published schema has it: the verbs, their attributes with values, and what may stand inside."""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

_NUMBER, _METHOD, _URL, _WORD = r"[0-9]+", r"GET|POST", r"https?://[^\s<>]+", r"[A-Za-z0-9._ -]+"
_FLAG = r"true|false"

ATTRIBUTES: Mapping[str, Mapping[str, str]] = {
    "Response": {},
    "Say": {"voice": _WORD, "language": _WORD, "loop": _NUMBER},
    "Pause": {"length": _NUMBER},
    "Hangup": {},
    "Gather": {
        "input": r"dtmf|speech|dtmf speech",
        "action": _URL,
        "method": _METHOD,
        "timeout": _NUMBER,
        "speechTimeout": r"[0-9]+|auto",
        "finishOnKey": r"[0-9#*]?",
        "numDigits": r"[1-9][0-9]*",
        "language": _WORD,
        "hints": r".*",
        "bargeIn": _FLAG,
        "actionOnEmptyResult": _FLAG,
        "profanityFilter": _FLAG,
    },
    "Message": {"to": r"\+[0-9]+", "from": r"\+[0-9]+", "action": _URL, "method": _METHOD, "statusCallback": _URL},
}
"""The attributes of each verb that this product may use, and their values."""

INSIDE = {"Response": {"Say", "Pause", "Hangup", "Gather", "Message"}, "Gather": {"Say", "Pause"}}
LONGEST, LONGEST_SAY = 4_000, 4_096


def checked(document: str) -> Element:
    """The document, if Twilio takes it."""
    assert len(document) <= LONGEST
    try:
        root = ElementTree.fromstring(document)
    except ElementTree.ParseError as fault:
        raise AssertionError("not well-formed") from fault
    assert root.tag == "Response"
    _check(root)
    return root


def said(document: str) -> list[str]:
    """What is spoken, in its order."""
    return [each.text or "" for each in checked(document).iter("Say")]


def _check(element: Element) -> None:
    assert element.tag in ATTRIBUTES, element.tag
    for name, value in element.attrib.items():
        assert re.fullmatch(ATTRIBUTES[element.tag][name], value), f"{element.tag} {name}={value!r}"
    if element.tag in ("Say", "Message"):
        assert element.text and len(element.text) <= LONGEST_SAY and not len(element)
        return
    assert not (element.text or "").strip(), "text beside verbs"
    for child in element:
        assert child.tag in INSIDE.get(element.tag, set()), f"{child.tag} in {element.tag}"
        assert not (child.tail or "").strip(), "text beside verbs"
        _check(child)
