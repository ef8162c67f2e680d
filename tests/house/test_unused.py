"""No function, method, class or property of the product is left that nothing names."""

from __future__ import annotations

from pathlib import Path

from vulture import Vulture

PROJECT = Path(__file__).parent.parent.parent
PRODUCT = ("app.py", "wsgi.py", "gunicorn.conf.py", "inbox", "jobs", "ops", "cli", "agent")
CALLERS = ("bench", "tests", "migrations")
KINDS = ("function", "method", "class", "property", "import", "unreachable_code")

CALLED_BY_DECORATOR = (
    *(f"@*.{name}" for name in ("route", "get", "post", "put", "patch", "delete", "errorhandler")),
    *(
        "@*.before_request",
        "@*.after_request",
        "@*.teardown_request",
        "@*validates*",
        "@pre_load",
        "@post_load",
        "@*.post_dump",
    ),
)

CALLED_BY_LIBRARY = (
    # gunicorn
    *("on_starting", "when_ready", "post_worker_init", "patch", "timeout_ctx", "handle_error"),
    # werkzeug, flask-smorest, apispec, webargs, marshmallow, Peewee
    *(
        "to_python",
        "to_url",
        "_register_*",
        "load_json",
        "check_match",
        "_serialize",
        "_deserialize",
        "on_bind_field",
        "python_value",
        "Meta",
    ),
    # aiosmtpd
    *("handle_EHLO", "handle_RCPT", "handle_DATA", "handle_exception"),
    # the adapter of requests
    *("get_connection_with_tls_context", "cert_verify"),
    # PyYAML
    "ignore_aliases",
    # RQ and the HTTP server of the standard library
    *("procline", "_install_signal_handlers", "log_message", "execute_job", "check_for_suspension"),
)

EXPLAINED = {
    "AlertTimesRow": "the table is read and written by statements, and the class states its columns for the same comparison",
}


def test_everything_that_is_defined_is_named_somewhere() -> None:
    search = Vulture(ignore_names=[*CALLED_BY_LIBRARY, *EXPLAINED], ignore_decorators=list(CALLED_BY_DECORATOR))
    search.scavenge([str(PROJECT / room) for room in (*PRODUCT, *CALLERS)])
    unused = [
        f"{Path(item.filename).relative_to(PROJECT)}:{item.first_lineno} {item.typ} {item.name}"
        for item in search.get_unused_code(min_confidence=60)
        if item.typ in KINDS and Path(item.filename).relative_to(PROJECT).parts[0] in PRODUCT
    ]

    assert unused == []
