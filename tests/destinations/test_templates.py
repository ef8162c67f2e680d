"""Templates of destinations: their output, and bounded time, size and access (specification 9.17)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbox.destinations import KINDS, WITH_TEMPLATES, Message
from inbox.destinations.templates import (
    DEEPEST,
    LONGEST_TEMPLATE,
    LONGEST_VALUE,
    VARIABLES,
    TemplateFault,
    TextTemplate,
    check,
    render,
)
from inbox.domain.explaining import notice_content
from inbox.domain.explaining.notice_content import LONGEST_SENTENCE, LONGEST_TITLE
from tests.destinations.kinds.notice_bodies import AT, body
from tests.destinations.kinds.test_digests import digest

CONTENT = notice_content.of_body(body())

HOSTILE = [
    "{{ ''.__class__ }}",
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ title.upper() }}",
    "{{ title[0] }}",
    "{{ title['__class__'] }}",
    "{{ metadata[title] }}",
    "{{ metadata[0:1] }}",
    "{{ metadata.labels() }}",
    "{{ (metadata|upper).x }}",
    "{{ labels[true] }}",
    "{{ metadata" + ".a" * 21 + " }}",
    "{{ path_0 }}{{ labels.a }}",
    "{{ title|attr('__class__') }}",
    "{{ self }}",
    "{{ self._TemplateReference__context }}",
    "{{ config }}",
    "{{ cycler.__init__.__globals__ }}",
    "{{ lipsum() }}",
    "{{ range(10) }}",
    "{{ namespace() }}",
    "{{ ().__class__ }}",
    "{{ 9 ** 9 ** 9 }}",
    "{{ title * 99999999 }}",
    "{{ -1 }}",
    "{{ 1 + 1 }}",
    "{{ 1.5 }}",
    "{{ [title] }}",
    "{{ {'a': title} }}",
    "{{ (title, title) }}",
    "{{ title is defined }}",
    "{{ title|format }}",
    "{{ title|map('upper') }}",
    "{{ title|truncate(length=3) }}",
    "{{ title|replace(*title) }}",
    "{% for each in title %}{{ each }}{% endfor %}",
    "{% for a in title recursive %}{{ loop(a) }}{% endfor %}",
    "{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}",
    "{% call title() %}{% endcall %}",
    "{% set x = title %}",
    "{% set x %}{{ title }}{% endset %}",
    "{% with x = title %}{{ x }}{% endwith %}",
    "{% filter upper %}x{% endfilter %}",
    "{% block x %}{% endblock %}",
    "{% include 'notice.html' %}",
    "{% import 'notice.html' as x %}",
    "{% from 'notice.html' import x %}",
    "{% extends 'notice.html' %}",
    "{% autoescape true %}{% endautoescape %}",
    "{{ unknown }}",
    "{{ title",
    "{% if title %}",
    "{{ title|nothing }}",
    "{{ " + "(" * 900 + "title" + ")" * 900 + " }}",
    "{{ " + "not " * 400 + "title }}",
    "{% if title %}" * 60 + "{% endif %}" * 60,
]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_template_is_refused(text: str) -> None:
    with pytest.raises(TemplateFault):
        check(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ severity }} on {{ resource }}: {{ title }}", "CRITICAL on db-1: Disk full"),
        ("{{ title|upper|truncate(5) }}", "DISK…"),
        ("{{ title|lower }} {{ title|capitalize }}", "disk full Disk full"),
        ("{{ title|replace('Disk', 'Volume') }}", "Volume full"),
        ("{{ '  x '|trim }}{{ ''|default('none') }}", "xnone"),
        ("{% if severity == 'CRITICAL' and 'disk' in title|lower %}yes{% else %}no{% endif %}", "yes"),
        ("{% if not resource %}a{% elif state != 'open' %}b{% else %}c{% endif %}", "c"),
        ("{{ 'now' if state == 'open' else 'later' }}", "now"),
        ("{{ source ~ ' / ' ~ workspace }}", "Backups / Shop"),
        ("{# a remark #}{% raw %}{{ title }}{% endraw %}", "{{ title }}"),
        ("<b>{{ title }}</b>", "<b>Disk full</b>"),
        ("{{ body|truncate(11) }}; {{ tags }}; {{ type }}", "/var on db…; data, env:production; disk.full"),
        ("{{ dedupKey }} {{ firing }}/{{ alerts }}", "disk:db-1 2/3"),
        ("{{ labels.instance }} {{ metadata.labels.instance }}", "db-1:9100 db-1:9100"),
        ("{{ labels['app.kubernetes.io/name'] }} {{ labels.port }}", "postgres 9100"),
        ("{{ metadata.annotations.values[0] }} {{ metadata.annotations.values }}", "97.4 [97.4,null,true]"),
        ("{{ labels }}", "instance: db-1:9100, app.kubernetes.io/name: postgres, port: 9100"),
        ("{{ metadata.items }}{{ metadata.keys }}{{ labels.get }}{{ metadata.annotations.values[9] }}", ""),
        ("{{ metadata.__class__ }}{{ labels['__class__']['__mro__'][1] }}{{ metadata.labels.nothing.more }}", ""),
        ("{% if labels.instance == 'db-1:9100' %}{{ labels.instance|upper }}{% endif %}", "DB-1:9100"),
        ("", ""),
    ],
)
def test_a_template_prints_and_compares_texts(text: str, expected: str) -> None:
    assert render(text, CONTENT) == expected


@pytest.mark.parametrize("name", VARIABLES)
def test_each_variable_is_a_text(name: str) -> None:
    assert isinstance(render(f"{{{{ {name} }}}}", CONTENT), str)
    assert name == "beganAt" or render(f"{{{{ {name} }}}}", CONTENT) != ""


def test_a_fault_names_its_line() -> None:
    with pytest.raises(TemplateFault, match="^line 3: a loop cannot be used$"):
        check("{{ title }}\n\n{% for a in title %}{% endfor %}")
    with pytest.raises(TemplateFault, match="^line 2: "):
        check("{{ title }}\n{{ title ")
    with pytest.raises(TemplateFault, match="^line 1: there is no variable 'host'; there are title, "):
        check("{{ host }}")


@pytest.mark.parametrize(("length", "is_taken"), [(LONGEST_TEMPLATE, True), (LONGEST_TEMPLATE + 1, False)])
def test_the_length_of_a_template_is_limited(length: int, is_taken: bool) -> None:
    if is_taken:
        check("x" * length)
    else:
        with pytest.raises(TemplateFault):
            check("x" * length)


@pytest.mark.parametrize(("depth", "is_taken"), [(DEEPEST - 4, True), (DEEPEST, False)])
def test_the_depth_of_a_template_is_limited(depth: int, is_taken: bool) -> None:
    text = "{% if title %}" * depth + "x" + "{% endif %}" * depth
    if is_taken:
        assert render(text, CONTENT) == "x"
    else:
        with pytest.raises(TemplateFault, match="nested too deeply"):
            check(text)


def test_nested_replacements_do_not_grow() -> None:
    long = "a" * 100
    text = "{{ title" + f"|replace('a', '{long}')" * 15 + " }}"
    assert len(render("{{ title|replace('D', 'a') }}", CONTENT)) < 20
    assert len(render(text.replace("title", "'a'"), CONTENT)) == LONGEST_VALUE


def test_the_output_is_cut() -> None:
    huge = replace(CONTENT, sentence="x" * 100_000)
    assert len(render("{{ sentence }}" * 100, huge)) == LONGEST_VALUE
    applied = TextTemplate("{{ sentence }}", "{{ sentence }}{{ sentence }}").apply(huge)
    assert (len(applied.title), len(applied.sentence)) == (LONGEST_TITLE, LONGEST_SENTENCE)


def test_an_empty_result_leaves_the_standard_text() -> None:
    applied = TextTemplate("{% if state == 'x' %}y{% endif %}", "  ").apply(CONTENT)
    assert (applied.title, applied.sentence) == (CONTENT.title, CONTENT.sentence)


def test_a_title_is_one_line() -> None:
    assert TextTemplate("a\n{{ title }}\r\nb", "").apply(CONTENT).title == "a Disk full b"


def test_a_digest_keeps_its_text() -> None:
    content = notice_content.of_body(digest("usual"))
    assert TextTemplate("x", "y").apply(content) == content


def test_a_template_that_fails_to_render_is_a_fault() -> None:
    for text in ("{{ title < 3 }}", "{{ title|truncate('x') }}", "{{ title|truncate(0) }}"):
        check(text)
        with pytest.raises(TemplateFault, match="cannot be rendered"):
            render(text, CONTENT)


@given(st.text(alphabet="{}%# abtile'\"|()[].~=<>!01\n-", max_size=120))
def test_any_text_is_refused_or_printed_within_its_bounds(text: str) -> None:
    try:
        assert len(render(text, CONTENT)) <= LONGEST_VALUE
    except TemplateFault as fault:
        assert str(fault)


def test_kinds_with_templates_lay_the_texts_out() -> None:
    message = Message("dlv_1", body(), AT, template=TextTemplate("New title", "New body"))
    assert (message.content.title, message.content.sentence) == ("New title", "New body")
    assert "webhook" not in WITH_TEMPLATES
    assert {"slack", "email", "ntfy"} <= WITH_TEMPLATES <= set(KINDS)
