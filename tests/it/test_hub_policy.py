"""The policy of a home: who may see and drive which session over the hub."""

import json
import threading
import time

import pytest

from hub import Hub, bearer
from lib import Home, Stopwatch, wait_for
from stream_client import Stream

OPS = "/api/v1/"


def write_policy(home, policy):
    """Replace the file at once, as an editor does."""
    text = policy if isinstance(policy, str) else json.dumps(policy)
    new = home.path / "policy.new"
    new.write_text(text)
    new.rename(home.path / "policy.json")


def allow(**targets):
    """A policy: {"name": {"action": [actors]}}."""
    return {"targets": {
        target: {"allowances": [
            {"actions": [action], "actors": actors}
            for action, actors in rules.items()]}
        for target, rules in targets.items()}}


class Client:
    """A principal with a token, over TCP."""

    def __init__(self, hub, principal=None, **args):
        if principal is not None:
            args["principal"] = principal
        args.setdefault("scope", ["observe", "drive", "control", "create",
                                  "approve", "admin"])
        made = hub.call("token/create", args)
        self.hub, self.id, self.secret = hub, made["id"], made["secret"]

    def post(self, route, **args):
        return self.hub.post(OPS + route, args, unix=False,
                             headers=bearer(self.secret))

    def names(self, **args):
        reply = self.post("session/list", **args)
        assert reply.status == 200, reply
        return sorted(s["name"] for s in reply.json["sessions"])

    def until(self, route, status, **args):
        """Repeat until the answer has this status; the answer."""
        def look():
            reply = self.post(route, **args)
            return reply if reply.status == status else None

        return wait_for(look, f"status {status} of {route}")


@pytest.fixture(scope="module")
def place():
    """A home with three sessions, and its hub."""
    with Home() as home, Hub(home) as hub:
        for name in ("iree/pm", "iree/amd/ci", "other"):
            home.start("cat", options=("--name", name))
        yield home, hub


@pytest.fixture
def hub(place):
    home, hub = place
    yield hub
    if (home.path / "policy.json").exists():
        count = hub.log().count("the policy was read")
        (home.path / "policy.json").unlink()
        wait_for(lambda: hub.log().count("the policy was read") > count,
                 hub.log)


@pytest.fixture
def home(place):
    return place[0]


def test_without_a_policy_only_the_owner_sees_sessions(home, hub):
    """B-36: default deny; an invisible session does not exist."""
    ann = Client(hub, "user:ann")
    for args in ({}, {"all": True}, {"labels": {}}):
        assert ann.names(**args) == [], args
    with Stream(hub, token=ann.secret) as stream:
        assert stream.call("session.list")["sessions"] == []
    assert Client(hub).names() == ["iree/amd/ci", "iree/pm", "other"]
    for session in ("iree/pm", home.info("iree/pm")["id"], "no-such"):
        for route in ("session/get", "session/snapshot", "session/output",
                      "session/events", "session/send", "session/kill"):
            args = {"input": [{"text": "x"}]} if "send" in route else {}
            got = ann.post(route, session=session, **args)
            assert got.status == 404, got
            assert got.json["detail"] == f'there is no session "{session}"'
    assert ann.post("home/wait", sessions=["other"], text="x").status == 404


def test_actors_and_targets_are_globs(home, hub):
    """B-38: `*` is one segment, `**` any depth; denials win."""
    ann, admin = Client(hub, "user:ann"), Client(hub, "agent:iree/amd/bot")
    write_policy(home, {"targets": {
        "iree/**": {"allowances": [
            {"actions": ["observe"], "actors": ["user:ann", "agent:iree/**"]}]},
        "*": {"allowances": [{"actions": ["observe"], "actors": ["*"]}]},
        "iree/amd/*": {"denials": [
            {"actions": ["observe"], "actors": ["user:ann"]}]}}})
    wait_for(lambda: ann.names() == ["iree/pm", "other"], ann.names)
    assert admin.names() == ["iree/amd/ci", "iree/pm"]


