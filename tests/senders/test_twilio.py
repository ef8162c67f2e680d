"""Twilio's Python library signs callbacks that are accepted, and builds the documents that answer calls and SMS."""

from __future__ import annotations

import json
from collections.abc import Mapping
from xml.etree import ElementTree

import pytest

from inbox.destinations import Config, twilio
from inbox.destinations.twilio_sms import KIND as SMS
from inbox.destinations.twilio_voice import KIND as CALL
from inbox.destinations.twilio_voice import spoken
from tests.senders.conftest import python
from tests.stand_ins.twilio import ACCOUNT, AUTH_TOKEN

pytestmark = pytest.mark.slow

URL = "https://inbox.example.org/v1/calls/voice/t0ken?of=1&to=a%20b"
WORDS = 'CRITICAL: <db2> & "web" are down at 99 % – naïve, 数据库.'

SIGN = """
import json
from twilio.request_validator import RequestValidator
url, form, token = json.loads(GIVEN)
print(RequestValidator(token).compute_signature(url, form))
"""

BUILD = """
import inspect, json, re
from xml.etree import ElementTree
from twilio.twiml.messaging_response import MessagingResponse
from twilio.twiml.voice_response import VoiceResponse

def named(method):
    parameters = inspect.signature(method).parameters.values()
    return {each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD}

def build(parent, element):
    method = getattr(parent, re.sub('([A-Z])', lambda found: '_' + found[1].lower(), element.tag).lstrip('_'))
    given = {re.sub('([A-Z])', lambda found: '_' + found[1].lower(), name): value for name, value in element.items()}
    if element.text:
        given['body' if element.tag == 'Message' else 'message'] = element.text
    unknown = sorted(given.keys() - named(method))
    assert not unknown, f'{element.tag} has no {unknown}'
    made = method(**given)
    for child in element:
        build(made, child)

document, kind = json.loads(GIVEN)
response = VoiceResponse() if kind == 'voice' else MessagingResponse()
for child in ElementTree.fromstring(document):
    build(response, child)
print(ElementTree.canonicalize(str(response)).encode().hex())
"""


def given(script: str, *values: object) -> str:
    """What a script prints that gets these values as JSON."""
    return python(f"GIVEN = {json.dumps(values)!r}\n{script}", {})


def built(document: str, kind: str) -> str:
    """The document as the library builds it, which fails for a verb, a place or an attribute that it does not know."""
    return bytes.fromhex(given(BUILD, document, kind)).decode()


@pytest.mark.parametrize(
    ("document", "kind"),
    [
        (spoken(WORDS, URL), "voice"),
        (spoken(WORDS, ""), "voice"),
        (CALL.repeat(WORDS, URL)[1], "voice"),
        (CALL.end(WORDS)[1], "voice"),
        (SMS.answer(WORDS), "messaging"),
        (SMS.answer(""), "messaging"),
    ],
    ids=["keys", "no keys", "repeat", "end", "reply", "no reply"],
)
def test_a_document_is_the_one_that_the_library_builds(document: str, kind: str) -> None:
    assert built(document, kind) == ElementTree.canonicalize(document)


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ("<Shout>a</Shout>", "'VoiceResponse' object has no attribute 'shout'"),
        ('<Gather actions="https://a.example"/>', r"Gather has no \['actions'\]"),
        ("<Say><Say>a</Say></Say>", "'Say' object has no attribute 'say'"),
    ],
    ids=["verb", "attribute", "place"],
)
def test_the_library_builds_no_document_with_an_unknown_part(wrong: str, error: str) -> None:
    with pytest.raises(AssertionError, match=error):
        built(twilio.twiml(wrong), "voice")


@pytest.mark.parametrize(
    "form",
    [
        {"CallSid": "CA1", "Digits": "4", "From": "+491700000001"},
        {"Body": "15a – ja & naïve", "From": "+491700000001", "to": "x", "To": "+15550100", "MediaUrl": ""},
        {},
    ],
    ids=["key", "text", "empty"],
)
def test_a_callback_that_the_library_signs_is_accepted(form: Mapping[str, str]) -> None:
    config = Config({"accountSid": ACCOUNT, "keySid": ACCOUNT}, {"keySecret": AUTH_TOKEN})

    signature = given(SIGN, URL, form, AUTH_TOKEN)
    foreign = given(SIGN, URL, form, "token of another account")

    assert twilio.is_signed(config, URL, form, signature)
    assert not twilio.is_signed(config, URL, form, foreign)
    assert not twilio.is_signed(config, URL, {**form, "Digits": "6"}, signature)
    assert not twilio.is_signed(config, f"{URL}&x=1", form, signature)
