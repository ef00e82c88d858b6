"""Make a home with ended sessions, and record their output.

  golden.py TEND ARCHIVE.tar.xz

TEND is a tend of the version to keep.  The archive has the home and
`expected.json`: TEND's own output for each session's log and screens.
tests/it/test_old_state.py opens the home with the present build.  Run it once
for each release whose engine, log or session.json differs from the one before,
and keep the archive for ever.
"""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

# Text with colours and links, a title, modes, tabs, margins, character sets,
# the alternate screen, a saved cursor, and a sequence that never ends.
DRAWING = (
    "\033]7501;state=working:app=golden\a\033]5;0;#ff0000\a"
    "\033]2;golden title\a\033]8;id=a;http://example.org/\033\\link"
    "\033]8;;\033\\ \033[1;3;4:3;38;2;10;200;30;58:5:9mstyled\033[m\r\n"
    "\033[?2004h\033[?1h\033(0lqqk\033(B\r\n\033[3;10r\033[5;5H\0337"
    "\033[?1049h\033[2J\033[4;7Halternate\033[48;5;17m \033[K\033[m"
    "\033]4;1;#123456\a\033[>1u\033[2;3Hcut \033[38;5;1")
WIDE = ("\u754c\u9762 e\u0301 \U0001f468\u200d\U0001f469\u200d\U0001f467 "
        "\U0001f1e9\U0001f1ea \u0627\u0644 a\u0308\u0323 \uff76\uff9e\r\n")

SESSIONS = {
    "plain": ["sh", "-c", "seq 1 300; exit 3"],
    "resized": ["sh", "-c", "stty -echo; seq -s ' ' 1 120; read x; seq 1 40; "
                "read x; printf '%0150d\\n' 7; read x"],
    "drawing": ["sh", "-c", "stty -echo; printf '%s' \"$0\"; read x",
                DRAWING],
    "unicode": ["sh", "-c", "for i in 1 2 3; do printf '%s' \"$0\"; done; "
                "printf '\\033[31mred %s' \"$0\"", WIDE * 9],
    "long": ["sh", "-c", "i=0; while [ $i -lt 180 ]; do seq 1 5000; "
             "i=$((i + 1)); done"],
}


class Old:
    """Runs a tend in a home of its own."""

    def __init__(self, tend, home):
        self.tend = tend
        self.env = {**os.environ, "TEND_HOME": str(home), "HOME": str(home),
                    "XDG_STATE_HOME": f"{home}/state", "LC_ALL": "C.UTF-8",
                    "HISTFILE": "/dev/null"}

    def run(self, *args):
        done = subprocess.run([self.tend, *map(str, args)], env=self.env,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              cwd="/", check=False)
        return done.returncode, done.stdout

    def ok(self, *args):
        status, out = self.run(*args)
        assert status == 0, (args, status, out)
        return out.decode()

    def json(self, *args):
        return json.loads(self.ok(*args, "--json"))["result"]

    def until(self, sid, what):
        """Wait until the snapshot meets the condition, with a tend without
        `wait`."""
        while not what(self.json("snapshot", sid)):
            time.sleep(0.05)

    def ended(self, sid):
        while self.json("info", sid)["status"] != "exited":
            time.sleep(0.05)


def act(old, ids):
    """Input and commands for the waiting sessions."""
    for size, last in (("50x20", "40"), ("100x30", "7")):
        old.until(ids["resized"], lambda s: any(s["lines"]))
        old.ok("resize", ids["resized"], size)
        old.ok("send", ids["resized"], "--text", "\n")
        old.until(ids["resized"], lambda s, last=last: any(
            row.rstrip().endswith(last) for row in s["lines"]))
    old.ok("send", ids["resized"], "--text", "\n")
    old.until(ids["drawing"],
              lambda s: any("cut" in row for row in s["lines"]))
    old.ok("mark", ids["drawing"], "drawn")
    old.ok("resize", ids["drawing"], "90x26")
    old.ok("kill", ids["drawing"])


def shell(old, ids):
    """A shell with commands that `exec` ran, if tend has it."""
    if old.run("exec", "-h")[0] != 0:
        return
    ids["shell"] = old.ok("run", "-d", "--name", "shell", "--", "bash",
                          "--norc").strip()
    old.ok("exec", ids["shell"], "--", "echo one; echo two")
    old.run("exec", ids["shell"], "--", "printf 'no\\n'; false")
    old.ok("send", ids["shell"], "--text", "exit 5\n")


def look(old, sid):
    """This tend's output for a session."""
    events = [json.loads(line)
              for line in old.ok("log", "--events", sid).splitlines()]
    seqs = [e["seq"] for e in events if e["type"] in ("output", "keyframe")]
    seqs = seqs[::max(1, len(seqs) // 12)]
    info = old.json("info", sid)
    return {
        "id": sid,
        "info": {key: info[key] for key in (
            "name", "status", "outcome", "exit_code", "exit_signal", "cols",
            "rows", "seq", "offset")},
        "types": [e["type"] for e in events],
        "raw": hashlib.sha256(old.run("log", "--raw", sid)[1]).hexdigest(),
        "end": old.json("snapshot", sid),
        "at": {seq: old.json("snapshot", sid, "--at", seq) for seq in seqs},
    }


def main():
    tend, archive = map(pathlib.Path, sys.argv[1:])
    with tempfile.TemporaryDirectory(prefix="tend-old-") as name:
        home = pathlib.Path(name, "home")
        home.mkdir(mode=0o700)
        old = Old(tend.resolve(), home)
        ids = {key: old.ok("run", "-d", "--name", key, "--", *command).strip()
               for key, command in SESSIONS.items()}
        act(old, ids)
        shell(old, ids)
        for sid in ids.values():
            old.ended(sid)
        old.run("gc", "--budget", "1G")  # compresses, and removes nothing
        expected = {
            "tend": old.json("version"),
            "sessions": {key: look(old, sid) for key, sid in ids.items()},
        }
        pathlib.Path(name, "expected.json").write_text(
            json.dumps(expected, indent=1, ensure_ascii=True) + "\n")
        shutil.rmtree(home / "state", ignore_errors=True)
        for path in home.rglob("environ"):
            path.unlink()
        with tarfile.open(archive, "w:xz") as tar:
            for part in ("home", "expected.json"):
                tar.add(pathlib.Path(name, part), part, filter=own)


def own(entry):
    """The entry of a tar file without its owner; None for a socket."""
    if not (entry.isfile() or entry.isdir()):
        return None
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


if __name__ == "__main__":
    main()
