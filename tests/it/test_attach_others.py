"""Detaching all other clients: session.detach, and `tend attach -d`."""

import json
import os
import signal

import pytest

import lib
import wire
from lib import Home, wait_for
from terminal import Terminal
from wire import Refused, Wire


@pytest.fixture
def home():
    with Home() as home:
        yield home


def attach(home, sid, **fields):
    w = Wire(home.dir(sid), **fields)
    w.metadata()
    return w


def last_event(w):
    """The last event of a connection, once it is closed."""
    w.until_closed()
    assert w.frames[-1][0] == wire.EVENT, w
    return json.loads(w.frames[-1][1])


def test_other_clients_learn_who_detached_them_and_are_closed(home):
    sid = home.start("cat")
    asker = attach(home, sid)
    others = [attach(home, sid), attach(home, sid, access="readonly")]
    control = Wire(home.dir(sid), mode="control")
    assert asker.call("session.detach") == {"detached": 2}
    for other in others:
        assert last_event(other) == {"event": "detached",
                                     "by": f"uid:{os.getuid()}"}
    assert asker.type(wire.TEXT, b"still here\r")[0] == wire.WRITTEN
    asker.until_output(b"still here")
    assert control.call("session.get")["observers"] == 1
    assert control.call("session.detach") == {"detached": 1}
    assert last_event(asker)["event"] == "detached"


def test_a_detached_client_has_no_say_in_the_size_and_no_lease(home):
    sid = home.start("cat", options=["--input=lease"])
    small = attach(home, sid)
    large = attach(home, sid)
    small.resize(40, 10)
    large.event("resized", cols=40, rows=10)
    large.resize(100, 30)
    assert small.type(wire.TEXT, b"mine")[0] == wire.WRITTEN
    assert large.type(wire.TEXT, b"no")[0] == wire.LEASED
    assert large.call("session.detach") == {"detached": 1}
    large.event("resized", cols=100, rows=30)
    assert large.type(wire.TEXT, b"yes")[0] == wire.WRITTEN


def test_a_client_that_did_not_read_is_told_when_it_reconnects(home):
    """The client sees only the end of its connection, as when a host dies."""
    sid = home.start("cat")
    asker = attach(home, sid)
    attach(home, sid, who=4711).close()
    deaf = attach(home, sid, who=4711)
    assert asker.call("session.detach") == {"detached": 1}
    deaf.close()
    again = Wire(home.dir(sid), who=4711)
    assert last_event(again)["event"] == "detached"
    assert [kind for kind, _ in again.frames] == [wire.EVENT]
    # A client that attaches again is another client.
    anew = attach(home, sid, who=4712)
    assert anew.type(wire.TEXT, b"here")[0] == wire.WRITTEN


def test_a_read_only_client_cannot_detach_others(home):
    sid = home.start("cat")
    driver = attach(home, sid)
    with pytest.raises(Refused) as refused:
        attach(home, sid, access="readonly").call("session.detach")
    assert refused.value.code == "denied"
    assert driver.type(wire.TEXT, b"here")[0] == wire.WRITTEN


def test_attach_d_detaches_the_other_terminals(home):
    sid = home.start("sh", "-c", "echo ready; exec cat",
                     options=["--name", "mk"])
    with Terminal() as one, Terminal() as two:
        one.run(lib.TEND, "attach", "mk", env=home.env)
        one.wait_text("ready")
        two.run(lib.TEND, "attach", "-d", "mk", env=home.env)
        two.wait_text("1 other client was detached")
        assert one.ended() == 0
        one.wait_text("[detached from mk by another of your terminals]")
        two.type("hello\r")
        two.wait_text("hello")
        wait_for(lambda: home.info(sid)["observers"] == 1,
                 lambda: f"one viewer: {home.info(sid)}")


def test_a_terminal_that_was_stopped_does_not_come_back(home):
    """A client that could not get the message learns it when it continues."""
    home.start("sh", "-c", "echo ready; exec cat",
                     options=["--name", "mk"])
    with Terminal() as one, Terminal() as two:
        one.run(lib.TEND, "attach", "mk", env=home.env)
        one.wait_text("ready")
        one.program.send_signal(signal.SIGSTOP)
        two.run(lib.TEND, "attach", "-d", "mk", env=home.env)
        two.wait_text("1 other client was detached")
        one.program.send_signal(signal.SIGCONT)
        assert one.ended() == 0
        one.wait_text("by another of your terminals")


def test_read_only_and_detaching_others_exclude_each_other(home):
    home.start("cat", options=["--name", "mk"])
    got = home.run("attach", "-r", "-d", "mk")
    assert got.status == 125, got
    assert "-d" in got.err and "read-only" in got.err
