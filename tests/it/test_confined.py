"""Confined sessions: the operations their programs may and may not do."""

import json
import os
import textwrap

import pytest

import lib
import wire
from inside import inside, python
from lib import Home, wait_for
from wire import Wire


@pytest.fixture(scope="module")
def home():
    with Home() as home:
        yield home


@pytest.fixture
def other(home):
    """A session of another owner that echoes everything."""
    sid = home.start("sh", "-c", "stty raw -echo; printf ready; exec cat",
                     options=["-n", f"other-{os.urandom(4).hex()}"])
    home.wait_text(sid, "ready")
    yield sid
    home.run("kill", sid)


CONFINED = ["--confined"]


def typed(home, sid):
    return [e["data"] for e in home.events(sid, "input")]


def name(home, sid):
    return home.info(sid)["name"]


def test_a_confined_session_is_shown_as_confined(home):
    sid = home.start("cat", options=["--may", "drive:team/*",
                                     "--may", "observe:**"])
    assert home.info(sid)["confined"] is True
    assert home.info(sid)["may"] == ["drive:team/*", "observe:**"]
    text = home.ok("info", sid)
    assert "confined" in text and "drive:team/*" in text, text
    plain = home.start("cat")
    assert home.info(plain)["confined"] is False
    assert home.info(plain)["may"] == []
    assert "confined" not in home.ok("info", plain)


@pytest.mark.parametrize("grant, why", [
    ("approve:*", "cannot be granted"), ("admin:**", "cannot be granted"),
    ("create:*", "cannot be granted"), ("drive", "PERMISSION:NAMES"),
    ("drive:a//b", "not a pattern"), pytest.param("drive:" + "x" * 256, "at most 255", id="long")])
def test_a_bad_grant_is_refused(home, grant, why):
    error = home.error("run", "-d", "--may", grant, "--", "cat", status=125,
                       code="usage")
    assert why in error["message"]


def test_too_many_grants_are_refused(home):
    many = [f"--may=drive:s{i}" for i in range(33)]
    error = home.error("run", "-d", *many, "--", "cat", status=125,
                       code="usage")
    assert "at most 32" in error["message"]
    sid = home.start("cat", options=many[:32])
    assert len(home.info(sid)["may"]) == 32


@pytest.mark.parametrize("command", [
    "send {} --text x", "snapshot {}", "stop {}", "kill {}",
    "signal {} INT", "resize {} 90x30", "rename {} mine", "label {} a=b",
    "mark {} here", "wait {} --text ready", "prompt {} hello",
    "attach {} --nested", "upgrade {}"])
def test_a_confined_session_cannot_touch_another(home, other, command):
    before = home.info(other)
    sid, out = inside(home, f"script -qec '$TEND {command.format(other)}' "
                      "/dev/null; echo status $?", CONFINED)
    assert "status 0" not in out, out
    assert sid in out and "is confined" in out, out
    after = home.info(other)
    for key in ("status", "cols", "rows", "name", "labels", "host_pid"):
        assert after[key] == before[key], after
    assert typed(home, other) == []
    assert home.events(other, "mark", "signal") == []


@pytest.fixture
def ended(home):
    """A session of another owner that has ended, with a secret."""
    sid = home.start("sh", "-c", "echo shown", options=[
        "-n", f"ended-{os.urandom(4).hex()}", "--env=SECRET=hidden"])
    home.wait_gone(sid)
    return sid


@pytest.mark.parametrize("command", [
    "log {}", "log --events {}", "log --raw {}", "snapshot {}",
    "snapshot {} --at 1", "info {}", "env {}", "env --program {}",
    "wait {} --exit", "rename {} mine", "label {} a=b", "mark {}",
    "rerun -d {}", "destroy {}", "destroy --purge -y {}",
    "gc --all -y", "gc -n --all", "homes forget ."])
def test_a_confined_session_cannot_use_the_files_of_another(home, ended,
                                                           command):
    """No host checks these commands."""
    before = home.info(ended)
    sid, out = inside(home, f"$TEND {command.format(ended)}; echo status $?",
                      CONFINED)
    assert "status 0" not in out, out
    assert f"session {sid} is confined" in out, out
    assert "shown" not in out and "hidden" not in out, out
    assert home.info(ended) == before


