"""Answers of chat services: sent, retry after a pause, message refused, or destination refused."""

from __future__ import annotations

import pytest

from tests.destinations.kinds.cases import EDITING
from tests.destinations.kinds.chat_services import Telegram
from tests.destinations.kinds.stand_in import Stage, given, outcome
from tests.stand_ins.receivers import Answer

SENT, RETRY, MESSAGE, STOP = "sent", "retry", "message refused", "destination refused"


def slack(error: str) -> Answer:
    return given(200, {"ok": False, "error": error})


def discord(status: int, code: int) -> Answer:
    return given(status, {"code": code, "message": "no"})


def mattermost(status: int, id: str) -> Answer:
    return given(status, {"id": id, "message": "no", "status_code": status})


telegram = Telegram.refused
ANSWERS: list[tuple[str, Answer, str, float | None]] = [
    *(("slack_bot", slack(each), RETRY, 30) for each in (
        "ratelimited", "rate_limited", "internal_error", "fatal_error", "service_unavailable", "request_timeout",
        "team_added_to_org", "org_login_required", "update_failed", "external_channel_migrating", "message_limit_exceeded",
    )),
    *(("slack_bot", slack(each), MESSAGE, None) for each in (
        "msg_too_long", "no_text", "too_many_attachments", "metadata_too_large", "invalid_arg_name",
        "attachment_payload_limit_exceeded", "cannot_reply_to_message", "an_error_of_tomorrow",
    )),
    *(("slack_bot", slack(each), STOP, None) for each in (
        "invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive", "missing_scope",
        "no_permission", "not_allowed_token_type", "channel_not_found", "not_in_channel", "is_archived",
        "restricted_action", "restricted_action_thread_locked", "ekm_access_denied", "access_denied",
        "app_access_restricted", "two_factor_setup_required",
    )),
    ("slack_bot", given(200, {"ok": False, "error": "ratelimited"}, **{"Retry-After": "70"}), RETRY, 70),
    ("slack_bot", given(429, {"ok": False, "error": "ratelimited"}, **{"Retry-After": "70"}), RETRY, 70),
    ("slack_bot", Answer(200, b"<html>a page of the network</html>"), RETRY, None),
    ("slack_webhook", Answer(400, b"invalid_payload"), MESSAGE, None),
    ("slack_webhook", Answer(400, b"user_not_found"), STOP, None),
    ("slack_webhook", Answer(400, b"invalid_token"), STOP, None),
    ("slack_webhook", Answer(403, b"action_prohibited"), STOP, None),
    ("slack_webhook", Answer(404, b"channel_not_found"), STOP, None),
    ("slack_webhook", Answer(404, b"no_service"), STOP, None),
    ("slack_webhook", Answer(410, b"channel_is_archived"), STOP, None),
    ("slack_webhook", Answer(500, b"rollup_error"), RETRY, None),
    ("slack_webhook", Answer(429, b"", {"Retry-After": "12"}), RETRY, 12),
    ("discord", given(429, {"retry_after": 1.75, "global": False}), RETRY, 1.75),
    ("discord", Answer(429, b"", {"Retry-After": "9"}), RETRY, 9),
    ("discord", discord(400, 20016), RETRY, None),
    ("discord", discord(400, 20028), RETRY, None),
    ("discord", discord(503, 0), RETRY, None),
    ("discord", Answer(403, b"<html>blocked</html>"), RETRY, None),
    ("discord", discord(403, 40333), RETRY, None),
    *(("discord", discord(400, code), MESSAGE, None) for code in (50035, 50006, 50109, 40005, 200000, 240000)),
    *(("discord", discord(400, code), STOP, None) for code in (10003, 50001, 50013, 160005, 220001, 220003)),
    ("discord", discord(404, 10015), STOP, None),
    ("discord", discord(401, 50027), STOP, None),
    ("telegram", telegram(429, "Too Many Requests: retry after 33", retry_after=33), RETRY, 33),
    ("telegram", telegram(502, "Bad Gateway"), RETRY, None),
    ("telegram", Answer(200, b"<html>a page of the network</html>"), RETRY, None),
    *(("telegram", telegram(400, f"Bad Request: {words}"), MESSAGE, None) for words in (
        "message is too long", "message text is empty", "BUTTON_DATA_INVALID",
    )),
    ("telegram", telegram(401, "Unauthorized"), STOP, None),
    ("telegram", telegram(404, "Not Found"), STOP, None),
    *(("telegram", telegram(403, f"Forbidden: {words}"), STOP, None) for words in (
        "bot was blocked by the user", "bot was kicked from the supergroup chat", "user is deactivated",
        "the group chat was deleted",
    )),
    *(("telegram", telegram(400, f"Bad Request: {words}"), STOP, None) for words in (
        "chat not found", "not enough rights to send text messages to the chat", "message thread not found",
        "TOPIC_CLOSED", "need administrator rights in the channel chat",
    )),
    ("mattermost_webhook", mattermost(400, "web.incoming_webhook.invalid.app_error"), STOP, None),
    ("mattermost_webhook", mattermost(400, "web.incoming_webhook.parse.app_error"), MESSAGE, None),
    ("mattermost_webhook", mattermost(400, "web.incoming_webhook.text.app_error"), MESSAGE, None),
    ("mattermost_webhook", mattermost(501, "web.incoming_webhook.disabled.app_error"), STOP, None),
    ("mattermost_webhook", mattermost(400, "web.incoming_webhook.channel.app_error"), STOP, None),
    ("mattermost_webhook", mattermost(400, "web.incoming_webhook.user.app_error"), STOP, None),
    ("mattermost_webhook", mattermost(403, "web.incoming_webhook.permissions.app_error"), STOP, None),
    ("mattermost_bot", mattermost(401, "api.context.session_expired.app_error"), STOP, None),
    ("mattermost_bot", mattermost(403, "api.context.permissions.app_error"), STOP, None),
    ("mattermost_bot", mattermost(400, "api.post.create_post.app_error"), MESSAGE, None),
    ("mattermost_bot", mattermost(413, "api.context.request_body_too_large.app_error"), MESSAGE, None),
    ("mattermost_bot", Answer(429, b"limit exceeded", {"X-Ratelimit-Reset": "4"}), RETRY, 4),
    ("mattermost_bot", Answer(429, b"", {"X-Ratelimit-Reset": "10", "Retry-After": "1"}), RETRY, 1),
]  # fmt: skip
stage_first = pytest.mark.parametrize(
    ("stage", "answer", "expected", "pause"),
    ANSWERS,
    indirect=["stage"],
    ids=[f"{name}-{answer.status}-{answer.body[:60].decode()}" for name, answer, _, _ in ANSWERS],
)


