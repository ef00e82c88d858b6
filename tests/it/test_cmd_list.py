"""Observing sessions: ls, info, label, rename."""

import json
import os
import signal
import subprocess

import pytest

import lib
from lib import Home, wait_for
from terminal import Terminal


@pytest.fixture
def home():
    with Home() as made:
        yield made


def test_without_sessions_ls_is_empty_and_reading_fails(home):
    assert home.ok("ls") == ""
    assert home.json("ls") == []
    for command in ("info", "snapshot", "log"):
        answer = home.run(command)
        assert answer.status == 3, answer
        assert "no session" in answer.err, answer


def test_ls_shows_active_and_all(home):
    first = home.start("cat", options=["-n", "first"])
    second = home.start("cat", options=["-n", "second"])
    home.wait_saved(second, status="running")
    home.ok("kill", first)
    assert [s["id"] for s in home.json("ls")] == [second]
    assert [s["id"] for s in home.json("ls", "-a")] == [second, first]
    plain = home.ok("ls")
    assert plain.splitlines()[0].split() == ["NAME", "STATUS", "AGE", "SIZE",
                                             "VIEWERS", "LAST", "LINE"]
    assert plain.splitlines()[1].split()[:2] == ["second", "running"]
    assert "80x24" in plain and plain.splitlines()[1].endswith("[cat]")
    every = home.ok("ls", "-a").splitlines()
    assert every[2].split()[:3] == [first, "first", "killed"], every


def test_ls_fits_80_columns_and_escapes(home):
    home.start("sh", "-c", "exec cat # \x1b[31m\n" + "é界" * 60,
               options=["-n", "a/" + "n" * 60])
    for args in ([], ["-a"]):
        text = home.ok("ls", *args)
        for line in text.splitlines():
            width = sum(2 if c == "界" else 1 for c in line)
            assert width <= 80, (width, line)
        assert "\x1b" not in text and "…" in text, text
    assert "\\x1b[31m" in home.ok("info")


def test_ls_shows_the_last_line_without_asking_a_host(home):
    """It is in session.json: a stuck host is listed like others."""
    sid = home.start("sh", "-c", "echo first; echo now at work; exec cat",
                     options=["-n", "busy"])
    wait_for(lambda: home.ok("ls").endswith("  now at work\n"),
             lambda: home.ok("ls"))
    host = home.info(sid)["host_pid"]
    os.kill(host, signal.SIGSTOP)
    try:
        line = home.ok("ls").splitlines()[1]
        assert line.split()[:2] == ["busy", "running"], line
        assert line.endswith("now at work"), line
    finally:
        os.kill(host, signal.SIGCONT)
    home.ok("send", sid, "--text", "typed", "--keys", "Enter")
    wait_for(lambda: home.ok("ls").endswith("  typed\n"),
             lambda: home.ok("ls"))


def test_ls_shows_the_last_line_of_an_ended_session(home):
    sid = home.start("sh", "-c", "echo oh no; exit 3")
    home.wait_status(sid, "exited")
    line = home.ok("ls", "-a").splitlines()[1]
    assert line.split()[:4] == [sid, "sh", "exited", "3"], line
    assert line.endswith("oh no"), line


def on_terminal(home, *args, cols=80, **env):
    """The bytes that tend writes to a terminal."""
    with Terminal(cols=cols) as term:
        term.run(lib.TEND, *args, env={**home.env, "TERM": "xterm", **env})
        assert term.ended() == 0, term.text()
        # The text after it shows that all of it has come.
        os.write(term.slave, b"\x1b[24Hthat is all")
        lines = term.wait_text("that is all")["lines"]
        raw, _, _ = bytes(term.raw).decode().partition("\x1b[24H")
        return raw, lines[:-1]


def test_ls_has_colours_only_on_a_terminal(home):
    home.env.pop("NO_COLOR", None)
    sid = home.start("cat", options=["-n", "coloured"])
    home.wait_saved(sid, status="running")
    assert "\x1b" not in home.ok("ls")
    raw, lines = on_terminal(home, "ls")
    assert "\x1b[32mrunning\x1b[m" in raw, raw
    assert lines[1].split()[:2] == ["coloured", "running"], lines
    assert "\x1b" not in on_terminal(home, "ls", NO_COLOR="1")[0]
    assert "\x1b" not in on_terminal(home, "ls", TERM="dumb")[0]


