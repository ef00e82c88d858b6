"""A second user of the machine: planted files and attempts to get in.

One user starts sessions below a directory that anybody may write to.  Another
user, at the same time, puts links, directories and files in the place of the
future home, and tries everything useful: to read, to write, to connect, to be
connected to.  None of that may ever succeed.
"""

import json
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest

import lib

VICTIM, ATTACKER = 65533, 65534
WINDOWS = 2000 if os.environ.get("TEND_TEST_FULL") else 100


def become(uid):
    os.setgroups([])
    os.setgid(uid)
    os.setuid(uid)


@pytest.fixture
def programs():
    """The launcher with the real keeper and host, in a place where all may run
    them."""
    path = Path(tempfile.mkdtemp(prefix="tend-home-"))
    for source in ("tests/it/launcher", "src/tend-keeper", "src/tend-host"):
        shutil.copy(lib.BUILD / source, path)
    for each in (path, *path.iterdir()):
        each.chmod(0o755)
    yield path
    shutil.rmtree(path)


@pytest.fixture
def common():
    """A directory like /tmp."""
    path = Path(tempfile.mkdtemp(prefix="tend-home-"))
    path.chmod(0o1777)
    yield path
    shutil.rmtree(path)


def launch(programs, home, uid=VICTIM, **kwargs):
    return subprocess.run([programs / "launcher", home, "/bin/cat"],
                          preexec_fn=lambda: become(uid), cwd="/",
                          env={"PATH": "/usr/bin:/bin"}, timeout=60,
                          capture_output=True, text=True, **kwargs)


def children(pid):
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [int(child) for child in text.split()]


def manifests(home):
    return [json.loads(path.read_text())
            for path in home.glob("sessions/*/session.json")]


def end_sessions(home):
    """Kill the keeper of every session, with what it has started."""
    keepers = [session["keeper_pid"] for session in manifests(home)]
    pids = [pid for keeper in keepers if keeper
            for pid in [keeper, *children(keeper)]]
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    lib.wait_for(lambda: not any(map(lib.is_running, pids)), f"{pids} to end")


# ------------------------------------------------------------ the other user

def plant(home, trap, kind):
    """Put something in the place of the future home; the first to create it
    wins."""
    try:
        if kind == "link":
            home.symlink_to(trap)
        elif kind == "open directory":
            home.mkdir(0o777)
            home.chmod(0o777)
        elif kind == "half a home":
            home.mkdir(0o777)
            home.chmod(0o755)
            (home / "sessions").symlink_to(trap)
            (home / "names").symlink_to(trap)
        elif kind == "file":
            home.touch(0o666)
    except OSError:
        pass


def tries(home, ids):
    """Try every way in; returns the successes, in words."""
    def attempt(what, action):
        try:
            action()
        except OSError:
            return None
        return what

    def connect(path):
        with socket.socket(socket.AF_UNIX) as sock:
            sock.settimeout(1)
            sock.connect(str(path))

    if home.is_symlink() or not home.is_dir() or home.stat().st_uid != VICTIM:
        return
    inside = home / "sessions"
    yield attempt("listed the home", lambda: os.listdir(home))
    yield attempt("listed sessions", lambda: os.listdir(inside))
    yield attempt("wrote", lambda: (home / "new").write_text("x"))
    yield attempt("moved in", lambda: os.rename(inside, home / "away"))
    yield attempt("listed names", lambda: os.listdir(home / "names"))
    # The ids are secret; assume that it has guessed them.
    for sid in ids:
        for name in ("session.json", "log", "files", "artifacts"):
            yield attempt(f"opened {name}", lambda: os.close(
                os.open(inside / sid / name, os.O_RDONLY)))
        yield attempt("connected", lambda: connect(inside / sid / "sock"))


def attack(orders, report, trap):
    """The other user's process: plant, race, try, report, until the end.

    An order is a JSON line: the home and what to plant, or the home and the
    ids of its sessions, on which everything is tried once more without a race.
    """
    become(ATTACKER)
    for line in orders:
        order = json.loads(line)
        home = Path(order["home"])
        if "plant" in order:
            report.write("ready\n")
            report.flush()
            for _ in range(order["pause"]):
                os.sched_yield()
            plant(home, trap, order["plant"])
        gained = [what for what in tries(home, order.get("ids", [])) if what]
        report.write(json.dumps(gained) + "\n")
        report.flush()


