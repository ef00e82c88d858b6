"""Typing: permission, order, and the program's input."""

import json
import os
import re
import signal
import struct
import threading

import pytest

import wire
from lib import Home, wait_for
from wire import Refused, Wire

RAW = "stty raw -echo; printf ready; exec cat"

# Prints its input in hexadecimal, after switching modes on.
HEX = ("stty raw -echo; printf '{modes}ready'; "
       "exec od -An -v -tx1 -w1")


@pytest.fixture(scope="module")
def home():
    with Home() as home:
        yield home


def attach(home, sid, **fields):
    w = Wire(home.dir(sid), replay="raw", behind="lossless",
             **{"from": 0, **fields})
    w.until_output(b"ready")
    return w


def raw(home, *options):
    return home.start("sh", "-c", RAW, options=options)


def from_od(output):
    """The bytes in the complete lines of `od`."""
    whole = bytes(output).rpartition(b"\n")[0]
    return bytes(int(x, 16) for x in whole.split())


def typed(w):
    return from_od(bytes(w.output).partition(b"ready")[2])


def until_typed(w, want):
    w.until(lambda: len(typed(w)) >= len(want), f"{want!r} at the program")
    assert typed(w) == want


def key(code, mods=0, text=b""):
    return struct.pack(">IIIBB", code, 0, 0, mods, 0) + text


def mouse(row, col):
    return struct.pack(">BBBIIII", 0, 1, 0, row, col, 0, 0)


def test_every_kind_of_input_is_encoded_for_the_programs_modes(home):
    """O-05, O-09, B-32: keys, paste, mouse and focus in the program's
    modes."""
    sid = home.start("sh", "-c", HEX.format(modes=r"\033[?1;1000;1004;1006;"
                                            r"2004h"))
    with attach(home, sid) as w:
        want = b""
        for kind, payload, bytes_ in (
                (wire.TEXT, "ü\r".encode(), "ü\r".encode()),
                (wire.PASTE, b"a\033b", b"\033[200~a\xe2\x90\x9bb\033[201~"),
                (wire.BYTES, b"\xff\x00", b"\xff\x00"),
                (wire.MOUSE, mouse(4, 9), b"\033[<0;10;5M"),
                (wire.FOCUS, b"\1", b"\033[I"),
                (wire.KEY, key(ord("c"), 4), b"\3"),
                (wire.KEY, key(ord("x"), 2), b"\033x")):
            status, seq = w.type(kind, payload)
            assert status == wire.WRITTEN and seq > 0
            want += bytes_
        w.call("session.send", input=[{"keys": ["Up"]}])
        until_typed(w, want + b"\033OA")


def test_input_that_cannot_be_typed_is_reported(home):
    with attach(home, raw(home)) as w:
        assert w.type(wire.TEXT, b"\xff")[0] == wire.MALFORMED
        assert w.type(wire.KEY, b"short")[0] == wire.MALFORMED
        assert w.type(9, b"x")[0] == wire.MALFORMED
        assert w.type(wire.FOCUS, b"\1")[0] == wire.NOTHING
        assert w.type(wire.MOUSE, mouse(1, 1))[0] == wire.NOTHING
        assert w.type(wire.TEXT, b"")[0] == wire.NOTHING
        assert w.type(wire.TEXT, b"fine")[0] == wire.WRITTEN
        w.until_output(b"readyfine")


def test_readonly_cannot_type_resize_or_control(home):
    """A-17: the host enforces it, for every kind of input."""
    sid = raw(home)
    with attach(home, sid) as driver, attach(
            home, sid, access="readonly", cols=40, rows=10,
            steal=True) as w:
        assert w.welcome["granted"] == "readonly"
        for kind, payload in ((wire.TEXT, b"no"), (wire.BYTES, b"no"),
                              (wire.PASTE, b"no"),
                              (wire.KEY, key(ord("n")))):
            assert w.type(kind, payload)[0] == wire.READ_ONLY
        w.data(b"no")
        w.resize(30, 7)
        for op, args in (("session.send", {"input": [{"text": "no"}]}),
                         ("session.resize", {"cols": 30, "rows": 7}),
                         ("session.mark", {"name": "no"}),
                         ("session.signal", {"signal": 9}),
                         ("session.stop", {}), ("session.kill", {}),
                         ("session.destroy", {}), ("session.detach", {}),
                         ("session.rename", {"name": "no"}),
                         ("session.label", {"labels": {"a": "b"}}),
                         ("lease.acquire", {}), ("lease.steal", {}),
                         ("lease.release", {})):
            with pytest.raises(Refused) as refused:
                w.call(op, **args)
            assert refused.value.code == "denied", op
        assert w.call("session.get")["cols"] == 80
        assert "ready" in w.call("session.snapshot", format="text")["data"]
        assert driver.type(wire.TEXT, b"yes")[0] == wire.WRITTEN
        w.until_output(b"yes")
        assert bytes(w.output) == b"readyyes"


