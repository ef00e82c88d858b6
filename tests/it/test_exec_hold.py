"""`tend exec` holds back the possible echo of its own text: never longer than
there is a reason, and never beyond the end of the program."""

import json
import os
import pathlib
import re
import signal
import subprocess
import time

from lib import TEND, wait_for
from shells import LIMIT, SHELLS, home, ready, run  # noqa: F401

# A shell has that long to echo its input, and no output may wait so long.
ECHO_S = 15


def zshrc(home, text):  # noqa: F811
    pathlib.Path(home.env["HOME"], ".zshrc").write_text(text)


def stuck(home):  # noqa: F811
    """A shell that never reaches the first mark of the typed text: it is back
    at its prompt, which it does not mark."""
    zshrc(home, "PROMPT='here> '\n")
    sid = home.start(*SHELLS["zsh"], options=["--no-integration"])
    home.wait_text(sid, "here>")
    home.ok("send", sid, "--text", "for f in printf test; do "
            "functions[$f]=false; done; PROMPT='st''uck> '\r")
    home.wait_text(sid, "stuck>")
    return sid


def typed(home, sid, command):  # noqa: F811
    """Start an exec without waiting for it."""
    answer = home.run("exec", sid, "--timeout", "300ms", "--", command)
    assert answer.status == 11, answer
    wait_for(lambda: home.events(sid, "run"), lambda: home.events(sid))


def killed(home, sid):  # noqa: F811
    begun = time.monotonic()
    home.ok("kill", sid)
    assert time.monotonic() - begun < ECHO_S - 5
    assert home.events(sid, "exit"), home.events(sid)[-5:]


def test_kill_ends_a_session_whatever_an_exec_has_left(home):  # noqa: F811
    """Execs whose end cannot be seen are given up, and their held output is
    shown."""
    for sid in (stuck(home), cautious(home)):
        for command in ("(exit 3)", "(exit 3)", "true"):
            home.run("exec", sid, "--timeout", "2s", "--", command)
            home.ok("send", sid, "--keys", "C-c")
        killed(home, sid)


def cautious(home):  # noqa: F811
    zshrc(home, "PROMPT='here> '\nsetopt nounset errreturn\n")
    sid = home.start(*SHELLS["zsh"])
    home.wait_text(sid, "here>")
    return sid


def test_the_end_of_the_program_ends_every_hold(home):  # noqa: F811
    sid = stuck(home)
    typed(home, sid, "echo never")
    killed(home, sid)
    assert b"eval" in home.raw(sid)  # nothing of it is lost


def test_other_output_than_echo_is_shown_at_once(home, tmp_path):  # noqa: F811
    """Lines of a background job come before the shell has echoed; the echo is
    still held back."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    sid = home.start(*SHELLS["zsh"], options=["--no-integration"])
    ready(home, sid)
    run(home, sid, f"cat {fifo} &")
    ready(home, sid)
    shell = home.info(sid)["child_pid"]
    with open(fifo, "w") as f:
        os.kill(shell, signal.SIGSTOP)
        caller = subprocess.Popen(
            [TEND, "exec", sid, "--timeout", LIMIT, "--", "echo later"],
            env=home.env, stdout=subprocess.PIPE)
        wait_for(lambda: "later" in home.events(sid, "input")[-1]["data"],
                 lambda: home.events(sid, "input"))
        f.write("from a job\n")
        f.flush()
        home.wait_text(sid, "from a job")
        os.kill(shell, signal.SIGCONT)
        assert caller.communicate(timeout=60)[0] == b"later\n"
    assert not re.search(rb"printf'? %b|tend=", home.raw(sid)), home.raw(sid)


def test_an_echo_without_an_answer_is_shown_soon(home):  # noqa: F811
    """It was entered, and the shell does not run it."""
    sid = stuck(home)
    typed(home, sid, "echo never")
    begun = time.monotonic()
    home.wait_text(sid, "eval")
    assert time.monotonic() - begun < ECHO_S - 5


def test_a_prompt_in_place_of_the_mark_ends_the_hold(home):  # noqa: F811
    """The session's shell reports that it has refused the typed text."""
    sid = home.start(*SHELLS["dash"])
    run(home, sid, "true")
    ready(home, sid)
    run(home, sid, "command() { return 5; }; printf() { return 6; }")
    answer = json.loads(home.run("exec", sid, "--json", "--timeout", LIMIT,
                                 "--", "echo no").text)["result"]
    assert answer["exit_code"] is None, answer
    assert answer["outcome"] == "interrupted", answer
