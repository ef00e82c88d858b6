"""More than one home: the list of them, moved ones, copies, odd places."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest

import lib
from disks import mount
from lib import Home, wait_for


@pytest.fixture
def homes(tmp_path):
    """Three homes of one user, who has nothing else."""
    state = tmp_path / "state"
    made = [Home(tmp_path / name) for name in ("one", "two", "three")]
    for home in made:
        home.env["XDG_STATE_HOME"] = str(state)
    try:
        yield made
    finally:
        for home in made:
            home.end_all()


def registry(home):
    """The file of the registry; there is one, for this machine."""
    files = list(pathlib.Path(home.env["XDG_STATE_HOME"]).glob("tend/homes.*"))
    assert len(files) == 1, files
    return files[0]


def listed(home, *args):
    """Path below the test's directory, state and counts of each home."""
    return {os.path.basename(each["path"]):
            (each["state"], each["active"], each["sessions"])
            for each in home.json("homes", *args)}


# ----------------------------------------------------------------- the list

def test_homes_lists_active_homes_or_all_on_request(homes):
    """K-02, K-03: active homes by default, every known one with --all."""
    one, two, three = homes
    assert one.ok("homes") == "" and one.json("homes", "--all") == []
    one.start("cat")
    two.start("cat")
    ended = two.start("true")
    two.wait_gone(ended)
    gone = three.start("true")
    three.wait_gone(gone)
    assert listed(one) == {"one": ("there", 1, 1), "two": ("there", 1, 2)}
    assert listed(one, "--all") == {
        "one": ("there", 1, 1), "two": ("there", 1, 2),
        "three": ("there", 0, 1)}
    here = [h["path"] for h in two.json("homes") if h["here"]]
    assert here == [str(two.path)]
    text = one.ok("homes", "-a").splitlines()
    assert text[0].split() == ["ACTIVE", "SESSIONS", "LOG", "USED", "HOME"]
    assert {line.split()[-1 - line.endswith("(here)")] for line in text[1:]} \
        == {str(home.path) for home in homes}
    answer = one.json("homes")[0]
    assert list(answer) == ["path", "state", "here", "active", "sessions",
                            "log_bytes", "used_at", "disk", "moved_to", "note"]


def test_ls_lists_the_sessions_of_all_homes(homes):
    one, two, three = homes
    first, second = one.start("cat"), two.start("cat")
    third = three.start("true")
    three.wait_gone(third)

    def ids(*args):
        return {os.path.basename(each["home"]):
                [s["id"] for s in each["sessions"]]
                for each in one.json("ls", "--all-homes", *args)}

    assert ids() == {"one": [first], "two": [second]}
    assert ids("-a") == {"one": [first], "two": [second], "three": [third]}
    assert ids("--label", "no=such") == {}
    text = one.ok("ls", "--all-homes")
    assert text.count("NAME") == 2 and f"{two.path}:\n" in text, text
    # A place that is no longer a home hides nothing.
    two.end_all()
    shutil.rmtree(two.path)
    assert ids() == {"one": [first]}


def test_a_home_is_forgotten_and_comes_again(homes):
    """K-02: leaving the list has no effect on the home."""
    one, two, _ = homes
    sid = two.start("cat")
    one.start("cat")
    for path in (str(two.path) + "/", os.path.relpath(two.path)):
        answer = one.json("homes", "forget", path)
        assert answer == {"forgotten": str(two.path)}
        assert set(listed(one, "-a")) == {"one"}
        two.wait_status(sid, "running")
        two.start("cat")
        assert set(listed(one, "-a")) == {"one", "two"}
    one.error("homes", "forget", "/no/such/home", status=3, code="not_found")
    one.error("homes", "forget", status=2, code="usage")
    one.error("homes", "frob", status=2, code="usage")


def test_a_home_that_is_gone_is_forgotten_by_a_relative_path(homes):
    """Nothing on the disk shows its target any more."""
    one, two, _ = homes
    here = one.path / "here"
    here.mkdir(parents=True)
    for path in ("../../two", "./.././../two/"):
        two.start("cat")
        two.end_all()
        shutil.rmtree(two.path)
        assert listed(one, "-a")["two"][0] == "gone"
        answer = one.json("homes", "forget", path, cwd=here)
        assert answer == {"forgotten": str(two.path)}
        assert "two" not in listed(one, "-a")
    error = one.error("homes", "forget", "../../two", cwd=here, status=3,
                      code="not_found")
    assert f"{two.path}" in error["message"], error


