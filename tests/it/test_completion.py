"""Completion, in the shells themselves: bash, zsh and fish at a terminal."""

import os
import shutil
import subprocess
import time

import pytest

import lib
from lib import Home, tend
from terminal import Terminal

SCRIPTS = lib.ROOT / "dist" / "completion"
CLEAR = "\x15\x0c"  # C-u, C-l: in all three


@pytest.fixture
def place(tmp_path):
    """Two homes with sessions, a directory and a program, easy to
    distinguish."""
    with Home() as home, Home() as other:
        sids = {"building": home.start("cat", options=["-n", "building"]),
                "team/agent": home.start("cat", options=["-n", "team/agent"]),
                "older": home.start("true", options=["-n", "older"]),
                "thereabouts": other.start("cat",
                                           options=["-n", "thereabouts"])}
        home.wait_status("older", "exited")
        (tmp_path / "subdirectory").mkdir()
        (tmp_path / "bin").mkdir()
        program = tmp_path / "bin" / "frobnicator"
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
        yield home, other, sids, tmp_path


def bash(tmp):
    rc = tmp / "bashrc"
    rc.write_text(f"source {SCRIPTS / 'tend.bash'}\nPS1='$ '\n"
                  "bind 'set bell-style none'\n"
                  "bind 'set enable-bracketed-paste off'\n")
    return ["bash", "--noprofile", "--rcfile", rc, "-i"]


def zsh(tmp):
    (tmp / ".zshrc").write_text(
        f"fpath=({SCRIPTS} $fpath)\nautoload -U compinit\n"
        f"compinit -u -d {tmp / 'zdump'}\nPS1='$ '\nunsetopt beep\n")
    return ["zsh", "-d", "-i"]


def fish(tmp):
    return ["fish", "--init-command",
            "set -g fish_greeting; set -g fish_autosuggestion_enabled 0; "
            f"function fish_prompt; echo '$ '; end; "
            f"source {SCRIPTS / 'tend.fish'}"]


SHELLS = {"bash": bash, "zsh": zsh, "fish": fish}


class Shell:
    """A shell at a terminal that completes its input."""

    def __init__(self, name, home, tmp):
        self.terminal = Terminal(cols=150)
        env = {**home.env, "HOME": str(tmp), "ZDOTDIR": str(tmp),
               "XDG_CONFIG_HOME": str(tmp), "XDG_DATA_HOME": str(tmp),
               "TERM": "xterm-256color", "LC_ALL": "C.UTF-8",
               "PATH": f"{lib.TEND.parent}:{tmp / 'bin'}:/usr/bin:/bin"}
        self.terminal.run(*SHELLS[name](tmp), env=env)
        self.terminal.wait_text("$ ")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.terminal.__exit__()

    def clear(self, line):
        self.terminal.type(CLEAR)
        self.terminal.wait(lambda s: line not in "\n".join(s["lines"]),
                           f"no {line!r}")

    def gives(self, typed, wanted):
        """Check that Tab turns one text into the other."""
        self.terminal.type(typed)
        self.terminal.wait_text(typed)
        self.terminal.type("\t")
        self.terminal.wait_text(wanted)
        self.clear(wanted)

    def gives_nothing(self, typed):
        """Text typed after the Tab shows where the cursor was."""
        self.terminal.type(typed)
        self.terminal.wait_text(typed)
        self.terminal.type("\tx")
        self.terminal.wait_text(typed + "x")
        self.clear(typed)


@pytest.mark.parametrize("name", SHELLS)
def test_every_shell_completes_commands_options_and_sessions(name, place):
    home, other, sids, tmp = place
    assert shutil.which(name), f"{name} is not installed"
    with Shell(name, home, tmp) as shell:
        shell.gives("tend vers", "tend version")
        shell.gives("tend help rena", "tend help rename")
        shell.gives("tend stop --gra", "tend stop --grace")
        shell.gives("tend attach bui", "tend attach building")
        shell.gives("tend send te", "tend send team/agent")
        shell.gives("tend info old", "tend info older")
        shell.gives_nothing("tend attach old")
        shell.gives(f"tend info {sids['older'][:25]}",
                    f"tend info {sids['older']}")
        shell.gives("tend signal building WIN", "tend signal building WINCH")
        shell.gives("tend run --input le", "tend run --input lease")
        shell.gives("tend hub logi", "tend hub login")
        shell.gives("tend share create bui", "tend share create building")
        shell.gives("tend hub start --tls se", "tend hub start --tls self")
        shell.gives("tend run --input=le", "tend run --input=lease")
        shell.gives("tend run --restart on", "tend run --restart on-failure")
        shell.gives(f"tend --home {other.path} attach th",
                    "attach thereabouts")
        shell.gives(f"tend attach --home={other.path} th",
                    " thereabouts")
        shell.gives(f"tend run -C {tmp}/subd", f"{tmp}/subdirectory/")
        shell.gives(f"tend ls --home={tmp}/subd", f"{tmp}/subdirectory/")
        shell.gives("tend run -d -- frobni", "tend run -d -- frobnicator")
        shell.gives(f"tend run cat {tmp}/subd", f"{tmp}/subdirectory/")


