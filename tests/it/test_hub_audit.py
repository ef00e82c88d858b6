"""The audit of the hub, and the principal in the logs of sessions."""

import http.client
import json
import os
import resource
import threading
import time

import pytest

from hub import Hub, bearer
from lib import wait_for

API = "/api/v1/"
UID = f"uid:{os.getuid()}"


@pytest.fixture
def hub(home):
    with Hub(home) as hub:
        yield hub


def entries(hub, **args):
    """All entries but those of this test's own questions."""
    return [e for e in hub.call("audit/list", {"limit": 10000, **args})
            ["entries"] if e["what"] != "audit.list"]


def by(hub, principal, what=None):
    return [e for e in entries(hub, principal=principal)
            if what is None or e["what"] == what]


def client(hub, principal="user:ann", scope=("observe", "drive", "control")):
    made = hub.call("token/create",
                    {"principal": principal, "scope": list(scope)})

    def post(route, **args):
        return hub.post(API + route, args, unix=False,
                        headers=bearer(made["secret"]))

    post.id = made["id"]
    return post


def allow(home, hub, *actions, actors=("**",)):
    count = hub.log().count("the policy was read")
    new = home.path / "policy.new"
    new.write_text(json.dumps({"default": {"allowances": [
        {"actions": list(actions), "actors": list(actors)}]}}
        if actions else {}))
    new.rename(home.path / "policy.json")
    wait_for(lambda: hub.log().count("the policy was read") > count, hub.log)


def test_the_log_of_a_session_says_who_typed(home, hub):
    """C-12, B-41: the verified principal, and the hub's own uid."""
    sid = home.start("cat", options=("--name", "typed"))
    allow(home, hub, "observe", "observe/read-write", "control")
    ann = client(hub)
    for route, args in (("session/send", {"input": [{"text": "a"}]}),
                        ("session/resize", {"cols": 90, "rows": 20}),
                        ("session/mark", {"name": "here"}),
                        ("session/signal", {"signal": 18}),
                        ("session/label", {"labels": {"k": "v"}})):
        assert ann(route, session="typed", **args).status == 200, route
    hub.call("session/send", {"session": sid, "input": [{"text": "o"}]})
    events = home.events(sid, "input", "resize", "mark", "signal")
    who = [(e["by"], e.get("verified"), e.get("peer")) for e in events]
    assert who == [("user:ann", "token", UID)] * 4 + [(UID, None, UID)], who
    shown = home.ok("log", "--events", sid)
    assert f"user:ann (token) via {UID}" in shown, shown


def test_every_use_that_changes_something_is_one_entry(home, hub):
    """B-43: who, what, which session, when, which mode, from where."""
    sid = home.start("cat", options=("--name", "a/b"))
    allow(home, hub, "observe", "observe/read-write", "control", "create")
    ann = client(hub)
    before = time.time()
    assert ann("session/send", session="a/b",
               input=[{"text": "x"}]).status == 200
    found = by(hub, "user:ann")
    assert len(found) == 1, found
    entry = found[0]
    assert {k: entry[k] for k in ("principal", "verified", "credential",
                                  "from", "what", "session", "name", "mode",
                                  "outcome")} == {
        "principal": "user:ann", "verified": "token", "credential": ann.id,
        "from": "127.0.0.1", "what": "session.send", "session": sid,
        "name": "a/b", "mode": "drive", "outcome": "allowed"}
    assert 0 <= entry["duration_ms"] < 60000
    assert entry["began_at"] <= entry["ended_at"]
    assert before - 1 < id_time(entry["id"]) < time.time() + 1
    assert ann("session/signal", session=sid, signal=18).status == 200
    assert ann("session/signal", session=sid, signal=99).status == 400
    assert [e["what"] for e in by(hub, "user:ann")] == [
        "session.signal", "session.send"]
    # A new session is known only at the end of the use.
    made = hub.call("session/create", {"command": ["true"], "name": "new"})
    entry = [e for e in entries(hub) if e["what"] == "session.create"][0]
    assert (entry["session"], entry["name"], entry["mode"],
            entry["principal"], entry["verified"], entry["from"]) == (
        made["id"], "new", "create", UID, "peer", "unix")
    admin = [e for e in entries(hub) if e["what"] == "token.create"]
    assert admin and admin[0]["mode"] == "admin"


def id_time(ulid):
    digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    value = 0
    for c in ulid[:10]:
        value = value * 32 + digits.index(c)
    return value / 1000


def test_polling_is_one_entry(home, hub):
    """B-43: reads of one client and session, however many."""
    one = home.start("cat", options=("--name", "one"))
    two = home.start("cat", options=("--name", "two"))
    allow(home, hub, "observe")
    ann = client(hub)
    for _ in range(20):
        for session in ("one", two):
            assert ann("session/snapshot", session=session).status == 200
            assert ann("session/get", session=session).status == 200
        assert ann("session/list").status == 200
    found = by(hub, "user:ann")
    assert sorted((e["what"], e["session"], e["mode"], e["outcome"])
                  for e in found) == sorted(
        ("read", session, "observe", "allowed") for session in ("", one, two))
    assert {e["ended_at"] for e in found} == {None}, found
    hub.stop()
    hub.start()
    for entry in by(hub, "user:ann"):
        assert entry["outcome"] == "allowed" and entry["ended_at"], entry


