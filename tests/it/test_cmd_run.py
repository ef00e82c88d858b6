"""Starting sessions: `tend run`, and its errors."""

import json
import os
import pty
import re
import resource
import select
import stat
import struct
import shutil
import subprocess
import termios
import time
import fcntl

import pytest

import lib
from lib import Home, wait_for

ID = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}")


@pytest.fixture
def home():
    with Home() as made:
        yield made


def test_a_detached_run_prints_only_the_id(home):
    answer = home.run("run", "-d", "--", "cat")
    assert answer.status == 0 and answer.err == "", answer
    sid = answer.text.removesuffix("\n")
    assert ID.fullmatch(sid), answer
    assert home.wait_status(sid, "running")["id"] == sid


def test_an_answer_that_is_lost_does_not_hide_the_session(home):
    with open("/dev/full", "wb") as full:
        answer = home.run("run", "-d", "-n", "there", "--", "cat", stdout=full)
    assert answer.status == 125, answer
    [session] = home.json("ls")
    assert answer.err == (
        "tend run: cannot write to standard output: No space left on device; "
        f"session there ({session['id']}) was started anyway\n"), answer


def test_json_describes_the_new_session(home):
    session = home.json("run", "-d", "-n", "work/one", "--label", "k=v",
                        "--size", "100x30", "--", "cat", "-u")
    assert set(session) >= {
        "id", "name", "status", "outcome", "activity", "command", "cwd",
        "labels", "cols", "rows", "created_at", "exit_code", "exit_signal",
        "keeper_pid", "host_pid", "child_pid", "seq", "offset", "log_bytes",
        "observers", "lease_holder"}
    assert session["name"] == "work/one"
    assert session["command"] == ["cat", "-u"]
    assert session["labels"] == {"k": "v"}
    assert (session["cols"], session["rows"]) == (100, 30)
    assert session["exit_code"] is None and session["outcome"] is None
    assert session["cwd"] == os.getcwd()


def test_options_end_where_the_program_begins(home):
    sid = home.ok("run", "-d", "sh", "-c", "echo $1 $2; exec cat", "x", "-d",
                  "--json").strip()
    home.wait_text(sid, "-d --json")
    sid = home.ok("run", "-d", "--", "sh", "-c", "echo $1; exec cat", "x",
                  "--").strip()
    home.wait_text(sid, "--")


def test_without_a_command_the_shell_runs(home):
    home.env["SHELL"] = "/bin/sh"
    sid = home.ok("run", "-d").strip()
    assert home.info(sid)["command"] == ["/bin/sh"]


def test_the_child_gets_its_environment(home, tmp_path):
    home.env.update(TMUX="/tmp/x,1,0", LINES="7", KEPT="yes", TERM="dumb")
    sid = home.start("sh", "-c", "env | sort; pwd; echo all of it; exec cat",
                     options=["-e", "ONE=1", "--env=TWO=a b=c", "-C",
                              str(tmp_path), "--size", "80x100"])
    screen = home.wait_text(sid, "all of it")
    lines = screen["lines"]
    for line in (str(tmp_path), "TERM=xterm-256color", "COLORTERM=truecolor",
                 "TERM_PROGRAM=tend", "KEPT=yes", "ONE=1", "TWO=a b=c",
                 f"TEND_SESSION={sid}", f"TEND_HOME={home.path}"):
        assert line in lines, screen
    assert not [x for x in lines if x.startswith(("TMUX=", "LINES="))], lines


def test_the_default_size_is_80x24(home):
    sid = home.start("sh", "-c", "stty size; exec cat")
    home.wait_text(sid, "24 80")
    sid = home.start("sh", "-c", "stty size; exec cat",
                     options=["--size=132x43"])
    home.wait_text(sid, "43 132")


def test_names_count_up_when_none_is_given(home):
    names = [home.info(home.start("cat"))["name"] for _ in range(3)]
    assert names == ["cat", "cat-2", "cat-3"]


def test_a_name_is_free_again_after_the_end(home):
    first = home.start("cat", options=["-n", "one"])
    home.ok("kill", first)
    second = home.start("cat", options=["-n", "one"])
    assert home.info("one")["id"] == second


