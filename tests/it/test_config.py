"""The configuration file: its settings, their precedence, and mistakes in
it."""

import json
import pathlib

import pytest

import lib
from lib import Home
from terminal import Terminal


@pytest.fixture
def home():
    with Home() as made:
        made.env.pop("NO_COLOR", None)
        made.env.pop("TEND_PREFIX", None)
        yield made


def configure(home, text):
    path = pathlib.Path(home.env["XDG_CONFIG_HOME"]) / "tend" / "config.ini"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_session_is_started_as_the_file_says(home):
    configure(home, "[run]\nresize = latest\ninput = lease\n"
              "max-log = 64M\nidle-timeout = 2h\nlog-input = none\n"
              "scrollback = 150\n")
    session = home.info(home.start("cat"))
    assert session["resize"] == "latest" and session["input"] == "lease"
    assert session["max_log"] == 64 << 20, session
    assert session["idle_timeout_s"] == 7200, session
    assert session["log_input"] == "none", session
    assert session["scrollback"] == 150, session
    session = home.info(home.start("cat", options=["--resize=fixed",
                                                   "--max-log=32M"]))
    assert session["resize"] == "fixed", "an option wins"
    assert session["max_log"] == 32 << 20 and session["input"] == "lease"


def test_limits_come_from_the_file_and_the_environment_wins(home):
    configure(home, "[limits]\nmax-sessions = 1\n")
    home.start("cat")
    error = home.error("run", "-d", "cat", status=125, code="busy")
    assert "1" in error["message"], error
    home.env["TEND_MAX_SESSIONS"] = "2"
    home.start("cat")
    assert len(home.json("ls")) == 2


def test_the_prefix_comes_from_the_file(home):
    configure(home, "[attach]\nprefix = C-a\n")
    sid = home.start("sh", "-c", "echo ready; exec cat")
    home.wait_text(sid, "ready")
    with Terminal() as term:
        term.run(lib.TEND, "attach", sid, env=home.env)
        term.wait_text("ready")
        term.type("\x01d")
        assert term.ended() == 0, term.text()
        term.wait_text("detached")
    with Terminal() as term:
        term.run(lib.TEND, "attach", sid, env={**home.env,
                                               "TEND_PREFIX": "C-b"})
        term.wait_text("ready")
        term.type("\x02d")
        assert term.ended() == 0, term.text()


def test_texts_name_the_keys_of_the_file(home):
    configure(home, "[attach]\nprefix = C-a\n[keys]\ndetach = q\nx = y\n")
    told = home.run("detach")
    assert told.status == 2, told
    assert told.err == ("tend: unknown command: detach; in a session, "
                        "C-a q detaches\n")
    guide = home.run()
    assert guide.status == 0 and guide.err == "", guide
    assert "\n    C-a q                      detach; " in guide.text, guide
    assert "\n    C-a ?                      show all keys\n" in guide.text
    home.env["TEND_PREFIX"] = "C-b"
    assert "in a session, C-b q detaches" in home.run("detach").err
    assert "\n    C-b q    " in home.ok()


def test_a_nested_run_is_refused_with_the_keys_of_the_file(home):
    configure(home, "[attach]\nprefix = C-a\n")
    sid = home.start("sh", options=["-e", "PS1=> "])
    with Terminal() as term:
        term.run(lib.TEND, "attach", sid, env=home.env)
        term.wait_text(">")
        for command in ("run true", "attach"):
            term.type(f"clear; {lib.TEND} {command}; echo {command}: $?\r")
            term.wait_text(f"{command}: 125")
            seen = term.text().replace("\n", "")
            assert "C-a d detaches" in seen and "C-]" not in seen, seen


def test_keys_come_from_the_file(home):
    path = configure(home, "[keys]\ndetach = C-q F2\nhistory = nokey\n")
    sid = home.start("sh", "-c", "echo ready; exec cat")
    home.wait_text(sid, "ready")
    with Terminal() as term:
        term.run(lib.TEND, "attach", sid, env=home.env)
        term.wait_text("C-] C-q F2 detaches")
        term.type("\x1d?")
        term.wait_text("detach; the session stays")
        assert "C-q F2  detach" in term.text(), term.text()
        term.type("q\x1dd")
        term.wait_text("no such command")
        term.type("\x1d\x11")
        assert term.ended() == 0, term.text()
    told = home.run("ls").err
    assert f"{path}:3: keys.history: " in told and "nokey" in told, told


def test_colours_come_from_the_file(home):
    sid = home.start("cat")
    home.wait_saved(sid, status="running")
    configure(home, "[ls]\ncolours = always\n")
    assert "\x1b[32mrunning" in home.ok("ls")
    home.env["NO_COLOR"] = "1"
    assert "\x1b" not in home.ok("ls")


def test_a_mistake_is_reported_and_stops_nothing(home):
    path = configure(home, "[run]\nrezise = latest\nmax-log = 1\n"
                     "resize = latest\nnonsense\n")
    answer = home.run("run", "-d", "--", "cat")
    assert answer.status == 0, answer
    assert answer.err.splitlines() == [
        f"tend run: {path}:2: unknown setting run.rezise "
        "(did you mean run.resize?)",
        f"tend run: {path}:3: run.max-log: 1 has no unit: give one, as in "
        "64K, 256M or 5G",
        f"tend run: {path}:5: expected [section] or key = value"]
    session = home.info(answer.text.strip())
    assert session["resize"] == "latest", session
    assert session["max_log"] == 256 << 20, session


@pytest.mark.parametrize("make", ["directory", "large", "unreadable"])
def test_a_file_that_cannot_be_used_is_reported(home, make):
    path = configure(home, "")
    path.unlink()
    if make == "directory":
        path.mkdir()
    elif make == "large":
        path.write_text("# x\n" * 20000)
    else:
        path.symlink_to(path)
    answer = home.run("ls")
    assert answer.status == 0 and answer.out == b"", answer
    assert answer.err.startswith(f"tend ls: {path}: configuration file "
                                 "ignored: "), answer


def test_doctor_shows_each_setting_and_its_origin(home):
    path = configure(home, "[run]\nresize = latest\n[ls]\ncolour = never\n")
    home.env["TEND_PREFIX"] = "C-b"
    answer = home.run("doctor", "--json")
    checks = [c for c in json.loads(answer.out)["result"]["checks"]
              if c["check"] == "config"]
    told = [c["what"] for c in checks if c["level"] == "ok"]
    assert told[0] == str(path), told
    assert "attach.prefix: $TEND_PREFIX = C-b" in told, told
    assert f"run.resize = latest ({path}:2)" in told, told
    assert told[-1].startswith("by default: run.input = shared, "), told
    assert "ls.colours = auto" in told[-1], told
    (warning,) = [c for c in checks if c["level"] == "warning"]
    assert warning["what"] == (f"{path}:4: unknown setting ls.colour "
                               "(did you mean ls.colours?)"), warning
