"""tend agent: the profiles of coding agents, and recordings of them."""

import json
import re

import pytest

import lib
from lib import Home

OWN = """# mine
[agent]
title = Bob
version = ^Bob v\\K[0-9.]+
seen = 1.0-1.9
[box]
begin = ^> ?
[title busy]
activity = working
match = ^busy
[screen ask]
activity = waiting_question
match = ^Really\\?$
[screen idle]
box = shown
"""


@pytest.fixture
def home():
    with Home() as made:
        yield made


def put(home, name, text):
    """Write a file of the user's own; its path."""
    folder = home.path.with_name(home.path.name + "-state") / "config/tend/agents"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text)
    return path


def record(tmp_path, *events):
    """A recording of 20x5: pairs of a time and output."""
    lines = [{"version": 2, "width": 20, "height": 5}]
    lines += [[time, "o", text] for time, text in events]
    path = tmp_path / "own.cast"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def test_the_built_in_profiles_are_listed(home):
    rows = {row["name"]: row for row in home.json("agent", "ls")}
    assert {"claude", "codex", "gemini", "opencode", "cursor", "amp", "auggie",
            "generic"} == set(rows)
    assert all(row["file"] is None for row in rows.values()), rows
    assert rows["claude"]["title"] == "Claude Code" and rows["claude"]["seen"]
    assert rows["cursor"]["seen"] is None
    shown = home.ok("agent", "ls").splitlines()
    assert shown[0].split() == ["NAME", "AGENT", "SEEN", "VERSIONS", "FILE"]
    assert [line.split()[0] for line in shown[1:]] == sorted(rows)


def test_a_profile_can_be_copied_and_changed(home):
    text = home.ok("agent", "show", "claude")
    assert home.json("agent", "show", "claude") == {
        "name": "claude", "title": "Claude Code", "text": text}
    path = put(home, "claude.ini", text.replace("= Claude Code", "= Mine", 1))
    rows = {row["name"]: row for row in home.json("agent", "ls")}
    assert len(rows) == 8 and rows["claude"]["title"] == "Mine"
    assert rows["claude"]["file"] == str(path)
    assert str(path) in home.ok("agent", "ls")
    assert "title = Mine" in home.ok("agent", "show", "claude")


def test_an_agent_can_be_added(home):
    put(home, "bob.ini", OWN)
    put(home, "notes.txt", "not a profile")
    put(home, ".hidden.ini", "not a profile")
    answer = home.run("agent", "ls")
    assert answer.status == 0 and answer.err == "", answer
    assert "bob " in answer.text and "1.0 to 1.9" in answer.text
    assert home.ok("agent", "show", "bob") == OWN


@pytest.mark.parametrize("name, text, why", [
    ("bob.ini", "[agent]\nfrob = 1\n", "line 2: there is no key frob in [agent]"),
    ("bob.ini", "[screen idle]\nmatch = (\n",
     "line 2: the pattern is invalid: at character 1: missing closing parenthesis"),
    ("Bob.ini", "", "Bob is not a name for a profile"),
    ("bob.ini", "#" * 70000, "it has more than 65536 bytes"),
])
def test_a_wrong_file_is_reported_and_not_used(home, name, text, why):
    path = put(home, name, text)
    answer = home.run("agent", "ls")
    assert answer.status == 0, answer
    assert f"{path} is not used: {why}" in answer.err, answer
    assert len(home.json("agent", "ls")) == 8


def test_a_file_that_cannot_be_read_is_reported(home):
    path = put(home, "bob.ini", "")
    path.unlink()
    path.mkdir()
    answer = home.run("agent", "ls")
    assert answer.status == 0, answer
    assert f"{path} is not used: it is not a regular file" in answer.err


def test_an_unknown_profile_is_explained(home, tmp_path):
    error = home.error("agent", "show", "bobby", status=3, code="not_found")
    assert error["message"] == \
        'no profile named "bobby"; \'tend agent ls\' lists them'
    home.error("agent", "test", record(tmp_path), "--profile", "bobby",
               status=3, code="not_found")


