"""A test runs every command and snippet of the documents, or a list has the reason why not."""

from __future__ import annotations

import re

from tests.docs import operators_pages, test_operators, test_users
from tests.docs import pages as users_pages
from tests.docs.blocks import NOT_RUN, RUN, exists, fences, fences_of
from tests.house.documents import DOCUMENTS, PROJECT, named


def test_every_block_is_run_by_a_test_or_listed_with_its_reason() -> None:
    entries = {str(each): [key for key in (*RUN, *NOT_RUN) if each.matches(key)] for each in fences()}

    assert len(entries) > 150
    assert {block: found for block, found in entries.items() if len(found) != 1} == {}


def test_every_entry_is_about_a_block() -> None:
    assert [key for key in (*RUN, *NOT_RUN) if not any(each.matches(key) for each in fences())] == []


def test_every_named_test_exists() -> None:
    assert [name for names in RUN.values() for name in names if not exists(name)] == []


def test_every_reason_names_files_that_exist() -> None:
    reasons = [*NOT_RUN.values(), *test_users.NOT_EXECUTED.values(), *test_operators.NOT_EXECUTED.values()]
    files = [name for reason in reasons for name in re.findall(r"\b[\w/]+\.(?:py|toml)\b", reason)]

    assert len(files) > 8
    assert [
        name for name in files if not list(PROJECT.glob(name)) and not list(PROJECT.glob(f"tests/docs/{name}"))
    ] == []


def test_the_tests_of_a_folder_read_every_block_of_its_pages() -> None:
    read = {each.name: len(each.blocks) for each in users_pages.pages()}
    read |= {path.name: 0 for path in operators_pages.pages()}
    for block in operators_pages.blocks():
        read[block.page] += 1
    found = {
        path.name: len(list(fences_of(named(path), path.read_text())))
        for path in DOCUMENTS
        if path.parent.name in ("users", "operators")
    }

    assert read == found


def test_every_fence_has_an_end() -> None:
    texts = {named(path): path.read_text() for path in DOCUMENTS}
    lines = {name: len(re.findall(r"^ *(?:```|~~~)", text, re.MULTILINE)) for name, text in texts.items()}

    assert {name: count for name, count in lines.items() if count != 2 * len(list(fences_of(name, texts[name])))} == {}


def test_a_block_in_an_item_of_a_list_and_one_with_tildes_are_found() -> None:
    text = "1. Call it:\n\n   ```sh\n   one\n     two\n   ```\n\n~~~\nthree\n~~~\n"

    assert [(each.line, each.language, each.text) for each in fences_of("x", text)] == [
        (3, "sh", "one\n  two\n"),
        (8, "", "three\n"),
    ]
