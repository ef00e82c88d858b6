"""The manual: a page for each command, with all its options, and prose."""

import os
import re
import subprocess

import pytest

import lib
from lib import shows

LIST = (lib.ROOT / "src" / "cmd" / "line" / "list.h").read_text()
COMMANDS = re.findall(r"^CMD\((\w+)\)$", LIST, re.MULTILINE)
PAGES = lib.BUILD / "docs" / "man"
PROSE = lib.ROOT / "docs" / "man"
ALL = ["tend.1", *(f"tend-{name}.1" for name in COMMANDS), "tend-host.8",
       "tend-keeper.8"]


def man(page):
    """The page as a reader sees it; groff's warnings are failures."""
    done = subprocess.run(
        ["man", "--warnings=w", "-E", "UTF-8", "-l", PAGES / page],
        capture_output=True, timeout=60,
        env={**os.environ, "MANWIDTH": "100", "MAN_KEEP_FORMATTING": "",
             "LC_ALL": "C.UTF-8"})
    text = re.sub(".\b", "", done.stdout.decode())
    assert done.returncode == 0 and done.stderr == b"", (page, done)
    return text


def flat(text):
    """Join words that a line's end breaks, at their own hyphen or not, and join
    lines."""
    text = re.sub(r"(?<=\w-)\n *(?=\w)", "", re.sub("\u2010\n *", "", text))
    return re.sub(r"\s+", " ", text)


def sections(text):
    """Each section's lines, by its heading."""
    found = {}
    for line in text.splitlines()[1:-1]:
        if re.match(r"[A-Z]", line):
            found[heading := line.strip()] = []
        elif line.strip():
            found[heading].append(line)
    return found


@pytest.mark.parametrize("page", ALL)
def test_a_page_renders_without_a_complaint(page):
    parts = sections(man(page))
    assert list(parts)[0] == "NAME" and list(parts)[-1] == "SEE ALSO", parts
    assert "DESCRIPTION" in parts and len(parts["DESCRIPTION"]) > 1, parts
    name = page.removesuffix(page[-2:])
    assert parts["NAME"][0].strip().startswith(f"{name} - "), parts["NAME"]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_a_description(name):
    """To add a command, write docs/man/tend-COMMAND.scd."""
    path = PROSE / f"tend-{name}.scd"
    assert path.exists(), f"docs/man/tend-{name}.scd is to be written"
    text = path.read_text()
    assert text.startswith("# DESCRIPTION\n"), text[:40]
    assert len(text.split("# ")[1].split()) >= 15, text
    assert "# SEE ALSO" in text


@pytest.mark.parametrize("name", COMMANDS)
def test_a_page_has_everything_in_the_help(name):
    """Synopsis, summary and every option, as `tend COMMAND -h` shows them."""
    text = man(f"tend-{name}.1")
    parts = sections(text)
    told = shows(name, "-h")
    usage, summary = (re.sub(r"\s+", " ", part) for part in
                      re.fullmatch(r"usage: (.*?)\n\n(.*?)\n\n.*", told,
                                   re.DOTALL).groups())
    synopsis = flat("\n".join(parts["SYNOPSIS"])).strip()
    assert synopsis == usage.strip(), synopsis
    assert f"tend-{name} - {summary}" in flat(text)
    options = re.findall(r"^ +((?:-\w, )?--[\w-]+(?: [A-Z]\S*)?) +(\S.*)$",
                         told, re.MULTILINE)
    assert len(options) >= 3, told
    shown = flat("\n".join(parts["OPTIONS"]))
    for option, help in options:
        assert f"{option} {help}" in shown, (option, shown)


def test_tend_lists_every_command():
    text = flat("\n".join(sections(man("tend.1"))["COMMANDS"]))
    helped = dict(re.findall(r"^  (\w+) +(.*)$", shows("help"), re.MULTILINE))
    assert set(COMMANDS) <= set(helped), helped
    for name in COMMANDS:
        assert f"tend-{name}(1) {helped[name]}" in text, (name, text)


def test_pages_refer_to_existing_pages():
    for page in ALL:
        for name, section in re.findall(r"(tend[\w-]*)\((\d)\)", man(page)):
            assert f"{name}.{section}" in ALL, (page, name, section)


def test_every_page_is_for_an_existing_command():
    written = {path.name.removesuffix(".scd") for path in PROSE.glob("*.scd")}
    wanted = {page.removesuffix(".1") for page in ALL}
    assert written == wanted, written ^ wanted
