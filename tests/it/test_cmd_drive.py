"""Driving and observing: send, snapshot, resize, mark."""

import hashlib
import json
import os
import shutil
import time

import pytest

from lib import Home, tend, wait_for


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
        wait_for(lambda: len(lines()) >= count, lambda: lines())
        return bytes.fromhex("".join(lines()))

    return sid, got


def test_text_and_keys_are_typed_in_order(home, keys):
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
    (["C-c C-d"], "press it with --keys 'C-c C-d'"),
    (["echo it's", "Enter"], "unknown key: 'echo it'\\''s'; type it with --text "
     "'echo it'\\''s', and press keys as in --keys Enter"),
    (["hello"], "unknown key: hello; type it with --text hello, and"),
    ([], "nothing to send"),
    (["--keys", "x" * 100], "unknown key"),
    (["--text", "a", "--hex", "1g"], "'hex' must be pairs"),
    (["--text", "a", "--mouse", "poke 1,1"], "scroll-down, then ROW,COL"),
    (["--text", "a", "--mouse", "click 99,99"], "rows are 0 to 23"),
    (["--text", "a", "--mouse", "click 1,1"], "has not enabled"),
    (["--text", "a", "--file", "/no/such/file"], "cannot open /no/such/file"),
    (["--text", "a", "--expect-seq", "soon"], "--expect-seq soon: give"),
    (["--text", b"\xff\xfe"], "not UTF-8")])
def test_nothing_is_sent_when_part_of_it_is_wrong(home, args, word):
    sid = home.start("cat")
    home.wait_status(sid, "running")
    answer = home.run("send", sid, *args)
    assert answer.status == 2 and word in answer.err, answer
    assert home.events(sid, "input") == []


def test_send_limits_its_input(home):
    sid = home.start("cat")
    answer = home.run("send", sid, *(["--text", "x" * 100000] * 10))
    assert answer.status == 2 and "send it in parts" in answer.err, answer


def test_bytes_of_any_value_can_be_sent(home, keys, tmp_path):
    sid, got = keys
    path = tmp_path / "bytes"
    path.write_bytes(b"\0\xff\n")
    home.ok("send", sid, "--hex", "1b 5b41", "--file", path, "--file", "-",
            input="text\u00e9\n".encode())
    expected = b"\x1b[A\0\xff\ntext\xc3\xa9\n"
    assert got(len(expected)) == expected


def test_mouse_events_have_the_format_the_program_set(home):
    sid = home.start("sh", "-c", "stty raw -echo; printf "
                     "'\\033[?1000;1006hready'; exec cat -v")
    home.wait_text(sid, "ready")
    home.ok("send", sid, "--mouse", "click 3,4", "--mouse", "scroll-up 0,79")
    home.wait_text(sid, "^[[<0;5;4M^[[<0;5;4m^[[<64;80;1M")


def test_a_send_that_expects_another_screen_types_nothing(home):
    sid = home.start("cat", options=["--size", "20x4"])
    home.wait_status(sid, "running")
    seen = home.screen(sid)["seq"]
    home.ok("send", sid, "--text", "a", "--expect-seq", str(seen))
    now = home.wait_text(sid, "a")
    error = home.error("send", sid, "--text", "b", "--expect-seq", str(seen),
                       status=12, code="busy")
    assert error["retryable"] is False, error
    assert f"last with {now['seq']}" in error["message"], (now, error)
    home.ok("send", sid, "--text", "c", "--expect-seq", str(now["seq"]))
    home.wait_text(sid, "ac")
    typed = [e["data"] for e in home.events(sid) if e["type"] == "input"]
    assert typed == ["a", "c"], typed


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


def draw(home):
    """A session that has drawn something, once all of it is there."""
    sid = home.start("sh", "-c", "printf '\\033]2;title\\007one\\r\\n"
                     "\\033[1;31mtwo\\033[m\\n'; exec cat",
                     options=["--size", "20x4"])
    home.ok("wait", sid, "--text", "two", "--cursor", "2,0")
    return sid


