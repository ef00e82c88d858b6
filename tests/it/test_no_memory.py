"""One allocation of a command or a host fails: the command reports it, another
host takes over, and nothing is lost."""

import os
import random
import signal
import struct

import pytest

from faults import Truth, use
from lib import BUILD, Home

FULL = "TEND_TEST_FULL" in os.environ
SOAK = "TEND_TEST_SOAK" in os.environ
NOMEM = BUILD / "tests" / "it" / "libnomem.so"
CHANCE = random.Random(8)

COMMANDS = [
    ["ls"], ["ls", "--json"], ["info", "it"], ["snapshot", "it"],
    ["snapshot", "--json", "it"], ["log", "it"], ["log", "--events", "it"],
    ["log", "--raw", "it"], ["send", "it", "--text", "x"],
    ["resize", "it", "90x30"], ["label", "it", "a=b"], ["mark", "it", "here"],
    ["run", "-d", "--", "true"],
]


def env(home, program, path, at):
    return {**home.env, "LD_PRELOAD": str(NOMEM), "NOMEM_PROGRAM": program,
            "NOMEM_FILE": str(path), "NOMEM_AT": str(at)}


def counted(path):
    return struct.unpack("=Q", path.read_bytes())[0]


def some(count, small, full):
    """The allocations to try out of so many: the first ones and others."""
    most = full if FULL else small
    if SOAK or count <= most:
        return range(1, count + 1)
    first = range(1, most // 3 + 1)
    return [*first, *CHANCE.sample(range(len(first) + 1, count + 1),
                                   most - len(first))]


@pytest.fixture
def home():
    with Home() as made:
        yield made


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_command_without_memory_reports_it(home, tmp_path, command):
    """It fails, or does not need the memory; its home stays intact."""
    home.start("cat", options=["-n", "it"])
    count_file = tmp_path / "count"
    answer = home.run(*command, env=env(home, "tend", count_file, 0))
    assert answer.status == 0, answer
    count = counted(count_file)
    assert count > 0
    for at in some(count, 6, 100):
        path = tmp_path / f"at-{at}"
        answer = home.run(*command, env=env(home, "tend", path, at))
        good = answer.status >= 0 or answer.status == -signal.SIGABRT
        assert good, (at, answer)
        assert answer.status == 0 or answer.err or answer.out, (at, answer)
        path.unlink()
    home.ok("send", "it", "--keys", "Enter")
    assert home.info("it")["status"] == "running"


def serve(home, tmp_path, at):
    """A session whose first host fails at that allocation; returns the number
    of its allocations."""
    path, truth_path = tmp_path / "nomem", tmp_path / "truth"
    truth = Truth(home, truth_path, env=env(home, "tend-host", path, at))
    use(truth)
    truth.is_served()
    count = counted(path)
    gaps = truth.ends_whole()
    path.unlink()
    truth_path.unlink()
    return count, gaps


def test_a_host_without_memory_is_followed_by_another(tmp_path):
    """Nothing is missing: bytes it had not written are in the ring."""
    with Home() as home:
        count, _ = serve(home, tmp_path, 0)
    print(f"{count} allocations of a host")
    for at in some(count, 10, 150):
        with Home() as home:
            _, gaps = serve(home, tmp_path, at)
        assert gaps == [], (at, gaps)
