"""Operations over the socket: arguments, results, refusals."""

import json
import os
import signal

import pytest

import wire
from lib import ROOT, Home, wait_for
from wire import Refused, Wire


@pytest.fixture(scope="module")
def home():
    with Home() as home:
        yield home


@pytest.fixture
def session(home):
    """A control connection to a fresh session."""
    sid = home.start("sh", "-c", "stty raw -echo; printf ready; exec cat")
    with Wire(home.dir(sid), mode="control") as w:
        wait_for(lambda: "ready" in w.call("session.snapshot",
                                           format="text")["data"], "ready")
        yield w


def refused(w, op, **args):
    with pytest.raises(Refused) as why:
        w.call(op, **args)
    return why.value


def test_get_is_the_session(session):
    got = session.call("session.get")
    assert got["status"] == "running" and got["outcome"] is None
    assert (got["cols"], got["rows"]) == (80, 24)
    assert got["offset"] == 5 and got["seq"] > 0 and got["observers"] == 0
    assert os.path.exists(f"/proc/{got['host_pid']}")


def test_snapshots(session):
    session.call("session.send", input=[{"text": "\r\n\033[31mred"}])
    wait_for(lambda: "red" in session.call("session.snapshot",
                                           format="text")["data"], "red")
    screen = session.call("session.snapshot")
    assert screen["lines"][:2] == ["ready", "red"], screen
    assert screen["cursor"]["row"] == 1 and len(screen["hash"]) == 64
    assert "cells" not in screen and "scrollback" not in screen
    more = session.call("session.snapshot", format="json", cells=True,
                        scrollback=True)
    assert "cells" in more and "scrollback" in more
    ansi = session.call("session.snapshot", format="ansi")
    assert "\033[" in ansi["data"] and ansi["offset"] == screen["offset"]
    assert "'format'" in refused(session, "session.snapshot",
                                 format="png").message


def test_scrollback_is_there_when_asked_for(home):
    sid = home.start("sh", "-c", "seq 1 100; printf ready; exec cat")
    with Wire(home.dir(sid), mode="control") as w:
        wait_for(lambda: "ready" in w.call("session.snapshot",
                                           format="text")["data"], "ready")
        text = w.call("session.snapshot", format="text",
                      scrollback=True)["data"]
        assert text.split("\n")[:101] == [str(i) for i in range(1, 101)] \
            + ["ready"]
        assert "\n1\n" not in w.call("session.snapshot",
                                     format="text")["data"]
        assert "1\r\n2\r\n" in w.call("session.snapshot", format="ansi",
                                      scrollback=True)["data"]


@pytest.mark.parametrize("op, args, named", [
    ("session.get", {"x": 1}, "'x'"),
    ("session.resize", {"cols": 80}, "'rows'"),
    ("session.resize", {"cols": "80", "rows": 24}, "'cols'"),
    ("session.send", {}, "'input'"),
    ("session.send", {"input": "text"}, "'input'"),
    ("session.send", {"input": [{"keys": ["NoSuchKey"]}]}, "NoSuchKey"),
    ("session.send", {"input": [{"text": "a"}, {"no": 1}]}, "'input'"),
    ("session.send", {"input": [{"hex": "1"}]}, "'hex'"),
    ("session.send", {"input": [{"mouse": "click"}]}, "'mouse'"),
    ("session.send", {"input": [], "expect_seq": -1}, "'expect_seq'"),
    ("session.send", {"input": [], "expect_seq": "1"}, "'expect_seq'"),
    ("session.snapshot", {"max_bytes": 0}, "'max_bytes'"),
    ("session.snapshot", {"since": 1, "format": "svg"}, "'since'"),
    ("session.snapshot", {"last_command": 1}, "'last_command'"),
    ("session.prompt", {"text": 1}, "'text'"),
    ("session.prompt", {"text": "a", "profile": "no"}, "'profile'"),
    ("session.signal", {"signal": 0}, "signal"),
    ("session.signal", {"signal": 9999}, "signal"),
    ("session.label", {"labels": {"a": 7}}, "'a'"),
    ("session.rename", {"name": "../etc"}, "name"),
    ("session.nonsense", {}, "session.nonsense"),
])
def test_wrong_arguments_are_named(session, op, args, named):
    why = refused(session, op, **args)
    assert why.code == "usage" and named in why.message, why
    assert session.call("session.get")["status"] == "running"