class Attacker:
    def __init__(self, trap):
        to_read, to_write = os.pipe()
        from_read, from_write = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.close(to_write)
                os.close(from_read)
                attack(os.fdopen(to_read), os.fdopen(from_write, "w"), trap)
            finally:
                os._exit(0)
        os.close(to_read)
        os.close(from_write)
        self.orders = os.fdopen(to_write, "w")
        self.report = os.fdopen(from_read)

    def order(self, **what):
        self.orders.write(json.dumps(what) + "\n")
        self.orders.flush()

    def answer(self):
        line = self.report.readline()
        assert line, "the other user's process has ended"
        return line if line == "ready\n" else json.loads(line)

    def end(self):
        self.orders.close()
        os.waitpid(self.pid, 0)


# ----------------------------------------------------------------- the tests

def owned_by(path, uid):
    return [each for each in [path, *path.rglob("*")]
            if each.lstat().st_uid == uid]


def test_another_user_gains_nothing(programs, common):
    """No success, whatever is planted and whenever."""
    trap = common / "trap"
    trap.mkdir()
    trap.chmod(0o777)
    os.chown(trap, ATTACKER, ATTACKER)
    attacker = Attacker(trap)
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    kinds = ["nothing", "link", "open directory", "half a home", "file"]
    made = refused = 0
    try:
        for window in range(WINDOWS):
            home = common / f"h{window}"
            kind = rng.choice(kinds)
            where = f"seed {seed}, window {window}, {kind}"
            attacker.order(home=str(home), plant=kind,
                           pause=rng.randrange(2000))
            assert attacker.answer() == "ready\n"
            done = launch(programs, home)
            gained = attacker.answer()
            ids = []
            if done.returncode == 0:
                made += 1
                ids = [done.stdout.split()[0]]
                assert home.lstat().st_uid == VICTIM, where
                assert home.lstat().st_mode & 0o7777 == 0o700, where
            else:
                refused += 1
                assert str(home) in done.stderr, (where, done)
            attacker.order(home=str(home), ids=ids)
            gained += attacker.answer()
            end_sessions(home)
            assert gained == [], where
            # The other user can reach nothing of the victim's.
            assert owned_by(trap, VICTIM) == [], where
            if home.lstat().st_uid == ATTACKER and home.is_dir():
                assert owned_by(home, VICTIM) == [], where
    finally:
        attacker.end()
        for home in common.glob("h*"):
            if home.is_dir() and not home.is_symlink():
                end_sessions(home)
    print(f"{made} sessions made, {refused} homes refused")
    assert made > 0 and refused > 0


def test_everything_in_a_home_is_private(programs, common):
    """K-01: 0700 and 0600 whatever the umask, the socket as well."""
    for mask in (0o000, 0o022, 0o777):
        home = common / f"u{mask:o}"
        done = launch(programs, home, umask=mask)
        assert done.returncode == 0, done
        try:
            lib.wait_for(lambda: manifests(home)[0]["host_pid"], "a host")
            for path in [home, *home.rglob("*")]:
                try:
                    stat = path.lstat()
                except FileNotFoundError:  # it has its right name by now
                    continue
                assert stat.st_uid == VICTIM, path
                if not path.is_symlink():
                    assert stat.st_mode & 0o077 == 0, (path, oct(stat.st_mode))
                    assert stat.st_mode & 0o600 == 0o600, path
        finally:
            end_sessions(home)


def test_root_is_refused_and_leaves_nothing(programs, common):
    home = common / "h"
    home.mkdir(0o700)
    os.chown(home, VICTIM, VICTIM)
    done = launch(programs, home, uid=0)
    assert done.returncode == 125, done
    assert "belongs to another user" in done.stderr
    assert list(home.iterdir()) == []


def test_a_program_that_cannot_run_gives_126_or_127(programs, common):
    """127 and 126 as a shell has them, and nothing is left."""
    home = common / "h"
    for command, status, why in [
            ("/no/such/program", 127, "No such file or directory"),
            ("/etc/passwd", 126, "Permission denied")]:
        done = subprocess.run([programs / "launcher", home, command],
                              capture_output=True, text=True, timeout=60)
        assert done.returncode == status, done
        assert done.stderr == f"cannot run {command}: {why}\n"
        assert list((home / "sessions").iterdir()) == []
        assert list((home / "names").iterdir()) == []
