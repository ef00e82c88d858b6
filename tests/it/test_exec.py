"""`tend exec`: commands of every kind, in every shell, with their status and
exactly their output (K-07)."""

import json
import os
import re
import subprocess

import pytest

from lib import TEND, wait_for
from shells import (CASES, LIMIT, SHELLS, Case, home, ready,  # noqa: F401
                    run, started)

FULL = "TEND_TEST_FULL" in os.environ


def chosen():
    return CASES if FULL else CASES[:12]


@pytest.mark.parametrize("shell", SHELLS)
def test_each_command_gives_its_status_and_exactly_its_output(home, shell):  # noqa: F811
    sid = home.start(*SHELLS[shell])
    for case in chosen():
        if not case.runs_in(shell):
            continue
        result = run(home, sid, case.text(shell))
        if isinstance(case.status, re.Pattern):
            assert result["exit_code"] is not None
            case = Case(case.command, result["exit_code"], case.output,
                        case.fish)
        case.check(result, shell)
    # The shell is as before: at its prompt, with nothing left over.
    assert run(home, sid, "echo end")["output"] == "end\n"


def test_a_timeout_ends_no_command(home, tmp_path):  # noqa: F811
    """K-07: a timeout answers with the output so far; the command continues,
    its end is seen and logged, and meanwhile no other can run."""
    sid = home.start("bash")
    run(home, sid, "true")
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    answer = home.run("exec", sid, "--json", "--timeout", "3s", "--",
                      f"echo begun; cat {gate}; echo done")
    assert answer.status == 11, answer
    result = json.loads(answer.text)["result"]
    assert result["timed_out"] and result["outcome"] == "timed_out", result
    assert result["exit_code"] is None and result["output"] == "begun\n"

    error = home.error("exec", sid, "--", "echo second", status=125,
                       code="busy")
    assert "earlier exec" in error["message"], error

    gate.write_text("through the gate\n")
    end = ended(home, sid, 2)
    assert end["outcome"] == "completed" and end["exit_code"] == 0, end
    assert run(home, sid, "echo third")["output"] == "third\n"
    output = home.raw(sid)
    assert b"through the gate\r\ndone\r\n" in output, output


def test_a_long_command_is_announced_once(home, tmp_path):  # noqa: F811
    """After ten seconds, and not for readers of JSON."""
    gates, callers = [], []
    for name, options in (("json", ["--json"]), ("build", [])):
        home.start("bash", options=["--name", name])
        gate = tmp_path / name
        os.mkfifo(gate)
        callers.append(subprocess.Popen(
            [TEND, "exec", name, *options, "--", f"cat {gate}"], env=home.env,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE))
        gates.append(open(gate, "w"))  # its command runs
    note = callers[1].stderr.readline().decode()
    assert re.search(r'still waiting for "cat [^"]*" in session build '
                     r'\(10 s\); C-c stops waiting', note), note
    for gate, caller in zip(gates, callers):
        gate.write("through\n")
        gate.close()
        out, rest = caller.communicate(timeout=60)
        assert caller.returncode == 0 and b"through" in out, (out, rest)
        assert rest == b"", rest


def ended(home, sid, number):
    """The log's record of the last of that many runs."""
    def look():
        ends = home.events(sid, "run-end")
        return ends[number - 1]["data"] if len(ends) >= number else None

    return wait_for(look, lambda: home.events(sid))


def test_a_caller_that_is_killed_ends_nothing(home, tmp_path):  # noqa: F811
    """K-07"""
    sid = home.start("bash")
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    caller = subprocess.Popen(
        [TEND, "exec", sid, "--", f"cat {gate}"], env=home.env)
    with open(gate, "w") as f:  # it runs
        caller.kill()
        caller.wait()
        f.write("still here\n")
    home.wait_text(sid, "still here")
    ended(home, sid, 1)
    assert run(home, sid, "echo next")["output"] == "next\n"


