"""The scenarios that record.py records, for each agent.

A scenario is a function that plays it on a Take, and says what is true:

    mark(STATE, BOX, PATTERN, NOTE)  from the moment that the screen matches to
                                     the next input
    mark(…, until=EVENT)             to this event of the stand-in's truth log
    idle(NOTE)                       the turn has ended, and the box is empty

SCENARIOS at the end is the table: for each agent the names, with the arguments
of the agent and the options of agents.start.  With old=False only the newest
version is recorded, because all recordings together have to be small.  A name
becomes a part of a file's name, so it has no "-".
"""

import dataclasses
import typing

EIGHT_LINES = "\n".join(f"line {n} of a paste" for n in range(1, 9))


@dataclasses.dataclass
class Scenario:
    play: typing.Callable
    args: tuple = ()
    options: dict = dataclasses.field(default_factory=dict)
    still: bool = False
    old: bool = True        # recorded of older versions too


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
    take.mark("idle", "draft", "(?m)^!",
              "shell mode: text would be a command")
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
    take.submit("[[read]] [[edit]] b")
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


# -------------------------------------------------------------------- Codex

# While Codex writes, the rows look idle: its entries end with the first word.
CODEX_ASKS = "Press enter to confirm or esc"
THOUSAND = "many words here " * 100


def codex_start(take):
    take.mark("starting", "none", "› Ask Codex", "the box, before the dialog",
              until_output="Trust this folder")
    take.mark("needs_setup", "none", "Trust this folder", "trust dialog")
    take.choose("Trust and continue")
    take.idle("ready", how=None)


def codex_draft(take):
    ready = take.agent.kind.READY
    take.idle("ready", how=None)
    take.type("a draft")
    take.mark("idle", "draft", "› a draft", "one line")
    take.keys("C-c")
    take.idle("cleared", how=None)
    take.paste(EIGHT_LINES)
    take.mark("idle", "draft", "line 8 of a paste", "a paste of 8 lines")
    take.keys("C-c")
    take.wait(ready)
    take.paste(THOUSAND)
    take.mark("idle", "draft", r"\[Pasted Content", "folded paste")
    take.keys("C-c")
    take.wait(ready)
    take.type("/mod")
    take.mark("idle", "draft", "(?s)/model.*› /mod", "command completion")
    take.keys("C-u")
    take.wait(ready)
    take.type("see @hel")
    take.mark("idle", "draft", r"(?s)hello\.py.*› see @hel",
              "file completion", quiet="1s")
    take.keys("C-u")
    take.wait(ready)
    take.type("!")
    take.mark("idle", "draft", "Shell mode",
              "shell mode: text would be a command")
    take.type("ls")
    take.mark("idle", "draft", "(?m)^! ls", "shell mode with a command")


def codex_turn(take):
    take.submit("[[slow 1.5]] hello")
    take.mark("working", "empty", BUSY, "before the first word",
              until="answer began")
    take.type("a draft meanwhile")
    take.mark("working", "draft", "› a draft meanwhile", "with a draft",
              until="answer began")
    take.ended()
    take.mark("idle", "draft", "› a draft meanwhile", "the draft stays",
              absent=BUSY)


def codex_queue(take):
    take.submit("[[slow 2]] first")
    take.mark("working", "empty", BUSY, "working", until="answer began")
    take.queue("[[slow 1]] queued")
    take.mark("working", "empty", BUSY, "the queued prompt",
              until="answer began")
    take.idle("after both")


def codex_bash(take):
    take.submit("[[bash touch /home/dev/a]] one")
    take.mark("waiting_permission", "none", CODEX_ASKS, "a command")
    take.choose("Yes, proceed")
    take.idle("allowed")
    take.submit("[[bash sleep 1; touch /home/dev/b]] two")
    take.mark("waiting_permission", "none", CODEX_ASKS, "another")
    take.choose("Yes, proceed")
    take.mark("working", "empty", BUSY, "the command runs",
              until="tool result")
    take.idle("after it")


