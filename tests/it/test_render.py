"""`tend render` by the real program: every option and every mistake."""

import hashlib
import json
import os
import pty
import random
import subprocess
import sys

import pytest

import lib
from lib import RECORDINGS, screen, shows, tend

V2 = b'{"version":2,"width":20,"height":3}\n'


def refuses(*args, input=b"", status=2, code="usage"):
    """The message of a run that must fail, the same in both forms."""
    answer = tend("render", *args, input=input)
    assert answer.status == status and answer.out == b"", answer
    assert answer.err.startswith("tend render: "), answer
    assert answer.err.count("\n") == 1 and answer.err.endswith("\n"), answer
    message = answer.err[len("tend render: "):-1]
    answer = tend("render", "--json", *args, input=input)
    assert answer.status == status and answer.err == "", answer
    assert json.loads(answer.out) == {
        "ok": False, "command": "render", "error": {
            "code": code, "message": message, "retryable": False,
            "details": {}}}, answer
    return message


# Input

def test_standard_input_is_read_with_and_without_a_dash():
    wanted = "hello\n" + "\n" * 23
    assert shows("render", input=b"hello") == wanted
    assert shows("render", "-", input=b"hello") == wanted


def test_a_file_is_read(tmp_path):
    path = tmp_path / "out"
    path.write_bytes(b"one\r\ntwo")
    assert shows("render", path, "--size", "5x3") == "one\ntwo\n\n"


def test_empty_input_gives_an_empty_screen():
    assert shows("render", "--size", "5x2", input=b"") == "\n\n"


def test_a_terminal_as_standard_input_is_refused():
    master, slave = pty.openpty()
    try:
        answer = tend("render", stdin=slave)
    finally:
        os.close(master)
        os.close(slave)
    assert answer.status == 2 and answer.out == b"", answer
    assert answer.err == (
        "tend render: nothing to show: standard input is a terminal; give a "
        "FILE, or pipe a program's output here\n")


def test_a_missing_file_is_named():
    message = refuses("no/such/file", code="bad_input")
    assert message == (
        "cannot open no/such/file: No such file or directory; give a file of "
        "terminal output, or - for standard input")


def test_a_directory_is_refused(tmp_path):
    message = refuses(tmp_path, code="bad_input")
    assert message.startswith(f"cannot read {tmp_path}: Is a directory; ")


def test_two_files_are_refused():
    assert "render takes one FILE, not 2" in refuses("a", "b")


def test_arbitrary_bytes_never_crash():
    rng = random.Random(7)
    for _ in range(20):
        data = bytes(rng.choices(
            b"\x1b\x1b\x1b[]()?;:0123456789ABCHJKLMPX@mhlr\\\r\n\x07\x9b\xe2"
            b"\x82\xac\xf0\x9f\x98\x80 abc", k=5000))
        for form in ("text", "ansi", "json", "html", "svg"):
            lib.shows("render", "--scrollback", "--format", form, input=data)


# Size

def test_the_size_is_the_requested_one():
    s = screen("--size", "132x50")
    assert (s["cols"], s["rows"], len(s["lines"])) == (132, 50, 50)
    s = screen("--size", "2x1", input=b"x")
    assert s["lines"] == ["x"]
    s = screen("--size", "2000x500")
    assert len(s["lines"]) == 500


@pytest.mark.parametrize("size", [
    "0x0", "0x24", "80x0", "1x24", "100000x100000", "80x", "x24", "80x24x3", "80",
    "", "x", "-1x5", "80X24", "80 x 24", "+80x24", "2001x1", "1x2001",
    "2000x2000", "99999999999999999999x1", "80x24 "])
def test_a_bad_size_names_the_range(size):
    message = refuses(f"--size={size}")
    assert message == (
        f"--size {size}: give COLSxROWS, as in 80x24, with COLS from 2 to "
        "2000, ROWS from 1 to 2000 and no more than 1048576 cells")


# Formats

def test_an_unknown_format_lists_the_known_ones():
    answer = tend("render", "--format", "pdf")
    assert answer.status == 2, answer
    assert answer.err.startswith(
        "tend render: --format pdf: give text, json, "), answer
    assert " or " in answer.err, answer


