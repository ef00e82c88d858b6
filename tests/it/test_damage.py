"""Damaged logs of ended sessions: every command that reads one gives the same
as before, or reports the loss and exits with status 10."""

import json
import os
import pathlib
import random
import re
import shutil

import pytest

from lib import Home, wait_for

FULL = "TEND_TEST_FULL" in os.environ
# 9 MB: a busy host passes the end of a segment (4 MiB) by some 100 KB, and the
# last lines must still be in the third.
LINES = 360_000
LAST = f"{LINES - 1}:"  # the colon: a random number may have these digits


@pytest.fixture
def home():
    with Home() as made:
        yield made


def program(then="exit 0"):
    """Three segments of output, or more if it comes in small pieces."""
    return ("sh", "-c", f"awk 'BEGIN {{ srand(1); for (i = 0; i < {LINES}; "
            f"i++) print i \":\" rand(), rand() }}'; {then}")


def log_of(home, sid):
    return home.dir(sid) / "log"


def segments(home, sid):
    return sorted(log_of(home, sid).glob("*seg"))


def as_left(home):
    """As its host left it: sealed segments and an open one."""
    sid = home.start(*program())
    home.wait_gone(sid)
    return sid


def packed(home):
    """After gc has compressed all of it."""
    sid = as_left(home)
    home.ok("gc", "--older-than", "1d")
    assert not [*log_of(home, sid).glob("*.seg")]
    return sid


def killed(home):
    """Keeper and host were killed while the program waited."""
    sid = home.start(*program("cat"))
    home.wait_text(sid, LAST, seconds=60)
    wait_for(lambda: home.raw(sid).endswith(b"\n"), "all of it in the log")
    seq = home.events(sid)[-1]["seq"]

    def saved():
        text = (home.dir(sid) / "session.json").read_text()
        return json.loads(text)["logged_seq"] >= seq

    wait_for(saved, "session.json to know of it")
    home.lose(sid)
    assert home.info(sid)["outcome"] == "lost"
    return sid


class Victim:
    """An ended session, the output of each command for it, and its files."""

    def __init__(self, home, sid):
        self.home, self.sid = home, sid
        self.log = log_of(home, sid)
        self.copy = pathlib.Path(f"{home.path}-state") / f"copy-{sid}"
        self.copy.parent.mkdir(exist_ok=True)
        shutil.copytree(self.log, self.copy)
        info = home.info(sid)
        half = info["offset"] // 2
        self.commands = [
            ("log", "--raw"), ("log", "--events"), ("log",), ("log", "--json"),
            ("log", "-f", "--raw"), ("log", "--raw", "--from", f"@{half}"),
            ("log", "--raw", "--from", "-1s"),
            ("log", "--raw", "--to", str(info["seq"])), ("snapshot",),
            ("snapshot", "--json"), ("snapshot", "--scrollback"),
            ("snapshot", "--json", "--at", f"@{half}"),
            ("wait", "--text", LAST, "--json"),
            ("wait", "--regex", "no such line", "--json"),
            ("info", "--json"),
        ]
        self.whole = {command: self.run(command) for command in self.commands}
        for command, answer in self.whole.items():
            assert answer.status in (0, 4), (command, answer.status,
                                             answer.err)
            assert "damage" not in answer.err, (command, answer.err)

    def run(self, command):
        return self.home.run(command[0], self.sid, *command[1:])

    def restore(self):
        shutil.rmtree(self.log)
        shutil.copytree(self.copy, self.log)

    def check(self, what, commands=None):
        """The number of commands that reported it."""
        told = 0
        for command in commands or self.commands:
            answer, whole = self.run(command), self.whole[command]
            if answer.status == 10:
                told += 1
                self.is_true(command, answer, whole, what)
                continue
            assert answer.status == whole.status, (what, command, answer.err)
            assert answer.out == whole.out, (what, command, answer.err,
                                             "is silent")
        return told

    def is_true(self, command, answer, whole, what):
        assert "the log is damaged after event" in answer.err or \
            "the log ends torn, after event" in answer.err, (what, command,
                                                             answer.err)
        if "--json" in command:
            last = json.loads(answer.out.splitlines()[-1])
            assert last["damage"], (what, command, answer.err)
            for each in last["damage"]:
                assert list(each) == ["session", "from_seq", "to_seq",
                                      "from_offset", "to_offset", "why"]
                assert each["session"] == self.sid
                assert each["why"] in ("damaged", "missing", "torn"), each
        if command == ("log", "--raw"):
            assert answer.out == without(whole.out, answer.err), (
                what, answer.err)


def without(whole, complaints):
    """The output without the parts that are reported missing."""
    for begin, end in sorted(((int(a), int(b)) for a, b in re.findall(
            r"output (\d+) to (\d+)", complaints)), reverse=True):
        whole = whole[:begin] + whole[end:]
    for end in re.findall(r"ends torn, after event \d+, offset (\d+)",
                          complaints):
        whole = whole[:int(end)]
    return whole