def codex_refuse(take):
    take.submit("[[bash rm -r demo; echo $(date)]] three")
    take.mark("waiting_permission", "none", CODEX_ASKS, "a compound command")
    take.choose("No, and tell")
    take.idle("refused by No", how=None)
    take.submit("[[bash touch /home/dev/c]] four")
    take.mark("waiting_permission", "none", CODEX_ASKS, "to be escaped")
    take.keys("Escape")
    take.idle("refused by Escape", how=None)
    take.submit("[[bash touch /home/dev/d]] [[bash touch /home/dev/e]] five")
    take.mark("waiting_permission", "none",
              r"(?s)\$ touch /home/dev/d.*or esc", "first")
    take.choose("Yes, proceed")
    take.mark("waiting_permission", "none",
              r"(?s)\$ touch /home/dev/e.*or esc", "second")
    take.keys("Escape")
    take.idle("refused again", how=None)


def codex_files(take):
    take.submit("[[edit]] one")
    take.mark("waiting_permission", "none", CODEX_ASKS, "edit")
    take.choose("Yes, proceed")
    take.idle("edited")
    take.submit("[[write notes.md]] two")
    take.mark("waiting_permission", "none", CODEX_ASKS, "write")
    take.keys("Escape")
    take.idle("not written", how=None)


def codex_ask(take):
    # A mode that is changed in the first moment is forgotten.
    take.mark("idle", "empty", take.agent.kind.READY, "ready", quiet="2s")
    take.keys("S-Tab")
    take.mark("idle", "empty", "Plan mode", "plan mode")
    take.submit("[[ask]] one")
    take.mark("waiting_question", "none", "enter to submit answer",
              "two answers")
    take.keys("Down")
    take.mark("waiting_question", "none", "› 2. goodbye", "the second marked")
    take.keys("Tab")
    take.type("my own")
    take.mark("waiting_question", "none", "my own", "typing a note")
    take.keys("Escape")
    take.keys("Escape")
    take.idle("declined", how=None)
    take.submit("[[ask]] two")
    take.mark("waiting_question", "none", "enter to submit answer", "again")
    take.choose("goodbye")
    take.idle("answered")


def codex_plan(take):
    # A mode that is changed in the first moment is forgotten.
    take.mark("idle", "empty", take.agent.kind.READY, "ready", quiet="2s")
    take.keys("S-Tab")
    take.mark("idle", "empty", "Plan mode", "plan mode")
    take.submit("[[plan]] one")
    take.mark("waiting_permission", "none", "Implement this plan", "approval",
              asked=False)
    take.keys("Escape")
    take.idle("refused", how=None)


def codex_error(take):
    take.submit("[[down 1]] [[slow 1]] one")
    take.api.wait("refused", take.since)
    take.mark("working", "empty", BUSY, "it tries again", until="answer began")
    take.idle("it succeeded")
    take.submit("[[err]] two")
    take.mark("error", "empty", "(?s)status 529.*› Ask", "it gave up",
              absent=BUSY)
    take.submit("[[auth]] three")
    take.mark("error", "empty", "(?s)status 401.*› Ask", "the key is refused",
              absent=BUSY)
    take.submit("four")
    take.idle("after a good turn")


def codex_interrupt(take):
    take.submit("[[slow 20]] one")
    take.mark("working", "empty", BUSY, "before any word", until="")
    take.api.wait("turn began", take.since)
    take.keys("Escape")
    take.ended("interrupted")
    take.mark("idle", "empty", "interrupted", "interrupted", absent=BUSY)
    take.submit("[[long 400]] [[pace 100]] two")
    take.mark("working", "empty", "Line 2 of",
              "writing: only the title says so", until="")
    take.keys("Escape")
    take.ended("interrupted")
    take.mark("idle", "empty", "(?s)Line 2.*interrupted", "interrupted again",
              absent=BUSY)
    take.submit("three")
    take.idle("goes on")


