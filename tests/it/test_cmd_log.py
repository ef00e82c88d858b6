"""Reading the log: `tend log` in its three forms."""

import base64
import json
import os
import resource
import signal
import subprocess

import pytest

import lib
from lib import Home, wait_for


@pytest.fixture
def home():
    with Home() as made:
        yield made


def ended(home, script, **kwargs):
    sid = home.start("sh", "-c", script, **kwargs)
    home.wait_gone(sid)
    return sid


def test_raw_prints_every_byte(home, tmp_path):
    """O-13: bytes are logged unchanged."""
    data = bytes(range(256)) * 300 + b"\x1b]0;t\x07\xff\xfe\x00end"
    path = tmp_path / "data"
    path.write_bytes(data)
    sid = ended(home, f"stty -opost; cat {path}")
    assert home.raw(sid) == data


def test_raw_prints_the_bytes_between_two_offsets(home):
    sid = ended(home, "printf 0123456789")
    for start, end in ((0, 10), (3, 7), (9, 10), (5, 5), (10, 10)):
        answer = home.run("log", sid, "--raw", "--from", f"@{start}", "--to",
                          f"@{end}")
        assert answer.out == b"0123456789"[start:end], answer


def test_text_interprets_the_bytes(home):
    sid = ended(home, r"printf 'loading 10%%\rloading 100%%\n"
                r"\033[1;31mred\033[m text\nabc\b\bXY\n'; "
                r"printf '\033[?1049hfull screen\033[?1049lback\n'")
    assert home.ok("log", sid) == ("loading 100%\nred text\naXY\nback\n")


def test_text_has_all_lines_and_joins_those_broken_at_the_margin(home):
    """A blank at the margin is part of the line."""
    sid = ended(home, "seq 3000; printf '%0200d\\n' 7; "
                "printf '%039d blank\\n' 8; echo end",
                options=["--size", "40x10"])
    assert home.ok("log", "--text", sid).splitlines() == [
        *map(str, range(1, 3001)), "7".rjust(200, "0"),
        "8".rjust(39, "0") + " blank", "end"]


def test_from_and_to_limit_the_text(home):
    sid = home.start("cat")
    home.wait_status(sid, "running")
    for word in ("one", "two", "three"):
        home.ok("send", sid, "--text", word, "--keys", "Enter")
        home.wait_text(sid, f"{word}\n{word}")
        home.ok("mark", sid, word)
    home.ok("kill", sid)
    assert home.ok("log", sid).split() == ["one"] * 2 + ["two"] * 2 + [
        "three"] * 2
    assert home.ok("log", sid, "--from", "mark:one", "--to",
                   "mark:two").split() == ["two", "two"]
    assert home.ok("log", sid, "--from", "mark:two").split() == ["three"] * 2


def test_a_resize_loses_and_repeats_no_line(home):
    sid = home.start("sh", "-c", "seq 30; exec cat", options=["--size", "30x8"])
    home.wait_text(sid, "30")
    home.ok("resize", sid, "60x20")
    home.ok("send", sid, "--text", "after", "--keys", "Enter")
    home.wait_text(sid, "after\nafter")
    home.ok("kill", sid)
    assert home.ok("log", sid).split() == [*map(str, range(1, 31)), "after",
                                           "after"]


def test_events_have_everything(home):
    """K-05: output, input, control and lifecycle, one a line."""
    sid = home.start("sh", "-c", "echo hi; read x; printf '\\377'; exit 3",
                     options=["-n", "ev"])
    home.wait_text(sid, "hi")
    home.ok("mark", sid, "m")
    home.ok("resize", sid, "90x30")
    home.ok("send", sid, "--text", "x", "--keys", "Enter")
    home.wait_status(sid, "exited", "failed")
    events = home.events(sid)
    seqs = [e["seq"] for e in events]
    assert seqs == sorted(seqs) and seqs[0] == 1, seqs
    assert all(isinstance(e["time"], float) for e in events)
    types = [e["type"] for e in events]
    assert types[0] == "start" and types[1] == "keyframe"
    assert events[0]["data"]["id"] == sid and events[0]["data"]["name"] == "ev"
    for name in ("clock", "output", "mark", "resize", "input", "exit"):
        assert name in types, types
    first = events[types.index("output")]
    assert first["offset"] == 0 and first["data"].startswith("hi")
    out = b"".join(e["data"].encode() if "data" in e else
                   base64.b64decode(e["data_base64"])
                   for e in events if e["type"] == "output")
    assert out == home.raw(sid) and out.endswith(b"\xff")
    resize = events[types.index("resize")]
    assert (resize["cols"], resize["rows"]) == (90, 30)
    assert resize["by"] == f"uid:{os.getuid()}"
    assert types[types.index("resize") + 1] == "keyframe"
    end = events[types.index("exit")]
    assert end["exit_code"] == 3 and end["offset"] == len(out)
    assert home.ok("log", sid, "--json") == home.ok("log", sid, "--events")


