"""`tend log` has every line that a session has shown, even cleared ones."""

import os
import signal
import subprocess

import pytest

import lib
from lib import Home, wait_for
from shells import SHELLS

CLEARS = {
    "clear": "clear",
    "clear-x": "clear -x",
    "tput-clear": "tput clear",
    "tput-reset": "tput reset",
    "reset": r"printf '\033c'",
    "linux-clear": "TERM=linux clear",
    "erase-all": r"printf '\033[2J\033[H'",
    "erase-history": r"printf '\033[3J'",
    "erase-below": r"printf '\033[H\033[J'",
}


@pytest.fixture
def home():
    with Home() as made:
        yield made


def numbers(*ranges):
    return [str(n) for first, last in ranges for n in range(first, last + 1)]


def ended(home, script, **kwargs):
    sid = home.start("sh", "-c", script, **kwargs)
    home.wait_gone(sid)
    return sid


def text(home, sid):
    return "\n".join(home.screen(sid)["lines"])


def lines(home, sid, *args):
    return home.ok("log", sid, *args).splitlines()


@pytest.mark.parametrize("clear", CLEARS)
def test_cleared_lines_are_in_the_log(home, clear):
    sid = ended(home, f"seq 60; {CLEARS[clear]}; seq 300 310; "
                f"{CLEARS[clear]}; echo end")
    seen = [line for line in lines(home, sid) if line]
    assert seen == numbers((1, 60), (300, 310)) + ["end"], seen
    assert home.ok("log", "-f", sid) == home.ok("log", sid)


def test_a_repeated_line_is_in_the_log_twice(home):
    sid = ended(home, "echo same; clear; echo same; clear; echo same")
    assert lines(home, sid) == ["same"] * 3


def test_a_progress_bar_is_shown_in_its_last_state(home):
    """Also one that erases its line, or all below it, each time."""
    script = "; ".join(rf"printf '\r{erase}{n}%%'" for erase in
                       ("", r"\033[K", r"\033[J") for n in (5, 50, 100))
    sid = ended(home, f"{script}; echo; echo end")
    assert lines(home, sid) == ["100%", "end"]


def test_lines_cleared_between_two_moments_are_in_the_log(home):
    sid = home.start("sh", "-c", "seq 5; read x; clear; seq 6 9; read x; "
                     "clear; seq 20 22; read x")
    for word, shown in (("one", "5"), ("two", "9"), ("three", "22")):
        home.wait_text(sid, shown)
        home.ok("mark", sid, word)
        home.ok("send", sid, "--keys", "Enter")
    home.wait_gone(sid)
    assert "".join(lines(home, sid)).replace(" ", "") == "".join(
        numbers((1, 9), (20, 22)))
    seen = [line for line in lines(home, sid, "--from", "mark:one", "--to",
                                   "mark:two") if line]
    assert seen == numbers((6, 9)), seen


def test_text_of_full_screen_programs_is_not_in_the_log(home, tmp_path):
    """Text of vim and less on the alternate screen is not in the log; text
    that was on the primary screen before and then cleared is."""
    (tmp_path / "text").write_text("".join(f"row {n}\n" for n in range(99)))
    sid = home.start("sh", options=["--size", "60x12"])
    send = ["send", sid, "--text"]
    home.ok(*send, f"PS1='% '; cd {tmp_path}; seq 20\n")
    home.wait_text(sid, "20\n%")
    home.ok(*send, "vim -u NONE text\n")
    home.wait_text(sid, "row 8")
    home.ok(*send, ":q\r")
    home.wait_text(sid, "vim -u NONE text\n%")
    home.ok(*send, "clear; less text\n")
    home.wait_text(sid, "row 8")
    home.ok(*send, "q")
    home.wait_text(sid, "%")
    home.ok(*send, "clear; echo last; exit\n")
    home.wait_gone(sid)
    seen = lines(home, sid)
    assert [s for s in seen if s.isdigit()] == numbers((1, 20)), seen
    assert not any(s.startswith("row") for s in seen), seen
    assert "% vim -u NONE text" in seen and "% clear; less text" in seen, seen
    assert "last" in seen, seen


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_lines_cleared_by_ctrl_l_are_in_the_log(home, shell):
    sid = home.start(*SHELLS[shell], options=["--size", "70x10"])
    home.ok("exec", sid, "true")
    with subprocess.Popen([lib.TEND, "log", "-f", sid], env=home.env,
                          stdout=subprocess.PIPE) as follower:
        home.ok("exec", sid, "seq 100 130")
        home.ok("send", sid, "--text", "echo half")
        home.wait_text(sid, "echo half")
        home.ok("send", sid, "--keys", "C-l")
        wait_for(lambda: "130" not in text(home, sid) and
                 "echo half" in text(home, sid), "a clear screen")
        seq = home.json("send", sid, "--text", "-a-line\r")["seq"]
        home.wait_text(sid, "\nhalf-a-line")
        home.ok("wait", sid, "--command-done", "--after", str(seq))
        home.ok("exec", sid, "clear; seq 200 203; clear")
        home.ok("kill", sid)
        followed = follower.stdout.read().decode().splitlines()
        assert follower.wait(30) == 0
    for seen in (lines(home, sid), followed):
        assert [s for s in seen if s.isdigit()] == numbers((100, 130),
                                                           (200, 203)), seen
        # Once when it was cleared (fish suggests the rest), once at the end.
        assert sum("echo half" in s for s in seen) == 2, "\n".join(seen)
        assert any(s.endswith("echo half-a-line") for s in seen), seen
        assert "half-a-line" in seen, seen


def test_lines_shown_before_a_restart_are_in_the_log(home, tmp_path):
    sid = home.start("sh", "-c", "seq 5; clear; seq 6 9; "
                     "test -e second && exec cat; touch second; exit 3",
                     options=["--restart", "on-failure", "-C", str(tmp_path)])
    wait_for(lambda: home.ok("log", sid).split().count("9") == 2,
             lambda: f"a restart: {home.ok('log', sid)}")
    home.ok("kill", sid)
    seen = [line for line in lines(home, sid) if line.isdigit()]
    assert seen == numbers((1, 9), (1, 9)), seen


def test_lines_cleared_under_another_host_are_in_the_log(home):
    sid = home.start("sh", "-c", "seq 5; read x; clear; seq 6 9; exec cat")
    home.wait_text(sid, "5")
    host = home.info(sid)["host_pid"]
    os.kill(host, signal.SIGKILL)
    wait_for(lambda: home.info(sid)["host_pid"] not in (None, host),
             "another host")
    home.ok("send", sid, "--keys", "Enter")
    home.wait_text(sid, "9")
    home.ok("kill", sid)
    seen = [line for line in lines(home, sid) if line.isdigit()]
    assert seen == numbers((1, 9)), seen