def codex_menus(take):
    for command, pattern in (("/model", "Select Model"),
                             ("/permissions", "Update Model Permissions")):
        take.type(command)
        take.wait(f"› {command}")
        take.agent.home.run("wait", take.agent.sid, "--stable", "400ms")
        take.keys("Enter")
        take.mark("idle", "none", pattern, command)
        take.keys("Escape")
        take.idle("closed", how=None)
    take.type("?")
    take.mark("idle", "empty", "Keyboard shortcuts|for commands", "shortcuts")


def codex_login(take):
    take.mark("needs_setup", "none", "Sign in with ChatGPT", "login")
    take.keys("Down")
    take.mark("needs_setup", "none", "> 2", "the second marked")


def codex_small(take):
    take.idle("ready", how=None)
    take.submit("[[slow 2]] hello")
    take.mark("working", "empty", BUSY, "working", until="answer began")
    take.idle("done")
    take.submit("[[bash touch /home/dev/a-file-with-a-long-name "
                "/home/dev/another-file-with-a-long-name]] a")
    take.mark("waiting_permission", "none", CODEX_ASKS, "a long command")
    take.choose("Yes, proceed")
    take.idle("allowed")
    take.submit("[[bash touch /home/dev/b]] b")
    take.mark("waiting_permission", "none", CODEX_ASKS, "another")
    take.resize(100, 30)
    take.mark("waiting_permission", "none", CODEX_ASKS, "larger", quiet="1s")
    take.resize(60, 20)
    take.mark("waiting_permission", "none", "(?s)1. Yes, proceed.*3. No",
              "smaller", quiet="1s")
    take.keys("Escape")
    take.idle("escaped", how=None)


# Codex writes 15 KB a second while it works, unless it is still.
STILL = ("-c", "tui.animations=false")
FEW_TRIES = (*STILL, "-c", "model_providers.standin.request_max_retries=1",
             "-c", "model_providers.standin.stream_max_retries=1")
READ_ONLY = (*STILL, "--sandbox", "read-only", "-a", "on-request")

CODEX = {
    "start": Scenario(codex_start, (), {"ready": False}),
    "draft": Scenario(codex_draft, STILL),
    "turn": Scenario(codex_turn, old=False),
    "queue": Scenario(codex_queue, STILL, old=False),
    "bash": Scenario(codex_bash, STILL),
    "refuse": Scenario(codex_refuse, STILL, old=False),
    "files": Scenario(codex_files, READ_ONLY, old=False),
    "ask": Scenario(codex_ask, STILL),
    "plan": Scenario(codex_plan, STILL, old=False),
    "error": Scenario(codex_error, FEW_TRIES, old=False),
    "interrupt": Scenario(codex_interrupt, old=False),
    "menus": Scenario(codex_menus, STILL, old=False),
    "login": Scenario(codex_login, (), {"ready": False, "key": None},
                      old=False),
    "small": Scenario(codex_small, STILL, {"size": "80x24"}, old=False),
}


# ------------------------------------------------------------------- Gemini

GEMINI_ASKS = r"● 1\. Allow once"
CANCEL = "esc to cancel"


def gemini_start(take):
    take.mark("starting", "none", "Type your message", "the box, before the "
              "dialog", until_output="Do you trust")
    take.mark("needs_setup", "none", "Do you trust", "trust dialog")
    take.choose("Trust folder")
    take.mark("idle", "empty", "(?s)restarting.*Type your message", "ready",
              quiet="3s")


def gemini_draft(take):
    take.idle("ready", how=None)
    take.type("a draft")
    take.mark("idle", "draft", "> +a draft", "one line")
    take.keys("C-c")
    take.idle("cleared", how=None)
    take.paste(EIGHT_LINES)
    take.mark("idle", "draft", r"\[Pasted Text", "folded paste")
    take.keys("C-c")
    take.idle("cleared again", how=None)
    take.type("/mod")
    take.mark("idle", "draft", "(?s)> +/mod", "command completion")


def gemini_turn(take):
    take.submit("[[slow 1.2]] [[say ok]] hello")
    take.mark("working", "empty", CANCEL, "before the first word",
              until="turn ended")
    take.type("a draft")
    take.mark("working", "draft", "> +a draft", "with a draft",
              until="turn ended")
    take.ended()
    take.mark("idle", "draft", "> +a draft", "the draft stays", absent=CANCEL)


