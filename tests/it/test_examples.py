"""Every example that people read is run as it is written (examples.py).

Each block has a home of its own, with real sessions behind the names that it
uses; stand-ins take the place of claude and of a long build.  An example that
uses a name or a file that is not here fails: add one below.  The few that
cannot be run are in CANNOT, with the reason, and their syntax is checked.
"""

import functools
import json
import os
import re
import shlex
import shutil
import signal
import subprocess

import pytest

import examples
import lib
from lib import Home, wait_for
from terminal import Terminal

# The programs behind the names of sessions.
SHELL = ["bash"]
VIM = ["vim", "-Nu", "NONE", "notes.txt"]
SESSIONS = {
    "work": SHELL, "build": SHELL, "shell": SHELL, "sh": SHELL,
    "remote": SHELL,
    "claude": ["claude"], "agent": ["claude"],
    "vim": VIM, "editor": VIM,
    "mc": ["sh", "-c", "printf '\\033[?1000h\\033[?1006hmc'; exec cat"],
    "server": ["sh", "-c", "trap : USR1; echo serving http://localhost:8080/;"
               "while :; do read x; done"],
    "a": ["sh", "-c", "echo over"], "b": ["sh", "-c", "echo over"],
    "c": ["sh", "-c", "echo over"],
}

# Commands run in them before the examples.
HISTORY = {"build": "echo all tests passed"}

# The program of $id, by the block's use of it; a shell if nothing fits.
BEHIND_ID = [("print\\(", ["python3"]), ("prompt", ["claude"]),
             ("Escape", VIM)]

# Programs that machines do not have, or that take as long as the text says.
STAND_INS = {
    # It echoes, takes pastes whole, and answers to Enter.
    "claude": """#!/usr/bin/python3
import os, tty
tty.setraw(0)
os.write(1, b'\\x1b[?2004h> Try "fix the tests"\\r\\x1b[2C'
         b"\\x1b]7501;state=idle:app=claude-code\\a")
typed, sequence, pasting = b"", b"", False
while key := os.read(0, 1):
    if key == b"\\x1b" or (sequence == b"\\x1b" and key == b"[") or (
            len(sequence) > 1):
        sequence += key
        if key == b"~":
            pasting, sequence = sequence == b"\\x1b[200~", b""
        continue
    sequence = b""
    if key == b"\\r" and not pasting:
        os.write(1, b"\\r\\n%d bytes, all done\\r\\n> " % len(typed))
        typed = b""
        continue
    os.write(1, (b"" if typed else b"\\x1b[K") + (
        key if key > b"\\x1f" else b"\\r\\n"))
    typed += key
""",
    # A session of its own continues; a command of a shell ends.
    "make": """#!/bin/sh
echo CC src/vt/parser.c
if [ "$(cat /proc/$PPID/comm)" = tend-keeper ]; then exec cat; fi
echo 3 passed; echo done""",
}

# Parts that differ between machines: (pattern, replacement, reason).
SUBSTITUTE = [
    (r"(--at|--from) -\d+[mh]\b", r"\1 -1ms", "no session here is as old"),
    (r"/mnt/old/tend\b", "~/gone", "a home that is gone"),
    (r"\btend hub start\b(?!.*--listen)",
     "tend hub start --listen 127.0.0.1:0", "another hub may have the port"),
    (r"(--listen \S+):\d{4,5}\b", r"\1:0", "another hub may have the port"),
]

# Examples that cannot be run: (pattern, reason).
CANNOT = [
    (r"\./dev (run|test|install)\b", "it runs the tests, leaves a session "
     "behind, or changes this machine"),
    (r"tend hub install(?! --print)|systemctl |loginctl ", "no systemd is "
     "around the tests; test_install has it verify the unit"),
]

# The transcript of two terminals, which test_readme follows.
TRANSCRIPT = "# terminal 1\n"

BLOCKS = examples.all_blocks()
DATA_BLOCKS = [b for b in BLOCKS if b.is_data]
SHELL_BLOCKS = [b for b in BLOCKS if not b.is_data
                and not b.text.startswith(TRANSCRIPT)]


