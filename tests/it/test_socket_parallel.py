"""Requests side by side on one connection: the feature `parallel`."""

import concurrent.futures
import json
import os
import signal
import socket

import pytest

import wire
from lib import Home, wait_for
from wire import BYE, PING, PONG, REQUEST, RESPONSE, Closed, Refused, Wire

MANY = 50


@pytest.fixture(scope="module")
def home():
    with Home() as made:
        yield made


@pytest.fixture
def keys(home, tmp_path):
    """A session whose program writes its input into a file."""
    sid = home.start("sh", "-c", "stty raw -echo; printf ready; "
                     f"exec cat >{tmp_path}/keys")
    home.wait_text(sid, "ready")
    yield sid, tmp_path / "keys"
    home.run("kill", sid)


def parallel(home, sid, *more):
    w = Wire(home.dir(sid), mode="control", features=("parallel",) + more)
    assert "parallel" in w.welcome["features"]
    return w


def answers(w):
    """Every RESPONSE that has come, in its order."""
    return [json.loads(p) for kind, p in w.frames if kind == RESPONSE]


def until_answered(w, count):
    w.until(lambda: len(answers(w)) >= count, f"{count} answers")


def send_all(w, count=MANY, first=0):
    """Post so many sends at once: their ids."""
    return [w.ask("session.send", input=[{"text": f"{i:03}."}])
            for i in range(first, first + count)]


def test_a_wait_does_not_delay_a_snapshot(home, keys):
    sid, _ = keys
    with parallel(home, sid) as w:
        waits = [w.ask("session.wait", text=f"never {i}", timeout="600s")
                 for i in range(20)]
        shown = w.ask("session.snapshot", format="text")
        assert "ready" in w.answer(shown)["data"]
        typed = w.ask("session.mark", name="here")
        assert w.answer(typed)["seq"] > 0
        assert w.call("session.get")["status"] == "running"
        assert answers(w) == [], "a wait was answered"
        last = w.ask("session.wait", text="ready")
        assert w.answer(last)["matched"]
    assert len(waits) == 20


def test_without_the_feature_a_wait_delays_later_requests(home, keys):
    sid, _ = keys
    with Wire(home.dir(sid), mode="control", features=()) as w:
        assert w.welcome["features"] == []
        order = [w.ask("session.wait", text="never", timeout="300ms"),
                 w.ask("session.snapshot"), w.ask("session.mark", name="x"),
                 w.ask("session.get")]
        until_answered(w, 4)
        assert [a["id"] for a in answers(w)] == order
        assert [a["ok"] for a in answers(w)] == [True] * 4


def test_sends_keep_their_order(home, keys):
    sid, path = keys
    with parallel(home, sid) as w:
        ids = send_all(w)
        until_answered(w, MANY)
        told = answers(w)
    assert [a["id"] for a in told] == ids
    seqs = [a["result"]["seq"] for a in told]
    assert seqs == sorted(set(seqs)), seqs
    want = "".join(f"{i:03}." for i in range(MANY))
    wait_for(lambda: path.read_text() == want, path.read_text)


def test_ordered_requests_of_every_kind_keep_their_order(home, keys):
    sid, _ = keys
    with parallel(home, sid) as w:
        ids = []
        for i in range(10):
            ids += [w.ask("session.send", input=[{"text": "x"}]),
                    w.ask("session.resize", cols=100 + i, rows=30),
                    w.ask("session.mark", name=f"m{i}"),
                    w.ask("session.label", labels={"k": str(i)})]
        until_answered(w, len(ids))
        told = answers(w)
        assert [a["id"] for a in told] == ids, told
        assert all(a["ok"] for a in told), told
    kinds = [e["type"] for e in home.events(sid, "input", "resize", "mark")]
    assert kinds[-30:] == ["input", "resize", "mark"] * 10, kinds


def test_an_observing_request_sees_earlier_requests_begun(home, keys):
    """It begins after every earlier request has begun."""
    sid, _ = keys
    with parallel(home, sid) as w:
        pairs = [(w.ask("session.mark", name=f"m{i}"),
                  w.ask("session.get")) for i in range(25)]
        for mark, get in pairs:
            marked = w.answer(mark)["seq"]
            assert w.answer(get)["seq"] >= marked


