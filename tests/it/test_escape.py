"""S14: untrusted text never acts on the terminal that shows it.

The user who runs a program chooses its arguments, its directory and its
labels; the program chooses its title and its output; a caller of tend may be
tricked into any name.  Wherever one of these is shown, controls, C1 and
bidirectional marks are escaped.
"""

import json
import unicodedata

import pytest

from hub import Hub
from lib import Home, tend

NASTY = {
    "esc": "\x1b]0;owned\x07\x1b[31m",
    "c1": "\u009b31m\u009d0;owned\u009c",
    "bidi": "\u202eevil\u2066\u200f\u2069\u061c",
    "lines": "x\r\nstatus       fine\u2028y\x0b\x0c\x85",
    "bell": "\x07\x08\x7f\x00".replace("\x00", "\x01"),
}

ACTING = {*map(chr, range(0x20)), *map(chr, range(0x7f, 0xa0)), "\u061c",
          "\u200e", "\u200f", *map(chr, range(0x2028, 0x202f)),
          *map(chr, range(0x2066, 0x206a))}


def assert_tame(text):
    """Nothing in it acts except line ends."""
    found = {c for c in text if c in ACTING - {"\n"}}
    assert not found, ([f"U+{ord(c):04X}" for c in found], text)


def test_the_list_has_every_acting_character_of_unicode():
    """It has all controls and all characters with a direction in Unicode."""
    for n in range(0x110000):
        turns = unicodedata.bidirectional(chr(n)) in {
            "LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
        if unicodedata.category(chr(n)) in ("Cc", "Zl", "Zp") or turns:
            assert chr(n) in ACTING, hex(n)


@pytest.fixture(params=NASTY)
def hostile(request, tmp_path):
    """A session with such text everywhere: argument, directory, label, title,
    screen; and the same session again, ended."""
    text = NASTY[request.param]
    place = tmp_path / f"dir{text}"
    place.mkdir()
    with Home() as home:
        for name, end in (("live", "exec cat"), ("done", "exit 3")):
            home.ok("run", "-d", "-n", name, "-C", str(place), "-l",
                    f"key={text}", "--", "sh", "-c",
                    f'printf "%s\\n" "begin" "$1"; '
                    f'printf "\\033]2;%s\\007" "t$1"; echo shown; {end}',
                    "sh", text)
        home.wait_text("live", "shown")
        home.wait_status("done", "exited")
        yield home, text


COMMANDS = [["ls"], ["ls", "-a"], ["info", "live"], ["info", "done"],
            ["label", "live"], ["log", "--text", "live"],
            ["log", "--text", "done"], ["snapshot", "live"],
            ["snapshot", "done"], ["snapshot", "live", "--scrollback"],
            ["__complete", "info", ""]]


def test_shown_text_is_escaped(hostile):
    home, text = hostile
    for command in COMMANDS:
        answer = home.run(*command)
        assert answer.status == 0, answer
        assert_tame(answer.text.replace("\t", "")
                    if command[0] == "__complete" else answer.text)
        assert_tame(answer.err)
    info = home.ok("info", "done")
    assert info.count("\nstatus  ") == 1, info
    assert len(home.ok("ls", "-a").splitlines()) == 3


def test_json_is_escaped_and_exact(hostile):
    """Escaped text decodes to the original."""
    home, text = hostile
    for command in COMMANDS[:-1]:
        answer = home.run(*command, "--json")
        assert answer.status == 0, answer
        assert_tame(answer.text)
        assert_tame(answer.err)
    for name in ("live", "done"):
        info = home.info(name)
        assert info["command"][-1] == text, info
        assert info["labels"] == {"key": text}, info
        assert info["cwd"].endswith(f"/dir{text}"), info
    events = home.run("log", "--events", "live").text
    assert_tame(events)
    starts = [json.loads(line) for line in events.splitlines()
              if '"type":"start"' in line]
    assert starts[0]["data"]["command"][-1] == text, starts


@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_credentials_are_listed_escaped(text):
    """A client of the hub chooses the label and the pattern of a token."""
    with Home() as home, Hub(home) as hub:
        made = hub.call("token/create", {"label": f"label {text}",
                                         "sessions": f"to/{text}"})
        for command in (["token", "list"], ["audit"]):
            answer = home.run(*command)
            assert answer.status == 0, answer
            assert_tame(answer.text)
            assert_tame(home.run(*command, "--json").text)
        listed = home.json("token", "list")
        assert listed[0]["label"] == f"label {text}", listed
        assert_tame(home.ok("token", "revoke", made["id"]))


@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_error_messages_are_escaped(text, tmp_path):
    file = tmp_path / "file"
    file.write_text("no directory")
    with Home() as home:
        home.start("cat", options=["-n", "here"])
        for args in (
                [f"cmd{text}"], ["ls", f"--opt{text}"], ["ls", text],
                ["info", f"name{text}"], ["attach", f"name{text}"],
                ["run", "-d", "-n", f"n{text}", "true"],
                ["run", "-d", "-C", f"/no/{text}", "true"],
                ["run", "-d", f"/no/program{text}"],
                ["run", "-d", "--size", text, "true"],
                ["run", "-d", "--input", text, "true"],
                ["run", "-d", "-l", f"{text}", "true"],
                ["run", "-d", "-e", f"{text}", "true"],
                ["ls", "--home", f"{file}{text}" * 500],
                ["ls", "--home", f"{file}/{text}"],
                ["rename", "here", f"n{text}"],
                ["label", "here", f"k {text}=x"], ["label", "here", text],
                ["send", "here", "--keys", f"K{text}"],
                ["signal", "here", f"S{text}"],
                ["resize", "here", f"9x9{text}"],
                ["snapshot", "here", "--at", f"mark:{text}"],
                ["log", "here", "--from", f"{text}"],
                ["render", f"/no/file{text}"],
                ["render", "--format", text, "-"]):
            for more in ([], ["--json"]):
                at = 0 if args[0] == "run" else len(args)
                words = [*args[:1], *more, *args[1:]] if at == 0 else [
                    *args, *more]
                answer = home.run(*words)
                assert answer.status != 0, answer
                assert answer.out or answer.err, answer
                assert_tame(answer.text)
                assert_tame(answer.err)
                assert answer.err.count("\n") <= 1, answer


def test_the_environment_is_escaped():
    for name in ("TEND_HOME", "TEND_PREFIX"):
        answer = tend("ls", env={name: f"relative/{NASTY['esc']}",
                                 "PATH": "/usr/bin:/bin"})
        assert_tame(answer.text)
        assert_tame(answer.err)