def test_json_contradicts_another_format():
    answer = tend("render", "--format", "svg", "--json")
    assert answer.status == 2 and answer.err == "", answer
    assert "give only one" in json.loads(answer.out)["error"]["message"]
    assert shows("render", "--format=json", "--json") == \
        shows("render", "--json")


def test_mistakes_after_format_json_are_reported_in_json():
    answer = tend("render", "--format", "json", "--size", "0x0")
    assert answer.status == 2 and answer.err == "", answer
    assert json.loads(answer.out)["error"]["code"] == "usage"


def test_cells_need_json():
    answer = tend("render", "--cells")
    assert answer.status == 2, answer
    assert answer.err == ("tend render: --cells needs --format json; text "
                          "has no cells\n")


def test_text_has_no_control_characters():
    data = (b"a\x07b\x1b[31mc\x1b]0;title\x07d\x9be\tf\x00g\x7fh"
            b"\xc2\x9bi\xff\r\nz")
    text = shows("render", input=data)
    assert not [c for c in text if c != "\n" and
                (ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0)], repr(text)
    assert text.count("\n") == 24


def test_ansi_shows_the_same_screen_again():
    data = (b"\x1b]2;a title\x07\x1b[1;31mred\x1b[m plain \x1b[4:3mcurly\r\n"
            b"\x1b[44mblue ground \xe6\xbc\xa2\xe5\xad\x97\x1b[m\x1b[5;7H")
    ansi = shows("render", "--format", "ansi", input=data).encode()
    want = screen("--cells", input=data)
    got = screen("--cells", input=ansi)
    del want["offset"], got["offset"]
    assert got == want


def test_ansi_carries_the_scrollback_on_request():
    data = b"".join(b"line %d\r\n" % i for i in range(40))
    plain = shows("render", "--format=ansi", input=data).encode()
    ansi = shows("render", "--format=ansi", "--scrollback",
                 input=data).encode()
    assert screen("--scrollback", input=plain)["scrollback"] == []
    assert screen("--scrollback", input=ansi)["scrollback"] == \
        [f"line {i}" for i in range(17)]


def test_html_and_svg_are_documents():
    assert shows("render", "--format=html").startswith("<!doctype html>\n")
    svg = shows("render", "--format=svg")
    assert svg.startswith("<svg xmlns=") and svg.endswith("</svg>\n")


def test_the_screen_object_has_its_keys_in_order():
    s = screen("--size", "10x3",
               input=b"\x1b]2;hi \xe2\x82\xac\x07ab  \r\n\x1b[3 qc")
    assert list(s) == ["cols", "rows", "cursor", "alt_screen", "title",
                       "lines", "hash", "seq", "offset"]
    assert s["cursor"] == {"row": 1, "col": 1, "visible": True,
                           "shape": "underline"}
    assert list(s["cursor"]) == ["row", "col", "visible", "shape"]
    assert s["alt_screen"] is False and s["title"] == "hi €"
    assert s["lines"] == ["ab", "c", ""]
    assert s["hash"] == hashlib.sha256(b"ab\nc\n").hexdigest()
    assert (s["seq"], s["offset"]) == (0, 23)


def test_the_screen_object_knows_alternate_screen_and_cursor():
    s = screen(input=b"\x1b[?1049h\x1b[?25l\x1b[6 qx")
    assert s["alt_screen"] is True
    assert s["cursor"]["visible"] is False
    assert s["cursor"]["shape"] == "bar"
    s = screen("--size", "3x2", input=b"abc")
    assert s["cursor"]["col"] == 2


def test_scrollback_comes_on_request():
    data = b"".join(b"line %d\r\n" % i for i in range(10)) + b"end"
    args = ["--size", "10x3"]
    assert "scrollback" not in screen(*args, input=data)
    s = screen("--scrollback", *args, input=data)
    assert s["scrollback"] == [f"line {i}" for i in range(8)]
    assert s["lines"] == ["line 8", "line 9", "end"]
    assert shows("render", *args, input=data) == "line 8\nline 9\nend\n"
    assert shows("render", "--scrollback", *args, input=data) == \
        "\n".join(s["scrollback"] + s["lines"]) + "\n"


