"""Promises of a whole session: one test for each, named by its id.

Promises of a part are tested with that part; docs/features.md lists all.
"""

import json
import os
import signal
import time

import pytest

import wire
from lib import Home, is_running, wait_for
from wire import Wire


@pytest.fixture
def home():
    with Home() as made:
        yield made


@pytest.fixture
def cat(home):
    sid = home.start("cat", options=["-n", "cat"])
    home.wait_status(sid, "running")
    return sid


def wait_raw(home, sid, want):
    """Wait until the log has exactly this: the end of a line may come after
    the line was seen."""
    wait_for(lambda: home.raw(sid) == want, lambda: home.raw(sid))


def test_sessions_outlive_their_clients(home, cat):
    """O-01, A-28, C-01: no client, terminal or daemon is needed; output
    without a viewer is kept."""
    with Wire(home.dir(cat)) as w:
        w.data(b"one\r")
        w.until_output(b"one\r\none\r\n")
    home.ok("send", "cat", "--text", "alone", "--keys", "Enter")
    home.wait_text(cat, "alone\nalone")
    child = home.info(cat)["child_pid"]
    parents = {int(line.split()[1]) for line in
               open(f"/proc/{child}/status") if line.startswith("PPid")}
    assert parents == {home.info(cat)["keeper_pid"]}
    wait_raw(home, cat, b"one\r\none\r\nalone\r\nalone\r\n")


def test_states_follow_one_another(home):
    """O-02, C-02: starting, running, exited; status, outcome and activity are
    separate, and the log stays readable."""
    session = home.json("run", "-d", "--", "sh", "-c", "echo x; read y; exit 4")
    assert session["status"] in ("starting", "running")
    live = home.wait_status(session["id"], "running")
    assert live["outcome"] is None and live["activity"] == "unknown"
    home.wait_text(live["id"], "x")  # before the echo of what is typed
    home.ok("send", live["id"], "--keys", "Enter")
    ended = home.wait_status(live["id"], "exited", "failed")
    assert ended["outcome"] in ("exited", "failed")
    assert (ended["exit_code"], ended["exit_signal"]) == (4, None)
    assert home.raw(live["id"]).startswith(b"x\r\n")
    assert home.run("send", live["id"], "--text", "y").status == 4


def test_a_client_can_type_into_resize_and_kill_a_session(home, cat):
    """O-03: write, resize, kill, wait, and its process id."""
    info = home.info(cat)
    assert is_running(info["child_pid"])
    assert home.json("send", cat, "--text", "x")["seq"] > 0
    assert home.json("resize", cat, "90x20")["cols"] == 90
    assert home.json("kill", cat)["exit_signal"] == signal.SIGKILL
    wait_for(lambda: not is_running(info["child_pid"]), "the end of the child")


def test_much_output_starves_no_client(home):
    """O-04: while a program floods, others and the session itself answer."""
    flood = home.start("yes", options=["--max-log", "8M"])
    other = home.start("cat")
    home.wait_text(flood, "y")
    for n in range(5):
        began = time.monotonic()
        home.ok("send", other, "--text", f"n{n}", "--keys", "Enter")
        home.wait_text(other, f"n{n}\nn{n}")
        assert home.info(flood)["id"] == flood
        assert time.monotonic() - began < 10
    home.ok("kill", flood)


def test_the_log_has_all_bytes_and_the_text_only_visible_ones(home):
    """O-12, C-08: queries and OSC are in the log byte for byte; text for
    people has none of them."""
    data = "a\\033[6n\\033[5n\\033]11;?\\007\\033]2;title\\007\\033[Pb"
    sid = home.start("sh", "-c", f"stty raw -echo; printf '{data}'; "
                     "while [ \"$(dd bs=1 count=1 2>/dev/null)\" != x ]; do :; done; "
                     "printf '\\r\\nend\\r\\n'")
    home.wait_text(sid, "b")
    home.ok("send", sid, "--text", "x")
    home.wait_status(sid, "exited", "failed")
    raw = home.raw(sid)
    assert raw == (b"a\x1b[6n\x1b[5n\x1b]11;?\x07\x1b]2;title\x07\x1b[Pb"
                   b"\r\nend\r\n")
    assert home.ok("log", sid) == "ab\nend\n"
    assert home.events(sid, "input")[0]["data"] \
        == "x"


def test_viewers_are_counted(home, cat):
    """O-18: viewers are counted, and those who left are not."""
    assert home.info(cat)["observers"] == 0
    with Wire(home.dir(cat)) as one, Wire(home.dir(cat),
                                          access="readonly") as two:
        one.metadata(), two.metadata()
        assert home.info(cat)["observers"] == 2
    wait_for(lambda: home.info(cat)["observers"] == 0, "nobody watching")


def name(pid):
    """The name of a process; None if it has ended."""
    try:
        with open(f"/proc/{pid}/comm") as file:
            return file.read().strip()
    except (FileNotFoundError, ProcessLookupError):
        return None


