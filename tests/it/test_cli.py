"""The command line itself: help, mistakes, and things common to all
commands."""

import json
import re

import pytest

import lib
from lib import shows, tend

LIST = (lib.ROOT / "src" / "cmd" / "line" / "list.h").read_text()
COMMANDS = re.findall(r"^CMD\((\w+)\)$", LIST, re.MULTILINE)


# These pass a program's status on, so their own failures need another.
PASSING = {"exec", "run", "rerun", "attach"}


def failure(name):
    return 125 if name in PASSING else 2


def test_tend_has_exactly_these_commands():
    assert {"run", "rerun", "ls", "info", "attach", "send", "wait", "prompt",
            "batch", "snapshot", "log", "mark", "mcp", "env", "exec", "resize", "rename",
            "label", "signal", "stop", "kill", "destroy", "upgrade", "revive",
            "homes", "gc", "doctor", "render", "skill", "hub", "token",
            "share", "audit", "agent",
            "version"} == set(COMMANDS)


@pytest.mark.parametrize("args", [["help"], ["-h"], ["--help"]])
def test_help_lists_all_commands(args):
    text = shows(*args)
    assert text.startswith("usage: tend COMMAND")
    assert text.endswith("\n'man tend' describes the settings and files.\n")
    for name in COMMANDS:
        assert re.search(rf"^  {name} +\w", text, re.MULTILINE), text


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name):
    text = shows(name, "-h")
    assert text.startswith(f"usage: tend {name} "), text
    assert "--json" in text and "-h, --help" in text and "--home DIR" in text
    assert shows(name, "--help") == text
    assert shows("help", name) == text
    assert shows(name, "--json", "-h") == text


@pytest.mark.parametrize("name", ["kill", "stop"])
def test_help_of_ending_commands_mentions_background_processes(name):
    words = " ".join(shows(name, "-h").split())
    assert "including those in the background (nohup, setsid, daemons)" in words


@pytest.mark.parametrize("name", ["wait", "exec", "prompt"])
def test_help_of_waiting_commands_names_the_default_unit(name):
    options = re.findall(r"--timeout DURATION  +(.*)", shows(name, "-h"))
    assert len(options) == 1, options
    assert options[0].endswith("; a number alone is ms"), options


def test_help_names_every_option_of_render():
    text = shows("render", "-h")
    for option in ("--size COLSxROWS", "--format FORMAT", "--scrollback",
                   "--cells", "--until BYTES", "--at DURATION"):
        assert option in text


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_names_an_unknown_option(name):
    answer = tend(name, "--no-such-option")
    assert answer.status == failure(name), answer
    assert answer.out == b""
    assert answer.err == (f"tend {name}: unknown option --no-such-option; "
                          f"see 'tend {name} -h'\n")
    answer = tend(name, "-hQ")
    assert answer.status == failure(name) and "unknown option -Q;" in answer.err, answer


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_reports_mistakes_in_json(name):
    answer = tend(name, "--json", "--no-such-option")
    assert answer.status == failure(name) and answer.err == "", answer
    assert json.loads(answer.out) == {
        "ok": False, "command": name, "error": {
            "code": "usage",
            "message": "unknown option --no-such-option; "
                       f"see 'tend {name} -h'",
            "retryable": False, "details": {}}}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_survives_an_invalid_home(name, tmp_path):
    """STYLE, section 7: a home that is not a directory gets a message and a
    status."""
    home = tmp_path / "home"
    home.write_text("a file")
    args = {"run": ["-d", "true"], "render": ["-"], "hub": ["status"],
            "token": ["list"], "share": ["list"], "agent": ["ls"]}.get(name, [])
    if name in ("send", "mark", "resize", "rename", "label", "signal", "stop",
                "kill", "destroy", "attach"):
        args = ["nobody"]
    answer = tend(name, "--home", str(home), *args)
    if name in ("render", "agent", "skill", "version"):
        assert answer.status == 0, answer
        return
    if name == "doctor":  # it reports the home among other things
        assert answer.status == 1 and str(home) in answer.text, answer
        return
    assert answer.status == (125 if name in PASSING else 8), answer
    assert answer.out == b"" and str(home) in answer.err, answer
    assert answer.err.startswith(f"tend {name}: "), answer
    assert home.read_text() == "a file"


def test_common_options_may_come_before_the_command(tmp_path):
    home = tmp_path / "home"
    after = json.loads(shows("ls", "--json", "--home", str(home)))
    assert after == {"ok": True, "command": "ls", "result": []}
    assert json.loads(shows("--home", str(home), "--json", "ls")) == after
    assert not home.exists()
    answer = tend("--frob", "ls")
    assert answer.status == 2 and "unknown option --frob" in answer.err


@pytest.mark.parametrize("typed, meant", [
    ("rendr", "render"), ("rneder", "render"), ("rend", "render"),
    ("dstroy", "destroy"),
    ("versoin", "version"), ("Version", "version")])
def test_a_misspelt_command_gets_a_suggestion(typed, meant):
    answer = tend(typed)
    assert answer.status == 2 and answer.out == b"", answer
    assert answer.err == (f"tend: unknown command: {typed}; did you mean "
                          f"'tend {meant}'? 'tend help' lists all commands\n")