def test_cells_say_the_style():
    s = screen("--cells", "--size", "40x4", input=(
        b"plain \x1b[1;31mred\x1b[m \xe6\xbc\xa2e\xcc\x81x\r\n"
        b"\x1b[38;2;1;2;3;48;5;200;3;4:3;58:2::9:8:7mstyled\x1b[m\r\n"
        b"\x1b[2;5;7;8;9;53mall\x1b[m  \x1b[44m \x1b[m"))
    assert s["cells"][0] == [
        {"col": 0, "text": "plain ", "width": 6},
        {"col": 6, "text": "red", "width": 3, "fg": 1, "attrs": ["bold"]},
        {"col": 9, "text": " ", "width": 1},
        {"col": 10, "text": "漢", "width": 2},
        {"col": 12, "text": "e\u0301", "width": 1},
        {"col": 13, "text": "x", "width": 1}]
    assert s["cells"][1] == [
        {"col": 0, "text": "styled", "width": 6, "fg": "#010203", "bg": 200,
         "attrs": ["italic"], "underline": "curly",
         "underline_colour": "#090807"}]
    assert s["cells"][2] == [
        {"col": 0, "text": "all", "width": 3, "attrs": [
            "faint", "inverse", "blink", "conceal", "strike", "overline"]},
        {"col": 3, "text": "  ", "width": 2},
        {"col": 5, "text": " ", "width": 1, "bg": 4}]
    assert s["cells"][3] == []


def test_cells_say_which_rows_are_wrapped():
    s = screen("--cells", "--size", "4x4", input=b"abcdef\r\nx")
    assert s["lines"] == ["abcd", "ef", "x", ""]
    assert s["wrapped"] == [False, True, False, False]


def test_cells_say_the_links():
    s = screen("--cells", "--size", "20x2", input=(
        b"a \x1b]8;id=7;https://example.com/?a=1&b=2\x07li\x1b[1mnk\x1b[m"
        b"\x1b]8;;\x07 b\r\n\x1b]8;;file:///x\x1b\\f\x1b]8;;\x1b\\"))
    assert s["links"] == [
        {"row": 0, "col": 2, "width": 4,
         "uri": "https://example.com/?a=1&b=2", "id": "7"},
        {"row": 1, "col": 0, "width": 1, "uri": "file:///x", "id": ""}]
    assert [run.get("link") for run in s["cells"][0]] == [
        None, "https://example.com/?a=1&b=2", "https://example.com/?a=1&b=2",
        None]


def test_cells_say_the_modes():
    modes = screen("--cells")["modes"]
    assert modes == {
        "app_cursor": False, "app_keypad": False, "bracketed_paste": False,
        "focus_events": False, "reverse_video": False, "synchronized": False,
        "mouse": "off", "mouse_format": "legacy", "kitty_flags": 0,
        "modify_other_keys": 0}
    modes = screen("--cells", input=(
        b"\x1b[?1;5;1002;1004;1006;2004h\x1b=\x1b[>3u\x1b[>4;2m"
        b"\x1b[?2026h"))["modes"]
    assert modes == {
        "app_cursor": True, "app_keypad": True, "bracketed_paste": True,
        "focus_events": True, "reverse_video": True, "synchronized": True,
        "mouse": "button", "mouse_format": "sgr", "kitty_flags": 3,
        "modify_other_keys": 2}


def test_an_answer_that_is_too_large_is_refused():
    link = b"\x1b]8;;https://example.com/" + b"x" * 1000 + b"\x07"
    row = b"".join(b"\x1b[%dm#" % (31 + i % 7) for i in range(2000))
    data = link + row * 500
    answer = tend("render", "--json", "--cells", "--size", "2000x500",
                  input=data)
    assert answer.status == 1 and answer.err == "", answer
    assert json.loads(answer.out)["error"]["code"] == "internal"
    answer = tend("render", "--format=html", "--size", "2000x500",
                  input=data)
    assert answer.status == 1 and answer.out == b"", answer
    assert answer.err == ("tend render: the answer is larger than "
                          "64 MiB; ask for less\n")


# Line feeds

def lines(*args, input=b""):
    """The lines down to the last that is not empty."""
    text = shows("render", *args, input=input)
    return text.rstrip("\n").split("\n")


def test_a_bare_line_feed_returns_as_it_does_on_a_terminal():
    """Output to a pipe has not passed a terminal driver."""
    assert lines(input=b"one\ntwo\n") == ["one", "two"]
    assert lines(input=b"10%\r100%\n\x1b[1mdone\x1b[m\n") == ["100%", "done"]


