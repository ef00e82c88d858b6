"""Requests with a key: repeated after any failure, they run at most once, and
their answers report what happened.
"""

import json
import os
import random
import signal
import threading
import time

import pytest

from lib import Home, is_running, wait_for
from wire import Refused, Wire

FULL = "TEND_TEST_FULL" in os.environ
KILLS = 200 if FULL else 30


@pytest.fixture
def home():
    with Home() as made:
        yield made


def recorder(home, **kwargs):
    """A session whose program keeps every byte that it reads in a file."""
    sid = home.start("sh", "-c", "stty raw -echo; printf ready; exec cat >$0",
                     home.path / "read", **kwargs)
    home.wait_text(sid, "ready")
    return sid


def recorded(home):
    return (home.path / "read").read_bytes()


def wait_recorded(home, text):
    wait_for(lambda: text in recorded(home), lambda: recorded(home)[-400:])


def send(home, sid, key, text, *options):
    """The whole answer of a send with a key."""
    return json.loads(home.run("send", "--json", sid, "--key", key, "--text",
                               text, *options).out)


def host_of(home, sid):
    """The host's pid; never 0, which would kill the tests' own group."""
    path = home.dir(sid) / "session.json"
    return wait_for(lambda: json.loads(path.read_text())["host_pid"], "a host")


def kill_host(home, sid):
    old = host_of(home, sid)
    os.kill(old, signal.SIGKILL)
    wait_for(lambda: host_of(home, sid) not in (0, old)
             and is_running(host_of(home, sid)), f"a host after {old}")
    # The host answers, so it has read its log.
    wait_for(lambda: home.run("info", sid).status == 0, "an answer")


def new_host(home, sid, how):
    if how == "kill":
        kill_host(home, sid)
    elif how == "upgrade":
        home.ok("upgrade", sid)


@pytest.mark.parametrize("how", ["same", "kill", "upgrade"])
def test_the_same_key_again_gets_the_first_answer_and_types_nothing(home, how):
    sid = recorder(home)
    first = send(home, sid, "k", "once.")
    assert first["ok"], first
    wait_recorded(home, b"once.")
    new_host(home, sid, how)
    assert send(home, sid, "k", "once.") == first
    other = send(home, sid, "l", "twice.")
    assert other["ok"] and other != first, other
    wait_recorded(home, b"twice.")
    assert recorded(home) == b"once.twice."
    typed = {e["key"]: e["seq"] for e in home.events(sid, "input")}
    assert typed == {"k": first["result"]["seq"],
                     "l": other["result"]["seq"]}


@pytest.mark.parametrize("how", ["same", "kill"])
def test_a_key_with_other_arguments_is_refused(home, how):
    sid = recorder(home)
    assert send(home, sid, "k", "one.")["ok"]
    new_host(home, sid, how)
    for other in (send(home, sid, "k", "two."),
                  json.loads(home.run("prompt", "--json", sid, "--key", "k",
                                      "one.").out)):
        assert other["error"]["code"] == "usage", other
        assert "another request" in other["error"]["message"], other
    wait_recorded(home, b"one.")
    assert recorded(home) == b"one."


def test_an_argument_left_out_equals_null_and_false(home):
    sid = recorder(home)
    with Wire(home.dir(sid), mode="control") as w:
        first = w.call("session.send", input=[{"text": "one."}], key="k")
        for value in (False, None):
            again = w.call("session.send", input=[{"text": "one."}], key="k",
                           secret=value)
            assert again == first
    wait_recorded(home, b"one.")
    assert recorded(home) == b"one."


def test_keys_that_cannot_be_printed_or_are_too_long_are_refused(home):
    sid = recorder(home)
    for key in ("a\nb", "\x1b[2J", "", "k" * 129):
        answer = send(home, sid, key, "no.")
        assert answer["error"]["code"] == "usage", (key, answer)
    assert send(home, sid, "\u754c" * 42, "yes.")["ok"]
    wait_recorded(home, b"yes.")
    assert recorded(home) == b"yes."


@pytest.mark.parametrize("how", ["same", "kill", "upgrade"])
def test_a_command_is_run_once_and_its_output_given_again(home, how):
    sid = home.start("bash", "--norc")
    runs = home.path / "runs"
    command = f"echo run >>{runs}; wc -l <{runs}; (exit 3)"
    first = home.run("exec", "--json", sid, "--key", "job 7", "--", command)
    assert first.status == 3, first
    assert json.loads(first.out)["result"]["output"].strip() == "1"
    new_host(home, sid, how)
    again = home.run("exec", "--json", sid, "--key", "job 7", "--timeout",
                     "20s", "--", command)
    assert (again.status, again.out) == (first.status, first.out), again
    assert runs.read_text() == "run\n"
    run = home.events(sid, "run")
    assert [e["data"]["key"] for e in run if e["type"] == "run"] == ["job 7"]


