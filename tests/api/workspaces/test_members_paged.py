"""How pages reach the members of a workspace (specification 12.3, 23.11)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser import Browser
from tests.cast import Cast, typeid
from tests.flow.notices.paging_steps import mailing, rule_by  # noqa: F401

Browsers = Callable[[str], Browser]


@pytest.mark.usefixtures("mailing")
def test_members_show_how_pages_reach_them(browser: Browsers, cast: Cast) -> None:
    rule_by(cast.users["mia"], (0, "email"))
    rule_by(cast.users["adam"], (0, "push"))

    items = browser("vic").get(f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}/members").json["items"]

    paging = {each["name"]: each["paging"] for each in items}
    assert [paging[name] for name in ("Mia", "Adam", "Olga")] == ["rules", "unreachable", "default"]
