"""A visitor's environment: the SSH agent's link, `tend env`; nested attach."""

import os
import shlex
import socket
import subprocess

import pytest

import lib
from lib import Home
from terminal import Terminal

DETACH = "\x1dd"


@pytest.fixture
def home():
    with Home() as home:
        for name in ("SSH_AUTH_SOCK", "DISPLAY", "SSH_CONNECTION"):
            home.env.pop(name, None)
        yield home


@pytest.fixture
def agents(tmp_path_factory):
    """Sockets as ssh-agent has them, each answering with its own name."""
    made = []

    def make(name):
        path = str(tmp_path_factory.mktemp("a") / name)
        made.append(socket.socket(socket.AF_UNIX))
        made[-1].bind(path)
        made[-1].listen()
        return path

    yield make
    for agent in made:
        agent.close()


def visit(home, term, sid, *options, **variables):
    """Attach and detach again, with these variables."""
    term.run(lib.TEND, "attach", *options, sid,
             env={**home.env, **variables})
    term.wait(lambda s: s["alt"], "the session")
    term.type(DETACH)
    assert term.ended() == 0, term.text()
    term.wait(lambda s: not s["alt"], "what was there before")


def link(home, sid):
    path = home.dir(sid) / "ssh-auth.sock"
    return os.readlink(path) if path.is_symlink() else None


def program_env(home, sid):
    return home.json("env", "--program", sid)


def evaluated(lines):
    """A shell's variables after evaluating them, from an environment with
    others."""
    done = subprocess.run(
        ["sh", "-c", lines + "\nexec env -0"], stdout=subprocess.PIPE,
        check=True, env={"PATH": os.environ["PATH"], "DISPLAY": "old",
                         "SSH_TTY": "/dev/old"})
    return dict(item.split("=", 1)
                for item in done.stdout.decode().split("\0") if item)


def test_the_agent_link_is_refreshed_by_each_attach(home, agents):
    """The program has one permanent path; its target follows the last
    visitor."""
    first, second = agents("first"), agents("second")
    sid = home.start("cat", env={**home.env, "SSH_AUTH_SOCK": first})
    given = program_env(home, sid)["SSH_AUTH_SOCK"]
    assert given == str(home.dir(sid) / "ssh-auth.sock")
    assert link(home, sid) == first
    with Terminal() as term:
        visit(home, term, sid, SSH_AUTH_SOCK=second)
        assert link(home, sid) == second
        client = socket.socket(socket.AF_UNIX)
        client.connect(given)  # through the link, as ssh does
        client.close()
        visit(home, term, sid)
        assert link(home, sid) == second, "who has none changed it"
        visit(home, term, sid, SSH_AUTH_SOCK="/no/such/agent")
        assert link(home, sid) == second, "a dead one replaced it"
        visit(home, term, sid, "--read-only", SSH_AUTH_SOCK=first)
        assert link(home, sid) == second, "who only looks changed it"


def test_a_session_started_without_an_agent_gets_one_later(home, agents):
    sid = home.start("cat")
    given = program_env(home, sid)["SSH_AUTH_SOCK"]
    assert not os.path.lexists(given)
    agent = agents("later")
    with Terminal() as term:
        visit(home, term, sid, SSH_AUTH_SOCK=agent)
    assert os.path.realpath(given) == agent
    assert [p.name for p in home.dir(sid).glob(".*")] == []


def test_an_agent_set_by_an_option_reaches_the_program(home, agents):
    agent = agents("own")
    sid = home.start("cat", options=["-e", f"SSH_AUTH_SOCK={agent}"])
    assert program_env(home, sid)["SSH_AUTH_SOCK"] == agent


def test_a_shell_can_evaluate_the_output_of_env(home, agents):
    agent, nasty = agents("agent"), "it's $HOME; `id` \\ \"x\""
    sid = home.start("cat", env={**home.env, "DISPLAY": ":1"})
    assert evaluated(home.ok("env", sid))["DISPLAY"] == ":1"
    with Terminal() as term:
        visit(home, term, sid, SSH_AUTH_SOCK=agent, DISPLAY=nasty,
              SSH_CONNECTION="192.0.2.1 50000 192.0.2.2 22")
    got = evaluated(home.ok("env", sid))
    assert got["DISPLAY"] == nasty
    assert got["SSH_CONNECTION"] == "192.0.2.1 50000 192.0.2.2 22"
    assert got["SSH_AUTH_SOCK"] == str(home.dir(sid) / "ssh-auth.sock")
    assert "SSH_TTY" not in got, "what the visitor has not is unset"
    result = home.json("env", sid)
    assert result["DISPLAY"] == nasty and result["SSH_TTY"] is None