def test_the_exit_is_noticed_and_reported_once(home):
    """O-21: also while a remaining process holds the terminal."""
    sid = home.start("sh", "-c", "sleep 300 & echo left; exit 6",
                     options=["--linger-output", "1s"])
    ended = home.wait_status(sid, "exited", "failed")
    assert ended["exit_code"] == 6
    wait_for(lambda: {name(p) for p in home.processes()} <= {"sleep", None},
             lambda: home.processes(), 60)
    exits = home.events(sid, "exit")
    assert len(exits) == 1 and exits[0]["exit_code"] == 6, exits


def test_a_crash_of_a_host_loses_nothing(home):
    """B-05, B-07, B-08: kill -9 of a host: the program lives, a new host
    serves, and no other session notices."""
    one, two = home.start("cat"), home.start("cat")
    home.wait_status(one, "running")
    before = home.wait_status(two, "running")
    host, child = (home.info(one)[k] for k in ("host_pid", "child_pid"))
    with Wire(home.dir(one)) as w:
        w.data(b"before\r")
        w.until_output(b"before\r\nbefore\r\n")
        os.kill(host, signal.SIGKILL)
        w.until_closed()
    began = time.monotonic()
    home.ok("send", one, "--text", "after", "--keys", "Enter")
    home.wait_text(one, "after\nafter")
    assert time.monotonic() - began < 10
    after = home.info(one)
    assert after["child_pid"] == child and after["host_pid"] != host
    wait_raw(home, one, b"before\r\n" * 2 + b"after\r\n" * 2)
    assert home.info(two)["host_pid"] == before["host_pid"]


def test_a_new_host_program_serves_without_restarting_others(home, cat):
    """B-05: a crashed host is started again from the keeper's program."""
    host = home.info(cat)["host_pid"]
    os.kill(host, signal.SIGKILL)
    wait_for(lambda: home.info(cat)["host_pid"] not in (None, host),
             "another host")
    assert os.readlink(f"/proc/{home.info(cat)['host_pid']}/exe").endswith(
        "tend-host")


def test_the_program_cannot_see_its_viewers(home):
    """B-06, O-24: it has 0, 1 and 2, all its terminal, and nothing else."""
    sid = home.start("sh", "-c", "ls -l /proc/$$/fd; echo done; exec cat")
    with Wire(home.dir(sid)) as w:
        w.metadata()
        lines = home.wait_text(sid, "done")["lines"]
        # A program that starts has its libraries open; one that answers does
        # not.
        home.ok("send", sid, "--text", "cat", "--keys", "Enter")
        home.wait_text(sid, "cat\ncat")
        child = home.info(sid)["child_pid"]
        fds = {name: os.readlink(f"/proc/{child}/fd/{name}")
               for name in os.listdir(f"/proc/{child}/fd")}
        assert set(fds) == {"0", "1", "2"}, (fds, lines)
        assert len(set(fds.values())) == 1, fds
        assert fds["0"].startswith("/dev/pts/"), fds
        mask = [line.split()[1] for line in open(f"/proc/{child}/status")
                if line.startswith(("SigBlk", "SigIgn"))]
        assert mask == ["0" * 16] * 2, mask


def test_no_buffer_delays_output(home, cat):
    """B-11: each byte comes by itself and at once."""
    times = []
    with Wire(home.dir(cat), replay="none") as w:
        w.metadata()
        for n in range(50):
            seen = len(w.output)
            began = time.monotonic()
            w.data(b"x")
            w.until(lambda: len(w.output) > seen, "the echo")
            times.append(time.monotonic() - began)
    assert sorted(times)[25] < 0.02, times


def test_bytes_pass_unchanged_both_ways(home):
    """B-13, B-16: Data is the input and output; Metadata names the client."""
    sid = home.start("sh", "-c", "stty raw -echo; echo ready; exec cat",
                     options=["-n", "team/bytes"])
    home.wait_text(sid, "ready")
    data = bytes(b for b in range(256)) * 4
    with Wire(home.dir(sid), features=(), replay="none") as w:
        meta = w.metadata()
        assert meta["principal"] == "team/bytes", meta
        assert meta["session"].endswith("team/bytes"), meta
        assert meta["machine"], meta
        w.data(data)
        w.until(lambda: len(w.output) >= len(data), "the bytes again")
        assert bytes(w.output) == data


def test_a_client_gets_the_whole_screen_then_live_output(home, cat):
    """B-28: a client gets the whole screen, then what is live."""
    home.ok("send", cat, "--text", "seen", "--keys", "Enter")
    home.wait_text(cat, "seen\nseen")
    with Wire(home.dir(cat)) as w:
        w.metadata()
        w.until(lambda: w.screens, "the screen")
        assert b"seen" in w.screens[0]["bytes"]
        w.data(b"live\r")
        w.until_output(b"live")


@pytest.mark.parametrize("script, kept", [
    ("seq 1000; exit 3", True), ("seq 1000; kill -9 $$", True),
    ("seq 1000; exit 0", False)])