def test_a_name_in_use_is_reported(home):
    home.start("cat", options=["-n", "one"])
    error = home.error("run", "-d", "-n", "one", "--", "cat", status=125,
                       code="exists")
    assert error["message"] == ("the name one is taken by an active session; "
                                "'tend attach one' attaches to it, -A uses it")
    assert len(home.manifests()) == 1


@pytest.mark.parametrize("name", [
    "", "/", "a//b", "-x", ".x", "a b", "a/../b", "a\nb", "é",
    "/".join("abcdefghi"), "x" * 65, "01KA0000000000000000000000"])
def test_a_malformed_name_is_reported(home, name):
    error = home.error("run", "-d", "-n", name, "--", "cat", status=125,
                       code="usage")
    assert error["message"].startswith("--name: "), error
    assert home.manifests() == []


@pytest.mark.parametrize("size", ["0x0", "100000x100000", "80", "1x1", "2001x1",
                                  "2000x2000", "-1x5", "80x24 "])
def test_an_invalid_size_is_reported(home, size):
    error = home.error("run", "-d", f"--size={size}", "--", "cat", status=125,
                       code="usage")
    assert f"--size {size}: give COLSxROWS, as in 80x24" in error["message"]
    assert home.manifests() == []


@pytest.mark.parametrize("option, value, word", [
    ("--input", "everybody", "shared"), ("--resize", "huge", "smallest"),
    ("--log-input", "some", "lengths"), 
    ("--max-log", "lots", "as in 64M or 5G; the minimum is 8M"),
    ("--max-log", "1", "as in 64M or 5G; the minimum is 8M"),
    ("--max-log", "1K", "8M"), ("--idle-timeout", "5", "5s"),
    ("--scrollback", "0", "from 1 to 20000"),
    ("--scrollback", "20001", "from 1 to 20000"),
    ("--idle-timeout", "0s", "at once"), ("--linger-output", "x", "5s"),
    ("--idle-timeout", "999999h", "year"), ("--label", "novalue", "KEY=VALUE"),
    ("--label", "empty=", "KEY=VALUE"),
    ("-e", "NOVALUE", "KEY=VALUE"), ("-e", "=x", "KEY=VALUE")])
def test_an_invalid_value_is_reported(home, option, value, word):
    error = home.error("run", "-d", option, value, "--", "cat", status=125,
                       code="usage")
    assert word in error["message"], error
    assert home.manifests() == []


def test_a_missing_command_gives_127(home):
    answer = home.run("run", "-d", "--", "/no/such/program")
    assert answer.status == 127, answer
    assert "/no/such/program" in answer.err, answer
    assert "No such file or directory" in answer.err, answer
    answer = home.run("run", "-d", "--", "no-such-program")
    assert answer.status == 127 and "separately" not in answer.err, answer
    answer = home.run("run", "-d", "--", "ls -la")
    assert answer.status == 127, answer
    assert answer.err.endswith("; give the arguments separately, or use sh -c "
                               "'ls -la'\n"), answer
    assert home.manifests() == [], home.manifests()


def test_a_command_that_is_not_a_program_gives_126(home, tmp_path):
    path = tmp_path / "text"
    path.write_text("just text\n")
    answer = home.run("run", "-d", "--", str(path))
    assert answer.status == 126 and str(path) in answer.err, answer
    answer = home.run("run", "-d", "--", str(tmp_path))
    assert answer.status == 126, answer


def test_a_missing_directory_is_reported(home, tmp_path):
    error = home.error("run", "-d", "-C", str(tmp_path / "gone"), "--", "cat",
                       status=125, code="bad_input")
    assert error["message"] == (
        f"cannot run in {tmp_path / 'gone'}: No such file or directory; "
        "give another with --cwd")
    path = tmp_path / "file"
    path.write_text("")
    error = home.error("run", "-d", "-C", str(path), "--", "cat", status=125,
                       code="bad_input")
    assert "Not a directory" in error["message"], error


