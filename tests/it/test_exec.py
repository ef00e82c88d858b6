"""`tend exec`: commands of every kind, in every shell, by their status and
exactly what they printed (K-07)."""

import json
import os
import re
import subprocess

import pytest

from lib import TEND, Home, wait_for

FULL = "TEND_TEST_FULL" in os.environ
LIMIT = "60s"

# The shells, by what a session is started with.
SHELLS = {
    "bash": ["bash"],
    "zsh": ["zsh", "-i"],
    "fish": ["fish"],
    "dash": ["dash"],
    "ash": ["busybox", "ash"],
}


class Case:
    """A command, its status and its output: text, or a pattern that all of it
    has to match.  fish: the same in its language, or None where it has no
    such thing."""

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

# The first dozen is what every run of the tests tries.
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
    # What is printed.
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
    # Quoting and what shells replace.
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
    # What a shell is left as.
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


def chosen():
    return CASES if FULL else CASES[:12]


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


@pytest.mark.parametrize("shell", SHELLS)
def test_each_command_gives_its_status_and_exactly_its_output(home, shell):
    sid = home.start(*SHELLS[shell])
    for case in chosen():
        if not case.runs_in(shell):
            continue
        result = run(home, sid, case.text(shell))
        if isinstance(case.status, re.Pattern):
            assert result["exit_code"] is not None
            case = Case(case.command, result["exit_code"], case.output,
                        case.fish)
        case.check(result, shell)
    # And the shell is as it was: at its prompt, with nothing left over.
    assert run(home, sid, "echo end")["output"] == "end\n"


def prompt_line(home, sid):
    """Wait for a prompt that nothing is typed at; the screen."""
    def look():
        screen = home.screen(sid)
        return screen if screen["cursor"]["col"] > 0 else None

    return wait_for(look, lambda: home.screen(sid)["lines"])


def test_who_stops_waiting_ends_nothing(home, tmp_path):
    """K-07: a time-out answers with what there is; the command goes on, its end
    is seen and logged, and meanwhile there is no other."""
    sid = home.start("bash")
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    answer = home.run("exec", sid, "--json", "--timeout", "300ms", "--",
                      f"echo begun; cat {gate}; echo done")
    assert answer.status == 11, answer
    result = json.loads(answer.text)["result"]
    assert result["timed_out"] and result["outcome"] == "timed_out", result
    assert result["exit_code"] is None and result["output"] == "begun\n"

    error = home.error("exec", sid, "--", "echo second", status=125,
                       code="busy")
    assert "earlier exec" in error["message"], error

    gate.write_text("through the gate\n")
    ends = wait_for(lambda: [e for e in home.events(sid)
                             if e["type"] == "run-end"],
                    lambda: home.events(sid))
    assert ends[0]["data"]["outcome"] == "completed", ends
    assert ends[0]["data"]["exit_code"] == 0, ends
    assert run(home, sid, "echo third")["output"] == "third\n"
    output = home.raw(sid)
    assert b"through the gate\r\ndone\r\n" in output, output


def test_a_caller_that_is_killed_ends_nothing(home, tmp_path):
    """K-07"""
    sid = home.start("bash")
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    caller = subprocess.Popen(
        [TEND, "exec", sid, "--", f"cat {gate}"], env=home.env)
    with open(gate, "w") as f:  # it runs
        caller.kill()
        caller.wait()
        f.write("still here\n")
    home.wait_text(sid, "still here")
    assert run(home, sid, "echo next")["output"] == "next\n"


@pytest.mark.parametrize("shell", SHELLS)
def test_a_command_that_ends_the_shell(home, shell):
    """K-07: what is not seen until the session's end never will be."""
    sid = home.start(*SHELLS[shell])
    answer = home.run("exec", sid, "--json", "--timeout", LIMIT, "--",
                      "echo last words; exit 3")
    assert answer.status == 3, answer
    result = json.loads(answer.text)["result"]
    # fish carries out the rest of its line, and ends then.
    assert result["outcome"] == ("completed" if shell == "fish" else
                                 "interrupted"), result
    assert result["output"].startswith("last words\n"), result
    home.wait_status(sid, "exited")


def test_set_e_ends_the_shell_as_it_does_when_typed(home):
    sid = home.start("bash")
    assert run(home, sid, "set -e; true")["exit_code"] == 0
    result = run_any(home, sid, "false")
    assert result["outcome"] == "interrupted" and result["exit_code"] == 1


