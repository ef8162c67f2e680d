"""An administrator who does not know a stored secret cannot send it to another server (specification 9.3)."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest

from inbox.destinations import Config
from inbox.domain.values import ids
from inbox.models.deliveries.destinations import Destination
from inbox.runtime import sealing
from tests.api.deliveries.destinations_steps import (
    Browsers,
    workspace,  # noqa: F401
)
from tests.api.events.senders import until
from tests.browser import Browser
from tests.flow.concurrent_connections import begun, other_connection, somebody_waits
from tests.stand_ins.receivers import Answer, Receiver, Request

SECRET = "ofOlga000000000000000000"
OWN_SECRET = "ofAdam111111111111111111"
FORMS: dict[str, tuple[str, str, Callable[[str], str], dict[str, Any]]] = {
    "gotify": ("gotify", "token", str, {}),
    "matrix": ("matrix", "token", str, {"roomId": "!ops:example.org"}),
    "mattermost": ("mattermost", "token", str.lower, {"channelId": "c" * 26}),
    "ntfy with a token": ("ntfy", "token", str, {"topic": "ops"}),
    "ntfy with a password": ("ntfy", "password", str, {"topic": "ops", "user": "olga"}),
    "slack": ("slack", "token", "xoxb-{}".format, {"channel": "C0123456789"}),
    "telegram": ("telegram", "token", "123456:{}".format, {"chatId": "-1001"}),
}
"""The kinds with a secret beside a server: the kind, the field of the secret, its form, and the other settings."""


@dataclass(frozen=True)
class Attack:
    """A destination whose secret Olga entered for `home`; Adam has the server `elsewhere`."""

    at: str
    field: str
    form: Callable[[str], str]
    home: Receiver
    elsewhere: Receiver
    adam: Browser

    def edit(self, config: dict[str, Any], **more: Any) -> Any:
        """The answer to an edit of Adam, after which he sends a test."""
        answer = self.adam.patch(self.at, {"config": config, **more})
        self.adam.post(f"{self.at}/test")
        return answer

    def pointers(self, config: dict[str, Any], **more: Any) -> list[str]:
        """The faults of such an edit."""
        answer = self.edit(config, **more)
        assert answer.status_code == 422, answer.get_json()
        assert answer.get_json()["code"] == "validation_failed"
        assert SECRET.lower() not in answer.text.lower()
        return [each["pointer"] for each in answer.get_json()["errors"]]


def origin(receiver: Receiver) -> str:
    return f"http://127.0.0.1:{receiver.port}"


def has_secret(request: Request) -> bool:
    """Whether the request discloses the secret of Olga."""
    text = f"{request.path} {list(request.headers.values())} {request.body!r}"
    basic = request.headers.get("authorization", "").partition("Basic ")[2]
    return SECRET.lower() in f"{text} {base64.b64decode(basic)!r}".lower()


@pytest.fixture(params=FORMS)
def attack(request: pytest.FixtureRequest, browser: Browsers, workspace: str) -> Iterator[Attack]:
    kind, field, form, others = FORMS[request.param]
    with Receiver(Answer(200, b"{}")) as home, Receiver(Answer(200, b"{}")) as elsewhere:
        config = {"server": origin(home), field: form(SECRET), **others}
        new = {"workspaceId": workspace, "name": "Chat", "kind": kind, "config": config}
        made = browser("olga").post("/v1/destinations", new).get_json()
        yield Attack(f"/v1/destinations/{made['id']}", field, form, home, elsewhere, browser("adam"))


def test_a_change_of_the_server_needs_the_secret_again(attack: Attack) -> None:
    pointers = attack.pointers({"server": origin(attack.elsewhere)}, name="Moved")

    assert pointers == [f"/config/{attack.field}"]
    assert attack.elsewhere.requests == []
    assert len(attack.home.requests) == 1
    assert attack.adam.get(attack.at).get_json()["name"] == "Chat"


def test_an_edit_with_the_secret_changes_the_server(attack: Attack) -> None:
    answer = attack.edit({"server": origin(attack.elsewhere), attack.field: attack.form(OWN_SECRET)})

    assert answer.status_code == 200
    assert answer.get_json()["config"]["server"] == origin(attack.elsewhere)
    assert (len(attack.home.requests), len(attack.elsewhere.requests)) == (0, 1)


def test_no_two_edits_in_a_row_send_the_secret_elsewhere(attack: Attack) -> None:
    assert attack.edit({"server": f"{origin(attack.home)}/"}).status_code == 200
    assert attack.pointers({"server": f"{origin(attack.home)}/@127.0.0.1:{attack.elsewhere.port}"})
    assert attack.pointers({"server": f"{origin(attack.home)}@127.0.0.1:{attack.elsewhere.port}"}) == ["/config/server"]
    assert attack.edit({attack.field: attack.form(OWN_SECRET)}).status_code == 200
    assert attack.pointers({"server": origin(attack.elsewhere)}) == [f"/config/{attack.field}"]

    assert attack.elsewhere.requests == []


@pytest.mark.parametrize("empty", [None, ""])
def test_an_edit_that_removes_the_secret_does_not_send_it(attack: Attack, empty: str | None) -> None:
    attack.edit({"server": origin(attack.elsewhere), attack.field: empty})

    assert not any(map(has_secret, attack.elsewhere.requests))


def test_a_redirect_of_the_server_is_not_followed(attack: Attack) -> None:
    attack.home.script(Answer(307, b"", {"Location": f"{origin(attack.elsewhere)}/"}))

    attack.adam.post(f"{attack.at}/test")

    assert (len(attack.home.requests), attack.elsewhere.requests) == (1, [])


def test_a_deleted_destination_keeps_its_server_until_it_is_restored_and_after(attack: Attack) -> None:
    assert attack.adam.delete(attack.at).status_code == 204
    assert attack.adam.patch(attack.at, {"config": {"server": origin(attack.elsewhere)}}).status_code == 404

    assert attack.adam.post(f"{attack.at}/restore").status_code == 200
    assert attack.pointers({"server": origin(attack.elsewhere)}) == [f"/config/{attack.field}"]

    assert (len(attack.home.requests), attack.elsewhere.requests) == (1, [])


def test_the_name_and_the_server_in_another_spelling_change_without_the_secret(attack: Attack) -> None:
    edits: list[dict[str, Any]] = [
        {"name": "Night"},
        {"config": {"server": f"HTTP://127.0.0.1:{attack.home.port:05d}//"}},
        {"config": {"actionLinks": False}},
        {"config": {}},
    ]

    answers = [attack.adam.patch(attack.at, edit) for edit in edits]

    assert [answer.status_code for answer in answers] == [200] * len(edits)
    attack.adam.post(f"{attack.at}/test")
    assert [has_secret(each) for each in attack.home.requests] == [True]


def test_eve_and_a_member_learn_nothing_from_an_edit(attack: Attack, browser: Browsers) -> None:
    edit = {"config": {"server": origin(attack.elsewhere)}}

    assert browser("eve").patch(attack.at, edit).status_code == 404
    assert browser("mia").patch(attack.at, edit).status_code == 403
    assert attack.elsewhere.requests == []


def honest_edit(attack: Attack, connection: Any) -> None:
    """Olga changes server and secret in a transaction that the test commits."""
    row = Destination.get_by_id(destination_id(attack))
    place = sealing.associated_data("destinations", row.id, row.workspace_id, "sealed")
    config = Config({}, {attack.field: attack.form(SECRET)})
    connection.cursor().execute(
        "UPDATE destinations SET config = config || jsonb_build_object('server', %s::text), sealed = %s,"
        " generation = generation + 1, rev = rev + 1 WHERE id = %s",
        (origin(attack.home), sealing.current().seal(config.to_seal(), place), row.id.hex),
    )


def destination_id(attack: Attack) -> UUID:
    return ids.decode("dst", attack.at.rpartition("/")[2])


def test_an_edit_is_compared_with_the_latest_stored_settings(attack: Attack) -> None:
    own = {"server": origin(attack.elsewhere), attack.field: attack.form(OWN_SECRET)}
    attack.adam.patch(attack.at, {"config": own})

    with other_connection() as connection:
        honest_edit(attack, connection)
        late = begun(lambda: attack.adam.patch(attack.at, {"config": {"server": origin(attack.elsewhere)}}))
        until(somebody_waits)
        connection.commit()
        answer = late()
    attack.adam.post(f"{attack.at}/test")

    assert [each["pointer"] for each in answer.get_json()["errors"]] == [f"/config/{attack.field}"]
    assert (len(attack.home.requests), attack.elsewhere.requests) == (1, [])


def test_a_matching_revision_does_not_replace_the_secret(attack: Attack) -> None:
    headers = {"If-Match": attack.adam.get(attack.at).headers["ETag"]}

    answer = attack.adam.patch(attack.at, {"config": {"server": origin(attack.elsewhere)}}, headers=headers)

    assert answer.status_code == 422