@pytest.mark.parametrize("how", ["same", "kill"])
def test_a_prompt_is_typed_once(home, how):
    sid = home.start("bash", "--norc")
    home.ok("exec", sid, "--", "true")
    runs = home.path / "runs"
    ask = ("prompt", "--json", sid, "--key", "p", f"echo run >>{runs}")
    first = home.run(*ask)
    assert first.status in (0, 11), first
    wait_for(lambda: runs.exists() and runs.read_text() == "run\n", "the run")
    new_host(home, sid, how)
    again = home.run(*ask)
    assert (again.status, again.out) == (first.status, first.out), again
    assert runs.read_text() == "run\n"


def test_a_retry_during_the_first_waits_for_the_same_answer(home):
    sid = home.start("bash", "--norc")
    home.ok("exec", sid, "--", "true")
    runs, gate = home.path / "runs", home.path / "gate"
    os.mkfifo(gate)
    command = f"echo run >>{runs}; cat {gate}"
    with Wire(home.dir(sid), mode="control") as one, \
            Wire(home.dir(sid), mode="control") as two:
        first = one.ask("session.exec", command=command, key="k")
        wait_for(runs.exists, "the command to run")
        second = two.ask("session.exec", command=command, key="k")
        # Its answer comes after those of earlier requests.
        with Wire(home.dir(sid), mode="control") as three:
            three.call("session.get")
        gate.write_text("open\n")
        answer = one.answer(first)
        assert answer["output"] == "open\n", answer
        assert two.answer(second) == answer
    assert runs.read_text() == "run\n"


def test_a_request_whose_client_left_is_done_and_answered_later(home):
    sid = home.start("bash", "--norc")
    home.ok("exec", sid, "--", "true")
    runs, gate = home.path / "runs", home.path / "gate"
    os.mkfifo(gate)
    command = f"echo run >>{runs}; cat {gate}"
    with Wire(home.dir(sid), mode="control") as one:
        one.ask("session.exec", command=command, key="k")
        wait_for(runs.exists, "the command to run")
    gate.write_text("open\n")
    again = home.json("exec", sid, "--key", "k", "--", command)
    assert again["output"] == "open\n", again
    assert runs.read_text() == "run\n"


def test_a_host_stays_for_a_command_whose_client_left(home):
    """Another host would not know its end, and the answer would be lost."""
    sid = home.start("bash", "--norc")
    home.ok("exec", sid, "--", "true")
    runs, gate = home.path / "runs", home.path / "gate"
    os.mkfifo(gate)
    command = f"echo run >>{runs}; cat {gate}"
    with Wire(home.dir(sid), mode="control") as one:
        one.ask("session.exec", command=command, key="k")
        wait_for(runs.exists, "the command to run")
    old = host_of(home, sid)
    error = home.error("upgrade", sid, status=12, code="busy")
    assert "command" in error["message"], error
    assert host_of(home, sid) == old
    gate.write_text("open\n")
    again = home.json("exec", sid, "--key", "k", "--", command)
    assert again["output"] == "open\n", again
    home.ok("upgrade", sid)
    assert home.json("exec", sid, "--key", "k", "--", command) == again
    assert runs.read_text() == "run\n"


def test_a_retry_is_told_to_ask_again_if_the_first_typed_nothing(home):
    """The first client leaves before the shell has shown its prompt."""
    gate, runs = home.path / "gate", home.path / "runs"
    os.mkfifo(gate)
    home.env["HOME"] = str(home.path)
    (home.path / ".bashrc").write_text(f"echo begun; cat {gate}\n")
    sid = home.start("bash")
    home.wait_text(sid, "begun")
    ask = {"command": f"echo run >>{runs}", "key": "k"}
    with Wire(home.dir(sid), mode="control") as two:
        with Wire(home.dir(sid), mode="control") as one:
            one.ask("session.exec", **ask)
            one.sync()
            number = two.ask("session.exec", **ask)
            two.sync()
        gate.write_text("go\n")
        with pytest.raises(Refused) as refused:
            two.answer(number)
        assert refused.value.code == "busy", refused.value
        assert two.call("session.exec", **ask)["exit_code"] == 0
    assert runs.read_text() == "run\n"


def test_a_refused_request_frees_its_key(home):
    sid = recorder(home)
    stale = send(home, sid, "k", "no.", "--expect-seq", "0")
    assert stale["error"]["code"] == "busy", stale
    kill_host(home, sid)
    assert send(home, sid, "k", "yes.")["ok"]
    wait_recorded(home, b"yes.")
    assert recorded(home) == b"yes."