def run_any(home, sid, command, *options):
    """The result of an exec, whatever its status."""
    return json.loads(home.run("exec", sid, "--json", "--timeout", LIMIT,
                               *options, "--", command).text)["result"]


def test_output_is_cut_at_the_limit_and_said_so(home):
    """100 MB; the log has it all, or as much as it may."""
    sid = home.start("bash", options=["--max-log", "16M"])
    size = 100_000_000 if FULL else 10_000_000
    result = run_any(home, sid, f"yes | head -c {size}; echo end >&2; sh -c 'exit 4'",
                     "--max-output", "64K")
    assert result["exit_code"] == 4 and result["truncated"], \
        str(result)[:300]
    assert 30_000 < len(result["output"]) <= 65536
    assert set(result["output"].split("\n")) <= {"y", ""}
    assert run(home, sid, "echo after")["output"] == "after\n"


def test_words_stay_words(home):
    sid = home.start("bash")
    answer = home.run("exec", sid, "--", "printf", "<%s>\\n", "a b", "", "it's",
                      "$x", "plain")
    assert answer.status == 0, answer
    assert answer.text == "<a b>\n<>\n<it's>\n<$x>\n<plain>\n"
    assert home.run("exec", sid, "--", "sh", "-c", "exit 7").status == 7


def test_bytes_that_are_no_text(home):
    sid = home.start("bash")
    result = run(home, sid, "printf 'a\\377b\\000c'")
    assert result["output"] == "a\ufffdb\ufffdc"


def test_incomplete_commands_are_refused_and_the_prompt_comes_back(home):
    for shell in ("bash", "zsh"):
        sid = home.start(*SHELLS[shell])
        for command in ("echo 'open", "cat <<END\nx", "if true; then",
                        "echo one\necho (" if shell == "zsh" else "{ echo"):
            error = home.error("exec", sid, "--timeout", LIMIT, "--", command,
                               status=125, code="usage")
            assert "not complete" in error["message"], (shell, command, error)
        assert run(home, sid, "echo fine")["output"] == "fine\n"


def test_what_cannot_be_run_is_refused_with_nothing_typed(home):
    sid = home.start("bash")
    run(home, sid, "true")
    before = len(home.events(sid))
    for command in ("", "  \n ", "x" * 70000):
        error = home.error("exec", sid, "--", command, status=125,
                           code="usage")
        assert "command" in error["message"], error
    error = home.error("exec", sid, "--max-output", "3M", "--", "true",
                       status=125, code="usage")
    assert "max_output" in error["message"], error
    assert len(home.events(sid)) == before


def test_a_line_that_somebody_types_is_not_run(home):
    sid = home.start("bash")
    prompt_line(home, sid)
    home.ok("send", sid, "--text", "rm -rf important")
    home.wait_text(sid, "important")
    error = home.error("exec", sid, "--", "echo no", status=125, code="busy")
    assert "typed at the prompt" in error["message"], error
    home.ok("send", sid, "--keys", "C-u")
    wait_for(lambda: "important" not in str(home.screen(sid)["lines"]),
             lambda: home.screen(sid)["lines"])
    assert run(home, sid, "echo yes")["output"] == "yes\n"


def test_other_programs_are_not_typed_at(home):
    sid = home.start("bash")
    prompt_line(home, sid)
    home.ok("send", sid, "--text", "cat\r")
    home.wait_text(sid, "cat\n")
    error = home.error("exec", sid, "--", "echo no", status=125, code="busy")
    assert "prompt" in error["message"] or "command" in error["message"]
    seq = home.json("send", sid, "--keys", "C-d")["seq"]
    home.ok("wait", sid, "--command-done", "--after", str(seq))
    assert run(home, sid, "echo yes")["output"] == "yes\n"
    lone = home.start("cat")
    error = home.error("exec", lone, "--", "echo no", status=125, code="busy")
    assert "cat is in the foreground" in error["message"], error


def test_no_other_host_follows_while_somebody_waits(home, tmp_path):
    sid = home.start("bash")
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    caller = subprocess.Popen(
        [TEND, "exec", sid, "--", f"cat {gate}; sh -c 'exit 6'"],
        env=home.env, stdout=subprocess.PIPE)
    with open(gate, "w") as f:
        answer = home.run("upgrade", sid)
        assert answer.status != 0 and "tend exec" in answer.err, answer
        f.write("passed\n")
    assert caller.communicate(timeout=60)[0] == b"passed\n"
    assert caller.returncode == 6
    home.ok("upgrade", sid)
    assert run(home, sid, "echo after")["output"] == "after\n"
