"""Shell integration beside users' settings: their files are read, their
prompts shown, their variables unchanged, and nothing of theirs modified."""

import json
import os
import pathlib
import re

import pytest

from lib import wait_for
from shells import LIMIT, SHELLS, home, ready, run, started  # noqa: F401

PROFILES = {
    "bash": {
        ".bashrc": r"""
            FROM_USER=bashrc
            alias greet='echo aliased'
            PROMPT_COMMAND='LAST=$?; printf "\033]0;a title\007"'
            PS1='\[\e[32m\]first line \w\[\e[m\]\nLAST=$LAST $ '
            set -o vi
        """},
    "zsh": {
        ".zshenv": "FROM_ENV=zshenv\n",
        ".zshrc": r"""
            FROM_USER=zshrc
            alias greet='echo aliased'
            setopt promptsubst
            precmd() { LAST=$?; print -Pn '\e]0;a title\a' }
            PROMPT=$'%F{green}first line %~%f\nLAST=$LAST $ '
            RPROMPT='[right]'
            bindkey -v
        """},
    "fish": {
        "config/fish/config.fish": r"""
            set -g FROM_USER config
            alias greet 'echo aliased'
            set fish_greeting
            function fish_prompt
                set -l last $status
                echo (set_color green)"first line "(prompt_pwd)(set_color normal)
                echo "LAST=$last \$ "
            end
            function fish_right_prompt
                echo '[right]'
            end
        """},
    "dash": {
        ".shrc": "FROM_USER=shrc\nalias greet='echo aliased'\n"
                 "PS1='first line\nLAST=$? $ '\n"},
    "ash": {
        ".shrc": "FROM_USER=shrc\nalias greet='echo aliased'\n"
                 "PS1='first line\nLAST=$? $ '\n"},
}


def user(home, tmp_path, shell):  # noqa: F811
    """Give the user files for this shell; returns their content."""
    for name, text in PROFILES[shell].items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(re.sub(r"(?m)^            ", "", text))
    if shell in ("dash", "ash"):
        home.env["ENV"] = "$HOME/.shrc"
    return files(tmp_path)


def files(directory):
    return {p.relative_to(directory): p.read_text()
            for p in directory.rglob("*") if p.is_file()
            and "history" not in p.name and "fish_variables" not in p.name
            and "data" not in p.parts and ".local" not in p.parts
            and ".zcompdump" not in p.name}


@pytest.mark.parametrize("shell", SHELLS)
def test_the_users_files_are_read_and_prompts_shown(
        home, tmp_path, shell):  # noqa: F811
    before = user(home, tmp_path, shell)
    sid = home.start(*SHELLS[shell])
    assert run(home, sid, "echo $FROM_USER")["output"] == \
        PROFILES_SAY[shell] + "\n"
    assert run(home, sid, "greet you")["output"] == "aliased you\n"
    assert run(home, sid, "sh -c 'exit 5'")["exit_code"] == 5
    screen = home.wait_text(sid, "LAST=5 $")
    text = "\n".join(screen["lines"])
    assert "first line" in text, text
    if shell in ("zsh", "fish"):
        assert "[right]" in text, text
    assert run(home, sid, "printf 'a\\nb'")["output"] == "a\nb"
    assert files(tmp_path) == before


PROFILES_SAY = {"bash": "bashrc", "zsh": "zshrc", "fish": "config",
                "dash": "shrc", "ash": "shrc"}


@pytest.mark.parametrize("shell", SHELLS)
def test_the_environment_of_programs_is_the_users(home, shell):  # noqa: F811
    """The variables that led the shell to its file are removed or restored."""
    names = ("ENV", "ZDOTDIR", "XDG_DATA_DIRS", "PROMPT_COMMAND", "PS1")
    home.env["XDG_DATA_DIRS"] = "/opt/share:/usr/share"
    sid = home.start(*SHELLS[shell])
    output = run(home, sid, "env")["output"]
    seen = dict(line.split("=", 1) for line in output.splitlines()
                if "=" in line)
    assert {n: seen[n] for n in names if n in seen} == \
        {"XDG_DATA_DIRS": "/opt/share:/usr/share"}, seen
    assert not [n for n, v in seen.items() if "/shell" in v and
                n not in ("_", "SHELL")], seen
    assert home.info(sid)["command"] == SHELLS[shell]


@pytest.mark.parametrize("command", [["bash", "-l"], ["bash", "--login", "-i"],
                                     ["zsh", "-l"], ["fish", "-l"],
                                     ["dash", "-l"], ["sh"]])
def test_login_shells_are_marked_too(home, tmp_path, command):  # noqa: F811
    (tmp_path / ".profile").write_text("FROM_USER=profile; export FROM_USER\n")
    sid = home.start(*command)
    assert home.info(sid)["shell"] is not None
    result = run(home, sid, "echo \"<$FROM_USER>\"; false")
    assert result["capture"] == "exact" and result["exit_code"] == 1
    if command[0] in ("bash", "dash"):
        assert result["output"] == "<profile>\n", result