def test_a_host_that_died_during_a_send_leaves_its_result_unknown(home):
    """The program has not read all of the text, and the host is killed."""
    sid = home.start("sh", "-c", "stty raw -echo; printf ready; read go; "
                     "kill -STOP $$; exec cat >$0", home.path / "read")
    home.wait_text(sid, "ready")
    child = home.info(sid)["child_pid"]
    os.kill(child, signal.SIGSTOP)
    text = "x" * 200_000  # more than a terminal holds
    with Wire(home.dir(sid), mode="control") as w:
        w.ask("session.send", input=[{"text": text}], key="k")
        wait_for(lambda: home.events(sid, "input"), "the first bytes")
        kill_host(home, sid)
    for _ in range(2):
        with Wire(home.dir(sid), mode="control") as w, \
                pytest.raises(Refused) as refused:
            w.call("session.send", input=[{"text": text}], key="k")
        assert refused.value.code == "unknown", refused.value
        kill_host(home, sid)
    error = home.error("send", sid, "--key", "k", "--text", text[:60_000],
                       status=2, code="usage")
    assert "another request" in error["message"], error
    assert len(home.events(sid, "input")) == 1


def test_secrets_leave_no_digest_in_the_log(home):
    sid = recorder(home)
    first = send(home, sid, "k", "hunter2", "--secret")
    kill_host(home, sid)
    assert send(home, sid, "k", "hunter2", "--secret") == first
    noted = home.events(sid, "key")
    assert [e["data"]["digest"] for e in noted if e["type"] == "key"] == [None]
    assert recorded(home) == b"hunter2"


def test_keys_are_found_after_many_segments(home):
    """A new host reads the last two segments; each has all keys."""
    sid = home.start("bash", "--norc")
    runs = home.path / "runs"
    ask = ("exec", "--json", sid, "--key", "old", "--",
           f"echo run >>{runs}; echo done")
    first = home.run(*ask)
    assert first.status == 0, first
    home.ok("exec", sid, "--max-output", "1K", "--", "seq 1 2000000",
            env={**home.env, "MALLOC_PERTURB_": "0"})
    segments = list((home.dir(sid) / "log").glob("*seg"))
    assert len(segments) >= 4, segments
    kill_host(home, sid)
    again = home.run(*ask)
    assert (again.status, again.out) == (0, first.out), again
    assert runs.read_text() == "run\n"


def test_the_oldest_of_many_keys_is_forgotten(home):
    sid = recorder(home)
    with Wire(home.dir(sid), mode="control") as w:
        for number in range(1025):
            w.call("session.send", input=[{"text": f"<{number}>"}],
                   key=f"k{number}")
        w.call("session.send", input=[{"text": "<1>"}], key="k1")
        w.call("session.send", input=[{"text": "<0>"}], key="k0")
        w.call("session.send", input=[{"text": "<end>"}])
    wait_recorded(home, b"<end>")
    assert recorded(home).count(b"<0>") == 2, "k0 was forgotten"
    assert recorded(home).count(b"<1>") == 1, "k1 was not"


def until_told(home, sid, key, text, again):
    """Send until there is a valid answer; returns its content."""
    while True:
        answer = send(home, sid, key, text)
        if answer["ok"]:
            return "done"
        code = answer["error"]["code"]
        if code == "unknown":
            return code
        assert code in ("unreachable", "timeout", "busy", "storage"), answer
        again.append(code)


def test_killed_hosts_type_each_text_at_most_once(home):
    """Hosts die at any moment of a send; each is repeated until it is
    answered."""
    sid = recorder(home)
    luck = random.Random(7)
    told, again = {}, []
    for number in range(KILLS):
        host = host_of(home, sid)
        wait = luck.uniform(0, 0.02)

        def crash(host=host, wait=wait):
            time.sleep(wait)
            os.kill(host, signal.SIGKILL)

        killer = threading.Thread(target=crash)
        killer.start()
        text = f"<{number}>"
        told[text] = until_told(home, sid, f"key {number}", text, again)
        killer.join()
        wait_for(lambda host=host: host_of(home, sid) not in (0, host),
                 "another host")
    assert send(home, sid, "end", "<end>")["ok"]
    wait_recorded(home, b"<end>")
    read = recorded(home)
    print(f"{KILLS} kills, {len(again)} retries, "
          f"{list(told.values()).count('unknown')} unknown")
    for text, says in told.items():
        count = read.count(text.encode())
        assert count == 1 or (count == 0 and says == "unknown"), (text, says,
                                                                  count)
    # All answers that were given once are given again.
    for number, text in enumerate(told):
        says = until_told(home, sid, f"key {number}", text, again)
        assert says == told[text], (text, says)
    assert recorded(home) == read
