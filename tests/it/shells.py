"""Shared by the tests of `tend exec`: shells, a user for them, and commands of
every kind."""

import json
import pathlib
import re

import pytest

from lib import Home, wait_for

LIMIT = "60s"

# The shells, by the command that starts a session.
SHELLS = {
    "bash": ["bash"],
    "zsh": ["zsh", "-i"],
    "fish": ["fish"],
    "dash": ["dash"],
    "ash": ["busybox", "ash"],
}


class Case:
    """A command, its status and its output: text, or a pattern for all of it.
    fish: the same in its language, or None if it has no such thing."""

    def __init__(self, command, status=0, output="", fish="", only=None):
        self.command = command
        self.status = status
        self.output = output
        self.fish = command if fish == "" else fish
        self.only = only

    def text(self, shell):
        return self.fish if shell == "fish" else self.command

    def runs_in(self, shell):
        if self.only is not None and shell not in self.only:
            return False
        return self.text(shell) is not None

    def check(self, result, shell):
        seen = f"{shell}: {self.text(shell)!r:.300} gave {result!s:.1500}"
        assert result["exit_code"] == self.status, seen
        if isinstance(self.output, re.Pattern):
            assert self.output.fullmatch(result["output"]), seen
        else:
            assert result["output"] == self.output, seen
        assert result["capture"] == "exact", seen
        assert result["outcome"] == "completed", seen
        assert not result["truncated"] and not result["timed_out"], seen


POSIX = ("bash", "zsh", "dash", "ash")

