"""Operations over the socket: arguments, results, refusals."""

import json
import os
import signal

import pytest

import mistakes
import wire
from lib import Home, wait_for
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


def test_get_describes_the_session(session):
    got = session.call("session.get")
    assert got["status"] == "running" and got["outcome"] is None
    assert (got["cols"], got["rows"]) == (80, 24)
    assert got["offset"] == 5 and got["seq"] > 0 and got["observers"] == 0
    assert os.path.exists(f"/proc/{got['host_pid']}")


def test_a_snapshot_has_the_requested_format(session):
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


def test_a_snapshot_has_scrollback_on_request(home):
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


def state(w):
    """All state that an operation could change."""
    got = w.call("session.get")
    return {**{name: got[name] for name in (
        "name", "labels", "status", "outcome", "cols", "rows", "seq",
        "offset", "host_pid", "child_pid")},
        "hash": w.call("session.snapshot")["hash"]}


OPERATIONS = mistakes.operations()


@pytest.mark.parametrize("op", OPERATIONS)
def test_mistakes_are_named_and_change_nothing(session, op):
    """Every operation, every argument: missing, unknown, of another type, out
    of its range, or without its form."""
    before = state(session)
    for args, named in mistakes.mistakes(op, OPERATIONS[op], home=False):
        why = refused(session, op, **args)
        shown = (str(args)[:200], str(why))
        assert why.code == "usage", shown
        if "is an operation of a home" not in why.message:
            assert op in why.message, shown
            assert all(word in why.message for word in named), (named, shown)
    assert state(session) == before


@pytest.mark.parametrize("op, args, named", [
    ("session.nonsense", {}, "session.nonsense"),
    ("session.resize", {"cols": 2000, "rows": 2000}, "'cols' and 'rows'"),
    ("session.snapshot", {"since": 1, "format": "svg"}, "'since'"),
    ("session.snapshot", {"cells": True, "format": "text"}, "'cells'"),
    ("session.snapshot", {"since": 1, "scrollback": True}, "'scrollback'"),
    ("session.wait", {}, "at least one of text"),
    ("session.wait", {"seen": True, "exit": True}, "'seen'"),
    ("session.label", {"labels": {"good": "1", "bad": 7}}, "'labels.bad'"),
    ("session.label", {"labels": {"good": "1", "bad": ""}}, "'labels.bad'"),
])
def test_conflicting_arguments_are_named(session, op, args, named):
    before = state(session)
    why = refused(session, op, **args)
    assert why.code == "usage" and named in why.message, why
    assert state(session) == before


def test_labels_are_set_all_or_none(session):
    """A removed label makes room for a new one, in whatever order."""
    full = {f"k{n:02}": "x" for n in range(64)}
    assert session.call("session.label", labels=full)["labels"] == full
    why = refused(session, "session.label", labels={"k00": "y", "more": "x"})
    assert why.code == "usage" and "at most 64" in why.message, why
    assert session.call("session.get")["labels"] == full
    got = session.call("session.label", labels={"more": "x", "k00": None})
    assert len(got["labels"]) == 64 and got["labels"]["more"] == "x"


def test_a_send_with_a_bad_part_types_nothing(session):
    before = session.call("session.get")["offset"]
    refused(session, "session.send", input=[{"text": "typed"},
                                            {"keys": ["NoSuchKey"]}])
    got = session.call("session.send", input=[{"text": "!"}])
    assert got["seq"] > 0
    wait_for(lambda: session.call("session.get")["offset"] == before + 1,
             "only the !")


def test_labels_names_and_marks_can_be_set(session, home):
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


def test_output_is_in_the_log_after_a_flush(home):
    """C-03: the log is some milliseconds behind, until a flush.  A host that
    is stopped then cannot write any more of it."""
    sid = home.start("cat")
    with Wire(home.dir(sid)) as w:
        host = w.call("session.get")["host_pid"]
        for n in range(5):
            w.data(f"line {n}\r".encode())
            w.until_output(f"line {n}\r\nline {n}\r\n".encode())
            got = w.call("session.flush")
            os.kill(host, signal.SIGSTOP)
            try:
                assert home.raw(sid) == bytes(w.output)
                assert got["offset"] == len(w.output)
            finally:
                os.kill(host, signal.SIGCONT)


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
def test_a_request_to_end_is_answered_before_the_connection_closes(
        home, op, outcome):
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
    """64 may wait behind an unanswered one."""
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