def test_a_lost_list_is_rebuilt(homes):
    """K-02: advisory; a damaged or removed list gates nothing."""
    one, two, _ = homes
    sid = one.start("cat")
    registry(one).write_bytes(b"\x00\xff nonsense")
    assert listed(one) == {"one": ("there", 1, 1)}
    one.wait_status(sid, "running")
    registry(one).unlink()
    two.start("cat")
    assert set(listed(two)) == {"two"}
    one.start("cat")
    assert set(listed(two)) == {"one", "two"}


def test_the_list_is_private(homes):
    """K-01, S11: 0600 in 0700 whatever the umask."""
    one = homes[0]
    before = os.umask(0)
    try:
        one.start("cat")
    finally:
        os.umask(before)
    path = registry(one)
    assert path.stat().st_mode & 0o7777 == 0o600
    assert path.parent.stat().st_mode & 0o7777 == 0o700


def test_a_session_starts_without_a_list(homes):
    """The list is advisory: without it nothing fails."""
    one = homes[0]
    for place in ("/proc/nowhere", "/dev/null"):
        one.env["XDG_STATE_HOME"] = place
        one.wait_status(one.start("cat"), "running")
    state = one.path.parent / "open"
    state.mkdir()
    (state / "tend").mkdir()
    (state / "tend").chmod(0o777)
    one.env["XDG_STATE_HOME"] = str(state)
    one.start("cat")
    assert list((state / "tend").iterdir()) == []
    answer = one.run("homes")
    assert answer.status == 0 and "writable by others" in answer.err, answer
    assert str(one.path) in answer.text, answer


# ------------------------------------------------------------ moved and copied

def test_a_home_moves_while_a_session_runs(homes):
    """Found and driven at the new place; the list has the new path."""
    one, two, three = homes
    sid = one.start("cat", options=["-n", "moving"])
    keeper = one.info(sid)["keeper_pid"]
    os.rename(one.path, two.path)
    assert three.json("homes", "-a")[0]["state"] == "gone"
    assert "not mounted" in three.ok("homes", "-a")
    moved = {os.path.basename(each["path"]): each
             for each in two.json("homes", "-a")}
    assert moved["one"]["state"] == "moved"
    assert moved["one"]["moved_to"] == str(two.path)
    assert moved["two"]["active"] == 1
    assert set(listed(three, "-a")) == {"two"}
    two.ok("send", "moving", "--text", "still there", "--keys", "Enter")
    two.wait_text(sid, "still there")
    assert two.info("moving")["keeper_pid"] == keeper
    other = two.start("cat", options=["-n", "another"])
    assert {s["id"] for s in two.json("ls")} == {sid, other}
    two.ok("stop", "moving")
    assert two.info(sid)["outcome"] == "stopped"
    assert "still there" in "\n".join(two.screen(sid)["lines"])


def test_the_host_of_a_moved_session_is_replaced(homes):
    """The keeper knows the directory, not its path."""
    one, two, _ = homes
    sid = one.start("cat")
    host = one.wait_status(sid, "running")["host_pid"]
    os.rename(one.path, two.path)
    os.kill(host, 9)
    wait_for(lambda: two.info(sid)["host_pid"] not in (None, host),
             lambda: f"another host: {two.info(sid)}")
    two.ok("send", sid, "--text", "after", "--keys", "Enter")
    two.wait_text(sid, "after")


def test_a_copy_is_not_taken_for_the_running_session(homes):
    """cp -a: the same pids, boot and socket, but no process."""
    one, two, _ = homes
    sid = one.start("cat", options=["-n", "worker"])
    one.ok("send", sid, "--text", "before", "--keys", "Enter")
    one.wait_text(sid, "before")
    wait_for(lambda: b"before" in one.raw(sid), lambda: one.raw(sid))
    lib.copy_tree(one.path, two.path)
    copy = two.info(sid)
    assert (copy["status"], copy["outcome"]) == ("exited", "lost"), copy
    assert copy["keeper_pid"] is copy["host_pid"] is copy["child_pid"] is None
    assert two.json("ls") == []
    assert "is a copy" in two.ok("info", sid)
    answer = two.run("send", sid, "--text", "x")
    assert answer.status == 4 and "is a copy" in answer.err, answer
    assert two.run("kill", sid).status == 4
    assert b"before" in two.raw(sid)
    assert "before" in "\n".join(two.screen(sid)["lines"])
    # Its name is free in the copy; destroying it there does not end the
    # original.
    fresh = two.start("cat", options=["-n", "worker"])
    two.ok("destroy", sid, "--purge")
    assert one.info(sid)["status"] == "running"
    one.ok("send", sid, "--text", "after", "--keys", "Enter")
    one.wait_text(sid, "after")
    assert two.info("worker")["id"] == fresh
    assert listed(one)["two"] == ("there", 1, 1)