def gemini_bash(take):
    take.submit("[[bash touch a]] one")
    take.mark("waiting_permission", "none", GEMINI_ASKS, "a command")
    take.choose("Allow once")
    take.idle("allowed")


def gemini_edit(take):
    take.submit("[[edit]] two")
    take.mark("waiting_permission", "none", GEMINI_ASKS, "edit")
    take.choose("No, suggest changes")
    take.idle("refused by No", how=None)


def gemini_web(take):
    take.submit("[[web]] one")
    take.mark("waiting_permission", "none", GEMINI_ASKS, "fetch")
    take.keys("Escape")
    take.idle("refused", how=None)


def gemini_ask(take):
    take.submit("[[ask]] one")
    take.mark("waiting_question", "none", r"● 1\. +hello", "two answers")
    take.keys("Down")
    take.mark("waiting_question", "none", r"● 2\. +goodbye",
              "the second marked")
    take.keys("Enter")
    take.idle("answered")


def gemini_error(take):
    take.submit("[[auth]] one")
    take.mark("error", "empty", r"(?s)one.*(?:API [Ee]rror|401|invalid)",
              "the key is refused", quiet="3s", absent=CANCEL)
    take.submit("two")
    take.idle("after a good turn")


def gemini_interrupt(take):
    take.submit("[[slow 20]] one")
    take.mark("working", "empty", CANCEL, "before any word", until="")
    take.api.wait("turn began", take.since)
    take.keys("Escape")
    take.ended("interrupted")
    take.mark("idle", "empty", "cancelled", "interrupted", absent=CANCEL,
              quiet="1s")
    take.submit("[[long 400]] [[pace 40]] two")
    take.mark("working", "empty", "(?s)Line 2 of.*esc to cancel",
              "in the middle", until="")
    take.keys("Escape")
    take.ended("interrupted")
    take.mark("idle", "empty", "(?s)Line 2.*cancelled", "interrupted again",
              absent=CANCEL)


def gemini_menus(take):
    take.type("/model")
    take.wait("> +/model")
    take.agent.home.run("wait", take.agent.sid, "--stable", "400ms")
    take.keys("Enter")
    take.mark("idle", "none", "Select Model", "model picker", quiet="1s")
    take.keys("Escape")
    take.idle("closed", how=None)


def gemini_login(take):
    take.mark("needs_setup", "none", "How would you like|Enter Gemini API|"
              "authenticat", "no key", quiet="2s")


def gemini_small(take):
    take.idle("ready", how=None)
    take.submit("[[bash touch a-file-with-a-long-name "
                "another-file-with-a-long-name]] a")
    take.mark("waiting_permission", "none", GEMINI_ASKS, "a long command")
    take.resize(60, 20)
    take.mark("waiting_permission", "none", GEMINI_ASKS, "smaller",
              quiet="1s")
    take.keys("Escape")
    take.idle("escaped", how=None)


GEMINI = {
    "start": Scenario(gemini_start, (), {"ready": False}),
    "draft": Scenario(gemini_draft, old=False),
    "turn": Scenario(gemini_turn, old=False),
    "bash": Scenario(gemini_bash),
    "edit": Scenario(gemini_edit, old=False),
    "web": Scenario(gemini_web, old=False),
    "ask": Scenario(gemini_ask, old=False),
    "error": Scenario(gemini_error, old=False),
    "interrupt": Scenario(gemini_interrupt, old=False),
    "menus": Scenario(gemini_menus, old=False),
    "login": Scenario(gemini_login, (), {"ready": False, "key": None,
                                           "trusted": True}, old=False),
    "small": Scenario(gemini_small, (), {"size": "80x24"}, old=False),
}


# ----------------------------------------------------------------- opencode

OPENCODE_ASKS = "(?s)Permission required.*Allow once"
INTERRUPT = "esc (?:again to )?interrupt"


def opencode_start(take):
    take.idle("ready", how=None)