def follow(home, *args):
    return subprocess.Popen([lib.TEND, "log", "-f", *args],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env=home.env)


def test_follow_continues_until_the_end(home):
    sid = home.start("cat")
    home.wait_status(sid, "running")
    with follow(home, "--raw", sid) as raw, follow(home, sid) as text:
        home.ok("send", sid, "--text", "one", "--keys", "Enter")
        assert raw.stdout.read(8) == b"one\r\none"
        assert text.stdout.readline() == b"one\n"
        assert text.stdout.readline() == b"one\n"
        home.ok("send", sid, "--text", "two", "--keys", "Enter")
        assert text.stdout.readline() == b"two\n"
        home.wait_text(sid, "two\ntwo")
        home.ok("kill", sid)
        assert raw.stdout.read() == b"\r\ntwo\r\ntwo\r\n"
        assert text.stdout.read() == b"two\n"
        assert raw.wait(20) == 0 and text.wait(20) == 0


def test_follow_of_a_finished_session_is_its_log(home):
    """K-16: the same for live and finished sessions, without asking the
    host."""
    sid = ended(home, "seq 100")
    for form in ("--raw", "--text", "--events"):
        assert home.ok("log", "-f", form, sid) == home.ok("log", form, sid)


def test_following_needs_no_host(home):
    """K-16: the files can be read while the host is stopped."""
    sid = home.start("sh", "-c", "printf hello; exec cat")
    home.wait_text(sid, "hello")
    assert home.raw(sid) == b"hello"
    host = home.info(sid)["host_pid"]
    os.kill(host, signal.SIGSTOP)
    try:
        assert home.raw(sid) == b"hello"
        assert home.json("snapshot", sid, "--at=-0s")["lines"][0] == "hello"
    finally:
        os.kill(host, signal.SIGCONT)


def test_follow_survives_a_host(home):
    """B-07: after kill -9 of the host a follower misses and repeats
    nothing."""
    sid = home.start("cat")
    home.wait_status(sid, "running")
    with follow(home, "--raw", sid) as raw:
        for n in range(3):
            home.ok("send", sid, "--text", f"line{n}", "--keys", "Enter")
            assert raw.stdout.read(14) == f"line{n}\r\nline{n}\r\n".encode()
            host = home.info(sid)["host_pid"]
            os.kill(host, signal.SIGKILL)
            wait_for(lambda: home.info(sid)["host_pid"] not in (None, host),
                     "another host")
        home.ok("kill", sid)
        assert raw.stdout.read() == b"" and raw.wait(20) == 0


def test_a_reader_that_left_causes_no_error(home):
    sid = ended(home, "seq 200000")
    done = subprocess.run(f"'{lib.TEND}' log {sid} | head -n 1", shell=True,
                          env=home.env, capture_output=True, timeout=60)
    assert done.stdout == b"1\n" and done.stderr == b"", done


