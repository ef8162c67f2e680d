"""Defects of texts for senders and first users: remedies of mistakes, pages, set-up, first start."""

from __future__ import annotations

from bench.defects.defect import defect

MISTAKES = "tests/api/events/test_mistakes.py"
ADDRESSES = "tests/api/http/test_wrong_addresses.py"
PAGES = "tests/api/http/test_pages.py"
SETUP_PAGE = "tests/api/instance/test_setup_page.py"
SETUP = "tests/ops/test_setup.py"
WORDS = "tests/ops/test_cli_words.py"

DEFECTS = (
    defect(
        "events are taken as application/json alone",
        "inbox/api/http/bodies.py",
        '    if environ.get("HTTP_CONTENT_ENCODING"',
        '    if environ.get("CONTENT_TYPE") != "application/json":\n        raise UnsupportedMediaType()\n'
        '    if environ.get("HTTP_CONTENT_ENCODING"',
        "tests/api/events/test_accept_stored.py",
        "tests/api/events/test_wire.py",
    ),
    defect(
        "without a source key nothing says how to send one",
        "inbox/domain/senders/keys.py",
        "        raise Unauthenticated(missing)\n",
        "        raise Unauthenticated()\n",
        f"{MISTAKES}::test_a_refusal_without_a_source_key_shows_the_header",
    ),
    defect(
        "an incomplete key is an unknown one",
        "inbox/domain/senders/keys.py",
        "        raise Unauthenticated(INCOMPLETE_KEY)\n",
        "        raise Unauthenticated()\n",
        f"{MISTAKES}::test_an_incomplete_key_is_to_be_copied_again",
    ),
    defect(
        "the column where a body breaks is that of the whole body",
        "inbox/domain/values/jsonbody.py",
        "{fault.colno}",
        "{fault.pos}",
        f"{MISTAKES}::test_a_malformed_body_is_refused_with_the_position_of_the_fault",
    ),
    defect(
        "an unknown field is not compared with the known ones",
        "inbox/domain/events/field_names.py",
        "        suggestion = _SPELLING.closest(name)\n",
        "        suggestion = None\n",
        f"{MISTAKES}::test_an_unknown_field_is_a_warning_that_names_the_known_one",
    ),
    defect(
        "of the warnings of a source only the latest are counted",
        "inbox/models/senders/source_warnings.py",
        "count = source_warnings.count + excluded.count",
        "count = excluded.count",
        f"{MISTAKES}::test_warnings_are_counted_by_source_and_shown_with_the_latest",
    ),
    defect(
        "a path without its version is just not found",
        "inbox/api/http/wrong_addresses.py",
        "(sent, [VERSION, *sent], sent[1:], [VERSION, *sent[1:]])",
        "(sent,)",
        ADDRESSES,
    ),
    defect(
        "a wrong method is answered without the right ones",
        "inbox/api/http/errors.py",
        'sorted(getattr(fault, "valid_methods", None) or ())',
        "()",
        f"{ADDRESSES}::test_a_wrong_method_is_answered_with_the_right_ones",
    ),
    defect(
        "an unknown parameter is answered without the known ones",
        "inbox/api/http/parsing.py",
        "{name: instead if given == [UNKNOWN] else given for",
        "{name: given for",
        f"{ADDRESSES}::test_an_unknown_parameter_is_answered_with_the_known_ones",
    ),
    defect(
        "a browser gets its errors as JSON",
        "inbox/api/http/errors.py",
        "    if for_a_browser():\n",
        "    if for_a_browser() is None:\n",
        f"{PAGES}::test_an_error_is_a_page_for_a_browser",
    ),
    defect(
        "pages show backticks",
        "inbox/api/http/pages.py",
        'Markup("<code>{}</code>").format(part) if place % 2 else',
        'Markup("`{}`").format(part) if place % 2 else',
        PAGES,
    ),
    defect(
        "the set-up page sends the password back",
        "inbox/api/instance/setup_pages.py",
        '"" if kind == "password" else values.get(name, "")',
        'values.get(name, "")',
        SETUP_PAGE,
    ),
    defect(
        "a second set-up by the page is just not found",
        "inbox/api/instance/setup.py",
        "        return setup_pages.already(404)\n    sent",
        "        raise NotFound()\n    sent",
        f"{SETUP_PAGE}::test_a_used_setup_link_says_that_an_account_exists",
    ),
    defect(
        "the port is looked at after the installation",
        "ops/setup.py",
        'if starts == "up" and (refused := _port_refused(arguments)):',
        'if starts == "after" and (refused := _port_refused(arguments)):',
        f"{SETUP}::test_a_port_in_use_is_reported_before_anything_is_installed",
    ),
    defect(
        "every command starts Python twice",
        "ops/setup.py",
        '    (VENV / f"complete-{kind}").touch()\n',
        "    pass\n",
        SETUP,
    ),
    defect(
        "a new key comes without the line that sends an event",
        "cli/sources.py",
        "    if not as_json:\n",
        "    if as_json:\n",
        f"{WORDS}::test_a_new_key_is_shown_once_and_with_the_line_that_sends_an_event",
    ),
    defect(
        "a list of nothing is silent",
        "cli/command.py",
        "    elif nothing:\n",
        "    elif not nothing:\n",
        f"{WORDS}::test_an_empty_list_says_so_and_json_stays_json",
    ),
)