def test_denials_are_recorded_but_not_without_end(home, hub):
    sid = home.start("cat", options=("--name", "shown"))
    allow(home, hub, "observe", actors=["user:bob"])
    ann, bob = client(hub), client(hub, "user:bob")
    assert ann("session/get", session="shown").status == 404
    assert ann("session/get", session="none").status == 404
    entry, = by(hub, "user:ann")
    assert (entry["outcome"], entry["session"], entry["name"],
            entry["what"]) == ("denied", sid, "shown", "session.get"), entry
    for _ in range(30):
        assert bob("session/send", session="shown",
                   input=[{"text": "x"}]).status == 403
    found = by(hub, "user:bob", "session.send")
    assert len(found) == 10, found
    assert {e["outcome"] for e in found} == {"denied"}
    assert {e["mode"] for e in found} == {"drive"}
    assert "the audit has only the first ones" in hub.log()
    # A wrong credential is a denial of nobody known.
    wrong = hub.get(API + "session/list", unix=False,
                    headers=bearer("tend_t_" + "x" * 43))
    assert wrong.status == 401
    entry = [e for e in entries(hub) if e["what"] == "credential"][0]
    assert (entry["principal"], entry["from"], entry["outcome"]) == (
        "", "127.0.0.1", "denied"), entry


def test_a_failure_is_no_denial(home, hub):
    sid = home.start("sh", "-c", "exit 0")
    home.wait_gone(sid)
    reply = hub.post(API + "session/send",
                     {"session": sid, "input": [{"text": "x"}]})
    assert reply.status == 409, reply
    entry = [e for e in entries(hub, session=sid)
             if e["what"] == "session.send"][0]
    assert entry["outcome"] == "failed", entry


def test_a_crash_leaves_no_use_open(home, hub):
    """B-43: the next hub closes it as interrupted."""
    sid = home.start("sh", "-c", "stty -echo; printf ready; exec cat")
    home.wait_text(sid, "ready")
    begun = threading.Thread(target=lambda: fails(
        hub, "session/batch", session=sid,
        steps=[{"wait": {"text": "never", "timeout": "60s"}}]))
    begun.start()
    wait_for(lambda: [e for e in entries(hub, session=sid)
                      if e["what"] == "session.batch"], "the entry")
    hub.kill()
    begun.join(60)
    hub.start()
    entry = [e for e in entries(hub, session=sid)
             if e["what"] == "session.batch"][0]
    assert entry["outcome"] == "interrupted", entry
    assert entry["ended_at"] >= entry["began_at"], entry


def fails(hub, route, **args):
    try:
        hub.post(API + route, args)
    except (OSError, http.client.HTTPException) as error:  # the hub has gone
        return error
    raise AssertionError(f"{route} had an answer")


def test_revoked_uses_say_so(home, hub):
    """B-42, B-43: the audit shows who, what, how long."""
    sid = home.start("cat", options=("--name", "shown"))
    allow(home, hub, "observe", "observe/read-write")
    ann = client(hub)
    waiting = threading.Thread(target=lambda: ann(
        "session/batch", session="shown",
        steps=[{"wait": {"text": "never", "timeout": "60s"}}]))
    waiting.start()
    wait_for(lambda: by(hub, "user:ann", "session.batch"), "the entry")
    changed = time.monotonic()
    allow(home, hub, "observe")
    waiting.join(30)
    took = time.monotonic() - changed
    entry = by(hub, "user:ann", "session.batch")[0]
    assert entry["outcome"] == "revoked" and entry["session"] == sid, entry
    assert entry["duration_ms"] is not None
    assert took < 10, took


def test_logins_and_links_are_recorded(home, hub):
    sid = home.start("cat", options=("--name", "shared"))
    link = hub.call("share/create", {"session": "shared"})
    reply = hub.post(API + "login", {"share": link["secret"]}, unix=False)
    assert reply.status == 200, reply
    found = entries(hub)
    assert [(e["what"], e["outcome"]) for e in found[:2]] == [
        ("login", "allowed"), ("share.create", "allowed")], found
    assert found[0]["principal"] == f"share:{link['id']}"
    assert (found[1]["session"], found[1]["name"]) == (sid, "shared")
    reply = hub.post(API + "login", {"code": "tend_l_" + "x" * 43},
                     unix=False)
    assert reply.status == 401
    assert (entries(hub)[0]["what"], entries(hub)[0]["outcome"]) == (
        "login", "denied")


def test_a_full_disk_stops_no_client(home, hub):
    """The log says that the audit lacks entries."""
    home.start("cat", options=("--name", "c"))
    hub.stop()
    with Hub(home) as other:
        limit_files(other.process.pid, 6000)  # not of the log
        for _ in range(3):
            reply = other.post(API + "session/send", {
                "session": "c", "input": [{"text": "x"}]})
            assert reply.status == 200, reply
        wait_for(lambda: "the audit lacks an entry" in other.log(), other.log)
        limit_files(other.process.pid, -1)
        sent = other.post(API + "session/send", {
            "session": "c", "input": [{"text": "x"}]})
        assert sent.status == 200
        wait_for(lambda: [e for e in entries(other)
                          if e["what"] == "session.send"], "an entry")


def limit_files(pid, size):
    hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)[1]
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (
        hard if size < 0 else size, hard))
