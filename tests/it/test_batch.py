"""Steps over one connection: K-08, K-09."""

import json
import os
import re
import signal
import subprocess

import pytest

from lib import TEND, Home, wait_for


@pytest.fixture
def home():
    with Home() as made:
        yield made


@pytest.fixture
def shell(home):
    """A program that answers each line with it in brackets."""
    sid = home.start("sh", "-c", "echo ready; while read -r x; do "
                     "echo \"[$x]\"; done", options=["--size", "40x10"])
    home.wait_text(sid, "ready")
    return sid


def batch(home, sid, steps, *options, status=0):
    """The result of a batch whose exit status must be this."""
    answer = home.run("batch", "--json", sid, *options,
                      input=json.dumps(steps).encode())
    assert answer.status == status, answer
    whole = json.loads(answer.out)
    assert whole["ok"] is True and whole["command"] == "batch", answer
    return whole["result"]


def statuses(result):
    return [step["status"] for step in result["steps"]]


def test_a_batch_runs_steps_of_input_wait_and_snapshot(home, shell):
    result = batch(home, shell, [
        {"text": "one"}, {"keys": ["Enter"]}, {"wait": "[one]"},
        {"paste": "two\n"}, {"wait": {"regex": r"\[tw.\]", "timeout": "30s"}},
        {"hex": "78 0d"}, {"wait": {"text": "[x]"}},
        {"snapshot": {"format": "text"}}])
    assert statuses(result) == ["completed"] * 8, result
    assert result["completed"] == 8 and result["failed"] == []
    assert [s["index"] for s in result["steps"]] == list(range(8))
    for step in result["steps"][:-1]:
        assert step["seq"] > 0 and step["duration_ms"] >= 0, step
    shown = result["steps"][-1]["result"]["data"].split("\n")
    assert [line for line in shown if line.startswith("[")] == \
        ["[one]", "[two]", "[x]"]


def test_commands_and_prompts_are_steps_too(home):
    sid = home.start("bash", options=["--size", "60x10"])
    result = batch(home, sid, [
        {"exec": "echo one; false", "ok": [0, 1]},
        {"exec": {"command": "echo two",
                  "timeout": "30s"}},
        {"prompt": {"text": "echo three", "profile": "shell",
                    "timeout": "60s"}},
        {"wait": {"regex": "^three$"}},
        {"snapshot": {"format": "text", "last_command": True}}])
    assert statuses(result) == ["completed"] * 5, result
    ran = [step.get("result") for step in result["steps"]]
    assert (ran[0]["exit_code"], ran[0]["output"]) == (1, "one\n"), ran
    assert (ran[1]["exit_code"], ran[1]["output"]) == (0, "two\n"), ran
    assert ran[2]["result"] == "delivered", ran
    assert ran[2]["reason"] == "the shell has begun a command", ran
    assert ran[4]["data"] == "three", ran
    result = batch(home, sid, [{"exec": {"command": "sleep 60",
                                         "timeout": "2s"}}], status=11)
    assert result["steps"][0]["error"]["code"] == "timed_out", result


def test_a_command_that_fails_ends_a_batch(home):
    """Its status is reported and passed on, unless the step allows it."""
    sid = home.start("bash", options=["--size", "60x10"])
    steps = [{"exec": "echo one; (exit 3)"}, {"exec": "echo two"}]
    result = batch(home, sid, steps, status=3)
    assert statuses(result) == ["failed", "not-run"], result
    assert result["failed"] == [0] and result["completed"] == 0, result
    ran = result["steps"][0]
    assert (ran["result"]["exit_code"], ran["result"]["output"]) == \
        (3, "one\n"), ran
    assert ran["error"] == {"code": "exit_status", "message": "exit status 3",
                            "retryable": False}, ran
    result = batch(home, sid, steps, "--keep-going", status=3)
    assert statuses(result) == ["failed", "completed"], result
    for allowed in ({"exec": "(exit 3)", "ok": [3, 4]},
                    {"exec": {"command": "(exit 3)", "ok": [3]}}):
        result = batch(home, sid, [allowed, {"exec": "true"}])
        assert statuses(result) == ["completed"] * 2, result
        assert result["steps"][0]["result"]["exit_code"] == 3, result
    result = batch(home, sid, [{"exec": "true", "ok": [3]}], status=1)
    assert "\"ok\"" in result["steps"][0]["error"]["message"], result
    answer = home.run("batch", sid, "--steps", json.dumps(
        [{"exec": "(exit 1)", "ok": [0, 1]}, {"exec": "(exit 2)"}]))
    assert answer.status == 2 and answer.text == (
        "  0  exec      completed: exit status 1\n"
        "  1  exec      failed: exit status 2\n"), answer