def test_a_confined_session_sees_itself_and_its_own(home, other, ended):
    """In lists, guesses and completion, too."""
    sid, out = inside(home, f"""
        child=$($TEND run -d -n child-of-it -- cat)
        $TEND ls -a --json
        $TEND log {name(home, other)[:-1]}zz; $TEND __complete log ""
        $TEND info >/dev/null; echo status $?
        $TEND env; echo status $?
        $TEND kill $child
        """, CONFINED)
    listed = json.loads(out.splitlines()[0])["result"]
    assert {s["name"] for s in listed} >= {"child-of-it"}, out
    assert len(listed) == 2 and sid in [s["id"] for s in listed], out
    assert name(home, other) not in out and name(home, ended) not in out, out
    assert out.count("status 0") == 2, out


def test_a_server_of_tools_in_a_confined_session_is_limited_too(home, ended):
    calls = [("session_list", {"all": True}),
             ("session_output", {"session": ended}),
             ("session_snapshot", {"session": ended})]
    lines = [{"id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"}}}]
    lines += [{"id": i, "method": "tools/call", "params": {
        "name": tool, "arguments": args}}
        for i, (tool, args) in enumerate(calls, 1)]
    said = "\n".join(json.dumps({"jsonrpc": "2.0", **line})
                     for line in lines)
    before = home.info(ended)
    _, out = inside(home, f"$TEND mcp <<'END'\n{said}\nEND\n", CONFINED)
    answers = {a["id"]: a["result"] for a in map(json.loads, out.splitlines())}
    assert name(home, ended) not in json.dumps(answers[1]), answers[1]
    for i in (2, 3):
        assert answers[i]["isError"] and "is confined" in json.dumps(
            answers[i]), answers[i]
    assert home.info(ended) == before


def test_a_grant_covers_the_files_of_an_ended_session(home, ended):
    its = name(home, ended)
    _, out = inside(home, f"$TEND log {ended}; $TEND ls -a --json; "
                    f"$TEND label {ended} a=b; echo status $?",
                    ["--may", f"observe:{its}"])
    assert "shown" in out and ended in out, out
    assert f"--may 'control:{its}'" in out and "status 0" not in out, out
    _, out = inside(home, f"$TEND label {ended} a=b; echo status $?; "
                    f"$TEND destroy --purge -y {ended}; echo status $?",
                    ["--may", f"control:{its}"])
    assert out.count("status 0") == 1 and "permission admin" in out, out
    assert home.info(ended)["labels"] == {"a": "b"}


def test_the_refusal_says_what_to_do(home, other):
    sid, out = inside(home, f"$TEND send {other} --text x", CONFINED)
    assert f"session {sid} is confined" in out, out
    assert f"tend run --may 'drive:{name(home, other)}'" in out, out


def test_a_confined_session_cannot_touch_itself(home):
    """A program that asks before it acts cannot answer its own question."""
    sid, out = inside(home, "$TEND send $TEND_SESSION --text yes; echo $?",
                      CONFINED)
    assert "is confined" in out and not out.endswith("\n0\n"), out
    assert typed(home, sid) == []


@pytest.mark.parametrize("how", [
    "env -u TEND_SESSION $TEND", "env TEND_SESSION= $TEND",
    "env TEND_SESSION=01J000000000000000000000A0 $TEND",
    "setsid -w $TEND", "env -i TEND_HOME=$TEND_HOME $TEND",
    "bash -c 'exec -a tend-keeper \"$@\"' - $TEND"])
def test_variables_and_setsid_do_not_lift_the_confinement(home, other, how):
    _, out = inside(home, f"{how} send {other} --text x; echo status $?",
                    CONFINED)
    assert "is confined" in out and "status 0" not in out, out
    assert typed(home, other) == []


# Connects as an orphan, after two forks as a daemon has them.
DAEMON = """
    import os
    if os.fork() == 0:
        os.setsid()
        middle = os.getpid()
        if os.fork() == 0:
            while os.getppid() == middle:
                os.sched_yield()
            out = os.environ["OUT"] + ".orphan"
            os.system(os.environ["TEND"] +
                      " send {} --text x >" + out + ".tmp 2>&1; "
                      "echo status $? >>" + out + ".tmp")
            os.rename(out + ".tmp", out)
        os._exit(0)
    os.wait()
    while not os.path.exists(os.environ["OUT"] + ".orphan"):
        os.sched_yield()
    print(open(os.environ["OUT"] + ".orphan").read())
"""


def test_a_double_fork_does_not_help(home, other):
    _, out = inside(home, python(DAEMON.format(other)), CONFINED)
    assert "is confined" in out and "status 0" not in out, out
    assert typed(home, other) == []


@pytest.mark.parametrize("how", [
    "unshare -Ur", "unshare -Urpf", "unshare -Urpf --mount-proc"])
