"""`tend exec` at shells without marks: one without integration, and one behind
ssh.  The echo of the wrapping is never shown (K-07)."""

import getpass
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time

import pytest

from lib import TEND, wait_for
from shells import CASES, LIMIT, SHELLS, home, ready, started  # noqa: F401
from wire import Wire

FULL = "TEND_TEST_FULL" in os.environ

# Parts of a wrapping that would be visible.
INNER = re.compile(rb"tend=|printf'? %b|\\0\d\d\d|ZSH_VERSION|__t=|eval'? ")


def exec_in(home, sid, command):  # noqa: F811
    answer = home.run("exec", sid, "--json", "--timeout", LIMIT, "--", command)
    body = json.loads(answer.text)
    assert body["ok"], (answer, home.screen(sid)["lines"])
    return body["result"]


def nothing_inner_in(home, sid, where):  # noqa: F811
    """Neither the log's output, nor its text, nor the screen shows any."""
    seen = {
        "raw": home.raw(sid),
        "text": home.ok("log", sid).encode(),
        "events": "".join(
            e.get("data", "") for e in home.events(sid)
            if e["type"] == "output").encode(),
        "screen": "\n".join(home.screen(sid)["lines"]).encode(),
    }
    for name, text in seen.items():
        found = INNER.search(text)
        assert not found, (where, name, text[max(0, found.start() - 200):
                                             found.end() + 200])


def status_is_kept(home, sid, shell):  # noqa: F811
    """The next command sees the status of the last, however it was typed."""
    tell = "echo is $status" if shell == "fish" else "echo is $?"
    assert exec_in(home, sid, "sh -c 'exit 7'")["exit_code"] == 7
    seq = home.json("send", sid, "--text", tell + "\r")["seq"]
    home.ok("wait", sid, "--text", "is 7", "--after", str(seq), "--timeout",
            LIMIT)
    if shell != "fish":
        exec_in(home, sid, "sh -c 'exit 6'")
        assert exec_in(home, sid, tell)["output"] == "is 6\n"


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_without_integration_gives_status_and_output(
        home, shell):  # noqa: F811
    """K-07: the status is right, and so is the output unless others print."""
    sid = home.start(*SHELLS[shell], options=["--no-integration"])
    assert home.info(sid)["shell"] is None
    ready(home, sid)
    with Wire(home.path / "sessions" / sid) as viewer:
        for case in CASES if FULL else CASES[:8]:
            if not case.runs_in(shell):
                continue
            result = exec_in(home, sid, case.text(shell))
            assert result["capture"] == "best-effort", result
            if isinstance(case.status, int):
                assert result["exit_code"] == case.status, (case.command,
                                                            result)
            if isinstance(case.output, str):
                assert result["output"] == case.output, (case.command, result)
        status_is_kept(home, sid, shell)
        viewer.sync()
        assert not INNER.search(viewer.output), viewer
    nothing_inner_in(home, sid, shell)
    assert "tend=" not in home.ok("snapshot", sid)


def test_the_screen_shows_only_the_command_and_its_output(home):  # noqa: F811
    sid = home.start("bash", "--norc", options=["-e", "PS1=here> "])
    ready(home, sid)
    exec_in(home, sid, "echo one\necho two")
    screen = home.wait_text(sid, "two\nhere>")
    lines = [line for line in screen["lines"] if line]
    assert lines == ["here> echo one", "echo two", "one", "two", "here>"]


def test_a_shell_may_be_slow_to_echo(home):  # noqa: F811
    """It pauses for longer than the echo of other programs may take."""
    sid = home.start(*SHELLS["zsh"], options=["--no-integration"])
    ready(home, sid)
    exec_in(home, sid, "true")
    pid = home.info(sid)["child_pid"]
    os.kill(pid, signal.SIGSTOP)
    caller = subprocess.Popen(
        [TEND, "exec", sid, "--timeout", LIMIT, "--", "echo late"],
        env=home.env, stdout=subprocess.PIPE)
    wait_for(lambda: "late" in home.events(sid, "input")[-1]["data"],
             lambda: home.events(sid, "input"))
    home.ok("wait", sid, "--idle", "4s")
    os.kill(pid, signal.SIGCONT)
    assert caller.communicate(timeout=60)[0] == b"late\n"
    assert caller.returncode == 0
    nothing_inner_in(home, sid, "zsh")