def test_a_copy_in_the_place_of_a_moved_home_is_not_running(homes):
    """The home is renamed and a copy put in its place."""
    one, two, _ = homes
    sid = one.start("cat")
    os.rename(one.path, two.path)
    lib.copy_tree(two.path, one.path)
    assert one.info(sid)["outcome"] == "lost"
    two.wait_status(sid, "running")
    states = {os.path.basename(each["path"]): each["state"]
              for each in two.json("homes", "-a")}
    assert states == {"one": "replaced", "two": "there"}


# ------------------------------------------------------------------ odd places

@pytest.fixture
def read_only(tmp_path):
    """A home with an ended session, on a disk that then becomes read-only."""
    place = tmp_path / "disk"
    place.mkdir()
    mount("-t", "tmpfs", "-o", "size=64m,mode=0700", "tmpfs", place)
    try:
        with Home(place / "home") as home:
            home.env["XDG_STATE_HOME"] = str(tmp_path / "state")
            sid = home.start("echo", "was here", options=["-n", "old"])
            home.wait_status(sid, "exited")
            wait_for(lambda: not home.processes(), home.processes)
            mount("-o", "remount,ro", place)
            yield home, sid
    finally:
        subprocess.run(["umount", "-l", place], check=True)


def test_a_read_only_home_is_read(read_only):
    home, sid = read_only
    assert [s["id"] for s in home.json("ls", "-a")] == [sid]
    assert home.info("old")["exit_code"] == 0
    assert b"was here" in home.raw(sid)
    assert "was here" in home.ok("log", sid)
    assert home.screen(sid)["lines"][0] == "was here"
    note = home.json("homes", "-a")[0]["note"]
    assert "read-only" in note, note


def test_nothing_starts_in_a_read_only_home(read_only):
    home, sid = read_only
    answer = home.run("run", "-d", "cat")
    assert answer.status == 125, answer
    assert str(home.path) in answer.err, answer
    assert "mounted read-only" in answer.err, answer
    assert "--home" in answer.err, answer
    assert home.json("gc", "--all", "--dry-run")["removed"][0]["id"] == sid
    for args in (["gc", "--all"], ["rename", sid, "other"], ["destroy", sid],
                 ["label", sid, "a=b"]):
        answer = home.run(*args)
        assert answer.status == 8, answer
        assert "Read-only file system" in answer.err, answer


def refused(home, *args, status=12):
    """The messages of run and ls for a home that cannot be used."""
    ls = lib.tend("ls", "--home", str(home), *args)
    assert ls.status == status, ls
    run = lib.tend("run", "--home", str(home), "-d", "cat")
    assert run.status == 125 and run.out == b"", run
    assert run.err.partition(": ")[2] == ls.err.partition(": ")[2]
    return ls.err


def test_unusable_homes_are_refused(tmp_path):
    """Each with its reason and a next step."""
    plain = tmp_path / "file"
    plain.touch()
    assert f"{plain}: Not a directory" in refused(plain, status=8)
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    assert "give the directory itself" in refused(link, status=8)
    shared = tmp_path / "open"
    shared.mkdir()
    shared.chmod(0o777)
    assert f"run chmod 700 {shared}" in refused(shared)
    assert list(shared.iterdir()) == []
    long = tmp_path / "/".join(["d" * 200] * 25)
    assert "too long" in refused(long, status=2)
    wide = tmp_path / ("w" * 300)
    assert "name too long" in refused(wide, status=2).lower()


def test_a_home_of_another_user_is_refused(tmp_path):
    home = tmp_path / "theirs"
    home.mkdir(mode=0o700)
    os.chown(home, 65534, 65534)
    run = lib.tend("run", "--home", str(home), "-d", "cat")
    assert run.status == 125, run
    assert "belongs to another user (uid 65534)" in run.err, run
    assert list(home.iterdir()) == []


def test_a_home_may_have_nearly_any_length(homes):
    """As long as a path can be; the socket's limit is 107."""
    one = homes[0]
    room = 4096 - 1 - len("/sessions/") - 26 - len("/session.json.1234567")
    path = str(one.path)
    while len(path) + 201 < room:
        path += "/" + "d" * 200
    one.env["TEND_HOME"] = path
    sid = one.start("cat")
    try:
        one.ok("send", sid, "--text", "deep", "--keys", "Enter")
        one.wait_text(sid, "deep")
        assert one.json("homes")[0]["path"] == path
    finally:
        one.ok("kill", sid)
    assert "deep" in "\n".join(one.screen(sid)["lines"])
    events = [json.loads(line) for line in
              one.ok("log", "--events", sid).splitlines()]
    assert events[-1]["type"] == "exit", events[-1]
