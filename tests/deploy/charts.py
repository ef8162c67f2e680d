"""The chart in `deploy/helm`, rendered with the sets of values in its folder `ci`."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.faults.service_processes import PROJECT

helm = pytest.importorskip("helm_python", reason="Helm has no wheel for this machine")

CHART = PROJECT / "deploy" / "helm" / "incident-inbox"
SETS = tuple(sorted(path.stem for path in (CHART / "ci").glob("*.yaml")))
RELEASE, NAMESPACE = "acme", "alerts"
Manifest = dict[str, Any]


def values(name: str) -> dict[str, Any]:
    """The values of a set."""
    return dict(yaml.safe_load((CHART / "ci" / f"{name}.yaml").read_text()))


def render(given: Mapping[str, Any]) -> list[Manifest]:
    """The manifests of the chart. Helm refuses values that break the schema of the chart."""
    with helm.Chart.load(str(CHART)) as chart:
        chart.validate_schema(dict(given))
        rendered = chart.render(dict(given), name=RELEASE, namespace=NAMESPACE)
    texts = [text for path, text in sorted(rendered.items()) if not path.endswith(".txt")]
    return [each for text in texts for each in yaml.safe_load_all(text) if each]


@cache
def _manifests(name: str) -> list[Manifest]:
    return render(values(name))


def manifests(name: str, *kinds: str) -> list[Manifest]:
    """Copies of the manifests of a set of values, of these kinds or all."""
    return copy.deepcopy([each for each in _manifests(name) if not kinds or each["kind"] in kinds])


def pods(name: str) -> Iterator[tuple[str, Manifest]]:
    """The component and the pod template of each Deployment and Job."""
    for each in manifests(name, "Deployment", "Job"):
        template = each["spec"]["template"]
        yield template["metadata"]["labels"]["app.kubernetes.io/component"], template


def container(template: Manifest) -> Manifest:
    """The only container of a pod."""
    [only] = template["spec"]["containers"]
    return dict(only)


def environment(template: Manifest, files: Path) -> dict[str, str]:
    """The variables of a pod, with each path below `/run/secrets` and `/var/lib` moved into a folder."""
    found = {each["name"]: each["value"] for each in container(template)["env"]}
    return {
        name: value.replace("/run/secrets", f"{files}/secrets").replace("/var/lib", f"{files}/lib")
        for name, value in found.items()
    }


def selects(selector: Mapping[str, str], labels: Mapping[str, str]) -> bool:
    """Whether the labels have every label of a selector."""
    return selector.items() <= labels.items()