def test_pieces_of_two_writers_are_never_mixed(home):
    """B-48, O-16: shared, and each piece whole."""
    sid = raw(home)
    pieces, size = 60, 3000
    with attach(home, sid) as watcher:
        def write(letter):
            with attach(home, sid) as w:
                numbers = [w.input(wire.TEXT, (letter * size).encode() + b"|")
                           for _ in range(pieces)]
                for number in numbers:
                    assert w.taken(number)[0] == wire.WRITTEN

        threads = [threading.Thread(target=write, args=(letter,))
                   for letter in "abc"]
        for thread in threads:
            thread.start()
        total = 5 + 3 * pieces * (size + 1)
        watcher.until(lambda: len(watcher.output) >= total, "all pieces",
                      seconds=60)
        for thread in threads:
            thread.join()
        got = bytes(watcher.output)[5:].split(b"|")[:-1]
        assert len(got) == 3 * pieces
        assert all(len(set(piece)) == 1 and len(piece) == size
                   for piece in got), "mixed"


def test_the_queue_is_bounded(home):
    """O-23: a program that does not read; input that does not fit is
    refused."""
    sid = home.start("sh", "-c", "stty raw -echo; "
                     "trap 'exec cat >/dev/null' USR1; printf ready; "
                     "sleep 1000 & wait; read x")
    with attach(home, sid) as w:
        big = [w.input(wire.BYTES, b"x" * 300000) for _ in range(5)]
        assert [w.taken(number)[0] for number in big[3:]] == [wire.FULL] * 2
        w.sync()
        assert [kind for kind, _ in w.frames if kind == wire.TAKEN] == [], w
        small = [w.input(wire.TEXT, b"") for _ in range(10)]
        assert {w.taken(n)[0] for n in small} == {wire.NOTHING}
        with pytest.raises(Refused) as no:
            w.call("session.send", input=[{"text": "y" * 300000}])
        assert no.value.code == "busy"
        w.call("session.signal", signal=10)
        for number in big[:3]:
            assert w.taken(number)[0] == wire.WRITTEN


def test_delivered_input_makes_room_in_the_queue(home):
    """The limit counts waiting input, not all input."""
    sid = home.start("sh", "-c", "stty raw -echo; printf ready; "
                     "exec cat >/dev/null")
    with attach(home, sid) as w:
        for i in range(20):  # 1.25 MiB in all
            status, _ = w.type(wire.BYTES, b"x" * (1 << 16))
            assert status == wire.WRITTEN, i
    home.ok("kill", sid)


def test_the_lease_has_one_holder(home):
    """A-16: first come; steal with notice; free when its holder leaves."""
    sid = raw(home, "--input=lease")
    one, two = attach(home, sid), attach(home, sid)
    assert one.type(wire.TEXT, b"1")[0] == wire.WRITTEN
    holder = two.event("lease")["holder"]
    assert holder
    assert two.type(wire.TEXT, b"2")[0] == wire.LEASED
    two.data(b"2")
    with pytest.raises(Refused) as refused:
        two.call("session.send", input=[{"text": "2"}])
    assert refused.value.code == "busy"
    with pytest.raises(Refused):
        two.call("lease.acquire")
    stolen = two.call("lease.steal")
    assert stolen["mine"] is True and stolen["holder"] != holder
    one.event("replaced")
    one.event("lease", holder=stolen["holder"])
    assert one.type(wire.TEXT, b"1")[0] == wire.LEASED
    assert two.type(wire.TEXT, b"2")[0] == wire.WRITTEN
    assert two.call("lease.release")["holder"] is None
    one.event("lease", holder=None)
    two.event("lease", holder=None)
    assert one.call("lease.acquire")["mine"] is True
    one.close()
    two.event("lease", holder=None)
    assert two.type(wire.TEXT, b"2")[0] == wire.WRITTEN
    with attach(home, sid, steal=True) as three:
        two.event("replaced")
        assert two.type(wire.TEXT, b"2")[0] == wire.LEASED
        assert three.type(wire.TEXT, b"3")[0] == wire.WRITTEN
        three.until_output(b"ready1223")
    two.close()


