#!/usr/bin/python3
"""Record real programs in a real PTY as asciicast v2 files.

    record.py NAME...     record these recipes into tests/data/NAME.cast
    record.py --all       record every recipe
    record.py --list      name the recipes

The recipes are in recipes.py.  A recording shows nothing of the machine it
was made on: the program runs in its own mount, UTS, PID and network
namespaces, as the user `user` on the host `box`, with an empty /home/user,
a throw-away copy of /etc, /usr and /var, and a fixed environment.  Making
those namespaces needs root.

Recordings are not expected to be the same bytes each time (programs draw
clocks and load averages); they are inputs, and every test that reads them
compares two readers of the same bytes.
"""

import os
import pathlib
import shutil
import socket
import subprocess
import sys

import recipes
import session

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent / "data"
HOME = pathlib.Path("/home/user")
UID = 1000

ENV = {
    "TERM": "xterm-256color",
    "COLORTERM": "truecolor",
    "LANG": "C.UTF-8",
    "HOME": str(HOME),
    "USER": "user",
    "LOGNAME": "user",
    "SHELL": "/bin/bash",
    "PS1": "user@box:~$ ",
    "TZ": "UTC",
    "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/games",
}
ROOT_PATH = "/usr/local/sbin:/usr/sbin:/sbin:" + ENV["PATH"]

PASSWD = (
    "root:x:0:0:root:/root:/bin/bash\n"
    "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
    f"user:x:{UID}:{UID}:user:{HOME}:/bin/bash\n"
)
GROUP = f"root:x:0:\nnogroup:x:65534:\nuser:x:{UID}:\n"


def mount(*args):
    subprocess.run(["mount", *args], check=True)


def cover(path):
    """Let `path` be written to without a trace on the real file system."""
    layer = pathlib.Path("/mnt") / path.strip("/")
    (layer / "upper").mkdir(parents=True)
    (layer / "spare").mkdir()
    mount("-t", "overlay", "overlay", "-o",
          f"lowerdir={path},upperdir={layer}/upper,workdir={layer}/spare", path)


def enter_scratch_machine():
    """Make this namespace the machine `box`; called inside unshare(1)."""
    mount("--make-rprivate", "/")
    for path in ("/mnt", "/home", "/tmp", "/root"):
        mount("-t", "tmpfs", "tmpfs", path)
    for path in ("/etc", "/usr", "/var"):
        cover(path)
    mount("-t", "proc", "-o", "hidepid=2", "proc", "/proc")
    os.chmod("/tmp", 0o1777)
    socket.sethostname("box")
    pathlib.Path("/etc/passwd").write_text(PASSWD)
    pathlib.Path("/etc/group").write_text(GROUP)
    pathlib.Path("/etc/hostname").write_text("box\n")
    pathlib.Path("/etc/hosts").write_text("127.0.0.1 localhost box\n")
    for settings in ("/etc/npmrc", "/usr/etc/npmrc"):
        pathlib.Path(settings).unlink(missing_ok=True)
    HOME.mkdir()
    shutil.copytree(HERE / "programs", HOME, dirs_exist_ok=True)


def own_home():
    for path in [HOME, *HOME.rglob("*")]:
        os.chown(path, UID, UID, follow_symlinks=False)


def become_user():
    os.setgroups([])
    os.setgid(UID)
    os.setuid(UID)


def prepare(recipe):
    own_home()
    if recipe.setup:
        subprocess.run(["/bin/bash", "-euc", recipe.setup], check=True,
                       cwd=HOME, env=ENV, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL,
                       preexec_fn=None if recipe.root else become_user)


def record_inside(name):
    recipe = recipes.RECIPES[name]
    enter_scratch_machine()
    prepare(recipe)
    env = dict(ENV, **recipe.env)
    if recipe.root:
        env["PATH"] = ROOT_PATH
    cast = session.record(recipe, env, HOME,
                          None if recipe.root else become_user)
    (DATA / f"{name}.cast").write_text(cast)


def record(name):
    """Run this script again, inside fresh namespaces."""
    done = subprocess.run([
        "unshare", "--mount", "--uts", "--net", "--ipc", "--pid", "--fork",
        "--kill-child", sys.executable, "-B", __file__, "--inside", name])
    if done.returncode != 0:
        print(f"{name}: FAILED", file=sys.stderr)
        return False
    size = (DATA / f"{name}.cast").stat().st_size
    print(f"{name}: {size} bytes")
    return True


def main(args):
    if args[:1] == ["--inside"]:
        return record_inside(args[1])
    if args == ["--list"]:
        print("\n".join(recipes.RECIPES))
        return None
    names = list(recipes.RECIPES) if args == ["--all"] else args
    unknown = [n for n in names if n not in recipes.RECIPES]
    if not names or unknown:
        sys.exit(f"unknown recipe: {unknown}" if unknown else __doc__)
    if os.geteuid() != 0:
        sys.exit("record.py makes namespaces and needs root")
    results = [record(name) for name in names]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
