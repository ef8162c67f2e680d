"""Every set of values gives manifests that Kubernetes accepts, whose parts fit together and which the service can run with."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from inbox import __version__
from inbox.config.settings import Settings
from inbox.config.unknown import unknown_settings
from inbox.runtime.queue import QueueName
from tests.deploy.charts import (
    CHART,
    SETS,
    Manifest,
    container,
    environment,
    helm,
    manifests,
    pods,
    render,
    selects,
    values,
)
from tests.faults.service_processes import PROJECT

validator = pytest.importorskip("kubernetes_validate")

VERSIONS = tuple(f"1.{minor}" for minor in range(31, 38))
CUSTOM = ("keda.sh/v1alpha1", "monitoring.coreos.com/v1")
"""Resources of other operators, for which Kubernetes has no schema."""

SECRETS = {
    "DATABASE_URL": "postgresql://inbox_service:secret@db1.example.org:5432/incident_inbox",
    "REDIS_URL": "rediss://:secret@redis.example.org:6379/0",
    "INBOX_SECRET_KEYS": "k1:MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",
    "INBOX_SIGNING_KEY": "s" * 32,
    "INBOX_METRICS_TOKEN": "t" * 32,
    "INBOX_SMTP_URL": "smtp://mail.example.org",
    "INBOX_OIDC_PROVIDERS": "[]",
}

ALL = pytest.mark.parametrize("name", SETS)


def test_five_sets_of_values_are_rendered() -> None:
    assert len(SETS) == 5


@ALL
@pytest.mark.parametrize("version", VERSIONS)
def test_kubernetes_accepts_every_manifest(name: str, version: str) -> None:
    for each in manifests(name):
        if each["apiVersion"] not in CUSTOM:
            validator.validate(each, version, strict=True)


@ALL
def test_helm_has_nothing_to_say_but_that_an_icon_is_missing(name: str) -> None:
    found = helm.lint(str(CHART), values(name), strict=True)

    assert ([each["error"] for each in found["messages"]], found["errors"]) == (["icon is recommended"], [])


@ALL
def test_no_two_manifests_have_one_name_and_all_are_in_the_namespace(name: str) -> None:
    named = [(each["kind"], each["metadata"]["name"]) for each in manifests(name)]

    assert len(named) == len(set(named))
    assert {each["metadata"]["namespace"] for each in manifests(name)} == {"alerts"}


@ALL
def test_every_container_runs_without_rights_on_a_file_system_that_cannot_be_written(name: str) -> None:
    for part, template in pods(name):
        only, spec = container(template), template["spec"]

        assert only["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }, part
        assert spec["securityContext"]["runAsNonRoot"] and not spec["automountServiceAccountToken"], part
        assert "memory" in only["resources"]["limits"], part
        mounted = {each["mountPath"]: each["name"] for each in only["volumeMounts"]}
        volumes = {each["name"]: each for each in spec["volumes"]}
        assert set(mounted.values()) == set(volumes), part
        assert "emptyDir" in volumes[mounted["/tmp"]] and "emptyDir" in volumes[mounted["/var/lib/incident-inbox"]], (
            part
        )


@ALL
def test_the_service_takes_the_environment_of_every_container(name: str, tmp_path: Path) -> None:
    for folder in ("incident-inbox", "migration"):
        (tmp_path / "secrets" / folder).mkdir(parents=True)
    for key, value in SECRETS.items():
        (tmp_path / "secrets" / "incident-inbox" / key).write_text(value)
    owner = SECRETS["DATABASE_URL"].replace("inbox_service", "inbox_owner")
    (tmp_path / "secrets" / "migration" / "INBOX_MIGRATION_DATABASE_URL").write_text(owner)

    for part, template in pods(name):
        found = environment(template, tmp_path)

        settings = Settings.from_env(found)
        assert unknown_settings(found) == [], part
        assert [each for each in SECRETS if each in found] == [], part
        assert settings.base_url == values(name)["baseUrl"].rstrip("/"), part
        assert ("inbox_owner" in settings.migration_database_url) <= (part == "migrate"), part


@ALL
def test_every_command_is_a_program_of_the_image(name: str) -> None:
    for part, template in pods(name):
        program, *arguments = container(template)["command"]

        assert os.access(PROJECT / Path(program).relative_to("/opt/incident-inbox"), os.X_OK), part
        assert set(arguments) <= set(QueueName), part


@ALL
def test_every_queue_has_a_worker_and_one_worker_never_waits_for_a_receiver(name: str) -> None:
    every = {str(queue) for queue in QueueName}
    served = [set(container(pod)["command"][1:]) or every for part, pod in pods(name) if part.startswith("worker-")]

    assert set().union(*served) == every
    assert [queues for queues in served if "routing" in queues and "delivery" not in queues]


@ALL
def test_services_and_probes_name_ports_that_a_pod_has(name: str) -> None:
    templates = [template for _, template in pods(name)]
    for service in manifests(name, "Service"):
        chosen = [each for each in templates if selects(service["spec"]["selector"], each["metadata"]["labels"])]
        ports = {port["name"] for each in chosen for port in container(each).get("ports", ())}

        assert {port["targetPort"] for port in service["spec"]["ports"]} <= ports, service["metadata"]["name"]
    for part, template in pods(name):
        only = container(template)
        probes = [only[key] for key in only if key.endswith("Probe")]

        assert probes or part == "migrate"
        asked = {(probe.get("httpGet") or probe["tcpSocket"])["port"] for probe in probes}
        assert asked <= {port["name"] for port in only.get("ports", ())}, part


@ALL
def test_every_deployment_has_one_disruption_budget_and_spreads_its_own_pods(name: str) -> None:
    budgets = [each["spec"]["selector"]["matchLabels"] for each in manifests(name, "PodDisruptionBudget")]

    for each in manifests(name, "Deployment"):
        labels = each["spec"]["template"]["metadata"]["labels"]
        assert len([budget for budget in budgets if selects(budget, labels)]) == 1
        assert each["spec"]["selector"]["matchLabels"] == labels
        spread = each["spec"]["template"]["spec"]["topologySpreadConstraints"]
        assert [constraint["labelSelector"]["matchLabels"] for constraint in spread] == [labels, labels]


@ALL
def test_only_what_no_scaler_changes_has_replicas(name: str) -> None:
    scaled = {
        each["spec"]["scaleTargetRef"]["name"] for each in manifests(name, "ScaledObject", "HorizontalPodAutoscaler")
    }
    deployments = {each["metadata"]["name"]: each["spec"] for each in manifests(name, "Deployment")}

    assert scaled <= deployments.keys()
    assert {each for each, spec in deployments.items() if "replicas" not in spec} == scaled


def test_keda_asks_for_metrics_that_the_service_has() -> None:
    documented = (PROJECT / "docs" / "operators" / "monitoring.md").read_text()
    queries = [
        trigger["metadata"]["query"]
        for each in manifests("everything", "ScaledObject")
        for trigger in each["spec"]["triggers"]
    ]

    assert len(queries) == 4
    for query in queries:
        found = re.fullmatch(r'max\((inbox_\w+_oldest_\w+_seconds)\{namespace="alerts"\}\)', query)
        assert found and f"| `{found[1]}` |" in documented, query


def test_prometheus_asks_the_services_with_the_ports_of_metrics() -> None:
    [monitor] = manifests("below-a-path", "ServiceMonitor")
    [expression] = monitor["spec"]["selector"]["matchExpressions"]
    services = [
        each
        for each in manifests("below-a-path", "Service")
        if each["metadata"]["labels"]["app.kubernetes.io/component"] in expression["values"]
    ]

    asked = {(each["port"], each["path"]) for each in monitor["spec"]["endpoints"]}
    assert asked == {("http", "/alerts/metrics"), ("metrics", "/metrics")}
    assert {port["name"] for each in services for port in each["spec"]["ports"]} == {"http", "metrics"}


def test_the_ingress_does_not_buffer_the_stream() -> None:
    [stream] = [each for each in manifests("everything", "Ingress") if each["metadata"]["name"] == "acme-stream"]
    [below] = [each for each in manifests("below-a-path", "Ingress") if each["metadata"]["name"] == "acme-stream"]

    assert stream["metadata"]["annotations"]["nginx.ingress.kubernetes.io/proxy-buffering"] == "off"
    assert [path(stream), path(below)] == ["/v1/stream", "/alerts/v1/stream"]
    assert stream["spec"]["rules"][0]["host"] == "inbox.example.org"


def path(ingress: Manifest) -> str:
    [only] = ingress["spec"]["rules"][0]["http"]["paths"]
    return str(only["path"])


def test_the_owner_of_the_tables_is_known_to_the_hook_of_the_migration_alone() -> None:
    [job] = manifests("everything", "Job")
    with_secret = [part for part, pod in pods("everything") if "inbox-owner" in str(pod)]

    assert with_secret == ["migrate"]
    assert job["metadata"]["annotations"]["helm.sh/hook"] == "pre-install,pre-upgrade"


def test_a_closed_network_opens_three_ports() -> None:
    policies = {each["metadata"]["name"]: each["spec"] for each in manifests("everything", "NetworkPolicy")}

    opened = {name: [port["port"] for port in spec["ingress"][0]["ports"]] for name, spec in policies.items()}
    assert opened == {"acme-metrics": ["metrics"], "acme-web": ["http"], "acme-mail-in": ["smtp"]}
    assert len(policies["acme-web"]["ingress"][0]["from"]) == 2
    assert "from" not in policies["acme-mail-in"]["ingress"][0]


@pytest.mark.parametrize(
    ("mistake", "said"),
    [
        ({"baseUrl": ""}, "baseUrl"),
        ({"baseURL": "https://inbox.example.org"}, "baseURL"),
        ({"secret": {"keys": ["DATABASE_URL"]}}, "keys"),
        ({"workers": {"other": None}}, "no worker serves the queue purge"),
        ({"workers": {"other": {"queues": ["mails"]}}}, "queues"),
        ({"settings": {"DATABASE_URL": "postgresql://db1/"}}, "DATABASE_URL"),
        ({"settings": {"INBOX_INGEST_BYTES_IN_FLIGHT": 67108864}}, "INBOX_INGEST_BYTES_IN_FLIGHT"),
        ({"migration": {"address": "postgresql://owner:secret@db1/inbox"}}, "address"),
    ],
)
def test_values_with_a_mistake_are_refused(mistake: dict[str, Any], said: str) -> None:
    with pytest.raises(helm.HelmError, match=said):
        render({"baseUrl": "https://inbox.example.org", **mistake})


def test_the_chart_has_the_version_of_the_product() -> None:
    about = yaml.safe_load((CHART / "Chart.yaml").read_text())

    assert (about["version"], about["appVersion"]) == (__version__, __version__)