def test_ls_uses_the_width_of_the_terminal(home):
    home.start("sh", "-c", "exec cat # " + "long " * 60)
    for cols in (12, 20, 30, 40, 60, 80, 100, 120, 160):
        for args in ([], ["-a"]):
            _, lines = on_terminal(home, "ls", *args, cols=cols)
            assert lines[2].strip() == "", "the session takes one line"
        assert ("VIEWERS" in on_terminal(home, "ls", cols=cols)[1][0]) == (
            cols >= 60), cols
        assert ("COMMAND" in lines[0]) == (cols >= 130), lines


def test_ls_counts_attached_clients(home):
    """It reads the host's file, which is written at once."""
    sid = home.start("cat", options=["-n", "seen"])
    home.wait_saved(sid, status="running")

    def viewers():
        return home.json("ls")[0]["observers"]

    wait_for(lambda: viewers() == 0, viewers)
    with Terminal() as one, Terminal() as two:
        one.run(lib.TEND, "attach", sid, env=home.env)
        two.run(lib.TEND, "attach", "-r", sid, env=home.env)
        wait_for(lambda: viewers() == 2, viewers)
        assert home.ok("ls").splitlines()[1].split()[4] == "2"
        one.type("\x1dd")
        assert one.ended() == 0
        wait_for(lambda: viewers() == 1, viewers)
    wait_for(lambda: viewers() == 0, viewers)
    home.ok("kill", sid)
    assert home.json("ls", "-a")[0]["observers"] is None


def test_ls_watch_redraws_when_something_changes(home):
    with Terminal() as term:
        before = term.settings()
        term.run(lib.TEND, "ls", "--watch", env={**home.env, "TERM": "xterm"})
        term.wait_text("no running sessions")
        home.start("cat", options=["-n", "one"])
        term.wait(lambda s: s["lines"][1].split()[:2] == ["one", "running"],
                  "the first session")
        home.start("cat", options=["-n", "two"])
        home.start("cat", options=["-n", "three"])
        term.wait(lambda s: [x.split()[0] for x in s["lines"][1:4] if x] ==
                  ["three", "two", "one"], "all three")
        home.ok("rename", "two", "other")
        term.wait_text("other")
        home.ok("kill", "one")
        term.wait(lambda s: "one" not in "\n".join(s["lines"]), "two of them")
        term.resize(20, 2)
        screen = term.wait(lambda s: "and 2 more" in s["lines"][1], "two rows")
        assert screen["lines"][0].split()[0] == "NAME", screen
        term.resize(80, 24)
        term.wait_text("three")
        term.type("q")
        assert term.ended() == 0
        wait_for(lambda: term.settings() == before, term.settings)


@pytest.mark.parametrize("args", [[], ["--json"]])
def test_ls_watch_without_a_terminal_writes_each_change(home, args):
    home.start("cat", options=["-n", "one"])
    with subprocess.Popen([lib.TEND, "ls", "-w", *args], env=home.env,
                          stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE) as watch:
        def until(word):
            for line in watch.stdout:
                if args:
                    assert json.loads(line)["ok"] is True, line
                if word in line:
                    return line
            raise AssertionError(f"it ended before it told of {word}")

        until(b"one")
        home.start("cat", options=["-n", "two"])
        until(b"two")
        home.ok("rename", "one", "first")
        until(b"first")
        watch.terminate()
        assert watch.wait() == 128 + signal.SIGTERM


def test_ls_watch_ends_when_its_output_is_closed(home):
    home.start("cat", options=["-n", "one"])
    with subprocess.Popen([lib.TEND, "ls", "-w"], env=home.env,
                          stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE) as watch:
        assert watch.stdout.readline().startswith(b"NAME")
        watch.stdout.close()
        assert watch.wait(30) == 0


def test_ls_on_a_terminal_reports_an_empty_list(home):
    _, lines = on_terminal(home, "ls")
    assert "tend run" in "".join(lines), lines