def test_text_json_and_ansi_show_the_same_screen(home):
    sid = draw(home)
    assert home.ok("snapshot", sid) == "one\ntwo\n"
    assert home.ok("snapshot") == "one\ntwo\n"
    assert home.ok("snapshot", "--rows", sid) == "one\ntwo\n\n\n"
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
    """K-18: the host's screen and the log's are the same."""
    sid = draw(home)
    live = home.screen(sid)
    home.ok("kill", sid)
    after = home.screen(sid)
    for key in ("cols", "rows", "lines", "hash", "title", "cursor", "offset"):
        assert after[key] == live[key], key
    assert home.ok("snapshot", sid) == "one\ntwo\n"
    assert home.ok("snapshot", "--rows", sid) == "one\ntwo\n\n\n"


def test_blank_rows_inside_of_a_screen_stay(home):
    sid = home.start("sh", "-c", "printf '\\n\\none\\n\\ntwo\\n'; exec cat")
    home.wait_text(sid, "two")
    assert home.ok("snapshot", sid) == "\n\none\n\ntwo\n"
    blank = home.start("cat")
    home.wait_status(blank, "running")
    assert home.ok("snapshot", blank) == ""
    assert home.ok("snapshot", "--rows", blank) == "\n" * 24
    answer = home.run("snapshot", "--rows", "-f", "ansi", blank)
    assert answer.status == 2 and "--rows is only for text" in answer.err, answer


def test_a_snapshot_has_the_scrollback_on_request(home):
    sid = home.start("sh", "-c", "seq 50; exec cat", options=["--size", "20x4"])
    home.ok("wait", sid, "--text", "50", "--cursor", "3,0")
    wanted = [str(n) for n in range(1, 51)]
    assert home.ok("snapshot", sid, "--scrollback").split() == wanted
    screen = home.json("snapshot", sid, "--scrollback")
    assert screen["scrollback"] == wanted[:-3]
    home.ok("kill", sid)
    assert home.ok("snapshot", sid, "--scrollback").split() == wanted


def test_a_snapshot_can_show_every_kind_of_moment(home):
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


def test_ago_counts_from_now_while_the_session_runs(home):
    """Nothing happens any more, but time passes."""
    sid = home.start("sh", "-c", "echo old; exec cat")
    home.wait_text(sid, "old")
    seen = []

    def is_old():
        seen[:] = [home.run("snapshot", sid, "--at=-300ms")]
        return seen[0].status == 0 and seen[0].text.startswith("old")

    wait_for(is_old, lambda: seen, seconds=20)
    assert home.ok("log", sid, "--to=-300ms") == "old\n"
    assert home.ok("log", sid, "--from=-300ms") == ""
    newer = home.ok("log", sid, "--events", "--from=-300ms")
    assert '"output"' not in newer, newer


def test_ago_counts_from_the_end_of_a_session_that_has_ended(home):
    sid = home.start("sh", "-c", "stty -echo; echo one; read x; echo two")
    home.wait_text(sid, "one")
    home.ok("send", sid, "--keys", "Enter")
    home.wait_gone(sid)
    times = {e.get("data", e["type"]).strip(): e["time"]
             for e in home.events(sid, "output", "exit")}
    between = times["exit"] - (times["one"] + times["two"]) / 2
    when = f"--at=-{between:.9f}s"
    assert home.json("snapshot", sid, when)["lines"][:2] == ["one", ""], times

    def later():  # the answer is the same at any time
        assert home.ok("snapshot", sid, when).split() == ["one"], times
        return time.clock_gettime(time.CLOCK_BOOTTIME) > past

    past = time.clock_gettime(time.CLOCK_BOOTTIME) + between
    wait_for(later, f"{between} s to pass")


