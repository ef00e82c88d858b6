"""/metrics in OpenMetrics text, /healthz and /readyz (docs/hub-http.md)."""

import re
import time

import pytest

from hub import Hub, bearer, wait_ready
from lib import wait_for

NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = rf'({NAME})="((?:[^"\\\n]|\\["\\n])*)"'
SUFFIXES = {"gauge": [""], "counter": ["_total", "_created"],
            "info": ["_info"]}


def parse(text):
    """A strict reader of OpenMetrics 1.0 for the types that the hub uses: the
    values by name and labels."""
    assert text.endswith("\n# EOF\n"), text[-100:]
    families, values = {}, {}
    current = None
    for line in text[:-len("# EOF\n")].split("\n")[:-1]:
        assert line and line != "# EOF", repr(line)
        if line.startswith("#"):
            kind, name, rest = re.fullmatch(
                rf"# (TYPE|UNIT|HELP) ({NAME}) (.+)", line).groups()
            if name != current:
                # All lines of a family are together, its TYPE is first.
                assert kind == "TYPE" and name not in families, line
                current = name
                families[name] = {}
            assert kind not in families[name], line
            families[name][kind] = rest
            if kind == "TYPE":
                assert rest in SUFFIXES, line
            if kind == "UNIT":
                assert name.endswith(f"_{rest}"), line
            continue
        name, labels, value = re.fullmatch(
            rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? (\S+)",
            line).group(1, 2, 7)
        kind = families[current]["TYPE"]
        assert name in [current + s for s in SUFFIXES[kind]], line
        pairs = tuple((m[1], m[2]) for m in re.finditer(LABEL, labels or ""))
        assert len(dict(pairs)) == len(pairs), line
        assert (name, pairs) not in values, line
        values[name, pairs] = float(value)
        if kind in ("counter", "info"):
            assert float(value) >= 0, line
    return values


def read(hub, **kwargs):
    reply = hub.get("/metrics", **kwargs)
    assert reply.status == 200, reply
    assert reply.headers["Content-Type"] == (
        "application/openmetrics-text; version=1.0.0; charset=utf-8")
    return parse(reply.body.decode())


@pytest.fixture
def hub(home):
    with Hub(home) as made:
        wait_ready(made)
        yield made


def test_metrics_are_openmetrics(home, hub):
    before = read(hub)
    home.start("cat")
    home.wait_status(home.start("true"), "exited")
    for _ in range(3):
        hub.call("session/list", method="GET")
    hub.get("/nowhere")
    hub.raw(b"nonsense\r\n\r\n")

    def look():
        values = read(hub)
        return values if values[
            "tend_hub_sessions", (("status", "exited"),)] else None

    values = wait_for(look, "the sessions in the metrics")
    assert values["tend_hub_sessions", (("status", "running"),)] == 1
    assert values["tend_hub_ready", ()] == 1

    def requests(route, status):
        return values["tend_hub_requests_total",
                      (("route", route), ("status", status))]

    assert requests("session.list", "2xx") == 3
    assert requests("unknown", "4xx") == 1
    assert requests("unreadable", "4xx") == 1
    assert requests("/metrics", "2xx") >= 1
    assert values["tend_hub_connections", ()] >= 1
    for name in ("tend_hub_sent_bytes_total", "tend_hub_loop_turns_total",
                 "tend_hub_home_events_total", "process_cpu_seconds_total"):
        assert values[name, ()] > before[name, ()], (name, values)
    assert abs(values["process_start_time_seconds", ()] - time.time()) < 600
    assert 1 << 20 < values["process_resident_memory_bytes", ()] < 1 << 28


def test_clients_add_no_labels(hub):
    """The number of series is bounded, whatever clients ask for."""
    hub.get("/metrics")
    before = read(hub)
    for i in range(50):
        hub.get(f"/x{i}")
        hub.get(f"/api/v1/no{i}/such")
        hub.request("X", "/")
    assert len(read(hub)) <= len(before) + 3


def test_metrics_count_failed_logins(hub):
    before = read(hub)["tend_hub_auth_failures_total", ()]
    wrong = "tend_t_" + "A" * 43
    reply = hub.get("/api/v1/hub/status", unix=False, headers=bearer(wrong))
    assert reply.status == 401, reply
    assert read(hub)["tend_hub_auth_failures_total", ()] == before + 1


def test_metrics_need_admin(hub):
    assert hub.get("/metrics", unix=False).status == 401
    for scope, status in ((["observe", "drive"], 403), (["admin"], 200)):
        secret = hub.call("token/create", {"scope": scope})["secret"]
        reply = hub.get("/metrics", unix=False, headers=bearer(secret))
        assert reply.status == status, reply


def test_health_and_readiness_need_no_credential(hub):
    """They tell nothing but themselves."""
    for path, text in (("/healthz", b"ok\n"), ("/readyz", b"ready\n")):
        reply = hub.get(path, unix=False)
        assert (reply.status, reply.body) == (200, text), reply
