"""Record the real coding agents, with the true state at each moment.

    record.py --list                    agents, versions and scenarios
    record.py NAME[-VERSION[-SCENARIO]]...
    record.py --all

A recording is tests/data/agents/NAME-VERSION-SCENARIO.cast (asciicast v2, with
the input).  tests/data/agents/truth.json says for each of them what is true
and when:

    {"from": 1.25, "to": 3.5, "state": "waiting_permission", "box": "none",
     "note": "…", "tool": "Bash", "input": {…}}

From `from` to `to` seconds the screen shows this state.  Between two entries
the agent was changing, and nothing is said.  `state` is idle, working,
waiting_permission, waiting_question, needs_setup, error, or starting (it shows
a box that is not ready); `box` is empty, draft or none (nothing can be typed
into an input box).  The ends come from the log: the
output that drew the state, and the input or the answer of the API that ended
it.

The recorder needs root.  It makes a machine named box without a network, where
the user dev works in /home/dev/demo, so a recording shows nothing of the
machine it was made on.  With VERBOSE=1 it prints the screen at each entry.
"""

import base64
import codecs
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DATA = ROOT / "tests" / "data" / "agents"
INSIDE = pathlib.Path("/opt/tend")      # the tree, in the machine box
HOME = pathlib.Path("/home/dev")
UID = 1000
LIMIT = 100_000                         # bytes of a recording

# A report by OSC 7501; it is no part of a screen.
STATUS = re.compile(r"\x1b\]7501;(?!\?)[^\x07\x1b]*(?:\x07|\x1b\\)")

# Keys that answer the dialogs of a first start.
DIALOG_KEYS = ("\r", "\x1b[A", "\x1b[B", "\x1bOA", "\x1bOB")

PASSWD = ("root:x:0:0:root:/root:/bin/bash\n"
          f"dev:x:{UID}:{UID}:dev:{HOME}:/bin/bash\n")


# ---------------------------------------------------------------- The machine

def mount(*args):
    subprocess.run(["mount", *args], check=True)


def enter_box():
    """Make these namespaces the machine box, and become dev."""
    mount("--make-rprivate", "/")
    mount("-t", "tmpfs", "tmpfs", "/opt")
    INSIDE.mkdir()
    mount("--bind", str(ROOT), str(INSIDE))
    for path in ("/home", "/root", "/tmp"):
        mount("-t", "tmpfs", "tmpfs", path)
    os.chmod("/tmp", 0o1777)
    mount("-t", "proc", "proc", "/proc")
    files = pathlib.Path("/opt/etc")
    files.mkdir()
    for name, text in (("passwd", PASSWD), ("hostname", "box\n"),
                       ("group", f"root:x:0:\ndev:x:{UID}:\n"),
                       ("hosts", "127.0.0.1 localhost box\n"),
                       ("resolv.conf", "")):
        (files / name).write_text(text)
        mount("--bind", str(files / name), f"/etc/{name}")
    subprocess.run(["hostname", "box"], check=True)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    HOME.mkdir()
    os.chown(HOME, UID, UID)
    os.setgroups([])
    os.setgid(UID)
    os.setuid(UID)
    os.environ.update(HOME=str(HOME), TEND_BUILD=str(
        INSIDE / pathlib.Path(os.environ["TEND_BUILD"]).relative_to(ROOT)))
    sys.path[:0] = [str(INSIDE / "tests" / "agents")]


# ------------------------------------------------------------------ One take