def why_not(command):
    return next((reason for pattern, reason in CANNOT
                 if re.match(pattern, command)), None)


def can_run(block):
    """True if any of it can be run; a block without examples fails there."""
    try:
        return any(not why_not(e.command) for e in block.examples())
    except AssertionError:
        return True


# ------------------------------------------------------------------- the stage

class Stage:
    """A project, a user, and the sessions that a block needs."""

    def __init__(self, home, where, commands):
        text = "\n".join(commands)
        self.home = home
        self.project = where / "user" / "project"
        self.variables = {}
        self.known = {}
        bin = where / "bin"
        for folder in (bin, self.project / "src", where / "user/src/tend"):
            folder.mkdir(parents=True)
        for name, script in STAND_INS.items():
            (bin / name).write_text(f"{script}\n")
            (bin / name).chmod(0o755)
        (where / "user/.bashrc").write_text("PS1='you@machine:\\w$ '\n")
        home.env.update(
            PATH=f"{bin}:{lib.TEND.parent}:/usr/bin:/bin", SHELL="/bin/bash",
            HOME=str(where / "user"), TERM="xterm-256color", LESS="",
            HISTFILE="/dev/null", GIT_CONFIG_GLOBAL="/dev/null")
        for name in ("TEND_PREFIX", "PS1"):
            home.env.pop(name, None)
        self.fill()
        self.leave_a_home(where / "user/gone")
        self.start(text)

    def fill(self):
        """The files that examples name."""
        for name in ("notes.txt", "src/notes.txt"):
            (self.project / name).write_text("two words\n")
        for name in ("demo.cast", "session.cast"):
            shutil.copy(lib.DATA / "vim-split-resize.cast",
                        self.project / name)
        (self.project / "output.raw").write_bytes(b"\x1b[1mbold\x1b[m\r\n")
        (self.project / "tests").symlink_to(lib.ROOT / "tests")
        for args in (["init", "-q"], ["add", "notes.txt"],
                     ["-c", "user.name=a", "-c", "user.email=a@example.org",
                      "commit", "-qm", "notes"]):
            subprocess.run(["git", *args], cwd=self.project, check=True,
                           env=self.home.env)
        with open(self.project / "notes.txt", "a") as f:
            f.write("more\n")

    def make_certificate(self):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes",
             "-subj", "/CN=box.example.net", "-keyout", "key.pem", "-out",
             "cert.pem"], cwd=self.project, check=True, capture_output=True)

    def leave_a_home(self, path):
        """Enter a home into the list of homes, and remove it."""
        env = {**self.home.env, "TEND_HOME": str(path)}
        sid = self.home.ok("run", "-d", "--", "true", env=env).strip()
        self.home.ok("wait", sid, "--exit", "--timeout", "60s", env=env)
        Home(path).end_all()
        shutil.rmtree(path)

    def start(self, text):
        """The sessions behind the names, except those that the block
        starts."""
        made = set(re.findall(r"tend run [^\n]*?-n (\S+)", text))
        made |= set(re.findall(r"tend run (?!.*-n )[^\n]*?-- (\S+)", text))
        used = {word for line in re.findall(r"tend \w+ [^\n]*", text)
                for word in re.split(r"[\s'\";|)]+", line)}
        names = [name for name in SESSIONS if name in used - made]
        if not names and not made:
            names = ["work"]
        for name in names:
            self.session(name, SESSIONS[name], text)
        if "cert.pem" in text:
            self.make_certificate()
        if re.search(r"tend (hub|token|share|audit) (?!start|install)", text) \
                and "tend hub start" not in text:
            self.home.ok("hub", "start", "--listen", "127.0.0.1:0")
        if "$id" in text and not re.search(r"^id=", text, re.MULTILINE):
            program = next((program for pattern, program in BEHIND_ID
                            if re.search(pattern, text)), SHELL)
            self.variables["id"] = self.session("id", program, text)

    def session(self, name, program, text):
        sid = self.home.start(*program, options=["-n", name],
                              cwd=self.project)
        self.home.ok("wait", sid, "--regex", r"\S", "--timeout", "60s")
        if name in HISTORY:
            self.home.ok("exec", sid, "--timeout", "60s", "--", HISTORY[name])
        for mark in re.findall(r"mark:(\w+)", text):
            if f"tend mark {name} {mark}" not in text:
                self.home.ok("mark", sid, mark)
        return sid

    # ------------------------------------------------------ running a command

    def script(self, command):
        """The command, with the variables that earlier ones have set."""
        for pattern, text, _ in SUBSTITUTE:
            command = re.sub(pattern, text, command)
        for number, seq in self.known.items():
            command = re.sub(rf"(--after|--since) {number}\b", rf"\1 {seq}",
                             command)
        values = [f"{name}={shlex.quote(value)}"
                  for name, value in self.variables.items()]
        return "\n".join([*values, "set -o pipefail", command])

    def popen(self, script, **kwargs):
        return subprocess.Popen(
            ["bash", "-c", script], cwd=self.project, env=self.home.env,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True,
            **kwargs)

    def run(self, example):
        """The standard output of a command that must succeed."""
        assigned = re.match(r"(\w+)=", example.command)
        script = self.script(example.command)
        if assigned:
            script += f'\nstatus=$?; printf %s "${assigned[1]}"; exit $status'
        with self.popen(script) as process:
            try:
                out, err = process.communicate(timeout=120)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                raise AssertionError(f"it does not end: {script}") from None
        assert process.returncode == 0, (
            f"{script}\nexit status {process.returncode}\n{out}\n{err}")
        if assigned:
            self.variables[assigned[1]] = out
            assert out != "", script
        return out

    def attach(self, example):
        """A command that takes the terminal; the test leaves it with C-] d."""
        def watched():
            sids = [session["id"] for session in self.home.json("ls")]
            return any(self.home.info(sid)["observers"] for sid in sids)

        wait_for(lambda: not watched(), "the end of the last to attach")
        with Terminal(120, 40) as term:
            term.run("env", "-C", self.project, "bash", "-c",
                     self.script(example.command), env=self.home.env)
            # The first entry of a list is selected.
            if term.wait(lambda s: "".join(s["lines"]).strip(),
                         "something")["lines"][0].endswith("q quits"):
                term.type("\r")
            # The command has the terminal once it has drawn something.
            wait_for(lambda: watched() and term.text().strip(),
                     lambda: f"{example} to attach:\n{term.text()}")
            term.type("\x1dd")
            assert term.ended() == 0, term.text()
            term.wait_text("[detached from ")

    def follow(self, example):
        """A command that runs until it is ended."""
        with self.popen(self.script(example.command)) as process:
            shown = process.stdout.read(1)
            os.killpg(process.pid, signal.SIGTERM)
            _, err = process.communicate(timeout=60)
        assert shown != "" and err == "", (example, shown, err)


