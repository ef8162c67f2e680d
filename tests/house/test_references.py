"""Every citation leads to a section, a decision, a fault or a file of this repository."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent.parent.parent
DOCS = PROJECT / "docs"
DECISIONS = sorted((DOCS / "decisions").glob("*.md"))
LONGEST_DECISION = 25
ROOMS = ("bench", "bin", "cli", "docs", "inbox", "jobs", "migrations", "ops", "tests")
KINDS = {".html", ".js", ".json", ".md", ".mjs", ".py", ".sh", ".sql", ".toml", ".yml", ""}

ITEM = r"(?:\d{4}|\d+(?:\.\d+)?|[FIT]\d+)(?![\w-])"
CITATION = re.compile(
    rf"\b(specification|decision|fault|threat|invariant)s?\s+({ITEM}(?:(?:,\s+|\s+and\s+|\s+to\s+){ITEM})*)",
    re.IGNORECASE,
)
FORMS = {
    "specification": r"\d+(\.\d+)?",
    "decision": r"\d{4}",
    "fault": r"F\d+",
    "threat": r"T\d+",
    "invariant": r"I\d+",
}
FOREIGN = {
    "an abbreviation": r"\b[Ss]pecs? \d+",
    "a decision without four digits": r"\b[Dd]ecisions? \d{1,3}\b",
    "a section of another page": r"(?:[(;#\"]\s*)(?!(?:specification|median|section)\b)[a-z][a-z-]{3,} \d{1,2}\.\d{1,2}(?=[,;:)])",
    "an item of another page": r"\b(?!faults?\b|threats?\b|invariants?\b|and\b|to\b)[a-z][a-z-]{3,} [A-Z]\d{1,2}\b",
    "an identifier of another page": r"(?:[;,(] ?|\bthreats? |\bfaults? )[A-Z]{2,5}-\d{1,2}(?=[:)]| to )",
}


@cache
def texts() -> dict[Path, str]:
    """Every text of the repository but this test, in one line each, since a citation may be wrapped."""
    files = [path for path in PROJECT.iterdir() if path.is_file()]
    files += [path for room in ROOMS for path in (PROJECT / room).rglob("*") if path.is_file()]
    retained = [
        path for path in files if path.suffix in KINDS and "__pycache__" not in path.parts and path != Path(__file__)
    ]
    return {path: re.sub(r"\s*\n\s*(?:#\s+)?", " ", path.read_text(errors="replace")) for path in sorted(retained)}


@cache
def targets() -> dict[str, set[str]]:
    """What can be cited, by its kind."""
    chapters = "\n".join(path.read_text() for path in (DOCS / "specification").glob("*.md"))
    faults = re.findall(r"^\| ([FIT]\d+) \|", (DOCS / "faults.md").read_text(), re.MULTILINE)
    return {
        "specification": set(re.findall(r"^#{2,3} (\d+(?:\.\d+)?) ", chapters, re.MULTILINE)),
        "decision": {path.name[:4] for path in DECISIONS},
        "fault": {each for each in faults if each.startswith("F")},
        "threat": {each for each in faults if each.startswith("T")},
        "invariant": {each for each in faults if each.startswith("I")},
    }


def cited(text: str) -> Iterator[tuple[str, str]]:
    """Each citation of a text: its kind and the item; the ends of a range stand for it."""
    for found in CITATION.finditer(text):
        for item in re.findall(ITEM, found[2]):
            if re.fullmatch(FORMS[found[1].lower()], item):
                yield found[1].lower(), item


def foreign(text: str) -> list[str]:
    """Citations of pages that a reader of this repository does not have."""
    return [found[0] for pattern in FOREIGN.values() for found in re.finditer(pattern, text)]


def named(path: Path) -> str:
    return str(path.relative_to(PROJECT))


def test_every_citation_leads_somewhere() -> None:
    all_cited = [(path, word, item) for path, text in texts().items() for word, item in cited(text)]

    assert [f"{named(path)}: {word} {item}" for path, word, item in all_cited if item not in targets()[word]] == []
    assert len(all_cited) > 400


def test_no_page_outside_of_the_repository_is_cited() -> None:
    assert {named(path): found for path, text in texts().items() if (found := foreign(text))} == {}


@pytest.mark.parametrize(
    "text",
    [
        "(spec 4)",
        "Spec 3, row by row",
        "(decision 8)",
        "decisions 34 and 36",
        "(stock 3.3)",
        "# decision 0001; durability 3.3, ABC-4: what",
        "(corners B9)",
        "(threats AB-1 to AB-4)",
    ],
)
def test_a_foreign_citation_is_recognised(text: str) -> None:
    assert foreign(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("(specification 4.2)", ["specification 4.2"]),
        ("Specification 12.3, 12.4, decision 0016.", ["specification 12.3", "specification 12.4", "decision 0016"]),
        ("specification 3, 6 and 9", ["specification 3", "specification 6", "specification 9"]),
        ("faults F1 to F12, F24; threat T4", ["fault F1", "fault F12", "fault F24", "threat T4"]),
        ("the specification names 4 limits", []),
        ("the fault 12 times", []),
    ],
)
def test_citations_are_found_in_lists_and_ranges(text: str, found: list[str]) -> None:
    assert [f"{word} {item}" for word, item in cited(text)] == found


def test_decisions_begin_with_unique_numbers() -> None:
    numbers = [path.name[:4] for path in DECISIONS]

    assert [number for number in numbers if not number.isdigit() or numbers.count(number) > 1] == []
    assert [path.name for path in DECISIONS if not path.read_text().startswith(f"# {path.name[:4]} ")] == []


def test_sections_of_the_specification_refer_to_sections_that_exist() -> None:
    referred = []
    for path in (DOCS / "specification").glob("*.md"):
        prose = re.sub(r"```.*?```|`[^`]*`", "", path.read_text(), flags=re.DOTALL)
        found = re.findall(r"[(,] ?(\d+\.\d+)(?=[,)])|\b(?:see|in|of) (\d+\.\d+)(?![\d%])|\bchapter (\d+)", prose)
        referred += [(path.name, "".join(each)) for each in found]

    assert [each for each in referred if each[1] not in targets()["specification"]] == []
    assert len(referred) > 50


def test_links_and_names_of_documents_lead_to_files() -> None:
    documents = {path.name for path in PROJECT.glob("*.md")} | {path.name for path in DOCS.rglob("*.md")} | {"page.md"}
    lost = []
    for path, text in texts().items():
        if path.suffix == ".md":
            links = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", text)
            # Texts of a sender in `inbox/intake/` stand on its page.
            folder = DOCS / "senders" if PROJECT / "inbox" in path.parents else path.parent
            lost += [f"{named(path)}: {link}" for link in links if not (folder / link).exists()]
        lost += [f"{named(path)}: {name}" for name in re.findall(r"[\w-]+\.md\b", text) if name not in documents]

    assert lost == []


def test_every_fault_and_threat_names_a_test_that_exists() -> None:
    rows = re.findall(r"^\| ([FT]\d+) \|.*\| `([^`|]+)` \|$", (DOCS / "faults.md").read_text(), re.MULTILINE)

    assert {name for name, _ in rows} == targets()["fault"] | targets()["threat"]
    assert [f"{name}: {shown}" for name, shown in rows if not (PROJECT / shown).exists()] == []


@pytest.mark.parametrize("path", DECISIONS, ids=lambda path: path.name)
def test_a_decision_has_at_most_25_lines(path: Path) -> None:
    lines = path.read_text().splitlines()

    assert len(lines) <= LONGEST_DECISION
    assert [line for line in lines if len(line) > 150] == []
