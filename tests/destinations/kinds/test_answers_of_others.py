"""Answers of other services: sent, retry after a pause, message refused, or destination refused."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest

from tests.destinations.kinds.stand_in import Stage, given, outcome
from tests.stand_ins.receivers import Answer

SENT, RETRY, MESSAGE, STOP = "sent", "retry", "message refused", "destination refused"
TOKEN_REFUSED = {"token": "invalid", "errors": ["application token is invalid"], "status": 0}
USER_REFUSED = {"user": "invalid", "errors": ["user identifier is not valid"], "status": 0}


def google(status: int, word: str, message: str = "") -> Answer:
    return given(status, {"error": {"code": status, "status": word, "message": message}})


def matrix(status: int, code: str, **fields: int) -> Answer:
    return given(status, {"errcode": code, "error": "no", **fields})


def ntfy(code: int) -> Answer:
    return given(code // 100, {"code": code, "http": code // 100, "error": "no"})


def twilio(status: int, code: int) -> Answer:
    return given(status, {"code": code, "message": "no", "status": status})


ANSWERS: list[tuple[str, Answer, str, float | None]] = [
    ("teams", Answer(429, b"", {"Retry-After": "20"}), RETRY, 20),
    ("teams", Answer(408), RETRY, None),
    ("teams", given(400, {"error": {"code": "WorkflowTriggerIsNotEnabled"}}), STOP, None),
    ("teams", given(400, {"error": {"code": "InvalidRequestContent"}}), MESSAGE, None),
    ("teams", given(401, {"error": {"code": "DirectApiAuthorizationRequired"}}), STOP, None),
    ("teams", Answer(413), MESSAGE, None),
    ("google_chat", google(429, "RESOURCE_EXHAUSTED"), RETRY, None),
    ("google_chat", google(400, "INVALID_ARGUMENT", "Invalid JSON payload received."), MESSAGE, None),
    ("google_chat", google(400, "INVALID_ARGUMENT", "Invalid value at 'message.thread.threadKey'"), MESSAGE, None),
    ("google_chat", google(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."), STOP, None),
    ("google_chat", google(400, "INVALID_ARGUMENT", "The webhook token is invalid"), STOP, None),
    ("google_chat", google(403, "PERMISSION_DENIED"), STOP, None),
    ("google_chat", google(404, "NOT_FOUND"), STOP, None),
    ("matrix", matrix(429, "M_LIMIT_EXCEEDED", retry_after_ms=2_500), RETRY, 2.5),
    ("matrix", Answer(429, matrix(429, "M_LIMIT_EXCEEDED").body, {"Retry-After": "8"}), RETRY, 8),
    ("matrix", Answer(502, b"<html>proxy</html>"), RETRY, None),
    ("matrix", matrix(401, "M_UNKNOWN_TOKEN"), STOP, None),
    ("matrix", matrix(401, "M_MISSING_TOKEN"), STOP, None),
    ("matrix", matrix(403, "M_USER_DEACTIVATED"), STOP, None),
    ("matrix", matrix(403, "M_FORBIDDEN"), STOP, None),
    ("matrix", matrix(404, "M_NOT_FOUND"), STOP, None),
    ("matrix", matrix(413, "M_TOO_LARGE"), MESSAGE, None),
    *(("matrix", matrix(400, code), MESSAGE, None) for code in ("M_BAD_JSON", "M_NOT_JSON", "M_INVALID_PARAM")),
    *(("ntfy", ntfy(code), RETRY, None) for code in (42901, 42905, 42909, 50001)),
    *(("ntfy", ntfy(code), MESSAGE, None) for code in (40001, 41301, 50701)),
    *(("ntfy", ntfy(code), STOP, None) for code in (40009, 40010, 40101, 40301, 40401)),
    ("gotify", given(400, {"error": "Bad Request", "errorCode": 400}), MESSAGE, None),
    ("gotify", given(401, {"error": "Unauthorized", "errorCode": 401}), STOP, None),
    ("gotify", given(403, {"error": "Forbidden", "errorCode": 403}), STOP, None),
    ("gotify", Answer(404), STOP, None),
    ("gotify", Answer(503), RETRY, None),
    ("pushover", given(400, USER_REFUSED), STOP, None),
    ("pushover", given(400, TOKEN_REFUSED), STOP, None),
    ("pushover", given(400, {"errors": ["message cannot be blank"], "status": 0}), MESSAGE, None),
    ("pushover", given(200, {"status": 0, "errors": ["no"]}), MESSAGE, None),
    ("pushover", Answer(500), RETRY, None),
    ("pushover", given(429, {"status": 0, "errors": ["application is over its quota"]}), RETRY, None),
    ("pagerduty", given(400, {"status": "invalid event", "errors": ["'routing_key' is invalid"]}), STOP, None),
    ("pagerduty", given(400, {"status": "invalid event", "errors": ["'payload.summary' is missing"]}), MESSAGE, None),
    ("pagerduty", Answer(400, b"not JSON"), MESSAGE, None),
    ("pagerduty", Answer(429), RETRY, 60),
    ("pagerduty", Answer(500), RETRY, None),
    ("opsgenie", given(429, {"message": "slow"}, **{"X-RateLimit-Period-In-Sec": "60"}), RETRY, 60),
    ("opsgenie", Answer(503), RETRY, None),
    *(("opsgenie", given(status, {"message": "no"}), STOP, None) for status in (401, 402, 403)),
    *(("opsgenie", given(status, {"message": "no"}), MESSAGE, None) for status in (400, 422)),
    ("twilio_sms", twilio(429, 20429), RETRY, None),
    ("twilio_sms", twilio(400, 21611), RETRY, None),
    ("twilio_sms", Answer(503), RETRY, None),
    ("twilio_sms", twilio(400, 21617), MESSAGE, None),
    ("twilio_sms", twilio(400, 21602), MESSAGE, None),
    ("twilio_sms", twilio(401, 20003), STOP, None),
    *(("twilio_sms", twilio(400, code), STOP, None) for code in (
        10001, 21211, 21408, 21603, 21606, 21608, 21610, 21612, 21614,
    )),
]  # fmt: skip


@pytest.mark.parametrize(
    ("stage", "answer", "expected", "pause"),
    ANSWERS,
    indirect=["stage"],
    ids=[f"{name}-{answer.status}-{answer.body[:60].decode()}" for name, answer, _, _ in ANSWERS],
)
def test_an_answer_has_its_meaning(stage: Stage, answer: Answer, expected: str, pause: float | None) -> None:
    stage.receiver.script(answer)
    receipt = stage.send()

    assert outcome(receipt) == expected
    assert (receipt.retry_after.total_seconds() if receipt.retry_after else None) == pause


def test_a_broken_connection_is_tried_again(stage: Stage) -> None:
    stage.receiver.script(Answer(reset=True))

    assert outcome(stage.send()) == RETRY


def test_server_errors_and_a_named_pause_are_tried_again(stage: Stage) -> None:
    stage.receiver.script(Answer(503, b"", {"Retry-After": "77"}))
    receipt = stage.send()

    assert outcome(receipt) == RETRY
    assert receipt.retry_after is not None
    assert receipt.retry_after.total_seconds() == 77


@pytest.mark.parametrize("stage", ["pushover"], indirect=True)
def test_the_end_of_the_messages_of_a_month_is_a_pause_until_the_next(stage: Stage) -> None:
    stage.receiver.script(given(429, {"status": 0}, **{"X-Limit-App-Reset": str(int(time.time()) + 86_400)}))
    receipt = stage.send()

    assert outcome(receipt) == RETRY
    assert receipt.retry_after is not None
    assert 80_000 < receipt.retry_after.total_seconds() <= 86_400


@pytest.mark.parametrize("stage", ["ntfy"], indirect=True)
def test_the_end_of_the_messages_of_a_day_is_a_pause_until_midnight(stage: Stage) -> None:
    stage.receiver.script(ntfy(42908))
    before = datetime.now(UTC)
    receipt = stage.send()

    assert outcome(receipt) == RETRY
    assert receipt.retry_after is not None
    ends_at = before + receipt.retry_after
    assert abs(ends_at - ends_at.replace(hour=12, minute=0, second=0)) > timedelta(hours=11, minutes=59)
    assert timedelta() < receipt.retry_after <= timedelta(days=1)


@pytest.mark.parametrize("stage", ["opsgenie"], indirect=True)
def test_an_alert_that_is_gone_needs_no_end(stage: Stage) -> None:
    assert outcome(stage.send("resolved")) == SENT
    assert stage.receiver.requests[0].path.endswith("/close?identifierType=alias")
