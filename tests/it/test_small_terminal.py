"""Output of tend on a terminal of 40 columns and 10 rows."""

import shlex

import pytest

import lib
from lib import Home
from terminal import Terminal

COLS, ROWS = 40, 10


@pytest.fixture
def home():
    with Home() as home:
        yield home


def commands():
    """`tend`, `tend help`, and the help of each command in it."""
    listed = lib.shows("help").split("\n\n")[1].splitlines()
    return [[], ["help"]] + [[line.split()[0], "-h"] for line in listed]


def printed(home, args, cols):
    """The lines that are written to a terminal of that width."""
    with Terminal(cols, ROWS) as term:
        command = shlex.join([str(lib.TEND), *args])
        term.run("sh", "-c", f"stty -opost; {command}; echo END", env=home.env)
        assert term.ended() == 0
        lib.wait_for(lambda: term.raw.endswith(b"END\n"), "the end")
        return term.raw.decode().removesuffix("END\n").splitlines()


def test_help_is_broken_between_words(home):
    """Every line fits, and no word of the wide form is missing or cut."""
    # One pass over all commands: each terminal starts a process.
    script = [[], ["help"], ["attach", "-h"], ["run", "-h"],
              ["snapshot", "-h"], ["wait", "-h"], ["gc", "-h"]]
    assert all(args in commands() for args in script)
    for args in script:
        wide = home.ok(*args)
        narrow = printed(home, args, COLS)
        assert max(map(len, narrow)) <= COLS, "\n".join(narrow)
        assert " ".join(narrow).split() == wide.split(), args
        assert any(len(line) > COLS for line in wide.splitlines())


def test_help_that_fits_is_unchanged(home):
    assert printed(home, ["attach", "-h"], 80) == \
        home.ok("attach", "-h").splitlines()