def test_a_late_host_still_returns_the_output(home):  # noqa: F811
    """Output of that time is read before its clock counts."""
    sid = home.start(*SHELLS["dash"], options=["--no-integration"])
    ready(home, sid)
    exec_in(home, sid, "true")
    session = home.info(sid)
    os.kill(session["child_pid"], signal.SIGSTOP)
    caller = subprocess.Popen(
        [TEND, "exec", sid, "--timeout", LIMIT, "--", "echo late"],
        env=home.env, stdout=subprocess.PIPE)
    wait_for(lambda: "late" in home.events(sid, "input")[-1]["data"],
             lambda: home.events(sid, "input"))
    os.kill(session["host_pid"], signal.SIGSTOP)
    end = time.monotonic() + 4
    os.kill(session["child_pid"], signal.SIGCONT)
    wait_for(lambda: time.monotonic() > end, "more than it waits for")
    os.kill(session["host_pid"], signal.SIGCONT)
    assert caller.communicate(timeout=60)[0] == b"late\n"
    assert caller.returncode == 0
    nothing_inner_in(home, sid, "dash")


def test_the_echo_of_a_program_that_is_not_a_shell_is_shown(
        home, tmp_path):  # noqa: F811
    """It is held back for a while only; nothing is lost."""
    program = shutil.copy("/bin/cat", tmp_path / "bash")
    sid = home.start(program, options=["--no-integration"])
    begun = time.monotonic()
    answer = home.run("exec", sid, "--json", "--timeout", "500ms", "--",
                      "echo hello")
    assert answer.status == 11, answer
    shown = str(home.screen(sid)["lines"])
    if time.monotonic() - begun < 3:  # for so long it is held back
        assert "printf" not in shown, shown
    home.wait_text(sid, "'printf' %b")
    error = home.error("exec", sid, "--", "echo no", status=125, code="busy")
    assert "earlier exec" in error["message"], error


def test_after_an_interrupt_the_next_command_runs(home):  # noqa: F811
    sid = home.start("bash", "--norc", options=["-e", "PS1=here> "])
    ready(home, sid)
    answer = home.run("exec", sid, "--timeout", "3s", "--",
                      "echo begun; cat")
    assert answer.status == 11 and answer.text == "begun\n", answer
    home.error("exec", sid, "--", "true", status=125, code="busy")
    started(home, "cat")
    home.ok("send", sid, "--keys", "C-c")
    home.wait_text(sid, "^C\nhere>")
    assert exec_in(home, sid, "echo next")["output"] == "next\n"
    ends = [e["data"]["outcome"] for e in home.events(sid)
            if e["type"] == "run-end"]
    assert ends == ["interrupted", "completed"], ends


def test_an_interrupt_is_seen_by_the_prompt(home):  # noqa: F811
    """The waiting caller learns it, though the shell does not report it."""
    for shell, (command, prompt) in OTHERS.items():
        sid = home.start(*command, options=["--no-integration", "-e",
                                            "PS1=here> "])
        home.wait_text(sid, prompt)
        exec_in(home, sid, "true")
        home.ok("wait", sid, "--regex", re.escape(prompt) + " *$", "--stable",
                "100ms")
        caller = subprocess.Popen(
            [TEND, "exec", sid, "--json", "--timeout", LIMIT, "--",
             "echo begun; cat"], env=home.env, stdout=subprocess.PIPE)
        home.wait_text(sid, "\nbegun")
        home.ok("send", sid, "--keys", "C-c")
        result = json.loads(caller.communicate(timeout=90)[0])["result"]
        assert result["outcome"] == "interrupted", (shell, result)
        assert result["output"].startswith("begun\n"), (shell, result)
        assert exec_in(home, sid, "echo next")["output"] == "next\n"


OTHERS = {"bash": (["bash", "--norc"], "here>"), "dash": (["dash"], "here>"),
          "ash": (["busybox", "ash"], "here>")}


