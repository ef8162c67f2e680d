"""The page of each destination kind: the target of `docsUrl`, public and complete (specification 9.14)."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from inbox.api.deliveries import markdown
from inbox.destinations import KINDS, ROUTABLE
from tests.browser import Browser

Browsers = Callable[[str], Browser]


def text_of(anonymous: Browser, kind: str) -> str:
    """The page as a browser gets it."""
    answer = anonymous.get(f"/docs/destinations/{kind}")
    assert (answer.status_code, answer.mimetype) == (200, "text/html")
    return answer.get_data(as_text=True)


def test_each_kind_names_its_page(browser: Browsers, anonymous: Browser) -> None:
    found = {each["kind"]: each["docsUrl"] for each in browser("vic").get("/v1/destination-kinds").get_json()["items"]}

    assert found == {kind: f"http://127.0.0.1:8080/docs/destinations/{kind}" for kind in ROUTABLE}
    for url in found.values():
        assert anonymous.get(url.removeprefix("http://127.0.0.1:8080")).status_code == 200


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_page_has_the_parts_and_the_settings_of_its_kind(anonymous: Browser, kind: str) -> None:
    page = text_of(anonymous, kind)

    assert re.findall("<h2>(.*?)</h2>", page) == [
        "What you need", "Settings", "What a message looks like", "Limits", "When it stops",
    ]  # fmt: skip
    assert re.findall(r"<tr>\s*<td>(.*?)</td>\s*<td><code>(.*?)</code></td>", page) == [
        (each.label, each.name) for each in KINDS[kind].description.fields
    ]


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_destination_pages_show_no_markdown_source(anonymous: Browser, kind: str) -> None:
    shown = re.sub("<pre>.*?</pre>|<code>.*?</code>|<style>.*?</style>", "", text_of(anonymous, kind), flags=re.DOTALL)

    assert not re.search(r"`|\]\(|\*\*|^\s*[|#-]|&lt;!--", shown, re.MULTILINE)


def test_a_page_links_to_other_sites_and_to_no_page_that_is_not_served(anonymous: Browser) -> None:
    for kind in KINDS:
        links = re.findall('<a href="(.*?)"', text_of(anonymous, kind))
        assert all(link.startswith("https://") or link.rpartition("/")[2] in KINDS for link in links), links


@pytest.mark.parametrize("kind", ["README", "unknown", "slack.md", "..%2Fusers%2Fwebhooks", "%2e%2e%2fmap"])
def test_an_unknown_destination_kind_has_no_page(anonymous: Browser, kind: str) -> None:
    assert anonymous.get(f"/docs/destinations/{kind}").status_code == 404


def addressed(target: str) -> str | None:
    return target if target.startswith("https:") else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One\nline `a<b>` & more", "<p>One\nline <code>a&lt;b&gt;</code> &amp; more</p>"),
        ("[A](https://a.example/?b=1&c) [B](#b)", '<p><a href="https://a.example/?b=1&amp;c">A</a> B</p>'),
        ("## A `b`", "<h2>A <code>b</code></h2>"),
        ("2. a\n3. b", '<ol start="2"><li>a</li><li>b</li></ol>'),
        ("```sh\na  <b>\n\n# c\n```", '<pre><code class="language-sh">a  &lt;b&gt;\n\n# c</code></pre>'),
        ("1. a\n   ```\n   b\n   ```\n2. c", "<ol><li>a<pre><code>b</code></pre></li><li>c</li></ol>"),
        ("<!-- no -->\na <b>c</b>", "<p>a c</p>"),
        ("[A](javascript:alert(1))", "<p>[A](javascript:alert(1))</p>"),
        ("", ""),
        (
            "| A | B |\n|---|---|\n| 1 |  |",
            "<table><thead><tr><th>A</th><th>B</th></tr></thead><tbody><tr><td>1</td><td></td></tr></tbody></table>",
        ),
    ],
)  # fmt: skip
def test_each_part_of_markdown_is_markup(text: str, expected: str) -> None:
    title, shown = markdown.page_of(f"# Title\n\n{text}\n", addressed)

    assert (title, re.sub(r">\n|\n(?=<)", lambda found: found[0].strip(), shown)) == ("Title", expected)