@pytest.mark.parametrize("shell", SHELLS)
def test_a_command_that_ends_the_shell_returns_its_status(
        home, shell):  # noqa: F811
    """K-07: an end that is not seen before the session's end is never seen."""
    sid = home.start(*SHELLS[shell])
    answer = home.run("exec", sid, "--json", "--timeout", LIMIT, "--",
                      "echo last words; exit 3")
    assert answer.status == 3, answer
    result = json.loads(answer.text)["result"]
    # fish runs the rest of its line, and ends then.
    assert result["outcome"] == ("completed" if shell == "fish" else
                                 "interrupted"), result
    assert result["output"].startswith("last words\n"), result
    home.wait_status(sid, "exited")


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("signal, number", [("KILL", 9), ("HUP", 1)])
def test_a_signal_that_ends_the_shell_gives_128_and_its_number(
        home, shell, signal, number):  # noqa: F811
    """And a signal that ends a command, as the shell reports it."""
    sid = home.start(*SHELLS[shell])
    assert home.run("exec", sid, "--timeout", LIMIT, "--",
                    f"sh -c 'kill -{signal} $$'").status == 128 + number
    own = "$fish_pid" if shell == "fish" else "$$"
    answer = home.run("exec", sid, "--json", "--timeout", LIMIT, "--",
                      f"kill -{signal} {own}; cat")
    result = json.loads(answer.text)["result"]
    assert result["outcome"] == "interrupted", result
    if result["exit_code"] is None:
        assert result["exit_signal"] == number, result
        assert answer.status == 128 + number, answer
    else:  # a shell may see to HUP itself
        assert shell in HANDLE_HUP and signal == "HUP", result


HANDLE_HUP = ("fish", "zsh")


def test_set_e_ends_the_shell_as_it_does_when_typed(home):  # noqa: F811
    sid = home.start("bash")
    assert run(home, sid, "set -e; true")["exit_code"] == 0
    result = run_any(home, sid, "false")
    assert result["outcome"] == "interrupted" and result["exit_code"] == 1


def run_any(home, sid, command, *options):
    """The result of an exec, whatever its status."""
    return json.loads(home.run("exec", sid, "--json", "--timeout", LIMIT,
                               *options, "--", command).text)["result"]


def test_output_cut_at_the_limit_is_reported(home):  # noqa: F811
    """100 MB; the log has it all, or as much as its limit allows."""
    sid = home.start("bash", options=["--max-log", "16M"])
    size = 100_000_000 if FULL else 10_000_000
    line = "y" * 79  # short ones take a terminal far longer
    result = run_any(home, sid, f"yes {line} | head -c {size}; "
                     "echo end >&2; sh -c 'exit 4'",
                     "--max-output", "64K", "--timeout", "110s")
    assert result["exit_code"] == 4 and result["truncated"], \
        str(result)[:300]
    assert 30_000 < len(result["output"]) <= 65536
    assert set(result["output"].split("\n")[1:-1]) == {line}
    assert run(home, sid, "echo after")["output"] == "after\n"


def test_arguments_reach_the_command_unchanged(home):  # noqa: F811
    sid = home.start("bash")
    answer = home.run("exec", sid, "--", "printf", "<%s>\\n", "a b", "", "it's",
                      "$x", "plain")
    assert answer.status == 0, answer
    assert answer.text == "<a b>\n<>\n<it's>\n<$x>\n<plain>\n"
    assert home.run("exec", sid, "--", "sh", "-c", "exit 7").status == 7


def test_output_that_is_not_text_is_replaced(home):  # noqa: F811
    sid = home.start("bash")
    result = run(home, sid, "printf 'a\\377b\\000c'")
    assert result["output"] == "a\ufffdb\ufffdc"


def test_incomplete_commands_are_refused_and_the_prompt_comes_back(home):  # noqa: F811
    for shell in ("bash", "zsh"):
        sid = home.start(*SHELLS[shell])
        for command in ("echo 'open", "cat <<END\nx", "if true; then",
                        "echo one\necho (" if shell == "zsh" else "{ echo"):
            error = home.error("exec", sid, "--timeout", LIMIT, "--", command,
                               status=125, code="usage")
            assert "not complete" in error["message"], (shell, command, error)
        assert run(home, sid, "echo fine")["output"] == "fine\n"


