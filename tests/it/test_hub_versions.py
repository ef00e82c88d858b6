"""R12: a hub and hosts of other versions, and an upgrade of the programs under a
running hub.
"""

import configparser
import os
import shutil
import signal
import subprocess

import declared
from hub import Hub
from hub_load import nothing_is_left, start_of
from lib import BUILD, ROOT, Home, is_running, wait_for
from newer_host import NewerHost
from stream_client import Stream

declared.older_hosts = True

OLD = BUILD / "tests" / "it" / "old-tend" / "src"
ECHO = ["sh", "-c", "stty -echo; echo ready; while read x; do echo \"got $x\"; "
        "done"]
PROGRAMS = ["tend", "tend-host", "tend-keeper", "tend-hub"]


def shows(hub, sid, text):
    def look():
        screen = hub.call("session/snapshot", {"session": sid})
        return text in "\n".join(screen["lines"])

    wait_for(look, text)


def use(hub, sid):
    """Everything that a client does with a session."""
    shows(hub, sid, "ready")
    listed = hub.call("session/list", method="GET")["sessions"]
    assert [s["id"] for s in listed] == [sid], listed
    assert hub.call("session/get", {"session": sid})["status"] == "running"
    hub.call("session/send", {"session": sid, "input": [{"text": "one\r"}]})
    shows(hub, sid, "got one")
    with Stream(hub) as stream:
        stream.subscribe(1, session=sid, want="output", access="readwrite")
        stream.type(1, "two\r")
        stream.until(lambda: b"got two" in stream.subs[1].data, "got two")
    shows(hub, sid, "got two")


def test_a_hub_serves_sessions_of_an_old_host(home):
    done = subprocess.run([OLD / "tend", "run", "-d", "--name", "aged", "--",
                           *ECHO], env=home.env, stdout=subprocess.PIPE,
                          check=True)
    sid = done.stdout.decode().strip()
    with Hub(home) as hub:
        use(hub, sid)
        hub.call("session/mark", {"session": sid, "name": "here"})
        hub.call("session/resize", {"session": sid, "cols": 70, "rows": 20})
        # Nothing moves it to a newer host; it goes on.
        reply = hub.post("/api/v1/session/upgrade", {"session": sid})
        assert reply.json["code"] == "protocol", reply
        hub.call("session/stop", {"session": sid})
        home.wait_status(sid, "exited")


def test_a_hub_serves_sessions_of_a_newer_host(home):
    """The features and fields that it does not know are ignored."""
    sid = home.start(*ECHO)
    home.wait_text(sid, "ready")
    home.wait_saved(sid, status="running")
    with Home() as other, NewerHost(home, sid, other) as newer, \
            Hub(other) as hub:
        use(hub, sid)
        assert newer.counts["connections"] > 0, newer.counts
        assert newer.counts["frames"] > 0, newer.counts
        print(newer.counts)


def test_the_programs_are_replaced_under_a_running_hub(home):
    """As an upgrade of the package does: new files with the old names."""
    place = home.path / "bin"
    place.mkdir()

    def install():
        for name in PROGRAMS:
            shutil.copy2(BUILD / "src" / name, place / f"{name}.new")
            (place / f"{name}.new").rename(place / name)

    install()
    hub = Hub(home, program=place / "tend-hub")
    hub.start()
    first = hub.call("session/create", {"command": ["cat"]})
    install()
    second = hub.call("session/create", {"command": ["cat"]})
    (place / "tend-hub").unlink()
    third = hub.call("session/create", {"command": ["cat"]})
    for made in (first, second, third):
        hub.call("session/send", {"session": made["id"],
                                  "input": [{"text": "typed\r"}]})
        shows(hub, made["id"], "typed")
    # An upgrade of the sessions, and then of the hub.
    install()
    hub.call("home/upgrade", {})
    hub.stop()
    hub.start()
    listed = hub.call("session/list", method="GET")["sessions"]
    assert {s["id"] for s in listed} == {s["id"] for s in (first, second,
                                                           third)}
    hub.stop()


class Unit:
    """The shipped unit of systemd, as systemd handles it: `stop` sends SIGTERM
    to the processes that KillMode names."""

    def __init__(self, hub):
        text = (ROOT / "dist/systemd/tend-hub.service.in").read_text()
        parser = configparser.ConfigParser(strict=False, interpolation=None)
        parser.optionxform = str
        parser.read_string(text)
        self.service, self.hub = parser["Service"], hub

    def stop(self):
        assert self.service["KillMode"] == "process", dict(self.service)
        assert "KillSignal" not in self.service
        os.kill(self.hub.process.pid, signal.SIGTERM)
        assert self.hub.process.wait(60) == 0, self.hub.log()


def test_stop_and_restart_of_the_unit_end_no_session(home):
    """Sessions that the hub has started are in the unit's cgroup."""
    hub = Hub(home)
    hub.start()
    unit = Unit(hub)
    sids = [hub.call("session/create", {"command": ["cat"]})["id"]
            for _ in range(5)]
    before = {sid: pids(home, sid) for sid in sids}
    for _ in range(3):
        unit.stop()
        nothing_is_left(hub)
        assert {sid: pids(home, sid) for sid in sids} == before
        hub.launch()
    unit.stop()
    for sid in sids:
        home.ok("send", sid, "--text", "typed\r")
        home.wait_text(sid, "typed")


def pids(home, sid):
    session = home.info(sid)
    found = [session[who] for who in ("keeper_pid", "host_pid", "child_pid")]
    return [(pid, start_of(pid)) for pid in found if is_running(pid)]
