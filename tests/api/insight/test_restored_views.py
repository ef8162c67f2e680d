"""Restoring deleted views: permissions and restored fields (specification 12.10)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from inbox.services.insight.views import MAX_VIEWS
from tests.api.insight.views_steps import new_view
from tests.browser import Browser
from tests.cast import Cast, typeid

Browsers = Callable[[str], Browser]


@pytest.fixture
def workspace(cast: Cast) -> str:
    return typeid("wsp", cast.workspace.id)


def test_a_view_is_restored_by_its_owner_as_an_ordinary_one(browser: Browsers, workspace: str) -> None:
    mia = browser("mia")
    path = new_view(mia, workspace, isDefault=True)
    mia.delete(path)
    other = new_view(mia, workspace, name="Other", isDefault=True)

    assert browser("adam").post(f"{path}/restore").status_code == 404
    assert mia.post(f"{path}/restore").json["isDefault"] is False
    assert mia.get(other).json["isDefault"] is True


def test_a_shared_view_is_restored_by_its_owner_or_an_administrator(browser: Browsers, workspace: str) -> None:
    path = new_view(browser("olga"), workspace, shared=True)
    browser("olga").delete(path)

    assert browser("mia").post(f"{path}/restore").status_code == 403
    assert browser("adam").post(f"{path}/restore").status_code == 200


def test_a_person_has_no_more_views_by_a_restoration(browser: Browsers, workspace: str) -> None:
    mia = browser("mia")
    path = new_view(mia, workspace)
    mia.delete(path)
    for number in range(MAX_VIEWS):
        last = new_view(mia, workspace, name=f"View {number}")

    assert mia.post(f"{path}/restore").status_code == 409
    mia.delete(last)
    assert mia.post(f"{path}/restore").status_code == 200
