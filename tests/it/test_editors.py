"""Emacs and vim treat the terminal as a modern xterm.

Both use the answer to DA2 to decide on their other questions and features.
"""

import pytest

from lib import Home, wait_for


@pytest.fixture
def home():
    with Home() as made:
        yield made


def start(home, *command):
    env = {**home.env, "TERM": "xterm-256color", "HOME": str(home.path)}
    return home.start(*command, options=("--size", "80x24"), env=env)


def asks(home, sid, *questions):
    """Wait until the program has printed all of these, in this order."""
    def look():
        out, at = home.run("log", "--raw", sid).out, 0
        for question in questions:
            at = out.find(question, at)
            if at < 0:
                return False
            at += len(question)
        return True

    wait_for(look, lambda: f"{questions} in "
             f"{home.run('log', '--raw', sid).out!r}", 30)


def test_emacs_asks_for_the_background_and_sets_modify_other_keys(home):
    sid = start(home, "emacs", "-nw", "-Q")
    asks(home, sid, b"\033[>0c", b"\033]11;?\033\\", b"\033[>4;1m")
    home.wait_text(sid, "*scratch*")
    # Without modifyOtherKeys this key would look like a full stop.
    home.ok("send", sid, "--keys", "C-h", "c", "C-.")
    home.wait_text(sid, "C-. is undefined")


def test_emacs_uses_the_reported_background(home):
    sid = start(home, "emacs", "-nw", "-Q")
    home.wait_text(sid, "*scratch*")
    home.ok("send", sid, "--keys", "M-:", "--text",
            "(frame-parameter nil 'background-mode)", "--keys", "Enter")
    home.wait_text(sid, "dark")


def test_vim_asks_for_shape_colours_and_keys_and_reads_the_mouse_as_sgr(home):
    sid = start(home, "vim", "-u", "NONE", "-N")
    asks(home, sid, b"\033[>c", b"\033P$q q\033\\", b"\033P+q")
    asks(home, sid, b"\033[>c", b"\033]11;?\007")
    home.ok("send", sid, "--text", ":set ttymouse? background?", "--keys",
            "Enter")
    home.wait_text(sid, "ttymouse=sgr")
    home.wait_text(sid, "background=dark")
