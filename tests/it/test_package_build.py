"""The Debian package, built, installed, and removed while a session runs.

dpkg installs it below a directory of its own: the machine's packages are left
alone, and the programs work wherever their tree is.  Building it takes a
minute: the test is for full runs.
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess

import lib
from lib import Home, wait_for


def run(*command, **kwargs):
    done = subprocess.run([*command], capture_output=True, text=True,
                          timeout=600, **kwargs)
    assert done.returncode == 0, (command, done.stdout[-3000:],
                                  done.stderr[-3000:])
    return done.stdout


def ignored(directory, names):
    """Built or fetched files are not the package's source."""
    return [name for name in names
            if name in (".git", "node_modules", "build", "__pycache__")
            or pathlib.Path(directory, name, "build.ninja").exists()]


def build(where):
    """The .changes file of a package built in a copy of the tree."""
    shutil.copytree(lib.ROOT, where / "tend", ignore=ignored)
    env = {key: value for key, value in os.environ.items()
           if key not in ("CFLAGS", "CI", "DESTDIR")}
    said = run("dpkg-buildpackage", "-us", "-uc", "-b",
               cwd=where / "tend",
               env={**env, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
                    "DEB_BUILD_OPTIONS": "parallel=2"})
    assert "warning:" not in said, said[-3000:]
    return next(where.glob("*.changes"))


class Tree:
    """Where dpkg installs: a root and a database of its own."""

    def __init__(self, where):
        self.root = where / "root"
        self.database = where / "dpkg"
        self.root.mkdir()
        (self.database / "info").mkdir(parents=True)
        (self.database / "updates").mkdir()
        for name in ("status", "available"):
            (self.database / name).touch()
        self.tend = self.root / "usr" / "bin" / "tend"

    def dpkg(self, *args):
        return run("dpkg", f"--instdir={self.root}",
                   f"--admindir={self.database}", "--force-depends",
                   "--force-not-root", "--force-script-chrootless",
                   f"--log={self.database / 'log'}", *args)

    def files(self):
        return sorted(str(path.relative_to(self.root))
                      for path in self.root.rglob("*") if not path.is_dir())


def new_host(home, sid, old):
    """The host that replaces a killed one."""
    def look():
        pid = home.info(sid)["host_pid"]
        return pid if pid not in (None, old) and lib.is_running(pid) else None

    return wait_for(look, lambda: f"a new host: {home.info(sid)}")


def survive(home, sid, word):
    """The host is killed, another takes over, and the session is unchanged."""
    old = home.info(sid)["host_pid"]
    os.kill(old, signal.SIGKILL)
    host = new_host(home, sid, old)
    home.ok("send", sid, "--text", word, "--keys", "Enter")
    home.wait_text(sid, f"{word}\n{word}")
    home.wait_text(sid, "before")
    return os.readlink(f"/proc/{host}/exe")


def in_and_out(tree, package, home):
    """A session from the package survives its removal, and uses it again
    later."""
    tree.dpkg("-i", package)
    sid = run(tree.tend, "run", "-d", "-n", "kept", "--", "sh", "-c",
              "echo before; exec cat", env=home.env).strip()
    home.wait_text(sid, "before")
    program = survive(home, sid, "installed")
    assert program == f"{tree.root}/usr/libexec/tend/tend-host", program

    tree.dpkg("--remove", "tend")
    assert tree.files() == [], "left behind"
    program = survive(home, sid, "removed")
    assert program.endswith("/tend-host (deleted)"), program

    tree.dpkg("-i", package)
    listed = run(tree.tend, "ls", env=home.env)
    assert "kept" in listed and "running" in listed, listed
    survive(home, sid, "reinstalled")

    tree.dpkg("--purge", "tend")
    assert tree.files() == [] and home.path.exists()
    survive(home, sid, "purged")
    raw = home.raw(sid).decode()
    for word in ("before", "installed", "removed", "reinstalled", "purged"):
        assert f"{word}\r\n" in raw, raw
    home.ok("stop", sid)


def test_the_package_can_be_removed_while_a_session_runs(tmp_path):
    changes = build(tmp_path)
    said = subprocess.run(["lintian", "--fail-on", "error,warning",
                           changes],
                          capture_output=True, text=True, timeout=240)
    assert said.returncode == 0, said
    package = next(tmp_path.glob("tend_*.deb"))
    depends = run("dpkg-deb", "-f", package, "Depends")
    for library in ("libc6", "libjansson4", "libpcre2-8-0", "libqrencode4",
                    "libsqlite3-0", "libssl3", "libuv1", "libwslay1",
                    "libzstd1"):
        assert re.search(rf"\b{library}\b", depends), depends
    with Home() as home:
        in_and_out(Tree(tmp_path), package, home)