def test_the_lease_outlives_connections_and_hosts(home):
    """A-16: kept for a disconnected client, released by one that leaves."""
    sid = raw(home, "--input=lease")
    one = attach(home, sid, who=7)
    assert one.type(wire.TEXT, b"1")[0] == wire.WRITTEN
    os.kill(home.info(sid)["host_pid"], signal.SIGKILL)
    with attach(home, sid, who=8) as two:
        assert two.type(wire.TEXT, b"2")[0] == wire.LEASED
        one.close()
        one = attach(home, sid, who=7)
        holder = two.event("lease")["holder"]
        assert holder
        assert two.type(wire.TEXT, b"2")[0] == wire.LEASED
        with attach(home, sid, who=7) as again:
            assert two.event("lease")["holder"] not in (None, holder)
            one.close()
            assert again.type(wire.TEXT, b"3")[0] == wire.WRITTEN
            again.send(wire.DETACH)
            two.event("lease", holder=None)
            assert two.type(wire.TEXT, b"4")[0] == wire.WRITTEN
        two.until_output(b"134")
    assert not [event for event in home.events(sid)
                if "lease-stolen" in json.dumps(event)]


def test_shared_sessions_have_no_lease(home):
    with attach(home, raw(home)) as w:
        with pytest.raises(Refused) as refused:
            w.call("lease.acquire")
        assert refused.value.code == "usage"


def ask(text):
    """A program that asks its terminal, and prints the answers."""
    return ("stty raw -echo; printf ready; head -c 1 >/dev/null; "
            f"printf '{text}'; exec od -An -v -tx1 -w1")


@pytest.mark.parametrize("viewers", [0, 1, 5])
def test_queries_are_answered_once(home, viewers):
    """S5, O-10, C-07: by the host, whatever viewers there are."""
    sid = home.start("sh", "-c", ask(r"\033[6n\033[5n"))
    others = [attach(home, sid) for _ in range(viewers)]
    with Wire(home.dir(sid), mode="control") as control:
        wait_for(lambda: "ready" in control.call(
            "session.snapshot", format="text")["data"], "ready")
        control.call("session.send", input=[{"text": "g"}])
        want = b"\033[1;6R\033[0n"

        def said():
            text = control.call("session.snapshot", format="text")["data"]
            got = bytes(int(x, 16) for x in
                        re.findall(r"\b[0-9a-f]{2}\b", text))
            return got if len(got) >= len(want) else None

        assert wait_for(said, "an answer") == want
        control.call("session.send", input=[{"text": "!"}])
        got = wait_for(lambda: said() if said()[-1:] == b"!" else None,
                       "the letter after it")
        assert got == want + b"!", "answered more than once"
    for w in others:
        w.close()


def test_old_queries_type_nothing(home):
    """S5 (c): 10,000 of them in the history; attach and replay answer none."""
    sid = home.start("sh", "-c", "stty raw -echo; "
                     "i=0; while [ $i -lt 2000 ]; do "
                     r"printf '\033[6n\033[c\033[5n\033[>q\033]11;?\007'; "
                     "i=$((i+1)); done; "
                     "printf ready; exec od -An -v -tx1 -w1")
    with attach(home, sid) as w:
        before = w.call("session.get")["seq"]
        w.type(wire.TEXT, b"BEGIN")
        w.until(lambda: typed(w).endswith(b"BEGIN"), "all answers")
        answered = len(typed(w))
        for replay in ("raw", "screen", "none"):
            for features in ((), ("offset",), ("offset", "keyframe")):
                with Wire(home.dir(sid), replay=replay, features=features,
                          engine=1, **{"from": 0}) as other:
                    other.sync()
        w.type(wire.TEXT, b"END")
        w.until(lambda: typed(w).endswith(b"END"), "END")
        assert typed(w)[answered:] == b"END"
        assert before > 0


def test_a_thousand_questions_have_a_thousand_answers(home):
    """S5: however fast a program asks."""
    sid = home.start("sh", "-c", "stty raw -echo; printf ready; "
                     "head -c 1 >/dev/null; "
                     r"printf '%01000d' 0 | sed 's/0/\o033[5n/g'; "
                     "exec od -An -v -tx1 -w1")
    with attach(home, sid) as w:
        w.data(b"g")
        w.until(lambda: b" 1b" in w.output, "the first answer")
        w.type(wire.TEXT, b"END")
        w.until(lambda: typed_after(w).endswith(b"END"), "all answers")
        answers = typed_after(w).count(b"\033[0n")
        assert answers == 1000, answers


def typed_after(w):
    return from_od(bytes(w.output).rpartition(b"[5n")[2])


