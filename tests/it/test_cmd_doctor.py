"""`tend doctor`: its findings, and that its advice helps."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess

import pytest

import lib
from lib import Home, wait_for
from terminal import Terminal

CHECKS = ["programs", "path", "config", "home", "disk", "sessions", "files",
          "processes", "terminals", "memory", "lingering", "fonts",
          "terminfo", "locale", "screen"]


@pytest.fixture
def home():
    with Home() as home:
        home.env["PATH"] = f"{lib.TEND.parent}:{home.env['PATH']}"
        home.env["LC_ALL"] = "C.UTF-8"
        yield home


def findings(home, *, status=0, **kwargs):
    """The findings, by check; the exit status must be this."""
    answer = home.run("doctor", "--json", **kwargs)
    assert answer.status == status, answer
    result = json.loads(answer.out)["result"]
    assert (result["problems"] > 0) == (status == 1), answer
    found = {}
    for item in result["checks"]:
        assert list(item) == ["check", "level", "what", "why", "fix"], item
        assert item["why"] or item["level"] == "ok", item
        found.setdefault(item["check"], []).append(item)
    return found


def bad(found, check, level):
    """The only finding of a check at this level."""
    items = [item for item in found[check] if item["level"] != "ok"]
    assert [item["level"] for item in items] == [level], found[check]
    return items[0]


def test_doctor_finds_no_problem_in_a_healthy_home(home):
    found = findings(home)
    assert list(found) == CHECKS
    for check in CHECKS:
        assert [i["level"] for i in found[check]] == ["ok"] * len(
            found[check]), found[check]
    home.start("cat")
    text = home.ok("doctor")
    for check in CHECKS:
        assert f"\nok       {check} " in "\n" + text, text
    assert "1 running, all answer" in text
    assert text.endswith(" ok, 0 warnings, 0 problems\n"), text
    assert "\x1b" not in text


@pytest.mark.parametrize("variable, file", [
    ("XDG_CONFIG_HOME", "tend/config.ini"),
    ("HOME", ".config/tend/config.ini")])
def test_a_missing_configuration_is_named(home, tmp_path, variable, file):
    env = {k: v for k, v in home.env.items() if k != "XDG_CONFIG_HOME"}
    found = findings(home, env={**env, variable: str(tmp_path)})
    assert found["config"][0]["what"] == (
        f"no configuration file; it would be {tmp_path}/{file}, and "
        "'man tend' lists its settings")


def test_a_missing_home_is_not_created(home):
    where = home.path / "not" / "yet"
    found = findings(home, env={**home.env, "TEND_HOME": str(where)})
    assert "first session" in found["home"][0]["what"]
    assert not where.parent.exists()


@pytest.mark.parametrize("home_of", ["state", "state/deep/home"])
def test_a_home_that_cannot_be_created_is_a_problem(
        installed, home, tmp_path, home_of):
    """Root may write anywhere, so another user tries."""
    shut = tmp_path / "shut"
    shut.mkdir(mode=0o555)
    for parent in (tmp_path, *tmp_path.parents):
        if parent != parent.parent:
            parent.chmod(parent.stat().st_mode | 0o055)
    where = shut / home_of
    args = ("doctor", "--json", "--home", str(where))
    answer = lib.Answer(args, subprocess.run(
        [installed / "tend", *args], user=65534, cwd="/", env=home.env,
        capture_output=True, timeout=60))
    assert answer.status == 1, answer
    [item] = [i for i in json.loads(answer.out)["result"]["checks"]
              if i["check"] == "home"]
    assert item == {
        "check": "home", "level": "problem", "what": f"{where} does not exist and "
        f"cannot be created in {shut}: Permission denied",
        "why": "no session can be started",
        "fix": "use a writable home: --home, or TEND_HOME"}, answer


def test_homes_open_to_others_and_links_are_reported(home):
    home.path.chmod(0o755)
    item = bad(findings(home), "home", "warning")
    subprocess.run(item["fix"], shell=True, check=True)
    assert home.path.stat().st_mode & 0o777 == 0o700
    assert findings(home)["home"][0]["level"] == "ok"
    home.path.chmod(0o777)
    bad(findings(home, status=1), "home", "problem")
    home.path.chmod(0o700)
    link = home.path / "link"
    link.symlink_to(home.path)
    env = {**home.env, "TEND_HOME": str(link)}
    item = bad(findings(home, env=env, status=1), "home", "problem")
    assert "symbolic link" in item["what"]


def test_a_home_too_long_for_the_agent_link_is_reported(home):
    where = home.path / ("x" * 80)
    where.mkdir(mode=0o700)
    found = findings(home, env={**home.env, "TEND_HOME": str(where)})
    assert "SSH agent" in bad(found, "home", "warning")["why"]


# ------------------------------------------------------------ installations


@pytest.fixture
def installed(tmp_path):
    """A copy of the programs, to be damaged."""
    for name in ("tend", "tend-host", "tend-keeper", "tend-hub"):
        shutil.copy(lib.TEND.parent / name, tmp_path / name)
    return tmp_path


def doctor_of(installed, home):
    done = subprocess.run([installed / "tend", "doctor", "--json"],
                          stdout=subprocess.PIPE, timeout=60,
                          env={**home.env, "PATH": f"{installed}:/bin"})
    return done.returncode, json.loads(done.stdout)["result"]["checks"]


def test_programs_that_do_not_match_are_reported(installed, home):
    status, checks = doctor_of(installed, home)
    assert status == 0 and checks[0]["level"] == "ok", checks[0]
    (installed / "tend-host").write_text("#!/bin/sh\necho tend-host 0.0.1\n")
    status, checks = doctor_of(installed, home)
    assert status == 1 and checks[0]["level"] == "problem"
    assert "0.0.1" in checks[0]["what"] and "reinstall" in checks[0]["fix"]
    shutil.copy(lib.TEND.parent / "tend-host", installed / "tend-host")
    (installed / "tend-hub").rename(installed / "elsewhere")
    status, checks = doctor_of(installed, home)
    assert status == 1 and checks[0]["why"].startswith("no hub"), checks[0]
    (installed / "elsewhere").rename(installed / "tend-hub")
    (installed / "tend-keeper").chmod(0o600)
    status, checks = doctor_of(installed, home)
    assert status == 1 and "Permission denied" in checks[0]["what"], checks[0]
    (installed / "tend-keeper").unlink()
    (installed / "tend-host").unlink()
    status, checks = doctor_of(installed, home)
    assert status == 1 and checks[0]["level"] == "problem", checks[0]


def test_another_tend_in_the_path_is_reported(installed, home):
    env = {**home.env, "PATH": f"{installed}:{home.env['PATH']}"}
    item = bad(findings(home, env=env), "path", "warning")
    assert str(installed) in item["what"]
    assert item["fix"].startswith("export PATH=")


def test_a_host_of_another_version_is_reported(installed, home):
    """The old one is this build with another version number."""
    host = installed / "tend-host"
    version = home.json("version")["version"].encode()
    old = version[:-1] + (b"8" if version.endswith(b"9") else b"9")
    host.write_bytes(host.read_bytes().replace(version, old))
    done = subprocess.run([installed / "tend", "run", "-d", "cat"],
                          env=home.env, stdout=subprocess.PIPE, check=True)
    home.wait_status(done.stdout.decode().strip(), "running")
    item = bad(findings(home), "sessions", "warning")
    assert item["what"].startswith("1 of another version"), item
    assert item["fix"] == "tend upgrade --all"


# ----------------------------------------------------------------- sessions


def test_a_stuck_host_is_reported_and_the_fix_works(home):
    sid = home.start("cat", options=["-n", "stuck"])
    host = home.wait_status(sid, "running")["host_pid"]
    home.wait_saved(sid, status="running")
    os.kill(host, signal.SIGSTOP)
    item = bad(findings(home, status=1), "sessions", "problem")
    assert item["what"].startswith("stuck:"), item
    assert item["fix"] == f"kill -9 {host}"
    subprocess.run(item["fix"], shell=True, check=True)
    wait_for(lambda: home.info(sid)["host_pid"] not in (None, host),
             lambda: home.info(sid))
    assert findings(home)["sessions"][0]["level"] == "ok"


def test_lost_and_unkept_sessions_are_reported(home):
    home.start("cat", options=["-n", "gone"])
    sid = home.start("cat", options=["-n", "orphan"])
    home.wait_status(sid, "running")
    home.wait_status("gone", "running")
    session = home.info("gone")
    for part in ("keeper_pid", "host_pid", "child_pid"):
        # Without the others the program gets a hangup, and may have ended.
        with contextlib.suppress(ProcessLookupError):
            os.kill(session[part], signal.SIGKILL)
    os.kill(home.info(sid)["keeper_pid"], signal.SIGKILL)
    wait_for(lambda: home.info(sid)["unkept"] and
             home.info("gone")["outcome"] == "lost",
             lambda: (home.info(sid), home.info("gone")))
    found = findings(home)
    item = next(i for i in found["sessions"] if i["level"] == "warning")
    assert "orphan" in item["what"] and "keeper" in item["what"], item
    assert any("1 lost" in i["what"] for i in found["sessions"]), found


def test_an_unreadable_session_is_reported(home):
    sid = home.start("true")
    home.wait_gone(sid)
    (home.dir(sid) / "session.json").write_text("{ nonsense \x1b[31m")
    item = bad(findings(home), "sessions", "warning")
    assert sid in item["what"]
    assert "\x1b" not in home.ok("doctor")


# ------------------------------------------------------------------- limits


@pytest.mark.parametrize("files, level", [(100, "warning"), (40, "problem")])
def test_a_low_limit_of_open_files_is_reported(home, files, level):
    done = subprocess.run(
        ["sh", "-c", f"ulimit -n {files}; exec tend doctor --json"],
        env=home.env, stdout=subprocess.PIPE, timeout=60)
    assert done.returncode == (level == "problem"), done
    checks = json.loads(done.stdout)["result"]["checks"]
    item = next(i for i in checks if i["check"] == "files")
    assert item["level"] == level and "ulimit -n" in item["fix"], item


def test_the_configured_number_of_sessions_is_the_limit(home):
    home.start("cat")
    home.env["TEND_MAX_SESSIONS"] = "1"
    item = bad(findings(home), "sessions", "warning")
    assert item["why"] == "the limit of active sessions is 1", item
    home.env["TEND_MAX_SESSIONS"] = "2"
    assert [i["level"] for i in findings(home)["sessions"]] == ["ok"]
    home.env["TEND_MAX_SESSIONS"] = "0"
    assert [i["level"] for i in findings(home)["sessions"]] == ["ok"]


def test_the_configured_free_space_is_the_limit(home):
    home.start("cat")
    config = pathlib.Path(home.env["XDG_CONFIG_HOME"]) / "tend/config.ini"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text("[limits]\nmin-free = 1000000T\n")
    bad(findings(home, status=1), "disk", "problem")
    half = shutil.disk_usage(home.path).free // 2
    home.env["TEND_MIN_FREE"] = str(half)
    bad(findings(home), "disk", "warning")
    home.env["TEND_MIN_FREE"] = "0"
    assert {i["level"] for i in findings(home)["disk"]} == {"ok"}


def test_a_locale_without_utf8_is_reported(home):
    item = bad(findings(home, env={**home.env, "LC_ALL": "C"}), "locale",
               "warning")
    name, value = item["fix"].removeprefix("export ").split("=")
    env = {**home.env, name: value}
    del env["LC_ALL"]
    assert findings(home, env=env)["locale"][0]["level"] == "ok"


def test_the_terminal_is_checked_if_there_is_one(home):
    def text(**env):
        with Terminal(cols=140, rows=50) as term:
            term.run(lib.TEND, "doctor", env={**home.env, **env})
            assert term.ended() == 0, term.text()
            return term.wait_text("problems")["lines"]

    lines = text(TERM="xterm-256color")
    assert any("140x50, with colours" in line for line in lines), lines
    lines = text(TERM="no-such-terminal", COLORTERM="")
    seen = "\n".join(lines)
    assert "warning  terminfo   no entry for TERM=no-such-terminal" in seen
    assert "warning  screen" in seen, seen