def words(command):
    return re.split(r"\s+", command)


def takes_terminal(command):
    """True for tend attach, and for tend run without -d."""
    if re.match(r"tend attach\b", command):
        return True
    options = command.partition(" -- ")[0]
    return re.match(r"tend run\b", command) and "-d" not in words(options)


def goes_on(command):
    follows = {"log": {"-f", "--follow"}, "ls": {"-w", "--watch"}}
    found = re.match(r"tend (log|ls)\b", command)
    return found and follows[found[1]] & set(words(command))


def play(stage, example):
    if why_not(example.command):
        return
    if takes_terminal(example.command):
        stage.attach(example)
    elif goes_on(example.command):
        stage.follow(example)
    else:
        out = stage.run(example)
        if example.shown:
            # A last line is listed when output has paused for a second.
            wait_for(lambda: examples.is_shown(example.shown, out)
                     or examples.is_shown(example.shown, stage.run(example)),
                     lambda: f"{example} shows\n{stage.run(example)}\n"
                     f"and not\n" + "\n".join(example.shown))
        noted = re.search(r'"seq":(\d+)', example.note)
        if noted:
            stage.known[noted[1]] = json.loads(out)["result"]["seq"]


def perform(home, where, block):
    """Run the examples of a block, one after the other; returns their
    number."""
    found = block.examples()
    stage = Stage(home, where, [example.command for example in found])
    for example in found:
        play(stage, example)
    return len(found)