def words(home, *typed):
    """The offered words, without their descriptions."""
    answer = home.run("__complete", *typed)
    assert answer.status == 0 and answer.err == "", answer
    return [line.split("\t")[0] for line in answer.text.splitlines()]


@pytest.fixture
def home():
    with Home() as made:
        yield made


def test_every_command_and_only_known_options_are_offered(home):
    commands = words(home, "")
    helped = [line.split()[0] for line in home.ok("help").splitlines()
              if line.startswith("  ")]
    assert set(helped) <= set(commands) <= {*helped, "help"}, commands
    for command in set(commands) - {"help"}:
        shown = home.ok(command, "-h")
        for option in words(home, command, "--"):
            assert f"{option} " in shown, (command, option)
        assert "--home" in words(home, command, "--")


def test_offered_words_have_descriptions(home):
    home.start("sh", "-c", "exec cat # \x1b[31m\t\n" + "\u202e界" * 50,
               options=["-n", "odd"])
    line = home.ok("__complete", "attach", "").splitlines()
    assert len(line) == 1, line
    word, about = line[0].split("\t")
    assert word == "odd", line
    assert about.startswith(("starting, ", "running, ")), line
    assert "exec cat" in about and about.isprintable(), line


def test_a_program_and_its_arguments_are_left_to_the_shell(home):
    assert words(home, "run", "-d", "") == [":command 2"]
    assert words(home, "run", "--", "gcc", "--v") == [":command 2"]
    assert words(home, "run", "-n", "x", "gcc", "") == [":command 3"]


@pytest.mark.parametrize("typed", [
    ["no-such-command", ""], ["ls", ""], ["version", "x"],
    ["attach", "--no-such-option", "--="], ["-Q", "attach", "zzz"],
    ["--home"], ["run", "--max-log", ""], ["resize", "x", ""]])
def test_nothing_is_offered_where_nothing_fits(home, typed):
    assert words(home, *typed) in ([], ["--home"])


def test_a_missing_home_is_not_an_error(tmp_path):
    file = tmp_path / "file"
    file.write_text("no home")
    # "" is the home of the user who runs the tests, who may have sessions
    # there.
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    env.pop("TEND_HOME", None)
    for home in (file, tmp_path / "absent", "relative/\x1b", ""):
        answer = tend("__complete", "--home", home, "attach", "", env=env)
        assert answer.status == 0 and answer.out == b"" == answer.err.encode()


def test_completion_is_fast_with_many_sessions(home):
    """A key is answered before a person notices a delay."""
    sid = home.start("true", options=["-n", "model"])
    home.wait_status(sid, "exited")
    source = home.dir(sid) / "session.json"
    other = "1" if sid[-5] == "0" else "0"
    for n in range(500):
        copy = sid[:-5] + other + f"{n:04d}"
        home.dir(copy).mkdir(mode=0o700)
        text = lib.unchecked(source.read_text()).replace(sid, copy)
        (home.dir(copy) / "session.json").write_text(
            text.replace('"model"', f'"model-{n}"'))

    def once():
        before = time.monotonic()
        assert len(words(home, "info", "model-")) == 500
        return time.monotonic() - before

    spent = min(once() for _ in range(5))
    assert spent < 0.5, f"{spent} s"


def test_the_scripts_have_valid_syntax():
    for command in (["bash", "-n", SCRIPTS / "tend.bash"],
                    ["zsh", "-n", SCRIPTS / "_tend"],
                    ["fish", "-n", SCRIPTS / "tend.fish"]):
        done = subprocess.run(command, capture_output=True, timeout=60,
                              env={**os.environ, "HOME": "/"})
        assert done.returncode == 0 and done.stderr == b"", done