def test_an_impossible_exec_is_refused_and_types_nothing(home):  # noqa: F811
    sid = home.start("bash")
    run(home, sid, "true")

    def events():
        """Everything except the prompt, which may be yet to come."""
        return [e for e in home.events(sid) if e["type"] != "output"]

    before = events()
    for command in ("", "  \n ", "x" * 70000):
        error = home.error("exec", sid, "--", command, status=125,
                           code="usage")
        assert "command" in error["message"], error
    error = home.error("exec", sid, "--max-output", "3M", "--", "true",
                       status=125, code="usage")
    assert "max_output" in error["message"], error
    assert events() == before


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_half_typed_line_is_not_run(home, shell):  # noqa: F811
    sid = home.start(*SHELLS[shell])
    run(home, sid, "true")
    ready(home, sid)
    home.ok("send", sid, "--text", "rm -rf important")
    home.wait_text(sid, "important")
    error = home.error("exec", sid, "--", "echo no", status=125, code="busy")
    assert "typed at the prompt" in error["message"], error
    # The same if the cursor has gone back to its beginning.
    col = home.screen(sid)["cursor"]["col"]
    home.ok("send", sid, "--keys", "C-a")
    wait_for(lambda: home.screen(sid)["cursor"]["col"] < col,
             lambda: home.screen(sid)["lines"])
    error = home.error("exec", sid, "--", "echo no", status=125, code="busy")
    assert "typed at the prompt" in error["message"], error
    home.ok("send", sid, "--keys", "C-e C-u")
    wait_for(lambda: "important" not in str(home.screen(sid)["lines"]),
             lambda: home.screen(sid)["lines"])
    assert run(home, sid, "echo yes")["output"] == "yes\n"


def test_a_line_typed_ahead_is_not_run_either(home):  # noqa: F811
    """Typed before the prompt was there, which then shows it."""
    for shell in ("bash", "zsh", "fish"):
        sid = home.start(*SHELLS[shell])
        run(home, sid, "true")
        ready(home, sid)
        home.ok("send", sid, "--text", "sleep 0.5; echo do''ne\r")
        home.ok("send", sid, "--text", "rm -rf ahead")
        home.error("exec", sid, "--timeout", LIMIT, "--", "echo no",
                   status=125, code="busy")
        home.ok("wait", sid, "--regex", "done\n.*rm -rf ahead *$",
                "--timeout", LIMIT)
        error = home.error("exec", sid, "--", "echo no", status=125,
                           code="busy")
        assert "typed at the prompt" in error["message"], (shell, error)


def test_exec_takes_one_session(home):  # noqa: F811
    """stop and wait take several sessions, so people try; w2 is not a
    command."""
    home.start("bash", options=["-n", "w1"])
    error = home.error("exec", "w1", "w2", "w3", "--", "hostname", status=125,
                       code="usage")
    assert "unexpected argument: w2" in error["message"], error
    assert b"hostname" not in home.raw("w1")


def test_other_programs_are_not_typed_at(home):  # noqa: F811
    sid = home.start("bash")
    ready(home, sid)
    home.ok("send", sid, "--text", "cat\r")
    started(home, "cat")
    error = home.error("exec", sid, "--", "echo no", status=125, code="busy")
    assert "prompt" in error["message"] or "command" in error["message"]
    seq = home.json("send", sid, "--keys", "C-d")["seq"]
    home.ok("wait", sid, "--command-done", "--after", str(seq))
    assert run(home, sid, "echo yes")["output"] == "yes\n"
    for options in ([], ["--no-integration"]):
        sid = home.start("bash", options=options)
        ready(home, sid)
        home.ok("send", sid, "--text", "(echo reading; read x)\r")
        home.wait_text(sid, "\nreading")
        error = home.error("exec", sid, "--", "echo no", status=125,
                           code="busy")
        assert "already running" in error["message"], error
    lone = home.start("cat")
    error = home.error("exec", lone, "--", "echo no", status=125, code="busy")
    assert "cat is in the foreground" in error["message"], error