def test_a_directory_without_permission_is_reported(home, tmp_path):
    """Root may enter any directory, so another user tries."""
    shut = tmp_path / "shut"
    shut.mkdir(mode=0o700)
    for parent in (tmp_path, *tmp_path.parents):
        if parent != parent.parent:
            parent.chmod(parent.stat().st_mode | 0o055)
    os.chown(home.path, 65534, 65534)
    # That user may not be able to read the build directory.
    for name in ("tend", "tend-keeper", "tend-host"):
        shutil.copy(lib.BUILD / "src" / name, tmp_path)
        (tmp_path / name).chmod(0o755)
    args = ("run", "-d", "-C", str(shut), "cat")
    answer = lib.Answer(args, subprocess.run(
        [tmp_path / "tend", *args], user=65534, cwd="/", env=home.env,
        capture_output=True, timeout=60))
    assert answer.status == 125, answer
    assert f"cannot run in {shut}: Permission denied" in answer.err, answer


def test_a_session_runs_in_a_home_too_deep_for_a_socket(home):
    """sun_path holds 107 bytes; a home may be deeper."""
    deep = home.path / ("d" * 100) / ("e" * 100)
    answer = home.run("run", "-d", "--home", str(deep), "--", "cat")
    assert answer.status == 0, answer
    sid = answer.text.strip()
    inner = Home(deep)
    try:
        inner.ok("send", sid, "--text", "hello", "--keys", "Enter")
        inner.wait_text(sid, "hello")
        inner.ok("kill", sid)
    finally:
        inner.end_all()


def test_a_home_that_cannot_be_created_is_reported(home):
    answer = home.run("run", "-d", "--home", "/proc/nothing/here", "--", "cat")
    assert answer.status == 125, answer
    assert "/proc/nothing/here" in answer.err, answer


def test_home_and_all_in_it_are_private(home):
    os.umask(0)
    try:
        sid = home.start("cat")
        home.wait_status(sid, "running")
    finally:
        os.umask(0o022)
    for path in [home.path / "sessions", *home.path.glob("sessions/**/*")]:
        try:
            mode = path.lstat().st_mode
        except FileNotFoundError:  # it became another file meanwhile
            continue
        if not stat.S_ISLNK(mode):
            assert stat.S_IMODE(mode) & 0o077 == 0, (path, oct(mode))


def test_run_without_a_terminal_says_what_to_do(home):
    answer = home.run("run", "--", "cat")
    assert answer.status == 125, answer
    assert "-d runs the program in the background" in answer.err, answer
    error = home.error("run", "--", "cat", status=125, code="usage")
    assert "--json needs -d" in error["message"], error


def test_attach_if_there_finds_the_session(home):
    first = home.ok("run", "-d", "-A", "-n", "one", "--", "cat").strip()
    second = home.ok("run", "-d", "-A", "-n", "one", "--", "cat").strip()
    assert first == second
    home.ok("kill", first)
    assert home.ok("run", "-d", "-A", "-n", "one", "--", "cat").strip() != first
    answer = home.run("run", "-d", "-A", "--", "cat")
    assert answer.status == 125 and "-n NAME" in answer.err, answer


def test_simultaneous_runs_of_one_name_share_a_session(home):
    """The second caller gets the session of the first."""
    started = [subprocess.Popen([lib.TEND, "run", "-d", "-A", "-n", "one",
                                 "--", "cat"], env=home.env,
                                stdout=subprocess.PIPE) for _ in range(8)]
    ids = {run.communicate(timeout=60)[0] for run in started}
    assert [run.returncode for run in started] == [0] * 8
    assert len(ids) == 1 and len(home.json("ls")) == 1, ids