def test_a_send_with_a_bad_part_types_nothing(session):
    before = session.call("session.get")["offset"]
    refused(session, "session.send", input=[{"text": "typed"},
                                            {"keys": ["NoSuchKey"]}])
    got = session.call("session.send", input=[{"text": "!"}])
    assert got["seq"] > 0
    wait_for(lambda: session.call("session.get")["offset"] == before + 1,
             "only the !")


def test_labels_name_and_marks(session, home):
    got = session.call("session.label", labels={"a": "1", "b": "2"})
    assert got["labels"] == {"a": "1", "b": "2"}
    got = session.call("session.label", labels={"a": None, "c": "3"})
    assert got["labels"] == {"b": "2", "c": "3"}
    with Wire(session_dir(session, home)) as viewer:
        viewer.metadata()
        assert session.call("session.rename",
                            name="other/name")["name"] == "other/name"
        viewer.event("renamed", name="other/name")
    mark = session.call("session.mark", name="here")
    assert mark["seq"] > 0 and mark["offset"] == 5
    assert session.call("session.mark", name="there")["seq"] > mark["seq"]


def test_what_was_shown_is_in_the_log_after_a_flush(home):
    """C-03: the log is some milliseconds behind, until one asks.  A host that
    is stopped then cannot write any more of it."""
    sid = home.start("cat")
    with Wire(home.dir(sid)) as w:
        for n in range(5):
            w.data(f"line {n}\r".encode())
            w.until_output(f"line {n}\r\nline {n}\r\n".encode())
            got = w.call("session.flush")
            os.kill(home.info(sid)["host_pid"], signal.SIGSTOP)
            try:
                assert home.raw(sid) == bytes(w.output)
                assert got["offset"] == len(w.output)
            finally:
                os.kill(home.info(sid)["host_pid"], signal.SIGCONT)


def session_dir(w, home):
    return home.dir(w.call("session.get")["id"])


def test_signal_reaches_the_program(home):
    sid = home.start("sh", "-c", "trap 'printf caught' USR2; printf ready; "
                     "sleep 1000 & wait; read x")
    with Wire(home.dir(sid), replay="raw", **{"from": 0}) as w:
        w.until_output(b"ready")
        assert w.call("session.signal", signal=int(signal.SIGUSR2))["seq"] > 0
        w.until_output(b"caught")


@pytest.mark.parametrize("op, outcome", [("session.stop", "stopped"),
                                         ("session.kill", "killed"),
                                         ("session.destroy", "stopped")])
def test_ends_are_answered_at_once_and_then_closed(home, op, outcome):
    """O-22: the answer first, then the end, then the connection."""
    sid = home.start("sh", "-c", "printf ready; exec cat")
    with Wire(home.dir(sid), mode="control") as w, \
            Wire(home.dir(sid)) as viewer:
        assert w.call(op) == {}
        ended = viewer.ended()
        assert ended["outcome"] == outcome, ended
        w.until_closed()
        manifest = next(m for m in home.manifests() if m["id"] == sid)
        assert manifest["outcome"] == outcome, manifest


def test_too_many_requests_close_their_sender(home):
    """64 may wait behind one that is not answered."""
    sid = home.start("sh", "-c", "stty raw -echo; printf ready; "
                     "exec sleep 1000")
    with Wire(home.dir(sid), replay="raw", **{"from": 0}) as w:
        w.until_output(b"ready")
        w.send(wire.REQUEST, json.dumps(
            {"id": 1, "op": "session.send",
             "args": {"input": [{"text": "x" * 200000}]}}).encode())
        for i in range(64):
            w.send(wire.REQUEST, json.dumps(
                {"id": 2 + i, "op": "session.get"}).encode())
        w.sync()
        assert [k for k, _ in w.frames if k == wire.RESPONSE] == []
        w.send(wire.REQUEST, json.dumps({"id": 99,
                                         "op": "session.get"}).encode())
        w.until_closed()
        told = [json.loads(p) for k, p in w.frames if k == wire.RESPONSE]
        assert [t["error"]["code"] for t in told] == ["busy"], told


def test_every_operation_of_the_page_is_served(session):
    """docs/operations.md is the table; the host knows all of it."""
    page = (ROOT / "docs" / "operations.md").read_text()
    names = [line[3:] for line in page.splitlines() if line.startswith("## ")]
    assert len(names) >= 14
    for name in names:
        why = refused(session, name, no_such_argument=1)
        assert why.code == "usage", why
        assert "no_such_argument" in why.message \
            or "is asked of a home" in why.message, why