def test_ls_on_a_terminal_mentions_ended_sessions(home):
    home.wait_gone(home.start("sh", "-c", "exit 3", options=["-n", "mk"]))
    one = "tend ls: 1 session has ended: mk exited 3 ('tend ls -a' lists it)"
    _, lines = on_terminal(home, "ls")
    assert lines[0].startswith("tend ls: no running sessions;"), lines
    assert lines[1:3] == [one, ""], lines
    home.wait_gone(home.start("true", options=["-n", "ok", "-l", "a=b"]))
    home.start("cat", options=["-n", "runs"])
    two = ("tend ls: 2 sessions have ended, the last: ok exited 0 ('tend ls -a' "
           "lists them)")
    _, lines = on_terminal(home, "ls", cols=100)
    assert lines[1].split()[0] == "runs", lines
    assert lines[2:4] == [two, ""], lines
    _, lines = on_terminal(home, "ls", "-l", "a=b")
    assert "1 session has ended: ok exited 0" in lines[1], lines
    for args in (["-a"], ["--json"]):
        assert "ended:" not in on_terminal(home, "ls", *args)[0], args
    assert home.run("ls").err == ""
    home.ok("destroy", "-y", "ok")
    assert one in on_terminal(home, "ls")[1], "what was destroyed is gone"


def test_ls_filters_by_label(home):
    one = home.start("cat", options=["-l", "role=a", "-l", "x=1"])
    two = home.start("cat", options=["-l", "role=b", "-l", "x=1"])

    def ids(*args):
        return [s["id"] for s in home.json("ls", *args)]

    assert ids("--label", "role=a") == [one]
    assert ids("--label", "x=1") == [two, one]
    assert ids("--label", "x=1", "--label", "role=b") == [two]
    assert ids("--label", "role") == [two, one]
    assert ids("--label", "role=c") == []


def test_ls_reports_a_session_it_cannot_read(home):
    good, bad = home.start("cat"), home.start("true")
    home.wait_gone(bad)
    (home.dir(bad) / "session.json").write_text("{ nonsense")
    answer = home.run("ls", "-a")
    assert answer.status == 0, answer
    assert good in answer.text and bad in answer.err, answer


def test_a_session_is_found_by_id_prefix_name_or_as_the_newest(home):
    first = home.start("cat", options=["-n", "one"])
    assert home.info(first)["name"] == "one"
    assert home.info("one")["id"] == first
    assert home.info(first[:25])["id"] == first
    assert home.info(first.lower())["id"] == first
    second = home.start("cat", options=["-n", "two"])
    assert home.json("info")["id"] == second
    error = home.error("info", first[:4], status=2, code="usage")
    assert first in error["message"] and second in error["message"], error


def test_a_misspelt_session_gets_a_suggestion(home):
    home.start("cat", options=["-n", "prog"])
    for command in ("info", "stop", "attach", "log"):
        answer = home.run(command, "porg")
        assert answer.err == (f'tend {command}: no session named "porg" '
                              '(did you mean "prog"?)\n'), answer
    error = home.error("info", "other", status=3, code="not_found")
    assert error["message"] == ('no session named "other"; '
                                "'tend ls -a' lists them"), error
    home.ok("destroy", "prog")
    assert "did you mean" not in home.run("info", "porg").err


def test_an_unknown_session_is_reported(home):
    for name in ("nobody", "01KA0000000000000000000000", "a b", ""):
        error = home.error("info", name, status=3, code="not_found")
        assert "tend ls -a" in error["message"], error


@pytest.mark.parametrize("command", [
    "send", "stop", "kill", "signal", "resize", "destroy", "rename", "label",
    "mark"])
def test_typing_and_ending_need_a_name(home, command):
    """C-17: omitted is the newest, for reading only."""
    home.start("cat")
    answer = home.run(command)
    assert answer.status == 2, answer
    assert "which session?" in answer.err, answer
    assert len(home.json("ls")) == 1


def test_info_describes_a_session_in_words(home):
    sid = home.start("sh", "-c", "printf hello; exec cat",
                     options=["-n", "words", "-l", "k=v", "--durable",
                              "--input=lease", "--resize=fixed"])
    home.wait_text(sid, "hello")
    home.wait_saved(sid, status="running")
    text = home.ok("info", "words")
    lines = {line[:12].strip(): line[13:] for line in text.splitlines()
             if line[:12].strip()}
    assert lines["name"] == "words" and lines["id"] == sid, text
    assert lines["status"] == "running"
    assert lines["command"] == "sh -c 'printf hello; exec cat'"
    assert lines["labels"] == "k=v"
    assert lines["size"] == "80x24 (fixed)" and lines["input"] == "lease"
    assert lines["program"] == str(home.info(sid)["child_pid"])
    assert "5 bytes of output" in lines["log"] and "durable" in text