def test_the_next_host_holds_back_the_same_echo(home):  # noqa: F811
    """It dies when the command has been typed and not yet been read."""
    sid = home.start("bash", "--norc", options=["-e", "PS1=here> "])
    ready(home, sid)
    shell = home.info(sid)["child_pid"]
    os.kill(shell, signal.SIGSTOP)
    caller = subprocess.Popen([TEND, "exec", sid, "--", "echo found"],
                              env=home.env, stderr=subprocess.DEVNULL)
    wait_for(lambda: [e for e in home.events(sid) if e["type"] == "run"],
             lambda: home.events(sid))
    os.kill(home.info(sid)["host_pid"], 9)
    assert caller.wait(timeout=60) == 125
    wait_for(lambda: home.info(sid)["host_pid"], lambda: home.info(sid))
    os.kill(shell, signal.SIGCONT)
    home.wait_text(sid, "here> echo found\nfound\nhere>")
    nothing_inner_in(home, sid, "after the host's death")
    ends = [e["data"] for e in home.events(sid) if e["type"] == "run-end"]
    assert [(e["outcome"], e["exit_code"]) for e in ends] == \
        [("completed", 0)], ends


class Sshd:
    """A server of our own on this machine, for this user."""

    def __init__(self, directory):
        self.directory = directory
        for name in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "",
                            "-f", directory / name], check=True)
        (directory / "allowed").write_bytes(
            (directory / "user.pub").read_bytes())
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        (directory / "sshd_config").write_text(
            f"Port {self.port}\nListenAddress 127.0.0.1\n"
            f"HostKey {directory}/host\nAuthorizedKeysFile {directory}/allowed\n"
            f"StrictModes no\nPermitRootLogin yes\nPasswordAuthentication no\n"
            f"UsePAM no\nPidFile none\nPrintMotd no\nPrintLastLog no\n"
            f"AcceptEnv *\n")

    def __enter__(self):
        if os.getuid() == 0:  # where it gives up its rights
            pathlib.Path("/run/sshd").mkdir(exist_ok=True)
        self.process = subprocess.Popen(
            ["/usr/sbin/sshd", "-D", "-e", "-f",
             self.directory / "sshd_config"], stderr=subprocess.PIPE)
        wait_for(self.answers, "sshd")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def answers(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), 5).close()
        except OSError:
            return False
        return True

    def command(self, remote):
        return (f"ssh -q -t -F none -p {self.port} -i {self.directory}/user "
                "-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null "
                f"-o IdentitiesOnly=yes {getpass.getuser()}@127.0.0.1 "
                f"\"HOME={self.directory} LC_ALL=C.UTF-8 PS1='far> ' {remote}\"")


REMOTES = {"bash": "bash --norc", "dash": "dash", "zsh": "zsh -f",
           "fish": "fish --no-config", "ash": "busybox ash"}


@pytest.mark.parametrize("remote", REMOTES)
def test_behind_ssh_the_status_is_right_and_nothing_inner_shows(
        home, tmp_path, remote):  # noqa: F811
    """K-07, from an integrated shell into an unknown one."""
    with Sshd(tmp_path) as sshd:
        sid = home.start("bash")
        ready(home, sid)
        seq = home.json("send", sid, "--text",
                        sshd.command(REMOTES[remote]) + "\r")["seq"]
        # The prompt, which fish makes itself, and not the typed text.
        home.ok("wait", sid, "--regex", r"^(far>|\S+ \S+[#>]) *$", "--after",
                str(seq), "--timeout", LIMIT)
        for case in CASES if FULL else CASES[:6]:
            if not case.runs_in(remote):
                continue
            result = exec_in(home, sid, case.text(remote))
            assert result["capture"] == "best-effort", result
            if isinstance(case.status, int):
                assert result["exit_code"] == case.status, (case.command,
                                                            result)
            if isinstance(case.output, str):
                assert result["output"] == case.output, (case.command, result)
        where = exec_in(home, sid, "tty")["output"]
        assert where.startswith("/dev/pts/"), where
        raw = home.raw(sid)
        # All marks are from the shell that tend has started.
        key = json.loads(pathlib.Path(
            home.dir(sid), "session.json").read_text())["shell_key"]
        keys = set(re.findall(rb"tend=([0-9a-f]*)", raw))
        assert keys == {key.encode()}, keys
        shown = re.sub(rb"\x1b\]133;[^\x07]*\x07", b"", raw)
        found = INNER.search(shown)
        assert not found, shown[max(0, found.start() - 300):found.end() + 300]
        # Then back: the end of the connection is the end of the run.
        result = json.loads(home.run(
            "exec", sid, "--json", "--timeout", LIMIT, "--", "exit").text)
        assert result["result"]["outcome"] in ("interrupted", "completed")
        assert exec_in(home, sid, "tty")["output"] != where
        assert exec_in(home, sid, "false")["capture"] == "exact"
