"""`tend attach` alone, `tend attach -`, and the beginning of a name."""

import pytest

import lib
from lib import Home, wait_for
from terminal import Terminal

DETACH = "\x1dd"
UP, DOWN = "\x1b[A", "\x1b[B"


@pytest.fixture
def home():
    with Home() as home:
        yield home


def start(home, name, *script):
    # The text is only on its screen, not in the list.
    return home.start("sh", "-c", "echo this is $1; exec cat", "sh", name,
                      *script, options=["--name", name])


def attach(home, term, *args):
    term.run(lib.TEND, "attach", *args, env=home.env)


def attached(home, name):
    """Wait until a client is attached to that session and to no other."""
    def look():
        return [s["name"] for s in home.json("ls")
                if home.info(s["id"])["observers"]] == [name]

    wait_for(look, lambda: f"{name} to be attached: {home.ok('ls')}")


def leave(term):
    term.type(DETACH)
    assert term.ended() == 0


# ---------------------------------------------------------------- picking


def test_the_only_session_is_attached_at_once(home):
    start(home, "one")
    with Terminal() as term:
        attach(home, term)
        term.wait_text("this is one")
        attached(home, "one")
        leave(term)


def test_a_read_only_attach_picks_too(home):
    start(home, "one")
    start(home, "two")
    with Terminal() as term:
        attach(home, term, "-r")
        term.wait_text("one ")
        term.type(DOWN + "\r")
        term.wait_text("this is one")
        term.wait_text("view only")
        attached(home, "one")
        leave(term)


def test_without_a_session_attach_explains_how_to_start_one(home):
    home.ok("stop", start(home, "over"))
    with Terminal() as term:
        attach(home, term)
        assert term.ended() == 125
        term.wait_text("no running session in")
        assert "'tend run COMMAND'" in term.text().replace("\n", "")


@pytest.mark.parametrize("cols, rows", [(80, 24), (40, 10), (20, 4)])
def test_a_session_is_picked_from_a_list(home, cols, rows):
    for name in ("one", "two", "three"):
        start(home, name)
    with Terminal(cols, rows) as term:
        before = term.settings()
        attach(home, term)
        shown = term.wait_text("one ")
        assert [line.split()[0] for line in shown["lines"][1:4]] == [
            "three", "two", "one"], shown["lines"]
        assert all(len(line) <= cols for line in shown["lines"])
        if rows >= 10:
            term.wait_text("this is three")
            term.type(DOWN)
            term.wait_text("this is two")
            term.type("k")
            term.wait_text("this is three")
            term.type("j")
            term.wait_text("this is two")
        else:
            term.type(DOWN)
        term.type("\r")
        attached(home, "two")
        leave(term)
        wait_for(lambda: term.settings() == before, "the terminal of before")


def test_the_list_can_be_resized_and_filtered(home):
    for name in ("web", "api", "docs"):
        start(home, name)
    with Terminal(80, 24) as term:
        attach(home, term)
        term.wait_text("3 sessions")
        term.resize(40, 10)
        term.wait(lambda s: s["lines"][0].startswith(" Enter attaches")
                  and len(s["lines"]) == 10, "the list, narrower")
        term.type("/ap")
        term.wait(lambda s: s["lines"][0].startswith(" /ap_")
                  and "web" not in "\n".join(s["lines"]), "only one")
        term.type("\r")
        attached(home, "api")
        leave(term)


def test_the_list_is_updated(home):
    sids = {name: start(home, name) for name in ("one", "two")}
    with Terminal() as term:
        attach(home, term)
        term.wait_text("this is two")
        start(home, "three")
        term.wait_text("3 sessions")
        term.wait_text("this is two")
        home.ok("stop", sids["two"])
        term.wait(lambda s: "two" not in "\n".join(s["lines"]), "one less")
        term.type("\x1b")
        assert term.ended() == 0
    assert all(home.info(s["id"])["observers"] == 0
               for s in home.json("ls"))