def opencode_draft(take):
    take.idle("ready", how=None)
    take.type("a draft")
    take.mark("idle", "draft", "┃  a draft", "one line")
    take.keys("C-c")
    take.idle("cleared", how=None)
    take.paste(EIGHT_LINES)
    take.mark("idle", "draft", r"\[Pasted", "folded paste")
    take.keys("C-c")
    take.idle("cleared again", how=None)
    take.type("/mod")
    take.mark("idle", "draft", "(?s)/mod", "command completion")


def opencode_turn(take):
    take.submit("[[slow 2]] [[pace 60]] hello")
    take.mark("working", "empty", INTERRUPT, "before the first word",
              until="turn ended")
    take.type("a draft")
    take.mark("working", "draft", "┃  a draft", "with a draft",
              until="turn ended")
    take.ended()
    take.mark("idle", "draft", "┃  a draft", "the draft stays",
              absent=INTERRUPT)


def opencode_tools(take):
    take.submit("[[bash touch a]] one")
    take.mark("waiting_permission", "none", OPENCODE_ASKS, "a command")
    take.keys("Enter")
    take.idle("allowed")
    take.submit("[[edit]] two")
    take.mark("waiting_permission", "none", OPENCODE_ASKS, "edit")
    take.keys("Right")
    take.keys("Right")
    take.mark("waiting_permission", "none", OPENCODE_ASKS, "Reject marked")
    take.keys("Escape")
    take.idle("refused", how=None)


def opencode_web(take):
    take.submit("[[web]] one")
    take.mark("waiting_permission", "none", OPENCODE_ASKS, "fetch")
    take.keys("Escape")
    take.idle("refused", how=None)


def opencode_ask(take):
    take.submit("[[ask]] one")
    take.mark("waiting_question", "none", "(?s)1. hello.*esc dismiss",
              "two answers")
    take.keys("Down")
    take.mark("waiting_question", "none", "esc dismiss", "the second marked")
    take.keys("Enter")
    take.idle("answered")


def opencode_error(take):
    take.submit("[[auth]] one")
    take.mark("error", "empty", "(?s)one.*invalid x-api-key",
              "the key is refused", absent=INTERRUPT, quiet="1s")
    take.submit("two")
    take.idle("after a good turn")


def opencode_interrupt(take):
    take.submit("[[slow 20]] one")
    take.api.wait("turn began", take.since)
    take.mark("working", "empty", INTERRUPT, "before any word", until="")
    take.keys("Escape")
    take.mark("working", "empty", "esc again", "asked to be sure", until="")
    take.keys("Escape")
    take.ended("interrupted")
    take.mark("idle", "empty", "interrupted", "interrupted",
              absent=INTERRUPT)


def opencode_small(take):
    take.idle("ready", how=None)
    take.submit("[[slow 2]] hello")
    take.mark("working", "empty", INTERRUPT, "working", until="turn ended")
    take.idle("done")
    take.submit("[[bash touch a-file-with-a-long-name "
                "another-file-with-a-long-name]] a")
    take.mark("waiting_permission", "none", OPENCODE_ASKS, "a long command")
    take.resize(60, 20)
    take.mark("waiting_permission", "none", "(?s)Permission required.*Allow",
              "smaller", quiet="1s")
    take.keys("Escape")
    take.idle("escaped", how=None)


OPENCODE = {
    "start": Scenario(opencode_start, (), {"ready": False}),
    "draft": Scenario(opencode_draft, still=True),
    "turn": Scenario(opencode_turn, still=True, old=False),
    "tools": Scenario(opencode_tools, still=True),
    "web": Scenario(opencode_web, still=True, old=False),
    "ask": Scenario(opencode_ask, still=True, old=False),
    "error": Scenario(opencode_error, still=True, old=False),
    "interrupt": Scenario(opencode_interrupt, old=False),
    "small": Scenario(opencode_small, (), {"size": "80x24"}, still=True,
                      old=False),
}

SCENARIOS = {"claude": CLAUDE, "codex": CODEX, "gemini": GEMINI,
             "opencode": OPENCODE}
