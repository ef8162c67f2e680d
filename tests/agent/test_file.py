"""The agent's single file: its requirements on a machine, and its download (specification 21.1)."""

from __future__ import annotations

import ast
import hashlib
import subprocess
import sys
from collections import Counter

from agent import MODULES, bundle
from tests.agent.conftest import Host
from tests.browser import Browser


def tree() -> ast.Module:
    return ast.parse(bundle.source(), feature_version=(3, 8))


def test_the_file_needs_the_standard_library_alone() -> None:
    imported = {
        (name.name if isinstance(node, ast.Import) else node.module or "").split(".")[0]
        for node in ast.walk(tree())
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in node.names
    }

    assert len(imported) > 10
    assert imported <= sys.stdlib_module_names


def test_an_old_python_gets_a_line_that_names_the_least_version(host: Host) -> None:
    ast.parse(bundle.source(), feature_version=(3, 6))
    future = [node for node in tree().body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    early = "import sys\nsys.version_info = (3, 6, 9)\nexec(compile(open(sys.argv[1]).read(), 'inbox.py', 'exec'))"
    done = subprocess.run([sys.executable, "-c", early, str(host.file)], capture_output=True, text=True, check=False)

    assert future == []
    assert done.returncode == 1 and done.stderr.startswith("inbox.py needs Python 3.8 or later. This is Python ")
    assert "Traceback" not in done.stderr


def test_each_name_of_the_file_is_defined_once() -> None:
    names = Counter[str]()
    for node in tree().body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names[node.name] += 1
        elif isinstance(node, ast.Assign):
            names.update(each.id for target in node.targets for each in ast.walk(target) if isinstance(each, ast.Name))

    assert [name for name, count in names.items() if count > 1] == []
    assert len(names) > 80 and len(MODULES) == 13


def test_the_file_and_its_checksum_are_served_to_everybody(anonymous: Browser) -> None:
    served, checksum = anonymous.get("/inbox.py"), anonymous.get("/inbox.py.sha256")

    assert served.status_code == checksum.status_code == 200
    assert served.text == bundle.source()
    assert checksum.text == f"{hashlib.sha256(served.data).hexdigest()}  inbox.py\n"


def test_the_file_documents_its_usage(host: Host) -> None:
    for words, exit_code in ((["--help"], 0), (["watch", "--help"], 0), (["wrap", "--help"], 0), ([], 2), (["x"], 2)):
        done = host.run(*words)
        assert (done.returncode, "usage: inbox.py" in done.stdout + done.stderr) == (exit_code, True), words


def test_a_credential_comes_from_a_file_or_the_environment_and_never_from_an_argument(host: Host) -> None:
    key = host.home / "key"
    key.write_text("svc_src_of_the_file\n")
    missing = host.run("send", "x", INBOX_SOURCE_KEY="")
    unreadable = host.run("send", "x", "--key-file", str(host.home / "none"))
    of_file = [
        host.run("send", "x", "--no-spool", "--key-file", str(key)),
        host.run("watch", "--once", INBOX_SOURCE_KEY="", INBOX_SOURCE_KEY_FILE=str(key)),
    ]

    assert (missing.returncode, "INBOX_SOURCE_KEY" in missing.stderr) == (2, True)
    assert unreadable.returncode == 2
    assert [(done.returncode, "cannot be reached" in done.stderr) for done in of_file] == [(1, True)] * 2
    assert "svc_src" not in "".join(done.stderr + done.stdout for done in of_file)
    options = subprocess.run(host.command("watch", "--help"), capture_output=True, text=True, check=True).stdout
    assert "--key " not in options and "--token" not in options