@pytest.mark.parametrize("block", filter(can_run, SHELL_BLOCKS), ids=repr)
def test_an_example_does_what_it_says(block, tmp_path):
    with Home() as home:
        assert perform(home, tmp_path, block) > 0, block.text


# ------------------------------------------------------------------------ data

def keys(value):
    """The keys of an object and of those in it, in order."""
    if not isinstance(value, dict):
        return []
    return [key for name, inner in value.items()
            for key in (name, *keys(inner))]


def is_answer(home, text):
    """The form of an answer: its keys, whatever their values."""
    command = re.search(r'"command":"(\w+)"', text)[1]
    good = text.startswith('{"ok":true')
    args = [] if good else ["nobody"]
    answer = json.loads(home.run(command, "--json", *args).out)
    assert answer["ok"] is good, answer
    assert keys(answer) == re.findall(r'"(\w+)":', text), answer


def is_server(home, text):
    """An agent's configuration to start `tend mcp`."""
    for server in json.loads(text)["mcpServers"].values():
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}}
        done = subprocess.run(
            [server["command"], *server["args"]], capture_output=True,
            text=True, input=json.dumps(hello) + "\n", timeout=60,
            env={**home.env, "PATH": f"{lib.TEND.parent}:/usr/bin:/bin"})
        assert done.returncode == 0, done
        assert json.loads(done.stdout)["result"]["serverInfo"], done


@pytest.mark.parametrize("block", DATA_BLOCKS, ids=repr)
def test_example_data_has_the_documented_form(block, tmp_path):
    """Answers, steps of a batch, and the configuration of an agent."""
    with Home() as home:
        if block.text.startswith("["):
            Stage(home, tmp_path, ["tend batch work -"])
            home.ok("batch", "work", "-", input=block.text.encode())
        elif '"mcpServers"' in block.text:
            is_server(home, block.text)
        else:
            for answer in re.split(r"\n(?=\{)", block.text):
                is_answer(home, answer)
        assert home.path.exists()


# ------------------------------------------------- syntax of the other
# examples

@functools.lru_cache
def options_of(command):
    return {"-h", *re.findall(r"(?<![\w-])(--?[a-z][\w-]*)",
                              lib.shows(command, "-h"))}


def wrong_with(call):
    """The reason why it is not a call of tend: the command, or an unknown
    option."""
    command, rest = re.match(r"tend (\w+)(.*)", call, re.DOTALL).groups()
    if command == "help":
        return None
    if command not in examples.COMMANDS:
        return f"{call}: no such command"
    own = re.sub(r"'[^']*'|\"[^\"]*\"", "", rest.partition(" -- ")[0])
    unknown = [option for option in re.findall(r"(?<=\s)(--?[a-z][\w-]*)", own)
               if option not in options_of(command)]
    return f"{call}: no option {unknown[0]}" if unknown else None


# The ways in which prose marks a call of tend.
IN_PROSE = {"`": r"`(tend [a-z][^`]*)`", "*": r"\*(tend [a-z][^*]*)\*",
            "'": r"'(tend [a-z][^']*)'"}


def calls_in_prose():
    """Calls of tend in sentences, and where they are."""
    manual = (lib.ROOT / "docs" / "man").glob("*.scd")
    texts = [("README.md", "`", (lib.ROOT / "README.md").read_text()),
             ("tend skill", "`", lib.shows("skill")),
             *((f"docs/{p.name}", "`", p.read_text()) for p in examples.DOCS),
             *((p.name, "*", p.read_text()) for p in sorted(manual)),
             *((f"tend {name} -h", "'", lib.shows(name, "-h"))
               for name in examples.COMMANDS)]
    return [(name, re.sub(r"\s+", " ", call)) for name, mark, text in texts
            for call in re.findall(IN_PROSE[mark], text)]