def test_every_change_of_a_recording_is_printed(home, tmp_path):
    put(home, "bob.ini", OWN)
    cast = record(tmp_path, (0.5, "Bob v1.5\r\n> "), (0.75, "draft"),
                  (1, "\x1b]0;busy\x07"), (1.5, "\x1b]0;\x07\r\x1b[KReally?"),
                  (2, "\x1b]7501;state=idle\x07"), (3, "\r\x1b[K> "),
                  (4, "\r> \x1b[K"))
    result = home.json("agent", "test", cast)
    assert result["profile"] == "bob"
    seen = [(r["time_ms"], r["activity"], r["source"], r["box"], r["rule"],
             r["status"], r["title_rule"]) for r in result["readings"]]
    assert seen == [
        (500, "idle", "screen", "empty", "idle", None, None),
        (750, "idle", "screen", "draft", "idle", None, None),
        (1000, "working", "title", "draft", "idle", None, "busy"),
        (1500, "waiting_question", "screen", "none", "ask", None, None),
        (2000, "waiting_question", "screen", "none", "ask", "idle", None),
        (3000, "idle", "status", "empty", "idle", "idle", None)]
    assert {r["version"] for r in result["readings"]} == {"1.5"}
    assert result["readings"][4]["reason"] == \
        "the screen shows ask, although the status says state=idle"
    shown = home.ok("agent", "test", cast).splitlines()
    assert len(shown) == 7 and shown[0].split() == [
        "TIME", "ACTIVITY", "SOURCE", "BOX", "EVIDENCE"]
    assert shown[1].split() == ["0.500", "idle", "screen", "empty",
                                "screen:idle", "version:1.5"]
    assert shown[5].split() == ["2.000", "waiting_question", "screen", "none",
                                "status:idle", "screen:ask"]


def test_an_unseen_version_is_unknown_with_the_reason(home, tmp_path):
    put(home, "bob.ini", OWN)
    cast = record(tmp_path, (1, "> "))
    [reading] = home.json("agent", "test", cast, "--profile", "bob")["readings"]
    assert reading["activity"] == "unknown" and reading["box"] == "none"
    assert reading["reason"] == \
        "the version of bob is not known; tend knows 1.0 to 1.9"
    [reading] = home.json("agent", "test", cast, "--profile", "bob",
                          "--version", "2.0")["readings"]
    assert reading["activity"] == "unknown" and reading["version"] == "2.0"
    assert reading["reason"] == "bob 2.0 has not been seen; tend knows 1.0 to 1.9"
    [reading] = home.json("agent", "test", cast, "--profile", "bob",
                          "--version", "1.3")["readings"]
    assert reading["activity"] == "idle" and reading["box"] == "empty"


def test_a_recording_that_cannot_be_played_is_explained(home, tmp_path):
    error = home.error("agent", "test", str(tmp_path / "none"), "-p", "claude",
                       status=2, code="bad_input")
    assert "No such file or directory" in error["message"]
    path = tmp_path / "text"
    path.write_text("no recording\n")
    error = home.error("agent", "test", str(path), "-p", "claude", status=2,
                       code="bad_input")
    assert "cannot play" in error["message"] and "line 1" in error["message"]
    error = home.error("agent", "test", record(tmp_path, (1, "hi")), status=2,
                       code="bad_input")
    assert "no known agent names itself" in error["message"]
    home.error("agent", "test", status=2, code="usage")
    home.error("agent", "ls", "more", status=2, code="usage")
    home.error("agent", "ls", "--profile", "claude", status=2, code="usage")


def test_the_profile_of_the_document_is_valid(home):
    text = (lib.ROOT / "docs" / "agents.md").read_text()
    [profile] = re.findall(r"```ini\n(.*?)```", text, re.DOTALL)
    put(home, "bob.ini", profile)
    answer = home.run("agent", "show", "bob")
    assert answer.status == 0 and answer.err == "", answer
    assert answer.text.startswith("[agent]\ntitle = Bob\n")