@pytest.mark.parametrize("how", ["option", "variable", "script", "rcfile"])
def test_integration_can_be_turned_off(home, tmp_path, how):  # noqa: F811
    options, command = [], ["bash"]
    if how == "option":
        options = ["--no-integration"]
    elif how == "variable":
        home.env["TEND_SHELL_INTEGRATION"] = "off"
    elif how == "script":
        command = ["bash", "-c", "cat"]
    else:
        command = ["bash", "--rcfile", "/dev/null"]
    sid = home.start(*command, options=options)
    assert home.info(sid)["shell"] is None
    assert not (home.path / "sessions" / sid / "shell").exists()
    home.ok("kill", sid)
    if how == "option":
        home.wait_status(sid, "exited")
        again = home.ok("rerun", "-d", sid).strip()
        assert home.info(again)["shell"] is None


def test_an_ended_shell_is_marked_again_when_it_is_run_again(
        home):  # noqa: F811
    sid = home.start("zsh")
    run_end(home, sid)
    again = home.ok("rerun", "-d", sid).strip()
    assert home.info(again)["shell"] == "zsh"
    assert run(home, again, "echo $ZDOTDIR")["output"] == "\n"


def run_end(home, sid):  # noqa: F811
    home.run("exec", sid, "--timeout", LIMIT, "--", "exit")
    home.wait_status(sid, "exited")


def test_a_shell_that_is_started_again_is_typed_at_again(home):  # noqa: F811
    sid = home.start("bash", options=["--restart", "always"])
    answer = home.run("exec", sid, "--json", "--timeout", LIMIT, "--",
                      "exit 3")
    assert json.loads(answer.text)["result"]["outcome"] == "interrupted"
    assert run(home, sid, "echo again")["output"] == "again\n"


def test_the_next_host_knows_where_the_shell_is(home):  # noqa: F811
    """After a host's death and after an upgrade, at the prompt and
    elsewhere."""
    sid = home.start("bash")
    run(home, sid, "true")
    ready(home, sid)
    for end in ("kill", "upgrade"):
        before = home.info(sid)["host_pid"]
        if end == "kill":
            os.kill(before, 9)
        else:
            home.ok("upgrade", sid)
        wait_for(lambda: home.info(sid)["host_pid"] not in (None, before),
                 lambda: home.info(sid))
        assert run(home, sid, f"echo {end}")["output"] == f"{end}\n"
    home.ok("send", sid, "--text", "cat\r")
    started(home, "cat")
    os.kill(home.info(sid)["host_pid"], 9)
    error = home.error("exec", sid, "--", "true", status=125, code="busy")
    assert "prompt" in error["message"], error


def test_exec_times_out_if_no_prompt_comes(home):  # noqa: F811
    pathlib.Path(home.env["HOME"], ".bashrc").write_text("cat\n")
    sid = home.start("bash")
    error = home.error("exec", sid, "--timeout", "300ms", "--", "echo never",
                       status=125, code="timeout")
    assert "prompt" in error["message"], error
    home.ok("send", sid, "--keys", "C-d")
    assert run(home, sid, "echo now")["output"] == "now\n"
    assert b"never" not in home.raw(sid)


def test_the_last_command_and_its_end_are_known_of_any_shell(
        home):  # noqa: F811
    """`snapshot --last-command` and `wait --command-done` by the same marks."""
    for shell, command in SHELLS.items():
        sid = home.start(*command)
        result = run(home, sid, "echo first; echo second")
        assert home.ok("snapshot", sid, "--last-command", "--format",
                       "text").rstrip("\n") == "first\nsecond", shell
        assert result["output"] == "first\nsecond\n"
        ready(home, sid)
        seq = home.json("send", sid, "--text", "echo typed\r")["seq"]
        waited = home.json("wait", sid, "--command-done", "--after", str(seq),
                           "--timeout", LIMIT)
        assert waited["matched"], (shell, waited)
        assert b"typed\r\n" in home.raw(sid)


def run_any(home, sid, command, *options):  # noqa: F811
    """The result of an exec, whatever it is."""
    answer = home.run("exec", sid, "--json", "--timeout", LIMIT, *options,
                      "--", command)
    return json.loads(answer.text)["result"]


@pytest.mark.parametrize("shell, command", [
    ("bash", "PROMPT_COMMAND=x=1"), ("bash", "PROMPT_COMMAND=(x=1)"),
    ("bash", "unset PROMPT_COMMAND PS0"),
    ("bash", "unset PROMPT_COMMAND PS0; PS1='mine> '"),
    ("bash", "exec 2>/dev/null"), ("zsh", "precmd_functions=()"),
    ("zsh", "emulate sh"), ("dash", "PS1='mine> '"), ("ash", "PS1='mine> '"),
])
def test_a_shell_that_forgot_its_marks_still_runs_commands(
        home, shell, command):  # noqa: F811
    """Commands still run, and give their status."""
    sid = home.start(*SHELLS[shell])
    run(home, sid, "true")
    result = run_any(home, sid, command, "--timeout", "3s")
    if result["timed_out"]:  # nothing shows that it has ended
        home.ok("send", sid, "--keys", "C-c")
        wait_for(lambda: home.run("exec", sid, "--timeout", LIMIT, "--",
                                  "true").status == 0,
                 lambda: home.screen(sid)["lines"])
    for status in (3, 0):
        result = run(home, sid, f"echo seen; sh -c 'exit {status}'")
        assert result["exit_code"] == status, result
        assert result["output"] == "seen\n", result