def test_a_moment_before_the_start_shows_the_first_screen(home):
    sid = home.start("sh", "-c", "echo here; exec cat", options=["-n", "young"])
    home.wait_text(sid, "here")
    for when in ("--at=-5m", "--at=0s", "--at=1", "--at=2001-01-01T00:00:00Z"):
        answer = home.run("snapshot", sid, when)
        assert answer.status == 0 and answer.text.strip() == "", answer
        assert answer.err == ("tend snapshot: session young started after "
                              "this moment; this is its first screen\n"), answer
    assert home.ok("log", sid, "--from=-5m") == "here\n"
    assert home.ok("log", sid, "--to=-5m") == ""


def test_a_moment_in_the_future_is_reported(home):
    sid = home.start("sh", "-c", "echo here; exec cat", options=["-n", "w"])
    home.wait_text(sid, "here")
    later = "2200-01-01T00:00:00Z"

    def told(command, option, when):
        answer = home.run(command, "w", option, when)
        assert answer.status == 0, answer
        assert answer.text == ("here\n" if command == "snapshot" else ""), answer
        return answer.err.removeprefix(f"tend {command}: ")

    for args in (["snapshot", "--at"], ["log", "--from"]):
        assert told(*args, "5h") == (
            "5h after the start is in the future; did you mean -5h?\n")
        assert told(*args, later) == f"{later} is in the future\n"
    home.ok("kill", "w")
    home.wait_gone(sid)
    screen = home.json("snapshot", "w")
    last = home.events(sid)[-1]["seq"]
    for args in (["snapshot", "--at"], ["log", "--from"]):
        assert told(*args, "5h") == (
            "5h after the start is after the end of the session; did you mean "
            "-5h?\n")
        assert told(*args, "99999") == f"the log ends at event {last}\n"
        assert told(*args, str(last + 1)) == ""
        assert told(*args, "@99999") == (
            f"the log ends at offset @{screen['offset']}\n")
    assert home.run("log", "w", "--to", "5h").err == ""


def test_an_invalid_moment_is_refused(home):
    sid = home.start("cat")
    answer = home.run("snapshot", sid, "--at", "yesterday")
    assert answer.status == 2 and "is not a moment" in answer.err, answer


@pytest.mark.parametrize("args, words", [
    (["snapshot", "--at"], "cannot show session work"),
    (["log", "--from"], "session work"), (["log", "--to"], "session work")])
def test_an_unknown_mark_is_not_reported_as_damage(home, args, words):
    home.start("cat", options=["-n", "work"])
    command, option = args
    answer = home.run(command, "work", option, "mark:befor")
    assert answer.status == 3 and answer.out == b"", answer
    assert answer.err == (
        f"tend {command}: {words}: the log has no mark named befor; "
        "'tend mark work' lists them\n"), answer
    if command == "snapshot":
        home.error("snapshot", "work", "--at", "mark:befor", status=3,
                   code="not_found")


@pytest.mark.parametrize("args, word", [
    (["--format", "png"], "give text, json, "),
    (["--format", "text", "--json"], "give only one of"),
    (["--cells"], "--cells needs --format json"),
    (["--since", "3", "-f", "svg"], "--since needs --format text or json"),
    (["--last-command", "-f", "html"], "needs --format text or json"),
    (["--since", "3", "--scrollback"], "give only one"),
    (["--since", "now"], "--since now: give the seq"),
    (["--max-bytes", "few"], "--max-bytes few is not a size"),
    (["--max-bytes", "0"], "give at least 1"),
    (["-f", "svg", "--max-bytes", "100"], "cannot be cut"),
    (["extra"], "unexpected argument: extra")])
def test_snapshot_refuses_invalid_arguments(home, args, word):
    sid = home.start("cat")
    answer = home.run("snapshot", sid, *args)
    assert answer.status == 2, answer
    assert word in answer.err + answer.text, answer


def test_snapshot_and_render_draw_the_same_picture(home):
    sid = draw(home)
    ansi = home.run("snapshot", "--format=ansi", sid).out
    for format in ("html", "svg"):
        live = home.run("snapshot", "-f", format, sid)
        assert live.status == 0 and live.out == tend(
            "render", "-f", format, "--size", "20x4", input=ansi).out, live
    home.ok("kill", sid)
    home.wait_gone(sid)
    assert home.run("snapshot", "-f", "svg", sid).out == live.out