def on_terminal(home, *args, cols=91, rows=17, type=b"", seconds=30):
    """Run tend on a terminal of its own; returns status and output."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ,
                struct.pack("HHHH", rows, cols, 0, 0))
    done = subprocess.Popen(
        [lib.TEND, *args], stdin=slave, stdout=slave, stderr=slave,
        env={**home.env, "TERM": "xterm-256color"}, start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
    os.close(slave)
    out = b""
    end = time.monotonic() + seconds
    if type:
        os.write(master, type)
    while True:
        ready, _, _ = select.select([master], [], [], 0.1)
        if ready:
            try:
                out += os.read(master, 65536)
            except OSError:
                break
        assert time.monotonic() < end, (args, out)
    os.close(master)
    return done.wait(10), out


@pytest.mark.parametrize("script, status", [
    ("exit 0", 0), ("exit 3", 3), ("kill -TERM $$", 128 + 15)])
def test_an_attached_run_returns_the_status_of_the_program(
        home, script, status):
    got, out = on_terminal(home, "run", "--", "sh", "-c", script)
    assert got == status, out


def test_an_attached_run_has_the_size_of_the_terminal(home):
    got, out = on_terminal(home, "run", "-n", "s", "--", "sh", "-c",
                           "stty size; exit 5")
    assert got == 5, out
    assert home.raw("s") == b"17 91\r\n"


def test_attached_failures_return_125_or_127(home):
    got, out = on_terminal(home, "run", "--", "/no/such/program")
    assert got == 127 and b"/no/such/program" in out, out
    got, out = on_terminal(home, "attach", "nobody")
    assert got == 125, out
    assert b'no session named "nobody"' in out, out


def elsewhere(home, mount, *args):
    """Run tend after a command that mounts something, for it alone."""
    script = f'mount -t {mount} && exec "$@"'
    done = subprocess.run(
        [*lib.own_mounts(), "sh", "-c", script, "sh", lib.TEND, *args],
        env=home.env, capture_output=True, timeout=60)
    return lib.Answer(args, done)


def nothing_left(home):
    """No process, name, file or empty directory is left."""
    assert home.processes() == []
    assert [*home.path.glob("sessions/*"), *home.path.glob("names/*")] == []


def test_running_out_of_terminals_is_reported_and_leaves_nothing(home):
    """O-24: a clear error, and nothing left behind."""
    answer = elsewhere(home, "devpts -o newinstance,ptmxmode=0666,max=1 none "
                       "/dev/pts && exec 9<>/dev/ptmx", "run", "-d", "--", "cat")
    assert answer.status == 125 and answer.out == b"", answer
    assert ("cannot open a pseudo-terminal: all are in use; stop a session, or "
            "raise /proc/sys/kernel/pty/max") in answer.err, answer
    nothing_left(home)


@pytest.mark.parametrize("limit", range(4, 23))
def test_running_out_of_descriptors_is_reported_and_leaves_nothing(
        home, limit):
    """O-24: with any number of descriptors there is a clear error, and nothing
    is left behind."""
    answer = home.run("run", "-d", "--", "cat", preexec_fn=lambda:
                      resource.setrlimit(resource.RLIMIT_NOFILE,
                                         (limit, limit)))
    assert answer.status == 125 and answer.out == b"", answer
    assert "Too many open files" in answer.err, answer
    assert limit == 4 or "ulimit -n" in answer.err, answer
    nothing_left(home)


@pytest.mark.parametrize("blocks, room", [
    (1, False), (2, False), (3, False), (4, None), (5, None)])
def test_a_full_disk_is_reported_and_leaves_no_process(home, blocks, room):
    """A full disk at create: reported, and nothing left behind.  With a
    little more there may be room for its files; a log without room is
    another test."""
    home.env["TEND_MIN_FREE"] = "0"
    answer = elsewhere(
        home, f"tmpfs -o size={4 * blocks}k,nr_inodes={3 * blocks},mode=700 "
        f"none {home.path}", "run", "-d", "--json", "--", "cat")
    assert answer.status == 125 or (answer.status == 0 and room is None), answer
    if answer.status == 125:
        error = json.loads(answer.out)["error"]
        assert error["code"] == "storage", answer
        assert "No space left on device" in error["message"], answer
        assert home.processes() == []


def test_an_idle_session_is_stopped(home):
    sid = home.start("cat", options=["--idle-timeout", "1s"])
    ended = home.wait_status(sid, "exited")
    assert ended["outcome"] == "stopped", ended


def test_a_failed_run_is_reported_in_json(home):
    answer = home.run("run", "--json", "-d", "--", "/no/such/program")
    assert answer.status == 127 and answer.err == "", answer
    whole = json.loads(answer.out)
    assert whole["ok"] is False and whole["command"] == "run"
    assert "/no/such/program" in whole["error"]["message"]