def test_bytes_that_passed_a_terminal_are_shown_unchanged():
    """emacs and tmux go down one row, in the same column, with a line feed."""
    assert lines(input=b"one\r\nab\n\b\b12\r\n") == ["one", "ab", "12"]
    assert lines(input=b"one\r\ntwo\nx") == ["one", "two", "   x"]


def test_the_most_frequent_line_end_decides():
    """A few lines of a protocol, or of a file from elsewhere, among others."""
    assert lines(input=b"HTTP/1.1 200 OK\r\n\r\na\nb\nc\n") == [
        "HTTP/1.1 200 OK", "", "a", "b", "c"]
    much = b"x\r\n" * 40000
    assert lines("--size", "9x3", input=much + b"ab\nc")[-1] == "  c"


def test_an_option_sets_the_meaning_of_line_feeds():
    assert lines("--newline", "lf", input=b"one\ntwo") == ["one", "   two"]
    assert lines("--newline", "crlf", input=b"a\r\nb\r\nc\nd") == [
        "a", "b", "c", "d"]
    assert lines("--newline", "auto", input=b"one\ntwo") == ["one", "two"]
    assert refuses("--newline", "cr") == (
        "--newline cr: give auto, lf or crlf")


def test_a_recording_has_passed_a_terminal():
    cast = V2 + b'[1,"o","ab\\nc\\nd"]\n'
    assert lines(input=cast) == ["ab", "  c", "   d"]
    assert lines("--newline", "crlf", input=cast) == ["ab", "c", "d"]


