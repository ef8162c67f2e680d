"""`bin/inbox config`: the configuration of a workspace as files (specification 24)."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from cli.command import add_json_option, command, group


def add_to(commands: Any) -> None:
    """Adds `config export|plan|apply`."""
    under = group(commands, "config", "the configuration of a workspace as YAML files")
    made = command(under, "export", _act("export"), "Write the configuration as YAML, without secrets.")
    made.add_argument("file", metavar="FILE", nargs="?", default="-", help="a new file; without it, standard output")
    _add_workspace(made)
    made = command(under, "plan", _act("plan"), "Show what the files would change. Nothing is stored.")
    _add_files(made)
    made = command(under, "apply", _act("apply"), "Change the workspace to what the files say, in one transaction.")
    _add_files(made)


def _act(name: str) -> Callable[[argparse.Namespace], None]:
    """Returns the function of a command. It imports the schemas of the API, which takes half a second, when it runs."""

    def act(options: argparse.Namespace) -> None:
        from cli import configuration_files

        getattr(configuration_files, name)(options)

    return act


def _add_workspace(made: argparse.ArgumentParser) -> None:
    made.add_argument("--workspace", help="slug or id of the workspace; needed when there is more than one")


def _add_files(made: argparse.ArgumentParser) -> None:
    made.add_argument("file", metavar="FILE", help="a YAML file, or a directory with YAML files")
    _add_workspace(made)
    made.add_argument("--prune", action="store_true", help="also delete records that people created, in these sections")
    add_json_option(made)