def flips(rng, paths, n):
    """Bits anywhere, and in the first and last bytes."""
    for i in range(n):
        path = paths[i % len(paths)]
        size = path.stat().st_size
        at = (rng.randrange(size), rng.randrange(min(300, size)),
              size - 1 - rng.randrange(min(300, size)))[i // len(paths) % 3]
        yield path, at, rng.randrange(8)


def flip(path, at, bit):
    data = bytearray(path.read_bytes())
    data[at] ^= 1 << bit
    path.write_bytes(data)


def sample(victim, rng):
    """All commands in a full run, else the quick ones."""
    if FULL:
        return victim.commands
    return rng.sample(victim.commands, 2) + [("log", "--raw"), ("snapshot",)]


@pytest.fixture(scope="module", params=[as_left, packed, killed],
                ids=lambda make: make.__name__)
def victim(request):
    with Home() as home:
        yield Victim(home, request.param(home))


def test_no_flipped_bit_is_silent(victim):
    rng = random.Random(5)
    told = 0
    paths = segments(victim.home, victim.sid)
    assert len(paths) >= 3, paths
    for path, at, bit in flips(rng, paths, 90 if FULL else 6):
        before = path.read_bytes()
        flip(path, at, bit)
        seen = victim.check((path.name, at, bit), sample(victim, rng))
        # The command that reads all bytes sees every loss.
        if seen > 0:
            assert victim.check((path.name, at, bit),
                                [("info", "--json")]) == 1, (path, at, bit)
        told += seen > 0
        path.write_bytes(before)
    assert told >= (40 if FULL else 2), told
    assert victim.check("nothing", [("log", "--raw"), ("snapshot",)]) == 0


def test_no_truncation_is_silent(victim):
    rng = random.Random(6)
    for path in segments(victim.home, victim.sid):
        data = path.read_bytes()
        cuts = [len(data) - 1, rng.randrange(len(data))]
        if FULL:
            cuts += [rng.randrange(len(data)) for _ in range(12)]
            cuts += [0, 64, 100, 128, len(data) - 1000]
        for cut in cuts:
            path.write_bytes(data[:cut])
            victim.check((path.name, "cut at", cut), sample(victim, rng))
        path.write_bytes(data)
    assert victim.check("nothing", [("log", "--raw"), ("snapshot",)]) == 0


def test_no_removed_segment_is_silent(victim):
    rng = random.Random(8)
    paths = segments(victim.home, victim.sid)
    for gone in [*([path] for path in paths), paths]:
        for path in gone:
            path.unlink()
        names = [path.name for path in gone]
        assert victim.check(names, [("log", "--raw")]) == 1, names
        victim.check(names, sample(victim, rng))
        for command in (("info", "--json", victim.sid),
                        ("ls", "-a", "--json"),
                        ("gc", "--json", "-n", "--older-than", "1d"),
                        ("doctor", "--json")):
            answer = victim.home.run(*command)
            assert answer.status == 10, (names, command, answer)
            whole = json.loads(answer.out)
            assert whole["ok"] is True and whole["result"], answer
            assert {each["session"] for each in whole["damage"]} == \
                {victim.sid}, (names, answer)
            assert "is damaged after event" in answer.err, answer
        victim.restore()
    assert victim.check("nothing", [("log", "--raw"), ("snapshot",)]) == 0


def test_the_last_intact_screen_is_labelled_as_such(victim):
    """The end is missing: an older screen is not shown as the last one."""
    newest = segments(victim.home, victim.sid)[-1]
    newest.unlink()
    answer = victim.run(("snapshot", "--json"))
    shown = json.loads(answer.out)
    assert answer.status == 10 and shown["ok"] is True, answer
    seq = shown["result"]["seq"]
    assert shown["damage"][0]["from_seq"] == seq + 1, shown
    assert f"the screen at event {seq}," in answer.err, answer
    assert LAST not in " ".join(shown["result"]["lines"]), shown
    victim.restore()
    then = victim.run(("snapshot", "--json", "--at", str(seq)))
    assert then.status == 0
    assert json.loads(then.out)["result"] == shown["result"]


def test_appended_bytes_lose_nothing(victim):
    rng = random.Random(9)
    for path in segments(victim.home, victim.sid):
        with path.open("ab") as file:
            file.write(b"\xff")
        for command in sample(victim, rng):
            answer = victim.run(command)
            if "--json" not in command and "--events" not in command:
                assert answer.out == victim.whole[command].out, (
                    path, command, answer.err)
        victim.restore()


def test_gc_reports_damage_and_keeps_it(home):
    """It is compressed unchanged, and read as before."""
    sid = as_left(home)
    newest = segments(home, sid)[-1]
    if newest.suffix == ".zseg":
        pytest.fail("a host compresses no segment that it writes")
    flip(newest, newest.stat().st_size // 2, 3)
    before = home.run("log", "--raw", sid)
    assert before.status == 10
    answer = home.run("gc", "--older-than", "1d", "--json")
    assert answer.status == 10, answer
    whole = json.loads(answer.out)
    assert [each["session"] for each in whole["damage"]] == [sid], answer
    assert not [*log_of(home, sid).glob("*.seg")]
    after = home.run("log", "--raw", sid)
    assert (after.status, after.out, after.err) == (10, before.out,
                                                    before.err)


def test_rerun_starts_and_reports_the_damaged_log(home):
    sid = home.start("sh", "-c", "echo x")
    home.wait_gone(sid)
    segments(home, sid)[0].unlink()
    answer = home.run("rerun", "-d", "--json", sid)
    whole = json.loads(answer.out)
    assert answer.status == 10 and whole["ok"] is True, answer
    assert whole["result"]["rerun_of"] == sid
    assert [each["session"] for each in whole["damage"]] == [sid], answer
    home.wait_gone(whole["result"]["id"])


def test_a_trimmed_log_is_not_damaged(home):
    """By --max-log: the removed part was meant to be removed."""
    sid = home.start("sh", "-c", "head -c 20M /dev/urandom | base64",
                     options=["--max-log", "8M"])
    home.wait_gone(sid)
    answer = home.run("log", "--raw", sid)
    assert answer.status == 0, answer.err
    assert "removed the earlier part" in answer.err, answer.err
    home.info(sid)
    home.json("ls", "-a")
    home.json("gc", "--older-than", "1d")
    segments(home, sid)[0].unlink()
    answer = home.run("log", "--raw", sid)
    assert answer.status == 10 and "its last file is lost" not in answer.err or \
        segments(home, sid) == [], answer.err


def test_a_running_session_is_not_called_damaged(home):
    """Hosts are killed, and the log is ahead of session.json, or behind."""
    sid = home.start("sh", "-c", "stty -echo; while read n; do seq $n; done")
    home.wait_no_echo(sid)
    for n in range(1, 6):
        home.ok("send", sid, "--text", f"{n}000\r")
        home.wait_text(sid, f"{n}000")
        os.kill(home.info(sid)["host_pid"], 9)
        for command in (("log", "--raw"), ("log", "--events"), ("info",)):
            answer = home.run(*command, sid)
            assert answer.status == 0 and "damage" not in answer.err, answer
        wait_for(lambda: home.info(sid)["host_pid"], "another host")
    home.ok("kill", sid)
    home.wait_gone(sid)
    answer = home.run("log", "--raw", sid)
    assert answer.status == 0 and answer.err == "", answer
    home.json("snapshot", sid)


def test_no_changed_bit_of_session_json_is_accepted(home):
    """A command's output is the same, or it reports that the file is
    damaged."""
    rng = random.Random(7)
    older = home.start("echo", "older", options=["-n", "it"])
    home.wait_gone(older)
    sid = home.start("echo", "newer", options=["-n", "it"])
    home.wait_gone(sid)
    path = home.dir(sid) / "session.json"
    whole = path.read_bytes()
    commands = [("info", "--json", sid), ("log", sid), ("log", "it"),
                ("log",), ("snapshot", "--json", "it"), ("ls", "-a", "--json"),
                ("info", "--json", "it")]
    before = {command: home.run(*command) for command in commands}
    assert all(answer.status == 0 for answer in before.values()), before
    told = 0
    places = [whole.index(sid.encode()) + 20, whole.index(b'"it"') + 1]
    places += [rng.randrange(len(whole)) for _ in range(300 if FULL else 18)]
    for at in places:
        bit = rng.randrange(8)
        flip(path, at, bit)
        for command in commands:
            answer = home.run(*command)
            what = (at, bit, whole[at - 20:at + 20], command, answer)
            assert sid in answer.err + answer.text or \
                answer.out == before[command].out, what
            # ls reports the session it cannot read, and lists the rest.
            assert answer.status == 10 or command[0] == "ls" or \
                answer.out == before[command].out, what
            told += answer.status == 10
        path.write_bytes(whole)
    assert told > 50, told
    assert home.run("log", "it").out == b"newer\n"


def test_gc_and_rerun_do_not_act_on_a_damaged_session_json(home):
    sid = home.start("echo", "word")
    home.wait_gone(sid)
    path = home.dir(sid) / "session.json"
    path.write_text(path.read_text().replace('"word"', '"wore"'))
    answer = home.run("rerun", "-d", sid)
    assert answer.status in (10, 125) and "is damaged" in answer.err, answer
    answer = home.run("gc", "--all")
    assert home.dir(sid).is_dir() and sid in answer.err, answer


def test_rerun_takes_no_damaged_environment(home):
    """A changed variable is not given to the program."""
    env = {**home.env, "WORD": "as it was"}
    sid = home.start("sh", "-c", "echo $WORD", env=env)
    home.wait_gone(sid)
    path = home.dir(sid) / "environ"
    whole = path.read_bytes()
    for damaged in (whole.replace(b"as it was", b"as it war"), whole[:-1],
                    whole[:len(whole) // 2], b""):
        path.write_bytes(damaged)
        answer = home.run("rerun", "-d", sid)
        assert answer.status not in (0, 1), answer
        assert "environ is damaged" in answer.err, answer
    path.write_bytes(whole)
    new = home.ok("rerun", "-d", sid).strip()
    home.wait_gone(new)
    assert home.raw(new) == b"as it was\r\n"