@pytest.mark.parametrize("typed, instead", [
    ("detach", "in a session, C-] d detaches"),
    ("start", "'tend run' starts a session"),
    ("new-session", "'tend run' starts a session"),
    ("list-sessions", "'tend ls' lists the sessions"),
    ("kill-session", "'tend kill' ends a session"),
    ("attach-session", "'tend attach' attaches to a session"),
    ("capture-pane", "'tend snapshot' shows a session's screen"),
    ("send-keys", "'tend send' types into a session"),
    ("list-clients", "'tend info' shows the number of viewers"),
    ("history", "'tend log' shows the output of a session"),
    ("search", "'tend log SESSION | grep WORD' searches the output"),
    ("export", "'tend log' and 'tend snapshot -o FILE' save output")])
def test_commands_of_other_programs_get_a_suggestion(typed, instead):
    answer = tend(typed)
    assert answer.status == 2 and answer.out == b"", answer
    assert answer.err == f"tend: unknown command: {typed}; {instead}\n"


@pytest.mark.parametrize("alias, command", [
    ("a", "attach"), ("new", "run"), ("list", "ls"), ("ps", "ls"),
    ("rm", "destroy")])
def test_a_short_form_is_the_command(alias, command):
    assert shows(alias, "-h") == shows(command, "-h")
    assert shows("help", alias) == shows("help", command)
    assert f"{alias} = {command}" in shows("help")


@pytest.mark.parametrize("args, meant", [
    (["stop", "x", "--interupt"], "--interrupt"),
    (["ls", "--lable", "a=b"], "--label"),
    (["run", "--detatch"], "--detach"),
    (["ls", "--jsno"], "--json")])
def test_a_misspelt_option_gets_a_suggestion(args, meant):
    answer = tend(*args)
    assert answer.status == failure(args[0]) and answer.out == b"", answer
    assert f"(did you mean {meant}?); see" in answer.err, answer


@pytest.mark.parametrize("word", ["xyzzy", "purge", "q", "cow"])
def test_a_distant_word_gets_no_suggestion(word):
    assert "did you mean" not in tend(word).err
    assert "did you mean" not in tend("ls", f"--{word}").err


@pytest.mark.parametrize("args", [["frobnicate"], ["help", "frobnicate"],
                                  ["x" * 5000]])
def test_an_unknown_command_is_a_usage_error(args):
    answer = tend(*args)
    assert answer.status == 2 and answer.out == b"", answer
    assert f"unknown command: {args[-1]}" in answer.err


def test_an_unknown_command_is_reported_in_json():
    answer = tend("frobnicate", "--json")
    assert answer.status == 2 and answer.err == "", answer
    error = json.loads(answer.out)["error"]
    assert error["code"] == "usage"
    assert "frobnicate" in error["message"]


def test_version_prints_the_version():
    text = shows("version")
    assert re.fullmatch(r"tend \d+\.\d+\.\d+\n", text)
    assert shows("--version") == text and shows("-V") == text
    answer = json.loads(shows("version", "--json"))
    assert answer["ok"] is True and answer["command"] == "version"
    assert answer["result"]["version"] == text.split()[1]
    assert answer["result"]["engine"] >= 1
    assert answer["result"]["protocol"] >= 1
    assert answer["result"]["log_format"] >= 1
    assert json.loads(shows("--version", "--json")) == answer


def test_version_takes_no_argument():
    answer = tend("version", "now")
    assert answer.status == 2, answer
    assert answer.err == "tend version: unexpected argument: now\n"


def test_a_value_may_be_the_next_word_or_follow_an_equals_sign():
    wanted = shows("render", "--size", "10x2", "-", input=b"hello")
    assert wanted == "hello\n\n"
    for spelling in (["--size=10x2"], ["-s10x2"], ["-s", "10x2"],
                     ["--size=80x24", "--size=10x2"]):
        assert shows("render", *spelling, input=b"hello") == wanted


def test_an_option_without_its_value_is_reported():
    answer = tend("render", "--size")
    assert answer.status == 2, answer
    assert "option --size needs a value: COLSxROWS" in answer.err


def test_a_value_for_an_option_without_one_is_reported():
    answer = tend("render", "--cells=yes")
    assert answer.status == 2, answer
    assert "option --cells takes no value" in answer.err


def test_two_dashes_end_the_options(tmp_path):
    (tmp_path / "--json").write_bytes(b"a file")
    text = shows("render", "--size=10x1", "--", str(tmp_path / "--json"))
    assert text == "a file\n"
    answer = tend("render", "--", "--json", cwd=tmp_path)
    assert answer.status == 0 and answer.text.startswith("a file\n"), answer


def test_messages_carry_no_control_characters():
    answer = tend("render", b"a\x1b[31m\x9b\xff\xc2\x9bb\xc3\xa9\x7f\xe2\x82")
    assert answer.status == 2, answer
    assert answer.err.startswith(
        "tend render: cannot open "
        "a\\x1b[31m\\x9b\\xff\\xc2\\x9bbé\\x7f\\xe2\\x82: "), answer


def test_json_messages_are_valid_whatever_the_name():
    answer = tend("render", "--json", b"a\x1b\xff\xe2\x82")
    message = json.loads(answer.out)["error"]["message"]
    assert "cannot open a\x1b\ufffd\ufffd: " in message
    assert b"\x1b" not in answer.out