def test_typed_text_is_for_those_who_may_type(home, hub):
    """An observer sees that and how much somebody typed; the log has the
    text, which the screen may not have shown."""
    reader, typist = Client(hub, "user:reader"), Client(hub, "user:typist")
    write_policy(home, allow(other={
        "observe": ["user:reader", "user:typist"],
        "observe/read-write": ["user:typist"]}))
    reader.until("session/snapshot", 200, session="other")
    typist.until("session/snapshot", 200, session="other")
    assert typist.post("session/send", session="other",
                       input=[{"text": "canary-1"}]).status == 200
    seen = {}
    for who in (reader, typist):
        got = who.post("session/events", session="other").json["events"]
        seen[who] = [e for e in got if e["type"] == "input"]
    assert "canary-1" not in str(seen[reader]), seen[reader]
    assert "canary-1" in str(seen[typist]), seen[typist]
    assert [e["seq"] for e in seen[reader]] == \
        [e["seq"] for e in seen[typist]] != [], seen


def test_reading_and_driving_are_two_permissions(home, hub):
    """B-37: neither comes from the other."""
    reader, typist = Client(hub, "user:reader"), Client(hub, "user:typist")
    write_policy(home, allow(other={"observe": ["user:reader"],
                                    "observe/read-write": ["user:typist"]}))
    reader.until("session/snapshot", 200, session="other")
    typed = {"session": "other", "input": [{"text": "x"}]}
    assert reader.post("session/send", **typed).status == 403
    assert typist.post("session/send", **typed).status == 200
    for route in ("session/snapshot", "session/get", "session/output"):
        assert typist.post(route, session="other").status == 403
    assert typist.names() == [] and reader.names() == ["other"]
    for who in (reader, typist):
        assert who.post("session/signal", session="other",
                        signal=18).status == 403
        assert who.post("session/environment", session="other").status == 403


CANARY = "canary-5d1f"


def test_no_answer_shows_what_one_may_not_observe(home, hub):
    """A client that may only control, create or type gets the outcome.  The
    details of the session (its command, directory, labels) are for
    observers."""
    actors = {"control": "user:boss", "create": "user:maker",
              "observe/read-write": "user:typist"}
    write_policy(home, {
        "home": {"allowances": [
            {"actions": ["create"], "actors": ["user:maker"]},
            {"actions": ["control"], "actors": ["user:boss"]}]},
        "targets": {"hidden/*": {"allowances": [
            {"actions": [action], "actors": [actor]}
            for action, actor in actors.items()]}}})
    boss, maker, typist = [Client(hub, actor) for actor in actors.values()]

    def start(name):
        home.start("sh", "-c", f": {CANARY}; exec cat", options=(
            "--name", name, "--label", f"note={CANARY}"))

    start("hidden/a")
    seen = {"session.label": boss.until("session/label", 200,
                                        session="hidden/a",
                                        labels={"more": "x"}).json}
    for route, args in (("session/rename", {"name": "hidden/b"}),
                        ("session/rename", {"name": "hidden/a"}),
                        ("session/signal", {"signal": 18}),
                        ("session/detach", {}), ("session/upgrade", {}),
                        ("session/revive", {})):
        reply = boss.post(route, session="hidden/a" if args != {
            "name": "hidden/a"} else "hidden/b", **args)
        assert reply.status == 200, reply
        seen[route] = reply.json
    assert seen["session.label"] == seen["session/rename"] == {}, seen
    for route in ("session/upgrade", "session/revive"):
        assert seen[route]["host_pid"] is None, seen
    reply = boss.post("home/upgrade")
    assert reply.status == 200 and reply.json == {"sessions": []}, reply
    # Typing: only what was typed.
    for route, args, status in (
            ("session/send", {"input": [{"text": "x"}]}, 200),
            ("session/prompt", {"text": "y", "profile": "line",
                                "timeout": "2s"}, 200),
            ("session/exec", {"command": "true"}, 403),
            ("session/batch", {"steps": [{"text": "x"}]}, 403),
            ("session/resize", {"cols": 90, "rows": 20}, 200),
            ("session/mark", {"name": "m"}, 200)):
        reply = typist.post(route, session="hidden/a", **args)
        assert reply.status == status, reply
        seen[route] = reply.json
    assert seen["session/prompt"]["evidence"]["question"] is None, seen
    # Starting: the id and the name.
    ended = home.info("hidden/a")["id"]
    assert boss.post("session/stop", session="hidden/a").json == {}
    again = maker.post("session/rerun", session=ended)
    assert again.status == 200, again
    assert set(again.json) == {"id", "name"}, again
    for route in ("session/kill", "session/destroy"):
        seen[route] = boss.post(route, session="hidden/a").json
        assert seen[route] == {}, seen
        if route == "session/kill":
            start("hidden/a")
    made = maker.post("session/create", command=["sh", "-c", f": {CANARY}"],
                      cwd="/", name="hidden/c")
    assert made.status == 200 and made.json["name"] == "hidden/c", made
    assert set(made.json) == {"id", "name"}, made
    assert CANARY not in json.dumps(seen), seen
    # An observer gets all of it, from the same operations.
    write_policy(home, allow(**{"hidden/*": {
        "observe": ["user:boss"], "control": ["user:boss"]}}))
    start("hidden/d")
    shown = boss.until("session/label", 200, session="hidden/d", labels={})
    assert CANARY in str(shown.json) and shown.json["post_mortem"] is None
    assert boss.post("session/stop", session="hidden/d").json["ended_at"]