def test_answers_of_a_clients_terminal_are_dropped(home):
    """O-11, S5: the client's terminal saw the query as well, and answers."""
    sid = home.start("sh", "-c", HEX.format(modes=""))
    with attach(home, sid) as w:
        for reply in (b"\033[12;40R", b"\033[?62;22c", b"\033[0n",
                      b"\033]11;rgb:0000/0000/0000\033\\",
                      b"\033P>|XTerm(379)\033\\", b"\033[?2026;2$y"):
            w.data(reply)
            w.data(b"-" + reply + b"-")
            assert w.type(wire.BYTES, reply)[0] == wire.NOTHING
            # In one piece: the host waits only 25 ms for the rest.
            w.sock.sendall(b"".join(wire.frame(wire.DATA, reply[i:i + 1])
                                    for i in range(len(reply))))
        w.data(b"END")
        until_typed(w, b"--" * 6 + b"END")


def test_the_escape_key_passes_by_itself(home):
    sid = home.start("sh", "-c", HEX.format(modes=""))
    with attach(home, sid) as w:
        w.data(b"\033")
        until_typed(w, b"\033")
        w.data(b"\033[A")
        until_typed(w, b"\033\033[A")


def test_input_after_the_end_is_refused(home):
    sid = home.start("sh", "-c", "stty raw -echo; printf ready; "
                     "head -c 1 >/dev/null; exit 0")
    with attach(home, sid) as w:
        w.data(b"x")
        w.ended()
        w.until_closed()


def log_bytes(home, sid):
    return b"".join(path.read_bytes() for path in
                    sorted((home.dir(sid) / "log").glob("*.seg")))


def settle(w):
    """Wait until all input so far is on disk."""
    w.call("session.mark", name="settled")


def in_log(home, sid, text):
    return text in log_bytes(home, sid)


def test_typed_text_is_in_the_log_with_its_author(home):
    with attach(home, sid := raw(home, "--durable")) as w:
        status, seq = w.type(wire.TEXT, b"swordfish")
        assert status == wire.WRITTEN and seq > 0
        by = f"uid:{os.getuid()}".encode()
        assert in_log(home, sid, bytes([len(by)]) + by + struct.pack("<I", 9)
                      + b"swordfish")


@pytest.mark.parametrize("how", ["prompt", "flag", "lengths", "none"])
def test_secrets_are_not_in_the_log(home, how):
    """Withheld at a password prompt, by the flag, and on request."""
    options = ["--durable"]
    program = "stty raw -echo; printf ready; exec cat >/dev/null"
    if how == "prompt":
        program = "stty -echo icanon; printf ready; exec cat >/dev/null"
    elif how != "flag":
        options.append(f"--log-input={how}")
    sid = home.start("sh", "-c", program, options=options)
    with attach(home, sid) as w:
        flags = 1 if how == "flag" else 0
        assert w.type(wire.TEXT, b"swordfish\r", flags)[0] == wire.WRITTEN
        w.call("session.send", input=[{"text": "swordfish\r"}],
               secret=how == "flag")
        settle(w)
        assert not in_log(home, sid, b"swordfish")
        assert in_log(home, sid, b"settled")


@pytest.mark.parametrize("how", ["hello", "operation"])
def test_colours_of_the_typing_client_answer_the_program(home, how):
    """The driver that typed last determines the answer to OSC 11."""
    sid = home.start("sh", "-c", "stty raw -echo; printf ready; "
                     "head -c 1 >/dev/null; printf '\\033]11;?\\007'; "
                     "exec od -An -v -tx1 -w1")
    colours = {"fg": "112233", "bg": "aabbcc"}
    fields = {"colours": colours} if how == "hello" else {}
    with attach(home, sid, **fields) as w:
        if how == "operation":
            assert w.call("session.colours", **colours) == {}
            with pytest.raises(Refused) as refused:
                w.call("session.colours", fg="112233", bg="red")
            assert refused.value.code == "usage"
        w.data(b"g")
        w.until(lambda: b" 07" in w.output, "an answer")
        got = bytes(int(x, 16) for x in
                    bytes(w.output).rpartition(b"\a")[2].split())
        assert b"rgb:aaaa/bbbb/cccc" in got, got


def test_requests_are_answered_once_and_in_order(home):
    """One answer for each, in order, with its own id."""
    with attach(home, raw(home)) as w:
        for number in range(1, 41):
            w.send(wire.REQUEST, json.dumps(
                {"id": number, "op": "session.get"}).encode())
        got = [json.loads(w.take(wire.RESPONSE))["id"] for _ in range(40)]
        assert got == list(range(1, 41))