@pytest.mark.parametrize("alive", [True, False])
def test_since_shows_only_rows_that_changed(home, alive):
    sid = home.start("sh", "-c", "stty raw -echo; printf 'a\\r\\nb\\r\\nc'; "
                     "exec cat", options=["--size", "20x4"])
    before = home.wait_text(sid, "c")
    home.ok("send", sid, "--text", "\x1b[2;1Hnew")
    now = home.wait_text(sid, "new")
    if not alive:
        home.ok("kill", sid)
        home.wait_gone(sid)
    seq = str(before["seq"])
    got = home.json("snapshot", sid, "--since", seq)
    assert got["changed"] == [{"row": 1, "text": "new"}], got
    assert got["since"] == before["seq"] and "lines" not in got, got
    assert got["hash"] == now["hash"], got
    assert home.ok("snapshot", sid, "--since", seq) == "new\n"
    last = str(got["seq"])
    assert home.json("snapshot", sid, "--since", last)["changed"] == []
    assert home.ok("snapshot", sid, "--since", last) == ""
    every = home.json("snapshot", sid, "--since", "0")["changed"]
    assert [c["text"] for c in every if c["text"]] == ["a", "new", "c"]


@pytest.mark.parametrize("alive", [True, False])
def test_a_long_snapshot_is_cut_at_the_top(home, alive):
    sid = home.start("sh", "-c", "seq 100 130; exec cat",
                     options=["--size", "20x4"])
    home.ok("wait", sid, "--text", "130", "--cursor", "3,0")
    if not alive:
        home.ok("kill", sid)
        home.wait_gone(sid)
    answer = home.run("snapshot", sid, "--scrollback", "--max-bytes", "13")
    assert answer.text == "128\n129\n130\n", answer
    assert "left out" in answer.err, answer
    got = home.json("snapshot", sid, "--scrollback", "--max-bytes", "21")
    assert got["truncated"] is True and got["first_row"] == 0, got
    assert got["lines"] == ["128", "129", "130"], got
    assert got["scrollback"] == ["126", "127"], got
    got = home.json("snapshot", sid, "--max-bytes", "4")
    assert got["first_row"] == 2 and got["lines"] == ["130"], got
    got = home.json("snapshot", sid, "--max-bytes", "12")
    assert got["truncated"] is False, got
    assert got["lines"] == ["128", "129", "130"], got
    got = home.json("snapshot", sid, "--max-bytes", "1K")
    assert got["truncated"] is False and len(got["lines"]) == 4, got


@pytest.mark.parametrize("alive", [True, False])
def test_the_output_of_the_last_command_is_shown(home, alive):
    """As a shell marks it: A and B around its prompt, C and D the output."""
    sid = home.start("sh", "-c", "stty raw -echo; printf 'ready\\r\\n'; "
                     "exec cat", options=["--size", "20x4"])
    home.wait_text(sid, "ready")
    error = home.error("snapshot", sid, "--last-command", status=3,
                       code="not_found")
    assert "OSC 133" in error["message"], error
    lines = "\r\n".join(map(str, range(10)))
    home.ok("send", sid, "--text", "\x1b]133;A\a$ old\r\n\x1b]133;C\aold\r\n"
            "\x1b]133;D;0\a\x1b]133;A\a$ seq\r\n\x1b]133;C\a" + lines)
    home.wait_text(sid, "9")
    got = home.json("snapshot", sid, "--last-command")
    assert got["last_command"] == {"running": True,
                                   "lines": list("0123456789")}, got
    home.ok("send", sid, "--text", "\r\n\x1b]133;D;0\a\x1b]133;A\a$ ")
    home.wait_text(sid, "$")
    if not alive:
        home.ok("kill", sid)
        home.wait_gone(sid)
    got = home.json("snapshot", sid, "--last-command")
    assert got["last_command"]["running"] is False, got
    assert home.ok("snapshot", sid, "--last-command") == \
        lines.replace("\r", "") + "\n"
    assert home.ok("snapshot", sid, "--last-command", "--max-bytes",
                   "4") == "8\n9\n"