def test_an_answer_over_the_stream_shows_no_more(home, hub):
    write_policy(home, allow(**{"hidden/*": {"control": ["user:boss"]}}))
    boss = Client(hub, "user:boss")
    home.start("cat", options=("--name", "hidden/e"))
    boss.until("session/label", 200, session="hidden/e", labels={})
    with Stream(hub, token=boss.secret) as stream:
        assert stream.call("session.label", session="hidden/e",
                           labels={"a": "b"}) == {}
        assert stream.call("session.stop", session="hidden/e") == {}


def test_the_process_and_home_of_the_hub_are_for_administrators(home, hub):
    private = {"pid", "socket", "home"}
    policy = {"home": {"allowances": [
        {"actions": ["admin"], "actors": ["user:root"]},
        {"actions": ["observe", "control", "create"],
         "actors": ["user:ann"]}]}}
    write_policy(home, policy)
    root, ann = Client(hub, "user:root"), Client(hub, "user:ann")
    root.until("audit/list", 200)
    shared = hub.call("share/create", {"session": "other"})["secret"]
    full = hub.call("hub/status", method="GET")
    assert full["home"] == str(home.path) and full["pid"] == hub.process.pid
    for secret, sees in ((root.secret, True), (ann.secret, False),
                         (shared, False), (hub.token(), False),
                         (Client(hub).secret, True),
                         (Client(hub, sessions="iree/*").secret, False)):
        reply = hub.get(OPS + "hub/status", unix=False, headers=bearer(secret))
        assert reply.status == 200, reply
        assert set(reply.json) == set(full), reply
        for name, value in full.items():
            hidden = name in private and not sees
            assert reply.json[name] == (None if hidden else value), reply
        assert sees or str(home.path) not in reply, reply


def test_older_policies_are_read(home, hub):
    """B-40: observers of the older form; one of a target beats the default."""
    ann, bob = Client(hub, "user:ann"), Client(hub, "user:bob")
    write_policy(home, {
        "DefaultObservePolicy": {"AllowedObservers": ["*"]},
        "ObservePolicy": {"other": {"AllowedObservers": ["user:bob"],
                                    "ReadWriteObservers": ["user:bob"]}}})
    wait_for(lambda: ann.names() == ["iree/amd/ci", "iree/pm"], ann.names)
    assert bob.names() == ["iree/amd/ci", "iree/pm", "other"]
    typed = {"session": "other", "input": [{"text": "x"}]}
    assert bob.post("session/send", **typed).status == 200
    typed["session"] = "iree/pm"
    assert bob.post("session/send", **typed).status == 403


def test_a_token_for_certain_sessions_sees_no_others(home, hub):
    """C-11: also a token of the owner, which no policy limits."""
    some = Client(hub, sessions="iree/*")
    assert some.names() == ["iree/pm"]
    assert some.post("session/get", session="other").status == 404
    for route, args in (("session/create", {"command": ["true"]}),
                        ("token/create", {}), ("home/list", {}),
                        ("audit/list", {}), ("home/gc", {"dry_run": True}),
                        ("login/create", {}),
                        ("share/create", {"session": "iree/pm"})):
        assert some.post(route, **args).status == 403, route
    assert some.post("session/list", all_homes=True).status == 403


