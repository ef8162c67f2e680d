"""The commands of the page on Kubernetes fit the chart."""

from __future__ import annotations

import re
import shlex

import yaml

from tests.deploy.charts import CHART, helm, render
from tests.docs.operators_pages import block


def words(heading: str) -> list[str]:
    """The words of a command block, without its line breaks."""
    return shlex.split(block("kubernetes.md", heading).text.replace("\\\n", " "))


def test_the_documented_installation_renders_with_its_values() -> None:
    given = words("Install the chart")
    values = helm.parse_set_string(",".join(given[place + 1] for place, word in enumerate(given) if word == "--set"))

    rendered = {(each["kind"], each["metadata"]["name"].removeprefix("acme-")) for each in render(values)}

    assert {("Ingress", "stream"), ("Job", "migrate"), ("Deployment", "worker-routing")} <= rendered
    assert "deploy/incident-inbox-web" in given


def test_the_documented_secrets_have_the_keys_that_the_chart_mounts() -> None:
    given = words("Create the secrets")
    keys = [found[1] for word in given if (found := re.match(r"--from-literal=(\w+)=", word))]

    assert keys == [
        *yaml.safe_load((CHART / "values.yaml").read_text())["secret"]["keys"],
        "INBOX_MIGRATION_DATABASE_URL",
    ]