def test_namespaces_do_not_help(home, other, how):
    """Of users and of processes; the host sees the peer from outside.  Where
    the system allows no namespaces, they do not help either."""
    _, out = inside(home, how + " " + python(f"""
        import wire
        try:
            wire.Wire({str(home.dir(other))!r}).close()
            print("taken")
        except wire.Refused as e:
            print(e.code, e.message)
    """), CONFINED)
    assert "taken" not in out, out
    assert "is confined" in out or "unshare: " in out, out
    assert typed(home, other) == []


def test_a_process_that_calls_itself_a_keeper_stays_confined(home, other):
    """The name of a process proves nothing; the keeper above it still
    counts."""
    _, out = inside(home, f"""
        cp /bin/sh $OUT.tend-keeper; mkdir $OUT.d
        mv $OUT.tend-keeper $OUT.d/tend-keeper
        PATH=$OUT.d:$PATH tend-keeper -c '
            $TEND send {other} --text x; echo status $?' -- sh
        """, CONFINED)
    assert "is confined" in out and "status 0" not in out, out
    assert typed(home, other) == []


def test_frames_of_a_viewer_are_refused_as_well(home, other):
    """A session that may only observe is attached read-only, whatever it
    requests."""
    _, out = inside(home, python(f"""
        import wire
        with wire.Wire({str(home.dir(other))!r}, cols=90, rows=33) as w:
            print(w.welcome["granted"])
            print(w.type(wire.TEXT, b"one")[0] == wire.READ_ONLY)
            w.data(b"two")
            w.resize(70, 20)
            for op, args in (("session.send", dict(input=[dict(text="x")])),
                             ("session.stop", dict()),
                             ("lease.steal", dict())):
                try:
                    w.call(op, **args)
                    print(op, "taken")
                except wire.Refused as e:
                    print(op, e.code)
            print(w.call("session.get")["cols"])
    """), ["--may", f"observe:{name(home, other)}"])
    assert out.split() == ["readonly", "True", "session.send", "denied",
                           "session.stop", "denied", "lease.steal", "denied",
                           "80"], out
    assert typed(home, other) == []


def test_silent_connections_of_a_confined_session_take_no_place(home, other):
    """A host lets 64 clients wait with their first lines."""
    _, out = inside(home, python(f"""
        import os, signal, socket
        os.chdir({str(home.dir(other))!r})
        silent = []
        for _ in range(64):
            silent.append(socket.socket(socket.AF_UNIX))
            silent[-1].connect("sock")
        if os.fork() == 0:
            signal.pause()
    """), CONFINED)
    assert out == "", out
    with Wire(home.dir(other)) as w:
        assert w.type(wire.TEXT, b"x")[0] == wire.WRITTEN


def test_a_confined_session_fully_controls_those_it_creates(home):
    sid, out = inside(home, """
        id=$($TEND run -d -- cat)
        $TEND send $id --text hello --keys Enter
        $TEND wait $id --text hello --echo >/dev/null
        $TEND info $id --json
        $TEND stop $id; echo status $?
        """, CONFINED)
    lines = out.splitlines()
    assert lines[-1] == "status 0", out
    child = json.loads(lines[0])["result"]
    assert child["created_by"] == sid and child["confined"] is True
    assert home.info(child["id"])["status"] == "exited"
    assert home.events(child["id"], "input")[0]["by"] == f"session:{sid}"


def test_a_confined_session_drives_grandchildren_too(home):
    sid, out = inside(home, """
        child=$($TEND run -d -- sh -c '
            $TEND run -d -n grandchild -- cat >$OUT.id.tmp
            mv $OUT.id.tmp $OUT.id; exec cat')
        until [ -e $OUT.id ]; do :; done
        id=$(cat $OUT.id)
        $TEND send $id --text hello; echo status $?
        $TEND info $id --json
        $TEND info $child --json
        """, CONFINED)
    status, *infos = out.splitlines()
    assert status == "status 0", out
    grandchild, child = (json.loads(line)["result"] for line in infos)
    assert grandchild["confined"] is True
    assert grandchild["created_by"] == child["id"]
    assert child["created_by"] == sid
    assert typed(home, grandchild["id"]) == ["hello"]


def test_a_child_cannot_use_its_parent_or_sibling(home):
    """It may use its own sessions, not those of its creator."""
    sid, out = inside(home, """
        sibling=$($TEND run -d -- cat)
        $TEND run -d -e SIBLING=$sibling -e PARENT=$TEND_SESSION -- sh -c '
            ($TEND send $SIBLING --text x; $TEND send $PARENT --text x) \
                >$OUT.child.tmp 2>&1
            mv $OUT.child.tmp $OUT.child; exec cat' >/dev/null
        until [ -e $OUT.child ]; do :; done
        cat $OUT.child; echo; echo $sibling
        """, CONFINED)
    assert out.count("is confined") == 2, out
    assert typed(home, out.split()[-1]) == [] == typed(home, sid)