def test_info_of_a_live_session_is_fresh(home):
    """K-18: a running session's host is asked for its state."""
    sid = home.start("sh", "-c", "printf hello; exec cat")
    home.wait_text(sid, "hello")
    info = home.info(sid)
    assert info["offset"] == len("hello"), info
    assert info["seq"] > 0 and info["host_pid"] and info["keeper_pid"]
    assert info["observers"] == 0


def test_info_works_while_the_host_is_stuck(home):
    """K-06: observing needs no host."""
    sid = home.start("cat", options=["-n", "stuck"])
    host = home.wait_status(sid, "running")["host_pid"]
    home.wait_saved(sid, status="running")
    os.kill(host, signal.SIGSTOP)
    try:
        info = home.info(sid)
        assert info["status"] == "running" and info["id"] == sid
        error = home.error("mark", sid, "x", status=5, code="timeout")
        assert error["retryable"] is True and "stuck" in error["message"]
    finally:
        os.kill(host, signal.SIGCONT)


@pytest.mark.parametrize("script, status, words", [
    ("exit 0", "exited", "exited with 0"),
    ("exit 7", "exited", "exited with 7"),
    ("kill -SEGV $$", "exited", "was ended by SIGSEGV")])
def test_info_shows_the_exit_status(home, script, status, words):
    sid = home.start("sh", "-c", script)
    info = wait_for(lambda: (i := home.info(sid))["exit_code"] is not None
                    or i["exit_signal"] is not None and i,
                    lambda: home.info(sid))
    info = home.wait_status(sid, "exited", "failed")
    assert words in home.ok("info", sid), info


def test_a_lost_session_is_described_in_words(home):
    """After kill -9 of all its processes its exit is unknown."""
    sid = home.start("cat", options=["-n", "gone"])
    home.wait_status(sid, "running")
    home.end_all()
    info = home.wait_status(sid, "failed", "exited")
    assert info["outcome"] == "lost", info
    assert info["host_pid"] is None
    assert "is lost: " in home.ok("info", "gone")
    assert "lost" in home.ok("ls", "-a")
    error = home.error("send", "gone", "--text", "x", status=4,
                       code="not_running")
    assert "is lost" in error["message"], error


def test_labels_can_be_set_and_removed(home):
    sid = home.start("cat", options=["-l", "a=1"])
    assert home.ok("label", sid) == "a=1\n"
    session = home.json("label", sid, "b=two words", "a=")
    assert session["labels"] == {"b": "two words"}
    home.wait_saved(sid, labels={"b": "two words"})
    assert home.json("label", sid) == {"b": "two words"}
    answer = home.run("label", sid, "c")
    assert answer.status == 2 and "KEY=VALUE" in answer.err, answer
    home.ok("kill", sid)
    home.ok("label", sid, "after=end")
    assert home.info(sid)["labels"] == {"b": "two words", "after": "end"}


def test_a_session_can_be_renamed(home):
    sid = home.start("cat", options=["-n", "one"])
    home.start("cat", options=["-n", "two"])
    assert home.json("rename", "one", "new/name")["name"] == "new/name"
    home.wait_saved(sid, name="new/name")
    assert home.info("new/name")["id"] == sid
    assert home.run("info", "one").status == 3
    answer = home.run("rename", "new/name", "two")
    assert answer.status != 0 and "two" in answer.err, answer
    answer = home.run("rename", "new/name", "a b")
    assert answer.status == 2, answer
    home.start("cat", options=["-n", "one"])
    home.ok("kill", "new/name")
    home.ok("rename", sid, "old")
    assert home.info("old")["id"] == sid


def test_info_reports_an_unknown_session_in_json(home):
    answer = home.run("info", "--json", "nobody")
    assert answer.status == 3 and answer.err == "", answer
    assert json.loads(answer.out)["error"]["retryable"] is False
