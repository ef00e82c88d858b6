"""The surrounding session: found by the processes, not by a variable."""

import os
import subprocess

import pytest

import lib
from lib import Home, wait_for
from terminal import Terminal


@pytest.fixture
def home():
    with Home() as made:
        yield made


@pytest.fixture
def tmux(home):
    """tmux with a server of its own, which ends with the test."""
    name = f"tend-{os.getpid()}"
    env = {**home.env, "TERM": "xterm-256color"}

    def run(*args):
        return subprocess.run(["tmux", "-L", name, "-f", "/dev/null", *args],
                              env=env, capture_output=True, text=True)

    run.command = f"tmux -L {name} -f /dev/null"
    yield run
    run("kill-server")


def pane(tmux):
    return tmux("capture-pane", "-p").stdout


def wait_pane(tmux, text):
    wait_for(lambda: text in pane(tmux), lambda: f"{text!r} on:\n{pane(tmux)}")


def test_a_tmux_that_outlived_its_session_is_in_no_session(home, tmux):
    """Its shells still have TEND_SESSION; attach and run work there."""
    outer = home.start("sh", "-c", f"{tmux.command} new-session -d -x 80 "
                       "-y 24 sh; echo started")
    home.wait_gone(outer)
    inner = home.start("sh", "-c", "echo in the inner one; exec cat",
                       options=["-n", "inner"])
    home.wait_text(inner, "in the inner one")
    tmux("send-keys", f"echo in ${{TEND_SESSION}}; {lib.TEND} attach inner; "
         "echo status $?", "Enter")
    wait_pane(tmux, "in the inner one")
    tmux("send-keys", "C-]", "d")
    wait_pane(tmux, "status 0")
    assert f"in {outer}" in pane(tmux), pane(tmux)
    tmux("send-keys", f"clear; {lib.TEND} run -n other -- "
         "sh -c 'echo it runs; exec cat'", "Enter")
    wait_pane(tmux, "it runs")
    assert home.info("other")["status"] == "running"


def test_a_tmux_started_in_a_running_session_belongs_to_it(home, tmux):
    outer = home.start("sh", "-c", f"{tmux.command} new-session -d -x 80 "
                       "-y 24 sh; echo started; exec cat")
    home.wait_text(outer, "started")
    home.start("cat", options=["-n", "inner"])
    tmux("send-keys", f"clear; {lib.TEND} attach inner; echo status $?",
         "Enter")
    wait_pane(tmux, "status 125")
    assert "already in a session" in pane(tmux), pane(tmux)
    tmux("send-keys", f"clear; {lib.TEND} attach --nested {outer}; "
         "echo own $?", "Enter")
    wait_pane(tmux, "own 125")
    assert "itself" in pane(tmux), pane(tmux)


def test_the_variable_alone_makes_no_surrounding_session(home):
    sid = home.start("sh", "-c", "echo ready; exec cat")
    home.wait_text(sid, "ready")
    with Terminal() as term:
        term.run(lib.TEND, "attach", sid, env={**home.env,
                                               "TEND_SESSION": sid})
        term.wait_text("ready")
        term.type("\x1dd")
        assert term.ended() == 0, term.text()


def test_the_surrounding_session_is_found_without_the_variable(home):
    sid = home.start("sh", "-c", "echo ready; exec sh")
    home.wait_text(sid, "ready")
    for args in (sid, f"--nested {sid}"):
        home.ok("send", sid, "--text", f"clear; env -u TEND_SESSION "
                f"{lib.TEND} attach {args}; echo status $?", "--keys", "Enter")
        home.wait_text(sid, "status 125")
        home.wait_text(sid, "itself")
