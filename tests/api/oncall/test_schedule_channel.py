"""The destination that is told of the handoffs of a schedule, over HTTP (specification 23.1, 23.16)."""

from __future__ import annotations

import pytest

from inbox.domain.explaining.notice_content import ON_CALL
from inbox.flow.timers.run import run_due
from inbox.models.deliveries.tables import Delivery
from tests.api.oncall.test_schedules import (
    Browsers,
    path,  # noqa: F401
    pointers,
    schedule,  # noqa: F401
    workspace,  # noqa: F401
)
from tests.cast import Cast, present, typeid
from tests.stand_ins.outgoing_posts import make_destination

NOWHERE = "http://127.0.0.1:9/"


def test_an_administrator_chooses_the_channel_and_its_notices_are_explained(
    browser: Browsers, cast: Cast, workspace: str, path: str
) -> None:
    chat = make_destination(cast.workspace, NOWHERE)
    answer = browser("adam").patch(path, {"noticeDestinationId": typeid("dst", chat.id)})
    assert (answer.status_code, answer.json["noticeDestinationId"]) == (200, typeid("dst", chat.id))

    run_due(present)

    [delivery] = browser("vic").get(f"/v1/deliveries?workspaceId={workspace}&reason={ON_CALL}").json["items"]
    assert delivery["reason"] == "on_call" and delivery["incident"] is None
    notice = browser("vic").get(f"/v1/notices/{typeid('ntc', Delivery.get().notice_id)}").json
    assert notice["text"].startswith("On call for Backend")
    assert browser("adam").patch(path, {"noticeDestinationId": None}).json["noticeDestinationId"] is None


@pytest.mark.parametrize("kind", ["pagerduty", "opsgenie"])
def test_a_tool_for_incidents_is_no_channel(browser: Browsers, cast: Cast, path: str, kind: str) -> None:
    pager = make_destination(cast.workspace, NOWHERE, kind=kind)

    answer = browser("adam").patch(path, {"noticeDestinationId": typeid("dst", pager.id)})

    assert pointers(answer) == ["/noticeDestinationId"]


def test_a_destination_of_another_workspace_is_no_channel(browser: Browsers, cast: Cast, path: str) -> None:
    foreign = make_destination(cast.foreign, NOWHERE)

    answer = browser("adam").patch(path, {"noticeDestinationId": typeid("dst", foreign.id)})

    assert pointers(answer) == ["/noticeDestinationId"]