def test_a_call_in_prose_is_valid():
    calls = calls_in_prose()
    assert len(calls) >= 50, calls
    wrong = [f"{name}: {why}" for name, call in calls
             if (why := wrong_with(call))]
    assert not wrong, "\n".join(wrong)


def test_a_mistake_in_prose_is_found():
    assert wrong_with("tend frobnicate") and wrong_with("tend ls --frob")
    assert not wrong_with("tend ls -a") and not wrong_with("tend help")
    assert not wrong_with("tend run -d -- ls --frob")


def test_examples_that_cannot_be_run_have_valid_syntax():
    """A shell accepts it, and ./dev has the command."""
    usage = subprocess.run([lib.ROOT / "dev"], capture_output=True, text=True,
                           timeout=60).stdout
    for block in SHELL_BLOCKS:
        for example in block.examples():
            if not why_not(example.command):
                continue
            assert examples.is_complete(example.command), example
            named = re.match(r"\./dev (\w+)", example.command)
            assert not named or f"\n  {named[1]} " in usage, example


# ------------------------------------------------------- the mechanism itself

def block_of(text):
    return next(examples.of_markdown("a text", text))


def played(tmp_path, text):
    with Home() as home:
        perform(home, tmp_path, block_of(text))


@pytest.mark.parametrize("text", [
    "    $ tend snapshot nobody-has-this-name\n",
    "    $ tend ls --no-such-option\n",
    "    $ tend render no-such-file\n",
    "    $ no-such-program work | tend render\n"])
def test_an_example_that_cannot_be_run_fails(tmp_path, text):
    with pytest.raises(AssertionError, match="exit status"):
        played(tmp_path, text)


def test_output_that_is_not_as_shown_fails():
    shown = ["NAME  STATUS   AGE", "work  running  3s"]
    assert examples.is_shown(shown, "NAME  STATUS  AGE\nwork  running   41s\n")
    assert not examples.is_shown(shown, "NAME  STATUS  AGE\nwork  exited 1s\n")
    assert not examples.is_shown(shown, "NAME  STATUS  AGE\n")
    assert examples.is_shown(["…\"a\":1,…"], '{"x": 2, "a": 1, "b": 3}')
    assert not examples.is_shown(["…\"a\":1,…"], '{"x": 2}')


def test_every_kind_of_text_has_examples():
    """Another layout of a text must not lose its examples."""
    found = {kind: [b for b in BLOCKS if re.match(kind, b.source)]
             for kind in ("README", "docs/", r"tend.*\.1", r"tend \w+ -h",
                          "tend$", "tend skill")}
    count = {kind: sum(1 if b.is_data else len(b.examples()) for b in blocks)
             for kind, blocks in found.items()}
    assert all(count.values()), count
    assert count["README"] >= 20 and count[r"tend.*\.1"] >= 40, count
    assert len([b for b in BLOCKS if b.text.startswith(TRANSCRIPT)]) == 1
    for text in (lib.ROOT / "docs" / "man").glob("*.scd"):
        fences = re.findall(r"^```", text.read_text(), re.MULTILINE)
        page = text.name.removesuffix(".scd").removesuffix(".8")
        blocks = [b for b in BLOCKS if b.source[:-2] == page]
        assert len(blocks) == len(fences) // 2, (text.name, blocks)


def test_commands_are_distinguished_from_their_output():
    block = block_of("    $ tend ls  # what runs\n    NAME\n\n"
                     "    $ cat <<END\n    x\n    END\n    x\n")
    ls, cat = block.examples()
    assert (ls.command, ls.shown) == ("tend ls", ["NAME", ""])
    assert (cat.command, cat.shown) == ("cat <<END\nx\nEND", ["x"])
    block = block_of("    tend ls    what runs\n               and more\n"
                     "    tend stop 'a  b'  end it\n")
    assert [e.command for e in block.examples()] == ["tend ls",
                                                     "tend stop 'a  b'"]
    assert block.examples()[0].note == "what runs"
