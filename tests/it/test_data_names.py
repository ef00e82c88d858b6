"""The recordings show nothing of the machine they were made on.

Forbidden words are collected from this machine when the test runs (its name,
its users and groups, its folders, its kernel) and from a fixed list of things
that such machines show.  A name that may be a plain word as well ("debian",
"node") counts only where a program shows it as a name.
"""

import grp
import json
import pathlib
import platform
import pwd
import re
import socket

import pytest

TESTS = pathlib.Path(__file__).resolve().parent.parent
ROOT = TESTS.parent

CONTROL = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]P_^X][^\x07\x1b]*(?:\x07|\x1b\\)"
    r"|\x1b[ -/]*[0-~]|[\x00-\x09\x0b-\x1f]")

# Places and addresses, and the owner of a file if it is not `user`.
FIXED = (
    r"root@", r"(?<![\w.])/(?:root|farm|work|workspace|builds?)\b",
    r"/home/(?!user\b|dev)\w", r"snapshot\.debian", r"(?:deb|security)\.debian\.org",
    r"registry\.[a-z]", r"npmjs", r"pypi\.org", r"artifactory", r"\.internal\b",
    r"(?i)(?<!network )\bproxy\b", r"\blocalhost:\d",
    r"[-dl](?:[-r][-w][-xsStT]){3} +\d+ (?!(?:user|root) +(?:user|root) )",
)
# Words that the recorder has to name in order to hide them.
HIDDEN_BY_THE_RECORDER = (FIXED[1], FIXED[5], FIXED[10])

STANDARD = {"/", "/root", "/home", "/home/user", "/tmp", "/src", "/usr/src"}
NEUTRAL = {"user", "root", "box", "localhost", "nobody", "nogroup"}
ADDRESS = re.compile(r"(?<![\w.-])(?:\d{1,3}\.){3}\d{1,3}(?![\w.-])")
ADDRESS_6 = re.compile(r"\b(?:[0-9a-f]{1,4}:){5,7}[0-9a-f]{1,4}\b")


def host_names():
    names = {socket.gethostname(), socket.getfqdn()}
    return {n for full in names for n in (full, full.split(".")[0])} - NEUTRAL


def people():
    users = {entry.pw_name for entry in pwd.getpwall()}
    groups = {entry.gr_name for entry in grp.getgrall()}
    return (users | groups) - NEUTRAL


def shown_as_a_name(name):
    it = re.escape(name)
    patterns = [rf"@{it}\b", rf"\b{it}@", rf"/home/{it}\b", rf"\b{it}:~"]
    if len(name) > 3 and re.search(r"[\d-]", name):
        patterns.append(rf"(?<![\w-]){it}(?![\w-])")
    return patterns


def places():
    """Folders of this tree, except those that every machine has."""
    found = {str(ROOT), str(ROOT.parent), str(pathlib.Path.home())} - STANDARD
    return [rf"(?<![\w.}}]){re.escape(p)}\b" for p in sorted(found)]


def forbidden():
    patterns = [*FIXED, *places(), re.escape(platform.release())]
    for name in sorted(host_names() | people()):
        patterns += shown_as_a_name(name)
    # A status line shows the host in quotes.
    return patterns + [f'"{re.escape(name)}"' for name in sorted(host_names())]


def violations(text, patterns):
    """[(line number, rule, the words around it)]"""
    rules = [(p, re.compile(p)) for p in patterns]
    rules += [("an IPv4 address", ADDRESS), ("an IPv6 address", ADDRESS_6)]
    out = []
    for number, line in enumerate(text.split("\n"), 1):
        for rule, pattern in rules:
            for found in pattern.finditer(line):
                if found.group().startswith("127."):
                    continue
                near = line[max(found.start() - 30, 0):found.end() + 30]
                out.append((number, rule, near))
    return out