class Take:
    """A scenario that is being played: the agent, and the truth so far."""

    def __init__(self, agent, api):
        self.agent = agent
        self.api = api
        self.since = 0          # index of the truth log before the last prompt
        self.marks = []
        for name in ("keys", "type", "paste", "choose", "wait", "version"):
            setattr(self, name, getattr(agent, name))

    def mark(self, state, box, pattern, note, until=None, quiet="400ms",
             absent=None, asked=True, until_output=None):
        """Wait until the screen matches, and note that this is true from now
        until the next input, until this event of the API ("" is none, but the
        screen moves), or until the output that has this text."""
        if until:
            self.api.wait("turn began", self.since)
        screen = self.wait(pattern, absent)
        if until is None and until_output is None:
            self.agent.home.run("wait", self.agent.sid, "--stable", quiet,
                                "--timeout", "15s")
            screen = self.wait(pattern, absent)
        elif until is not None:     # it has moved, and is the same still
            self.agent.home.run("wait", self.agent.sid, "--changed-since",
                                screen["hash"], "--timeout", "1s")
        mark = {"seq": screen["seq"], "state": state, "box": box,
                "note": note}
        if state.startswith("waiting") and asked:
            event = [event for event in self.api.events
                     if event["kind"] == "tool asked"][-1]
            mark.update(tool=event["tool"], input=event["input"])
        if until:
            mark["until"] = (until, self.since)
        if until_output:
            mark["until_output"] = until_output
        self.marks.append(mark)
        if os.environ.get("VERBOSE"):
            lines = [line for line in screen["lines"] if line.strip()]
            print(f"\n=== {note}: {state}, {box} {screen['title']!r}", *lines,
                  sep="\n", file=sys.stderr)
        return screen

    def submit(self, text):
        """Submit a prompt in an empty box."""
        self.wait(self.agent.kind.READY)
        self.since = len(self.api.events)
        return self.agent.submit(text)

    def queue(self, text):
        """Submit one during a turn, and wait until its own turn begins."""
        self.agent.submit(text)
        began = self.api.wait("turn began", self.since, prompt=text)
        self.since = self.api.events.index(began)

    def ended(self, how="done"):
        self.api.wait("turn ended", self.since, how=how)

    def idle(self, note, how="done"):
        """Wait for the end of the turn; the agent is idle, its box empty."""
        if how:
            self.ended(how)
        self.mark("idle", "empty", self.agent.kind.READY, note,
                  absent=self.agent.kind.BUSY)

    def resize(self, cols, rows):
        self.agent.home.ok("resize", self.agent.sid, f"{cols}x{rows}")

    # ---- The result

    def cast(self, events):
        start = next(e for e in events if e["type"] == "start")["data"]
        lines = [{"version": 2, "width": start["cols"],
                  "height": start["rows"], "env": {"TERM": "xterm-256color"}}]
        decoder = codecs.getincrementaldecoder("utf-8")()
        for event in events:
            at = round(event["time"], 3)
            if event["type"] == "output":
                data = event.get("data")
                data = data.encode() if data is not None else \
                    base64.b64decode(event["data_base64"])
                text = decoder.decode(data)
                if text:
                    lines.append([at, "o", text])
            elif event["type"] == "input":
                lines.append([at, "i", event["data"]])
            elif event["type"] == "resize":
                lines.append([at, "r", f"{event['cols']}x{event['rows']}"])
        return "".join(json.dumps(line, ensure_ascii=False) + "\n"
                       for line in lines)

    def truth(self, events):
        clock = next(e for e in events if e["type"] == "clock")
        began = datetime.datetime.fromisoformat(
            clock["wall"].replace("Z", "+00:00")).timestamp() - clock["time"]
        result = []
        for mark in self.marks:
            seq = mark.pop("seq")
            until = mark.pop("until", None)
            text = mark.pop("until_output", None)
            start = max(e["time"] for e in events
                        if e["seq"] <= seq and e["type"] == "output")
            ends = [e["time"] for e in events if e["seq"] > seq
                    and e["type"] in ("input", "resize", "exit")]
            if text:
                ends += [e["time"] for e in events if e["seq"] > seq
                         and e["type"] == "output"
                         and text in e.get("data", "")][:1]
            if until:
                found = self.api.found(*until)
                # The agent may draw the news before we have noted them.
                ends.append(found["at"] - began - 0.03)
            end = min(ends, default=events[-1]["time"])
            if end <= start:
                raise AssertionError(f"over before it was seen: {mark}")
            result.append({"from": round(start, 3), "to": round(end, 3),
                           **mark})
        return result


def play(name, version, title):
    """Play a scenario; prints the recording and its truth as JSON."""
    enter_box()
    import agents
    import scenarios
    from lib import Home
    from standin import Standin

    scenario = scenarios.SCENARIOS[name][title]
    place = agents.Place(HOME, scenario.still)
    with Standin() as api, Home() as home, place:
        agent = agents.start(home, api, place, name, version,
                             *scenario.args, **scenario.options)
        take = Take(agent, api)
        scenario.play(take)
        if home.info(agent.sid)["status"] == "running":
            home.ok("kill", agent.sid)
        home.wait_gone(agent.sid)
        events = home.events(agent.sid)
        print(json.dumps({"cast": take.cast(events),
                          "truth": take.truth(events)}))
        home.end_all()