def test_line_feeds_are_the_same_however_the_bytes_arrive():
    """The offset, and --until, count input bytes."""
    data = b"ab\ncd\r\nef\n"
    assert screen(input=data)["offset"] == len(data)
    assert lines("--until", "4", input=data) == ["ab", "c"]
    with subprocess.Popen([lib.TEND, "render", "--until", "4"],
                          stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as slow:
        for byte in data[:4]:
            slow.stdin.write(bytes([byte]))
            slow.stdin.flush()
        # It has all it wants, and does not wait for the end of input.
        assert slow.stdout.read().split()[:2] == [b"ab", b"c"]
        assert slow.wait(timeout=60) == 0


def test_a_typescript_looks_as_the_terminal_did(tmp_path):
    """The first line is from `script`, and the rest is its recording."""
    file = tmp_path / "typescript"
    subprocess.run(["script", "-q", "-c", "echo one; printf 'ab'; stty -onlcr;"
                    " printf '\\nc\\r\\n'; stty onlcr; seq 5", file],
                   check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, timeout=60)
    shown = lines(file)
    assert shown[0].startswith("Script started on "), shown
    at = shown.index("one")
    assert shown[at:at + 8] == ["one", "ab", "  c", *"12345"], shown


def test_a_log_looks_as_its_screen_did():
    """Bytes of a session have passed its terminal."""
    with lib.Home() as home:
        sid = home.start("sh", "-c", "seq 3; stty -onlcr; printf 'ab\\nc\\r\\n'"
                         "; stty onlcr; echo end; exec cat")
        home.wait_text(sid, "end")
        shown = home.ok("snapshot", sid, "--rows")
        assert "ab\n  c\nend" in shown, shown
        assert shows("render", input=home.raw(sid)) == shown


# --until

@pytest.mark.parametrize("until, want", [
    (0, ""), (1, "a"), (3, "abc"), (6, "abcdef"), (1000, "abcdef")])
def test_until_counts_bytes(until, want):
    s = screen("--until", str(until), input=b"abcdef")
    assert s["lines"][0] == want
    assert s["offset"] == min(until, 6)


def test_until_counts_only_output_of_a_recording():
    cast = V2 + (b'[1,"o","ab"]\n[2,"i","xyz"]\n[3,"o","cd"]\n'
                 b'[4,"o","ef"]\n')
    s = screen("--until", "3", input=cast)
    assert s["lines"][0] == "abc" and s["offset"] == 3


def test_until_may_end_before_a_broken_line():
    cast = V2 + b'[1,"o","ab"]\n[2,"o","cd"]\nbroken\n'
    assert screen("--until", "4", input=cast)["lines"][0] == "abcd"


@pytest.mark.parametrize("until", [
    "", "x", "-1", "1k", "1.5", "18446744073709551616", " 1"])
def test_a_bad_until_is_refused(until):
    assert refuses(f"--until={until}") == \
        f"--until {until}: give a number of bytes, as in 4096"


# Recordings

def test_a_recording_is_known_by_its_content(tmp_path):
    path = tmp_path / "anything.txt"
    path.write_bytes(V2 + b'[1,"o","hi"]\n')
    assert shows("render", path) == "hi\n\n\n"
    path = tmp_path / "not-a.cast"
    path.write_bytes(b"plain")
    assert screen(path)["lines"][0] == "plain"
    assert screen(input=b'{"name":"x"}')["lines"][0] == '{"name":"x"}'
    assert screen(input=b"{")["lines"][0] == "{"


@pytest.mark.parametrize("cast", [
    b'{"version":1,"width":20,"height":3,"stdout":[[1,"a"],[1,"b"]]}',
    b'{\n "version": 1,\n "width": 20,\n "height": 3,\n'
    b' "stdout": [\n  [1, "a"],\n  [1, "b"]\n ]\n}\n',
    V2 + b'[1,"o","a"]\n[2,"o","b"]\n',
    b'{"version":3,"term":{"cols":20,"rows":3}}\n# c\n[1,"o","a"]\n'
    b'[1,"o","b"]\n[0,"x","0"]\n'], ids=["v1", "v1-lines", "v2", "v3"])
def test_recordings_of_every_version_are_played(cast):
    s = screen(input=cast)
    assert (s["cols"], s["rows"], s["lines"]) == (20, 3, ["ab", "", ""])
    assert s["offset"] == 2
    for at, want in [("0s", ""), ("0.99s", ""), ("1s", "a"), ("1500ms", "a"),
                     ("2s", "ab"), ("1h", "ab")]:
        assert screen("--at", at, input=cast)["lines"][0] == want, at


def test_resizes_are_played_unless_a_size_is_given():
    cast = V2 + b'[1,"o","abcdef\\r\\n"]\n[2,"r","3x5"]\n[3,"o","g"]\n'
    s = screen(input=cast)
    assert (s["cols"], s["rows"]) == (3, 5)
    assert s["lines"] == ["abc", "def", "g", "", ""]
    s = screen("--at", "1.5s", input=cast)
    assert (s["cols"], s["rows"]) == (20, 3)
    s = screen("--size", "10x2", input=cast)
    assert (s["cols"], s["lines"]) == (10, ["abcdef", "g"])


def test_at_needs_a_recording():
    assert refuses("--at", "1s", input=b"plain") == (
        "--at needs an asciicast recording, and standard input is not one; "
        "use --until BYTES for plain bytes")


@pytest.mark.parametrize("at", ["", "x", "-1s", "1e3s", "nan", "inf", "1.2.3s",
                                ".", "1", "1.2", "9" * 400 + "s"])
def test_a_bad_time_is_refused(at):
    assert "the time since the recording began" in (
        refuses(f"--at={at}", input=V2))


@pytest.mark.parametrize("tail, why", [
    (b"nonsense\n", "line 2, byte 1: an array was expected"),
    (b'[1,"o","a"]\n\n[1]\n', "line 4: an event needs time, code and data"),
    (b'[-1,"o","a"]\n', "line 2: the time is negative"),
    (b'[1,"r","80by24"]\n', "line 2: a resize needs COLSxROWS"),
    (b'[1,"o","\xff"]\n', "line 2: the line is not valid UTF-8"),
    (b'[1,"o","cut', "line 2, byte 12: a string does not end but the text "
                     "ends here; is the file cut off?")])
def test_a_bad_recording_names_file_line_and_reason(tmp_path, tail, why):
    path = tmp_path / "bad.cast"
    path.write_bytes(V2 + tail)
    assert refuses(path, code="bad_input") == (
        f"cannot play {path} as an asciicast recording: {why}; fix it there, "
        "or show an earlier moment with --at or --until")


@pytest.mark.parametrize("cast, why", [
    (b'{"version":4,"width":1,"height":1}\n', "version 4 is not known"),
    (b'{"version":2,"width":80}\n', "needs \"width\" and \"height\""),
    (b'{"version":3}\n', "needs \"term\" with \"cols\" and \"rows\""),
    (b'{"version":1,"width":8,"height":2}', "there is no \"stdout\""),
    (b'{"version":2,"width":5000,"height":24}\n', "line 1: "),
    (V2 + b'[1,"r","5000x24"]\n', "line 2: ")])
def test_a_bad_header_is_explained(cast, why):
    assert why in refuses(input=cast, code="bad_input")


def test_a_line_that_is_too_long_is_refused():
    cast = V2 + b'[1,"o","' + b"x" * (16 << 20) + b'"]\n'
    assert "line 2: it is longer than 16 MiB" in refuses(
        input=cast, code="bad_input")


def test_memory_does_not_grow_with_the_input():
    """A program of its own runs tend, so that only tend's memory counts."""
    meter = ("import resource,subprocess,sys\n"
             "p=subprocess.Popen(sys.argv[2:],stdin=subprocess.PIPE,"
             "stdout=subprocess.DEVNULL)\n"
             "line=b'[1,\"o\",\"'+b'hello world '*5000+b'\"]\\n'\n"
             "p.stdin.write(b'{\"version\":2,\"width\":80,\"height\":24}\\n')\n"
             "for i in range(int(sys.argv[1])): p.stdin.write(line)\n"
             "p.stdin.close()\n"
             "assert p.wait()==0\n"
             "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n")

    # AddressSanitizer keeps freed memory; that is its memory, not tend's.
    env = dict(os.environ)
    env["ASAN_OPTIONS"] = (env.get("ASAN_OPTIONS", "") +
                           ":quarantine_size_mb=1:detect_leaks=0")

    def peak(lines):
        return int(subprocess.check_output(
            [sys.executable, "-c", meter, str(lines), lib.TEND, "render"],
            env=env))

    # The scrollback is kept; 60 KB a line fill it both times.
    small, large = peak(400), peak(1200)
    assert large < small + 8192, f"{small} KiB, then {large} KiB"


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda p: p.stem)
def test_text_and_json_and_hash_of_a_recording_agree(path):
    text = shows("render", path)
    s = screen(path)
    assert text == "".join(line + "\n" for line in s["lines"])
    assert len(s["lines"]) == s["rows"]
    assert s["hash"] == hashlib.sha256(text[:-1].encode()).hexdigest()
    both = shows("render", "--scrollback", path)
    assert both.endswith(text)
    assert screen("--scrollback", path)["scrollback"] == \
        both[:len(both) - len(text)].split("\n")[:-1]


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda p: p.stem)
def test_cells_and_ansi_of_a_recording_agree_with_its_text(path):
    s = screen("--cells", path)
    for line, runs in zip(s["lines"], s["cells"]):
        assert "".join(run["text"] for run in runs).rstrip(" ") == line
        col = 0
        for run in runs:
            assert run["col"] == col
            assert run["width"] > 0
            col += run["width"]
        assert col <= s["cols"]
    ansi = shows("render", "--format=ansi", path).encode()
    again = screen("--size", f"{s['cols']}x{s['rows']}", "--cells",
                   input=ansi)
    del s["offset"], again["offset"]
    assert again == s


def test_there_are_recordings():
    assert len(RECORDINGS) >= 25


# Output

def test_a_full_disk_is_noticed():
    with open("/dev/full", "wb") as full:
        for form in ("text", "ansi", "json", "html", "svg"):
            answer = tend("render", "--format", form, input=b"x",
                          stdout=full)
            assert answer.status == 1, answer
            assert answer.err == ("tend render: cannot write to standard "
                                  "output: No space left on device\n")


def test_a_reader_that_left_is_noticed():
    read, write = os.pipe()
    os.close(read)
    try:
        answer = tend("render", input=b"x", stdout=write)
    finally:
        os.close(write)
    assert answer.status == 1, answer
    assert answer.err == ("tend render: cannot write to standard output: "
                          "Broken pipe\n")


def test_a_closed_output_is_noticed(tmp_path):
    path = tmp_path / "in"
    path.write_bytes(b"x")
    done = subprocess.run(
        ["/bin/sh", "-c", 'exec "$0" render "$1" >&-', lib.TEND, path],
        stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == 1
    assert done.stderr == (b"tend render: cannot write to standard output: "
                           b"Bad file descriptor\n")