def output_of(path):
    """The whole output of a recording, without its control sequences."""
    lines = path.read_text().strip("\n").split("\n")[1:]
    text = "".join(e[2] for e in map(json.loads, lines) if e[1] == "o")
    return CONTROL.sub("", text)


def data_files():
    return sorted(p for p in (TESTS / "data").rglob("*") if p.is_file())


def recorder_files():
    return sorted([*(TESTS / "record").rglob("*.py"),
                   *(TESTS / "agents").glob("*.py")])


@pytest.mark.parametrize("path", data_files(), ids=lambda p: p.name)
def test_data_names_no_machine(path):
    seen = violations(path.read_text(), forbidden())
    if path.suffix == ".cast":
        seen += violations(output_of(path), forbidden())
    assert not seen, f"{path.name}: {seen[:5]}"


@pytest.mark.parametrize("path", recorder_files(), ids=lambda p: p.name)
def test_the_recorder_names_no_machine(path):
    patterns = [p for p in forbidden() if p not in HIDDEN_BY_THE_RECORDER]
    seen = violations(path.read_text(), patterns)
    assert not seen, f"{path.name}: {seen[:5]}"


@pytest.mark.parametrize("leak", [
    "root@box:~#", "cd /root/x", f"Linux {platform.release()}", "at 10.1.2.3",
    "http://snapshot.debian.org/", "/home/somebody/x", "fe80:0:0:0:1:2:3:4",
    "-rw-r--r-- 1 user staff 12 Jan 1 file", f"in {ROOT}/src",
    *[f"user@{name}:~$" for name in sorted(host_names())],
])
def test_a_leak_is_noticed(leak):
    assert violations(f'[0.1, "o", "{leak}"]', forbidden()), leak


def test_permitted_words_are_not_leaks():
    fine = ("user@box:~$ ls /home/user", "-rw-r--r-- 1 user user 12 Jan 1 a",
            "127.0.0.1", "version 1.2.3", "12:34:56", "ada@example.org")
    seen = [v for text in fine for v in violations(text, forbidden())]
    assert not seen, seen


def test_no_escape_hides_a_letter():
    """JSON could hide a name behind escapes of plain letters."""
    for path in data_files():
        hidden = re.findall(r"\\u00[2-7][0-9a-f]", path.read_text())
        assert set(hidden) <= {r"\u007f"}, f"{path.name}: {hidden[:5]}"


def test_the_recordings_are_many_small_and_described():
    casts = sorted((TESTS / "data").glob("*.cast"))
    described = (TESTS / "data" / "README.md").read_text()
    missing = [p.name for p in casts if f"`{p.name}`" not in described]
    assert not missing, f"not in tests/data/README.md: {missing}"
    sizes = {p.name: p.stat().st_size for p in casts}
    odd = {n: s for n, s in sizes.items() if not 2_000 <= s <= 150_000}
    assert not odd, f"too small or too big: {odd}"
    assert len(sizes) >= 28 and sum(sizes.values()) < 3_000_000, sizes


def test_the_recordings_of_agents_are_small_and_have_their_truth():
    casts = sorted((TESTS / "data" / "agents").glob("*.cast"))
    truth = json.loads((TESTS / "data" / "agents" / "truth.json").read_text())
    assert [p.stem for p in casts] == sorted(truth)
    sizes = {p.name: p.stat().st_size for p in casts}
    assert max(sizes.values()) < 100_000, sizes
    assert sum(sizes.values()) < 2_000_000, sizes


def test_resizes_are_recorded_on_both_screens():
    resized = [p for p in data_files()
               if p.suffix == ".cast" and '"r", "' in p.read_text()]
    alternate = [p for p in resized if r"\u001b[?1049h" in p.read_text()]
    primary = [p for p in resized if p not in alternate]
    assert len(resized) >= 8, [p.name for p in resized]
    assert len(primary) >= 3, [p.name for p in primary]
    assert len(alternate) >= 3, [p.name for p in alternate]