def test_damage_is_reported_and_the_rest_shown(home):
    sid = ended(home, "seq 100000")
    whole = home.raw(sid)
    segment, = (home.dir(sid) / "log").glob("00000001.*seg")
    data = bytearray(segment.read_bytes())
    middle = len(data) // 2
    data[middle:middle + 50] = b"x" * 50
    segment.write_bytes(data)
    answer = home.run("log", "--raw", sid)
    assert answer.status == 10, answer
    assert "the log is damaged after event" in answer.err, answer
    assert 0 < len(answer.out) < len(whole)
    head = len(os.path.commonprefix([answer.out, whole]))
    assert whole.endswith(answer.out[head:]), "what is shown is not the truth"
    lines = home.run("log", "--events", sid)
    assert lines.status == 10
    damage = [e for e in map(json.loads, lines.text.splitlines())
              if e["type"] == "damaged"]
    assert damage and damage[0]["offset_from"] <= head
    assert "is damaged" in home.run("log", sid).err


def test_a_missing_log_is_reported(home):
    sid = ended(home, "echo x")
    for path in (home.dir(sid) / "log").iterdir():
        path.unlink()
    (home.dir(sid) / "log").rmdir()
    for command in ("log", "snapshot"):
        error = home.error(command, sid, status=10, code="replay")
        assert "No such file or directory" in error["message"], error


@pytest.mark.parametrize("args, word", [
    (["--raw", "--text"], "one of --text, --raw and --events"),
    (["--raw", "--json"], "give only one of --raw and --json"),
    (["--from", "soon"], "--from: soon is not a moment"),
    (["--to", "5x"], "--to: 5x is not a moment"),
    (["extra"], "unexpected argument: extra")])
def test_log_refuses_invalid_arguments(home, args, word):
    sid = home.start("cat")
    answer = home.run("log", sid, *args)
    assert answer.status == 2 and word in answer.err + answer.text, answer


def test_the_last_lines_are_shown_on_request(home):
    sid = home.start("sh", "-c", "seq 50; printf end; exec cat")
    home.wait_text(sid, "end")
    whole = home.ok("log", sid).splitlines()
    assert whole[-3:] == ["49", "50", "end"], whole[-5:]
    for count in (1, 3, 20, 51, 60):
        assert home.ok("log", sid, "-n", str(count)).splitlines() == \
            whole[-count:], count
    raw = home.run("log", "--raw", "-n", "2", sid)
    assert raw.status == 0 and raw.out == b"50\r\nend", raw
    events = home.run("log", "--events", "-n2", sid).text.splitlines()
    assert events == home.run("log", "--events", sid).text.splitlines()[-2:]
    for wrong in ("0", "-1", "x", "1000001"):
        answer = home.run("log", sid, f"--lines={wrong}")
        assert answer.status == 2 and "number of lines" in answer.err, answer
    answer = home.run("log", sid, "-n", "5", "--from", "0s")
    assert answer.status == 2 and "--lines and --from" in answer.err, answer


def processor_time():
    """CPU time of the programs that have ended, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_the_last_lines_of_a_large_log_are_cheap(home):
    """Reading all of it would take seconds; a part at its end is enough."""
    sid = home.start("sh", "-c", "seq 1 3000000; echo the end")
    home.wait_gone(sid)
    want = [str(n) for n in range(3000000 - 18, 3000001)] + ["the end"]
    began = processor_time()
    assert home.ok("log", sid).splitlines()[-20:] == want
    whole = processor_time() - began
    assert home.ok("log", sid, "-n", "20").splitlines() == want
    tail = processor_time() - began - whole
    assert tail < whole / 5, (tail, whole)
    # More than the first guess has: it is read again from further back.
    many = home.ok("log", sid, "-n", "60000").splitlines()
    assert many[0] == str(3000000 - 59998) and len(many) == 60000


def test_follow_shows_the_last_lines_and_then_new_ones(home):
    sid = home.start("sh", "-c", "seq 30; echo ready; exec cat")
    home.wait_text(sid, "ready")
    with subprocess.Popen([lib.TEND, "log", "-f", "-n", "3", sid],
                          env=home.env, stdout=subprocess.PIPE) as follow:
        first = [follow.stdout.readline() for _ in range(3)]
        assert first == [b"29\n", b"30\n", b"ready\n"], first
        home.ok("send", sid, "--text", "more", "--keys", "Enter")
        assert follow.stdout.readline() == b"more\n"
        home.ok("kill", sid)
        assert follow.wait(30) == 0
