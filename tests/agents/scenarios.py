"""The scenarios that record.py records, for each agent.

A scenario is a function that plays it on a Take, and says what is true:

    mark(STATE, BOX, PATTERN, NOTE)  from the moment that the screen matches to
                                     the next input
    mark(…, until=EVENT)             to this event of the stand-in's truth log
    idle(NOTE)                       the turn has ended, and the box is empty

SCENARIOS at the end is the table: for each agent the names, with the arguments
of the agent and the options of agents.start.  A name becomes a part of a
file's name, so it has no "-".
"""

import dataclasses
import typing

EIGHT_LINES = "\n".join(f"line {n} of a paste" for n in range(1, 9))


@dataclasses.dataclass
class Scenario:
    play: typing.Callable
    args: tuple = ()
    options: dict = dataclasses.field(default_factory=dict)


# ------------------------------------------------------------------- Claude

BUSY = "esc to interrupt"
ASKS = r"❯ 1\. Yes"


def claude_start(take):
    take.mark("needs_setup", "none", "I trust this folder", "trust dialog")
    take.choose("Yes, I trust")
    take.mark("needs_setup", "none", "use this API key", "key dialog")
    take.choose("Yes")
    take.idle("ready", how=None)


def claude_offline(take):
    take.mark("needs_setup", "none", "Unable to connect", "no network")


def claude_draft(take):
    take.idle("ready", how=None)
    take.type("a draft")
    take.mark("idle", "draft", "❯.a draft", "one line")
    take.type(" \\")
    take.keys("Enter")
    take.type("with a second line")
    take.mark("idle", "draft", "with a second line", "two lines")
    take.keys("C-c")
    take.idle("cleared", how=None)
    take.keys("C-u")
    take.paste(EIGHT_LINES)
    take.mark("idle", "draft", r"\[Pasted text", "folded paste")
    take.keys("C-c")
    take.wait(take.agent.kind.READY)
    take.type("/mod")
    take.mark("idle", "draft", "(?s)❯./mod.*/model", "command completion")
    take.keys("C-u")
    take.wait(take.agent.kind.READY)
    take.type("see @hel")
    take.mark("idle", "draft", r"(?s)❯.see @hel.*hello\.py",
              "file completion")
    take.keys("C-u")
    take.wait(take.agent.kind.READY)
    take.type("!")
    take.mark("idle", "draft", "(?m)^!", "shell mode: text would be a command")
    take.type("ls")
    take.mark("idle", "draft", "(?m)^!.ls", "shell mode with a command")


def claude_turn(take):
    take.submit("[[slow 3]] [[pace 60]] hello")
    take.mark("working", "empty", BUSY, "before the first word",
              until="turn ended")
    take.type("a draft meanwhile")
    take.mark("working", "draft", "❯.a draft meanwhile", "with a draft",
              until="turn ended")
    take.ended()
    take.mark("idle", "draft", "❯.a draft meanwhile", "the draft stays")
    take.keys("C-c")
    take.submit("[[slow 3]] first")
    take.mark("working", "empty", BUSY, "again", until="turn ended")
    take.queue("[[slow 2]] queued")
    take.mark("working", "empty", BUSY, "the queued prompt",
              until="turn ended")
    take.idle("after both")
    take.submit("[[long 40]] [[pace 5]] long")
    take.idle("after a long answer")


def claude_bash(take):
    take.submit("[[bash curl -s http://127.0.0.1:1/ > out.txt]] one")
    take.mark("waiting_permission", "none", ASKS, "a command")
    take.choose("Yes")
    take.idle("allowed")
    take.submit("[[bash sleep 2; touch a]] two")
    take.mark("waiting_permission", "none", ASKS, "another")
    take.choose("Yes")
    take.mark("working", "empty", BUSY, "the command runs",
              until="tool result")
    take.idle("after it")
    take.submit("[[bash rm -r demo; echo $(date)]] three")
    take.mark("waiting_permission", "none", ASKS, "a compound command")
    take.choose("No")
    take.idle("refused by No", how=None)
    take.submit("[[bash touch b]] four")
    take.mark("waiting_permission", "none", ASKS, "to be escaped")
    take.keys("Escape")
    take.idle("refused by Escape", how=None)
    take.submit("[[bash touch c]] [[bash touch d]] five")
    take.mark("waiting_permission", "none", "(?s)touch c.*❯ 1. Yes", "first")
    take.choose("Yes")
    take.mark("waiting_permission", "none", "(?s)touch d.*❯ 1. Yes", "second")
    take.keys("Tab")
    take.mark("waiting_permission", "none", "Yes, and tell|Yes,|❯ 1",
              "amending the answer")
    take.keys("Escape")
    take.keys("Escape")
    take.idle("refused again", how=None)


def claude_files(take):
    take.submit("[[read]] zero")
    take.idle("read without a question")
    take.submit("[[edit]] one")
    take.mark("waiting_permission", "none", ASKS, "edit")
    take.choose("Yes")
    take.idle("edited")
    take.submit("[[write]] two")
    take.mark("waiting_permission", "none", ASKS, "write")
    take.choose("No")
    take.idle("not written", how=None)
    take.submit("[[write notes/a.md]] three")
    take.mark("waiting_permission", "none", ASKS, "write in a new folder")
    take.keys("Escape")
    take.idle("escaped", how=None)


def claude_web(take):
    take.submit("[[web]] one")
    take.mark("waiting_permission", "none", ASKS, "fetch")
    take.choose("No")
    take.idle("refused", how=None)


