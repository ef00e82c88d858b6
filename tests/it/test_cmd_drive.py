"""Driving and looking: send, snapshot, resize, mark."""

import pytest

from lib import Home, tend


@pytest.fixture
def home():
    with Home() as made:
        yield made


@pytest.fixture
def keys(home):
    """A session that shows every byte it is given."""
    sid = home.start("sh", "-c", "stty raw -echo; echo ready; exec od -An -v "
                     "-tx1 -w1", options=["--size", "20x200"])
    home.wait_text(sid, "ready")

    def got(count):
        def lines():
            return [x.strip() for x in home.screen(sid)["lines"]
                    if len(x.strip()) == 2]
        from lib import wait_for
        wait_for(lambda: len(lines()) >= count, lambda: lines())
        return bytes.fromhex("".join(lines()))

    return sid, got


def test_text_and_keys_in_order(home, keys):
    sid, got = keys
    home.ok("send", sid, "--text", "ls -l", "--keys", "Enter", "--text",
            "Enter", "--keys", "C-c Up", "Escape", "M-x")
    expected = b"ls -l\rEnter\x03\x1b[A\x1b\x1bx"
    assert got(len(expected)) == expected


def test_text_is_never_a_key_nor_an_option(home, keys):
    sid, got = keys
    home.ok("send", sid, "--text=--keys", "--text", "C-c", "--text", "é")
    expected = "--keysC-cé".encode()
    assert got(len(expected)) == expected


def test_send_answers_with_the_place_in_the_log(home):
    sid = home.start("cat")
    home.wait_status(sid, "running")
    result = home.json("send", sid, "--text", "hello", "--keys", "Enter")
    assert list(result) == ["seq", "offset"], result
    events = home.events(sid, "input")
    assert events and events[-1]["seq"] == result["seq"], events


@pytest.mark.parametrize("args, word", [
    (["--keys", "C-c Frob Enter"], "Frob"),
    (["--text", "a", "--keys", "Enterr"], "Enterr"),
    (["--text", "a", "Enter"], "is Enter text or a key?"),
    (["hello"], "is hello text or a key?"),
    ([], "nothing to send"),
    (["--keys", "x" * 100], "no key"),
    (["--text", b"\xff\xfe"], "not UTF-8")])
def test_nothing_is_sent_when_part_of_it_is_wrong(home, args, word):
    sid = home.start("cat")
    home.wait_status(sid, "running")
    answer = home.run("send", sid, *args)
    assert answer.status == 2 and word in answer.err, answer
    assert home.events(sid, "input") == []


def test_send_bounds_what_it_takes(home):
    sid = home.start("cat")
    answer = home.run("send", sid, *(["--text", "x" * 100000] * 10))
    assert answer.status == 2 and "send it in parts" in answer.err, answer


def test_a_secret_is_not_in_the_log(home):
    sid = home.start("sh", "-c", "stty -echo; echo ready; exec cat")
    home.wait_text(sid, "ready")
    home.ok("send", sid, "--text", "hunter2", "--secret")
    event = home.events(sid, "input")[-1]
    assert event["withheld"] is True and event["bytes"] == 7, event
    assert "data" not in event


def test_paste_is_bracketed_when_asked_for(home, keys):
    sid, got = keys
    home.ok("send", sid, "--paste", "a b")
    assert got(3) == b"a b"
    sid = home.start("sh", "-c", "stty raw -echo; printf '\\033[?2004hready'; "
                     "exec cat -v")
    home.wait_text(sid, "ready")
    home.ok("send", sid, "--paste", "x")
    home.wait_text(sid, "^[[200~x^[[201~")


DRAW = ("printf 'one\\r\\n\\033[1;31mtwo\\033[m\\r\\n\\033]2;title\\007'; "
        "exec cat")


def test_snapshot_in_every_format(home):
    sid = home.start("sh", "-c", DRAW, options=["--size", "20x4"])
    home.wait_text(sid, "two")
    assert home.ok("snapshot", sid) == "one\ntwo\n\n\n"
    assert home.ok("snapshot") == "one\ntwo\n\n\n"
    screen = home.screen(sid)
    assert screen["lines"] == ["one", "two", "", ""]
    assert screen["cursor"]["row"] == 2 and screen["title"] == "title"
    assert screen["cols"] == 20 and len(screen["hash"]) == 64
    assert home.json("snapshot", "--format", "json", sid) == screen
    ansi = home.run("snapshot", "--format=ansi", sid)
    assert ansi.status == 0 and b"\x1b[" in ansi.out, ansi
    again = tend("render", "--json", "--size", "20x4", input=ansi.out)
    assert f'"hash":"{screen["hash"]}"' in again.text, again
    cells = home.json("snapshot", "--cells", sid)["cells"]
    assert cells[1][0]["text"] == "two" and "bold" in cells[1][0]["attrs"]