@stage_first
def test_an_answer_has_its_meaning(stage: Stage, answer: Answer, expected: str, pause: float | None) -> None:
    stage.receiver.script(answer)
    receipt = stage.send()

    assert outcome(receipt) == expected
    assert receipt.reference is None
    assert (receipt.retry_after.total_seconds() if receipt.retry_after else None) == pause
    assert len(stage.calls()) == 1


@stage_first
def test_an_answer_to_a_change_has_the_same_meaning(
    stage: Stage, answer: Answer, expected: str, pause: float | None
) -> None:
    if stage.case.name in EDITING:
        stage.send()
    stage.receiver.script(answer)
    receipt = stage.send("resolved")

    assert outcome(receipt) == expected


GONE: list[tuple[str, Answer]] = [
    *(("slack_bot", slack(each)) for each in (
        "message_not_found", "cant_update_message", "edit_window_closed", "is_inactive", "block_mismatch",
    )),
    *(("discord", discord(400, code)) for code in (10008, 30046, 50083)),
    ("telegram", telegram(400, "Bad Request: message to edit not found")),
    ("telegram", telegram(400, "Bad Request: message can't be edited")),
    ("telegram", telegram(400, "Bad Request: group chat was upgraded to a supergroup chat", migrate_to_chat_id=-100999)),
    ("mattermost_bot", mattermost(404, "app.post.get.app_error")),
    ("mattermost_bot", mattermost(400, "api.post.update_post.permissions_time_limit.app_error")),
]  # fmt: skip


@pytest.mark.parametrize(("stage", "answer"), GONE, indirect=["stage"])
def test_a_message_that_cannot_be_changed_is_posted_again(stage: Stage, answer: Answer) -> None:
    stage.send()
    before = dict(stage.reference)
    stage.receiver.script(answer)
    receipt = stage.send("resolved")

    assert outcome(receipt) == SENT
    assert len(stage.calls()) == 3
    assert stage.reference != before
    assert "RESOLVED" in list(stage.service.messages.values())[-1]
