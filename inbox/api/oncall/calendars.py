"""What a calendar feed answers. Its secret is in the path, because calendar programs send no headers."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from flask import Response, jsonify, request

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.policy import NONE, EndpointPolicy
from inbox.domain.oncall import calendar
from inbox.domain.oncall.feed_memory import FeedShift
from inbox.domain.values import ids, times
from inbox.domain.values.ids import Prefix
from inbox.domain.values.refusals import NotFound
from inbox.services.oncall import feeds
from inbox.services.oncall.feeds import Served

CACHE = "private, max-age=900"

blp = Blueprint("calendars", __name__, url_prefix="/v1/calendars", description="Calendars of shifts.", section="23.14")

_TEXT = {"schema": {"type": "string"}}
_FORMS = {
    "responses": {
        "200": {
            "description": "The calendar, who is on call now, or both as JSON.",
            "content": {"text/calendar": _TEXT, "text/plain": _TEXT, "application/json": {"schema": {}}},
        }
    }
}


@blp.route("/<address>", methods=["GET"], endpoint="read")
@EndpointPolicy(NONE, workspace_from="none")
@blp.doc(**_FORMS)
@blp.refuses("rate_limited")
def read(address: str) -> Response:
    """Read a calendar feed

    The secret and a form: `.ics` for calendars, `.txt` for who is on call now, `.json` for both. An unknown one is
    `not_found`. A feed answers 60 requests an hour.
    """
    token, _, form = address.partition(".")
    if form not in ("ics", "txt", "json"):
        raise NotFound
    now = datetime.now(UTC)
    response = _response(form, feeds.read(token, now), now)
    response.headers["Cache-Control"] = CACHE
    response.add_etag()
    response.make_conditional(request)
    return response


def _response(form: str, served: Served, now: datetime) -> Response:
    if form == "ics":
        text = calendar.text(served.name, served.events, served.url)
        return Response(text, content_type="text/calendar; charset=utf-8")
    present = [each for each in served.shifts if each.starts_at <= now < each.ends_at]
    if form == "txt":
        lines = dict.fromkeys(each.schedule_name if served.is_own else each.user_name for each in present)
        return Response("".join(f"{line}\n" for line in lines), content_type="text/plain; charset=utf-8")
    return jsonify(
        {
            "name": served.name,
            "onCallNow": [_record(each) for each in present],
            "shifts": [_record(each) for each in served.shifts],
        }
    )


def _record(shift: FeedShift) -> dict[str, Any]:
    return {
        "id": str(shift.uid),
        "scheduleId": ids.encode(Prefix.SCHEDULE, shift.schedule_id),
        "scheduleName": shift.schedule_name,
        "userId": ids.encode(Prefix.USER, shift.user_id),
        "name": shift.user_name,
        "startsAt": times.rfc3339(shift.starts_at),
        "endsAt": times.rfc3339(shift.ends_at),
    }