@pytest.mark.parametrize("shell, other", [
    ("bash", "bash --norc"), ("bash", "zsh"), ("fish", "fish"),
    ("dash", "bash --norc")])
def test_a_replaced_shell_runs_commands_after_an_interrupt(
        home, shell, other):  # noqa: F811
    """Nothing can report that `exec` has ended. After a Ctrl-C its end is not
    awaited any more, and the new program can be typed at."""
    sid = home.start(*SHELLS[shell])
    run(home, sid, "true")
    answer = home.run("exec", sid, "--timeout", "1s", "--", f"exec {other}")
    assert answer.status == 11, answer
    error = home.error("exec", sid, "--", "echo no", status=125, code="busy")
    assert "send C-c" in error["message"], error
    home.wait_no_echo(sid)  # it reads, and the signal does not kill it
    home.ok("send", sid, "--keys", "C-c")
    wait_for(lambda: home.run("exec", sid, "--timeout", LIMIT, "--",
                              "true").status == 0,
             lambda: home.screen(sid)["lines"])
    result = run(home, sid, "echo here; sh -c 'exit 3'")
    assert (result["output"], result["exit_code"]) == ("here\n", 3), result
    assert result["capture"] == "best-effort", result


def test_an_interrupt_that_a_program_takes_ends_nothing(home):  # noqa: F811
    sid = home.start("bash")
    run(home, sid, "true")
    answer = home.run("exec", sid, "--timeout", "1s", "--",
                      "sh -c 'trap \"echo not me\" INT; echo on; cat; cat'")
    assert answer.status == 11, answer
    started(home, "cat")
    home.ok("send", sid, "--keys", "C-c")
    home.ok("wait", sid, "--regex", r"^(\^C)?not me$")
    home.ok("wait", sid, "--idle", "1200ms")
    home.error("exec", sid, "--", "echo no", status=125, code="busy")
    seq = home.json("send", sid, "--keys", "C-d")["seq"]
    home.ok("wait", sid, "--command-done", "--after", str(seq))
    assert run(home, sid, "echo yes")["output"] == "yes\n"


def test_shells_without_marks_are_still_typed_at(home):  # noqa: F811
    pathlib.Path(home.env["HOME"], ".bashrc").write_text(
        "readonly PROMPT_COMMAND='x=1'\n")
    sid = home.start("bash")
    result = run(home, sid, "echo there; sh -c 'exit 4'")
    assert result == {**result, "output": "there\n", "exit_code": 4,
                      "capture": "best-effort"}, result


def test_commands_run_without_bracketed_paste(home):  # noqa: F811
    pathlib.Path(home.env["HOME"], ".bashrc").write_text(
        "bind 'set enable-bracketed-paste off'\n")
    sid = home.start("bash")
    assert run(home, sid, "echo a\necho b")["output"] == "a\nb\n"
    result = run(home, sid, "echo )")
    assert result["exit_code"] == 2, result
    assert result["output"].startswith("bash: syntax error"), result


@pytest.mark.parametrize("shell, options", [
    ("bash", []), ("zsh", []), ("fish", []), ("bash", ["--no-integration"])])
def test_the_shell_history_has_no_text_of_tend(
        home, shell, options):  # noqa: F811
    """Even if lines that begin with a blank are kept."""
    sid = home.start(*SHELLS[shell], options=options)
    ready(home, sid)
    run(home, sid, "echo wrapped!")
    home.ok("send", sid, "--text", "echo as typed\r")
    home.ok("wait", sid, "--regex", r"^as typed\n.*[#$%>] *$")
    result = run(home, sid, "fc -l 1" if shell == "zsh" else "history")
    assert "tend=" not in result["output"], result
    assert "echo as typed" in result["output"], result


def test_traps_of_the_user_see_only_the_users_commands(home):  # noqa: F811
    """The user's way to recognise the first command after a prompt."""
    pathlib.Path(home.env["HOME"], ".bashrc").write_text("""
        trap '[ -z "$READY" ] || { READY=; FIRST=$BASH_COMMAND; }' DEBUG
        PROMPT_COMMAND=('STATUS=$?' 'READY=yes')
        PS1='$STATUS> '
    """)
    sid = home.start("bash")
    assert run(home, sid, "sh -c 'exit 5'")["exit_code"] == 5
    home.wait_text(sid, "5>")
    command = 'echo "$STATUS $FIRST"'
    assert run(home, sid, command)["output"] == f"5 {command}\n"