def test_an_observing_request_sees_a_send_with_a_key_begun(home, keys):
    """The host types only when its log has the key."""
    sid, _ = keys
    with parallel(home, sid) as w:
        pairs = [(w.ask("session.send", input=[{"text": "x"}], key=f"k{i}"),
                  w.ask("session.get")) for i in range(25)]
        for send, get in pairs:
            typed = w.answer(send)["seq"]
            assert w.answer(get)["seq"] >= typed


def test_a_prompt_delays_typing_but_no_snapshot(home, keys):
    """The program shows nothing, so the prompt takes its whole time."""
    sid, _ = keys
    with parallel(home, sid) as w:
        prompt = w.ask("session.prompt", text="hello", timeout="1s")
        seen = w.ask("session.snapshot", format="text")
        assert "ready" in w.answer(seen)["data"]
        assert answers(w) == []
        mark = w.ask("session.mark", name="behind")
        until_answered(w, 2)
        assert [a["id"] for a in answers(w)] == [prompt, mark]


def test_too_many_requests_close_their_sender(home, keys):
    sid, _ = keys
    with parallel(home, sid) as w:
        for i in range(65):
            w.ask("session.wait", text="never", timeout="600s")
        w.sync()
        assert answers(w) == []
        w.ask("session.get")
        w.until_closed()
        assert [a["error"]["code"] for a in answers(w)] == ["busy"]
    with parallel(home, sid) as w:
        assert w.call("session.get")["status"] == "running"


def test_two_unanswered_requests_need_two_ids(home, keys):
    sid, _ = keys
    request = json.dumps({"id": 7, "op": "session.wait",
                          "args": {"text": "never"}}).encode()
    with parallel(home, sid) as w:
        w.send(REQUEST, request)
        w.sync()
        w.send(REQUEST, request)
        w.until_closed()
        error, = [a["error"] for a in answers(w)]
        assert error["code"] == "protocol" and "same id" in error["message"]


def test_large_answers_all_come(home, tmp_path):
    """More of them at once than may wait for a client that never reads."""
    sid = home.start("sh", "-c", "printf ready; exec cat",
                     options=["--size", "1000x60"])
    home.wait_text(sid, "ready")
    with parallel(home, sid) as w:
        w.call("session.send", input=[{"text": "y" * 900 + "\r"}] * 50)
        ids = [w.ask("session.wait", text="never", timeout="1s")
               for _ in range(60)]
        until_answered(w, 60)
        told = answers(w)
        assert sorted(a["id"] for a in told) == ids
        size = sum(len(json.dumps(a)) for a in told)
        assert all(a["result"]["timed_out"] for a in told)
    assert size > 1 << 20, size
    home.ok("kill", sid)


def test_a_pong_does_not_overtake_a_decided_answer(home, keys):
    sid, _ = keys
    with parallel(home, sid) as w:
        for i in range(40):
            w.ask("session.wait", text="never", timeout="600s")
        numbers = []
        for i in range(20):
            numbers.append(w.ask("session.snapshot"))
            w.send(PING, b"%d" % i)
        w.until(lambda: [k for k, _ in w.frames].count(PONG) == 20, "PONG")
        order = [p if kind == PONG else json.loads(p)["id"]
                 for kind, p in w.frames if kind in (PONG, RESPONSE)]
        for i, number in enumerate(numbers):
            assert order.index(number) < order.index(b"%d" % i), order


def test_a_closed_connection_waits_for_nothing(home, keys):
    """Its queued requests are dropped; running ones are completed."""
    sid, path = keys
    for _ in range(20):
        with parallel(home, sid) as w:
            for i in range(40):
                w.ask("session.wait", regex=f"never{i}", timeout="600s")
            w.ask("session.prompt", text="x", timeout="100ms")
            send_all(w, 10)
    with parallel(home, sid) as w:
        assert w.call("session.get")["status"] == "running"


def collect(w):
    """Read to the end of the connection: the answers, by id."""
    try:
        while w.frame() is not None:
            pass
    except Closed:
        pass
    return {a["id"]: a for a in answers(w)}


def numbers_typed(path):
    return [int(n) for n in path.read_text().split(".") if n]