# Every run of the tests tries the first dozen.
CASES = [
    Case("true"),
    Case("false", 1),
    Case("echo hello", 0, "hello\n"),
    Case("printf 'no newline'", 0, "no newline"),
    Case("echo one\necho two\nfalse", 1, "one\ntwo\n"),
    Case("for i in 1 2 3\ndo\n\techo $i\ndone", 0, "1\n2\n3\n",
         fish="for i in 1 2 3\n\techo $i\nend"),
    Case("cat <<END\na $((1 + 1))\n\tb\nEND", 0, "a 2\n\tb\n", fish=None),
    Case("echo 'it'\\''s' \"two  blanks\" \\\\ '!!' '$HOME' '`x`'", 0,
         "it's two  blanks \\ !! $HOME `x`\n"),
    Case("sh -c 'kill -9 $$'", 137,
         re.compile(r"(Killed|zsh: killed.*|fish: .*SIGKILL.*|)\n?", re.S)),
    Case("printf '\\033[2J\\033[Hcleared\\n'", 0,
         "\033[2J\033[Hcleared\n"),
    Case("printf '\\033[?1049hshown elsewhere\\033[?1049l'", 0,
         "\033[?1049hshown elsewhere\033[?1049l"),
    Case("echo )", re.compile("."), re.compile(r"(?s).*\).*\n")),
    # Statuses.
    Case("sh -c 'exit 42'", 42),
    Case("sh -c 'exit 255'", 255),
    Case("sh -c 'exit 7'\necho $?", 0, "7\n",
         fish="sh -c 'exit 7'\necho $status"),
    Case("false; true"),
    Case("true && false", 1),
    Case("false || true"),
    Case("! true", 1),
    Case("true | false", 1),
    Case("false | true"),
    Case("(exit 3)", 3, fish="fish -c 'exit 3'"),
    Case("no-such-program-at-all", 127, re.compile(r"(?s).*no-such-program.*")),
    Case("/", re.compile("126|0"), re.compile(r"(?s).*")),
    Case("sh -c 'kill -TERM $$'", 143, re.compile(
        r"(?s)(Terminated|zsh: terminated.*|fish: .*SIGTERM.*|)\n?")),
    Case("f() { return 9; }; f", 9, fish="function f; return 9; end; f"),
    # Output.
    Case("echo", 0, "\n"),
    Case("printf ''"),
    Case("printf '\\n\\n\\n'", 0, "\n\n\n"),
    Case("printf 'a\\r\\nb\\r\\n'", 0, "a\r\nb\r\n"),
    Case("printf 'half\\rover\\n'", 0, "half\rover\n"),
    Case("printf 'a\\tb\\n'", 0, "a\tb\n"),
    Case("printf '\\033[31mred\\033[m\\n'", 0, "\033[31mred\033[m\n"),
    Case("printf 'bell\\007\\n'", 0, "bell\a\n"),
    Case("printf 'x\\033'", 0, "x\033"),
    Case("printf '\\033]0;a title\\007named\\n'", 0,
         "\033]0;a title\anamed\n"),
    Case("echo 'żółw ✓ 漢字 🙂'", 0, "żółw ✓ 漢字 🙂\n"),
    Case("sh -c 'echo out; echo err >&2'", 0, "out\nerr\n"),
    Case("echo gone >/dev/null"),
    Case("sh -c 'i=0; while [ $i -lt 2000 ]; do echo line $i; i=$((i+1)); done'",
         0, "".join(f"line {i}\n" for i in range(2000))),
    Case("sh -c \"printf '\\\\033]133;D;77\\\\007not the end\\n'\"", 0,
         "not the end\n"),
    Case("sh -c \"printf '\\\\033]133;A\\\\033\\\\\\\\\\\\033]133;B\\\\007> \\n'\"",
         0, "> \n"),
    Case("printf '\\033[?25l\\033[?25h'", 0, "\033[?25l\033[?25h"),
    Case("printf '%0500d' 0", 0, "0" * 500),
    # Quoting and expansion.
    Case("echo \"a\nb\"", 0, "a\nb\n"),
    Case("echo 'a\n\n\nb'", 0, "a\n\n\nb\n"),
    Case("echo hi! wow!! !x", 0, "hi! wow!! !x\n"),
    Case("echo 'a\tb'", 0, "a\tb\n"),
    Case("printf '%s\\n' 'back\\slash' 'dou\\\\ble'", 0,
         "back\\slash\ndou\\\\ble\n", fish=None),
    Case("echo '%s %d %%'", 0, "%s %d %%\n"),
    Case("echo '#' no comment", 0, "# no comment\n"),
    Case("echo a # a comment", 0, re.compile("a( # a comment)?\n")),
    Case("echo '$(date)' '${x}' '*'", 0, "$(date) ${x} *\n"),
    Case("echo \"$(echo a; echo b)\"", 0, "a\nb\n"),
    Case("echo {a,b}", 0, re.compile(r"a b\n|\{a,b\}\n")),
    Case("echo a \\\n  b", 0, "a b\n"),
    Case("   echo led by blanks   ", 0, "led by blanks\n"),
    Case("echo x;", 0, "x\n"),
    Case("echo last\n\n\n", 0, "last\n"),
    Case("x=1; [ $x = 1 ] && echo yes", 0, "yes\n",
         fish="set x 1; test $x = 1; and echo yes"),
    Case("if false; then echo a; else echo b; fi", 0, "b\n",
         fish="if false; echo a; else; echo b; end"),
    Case("case abc in a*) echo starts;; esac", 0, "starts\n",
         fish="switch abc\ncase 'a*'\necho starts\nend"),
    Case("cat <<'A' && cat <<B\n$x '\"\nA\nsecond\nB", 0, "$x '\"\nsecond\n",
         fish=None),
    Case("echo " + "long" * 1500, 0, "long" * 1500 + "\n"),
    Case("\n".join(f"echo {i}" for i in range(100)), 0,
         "".join(f"{i}\n" for i in range(100))),
    # Changes of the shell's state.
    Case("cd / && pwd", 0, "/\n"),
    Case("pwd", 0, "/\n"),
    Case("V='kept'", fish="set -g V kept"),
    Case("echo $V", 0, "kept\n"),
    Case("(set -e; false; echo not here)", 1, fish=None),
    Case("set -e; echo inside; set +e", 0, "inside\n", fish=None),
    Case("set -u; set +u", fish=None),
    Case("set -x; set +x", 0, re.compile(r"\+.* set \+x\n"), only=POSIX,
         fish=None),
    Case("trap 'echo trapped' USR1; kill -USR1 $$; trap - USR1", 0,
         "trapped\n", fish=None),
    Case("exec 3>&1; echo three >&3; exec 3>&-", 0, "three\n", fish=None),
    Case("stty -echo; stty echo"),
    Case("PS1=\"$PS1\"; true", fish=None),
    # Jobs and input.
    Case("sleep 0.01 &\nwait", 0, re.compile(
        r"(?s)(\[\d+\] \d+\n)?(\[\d+\].*[Dd]one.*\n|\nfish:.*ended\n)?")),
    Case("sh -c 'sleep 0 & echo started'", 0, "started\n"),
    Case("echo typed | cat", 0, "typed\n"),
    Case("cat </dev/null"),
    Case("read x </dev/null", 1),
    Case("tty | sed 's,/[0-9]*$,,'", 0, "/dev/pts\n"),
    Case("sh -c 'test -t 0 && test -t 1 && test -t 2'"),
]


def run(home, sid, command, *options):
    """The result of an exec."""
    answer = home.run("exec", sid, "--json", "--timeout", LIMIT, *options,
                       "--", command)
    body = json.loads(answer.text)
    assert body["ok"], answer
    return body["result"]


@pytest.fixture
def home(tmp_path):
    """A home, and a user who has no files of their own."""
    with Home() as made:
        made.env.update(HOME=str(tmp_path), LC_ALL="C.UTF-8",
                        XDG_CONFIG_HOME=str(tmp_path / "config"),
                        XDG_DATA_HOME=str(tmp_path / "data"))
        for name in ("ZDOTDIR", "ENV", "PROMPT_COMMAND", "PS1"):
            made.env.pop(name, None)
        (tmp_path / ".zshrc").write_text("")  # else zsh asks questions
        yield made


def started(home, name):
    """Wait until a program of this name runs."""
    def look():
        for pid in home.processes():
            try:
                comm = pathlib.Path(f"/proc/{pid}/comm").read_text()
            except OSError:
                continue
            if comm == name + "\n":
                return True
        return False

    wait_for(look, f"{name} to run")


def ready(home, sid):
    """Wait until the shell has shown a prompt."""
    wait_for(lambda: home.screen(sid)["cursor"]["col"] > 0,
             lambda: home.screen(sid)["lines"])
