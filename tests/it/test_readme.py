"""The five minutes of the README, run as they are written."""

import os
import re
import shlex

import pytest

import lib
from examples import as_pattern
from lib import Home, shows
from terminal import Terminal

KEYS = {"C-]": "\x1d", "d": "d"}


def steps():
    """The transcript: (terminal, kind, text); kind is type, keys or see."""
    text = (lib.ROOT / "README.md").read_text()
    block = re.search(r"## Five minutes\n.*?```\n(.*?)```", text, re.DOTALL)
    found, terminal = [], None
    for line in block[1].splitlines():
        if line.startswith("# "):
            terminal = line[2:]
        elif line.startswith("$ "):
            found.append((terminal, "type", line[2:]))
        elif re.fullmatch(r"\[C-\] .*\]", line):
            found.append((terminal, "keys", line[1:-1].split()))
        elif line:
            found.append((terminal, "see", line))
    return found


@pytest.fixture
def home():
    """The shell is in the home directory, so that the prompt is short."""
    with Home() as home:
        home.env.update(PATH=f"{lib.TEND.parent}:{home.env['PATH']}",
                        HOME=os.getcwd(), TERM="xterm-256color",
                        SHELL="/bin/bash", HISTFILE="/dev/null")
        home.env.pop("TEND_PREFIX", None)
        yield home


def shows_up(term, what, seen):
    """Wait for the line.  A last line is listed when output has paused for a
    second, and a viewer who left is counted until that is written: a fast
    reader has to look again."""
    pattern = re.compile(as_pattern(what) + r"\s*$")
    typed = next((what for _, what in reversed(seen)
                  if isinstance(what, str) and what.startswith("tend ")), "")

    def look():
        lines = term.screen()["lines"]
        if any(pattern.match(line) for line in lines):
            return True
        if typed == "tend ls" and any("[bash]" in line or " 80x24  1 " in line
                                      for line in lines):
            term.type("clear; tend ls\r")
        return False

    lib.wait_for(look, lambda: f"{what!r} after {seen} on:\n{term.text()}")


def test_the_five_minutes_of_the_readme_work_as_shown(home):
    seen, terminals = [], {}
    try:
        for terminal, kind, what in steps():
            if terminal not in terminals:
                terminals[terminal] = Terminal()
                terminals[terminal].run("bash", "--norc", env={
                    **home.env, "PS1": f"{terminal}> "})
                terminals[terminal].wait_text(f"{terminal}>")
            term = terminals[terminal]
            if kind == "type":
                term.type(what + "\r")
            elif kind == "keys":
                term.type("".join(KEYS[key] for key in what))
            else:
                shows_up(term, what, seen)
            seen.append((terminal, what))
    finally:
        for term in terminals.values():
            term.__exit__()
    kinds = [kind for _, kind, _ in steps()]
    assert kinds.count("type") >= 8 and kinds.count("keys") == 2, kinds
    assert home.json("ls") == [] and len(home.json("ls", "-a")) == 1


def test_the_guide_of_tend_alone_matches_the_readme(home):
    """The README runs the commands that the guide names; all of them work."""
    text = home.ok()
    typed = [what for _, kind, what in steps() if kind == "type"]
    for command in ("tend run -n work -- bash", "tend ls",
                    "tend attach work", "tend stop work"):
        assert f"  {command} " in text, text
        assert command in typed, typed
    for line in re.findall(r"^  (tend \w+[^\n]*?)(?:   |$)", text,
                           re.MULTILINE):
        name = shlex.split(line)[1]
        assert shows(name, "-h").startswith(f"usage: tend {name} ")
    assert max(map(len, text.splitlines())) <= 80, text
    assert "C-] d" in text and "is running" not in text
    home.start("cat")
    assert "1 session is running; 'tend ls' lists it." in home.ok()
