"""Requests of an own form: escaped values, methods, parameters, and templates that are refused."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, unquote_plus, urlsplit
from xml.etree import ElementTree

import pytest

from inbox.destinations import KINDS, Config, Message
from inbox.destinations.http import Client
from inbox.domain.deliveries.delivery import FailureReason, Receipt
from inbox.domain.values.addresses import OutboundPolicy
from inbox.domain.values.refusals import ValidationFailed
from tests.destinations.kinds.notice_bodies import body
from tests.destinations.receivers import Receiver, Request, answer

HTTP_REQUEST = KINDS["http_request"]
CLIENT = Client(OutboundPolicy(allow_private=True, allow_loopback=True), deadline=60.0)
HOSTILE = 'x", "admin": true, "y": "\\ \n\u2028</a>&b=1+2 %00{{ key }}'


def config_of(**settings: Any) -> Config:
    return HTTP_REQUEST.validate({"url": "http://127.0.0.1:9/x", **settings}, lambda _: None)


def sent(path: str = "/hook", *, title: str = HOSTILE, sentence: str = "", **settings: Any) -> tuple[Request, Receipt]:
    """The request as it arrived, and the receipt."""
    with Receiver(answer(200)) as receiver:
        config = config_of(url=receiver.url.rpartition("/")[0] + path, **settings)
        message = Message("dlv_1", body(title=title, **({"text": sentence} if sentence else {})), datetime.now(UTC))
        receipt = HTTP_REQUEST.send(message, config, CLIENT)
    return receiver.hits[0], receipt


def fault(pointer: str, **settings: Any) -> str:
    with pytest.raises(ValidationFailed) as refused:
        config_of(**settings)
    (found,) = refused.value.errors
    assert found.pointer == f"/config/{pointer}"
    return found.detail


def test_the_standard_body_is_json_with_the_text_of_the_notice() -> None:
    request, receipt = sent()

    assert receipt.is_accepted
    assert (request.method, request.headers["content-type"]) == ("POST", "application/json")
    found = json.loads(request.body)
    assert (found["title"], found["status"], found["severity"]) == (HOSTILE, "CRITICAL", "CRITICAL")
    assert set(found) == {"title", "text", "status", "severity", "url"}
    assert request.headers["idempotency-key"] == "dlv_1"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
def test_the_body_is_sent_with_the_method_of_the_settings(method: str) -> None:
    request, _ = sent(method=method, body='{"a": "{{ title }}", "n": {{ 1 if severity == "CRITICAL" else 2 }}}')

    assert (request.method, json.loads(request.body)) == (method, {"a": HOSTILE, "n": 1})


def test_a_get_has_parameters_and_no_body() -> None:
    request, _ = sent("/sms?to=1", method="GET", query="text={{ title }}&key={{ key }}", key="key+of=them")

    assert (request.method, request.body, "content-type" in request.headers) == ("GET", b"", False)
    assert parse_qs(urlsplit(request.path).query) == {"to": ["1"], "text": [HOSTILE], "key": ["key+of=them"]}


def test_long_parameters_are_cut_and_keep_the_key() -> None:
    request, receipt = sent(
        method="GET", query="text={{ title }}&again={{ title }}&key={{ key }}", key="k" * 300, title="ü" * 256
    )

    assert receipt.is_accepted
    found = parse_qs(urlsplit(request.path).query)
    assert found["key"] == ["k" * 300]
    assert found["text"] == found["again"] == ["ü" * 50]


def test_values_of_a_form_are_escaped() -> None:
    request, _ = sent(contentType="application/x-www-form-urlencoded", body="to=5&text={{ title }}&last=1")

    assert request.headers["content-type"] == "application/x-www-form-urlencoded"
    first, text, last = request.body.decode().split("&")
    assert (first, unquote_plus(text), last) == ("to=5", f"text={HOSTILE}", "last=1")


def test_values_in_xml_are_escaped() -> None:
    request, _ = sent(contentType="application/xml", body="<a b='{{ title }}'>{{ title }}</a>", title=HOSTILE + "\x0b'")

    assert request.headers["content-type"] == "application/xml; charset=utf-8"
    found = ElementTree.fromstring(request.body)
    assert (found.text, list(found), set(found.attrib)) == (HOSTILE + "'", [], {"b"})


def test_plain_text_has_values_as_they_are() -> None:
    request, _ = sent(contentType="text/plain", body="{{ status }}: {{ title }}")

    assert request.headers["content-type"] == "text/plain; charset=utf-8"
    assert request.body.decode() == f"CRITICAL: {HOSTILE}"


@pytest.mark.parametrize(
    "template",
    [
        '{"a": {{ title }}}', "{{ title }}", '{"a": "x" {{ title }}}', '{"a": "\\{{ title }}"}', '{"a": {{ title or 1 }}}',
        '{"a": {{ 1 if state else title }}}', '{"a": {{ "1" ~ title }}}', '{"a": {{ 1 if state }}}',
        '{"a": {% if state %}"{% else %}1{% endif %}{{ title }}"}', '{"a": "{% if state %}"{% endif %}{{ title }}"}',
        '{"a": {% if severity == "DEBUG" %}{{ title }}{% else %}1{% endif %}}',
        '{"a": {% if severity == "DEBUG" %}1{% elif state %}{{ title|upper }}{% else %}1{% endif %}}',
    ],
)  # fmt: skip
def test_a_variable_outside_of_the_quotes_of_json_is_refused(template: str) -> None:
    assert fault("body", body=template).startswith("cannot be used: line 1: ")


@pytest.mark.parametrize("template", ["", "   ", "[1,]", '{"a": "{{ title }}"', "title", '{"a": {{ true }}}'])
def test_a_body_that_gives_no_json_is_refused(template: str) -> None:
    assert fault("body", body=template)


@pytest.mark.parametrize(
    "template", ["{{ title.upper() }}", "{% for x in title %}{% endfor %}", "{{ secret }}", "{{ title", "{{ 1 + 1 }}"]
)
def test_templates_have_the_language_of_message_texts(template: str) -> None:
    for form in ("text/plain", "application/xml", "application/x-www-form-urlencoded"):
        assert "cannot be used" in fault("body", contentType=form, body=template)
    assert "cannot be used" in fault("query", query=template)


def test_a_template_needs_the_key_that_it_names() -> None:
    assert "names it" in fault("key", body='{"k": "{{ key }}"}')
    assert "names it" in fault("key", query="k={{ key|upper }}")


def test_a_result_that_is_too_long_is_refused_and_said() -> None:
    template = '{"a": "' + "{{ title }}" * 700 + '"}'
    message = Message("dlv_1", body(title="\\" * 256), datetime.now(UTC))
    receipt = HTTP_REQUEST.send(message, config_of(body=template), CLIENT)

    assert receipt.failure is FailureReason.MESSAGE_REFUSED
    assert "65,536 characters" in receipt.excerpt
    with pytest.raises(ValidationFailed):
        config_of(body=template + " " * 500)