def test_a_wait_counts_only_output_after_the_input(home, shell):
    """K-09: [same] is on the screen already, and must be shown again."""
    same = [{"text": "same\r"}, {"wait": "[same]"}]
    batch(home, shell, same)
    result = batch(home, shell, [{"keys": ["Escape"]}, {"wait": {
        "text": "[other]", "timeout": "10ms"}}], status=11)
    assert result["failed"] == [1], result
    for _ in range(20):
        home.ok("send", shell, "--text", "clear\r")
        home.wait_text(shell, "lear]")  # with the Escape before, it clears
        assert statuses(batch(home, shell, same)) == ["completed"] * 2
    result = batch(home, shell, [{"wait": "[same]"}])
    assert statuses(result) == ["completed"], result


def test_the_first_failure_ends_a_batch(home, shell):
    steps = [{"text": "a\r"}, {"wait": {"text": "never", "timeout": "20ms"}},
             {"text": "b\r"}, {"wait": "[b]"}]
    result = batch(home, shell, steps, status=11)
    assert statuses(result) == ["completed", "failed", "not-run", "not-run"]
    assert result["completed"] == 1 and result["failed"] == [1]
    step = result["steps"][1]
    assert step["timed_out"] is True and step["matched"] is False, step
    assert step["error"]["code"] == "timed_out", step
    assert "[b]" not in home.ok("snapshot", shell)
    result = batch(home, shell, steps, "--keep-going", status=11)
    assert statuses(result) == ["completed", "failed", "completed",
                                "completed"], result


def test_a_wait_outlives_its_host(home, shell):
    """The wait continues on the next host; nothing is typed twice."""
    steps = [{"text": "a\r"}, {"wait": "[a]"}, {"wait": "[b]"}, {"text": "c\r"},
             {"wait": "[c]"}]
    going = subprocess.Popen([TEND, "batch", shell, "--json", "--steps",
                              json.dumps(steps)], env=home.env,
                             stdout=subprocess.PIPE)
    home.wait_text(shell, "[a]")
    home.ok("revive", shell)
    home.ok("send", shell, "--text", "b\r")
    out, _ = going.communicate(timeout=60)
    assert going.returncode == 0, out
    shown = [line for line in home.screen(shell)["lines"] if "[" in line]
    assert shown == ["[a]", "[b]", "[c]"]


def test_the_result_of_a_step_is_unknown_after_its_host_died(home):
    """The session has not ended, and the next host does the rest."""
    sid = home.start("bash", "--norc", options=["--size", "60x10"])
    steps = [{"exec": "echo be''gun; read x"}, {"text": "on\r"}]
    going = subprocess.Popen([TEND, "batch", sid, "--json", "--keep-going",
                              "--steps", json.dumps(steps)], env=home.env,
                             stdout=subprocess.PIPE)
    home.wait_text(sid, "begun")
    os.kill(home.info(sid)["host_pid"], signal.SIGKILL)
    out, _ = going.communicate(timeout=60)
    assert going.returncode == 6, out.decode()
    result = json.loads(out)["result"]
    assert statuses(result) == ["failed", "completed"], result
    assert result["steps"][0]["error"]["code"] == "unreachable", result
    assert "may or may not" in result["steps"][0]["error"]["message"], result


