"""`tend rerun`: run an ended session's program again."""

import pathlib
import stat

import pytest

import lib
from lib import Home, wait_for
from terminal import Terminal

SECRET = "hunter2-and-more"


@pytest.fixture
def home():
    with Home() as made:
        yield made


def ended(home, *command, options=(), **kwargs):
    sid = home.start(*command, options=options, **kwargs)
    wait_for(lambda: home.wait_status(sid, "exited")["keeper_pid"] is None,
             lambda: f"the end of {home.info(sid)}")
    return sid


def test_a_rerun_has_the_properties_of_the_old_session(home, tmp_path):
    options = ["-n", "work/one", "-C", str(tmp_path), "--size", "101x31",
               "-l", "role=builder", "--input", "lease", "--resize", "fixed",
               "--durable", "--max-log", "9M", "--log-input", "lengths",
               "--idle-timeout", "1h", "--linger-output", "7s",
               "--scrollback", "300",
               "-e", "COLOUR=green"]
    old = ended(home, "sh", "-c", "pwd; echo is $COLOUR; exit 3",
                options=options)
    before = home.info(old)
    new = home.json("rerun", old, "-d")
    assert new["id"] != old and new["rerun_of"] == old, new
    assert new["name"] == "work/one"
    after = home.wait_status(new["id"], "exited")
    same = ["name", "command", "cwd", "cols", "rows", "labels", "input",
            "resize", "log_input", "durable", "max_log", "idle_timeout_s",
            "linger_ms", "scrollback", "forget_env", "exit_code"]
    assert {k: after[k] for k in same} == {k: before[k] for k in same}
    assert home.raw(new["id"]) == home.raw(old)
    assert home.raw(old) == f"{tmp_path}\r\nis green\r\n".encode()
    # The old session is unchanged, and the name leads to the new one.
    assert home.info(old) == before and before["rerun_of"] is None
    assert home.info("work/one")["id"] == new["id"]
    assert f"rerun of     {old}" in home.ok("info", new["id"])


def test_environment_is_kept_for_the_owner_alone(home):
    old = ended(home, "sh", "-c", "echo has ${#TOKEN} $TEND_SESSION",
                options=["-n", "env"], env={**home.env, "TOKEN": SECRET})
    path = home.dir(old) / "environ"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert f"TOKEN={SECRET}".encode() in path.read_bytes().split(b"\0")
    kept = [p.name for p in home.dir(old).rglob("*")
            if p.is_file() and SECRET.encode() in p.read_bytes()]
    assert kept == ["environ"]
    new = home.ok("rerun", "-d", "env").strip()
    home.wait_status(new, "exited")
    assert home.raw(new).decode() == f"has {len(SECRET)} {new}\r\n"


def test_variables_may_be_changed(home):
    old = ended(home, "sh", "-c", "echo $A $B",
                options=["-e", "A=one", "-e", "B=two"])
    new = home.ok("rerun", "-d", "-e", "B=three", old).strip()
    home.wait_status(new, "exited")
    assert home.raw(new) == b"one three\r\n"


def test_a_forgotten_environment_is_replaced_by_the_callers(home):
    old = ended(home, "sh", "-c", "echo has $TOKEN.",
                options=["--forget-env"], env={**home.env, "TOKEN": SECRET})
    assert not (home.dir(old) / "environ").exists()
    answer = home.run("rerun", "-d", old, env={**home.env, "TOKEN": "other"})
    assert answer.status == 0 and answer.err == "", answer
    new = answer.text.strip()
    home.wait_status(new, "exited")
    assert home.raw(new) == b"has other.\r\n"
    assert home.info(new)["forget_env"] is True


def test_an_unreadable_environment_is_reported(home):
    old = ended(home, "true")
    (home.dir(old) / "environ").unlink()
    answer = home.run("rerun", "-d", old)
    assert answer.status == 0, answer
    assert "cannot read its environment" in answer.err, answer


def test_a_session_can_be_rerun_after_a_reboot(home):
    """Keeper, host and program have ended, and the boot is another."""
    old = home.start("sh", "-c", "printf up; exec cat", options=["-n", "web"])
    home.wait_text(old, "up")
    assert home.raw(old) == b"up"
    home.lose(old)
    path = home.dir(old) / "session.json"
    text = path.read_text()
    boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    assert boot in text
    path.write_text(lib.unchecked(text).replace(boot, "another-boot"))
    assert home.info("web")["outcome"] == "lost"
    new = home.json("rerun", "web", "-d")
    assert new["rerun_of"] == old and new["name"] == "web"
    home.wait_text("web", "up")
    assert home.info(old)["outcome"] == "lost"
    assert home.raw(old).startswith(b"up")


def test_an_attached_rerun_uses_the_terminal(home):
    old = home.start("sh", "-c", "echo here; cat; exit 5",
                     options=["-n", "again"])
    home.wait_text(old, "here")
    home.ok("kill", old)
    with Terminal() as term:
        term.run(lib.TEND, "rerun", "again", env=home.env)
        term.wait_text("here")
        term.type(b"\x04")
        assert term.ended() == 5


def test_a_destroyed_session_cannot_be_rerun(home):
    sid = home.start("cat")
    home.ok("destroy", sid)
    error = home.error("rerun", "-d", sid, status=125, code="not_found")
    assert "was destroyed" in error["message"], error
    assert "tend run" in error["message"], error


def test_a_running_session_is_not_rerun(home):
    sid = home.start("cat", options=["-n", "on"])
    home.wait_saved(sid, status="running")
    error = home.error("rerun", "-d", "on", status=125, code="exists")
    assert "is still running" in error["message"], error
    assert f"tend stop {sid}" in error["message"], error
    assert [m["id"] for m in home.manifests()] == [sid]


def test_errors_say_what_to_do(home, tmp_path):
    error = home.error("rerun", "-d", "nobody", status=125, code="not_found")
    assert 'no session named "nobody"' in error["message"], error
    place = tmp_path / "gone"
    place.mkdir()
    sid = ended(home, "true", options=["-C", str(place)])
    place.rmdir()
    error = home.error("rerun", "-d", sid, status=125, code="bad_input")
    assert str(place) in error["message"], error
    assert "tend run -C DIR" in error["message"], error
    assert len(home.manifests()) == 1


def test_a_command_that_was_removed_gives_127(home, tmp_path):
    program = tmp_path / "tool"
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o755)
    sid = ended(home, str(program))
    program.unlink()
    error = home.error("rerun", "-d", sid, status=127, code="bad_input")
    assert str(program) in error["message"], error


def test_a_name_in_use_is_refused(home):
    old = ended(home, "true", options=["-n", "mine"])
    home.start("cat", options=["-n", "mine"])
    error = home.error("rerun", "-d", old, status=125, code="exists")
    assert "the name mine is taken by" in error["message"], error
