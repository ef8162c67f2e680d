"""Names of jobs: the program of a line, behind the commands that prepare or wrap it (specification 22.4)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

LONGEST_READ = 2_000
LONGEST_LINE = 60
MOST_COMMANDS = 30
MOST_WRAPPERS = 10

_PIECE = re.compile(
    r"""(?P<blank>\s+)|(?P<redirect>\d*(?:[<>]&\d?-?|&>>?|[<>]{1,2}\|?))|(?P<end>&&|\|\||[;&|()])"""
    r"""|'(?P<single>[^']*)'|"(?P<double>(?:\\.|[^"\\])*)"|\\(?P<escaped>.)|(?P<plain>\$\(+[^()]*\)+|`[^`]*`|[^\s;&|()<>'"\\`$]+|.)""",
    re.DOTALL,
)
_WORD = re.compile(r"[\w./-]+")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_HEADING = re.compile(r"m\s+h\s|[\d*@]")
"""Matches a comment that names the fields of a crontab, or that turns a line off."""

_KEYWORDS = frozenset(("if", "then", "else", "elif", "fi", "do", "done", "while", "until", "!", "{", "}"))
_PREPARING = frozenset(
    ("cd", "pushd", "test", "[", "[[", "sleep", "export", ".", "source", "set", "umask", "ulimit", "true", ":")
)
_SHELLS = frozenset(("sh", "bash", "dash", "zsh", "ksh", "flock", "su", "runuser"))
"""Programs whose option `-c` has a command."""

_CONTAINERS = frozenset(("docker", "podman"))
"""Programs that run a command in a container, as in `docker exec -t db pg_dumpall`."""

_WITHOUT_SECRETS = frozenset(("run-parts",))
"""Programs whose options are known to have no secrets, so that the name may have an argument behind them."""


class _Wrapper(NamedTuple):
    """A program that runs another one: its options with a value, and its arguments before the other program."""

    with_value: str = ""
    arguments: int = 0


_WRAPPERS = {
    **dict.fromkeys(("nohup", "setsid", "chronic", "cronic", "exec", "command", "sh", "bash", "dash", "zsh", "ksh"), _Wrapper()),
    **dict.fromkeys(("python", "python2", "python3"), _Wrapper("WX")),
    "perl": _Wrapper("I"),
    "php": _Wrapper("cd"),
    "ruby": _Wrapper("I"),
    "node": _Wrapper("r"),
    "nice": _Wrapper("n"),
    "ionice": _Wrapper("cn"),
    "flock": _Wrapper("wE", 1),
    "timeout": _Wrapper("ks", 1),
    "env": _Wrapper("uC"),
    "sudo": _Wrapper("ugpCDhRT"),
    "doas": _Wrapper("uC"),
    "time": _Wrapper("fo"),
    "stdbuf": _Wrapper("ioe"),
    "systemd-cat": _Wrapper("tp"),
    "taskset": _Wrapper("", 1),
    "chrt": _Wrapper("", 1),
}  # fmt: skip


def name_of(command: str, comment: str = "") -> str:
    """Returns the program of a command and its first argument, if it is no option, because options may be secret.

    Without a program it is the comment above the line, else the beginning of the line.
    """
    for words in islice(_commands(command[:LONGEST_READ]), MOST_COMMANDS):
        found = _name(words, MOST_WRAPPERS)
        if found:
            return found
    if comment and _HEADING.match(comment) is None:
        return comment
    return " ".join(filter(_WORD.fullmatch, command[:LONGEST_READ].split()))[:LONGEST_LINE] or "job"


def _commands(line: str) -> Iterator[list[str]]:
    """Yields the words of each command of a line, without quotes."""
    words: list[str] = []
    is_open = False
    for piece in _PIECE.finditer(line):
        if piece["end"]:
            yield words
            words = []
        if piece["blank"] or piece["end"] or piece["redirect"]:
            words.extend(filter(None, (piece["redirect"],)))
            is_open = False
            continue
        text = next(group for group in piece.group("single", "double", "escaped", "plain") if group is not None)
        if is_open:
            words[-1] += text
        else:
            words.append(text)
        is_open = True
    yield words


def _name(words: list[str], depth: int) -> str:
    """Returns the name of a command; empty when it only prepares another one."""
    words = _without_prefix(words)
    program = words[0].rsplit("/", 1)[-1] if words else ""
    if not program or program in _PREPARING or depth == 0:
        return ""
    inner = _inner_command(words) if program in _SHELLS else ""
    if inner:
        return next(filter(None, (_name(each, depth - 1) for each in islice(_commands(inner), MOST_COMMANDS))), "")
    wrapper = _WRAPPERS.get(program)
    behind = [] if wrapper is None else _behind(words, wrapper)
    if program in _CONTAINERS and words[1:2] == ["exec"]:
        behind = _behind(words[1:], _Wrapper("euw", 1))
    if behind and (_WORD.fullmatch(behind[0]) or behind[0] in _PREPARING):
        return _name(behind, depth - 1)
    rest = [word for word in words[1:] if program not in _WITHOUT_SECRETS or not word.startswith("-")]
    argument = next((word for word in rest[:1] if _WORD.fullmatch(word) and not word.startswith("-")), "")
    return f"{program} {argument.rstrip('/').rsplit('/', 1)[-1]}".strip()


def _without_prefix(words: list[str]) -> list[str]:
    """Returns the words without keywords of the shell and assignments before them."""
    place = 0
    while place < len(words) and (words[place] in _KEYWORDS or _ASSIGNMENT.match(words[place])):
        place += 1
    return words[place:]


def _inner_command(words: list[str]) -> str:
    """Returns the command that a shell runs, as in `bash -lc "cd / && backup"`."""
    for place, word in enumerate(words[1:-1], 1):
        if re.fullmatch(r"-[a-z]*c", word):
            return words[place + 1]
    return ""


def _behind(words: list[str], wrapper: _Wrapper) -> list[str]:
    """Returns the words behind a wrapper, its options and its arguments."""
    place = 1
    while place < len(words) and words[place].startswith("-"):
        place += 2 if len(words[place]) == 2 and words[place][1] in wrapper.with_value else 1
    return _without_prefix(words[place + wrapper.arguments :])
