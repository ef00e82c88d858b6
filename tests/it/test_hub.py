"""The hub of a home: it serves sessions and loses none."""

from hub import Hub, bearer
from lib import Home


def test_a_session_is_made_and_driven_over_http():
    with Home() as home, Hub(home) as hub:
        made = hub.call("session/create",
                        {"command": ["bash", "--norc"], "name": "b"})
        done = hub.call("session/exec",
                        {"session": "b", "command": "echo a-$((1+1))"})
        assert done["output"] == "a-2\n", done
        listed = hub.call("session/list", method="GET")["sessions"]
        assert [s["id"] for s in listed] == [made["id"]], listed
        screen = hub.get("/api/v1/session/snapshot?session=b").json
        assert "a-2" in screen["lines"], screen
        assert home.info("b")["id"] == made["id"]


def test_tcp_needs_a_credential():
    with Home() as home, Hub(home) as hub:
        path = "/api/v1/session/list"
        assert hub.get(path, unix=False).status == 401
        secret = hub.call("token/create", {})["secret"]
        ok = hub.get(path, unix=False, headers=bearer(secret))
        assert ok.status == 200, ok
        wrong = secret[:-1] + ("A" if secret[-1] != "A" else "B")
        bad = hub.get(path, unix=False, headers=bearer(wrong))
        assert bad.status == 401 and bad.json["code"] == "denied", bad


def test_sessions_outlive_their_hub():
    with Home() as home, Hub(home) as hub:
        made = hub.call("session/create", {"command": ["cat"], "name": "c"})
        before = home.info("c")
        hub.kill()
        hub.start()
        after = hub.call("session/get", {"session": "c"})
        assert after["id"] == made["id"], after
        for key in ("keeper_pid", "host_pid", "child_pid"):
            assert after[key] == before[key], (before, after)


def test_after_a_failed_start_another_hub_starts_at_once():
    with Home() as home:
        for _ in range(5):
            bad = home.run("hub", "start", "--listen", "0.0.0.0:0")
            assert bad.status == 2 and "TLS" in bad.err, bad
            home.ok("hub", "start", "--listen", "127.0.0.1:0")
            home.ok("hub", "stop")