def test_a_prompt_that_was_not_submitted_is_not_run(home):  # noqa: F811
    """Its text is at the shell's prompt as if a person had typed it."""
    sid = home.start("bash")
    ready(home, sid)
    answer = home.run("prompt", sid, "--timeout", "1ms", "rm -rf important")
    assert answer.status == 11, answer
    home.wait_text(sid, "important")
    error = home.error("exec", sid, "--", "echo no", status=125, code="busy")
    assert "typed at the prompt" in error["message"], error
    home.ok("send", sid, "--keys", "C-u")
    wait_for(lambda: "important" not in str(home.screen(sid)["lines"]),
             lambda: home.screen(sid)["lines"])
    assert run(home, sid, "echo yes")["output"] == "yes\n"


@pytest.mark.parametrize("command", [
    ["bash", "-c", "echo reading; read x; echo \"got $x\""],
    ["sh", "-c", "echo reading; read x; echo \"got $x\""]])
def test_a_script_that_reads_is_not_typed_at(home, command):  # noqa: F811
    sid = home.start(*command)
    home.wait_text(sid, "reading")
    error = home.error("exec", sid, "--", "echo no", status=125, code="busy")
    assert "script" in error["message"], error
    home.ok("send", sid, "--text", "yes\r")
    home.wait_text(sid, "got yes")


def test_a_program_that_is_to_be_started_again_is_not_typed_at(home):  # noqa: F811
    sid = home.start("sh", "-c", "exit 3", options=["--restart", "always"])
    wait_for(lambda: home.info(sid)["child_pid"] is None,
             lambda: home.info(sid))
    error = home.error("exec", sid, "--", "echo no", status=125,
                       code="not_running")
    assert "started again" in error["message"], error


def test_a_host_that_dies_leaves_the_command_to_the_next(
        home, tmp_path):  # noqa: F811
    """The waiting caller learns it at once; the end is still seen and
    logged."""
    ways = [(command, []) for command in SHELLS.values()]
    for command, options in ways + [(["bash"], ["--no-integration"])]:
        sid = home.start(*command, options=options)
        ready(home, sid)
        gate = tmp_path / f"gate-{sid}"
        os.mkfifo(gate)
        caller = subprocess.Popen(
            [TEND, "exec", sid, "--", f"cat {gate}; sh -c 'exit 6'"],
            env=home.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with open(gate, "w") as f:
            assert home.events(sid, "run")
            os.kill(home.info(sid)["host_pid"], 9)
            output, said = caller.communicate(timeout=60)
            assert caller.returncode == 125 and output == b"", said
            assert b"tend log --events" in said, said
            error = home.error("exec", sid, "--", "echo no", status=125,
                               code="busy")
            assert "earlier exec" in error["message"], error
            f.write("passed\n")
        end = ended(home, sid, 1)
        begin = [e for e in home.events(sid) if e["type"] == "run"]
        assert end == {**end, "run": begin[0]["seq"], "exit_code": 6,
                       "outcome": "completed"}, (command, end, begin)
        assert b"tend=" not in home.raw(sid) or not options, command
        result = run(home, sid, "echo after; sh -c 'exit 7'")
        assert (result["exit_code"], result["output"]) == (7, "after\n")


def test_no_host_takes_over_during_an_exec(home, tmp_path):  # noqa: F811
    sid = home.start("bash")
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    caller = subprocess.Popen(
        [TEND, "exec", sid, "--", f"cat {gate}; sh -c 'exit 6'"],
        env=home.env, stdout=subprocess.PIPE)
    with open(gate, "w") as f:
        answer = home.run("upgrade", sid)
        assert answer.status != 0 and "tend exec" in answer.err, answer
        f.write("passed\n")
    assert caller.communicate(timeout=60)[0] == b"passed\n"
    assert caller.returncode == 6
    home.ok("upgrade", sid)
    assert run(home, sid, "echo after")["output"] == "after\n"
