"""The installed files, below any prefix, and that they work there."""

import json
import os
import re
import shlex
import subprocess

import pytest

import lib
from lib import Home

LIST = (lib.ROOT / "src" / "cmd" / "line" / "list.h").read_text()
COMMANDS = re.findall(r"^CMD\((\w+)\)$", LIST, re.MULTILINE)


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    """The tree that an installation makes, below a directory of its own."""
    where = tmp_path_factory.mktemp("stage")
    done = subprocess.run(
        ["meson", "install", "-C", lib.BUILD, "--no-rebuild", "--quiet"],
        env={**os.environ, "DESTDIR": str(where),
             "PATH": "/usr/bin:" + os.environ["PATH"]},
        capture_output=True, timeout=120)
    assert done.returncode == 0, done
    return where / "usr" / "local"


@pytest.fixture
def home():
    with Home() as made:
        yield made


def files(stage):
    return {str(path.relative_to(stage)) for path in stage.rglob("*")
            if path.is_file()}


def test_everything_has_its_place(stage):
    found = files(stage)
    wanted = {
        "bin/tend", "libexec/tend/tend-host", "libexec/tend/tend-keeper",
        "share/bash-completion/completions/tend",
        "share/zsh/site-functions/_tend",
        "share/fish/vendor_completions.d/tend.fish",
        "libexec/tend/tend-hub", "lib/systemd/user/tend@.service",
        "lib/systemd/user/tend-hub.service", "share/man/man1/tend.1",
        "share/man/man8/tend-host.8", "share/man/man8/tend-keeper.8",
        *(f"share/man/man1/tend-{name}.1" for name in COMMANDS)}
    assert wanted <= found, wanted - found
    rest = {path for path in found - wanted
            if not path.startswith("share/doc/tend/")}
    assert not rest, rest
    papers = {path.name for path in (lib.ROOT / "docs").glob("*.*")}
    installed = {path.name for path in
                 (stage / "share/doc/tend/docs").iterdir()}
    assert installed == papers - {"speed.md"}, installed ^ papers


def test_only_installed_programs_are_executable(stage):
    for path in files(stage):
        mode = (stage / path).stat().st_mode & 0o7777
        program = path.startswith(("bin/", "libexec/"))
        assert mode == (0o755 if program else 0o644), (path, oct(mode))


def test_a_session_runs_from_the_installed_tree(stage, home):
    """tend finds its programs below its own prefix, wherever that is."""
    def run(*args):
        done = subprocess.run([stage / "bin" / "tend", *args], env=home.env,
                              capture_output=True, timeout=60)
        assert done.returncode == 0, done
        return done.stdout.decode().strip()

    sid = run("run", "-d", "--", "sh", "-c", "echo here; exec cat")
    home.wait_text(sid, "here")
    info = home.info(sid)
    for process, name in (("keeper_pid", "tend-keeper"),
                          ("host_pid", "tend-host")):
        program = os.readlink(f"/proc/{info[process]}/exe")
        assert program == str(stage / "libexec" / "tend" / name), program
    run("kill", sid)


def test_installed_files_do_not_refer_to_the_build(stage):
    for path in files(stage):
        if path.startswith(("bin/", "libexec/")):
            continue  # debug information names the sources
        text = (stage / path).read_text()
        assert str(lib.BUILD) not in text, path
        assert str(lib.ROOT) not in text, path


# ------------------------------------------------------------------- systemd

def settings(path):
    """A unit's assignments, in order."""
    lines = path.read_text().splitlines()
    return [tuple(line.split("=", 1)) for line in lines
            if re.match(r"\w+=", line)]


