"""The exported configuration: the API knows every id in it, at any depth."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from inbox.domain.values import times
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.flow.routing_fixtures import listen, routed

Browsers = Callable[[str], Browser]
UUID = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def test_rules_profiles_silences_and_views_are_exported_with_the_ids_of_the_api(browser: Browsers, cast: Cast) -> None:
    olga, here, source = browser("olga"), typeid("wsp", cast.workspace.id), typeid("src", cast.source.id)
    pager = typeid("dst", listen(cast.workspace, routed=False).id)

    def made(room: str, **fields: Any) -> str:
        answer = olga.post(f"/v1/{room}", {"workspaceId": here, **fields})
        assert answer.status_code == 201, answer.json
        return str(answer.json["id"])

    step = {"afterMinutes": 0, "minSeverity": None, "destinationIds": [pager], "people": []}
    profile = made("routing-profiles", name="On call", steps=[step], fallbackDestinationId=pager)
    then = {"disposition": "incident", "destinationIds": [pager], "routingProfileId": profile}
    rule = made("rules", name="All", sourceIds=[source], matchText="any event", then=then)
    view = made("views", name="Ours", list="incidents", filters={"sourceId": source}, shared=True)
    route = {"destinationIds": [pager], "routingProfileId": profile}
    assert olga.put(f"/v1/workspaces/{here}/default-route", route).status_code == 200
    existing = typeid("inc", routed(cast.source, present()).incident_id)
    assert (
        olga.patch(f"/v1/incidents/{existing}", {"assigneeId": typeid("usr", cast.users["mia"].id)}).status_code == 200
    )
    assert olga.post(f"/v1/incidents/{existing}/acknowledge", {}).status_code == 200
    ends = times.rfc3339(present() + timedelta(hours=1))
    silence = made("silences", sourceIds=[source], matchText="any event", endsAt=ends, comment="Upgrade")

    answer = olga.get(f"/v1/workspaces/{here}/export")
    document = answer.json

    [the_rule], [the_profile] = document["rules"], document["routingProfiles"]
    [the_silence], [the_view] = document["silences"], document["savedViews"]
    assert [each["id"] for each in (the_rule, the_profile, the_silence, the_view)] == [rule, profile, silence, view]
    assert (the_rule["sourceIds"], the_silence["sourceIds"], the_view["filters"]) == (
        [source], [source], {"sourceId": source},
    )  # fmt: skip
    assert {name: the_rule["then"][name] for name in then} == then
    assert (the_profile["steps"], the_profile["fallbackDestinationId"]) == ([step], pager)
    assert document["workspace"]["defaultRoute"]["routingProfileId"] == profile
    [incident] = document["incidents"]
    assert (incident["ruleId"], incident["routingProfileId"], incident["destinationIds"]) == (rule, profile, [pager])
    assert UUID.findall(answer.data) == []


def test_private_views_are_left_out_of_the_export_the_exporters_own_too(browser: Browsers, cast: Cast) -> None:
    olga, here = browser("olga"), typeid("wsp", cast.workspace.id)
    for name, who, shared in (("Hers", olga, False), ("Vics", browser("vic"), False), ("Ours", olga, True)):
        fields = {"workspaceId": here, "name": name, "list": "incidents", "filters": {}, "shared": shared}
        assert who.post("/v1/views", fields).status_code == 201

    document = olga.get(f"/v1/workspaces/{here}/export").json

    assert [view["name"] for view in document["savedViews"]] == ["Ours"]
    assert "Vics" not in str(document) and "Hers" not in str(document)
