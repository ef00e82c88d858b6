"""Identity: the peer that the host finds, and the principal it acts for."""

import os
import resource
import signal
import socket

import pytest

import lib
import wire
from inside import inside, python
from lib import Home, wait_for
from wire import Refused, Wire

UID = f"uid:{os.getuid()}"


@pytest.fixture(scope="module")
def home():
    with Home() as home:
        yield home


@pytest.fixture
def cat(home):
    sid = home.start("sh", "-c", "stty raw -echo; printf ready; exec cat")
    home.wait_text(sid, "ready")
    yield sid
    home.run("kill", sid)


def who(event):
    return event["by"], event.get("verified"), event.get("peer")


def test_a_principal_is_recorded_beside_the_peer(home, cat):
    """C-12: input by frame and by request, resize, mark, signal and meta."""
    with Wire(home.dir(cat), principal="user:ann", verified="token") as w:
        assert w.type(wire.TEXT, b"one")[0] == wire.WRITTEN
        w.call("session.send", input=[{"text": "two"}])
        w.call("session.resize", cols=100, rows=30)
        w.call("session.mark", name="here")
        w.call("session.signal", signal=int(signal.SIGCONT))
        w.call("session.label", labels={"a": "b"})
    found = home.events(cat, "input", "resize", "mark", "signal")
    assert {e["type"] for e in found} == {"input", "resize", "mark", "signal"}
    assert {who(e) for e in found} == {("user:ann", "token", UID)}, found
    meta = [e for e in home.events(cat, "meta") if "a" in str(e)]
    assert meta[-1]["data"]["by"] == f"user:ann (token) via {UID}", meta


def test_a_client_without_a_principal_is_its_user(home, cat):
    with Wire(home.dir(cat)) as w:
        assert w.type(wire.TEXT, b"one")[0] == wire.WRITTEN
    assert who(home.events(cat, "input")[-1]) == (UID, None, UID)


@pytest.mark.parametrize("principal", ["uid:4294967294", "session:x"])
def test_a_principal_found_by_the_host_cannot_be_claimed(home, cat, principal):
    with pytest.raises(Refused) as refused:
        Wire(home.dir(cat), principal=principal)
    assert refused.value.code == "denied"
    assert UID in refused.value.message, refused.value


def test_a_client_can_claim_its_own_name(home, cat):
    with Wire(home.dir(cat), principal=UID) as w:
        assert w.type(wire.TEXT, b"one")[0] == wire.WRITTEN
    assert who(home.events(cat, "input")[-1]) == (UID, None, UID)


@pytest.mark.parametrize("fields", [
    {"principal": "ann"}, {"principal": "user:a b"}, {"principal": 7},
    {"principal": "user:" + "x" * 124}, {"verified": "token"},
    {"principal": "user:ann", "verified": "by me"}])
def test_a_malformed_principal_is_refused(home, cat, fields):
    with pytest.raises(Refused) as refused:
        Wire(home.dir(cat), **fields)
    assert refused.value.code == "protocol"


def test_a_client_inside_a_session_is_that_session(home, cat):
    sid, out = inside(home, f"$TEND send {cat} --text hello")
    assert out == ""
    assert who(home.events(cat, "input")[-1]) == (
        f"session:{sid}", None, f"session:{sid}")


# Two forks and setsid, as a daemon has them, and then without a variable: only
# the keeper as its parent shows that this orphan is in the session.
ORPHAN = """
    import os
    if os.fork() == 0:
        os.setsid()
        middle = os.getpid()
        if os.fork() == 0:
            while os.getppid() == middle:
                os.sched_yield()
            os.execve({tend!r}, [{tend!r}, "send", {sid!r}, "--text", "hello"],
                      {{"TEND_HOME": {home!r}}})
        os._exit(0)
    os.wait()
"""


def test_an_orphan_without_variables_is_still_in_its_session(home, cat):
    sid, _ = inside(home, python(ORPHAN.format(
        tend=str(lib.TEND), sid=cat, home=str(home.path))))
    wait_for(lambda: home.events(cat, "input"), "what the orphan typed")
    assert who(home.events(cat, "input")[-1]) == (
        f"session:{sid}", None, f"session:{sid}")


def test_a_client_inside_a_session_names_no_other_principal(home, cat):
    sid, out = inside(home, python(f"""
        from wire import Refused, Wire
        import os
        own = "session:" + os.environ["TEND_SESSION"]
        for name in ("user:ann", "session:x", "uid:0", own):
            try:
                Wire({str(home.dir(cat))!r}, principal=name).close()
                print(name, "taken")
            except Refused as e:
                print(name, e.code, e.message)
    """))
    lines = out.splitlines()
    for line, name in zip(lines, ("user:ann", "session:x", "uid:0")):
        assert line.startswith(f"{name} denied"), out
        assert f"session:{sid}" in line, out
    assert lines[3] == f"session:{sid} taken", out


def test_a_peer_that_has_ended_is_allowed_nothing(home, cat):
    """A child connects and ends before the host checks; its socket stays
    open."""
    pid = home.info(cat)["host_pid"]
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        sock.settimeout(wire.SECONDS)
        os.kill(pid, signal.SIGSTOP)
        try:
            child = os.fork()
            if child == 0:
                os.chdir(home.dir(cat))
                sock.connect("sock")
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
        finally:
            os.kill(pid, signal.SIGCONT)
        sock.sendall(b'{"tend":1,"mode":"control"}\n')
        answer = sock.recv(65536)
    assert b'"denied"' in answer and b"cannot tell" in answer, answer


def test_a_peer_that_cannot_be_looked_at_now_may_try_again(home, cat):
    """The last free descriptor of the host goes to the connection."""
    pid = home.info(cat)["host_pid"]
    used = {int(fd) for fd in os.listdir(f"/proc/{pid}/fd")}
    free = min(set(range(len(used) + 1)) - used)
    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (free + 1, before[1]))
    try:
        with pytest.raises(Refused) as refused:
            Wire(home.dir(cat))
    finally:
        resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
    assert refused.value.code == "busy"
    Wire(home.dir(cat)).close()


def test_viewers_are_listed(home, cat):
    """C-12: each viewer with its principal, peer and access."""
    with Wire(home.dir(cat), principal="user:ann", verified="peer",
              access="readonly") as one, Wire(home.dir(cat)) as two:
        one.metadata()
        viewers = two.call("session.get")["viewers"]
        assert [(v["by"], v["verified"], v["peer"], v["access"])
                for v in viewers] == [
            ("user:ann", "peer", UID, "readonly"),
            (UID, None, UID, "readwrite")], viewers
        assert all(v["client"] > 0 and v["since"].endswith("Z")
                   for v in viewers), viewers
        text = home.ok("info", cat)
        assert f"user:ann via {UID}, read-only, since" in text, text
    assert home.info(cat)["viewers"] == []


def test_a_lease_and_a_detach_name_the_client(home):
    sid = home.start("cat", options=["--input", "lease"])
    ann = {"principal": "user:ann"}
    with Wire(home.dir(sid), **ann) as one, Wire(home.dir(sid)) as two:
        assert one.type(wire.TEXT, b"x")[0] == wire.WRITTEN
        holder = two.event("lease")["holder"]
        assert holder.startswith(f"user:ann via {UID}#"), holder
        assert home.info(sid)["lease_holder"] == holder
        assert f"held by {holder}" in home.ok("info", sid)
        one.call("session.detach")
        assert two.event("detached")["by"] == f"user:ann via {UID}"