def test_inside_a_session_env_shows_that_session(home):
    sid = home.start("sh", "-c", f"""
        echo ready; read x
        eval "$({shlex.quote(str(lib.TEND))} env)"; echo "display $DISPLAY"
        exec cat""", env={**home.env, "DISPLAY": ":1"})
    home.start("cat", env={**home.env, "DISPLAY": ":9"})
    home.wait_text(sid, "ready")
    with Terminal() as term:
        visit(home, term, sid, DISPLAY=":2")
    home.ok("send", sid, "--keys", "Enter")
    home.wait_text(sid, "display :2")


def test_env_shows_the_environment_of_the_program(home):
    sid = home.start("cat", options=["-e", "NASTY=a\x1b[31m\nb"])
    assert program_env(home, sid)["NASTY"] == "a\x1b[31m\nb"
    plain = home.ok("env", "--program", sid)
    assert "NASTY=a\\x1b[31m\\x0ab\n" in plain, plain
    home.ok("kill", sid)
    assert "NASTY=a" in home.ok("env", "--program", sid)
    sid = home.start("cat", options=["--forget-env"])
    home.error("env", "--program", sid, status=3, code="not_found")


def test_env_reports_that_there_was_no_visitor(home):
    sid = home.start("cat")
    (home.dir(sid) / "visit.env").unlink()
    home.error("env", sid, status=3, code="not_found")


# ------------------------------------------------------------ nested attach


def test_nested_attach_is_refused_with_a_hint(home):
    inner = home.start("sh", "-c", "echo this is inner; exec cat",
                       options=["-n", "inner"])
    outer = home.start("sh", options=["-n", "outer", "-e", "PS1=> "])
    home.wait_text(inner, "this is inner")
    with Terminal() as term:
        term.run(lib.TEND, "attach", outer, env=home.env)
        term.wait_text(">")
        term.type(f"{lib.TEND} attach inner; echo status $?\r")
        term.wait_text("status 125")
        seen = term.text().replace("\n", "")  # the margin breaks it
        for word in ("already in a session", "C-] d", "--nested"):
            assert word in seen, term.text()
        term.type(f"clear; {lib.TEND} run true; echo again $?\r")
        term.wait_text("again 125")
        assert len(home.json("ls", "-a")) == 2, "nothing was started"
        term.type(f"{lib.TEND} attach --nested inner; echo left $?\r")
        term.wait_text("this is inner")
        term.wait_text(" inner \u00b7 C-] C-] d detaches \u00b7 C-] C-] ? help")
        term.type("\x1d\x1d?")
        term.wait_text("After C-] C-]")
        term.wait_text(" C-] C-] type C-] itself")
        term.type("q\x1d\x1dd")  # the outer one passes the second on
        term.wait_text("left 0")
        # A different prefix reaches the inner one at once.
        term.type(f"clear; {lib.TEND} attach --nested --prefix C-a inner; "
                  "echo gone $?\r")
        term.wait_text(" inner \u00b7 C-a d detaches \u00b7 C-a ? help")
        term.type("\x01d")
        term.wait_text("gone 0")
        term.type(DETACH)
        assert term.ended() == 0


def test_without_a_name_the_surrounding_session_is_shown(home):
    """People type `tend info` in a session and mean that session."""
    home.start("sh", options=["-n", "alpha", "-e", "PS1=> "])
    home.start("cat", options=["-n", "beta"])
    assert home.json("info")["name"] == "beta", "the newest"
    home.ok("send", "alpha", "--text", f"{lib.TEND} info\r")
    home.wait_text("alpha", "name         alpha")
    home.ok("send", "alpha", "--text", f"clear; {lib.TEND} info beta\r")
    home.wait_text("alpha", "name         beta")


def test_attach_to_the_surrounding_session_is_always_refused(home):
    sid = home.start("sh", options=["-e", "PS1=> "])
    with Terminal() as term:
        term.run(lib.TEND, "attach", sid, env=home.env)
        term.wait_text(">")
        term.type(f"{lib.TEND} attach --nested $TEND_SESSION; "
                  "echo status $?\r")
        term.wait_text("status 125")
        term.wait_text("itself")