def test_snapshot_is_the_same_after_the_end(home):
    """K-18: the host's screen and the log's are one."""
    sid = home.start("sh", "-c", DRAW, options=["--size", "20x4"])
    live = home.wait_text(sid, "two")
    home.ok("kill", sid)
    after = home.screen(sid)
    for key in ("cols", "rows", "lines", "hash", "title", "cursor", "offset"):
        assert after[key] == live[key], key
    assert home.ok("snapshot", sid) == "one\ntwo\n\n\n"


def test_scrollback(home):
    sid = home.start("sh", "-c", "seq 50; exec cat", options=["--size", "20x4"])
    home.wait_text(sid, "50")
    wanted = [str(n) for n in range(1, 51)]
    assert home.ok("snapshot", sid, "--scrollback").split() == wanted
    screen = home.json("snapshot", sid, "--scrollback")
    assert screen["scrollback"] == wanted[:-3]
    home.ok("kill", sid)
    assert home.ok("snapshot", sid, "--scrollback").split() == wanted


def test_snapshot_at_every_kind_of_moment(home):
    sid = home.start("cat", options=["--size", "20x4"])
    home.wait_status(sid, "running")
    home.ok("send", sid, "--text", "first", "--keys", "Enter")
    home.wait_text(sid, "first\nfirst")
    mark = home.json("mark", sid, "here")
    home.ok("send", sid, "--text", "second", "--keys", "Enter")
    home.wait_text(sid, "second\nsecond")
    then = ["first", "first", "", ""]
    for when in ("mark:here", str(mark["seq"]), f"@{mark['offset']}"):
        screen = home.json("snapshot", sid, "--at", when)
        assert screen["lines"] == then, (when, screen)
        assert screen["offset"] == mark["offset"], (when, screen)
    assert home.json("snapshot", sid, "--at", "@3")["lines"][0] == "fir"
    assert home.json("snapshot", sid, "--at=-0s")["lines"][2] == "second"
    assert home.json("snapshot", sid, "--at", "1h")["lines"][2] == "second"
    event = next(e for e in home.events(sid) if e["seq"] == mark["seq"])
    assert event["name"] == "here"
    for when in (f"{event['time']:.9f}s", event["at"]):
        assert home.json("snapshot", sid, "--at", when)["lines"][0] == "first"


def test_a_moment_that_is_none(home):
    sid = home.start("cat")
    answer = home.run("snapshot", sid, "--at", "yesterday")
    assert answer.status == 2 and "is no moment" in answer.err, answer
    error = home.error("snapshot", sid, "--at", "mark:none", status=10,
                       code="replay")
    assert "no mark called none" in error["message"]


@pytest.mark.parametrize("args, word", [
    (["--format", "png"], "text, json or ansi"),
    (["--format", "text", "--json"], "contradict"),
    (["--cells"], "--cells needs --format json"),
    (["extra"], "one word too many")])
def test_snapshot_usage(home, args, word):
    sid = home.start("cat")
    answer = home.run("snapshot", sid, *args)
    assert answer.status == 2, answer
    assert word in answer.err + answer.text, answer


def test_resize(home):
    sid = home.start("sh", "-c", "trap 'stty size' WINCH; echo ready; "
                     "while :; do sleep 0.05; done")
    home.wait_text(sid, "ready")
    result = home.json("resize", sid, "100x30")
    assert (result["cols"], result["rows"]) == (100, 30)
    home.wait_text(sid, "30 100")
    assert home.screen(sid)["cols"] == 100
    assert home.info(sid)["rows"] == 30
    for size in ("0x0", "100000x100000", "axb"):
        answer = home.run("resize", sid, size)
        assert answer.status == 2 and "give COLSxROWS" in answer.err, answer


def test_mark_needs_a_name(home):
    sid = home.start("cat")
    for args in ([], ["", ], ["x" * 256], [b"\xff"]):
        assert home.run("mark", sid, *args).status == 2