def test_creating_does_not_find_invisible_sessions(home, hub):
    """B-36: `reuse` returns no session that the client may not see."""
    ann = Client(hub, "user:ann")
    write_policy(home, {"home": {"allowances": [
        {"actions": ["create"], "actors": ["user:ann"]}]}})
    made = ann.until("session/create", 200, command=["cat"], name="mine")
    assert made.json["name"] == "mine" and ann.names() == []
    got = ann.post("session/create", command=["cat"], name="other", reuse=True)
    assert got.status == 409 and "cwd" not in str(got.json), got
    home.ok("kill", "mine")


def test_wrong_lists_of_sessions_are_refused(home, hub):
    """Before any of them is looked for."""
    ann = Client(hub, "user:ann")
    for wrong in ([1], [None], ["other"] * 1001, [["other"]], "other", []):
        reply = ann.post("home/wait", sessions=wrong, text="x")
        assert reply.status == 400, (wrong, reply)


def test_ambiguous_ids_of_invisible_sessions_do_not_exist(home, hub):
    ann = Client(hub, "user:ann")
    sid = home.info("other")["id"]
    assert ann.post("session/get", session=sid[:4]).status == 404


def test_a_bad_policy_changes_nothing(home, hub):
    """The last good one stays, and the log has the reason, once."""
    ann = Client(hub, "user:ann")
    write_policy(home, allow(other={"observe": ["user:ann"]}))
    wait_for(lambda: ann.names() == ["other"], ann.names)
    write_policy(home, '{"targets": {"other": {"allowed": []}}}')
    wait_for(lambda: 'unknown member \\"allowed\\"' in hub.log(), hub.log)
    assert ann.names() == ["other"]
    assert hub.log().count('unknown member \\"allowed\\"') == 1
    (home.path / "policy.json").chmod(0o622)
    wait_for(lambda: "others can write" in hub.log(), hub.log)
    assert ann.names() == ["other"]
    (home.path / "policy.json").unlink()
    wait_for(lambda: ann.names() == [], ann.names)


def in_background(client, route, **args):
    """A request whose answer comes later: a thread with .reply."""
    def run():
        try:
            thread.reply = client.post(route, **args)
        except OSError as error:
            thread.reply = error
        thread.ended = time.monotonic()

    thread = threading.Thread(target=run)
    thread.reply = None
    thread.start()
    return thread


def uses(hub, **args):
    return hub.call("audit/list", args)["entries"]


def principal(hub, name):
    client = Client(hub, name)
    client.principal = name
    return client


def test_a_removed_allowance_ends_what_is_under_way(home, hub):
    """B-42: a wait ends although nothing has matched."""
    eve = principal(hub, "user:eve")
    write_policy(home, allow(other={"observe": ["user:eve"]}))
    eve.until("session/get", 200, session="other")
    wait_for(lambda: uses(hub, principal="user:eve"), "the audit")
    waiting = in_background(eve, "session/wait", session="other",
                            text="never", timeout="60s")
    changed = time.monotonic()
    write_policy(home, allow(other={"observe": ["user:ann"]}))
    waiting.join(30)
    assert waiting.reply.status in (403, 404), waiting.reply
    assert waiting.ended - changed < 10
    assert eve.post("session/get", session="other").status == 404


def test_a_rename_ends_what_the_new_name_does_not_allow(home, hub):
    """Rights depend on the name, also if the command line changes it."""
    ann = principal(hub, "user:ann")
    home.start("cat", options=("--name", "open"))
    write_policy(home, allow(open={"observe": ["user:ann"]}))
    ann.until("session/get", 200, session="open")
    waiting = in_background(ann, "session/wait", session="open",
                            text="never", timeout="60s")
    home.ok("rename", "open", "closed")
    waiting.join(30)
    assert waiting.reply.status == 403, waiting.reply
    assert ann.names() == []
    home.ok("kill", "closed")


def test_a_rename_gives_no_permission(home, hub):
    """Otherwise who may rename a session could take it to its own names."""
    everything = ["observe", "observe/read-write", "control"]
    write_policy(home, {"targets": {
        "other": {"allowances": [{"actions": ["observe", "control"],
                                  "actors": ["user:ann"]}]},
        "ann/*": {"allowances": [{"actions": everything,
                                  "actors": ["user:ann"]}]},
        "less": {"allowances": [{"actions": ["observe", "control"],
                                 "actors": ["user:ann"]}]}}})
    ann = Client(hub, "user:ann")
    reply = ann.until("session/rename", 403, session="other", name="ann/mine")
    assert "more permissions" in reply.json["detail"], reply
    assert ann.post("session/rename", session="other", name="less").status \
        == 200
    assert ann.post("session/rename", session="less", name="other").status \
        == 200