def test_a_last_command_that_was_cleared_is_reported(home):
    """The shell does mark its commands: that is not the reason."""
    sid = home.start("bash")
    home.ok("exec", sid, "--", "echo before")
    assert home.ok("snapshot", sid, "--last-command") == "before\n"
    seq = home.json("send", sid, "--text", "clear\r")["seq"]
    home.ok("wait", sid, "--command-done", "--after", str(seq))
    home.ok("wait", sid, "--regex", "[$#]$")
    error = home.error("snapshot", sid, "--last-command", status=3,
                       code="not_found")
    assert "cleared" in error["message"], error


def test_a_session_that_ends_meanwhile_is_shown(home):
    """Running when it was found, ended when it was asked."""
    for _ in range(30):
        sid = home.start("sh", "-c", "echo last")
        home.ok("snapshot", sid)
        home.wait_gone(sid)
        assert home.ok("snapshot", sid).startswith("last\n")


def manifest(home, sid):
    path = home.dir(sid) / "artifacts" / "manifest.ndjson"
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("alive", [True, False])
def test_an_output_file_has_the_answer(home, tmp_path, alive):
    """K-10: the artifact is the result, and the session lists it."""
    sid = draw(home)
    if not alive:
        home.ok("kill", sid)
        home.wait_gone(sid)
    for format in ("text", "json", "ansi", "html", "svg"):
        path = tmp_path / f"screen.{format}"
        printed = home.run("snapshot", "-f", format, sid)
        answer = home.run("snapshot", "-f", format, "-o", path, sid)
        assert answer.status == 0, answer
        wanted = printed.out
        if format == "json":
            assert answer.out == printed.out, answer
            wanted = printed.out[printed.out.index(b'"result":') + 9:-2]
        else:
            assert answer.out == b"", answer
        assert path.read_bytes() == wanted
        entry = manifest(home, sid)[-1]
        screen = home.screen(sid)
        assert entry["sha256"] == hashlib.sha256(wanted).hexdigest(), entry
        assert entry["bytes"] == len(wanted) and entry["format"] == format
        assert entry["path"] == str(path) and entry["kind"] == "snapshot"
        assert [entry[k] for k in ("seq", "offset", "hash")] == \
            [screen[k] for k in ("seq", "offset", "hash")], entry
    assert len(manifest(home, sid)) == 5


def test_a_file_that_cannot_be_written_leaves_nothing(home, tmp_path):
    sid = home.start("cat")
    home.wait_status(sid, "running")
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "full").mkdir()
    (kept / "full" / "x").touch()
    os.mkfifo(kept / "pipe")  # as /dev/null is: nothing to be replaced
    for path, why in ((kept / "full", "not a regular file"),
                      (kept / "pipe", "not a regular file"),
                      (kept / "no" / "file", f" {kept}/no/: No such file"),
                      (f"{kept}/", "is a directory")):
        error = home.error("snapshot", sid, "-o", path, status=8,
                           code="storage")
        assert "cannot write" in error["message"], error
        assert why in error["message"], error
    assert (kept / "pipe").is_fifo()
    assert home.run("snapshot", sid, "--rows", "-o", "-",
                    cwd=kept).text == "\n" * 24
    artifacts = home.dir(sid) / "artifacts"
    shutil.rmtree(artifacts, ignore_errors=True)
    artifacts.touch()
    target = kept / "screen"
    target.write_text("as it was")
    error = home.error("snapshot", sid, "-o", target, status=8,
                       code="storage")
    assert "its manifest" in error["message"], error
    assert target.read_text() == "as it was"
    assert sorted(os.listdir(kept)) == ["full", "pipe", "screen"]


def test_resize_changes_the_size_of_a_session(home):
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


def test_mark_takes_only_valid_names(home):
    sid = home.start("cat")
    for args in ([""], ["x" * 256], [b"\xff"]):
        assert home.run("mark", sid, *args).status == 2