def test_a_grant_to_drive_covers_the_named_sessions(home, other):
    its = name(home, other)
    _, out = inside(home, f"$TEND send {other} --text x; echo status $?; "
                    f"$TEND snapshot {other} >/dev/null; echo status $?; "
                    f"$TEND stop {other}; echo status $?",
                    ["--may", f"drive:{its[:6]}*"])
    assert out.count("status 0") == 2, out
    assert f"may not control {its}" in out, out
    assert f"--may 'control:{its}'" in out, out
    assert typed(home, other) == ["x"]
    assert home.info(other)["status"] == "running"


def test_a_grant_to_observe_does_not_allow_typing(home, other):
    _, out = inside(home, f"$TEND snapshot {other}; echo status $?; "
                    f"$TEND send {other} --text x; echo status $?",
                    ["--may", "observe:**"])
    assert "ready" in out and out.count("status 0") == 1, out
    assert f"--may 'drive:{name(home, other)}'" in out, out
    assert typed(home, other) == []


def test_a_grant_to_control_allows_ending_the_named_sessions(home, other):
    _, out = inside(home, f"$TEND stop {other}; echo status $?",
                    ["--may", f"control:{name(home, other)}"])
    assert out == "status 0\n"
    home.wait_status(other, "exited")


def test_a_grant_to_control_does_not_replace_the_host(home, other):
    """The keeper runs the program given with it, outside every session."""
    before = home.info(other)["host_pid"]
    _, out = inside(home, python(f"""
        import os, wire
        program = os.open("/bin/true", os.O_RDONLY)
        with wire.Wire({str(home.dir(other))!r}, mode="control") as w:
            try:
                w.call("session.upgrade", give=program)
            except wire.Refused as e:
                print(e.code, e.message)
    """), ["--may", f"control:{name(home, other)}"])
    assert out.startswith("denied ") and "permission admin" in out, out
    assert home.info(other)["host_pid"] == before


def test_a_grant_is_for_one_home(home):
    with Home() as elsewhere:
        there = elsewhere.start("cat", options=["-n", "team/a"])
        _, out = inside(home, f"TEND_HOME={elsewhere.path} $TEND send team/a "
                        "--text x; echo status $?", ["--may", "drive:team/*"])
        assert "is confined" in out and "status 0" not in out, out
        assert typed(elsewhere, there) == []


def test_a_grant_is_not_taken_along_to_another_home(home):
    """A child there has no grants, inherited or given."""
    with Home() as elsewhere:
        _, out = inside(home, f"""
            export TEND_HOME={elsewhere.path}
            $TEND run -d --may drive:team/a -- cat; echo status $?
            $TEND run -d -- cat
            """, ["--may", "drive:team/*"])
        assert "cannot grant" in out and "status 0" not in out, out
        child = elsewhere.info(out.split()[-1])
        assert child["confined"] is True and child["may"] == [], child


def test_a_forged_session_json_does_not_help(home, other):
    """Hosts read from the keeper who created a session."""
    path = home.dir(other) / "session.json"
    _, out = inside(home, python(f"""
        import json, os, signal
        with open({str(path)!r}) as f:
            session = json.load(f)
        host = session["host_pid"]
        session["created_by"] = [os.environ["TEND_SESSION"]]
        session.pop("crc")
        os.kill(host, signal.SIGSTOP)
        with open({str(path)!r}, "w") as f:
            json.dump(session, f)
        os.kill(host, signal.SIGKILL)
        os.execlp(os.environ["TEND"], "tend", "send", {other!r}, "--text", "x")
    """) + "; echo status $?", CONFINED)
    assert "is confined" in out and "status 0" not in out, out
    assert typed(home, other) == []


def test_a_renamed_session_is_no_longer_granted(home):
    sid = home.start("cat", options=["-n", "shared/one"])
    _, out = inside(home, python(f"""
        import subprocess, os, wire
        home = os.environ["TEND_HOME"]
        with wire.Wire({str(home.dir(sid))!r}) as w:
            print(w.type(wire.TEXT, b"one")[0])
            w.call("session.rename", name="private")
            print(w.type(wire.TEXT, b"two")[0])
    """), ["--may", "drive:shared/*", "--may", "control:shared/*"])
    assert out.split() == [str(wire.WRITTEN), str(wire.READ_ONLY)], out
    assert typed(home, sid) == ["one"]