def test_a_change_takes_effect_within_a_second(home, hub):
    """B-42, and point 5 of its promises: streams, waits and browsers."""
    ann, bob = Client(hub, "user:ann"), Client(hub, "user:bob")
    both = {"observe": ["user:ann", "user:bob"],
            "observe/read-write": ["user:ann"]}
    write_policy(home, allow(other=both))
    bob.until("session/get", 200, session="other")
    code = hub.call("login/create", {})["url"].rpartition("=")[2]
    reply = hub.post(OPS + "login", {"code": code}, unix=False)
    browser = {"Cookie": reply.headers["Set-Cookie"].partition(";")[0]}
    key = reply.json["key"]
    with (Stream(hub, token=ann.secret) as typing,
          Stream(hub, token=bob.secret) as seeing,
          Stream(hub, headers=browser, key=key) as page):
        got = typing.subscribe(1, session="other", want="output",
                               access="readwrite")
        assert got["granted"] == "readwrite", got
        for stream in (seeing, page):
            stream.subscribe(1, session="other", want="output")
        with Stopwatch() as watch:
            write_policy(home, allow(other={"observe": ["user:ann"]}))
            assert typing.event(1, "granted")["granted"] == "readonly"
            assert seeing.event(1, "closed")["code"] == "denied"
        assert watch.seconds < 1, watch.seconds
        with Stopwatch() as watch:
            out = hub.post(OPS + "logout", {}, unix=False,
                           headers={**browser, "X-Tend-Key": key})
            assert out.status == 200 and "Max-Age=0" in out.headers[
                "Set-Cookie"], out
            assert page.until_closed(30) == 4401
        assert watch.seconds < 1, watch.seconds
        assert typing.ask("ping") == {}


def test_a_revoked_token_ends_its_connections(home, hub):
    """S3: what waits with it is cut off, and it opens nothing more."""
    bob = principal(hub, "user:bob")
    write_policy(home, allow(other={"observe": ["user:bob"]}))
    bob.until("session/get", 200, session="other")
    waiting = in_background(bob, "session/wait", session="other",
                            text="never", timeout="60s")
    hub.call("token/revoke", {"id": bob.id})
    waiting.join(30)
    assert not waiting.is_alive()
    assert waiting.reply.status in (401, 403), waiting.reply
    assert bob.post("session/get", session="other").status == 401


def test_an_expired_token_ends_its_connections(home, hub):
    """The end of a credential also ends what began before it."""
    short = Client(hub, expires="2s")
    waiting = in_background(short, "session/wait", session="other",
                            text="never", timeout="60s")
    waiting.join(30)
    assert not waiting.is_alive()
    assert waiting.reply.status == 403, waiting.reply
    assert short.post("session/get", session="other").status == 401


def test_captures_of_failures_are_for_administrators(home, hub):
    """B-45: whatever `observe` allows."""
    sid = home.start("sh", "-c", "echo last words; exit 3")
    home.wait_gone(sid)
    path = home.info(sid)["post_mortem"]
    assert path is not None
    ann, root = Client(hub, "user:ann"), Client(hub, "user:root")
    write_policy(home, {"default": {"allowances": [
        {"actions": ["observe", "control"], "actors": ["user:ann"]},
        {"actions": ["observe", "admin"], "actors": ["user:root"]}]}})
    ann.until("session/get", 200, session=sid)
    assert ann.post("session/get", session=sid).json["post_mortem"] is None
    assert root.post("session/get", session=sid).json["post_mortem"] == path
    for who, seen in ((ann, None), (root, path)):
        listed = who.post("session/list", all=True).json["sessions"]
        assert [s["post_mortem"] for s in listed if s["id"] == sid] == [seen]
    reader = Client(hub, scope=["observe"])
    assert reader.post("session/get", session=sid).json["post_mortem"] is None
    assert hub.call("session/get", {"session": sid})["post_mortem"] == path