@pytest.mark.parametrize("key", ["q", "\x1b", "\x03"])
def test_leaving_the_list_attaches_nothing(home, key):
    start(home, "one")
    start(home, "two")
    with Terminal() as term:
        before = term.settings()
        attach(home, term)
        term.wait_text("2 sessions")
        term.type(key)
        assert term.ended() == 0
        wait_for(lambda: term.settings() == before, "the terminal of before")


def test_hostile_names_and_output_are_harmless_in_the_list(home):
    """Names, commands and screens of others are shown, not interpreted."""
    start(home, "one", "\x1b]0;stolen\x07\x1b[31m")
    home.start("printf", "\\033]0;stolen\\007\\033[2Jprinted\\n",
               options=["--name", "two"])
    home.start("sh", "-c", "printf '\\033]0;stolen\\007safe text'; exec cat",
               options=["--name", "three"])
    with Terminal() as term:
        attach(home, term)
        shown = term.wait_text("safe text")
        assert shown["title"] != "stolen"
        assert "\\x1b" in "\n".join(shown["lines"]) or \
            "\\033" in "\n".join(shown["lines"]), shown["lines"]
        term.type("q")
        assert term.ended() == 0


def test_without_a_terminal_a_session_must_be_named(home):
    start(home, "one")
    answer = home.run("attach")
    assert answer.status == 125 and "which session?" in answer.err, answer


# ---------------------------------------------------------- the last one


def test_a_dash_attaches_to_the_last_session(home):
    start(home, "one")
    start(home, "two")
    with Terminal() as term:
        attach(home, term, "-")
        assert term.ended() == 125
        term.wait_text("no session was attached")
    for name, options in (("one", []), ("two", ["-r"])):
        with Terminal() as term:
            attach(home, term, *options, name)
            term.wait_text(f"this is {name}")
            leave(term)
        with Terminal() as term:
            attach(home, term, "-")
            term.wait_text(f"this is {name}")
            leave(term)
    assert (home.path / "last").is_symlink()


def test_a_last_session_that_has_ended_is_reported(home):
    sid = start(home, "one")
    (home.path / "last").symlink_to(f"sessions/{sid}")
    home.ok("destroy", "--purge", "one")
    answer = home.run("attach", "-")
    assert answer.status == 125 and sid in answer.err, answer


# ------------------------------------------------- the beginning of a name


def test_the_beginning_of_a_name_is_enough_to_read(home):
    start(home, "build-web")
    start(home, "docs")
    home.wait_text("docs", "this is")
    assert "this is docs" in home.ok("snapshot", "do")
    start(home, "build-api")
    answer = home.run("snapshot", "build")
    assert answer.status == 2, answer
    assert "build could be build-api, build-web" in answer.err, answer


def test_a_whole_name_comes_before_a_prefix(home):
    start(home, "work-2")
    home.wait_text(start(home, "work"), "this is work")
    assert "this is work\n" in home.ok("snapshot", "work")
    home.ok("stop", "work")
    # An ended session is found by its whole name only.
    assert "this is work\n" in home.ok("snapshot", "work")
    assert "this is work-2" in home.ok("snapshot", "work-")
    assert home.run("snapshot", "wo").status == 0
    home.ok("stop", "work-2")
    assert home.run("snapshot", "wo").status == 3


def test_scripts_must_give_whole_names_to_type_or_end(home):
    """A script that types into an ended session never types into another."""
    start(home, "build-web")
    home.error("info", "build", status=3, code="not_found")
    for command in (["send", "build", "x"], ["stop", "build"],
                    ["kill", "build"], ["destroy", "build"]):
        assert home.run(*command).status == 3, command
    assert home.info("build-web")["status"] == "running"
    with Terminal() as term:
        term.run(lib.TEND, "stop", "bui", env=home.env)
        assert term.ended() == 0, term.text()
    home.wait_status("build-web", "exited")
