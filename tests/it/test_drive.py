"""Real programs, driven as a careful person does: type, wait, read.

Nothing here sleeps or asks twice.  In a full run each program is driven two
hundred times in a row while other processes use all processors.
"""

import contextlib
import json
import os
import subprocess
import sys

import pytest

import lib
from lib import Home

FULL = os.environ.get("TEND_TEST_FULL") == "1"
ROUNDS = 200 if FULL else 5
LIMIT = "60s"


@pytest.fixture(scope="module")
def home():
    with Home() as h:
        h.env["TERM"] = "xterm-256color"
        yield h


@pytest.fixture(scope="module", autouse=True)
def load():
    """Keep every processor busy."""
    n = (os.cpu_count() or 1) if FULL else 1
    with contextlib.ExitStack() as stack:
        for _ in range(n):
            busy = stack.enter_context(subprocess.Popen(
                [sys.executable, "-c", "while True: pass"]))
            stack.callback(busy.kill)
        yield


def wait(**conditions):
    return {"wait": {"timeout": LIMIT, **conditions}}


ENTER = {"keys": ["Enter"]}
ENDED = wait(exit=True)


def batch(home, sid, *steps):
    """Run steps that must all succeed; returns their results."""
    answer = home.run("batch", "--json", sid, "-",
                      input=json.dumps(steps).encode())
    assert answer.status == 0, (answer, home.screen(sid)["lines"])
    got = json.loads(answer.out)["result"]
    assert got["completed"] == len(steps) and got["failed"] == [], got
    return got["steps"]


def send(home, sid, *args):
    """Type; returns the seq for a later wait."""
    return str(home.json("send", sid, *args)["seq"])


def wait_for(home, sid, *args):
    """The match of a wait that must succeed."""
    answer = home.run("wait", "--json", sid, "--timeout", LIMIT, *args)
    assert answer.status == 0, answer
    got = json.loads(answer.out)["result"]
    assert got["matched"] is True, answer
    return got


@pytest.fixture(params=range(ROUNDS))
def turn(request):
    return request.param


def test_vim_edits_a_file(home, tmp_path, turn):
    """Through one batch; each wait sees only output after the input."""
    file = tmp_path / "letter"
    file.write_text("Dear world,\nthe world is round.\n")
    sid = home.start("vim", "-N", "-u", "NONE", "-i", "NONE", "-n", str(file))
    batch(home, sid,
          wait(text="round."),
          {"text": "o"}, wait(text="-- INSERT --"),
          {"text": f"turn {turn}"}, wait(text=f"turn {turn}", echo=True),
          {"keys": ["Escape"]}, wait(absent="-- INSERT --"),
          {"text": ":%s/world/moon/g"}, ENTER, wait(regex="^the moon is round"),
          {"text": "gg"}, wait(cursor="0,0"),
          {"text": ":wq"}, ENTER, ENDED)
    assert file.read_text() == f"Dear moon,\nturn {turn}\nthe moon is round.\n"
    assert home.info(sid)["exit_code"] == 0


def test_a_repl_answers(home, turn):
    sid = home.start("python3", "-q", "-c",
                     "import code; code.interact(banner='', exitmsg='')",
                     options=("-e", "PYTHONSTARTUP="))
    wait_for(home, sid, "--text", ">>>")
    for n in range(3):
        seq = send(home, sid, "--text", f"{turn} * 1000 + {n} + 10**6",
                   "--keys", "Enter")
        got = wait_for(home, sid, "--after", seq, "--regex",
                       r"^\d{7}\n>>> *$")
        assert got["text"].startswith(str(10**6 + turn * 1000 + n) + "\n")
    seq = send(home, sid, "--text", "def f(x):", "--keys", "Enter")
    wait_for(home, sid, "--after", seq, "--regex", r"^\.\.\. ?$")
    seq = send(home, sid, "--text", "  return x * 2", "--keys", "Enter Enter")
    wait_for(home, sid, "--after", seq, "--regex", r"^\.\.\.\s*\n>>>")
    seq = send(home, sid, "--text", "f('ab')", "--keys", "Enter")
    # Without a prompt, the terminal would take C-d and lose it with its mode.
    wait_for(home, sid, "--after", seq, "--regex", r"^'abab'\n>>>")
    send(home, sid, "--keys", "C-d")
    wait_for(home, sid, "--exit")


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    file = tmp_path_factory.mktemp("less") / "pages"
    file.write_text("".join(
        f"line {n}{' needle' if n % 400 == 321 else ''}\n"
        for n in range(1, 1001)))
    return file


def test_less_is_searched(home, pages, turn):
    sid = home.start("less", str(pages),
                     options=("-e", "LESS=", "-e", "LESSOPEN="))
    steps = batch(home, sid,
                  wait(text="line 23"),
                  {"text": "/needle"}, ENTER, wait(text="line 321 needle"),
                  {"text": "n"}, wait(text="line 721 needle"),
                  {"text": "G"}, wait(regex=r"^line 1000\n.*\(END\)"),
                  {"text": "g"}, wait(regex=r"^line 1\n(.*\n)+line 23\n:"),
                  {"snapshot": {}}, {"text": "q"}, ENDED)
    assert steps[-3]["result"]["lines"][:23] == [
        f"line {n}" for n in range(1, 24)]
    assert steps[-3]["result"]["alt_screen"] is True


def test_a_form_is_filled_in(home, tmp_path, turn):
    out = tmp_path / "form"
    sid = home.start("sh", "-c", f"""
        whiptail --inputbox 'Your name' 10 40 2>>{out} &&
        echo >>{out} &&
        whiptail --checklist 'Your fruit' 14 40 3 apple '' off pear '' off \
            plum '' off 2>>{out} &&
        whiptail --yesno 'All right?' 8 40""")
    batch(home, sid,
          wait(text="Your name"),
          {"text": f"Ann {turn}"}, wait(text=f"Ann {turn}", echo=True),
          {"keys": ["Tab", "Enter"]}, wait(text="Your fruit"),
          {"keys": ["Down", "Space"]}, wait(regex=r"\[\*\] pear"),
          {"keys": ["Down", "Space"]}, wait(regex=r"\[\*\] plum"),
          {"keys": ["Tab", "Enter"]}, wait(text="All right?"), ENTER, ENDED)
    assert out.read_text() == f'Ann {turn}\n"pear" "plum"'
    assert home.info(sid)["exit_code"] == 0


def test_a_full_screen_program_is_used(home, tmp_path, turn):
    """Keys and mouse, in an alternate screen."""
    out = tmp_path / "picked"
    sid = home.start("python3", str(lib.ROOT / "tests/it/picker.py"), str(out))
    n = 2 + turn % 5
    steps = batch(home, sid,
                  wait(text="0 marked"),
                  {"keys": ["Down"] * n}, wait(text=f"> [ ] item {n:02}"),
                  {"text": " "}, wait(text=f"> [x] item {n:02}"),
                  {"mouse": "click 10,5"}, wait(text="> [ ] item 09"),
                  {"text": " "}, wait(text="2 marked"),
                  ENTER, wait(text="write them? y/n"),
                  {"text": "n"}, wait(absent="write them?"),
                  ENTER, wait(text="write them?"), {"snapshot": {}},
                  {"text": "y"}, ENDED)
    shown = steps[-3]["result"]
    assert shown["alt_screen"] is True
    assert shown["lines"][1:23] == [
        f"{' >'[i == 9]} [{' x'[i in (n, 9)]}] item {i:02}" for i in range(21)
    ] + ["write them? y/n"], shown["lines"]
    assert out.read_text() == f"item {n:02} item 09"