def test_systemd_takes_the_unit(stage, tmp_path):
    """systemd-analyze checks the unit; systemd itself is not running."""
    unit = tmp_path / "tend@.service"
    text = (stage / "lib/systemd/user/tend@.service").read_text()
    # It checks that the program exists.
    unit.write_text(text.replace("/usr/local/bin/tend",
                                 str(stage / "bin/tend")))
    instance = tmp_path / "tend@agent.service"
    instance.write_text(unit.read_text())
    for path in (unit, instance):
        done = subprocess.run(
            ["systemd-analyze", "verify", "--user", "--man=no",
             "--recursive-errors=no", path], capture_output=True, timeout=60,
            env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)})
        said = done.stderr.decode()
        assert done.returncode == 0 and "tend@" not in said, done


def test_systemd_takes_the_unit_of_the_hub(stage, home, tmp_path):
    """Both the installed one and the one that `tend hub install` writes."""
    installed = (stage / "lib/systemd/user/tend-hub.service").read_text()
    assert "ExecStart=/usr/local/bin/tend hub start -f\n" in installed
    written = subprocess.run(
        [stage / "bin/tend", "hub", "install", "--print", "--tls",
         "a b%.pem:k$.pem"], env=home.env, capture_output=True, timeout=60)
    assert written.returncode == 0, written
    for text in (installed.replace("/usr/local", str(stage)),
                 written.stdout.decode()):
        unit = tmp_path / "tend-hub.service"
        unit.write_text(text)
        done = subprocess.run(
            ["systemd-analyze", "verify", "--user", "--man=no",
             "--recursive-errors=no", unit], capture_output=True, timeout=60,
            env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)})
        said = done.stderr.decode()
        assert done.returncode == 0 and "tend-hub" not in said, done
    assert settings(unit)[0] == ("Description", "tend hub")


def test_the_hub_runs_from_the_installed_tree(stage, home):
    done = subprocess.run(
        [stage / "bin/tend", "hub", "start", "--listen", "127.0.0.1:0",
         "--json"], env=home.env, capture_output=True, timeout=60)
    assert done.returncode == 0, done
    pid = json.loads(done.stdout)["result"]["pid"]
    program = os.readlink(f"/proc/{pid}/exe")
    assert program == str(stage / "libexec/tend/tend-hub"), program


def test_a_mistake_in_a_unit_would_be_seen(tmp_path):
    unit = tmp_path / "wrong.service"
    unit.write_text("[Service]\nExecStart=/no/such/program\n")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", "--man=no", unit],
        capture_output=True, timeout=60,
        env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)})
    assert done.returncode != 0 and b"/no/such/program" in done.stderr, done


def start_unit(stage, home, name, conf):
    """Run a unit's ExecStart as systemd does: words, variables, specifiers."""
    unit = dict(settings(stage / "lib/systemd/user/tend@.service"))
    assert unit["EnvironmentFile"] == "%E/tend/services/%i.conf"
    variables = dict(line.split("=", 1) for line in conf.splitlines())
    words = []
    for word in shlex.split(unit["ExecStart"]):
        word = word.replace("%I", name)
        if word.startswith("$"):
            words += variables.get(word[1:], "").split()
        else:
            words.append(word)
    assert words[0] == "/usr/local/bin/tend", words
    return subprocess.run([stage / "bin/tend", *words[1:]], env=home.env,
                          stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=60)


def test_the_unit_starts_its_session_once(stage, home):
    """A restart of the unit finds the running session, and leaves it."""
    conf = "COMMAND=sh -c cat\nOPTIONS=--label by=systemd"
    first = start_unit(stage, home, "agent", conf)
    assert first.returncode == 0, first
    again = start_unit(stage, home, "agent", conf)
    assert again.returncode == 0 and again.stdout == first.stdout, again
    sessions = home.json("ls")
    assert [s["name"] for s in sessions] == ["agent"], sessions
    assert sessions[0]["labels"] == {"by": "systemd"}, sessions
    assert sessions[0]["command"] == ["sh", "-c", "cat"], sessions


def test_the_unit_ends_no_session(stage):
    unit = dict(settings(stage / "lib/systemd/user/tend@.service"))
    assert unit["KillMode"] == "process" and "ExecStop" not in unit, unit
    assert unit["Type"] == "oneshot" and unit["RemainAfterExit"] == "yes"
