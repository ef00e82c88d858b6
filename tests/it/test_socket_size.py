"""The size of the terminal, and the clients that determine it."""

import pytest

import wire
from lib import Home, wait_for
from wire import Refused, Wire

# Prints its size whenever that changes.
PROGRAM = ("stty raw -echo; trap 'stty size' WINCH; printf ready; "
           "while :; do read x; done")


@pytest.fixture(scope="module")
def home():
    with Home() as home:
        yield home


def start(home, *options):
    sid = home.start("sh", "-c", PROGRAM, options=options)
    with Wire(home.dir(sid), replay="raw", **{"from": 0}) as w:
        w.until_output(b"ready")
    return home.dir(sid)


def size(w):
    session = w.call("session.get")
    return session["cols"], session["rows"]


def until_size(w, cols, rows):
    wait_for(lambda: size(w) == (cols, rows), lambda: f"{size(w)}")


def attach(directory, cols, rows, **fields):
    """A viewer of that size, once it has drawn and its vote was counted."""
    w = Wire(directory, cols=cols, rows=rows, **fields)
    w.until(lambda: w.screens or fields.get("replay") == "none", "a picture")
    w.sync()
    w.sync()
    return w


def test_smallest_is_the_default(home):
    """B-48, O-20: the smaller of both; a client that leaves has no vote; the
    last size stays."""
    directory = start(home)
    a = attach(directory, 120, 40)
    assert size(a) == (120, 40)
    b = attach(directory, 90, 50)
    assert size(a) == (90, 40)
    a.event("resized", cols=90, rows=40)
    b.resize(100, 30)
    b.sync()
    assert size(a) == (100, 30)
    b.close()
    until_size(a, 120, 40)
    a.close()
    with Wire(directory, mode="control") as w:
        assert size(w) == (120, 40), "nobody left: it stays"


@pytest.mark.parametrize("policy, both, typed", [
    ("smallest", (90, 40), (90, 40)),
    ("largest", (120, 50), (120, 50)),
    ("latest", (90, 50), (120, 40)),
    ("fixed", (80, 24), (80, 24)),
])
def test_each_policy_gives_its_size(home, policy, both, typed):
    directory = start(home, f"--resize={policy}")
    with attach(directory, 120, 40) as a, attach(directory, 90, 50) as b:
        assert size(b) == both
        assert a.type(wire.TEXT, b"x")[0] == wire.WRITTEN
        a.sync()
        assert size(b) == typed


def test_hidden_read_only_and_sizeless_clients_do_not_vote(home):
    """C-05: read-only, hidden, and those that never sent a size."""
    directory = start(home)
    with attach(directory, 100, 30) as a, \
            attach(directory, 50, 10, access="readonly"), \
            attach(directory, 50, 10, visible=False) as hidden, \
            Wire(directory) as sizeless, \
            Wire(directory, mode="control"):
        sizeless.sync()
        assert size(a) == (100, 30)
        hidden.view(True)
        until_size(a, 50, 10)
        hidden.view(False)
        until_size(a, 100, 30)


def test_a_client_does_not_vote_before_its_picture(home):
    """O-19: a client that has not read its first picture has no vote yet."""
    directory = start(home)
    with attach(directory, 100, 30) as a:
        w = Wire(directory, cols=60, rows=20)
        w.until(lambda: w.screens, "the first picture")
        assert (w.screens[0]["cols"], w.screens[0]["rows"]) == (100, 30)
        a.event("resized", cols=60, rows=20)
        w.until(lambda: len(w.screens) == 2, "the picture of the new size")
        assert (w.screens[1]["cols"], w.screens[1]["rows"]) == (60, 20)
        w.close()


def test_setting_the_same_size_again_sends_no_signal(home):
    """Setting the same size is not a change: no signal, no event."""
    directory = start(home)
    with attach(directory, 100, 30) as a:
        a.until_output(b"30 100\n")
        for _ in range(5):
            a.resize(100, 30)
        a.sync()
        seq = a.call("session.get")["seq"]
        assert a.call("session.resize", cols=100, rows=30)["cols"] == 100
        assert a.call("session.get")["seq"] == seq
        a.resize(101, 30)
        a.until_output(b"30 101\n")
        assert a.output.count(b"30 100") == 1, a


def test_invalid_sizes_are_refused(home):
    directory = start(home)
    with attach(directory, 65535, 65535) as a:
        cols, rows = size(a)
        assert cols <= 2000 and rows <= 2000 and cols * rows <= 1 << 20
        a.resize(1, 1)
        a.sync()
        assert size(a) == (2, 1)
        for bad in ((0, 0), (1, 24), (100000, 100000), (2001, 24)):
            with pytest.raises(Refused) as refused:
                a.call("session.resize", cols=bad[0], rows=bad[1])
            assert refused.value.code == "usage", bad


def test_the_operation_resizes_whatever_the_policy(home):
    directory = start(home, "--resize=fixed")
    with Wire(directory, cols=50, rows=10) as w:
        got = w.call("session.resize", cols=133, rows=44)
        assert (got["cols"], got["rows"]) == (133, 44) and got["seq"] > 0
        w.until_output(b"44 133\n")


def test_a_new_picture_follows_a_resize(home):
    """It has the lines that reflow brought back from the history."""
    sid = home.start("sh", "-c", "stty raw -echo; "
                     "seq -f 'row %g' 1 100 | sed 's/$/\\r/'; "
                     "printf ready; exec cat")
    directory = home.dir(sid)
    with Wire(directory, cols=80, rows=24) as w:
        w.until(lambda: w.screens and b"ready" in w.screens[0]["bytes"]
                + w.output, "all rows")
        w.resize(80, 60)
        w.until(lambda: w.screens[-1]["rows"] == 60, "the next")
        assert b"row 50" in w.screens[-1]["bytes"]
        w.type(wire.TEXT, b"after")
        w.until_output(b"after")