# ------------------------------------------------------------------ All takes

def record(name, version, title):
    """Play it in a machine of its own, and write the files."""
    done = subprocess.run(
        ["unshare", "--mount", "--uts", "--net", "--ipc", "--pid", "--fork",
         "--kill-child", "/usr/bin/python3", "-B", __file__, "--inside", name,
         version, title], stdout=subprocess.PIPE, text=True)
    whole = f"{name}-{version}-{title}"
    if done.returncode != 0:
        print(f"{whole}: FAILED", file=sys.stderr)
        return False
    result = json.loads(done.stdout.splitlines()[-1])
    if starts_ready(name, title):
        result["cast"] = without_start(result["cast"], result["truth"])
    size = len(result["cast"].encode())
    if size > LIMIT:
        print(f"{whole}: {size} bytes are too many", file=sys.stderr)
        return False
    DATA.mkdir(exist_ok=True)
    (DATA / f"{whole}.cast").write_text(result["cast"])
    write_truth(whole, result["truth"])
    print(f"{whole}: {size} bytes, {len(result['truth'])} states")
    return True


def starts_ready(name, title):
    import scenarios
    return scenarios.SCENARIOS[name][title].options.get("ready", True)


def without_start(cast, truth):
    """The recording without the start of the agent, which is up to 20 KB: its
    first output makes the screen from which the scenario goes on."""
    header, *events = map(json.loads, cast.splitlines())
    typed = next(at for at, kind, data in events
                 if kind == "i" and data not in DIALOG_KEYS)
    begin = min(typed - 0.001, truth[0]["from"] + 0.0005)
    tend = pathlib.Path(os.environ["TEND_BUILD"]) / "src" / "tend"
    screen = subprocess.run(
        [tend, "render", "--at", f"{begin:.4f}s", "--format", "ansi"],
        input=cast.encode(), stdout=subprocess.PIPE, check=True).stdout
    before = "".join(data for at, kind, data in events
                     if kind == "o" and at <= begin)
    status = STATUS.findall(before)[-1:]
    first = [round(begin, 3), "o", screen.decode() + "".join(status)]
    events = [event for event in events if event[0] > begin]
    return "".join(json.dumps(line, ensure_ascii=False) + "\n"
                   for line in (header, first, *events))


def write_truth(whole, truth):
    """Put it into truth.json, which has one line for each entry."""
    path = DATA / "truth.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    known[whole] = truth
    known = {key: known[key] for key in sorted(known)
             if (DATA / f"{key}.cast").exists()}
    path.write_text("{\n" + ",\n".join(
        f"{json.dumps(key)}: [\n" + ",\n".join(
            json.dumps(entry, ensure_ascii=False) for entry in entries) + "\n]"
        for key, entries in known.items()) + "\n}\n")


def takes(words):
    """[(agent, version, scenario)] of NAME[-VERSION[-SCENARIO]]."""
    import agents
    import scenarios
    every = [(name, version, title) for name in scenarios.SCENARIOS
             for version in agents.versions(name)
             for title, scenario in scenarios.SCENARIOS[name].items()
             if scenario.old or version == agents.versions(name)[-1]]
    if words == ["--all"]:
        return every
    found = [take for word in words for take in every
             if f"{'-'.join(take)}-".startswith(f"{word}-")]
    if not found:
        sys.exit(f"no such scenario: {' '.join(words)} (see --list)")
    return found


def main(args):
    if args[:1] == ["--inside"]:
        return play(*args[1:])
    os.environ.setdefault("TEND_BUILD", str(ROOT / "build" / "release-gcc"))
    if args == ["--list"]:
        print(*map("-".join, takes(["--all"])), sep="\n")
        return 0
    if not args:
        sys.exit(__doc__)
    if os.geteuid() != 0:
        sys.exit("record.py makes a machine of namespaces and needs root")
    results = [record(*take) for take in takes(args)]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
