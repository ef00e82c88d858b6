"""The activity of real agents, whose recorded output goes through a session: a
host that looks now and then comes to the truth that the recordings have.

tests/unit/agent_recordings.c checks every labelled moment; a full run plays
every recording here too.
"""

import json
import os

import pytest

from lib import ROOT, Home, wait_for

DATA = ROOT / "tests" / "data" / "agents"
TRUTH = json.loads((DATA / "truth.json").read_text())
# Those of another size resize the terminal on the way.
NAMES = sorted(name for name in TRUTH if not name.endswith("-small"))
FULL = "TEND_TEST_FULL" in os.environ
# They show their version only before the first prompt.
VERSION_FIRST = ("opencode",)
SMALL_DOSE = ("-bash", "-start", "-login", "-interrupt")

# Prints the recording up to each of these times, one for each @: the terminal's
# answers to the recorded queries come as input too.
PLAYER = r"""
import json, os, sys, tty
tty.setraw(0)
os.write(1, b"ready")
events = [json.loads(line) for line in open(sys.argv[1])][1:]
for until in json.loads(sys.argv[2]):
    while os.read(0, 1) != b"@":
        pass
    while events and events[0][0] <= until:
        event = events.pop(0)
        left = event[2].encode() if event[1] == "o" else b""
        while left:
            left = left[os.write(1, left):]
while os.read(0, 1):
    pass
"""


@pytest.fixture
def home():
    with Home() as made:
        yield made


def agent_of(name):
    return name.split("-")[0]


def end_of_start(name):
    """When the first key was pressed, or the first moment ends if none was.

    The terminal's answers begin with ESC.
    """
    with open(DATA / f"{name}.cast") as file:
        events = [json.loads(line) for line in file][1:]
    keys = [time for time, kind, data in events
            if kind == "i" and data[0] != "\x1b"]
    return min([*keys, TRUTH[name][0]["to"]])


def is_true(session, moment):
    """A turn that is done is idle; a menu that the user opened is a question."""
    true = {moment["state"]}
    if moment["state"] == "idle":
        true.add("done" if moment["box"] != "none" else "waiting_question")
    return session["activity"] in true


@pytest.mark.parametrize("name", [
    name for name in NAMES if FULL or name.endswith(SMALL_DOSE)])
def test_a_recorded_agent_is_understood(home, name):
    """C-20: each moment of the recording, in a session."""
    moments = [moment for moment in TRUTH[name]
               if moment["state"] != "starting"]
    times = [moment["to"] for moment in moments]
    if agent_of(name) in VERSION_FIRST:
        times.insert(0, end_of_start(name))
    sid = home.start(
        "/bin/bash", "-c",
        'exec -a "$0" /usr/bin/python3 -u -c "$1" "$2" "$3"',
        agent_of(name), PLAYER, str(DATA / f"{name}.cast"), json.dumps(times),
        options=("--size", "100x30"))
    home.wait_text(sid, "ready")
    if agent_of(name) in VERSION_FIRST:
        home.ok("send", sid, "--text", "@")
        wait_for(lambda: (home.info(sid)["agent"] or {}).get("version"),
                 "the version")
    for moment in moments:
        home.ok("send", sid, "--text", "@")
        wait_for(lambda m=moment: is_true(home.info(sid), m),
                 lambda m=moment: f"{m}: {home.ok('agent', 'explain', sid)}\n"
                 f"{home.ok('snapshot', sid)}")
    session = home.info(sid)
    assert session["agent"]["name"] == agent_of(name), session
    # An agent that is not logged in shows no version.
    assert session["agent"]["version"] in (None, name.split("-")[1]), session