@pytest.mark.parametrize("after", [0, 1, 10, 30])
def test_a_killed_host_types_nothing_twice(home, keys, after):
    """Each send is answered or unknown, and every answered one was typed."""
    sid, path = keys
    pid = home.info(sid)["host_pid"]
    with parallel(home, sid) as w:
        ids = send_all(w)
        until_answered(w, after)
        os.kill(pid, signal.SIGKILL)
        told = collect(w)
    assert all(a["ok"] for a in told.values()), told
    answered = [i for i, number in enumerate(ids) if number in told]
    assert answered == list(range(len(answered))), answered
    with parallel(home, sid) as w:
        w.call("session.send", input=[{"text": "999."}])
    wait_for(lambda: 999 in numbers_typed(path), path.read_text)
    typed = numbers_typed(path)[:-1]
    assert typed == list(range(len(typed))), typed
    assert len(typed) >= len(answered), (typed, answered)


def farewell(w):
    """Send BYE as the last frame once the host has; then read to the end."""
    w.take(BYE, what="BYE")
    w.send(BYE)
    return collect(w)


def test_a_handover_answers_or_hands_back_every_request(home, keys):
    sid, path = keys
    with concurrent.futures.ThreadPoolExecutor() as pool, \
            parallel(home, sid, "handover") as w:
        waits = [w.ask("session.wait", text="never", timeout="600s")
                 for _ in range(10)]
        upgrade = pool.submit(home.ok, "upgrade", sid)
        sends = send_all(w)
        told = farewell(w)
        upgrade.result()
    assert set(told) == set(waits + sends), (sorted(told), waits, sends)
    for number in waits:
        assert told[number]["error"]["code"] == "busy", told[number]
    typed = [i for i, number in enumerate(sends) if told[number]["ok"]]
    back = [i for i, number in enumerate(sends) if not told[number]["ok"]]
    assert {told[sends[i]]["error"]["code"] for i in back} <= {"busy"}
    assert typed == list(range(len(typed))), (typed, back)
    with parallel(home, sid) as w:
        for i in back:
            w.call("session.send", input=[{"text": f"{i:03}."}])
        w.call("session.send", input=[{"text": "999."}])
    wait_for(lambda: 999 in numbers_typed(path), path.read_text)
    assert numbers_typed(path) == list(range(MANY)) + [999]


def test_the_connection_that_asked_for_a_handover_gets_all_back(home, keys):
    sid, _ = keys
    program = f"/proc/{home.info(sid)['host_pid']}/exe"
    with parallel(home, sid, "handover") as w, open(program, "rb") as file:
        wait = w.ask("session.wait", text="never", timeout="600s")
        upgrade, mark = 1000, 1001
        both = b"".join(wire.frame(REQUEST, json.dumps(
            {"id": number, "op": op, "args": args}).encode())
            for number, op, args in ((upgrade, "session.upgrade", {}),
                                     (mark, "session.mark", {"name": "x"})))
        # In one piece: the host has both before it leaves.
        assert socket.send_fds(w.sock, [both], [file.fileno()]) == len(both)
        told = collect(w)
    assert told[upgrade]["result"]["pid"] > 0, told
    assert told[wait]["error"]["code"] == "busy", told
    assert told[mark]["error"]["code"] == "busy", told
    with parallel(home, sid) as w:
        assert w.call("session.get")["host_pid"] \
            == told[upgrade]["result"]["pid"]


def test_a_read_only_connection_has_the_feature_too(home, keys):
    sid, _ = keys
    with Wire(home.dir(sid), features=("parallel", "offset"),
              access="readonly", replay="none") as w:
        w.ask("session.wait", text="never", timeout="600s")
        assert w.call("session.get")["status"] == "running"
        with pytest.raises(Refused) as why:
            w.call("session.mark", name="x")
        assert why.value.code == "denied"


def test_output_comes_beside_answers(home):
    sid = home.start("sh", "-c", "stty raw -echo; printf ready; exec cat")
    with Wire(home.dir(sid), replay="raw", features=("parallel", "offset"),
              **{"from": 0}) as w:
        w.until_output(b"ready")
        waits = [w.ask("session.wait", text=f"<{i}>", echo=True)
                 for i in range(20)]
        for i in reversed(range(20)):
            w.ask("session.send", input=[{"text": f"<{i}>"}])
        w.until_output(b"<0>")
        for number in waits:
            assert w.answer(number)["matched"]
    home.ok("kill", sid)