def claude_ask(take):
    take.submit("[[ask]] one")
    take.mark("waiting_question", "none", "to navigate", "two answers")
    take.keys("Down")
    take.mark("waiting_question", "none", "❯ 2. goodbye", "the second marked")
    take.keys("Down")
    take.mark("waiting_question", "none", "❯ 3.", "an answer of one's own")
    take.type("my own")
    take.mark("waiting_question", "none", "my own", "typing it")
    take.keys("Escape")
    take.idle("declined", how=None)
    take.submit("[[ask]] two")
    take.mark("waiting_question", "none", "to navigate", "again")
    take.choose("goodbye")
    take.idle("answered")


def claude_plan(take):
    take.idle("plan mode", how=None)
    take.submit("[[plan]] one")
    take.mark("waiting_permission", "none", r"❯ 1\. Yes", "plan approval")
    take.keys("Escape")
    take.idle("refused", how=None)


def claude_error(take):
    take.submit("[[down 3]] one")
    take.api.wait("refused", take.since)
    take.mark("working", "empty", BUSY, "it tries again", until="turn ended")
    take.idle("it succeeded")
    take.submit("[[err]] two")
    take.mark("error", "empty", r"(?s)529.*\n❯\s*\n", "it gave up",
              quiet="3s")
    take.submit("[[auth]] three")
    take.mark("working", "empty", "Retrying in", "the key is refused",
              until="")
    take.keys("Escape")
    take.mark("idle", "draft", "❯.*three", "the prompt is back in the box",
              quiet="1s")
    take.keys("C-c")
    take.submit("four")
    take.idle("after a good turn")


def claude_interrupt(take):
    take.submit("[[slow 20]] one")
    take.mark("working", "empty", BUSY, "before any word", until="")
    take.api.wait("turn began", take.since)
    take.keys("Escape")
    take.ended("interrupted")
    take.mark("idle", "draft", "❯.*one", "the prompt is back in the box",
              quiet="1s")
    take.keys("C-c")
    take.idle("cleared", how=None)
    take.submit("[[long 400]] [[pace 100]] two")
    take.wait("Line 2 of")
    take.mark("working", "empty", BUSY, "in the middle", until="")
    take.keys("Escape")
    take.ended("interrupted")
    take.mark("idle", "empty", "Interrupted", "interrupted")
    take.submit("three")
    take.idle("goes on")


def claude_menus(take):
    take.type("/model")
    take.keys("Enter")
    take.mark("idle", "none", "Select model", "model picker")
    take.keys("Escape")
    take.idle("closed", how=None)
    take.type("?")
    take.mark("idle", "empty", "for commands|for bash", "shortcuts")
    take.keys("Escape")
    take.type("/resume")
    take.keys("Enter")
    take.mark("idle", "none", "Resume|No conversations", "resume")
    take.keys("Escape")
    take.idle("closed", how=None)
    take.keys("S-Tab")
    take.idle("another mode", how=None)
    take.keys("S-Tab")
    take.idle("and another", how=None)


def claude_login(take):
    take.mark("needs_setup", "empty", "Not logged in|Missing API key|/login",
              "no key")
    take.submit("hello")
    take.mark("needs_setup", "empty", r"(?s)hello.*/login", "a prompt fails",
              quiet="2s")
    take.type("/login")
    take.keys("Enter")
    take.mark("needs_setup", "none", "Select login method", "login dialog")
    take.keys("Escape")


def claude_small(take):
    take.idle("ready", how=None)
    take.submit("[[slow 2]] hello")
    take.mark("working", "empty", BUSY, "working", until="turn ended")
    take.idle("done")
    take.submit("[[bash curl -s http://127.0.0.1:1/ > out.txt; touch "
                "a-file-with-a-long-name another-file-with-a-long-name]] a")
    take.mark("waiting_permission", "none", ASKS, "a long command")
    take.choose("Yes")
    take.idle("allowed")
    take.submit("[[edit]] b")
    take.mark("waiting_permission", "none", ASKS, "edit")
    take.resize(100, 30)
    take.mark("waiting_permission", "none", ASKS, "larger", quiet="1s")
    take.resize(60, 20)
    take.mark("waiting_permission", "none", ASKS, "smaller", quiet="1s")
    take.keys("Escape")
    take.idle("escaped", how=None)


MANUAL = ("--permission-mode", "default")

CLAUDE = {
    "start": Scenario(claude_start, MANUAL, {"ready": False}),
    "auto": Scenario(claude_start, (), {"ready": False}),
    "offline": Scenario(claude_offline, MANUAL,
                        {"ready": False, "prepared": False}),
    "draft": Scenario(claude_draft, MANUAL),
    "turn": Scenario(claude_turn, MANUAL),
    "bash": Scenario(claude_bash, MANUAL),
    "files": Scenario(claude_files, MANUAL),
    "web": Scenario(claude_web, MANUAL),
    "ask": Scenario(claude_ask, MANUAL),
    "plan": Scenario(claude_plan, ("--permission-mode", "plan")),
    "error": Scenario(claude_error, MANUAL),
    "interrupt": Scenario(claude_interrupt, MANUAL),
    "menus": Scenario(claude_menus, MANUAL),
    "login": Scenario(claude_login, MANUAL, {"key": None}),
    "small": Scenario(claude_small, MANUAL, {"size": "80x24"}),
}

SCENARIOS = {"claude": CLAUDE}