def test_a_failed_session_keeps_its_last_lines(home, script, kept):
    """B-44, C-18: after a non-zero end the last screen and lines are kept."""
    sid = home.start("sh", "-c", script)
    ended = home.wait_status(sid, "exited", "failed")
    wait_for(lambda: home.processes() == [], "the end of the host")
    ended = home.info(sid)
    if not kept:
        assert ended["post_mortem"] is None
        return
    path = home.dir(sid) / ended["post_mortem"]
    text = path.read_text()
    lines = [x for x in text.split() if x.isdigit()]
    assert lines[-1] == "1000" and 50 <= len(lines) <= 600, lines[:3]
    assert str(ended["post_mortem"]) in home.ok("info", sid)


def test_names_are_hierarchical(home):
    """B-47: `/` is part of a name, and never of a path."""
    sid = home.start("cat", options=["-n", "a/b/c.d-e_f"])
    assert home.info("a/b/c.d-e_f")["id"] == sid
    assert not list(home.path.glob("**/b"))


def test_the_picture_and_the_bytes_are_one_stream(home):
    """C-03: raw bytes, the screen and the log agree."""
    sid = home.start("sh", "-c", "seq 100; exec cat")
    size = sum(len(f"{n}\r\n") for n in range(1, 101))
    wait_for(lambda: home.info(sid)["offset"] == size, lambda: home.info(sid))
    shown = home.screen(sid)
    with Wire(home.dir(sid), replay="raw", **{"from": 0}) as raw, \
            Wire(home.dir(sid), replay="screen") as screen, \
            Wire(home.dir(sid), replay="none") as none:
        raw.until_output(b"100\r\n")
        screen.until(lambda: screen.screens, "the screen")
        assert screen.screens[0]["offset"] == len(raw.output)
        assert bytes(raw.output) == home.raw(sid)
        none.metadata()
        none.sync()
        assert bytes(none.output) == b""
    assert shown["offset"] == len(raw.output)


@pytest.mark.parametrize("policy, status", [("shared", 0), ("lease", 2)])
def test_typing_follows_the_sessions_policy(home, policy, status):
    """C-04: shared, or one at a time; pieces are atomic in both."""
    sid = home.start("cat", options=["--input", policy])
    home.wait_status(sid, "running")
    with Wire(home.dir(sid)) as one, Wire(home.dir(sid)) as two:
        assert one.type(wire.TEXT, b"one\r")[0] == wire.WRITTEN
        assert two.type(wire.TEXT, b"two\r")[0] == status
        answer = home.run("send", sid, "--text", "three")
        assert answer.status == (12 if policy == "lease" else 0), answer


@pytest.mark.parametrize("policy, size", [
    ("smallest", (60, 20)), ("largest", (100, 30)), ("latest", (60, 30)),
    ("fixed", (80, 24))])
def test_the_policy_decides_the_size(home, policy, size):
    """C-05, O-20: that of the clients with a vote; without any, nothing
    changes."""
    sid = home.start("cat", options=["--resize", policy])
    home.wait_status(sid, "running")
    with Wire(home.dir(sid), cols=100, rows=20) as one:
        one.sync()
        with Wire(home.dir(sid), cols=60, rows=30) as two, \
                Wire(home.dir(sid)) as three, \
                Wire(home.dir(sid), cols=5, rows=5, access="readonly") as four:
            for w in (two, three, four):
                w.sync()
            info = home.info(sid)
            assert (info["cols"], info["rows"]) == size
    wait_for(lambda: home.info(sid)["observers"] == 0, "nobody")
    assert home.info(sid)["cols"] in (size[0], 100)


def test_the_directory_of_a_session_has_all_its_state(home, cat):
    """C-14: no database; the directories have all state."""
    home.ok("label", cat, "k=v")
    home.ok("kill", cat)
    moved = Home(str(home.path) + "-moved")
    os.rename(home.path, moved.path)
    try:
        assert moved.info(cat)["labels"] == {"k": "v"}
        assert moved.json("ls", "-a")[0]["id"] == cat
        manifest = json.loads(
            (moved.dir(cat) / "session.json").read_text())
        assert manifest["id"] == cat
    finally:
        os.rename(moved.path, home.path)


def test_stop_sends_sigterm_before_sigkill(home):
    """C-21: hang-up and SIGTERM to the group, then the grace, then SIGKILL; an
    ended session keeps its screen."""
    sid = home.start("sh", "-c", "trap 'echo asked' TERM; trap '' HUP; "
                     "echo ready; while :; do sleep 0.05; done")
    home.wait_text(sid, "ready")
    ended = home.json("stop", sid, "--grace", "5s")
    assert ended["exit_signal"] == signal.SIGKILL
    assert "asked" in "\n".join(home.screen(sid)["lines"])
    signals = [e["signal"] for e in home.events(sid) if e["type"] == "signal"]
    assert "SIGTERM" in signals, signals