def test_a_child_has_the_grants_of_its_creator_or_fewer(home):
    """It has no more grants than its creator, and no wider ones."""
    _, out = inside(home, """
        show() { $TEND info $1 --json; }
        show $($TEND run -d -- cat)
        show $($TEND run -d --may 'observe:team/a' -- cat)
        $TEND run -d --may 'drive:**' -- cat; echo status $?
        $TEND run -d --may 'control:team/a' -- cat; echo status $?
        """, ["--may", "drive:team/*"])
    lines = out.splitlines()
    assert json.loads(lines[0])["result"]["may"] == ["drive:team/*"]
    assert json.loads(lines[1])["result"]["may"] == ["observe:team/a"]
    assert out.count("cannot grant") == 2 and "status 0" not in out, out


# More parents than tend looks at.
DEEP = """
    import os
    for _ in range(260):
        if os.fork() > 0:
            os.wait()
            os._exit(0)
    os.execvp("sh", ["sh", "-c", {script!r}])
"""


def test_a_process_below_many_others_creates_no_session(home):
    """It is not known which sessions it is in, so its own would be outside
    of them."""
    before = len(home.json("ls", "-a"))
    _, out = inside(home, python(DEEP.format(
        script="$TEND run -d -- cat; echo status $?")), CONFINED)
    assert "cannot tell which session" in out and "status 0" not in out, out
    assert len(home.json("ls", "-a")) == before + 1


def test_a_process_in_a_pid_namespace_creates_a_confined_session(home):
    """It has another number than the one that /proc shows."""
    sid, out = inside(home, "unshare -Urpf $TEND run -d -- true", CONFINED)
    created = [word for word in out.split() if len(word) == 26]
    assert created or "unshare: " in out, out
    for child in map(home.info, created):
        assert child["confined"] is True and child["created_by"] == sid, child


# Leaves a process behind that says so and then waits.
ORPHAN = """
    import os, signal
    if os.fork() == 0:
        os.setsid()
        {how}
        if os.fork() == 0:
            with open(os.environ["OUT"] + ".pid.tmp", "w") as f:
                f.write(str(os.getpid()))
            os.rename(f.name, os.environ["OUT"] + ".pid")
            signal.pause()
        os._exit(0)
    while not os.path.exists(os.environ["OUT"] + ".pid"):
        os.sched_yield()
"""
RENAMED = """
        with open("/proc/self/comm", "w") as f:
            f.write({!r})
"""


@pytest.mark.parametrize("how", [
    "pass", *(RENAMED.format(name).strip()
              for name in ("tend-keeper", "tend-host"))],
    ids=["orphan", "keeper", "host"])
def test_no_process_outlives_its_confined_session(home, how):
    """Without its keeper, it would be confined no more."""
    out = home.path / f"out-{os.urandom(4).hex()}"
    sid = home.start("python3", "-c", textwrap.dedent(ORPHAN).format(how=how),
                     options=[*CONFINED, f"--env=OUT={out}"])
    home.wait_gone(sid)
    pid = int(out.with_suffix(".pid").read_text())
    wait_for(lambda: not lib.is_running(pid), "the end of the process")


def test_sessions_outlive_the_confined_one_that_created_them(home):
    out = home.path / f"out-{os.urandom(4).hex()}"
    sid = home.start("sh", "-c", f"{lib.TEND} run -d -- cat >{out}",
                     options=CONFINED)
    home.wait_gone(sid)
    child = out.read_text().strip()
    home.ok("send", child, "--text", "still here")
    home.wait_text(child, "still here")


def test_a_shell_in_a_plain_session_is_not_confined(home, other):
    sid, out = inside(home, f"$TEND send {other} --text x; echo status $?; "
                      "$TEND run -d -- cat")
    status, child = out.splitlines()
    assert status == "status 0", out
    assert typed(home, other) == ["x"]
    info = home.info(child)
    assert info["confined"] is False and info["created_by"] == sid


def test_a_rerun_is_confined_as_before(home):
    sid = home.start("true", options=["--may", "drive:team/*"])
    home.wait_gone(sid)
    again = home.ok("rerun", "-d", sid).strip()
    assert home.info(again)["confined"] is True
    assert home.info(again)["may"] == ["drive:team/*"]


def test_a_person_outside_uses_a_confined_session(home):
    """Also with a client that does not know principals."""
    sid = home.start("cat", options=CONFINED)
    with Wire(home.dir(sid)) as w:
        assert w.welcome["granted"] == "readwrite"
        assert w.type(wire.TEXT, b"hi")[0] == wire.WRITTEN
    home.ok("send", sid, "--text", "x")
    home.ok("stop", sid)
