"""Matches at their limits over HTTP: accepted and listed, or refused before anything costly."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest

from inbox.api.routing.schemas.previews import PreviewRules
from inbox.database.base import new_id
from inbox.domain.routing import matchers
from inbox.domain.routing.matchers import BYTES_LIMIT
from inbox.domain.routing.matchers.tree import TOTAL_BYTES_LIMIT
from inbox.domain.values import ids
from inbox.domain.values.refusals import TooCostly
from inbox.domain.values.times import rfc3339
from inbox.models.lists.pages import PAGE_BYTES
from inbox.models.records.audit import AuditEntry
from inbox.models.routing.rules import Rule
from inbox.models.routing.silences import Silence
from inbox.runtime import work_budget
from inbox.services.records.audit import MAX_TEXT
from inbox.services.routing.configuration_texts import MAX_MATCH_TEXT
from tests.api.routing.rules_steps import adam, make, new, path, pointers, workspace  # noqa: F401
from tests.browser import Browser
from tests.cast import Cast, present
from tests.domain.routing.matchers.test_size import of_bytes

Browsers = Callable[[str], Browser]


def silence(workspace: str, **more: Any) -> dict[str, Any]:
    ends = rfc3339(present() + timedelta(hours=1))
    return {"workspaceId": workspace, "comment": "Upgrade", "endsAt": ends, **more}


@pytest.fixture
def no_budget_afterwards() -> Iterator[None]:
    yield
    work_budget.end()


@pytest.mark.parametrize("size", [BYTES_LIMIT - 1, BYTES_LIMIT])
def test_a_match_up_to_the_limit_is_stored_and_read_in_both_forms(adam: Browser, workspace: str, size: int) -> None:
    tree = of_bytes(size)
    text = matchers.to_text(tree)

    rule = make(adam, workspace, match=tree)
    second = adam.patch(path(rule), {"matchText": text})
    covering = adam.post("/v1/silences", silence(workspace, matchText=text))

    assert (rule["match"], rule["matchText"]) == (tree, text)
    assert (second.status_code, second.json["match"]) == (200, tree)
    assert (covering.status_code, covering.json["match"]) == (201, tree)
    for answer in (adam.get("/v1/rules"), adam.get("/v1/silences")):
        assert [item["matchText"] for item in answer.json["items"]] == [text]


def test_a_larger_match_is_refused_everywhere(adam: Browser, workspace: str) -> None:
    tree = of_bytes(BYTES_LIMIT + 1)
    text = matchers.to_text(tree)

    for form, at in (({"match": tree}, "/match"), ({"matchText": text}, "/matchText")):
        rule = new(workspace, match=...) | form
        tried = {"workspaceId": workspace, "since": rfc3339(present()), "rule": form | {"then": {"disposition": "log"}}}
        assert pointers(adam.post("/v1/rules", rule)) == [at]
        assert pointers(adam.post("/v1/rules/parse", form)) == [at]
        assert pointers(adam.post("/v1/silences", silence(workspace, **form))) == [at]
        assert pointers(adam.post("/v1/silences/preview", {"workspaceId": workspace, **form})) == [at]
        assert pointers(adam.post("/v1/rules/preview", tried)) == [f"/rule{at}"]


def test_a_text_of_quotes_is_refused_at_its_first_character(adam: Browser) -> None:
    answer = adam.post("/v1/rules/parse", {"matchText": '\\"' * 50_000})

    assert pointers(answer) == ["/matchText"]
    assert answer.json["errors"][0]["detail"].startswith("at character 1: expected")


@pytest.mark.usefixtures("no_budget_afterwards")
@pytest.mark.parametrize("form", ["match", "matchText"])
def test_the_rules_of_a_preview_spend_from_the_budget_of_the_request(form: str) -> None:
    tree = {"all": [{"field": "title", "op": "matches", "value": f"{n}{{1}}" + "\\pL" * 100} for n in range(50)]}
    one = {"match": tree, "matchText": matchers.to_text(tree)}[form]
    rules = [{form: one} for _ in range(200)]
    work_budget.begin(0.0)

    with pytest.raises(TooCostly, match="Send fewer or simpler matches"):
        PreviewRules().load({"workspaceId": "wsp_01h455vb4pex5vsknk084sn02q", "rules": rules})


def put_silences(cast: Cast, count: int) -> list[Silence]:
    now, tree = present(), of_bytes(BYTES_LIMIT)
    times = {"starts_at": now, "ends_at": now + timedelta(hours=1)}
    rows = [
        {"id": new_id(now), "workspace_id": cast.workspace.id, "match": tree, "created_at": now + timedelta(seconds=n)}
        for n in range(count)
    ]
    return [Silence.create(**row, **times) for row in rows]


def test_a_page_of_large_matches_ends_early_and_the_next_one_follows(cast: Cast, adam: Browser) -> None:
    made = put_silences(cast, 40)
    first = adam.get("/v1/silences?limit=200&sort=created&order=asc").json
    query = f"/v1/silences?limit=200&sort=created&order=asc&cursor={first['nextCursor']}"

    second = adam.get(query).json

    assert len(first["items"]) == PAGE_BYTES // BYTES_LIMIT + 1
    assert (first["partial"], second["partial"], second["nextCursor"]) == (True, False, None)
    assert len({item["id"] for item in [*first["items"], *second["items"]]}) == len(made)


def test_a_numbered_page_has_all_its_items_or_is_refused(cast: Cast, adam: Browser) -> None:
    put_silences(cast, 34)

    page = adam.get("/v1/silences?limit=33&offset=0").json
    refused = adam.get("/v1/silences?limit=34&offset=0")

    assert (len(page["items"]), page["total"]) == (33, 34)
    assert pointers(refused) == ["/query/offset"]


def test_the_sentence_of_a_rule_cuts_a_long_match(adam: Browser, workspace: str) -> None:
    rule = make(adam, workspace, match=of_bytes(BYTES_LIMIT))

    assert rule["text"].startswith(f"When {rule['matchText'][:MAX_MATCH_TEXT]}…: open an incident")


@pytest.mark.parametrize("length", [MAX_TEXT, MAX_TEXT + 1])
def test_the_audit_log_cuts_long_texts_and_notes_a_change_behind_the_cut(
    adam: Browser, workspace: str, length: int
) -> None:
    def long(end: str) -> str:
        clauses = " and ".join(['title != "' + "x" * 500 + '"'] * 9)
        return (clauses + ' and title != "').ljust(length - 2, "y") + f'{end}"'

    rule = make(adam, workspace, match=..., matchText=long("a"))
    adam.patch(path(rule), {"matchText": long("b")})

    entry = AuditEntry.get(AuditEntry.action == "rule.changed").details["changes"]
    (change,) = [each for each in entry if each["field"] == "match"]
    assert (change["before"], change["after"]) == (long("a")[:MAX_TEXT], long("b")[:MAX_TEXT])


def test_a_new_silence_reads_the_match_of_each_other_one_once(
    adam: Browser, workspace: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, "peewee"):
        for number in range(6):
            made = silence(workspace, match={"field": "title", "op": "matches", "value": f"x{number}+"})
            assert adam.post("/v1/silences", made).status_code == 201

    queries = [record.msg for record in caplog.records if record.name == "peewee" and isinstance(record.msg, tuple)]
    loaded = [params for sql, params in queries if 'FROM "silences"' in sql and '"match"' in sql and " IN (" in sql]
    assert sum(map(len, loaded)) <= 5


def test_the_patterns_of_all_silences_are_limited_together(adam: Browser, workspace: str) -> None:
    costly = {"field": "title", "op": "matches", "value": "x{996}y{990}"}
    answers = [adam.post("/v1/silences", silence(workspace, match=costly)).status_code for _ in range(11)]

    assert answers == [201] * 10 + [422]


@pytest.mark.parametrize(("missing", "accepted"), [(1, True), (0, True), (-1, False)])
def test_the_bytes_of_all_matches_are_limited_together(
    cast: Cast, adam: Browser, workspace: str, missing: int, accepted: bool
) -> None:
    put_silences(cast, TOTAL_BYTES_LIMIT // BYTES_LIMIT - 1)
    last = of_bytes(BYTES_LIMIT - 1_000)
    rest = of_bytes(1_000 - missing)

    first = adam.post("/v1/silences", silence(workspace, match=last))
    second = adam.post("/v1/silences", silence(workspace, match=rest))

    assert first.status_code == 201
    assert second.status_code == (201 if accepted else 422)
    assert accepted or second.json["errors"][0]["detail"].startswith("The matches of all silences together have more")


def test_silences_that_ended_lately_count_with_their_bytes_alone(cast: Cast, adam: Browser, workspace: str) -> None:
    pattern = {"field": "title", "op": "matches", "value": "x{996}y{990}"}
    for _ in range(10):
        adam.post("/v1/silences", silence(workspace, match=pattern))
    end(Silence.workspace_id == cast.workspace.id)
    taken = adam.post("/v1/silences", silence(workspace, match=pattern))

    put_silences(cast, TOTAL_BYTES_LIMIT // BYTES_LIMIT)
    end(Silence.id != ids.decode(ids.Prefix.SILENCE, taken.json["id"]))
    refused = adam.post("/v1/silences", silence(workspace, match=pattern))

    assert (taken.status_code, pointers(refused)) == (201, ["/match"])


def end(condition: Any) -> None:
    Silence.update(rev=Silence.rev + 1, ends_at=present()).where(condition).execute()


def test_a_rule_of_a_workspace_above_the_limit_can_be_renamed(cast: Cast, adam: Browser, workspace: str) -> None:
    rule = make(adam, workspace)
    Rule.update(match={"all": of_bytes(BYTES_LIMIT)["all"] * (TOTAL_BYTES_LIMIT // BYTES_LIMIT + 1)}).execute()

    renamed = adam.patch(path(rule), {"name": "Renamed"})
    disabled = adam.patch(path(rule), {"enabled": False})
    enabled = adam.patch(path(rule), {"enabled": True})

    assert (renamed.status_code, disabled.status_code, pointers(enabled)) == (200, 200, ["/match"])