def test_nothing_is_sent_when_a_step_is_wrong(home, shell):
    for steps, word in (
            ([{"text": "a"}, {"keys": ["Enterr"]}], "step 1: "),
            ([{"text": "a"}, {"wait": {"nose": 1}}], "'nose'"),
            ([{"text": "a"}, {"snapshot": {"format": "png"}}], "'format'"),
            ([{"text": "a"}, {"exec": "b", "ok": [300]}], "'ok' must be"),
            ([{"text": "a"}, 7], "step 1: it must be an object"),
            ([{"sleep": "1s"}], "step 0: \"sleep\" is not one of text,"),
            ([{"exec": "x", "timeout": "1s"}],
             "step 0: \"timeout\" is not one of text,"),
            ({"text": "a"}, "an array of objects"),
            ([], "an array of objects"),
            ([{"text": "a"}] * 1001, "more than 1000")):
        error = home.error("batch", shell, "--steps", json.dumps(steps),
                           status=2, code="usage")
        assert word in error["message"], error
    answer = home.run("batch", shell, "-", input=b"[{")
    assert answer.status == 2, answer
    assert home.run("batch", shell, "--steps", "[]", "file").status == 2
    assert [e for e in home.events(shell) if e["type"] == "input"] == []


def test_plain_output_has_a_line_for_each_step(home, shell, tmp_path):
    path = tmp_path / "steps"
    path.write_text('[{"text":"a\\r"},{"wait":"[a]"},'
                    '{"snapshot":{"format":"text","max_bytes":4}},'
                    '{"wait":{"text":"no","timeout":"1ms"}},{"text":"b"}]')
    answer = home.run("batch", shell, path)
    assert answer.status == 11, answer
    assert answer.text == ("  0  text      completed\n"
                           "  1  wait      completed\n"
                           "  2  snapshot  completed\n[a]\n"
                           "  3  wait      failed: timed out\n"
                           "  4  text      not-run\n"), answer


def test_an_interrupted_batch_reports_the_steps_done(home, shell):
    steps = [{"text": "a\r"}, {"wait": "[a]"},
             {"wait": {"text": "never", "timeout": "10m"}}, {"text": "b"}]
    running = subprocess.Popen(
        [TEND, "batch", "--json", shell, "--steps", json.dumps(steps)],
        env=home.env, stdout=subprocess.PIPE)
    home.wait_text(shell, "[a]")
    # It catches signals before it types; it does not matter whether it waits
    # already.
    os.kill(running.pid, signal.SIGINT)
    out, _ = running.communicate(timeout=60)
    assert running.returncode == 130, out
    result = json.loads(out)["result"]
    seen = statuses(result)
    assert "interrupted" in seen and seen[-1] == "not-run", result
    assert result["completed"] == seen.count("completed") >= 1, result


def test_a_session_that_ends_fails_the_remaining_steps(home):
    sid = home.start("sh", "-c", "echo ready; read x")
    home.wait_text(sid, "ready")
    result = batch(home, sid, [{"text": "bye\r"},
                               {"wait": {"text": "never"}}, {"text": "more"},
                               {"prompt": "more"}, {"keys": ["Enter"]}],
                   "--keep-going", status=4)
    assert statuses(result) == ["completed"] + ["failed"] * 4, result
    for step in result["steps"][1:]:
        assert step["error"]["code"] == "not_running", result
        assert re.search("ended before|has ended|is not running",
                         step["error"]["message"]), result
    wait_for(lambda: home.info(sid)["status"] == "exited", "the end")


def test_the_session_is_the_same_when_its_host_changes(home, shell):
    """Resolved once: a handover in the middle is not noticed."""
    steps = [{"text": "a\r"}, {"wait": "[a]"}] * 3
    for _ in range(3):
        home.ok("revive", shell)
        assert statuses(batch(home, shell, steps)) == ["completed"] * 6


def test_a_wait_sees_the_end_of_a_session_however_fast_it_comes(home):
    """The host may have ended before the wait; then the log has the answer."""
    for _ in range(20):
        sid = home.start("sh", "-c", "read x")
        got = home.json("batch", sid, "--steps", json.dumps(
            [{"keys": ["Enter"]}, {"wait": {"exit": True}}]))
        assert got["completed"] == 2 and got["steps"][1]["matched"], got


@pytest.mark.parametrize("command", [["batch"], ["prompt", "-"]])
def test_a_closed_standard_input_is_reported(home, shell, command):
    """No file of ours may get its number and be read in its place."""
    said = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", TEND, command[0], shell,
         *command[1:]], env=home.env, capture_output=True, check=False)
    assert said.returncode in (1, 2, 8), said
    assert b"standard input: Bad file descriptor" in said.stderr, said
