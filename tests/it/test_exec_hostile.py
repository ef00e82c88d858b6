"""`tend exec` in shells whose users have set options, aliases, functions and
traps that get in its way: a reported status is right, and output that is
called exact has nothing of tend's in it."""

import json
import os
import re
import time

import pytest

from shells import LIMIT, SHELLS, home, ready, run  # noqa: F401

FULL = "TEND_TEST_FULL" in os.environ

# Words of tend's own that exact output must not have.
OURS = re.compile(
    r"__t|tend=|133;|printf'? %b|builtin|\\0\d\d\d|/dev/tty|/proc/")


class Want:
    """A command, its status and its output: text, or a pattern."""

    def __init__(self, command, status, output, fish=None):
        self.command = command
        self.status = status
        self.output = output
        self.fish = fish or command

    def text(self, shell):
        return self.fish if shell == "fish" else self.command

    def is_output(self, text):
        if isinstance(self.output, re.Pattern):
            return self.output.fullmatch(text)
        return text == self.output


# A command that does not end a shell with `set -e` comes first.
FINE = [
    Want("true", 0, ""),
    Want("echo a line", 0, "a line\n"),
    Want("sh -c 'printf no.newline'", 0, "no.newline"),
    Want("echo one\necho two", 0, "one\ntwo\n"),
    Want("echo 'hi!'", 0, "hi!\n"),
]
FAILS = [
    Want("false", 1, ""),
    Want("(exit 3)", 3, "", fish="sh -c 'exit 3'"),
    Want("sh -c 'kill -TERM $$'", 143,
         re.compile(r"(?s)(Terminated|.*terminated.*|fish: .*SIGTERM.*|)\n?")),
    Want("echo two words; sh -c 'exit 7'", 7, "two words\n"),
]
SOME = [FINE[1], FINE[3], FAILS[1], FAILS[2]]


class Setting:
    """A user's file, and its effects: `rough` if the output may be
    best-effort, `ends` if a failing command ends the shell, `prints` if the
    user's own settings print more, `unsure` if a command that must be wrapped
    may not run at all."""

    def __init__(self, text, rough=False, ends=False, prints=False,
                 unsure=False):
        self.text = text
        self.unsure = unsure
        self.rough = rough
        self.ends = ends
        self.prints = prints


FUNCTIONS = "".join(f"{name}() {{ echo wrong; false; }}\n" for name in (
    "printf", "command", "local", "unset", "trap", "return", "builtin"))
ALIASES = "".join(f"alias {name}='echo wrong'\n" for name in (
    "printf", "command", "local", "unset", "trap", "return", "builtin",
    "eval", "case", "setopt", "set", "emulate", "test"))

BASH = {
    "verbose": Setting("set -v", prints=True),
    "xtrace": Setting("set -x", prints=True),
    "xtrace elsewhere": Setting("exec 7>&1; BASH_XTRACEFD=7; set -x",
                                rough=True, prints=True),
    "debug trap": Setting("trap 'echo \"<$BASH_COMMAND>\"' DEBUG",
                          prints=True),
    "debug trap in functions": Setting(
        "trap 'echo \"<$BASH_COMMAND>\"' DEBUG; set -T", rough=True,
        prints=True, unsure=True),
    "other traps": Setting(
        "trap 'echo ERR trap' ERR; trap 'echo RETURN trap' RETURN; set -ET",
        prints=True, rough=True),
    "errexit": Setting("set -e", ends=True),
    "nounset": Setting("set -u"),
    "noglob": Setting("set -f"),
    "noclobber": Setting("set -C"),
    "posix": Setting("set -o posix"),
    "keyword": Setting("set -k"),
    "allexport": Setting("set -a"),
    "privileged": Setting("set -p"),
    "no history": Setting("set +o history; set +H"),
    "shopts": Setting(
        "shopt -s extglob nullglob failglob xpg_echo lastpipe nocasematch "
        "nocaseglob dotglob globstar execfail localvar_inherit "
        "inherit_errexit shift_verbose compat44"),
    "shopts off": Setting("shopt -u promptvars sourcepath expand_aliases "
                          "cmdhist checkwinsize interactive_comments"),
    "aliases": Setting(ALIASES),
    "functions": Setting(FUNCTIONS, unsure=True),
    "no printf": Setting("enable -n printf builtin test ["),
    "IFS": Setting("IFS=0123456789"),
    "readonly names": Setting(
        "readonly status=1 first=1 last=1 login=1 one=1 kept=1 string=1"),
    "readonly names of ours": Setting(
        "readonly __tend_told=1 __tend_status=1 __tend_one=1"),
    "prompt command prints": Setting(
        "PROMPT_COMMAND='echo printed before the prompt'"),
    "prompt commands fail": Setting("PROMPT_COMMAND=(false 'return 9')"),
    "PS4": Setting("PS4='$(echo trace)'; set -x", prints=True),
}
ZSH = {name: Setting(f"setopt {name}") for name in (
    "nounset", "errreturn", "warncreateglobal", "warnnestedvar", "ksharrays",
    "shwordsplit", "noclobber", "posixbuiltins", "posixidentifiers",
    "noglob", "globsubst", "rcquotes", "ksharrays kshglob kshtypeset",
    "nobareglobqual", "nofunctionargzero", "noprompt_percent", "promptsubst",
    "noprompt_sp", "noprompt_cr", "noshortloops", "typesetsilent",
    "cbases octalzeroes", "localoptions localtraps", "noequals nobanghist",
    "pathscript", "aliasfuncdef", "nomultios", "noevallineno",
    "histignorespace", "singlelinezle", "transientrprompt", "verbose",
    "nounset errreturn", "nullglob", "csh_null_glob", "cshjunkiequotes",
    "ignorebraces", "extendedglob", "printexitvalue")}
ZSH["printexitvalue"].prints = True
for name in ("cshjunkiequotes", "localoptions localtraps"):
    ZSH[name].rough = True
ZSH["cshjunkiequotes"].unsure = True
ZSH["verbose"].prints = True
ZSH.update({
    "errexit": Setting("setopt errexit", ends=True),
    "xtrace": Setting("setopt xtrace", prints=True),
    "debug trap": Setting("trap 'echo debug' DEBUG", rough=True,
                          prints=True),
    "err trap": Setting("TRAPZERR() { echo err }", prints=True),
    "aliases": Setting(ALIASES + "alias -g tty=wrong\nalias -g on=wrong\n"),
    "functions": Setting(FUNCTIONS.replace("return() {", "returned() {"),
                         rough=True, unsure=True),
    "disabled": Setting("disable printf print", unsure=True),
    "IFS": Setting("IFS=0123456789"),
    "readonly": Setting("typeset -r __tend_status=1 __tend_sp=1 || true",
                        rough=True),
    "precmd prints": Setting("precmd() { echo printed before the prompt }"),
    "emulate sh": Setting("emulate sh"),
    "emulate ksh": Setting("emulate ksh", rough=True),
})
FISH = {
    "functions": Setting("function printf; echo wrong; end\n"
                         "function eval; echo wrong; end\n"
                         "function test; echo wrong; end\n"
                         "function string; echo wrong; end\n"),
    "abbreviations": Setting("abbr --add source wrong; abbr --add eval wrong"),
    "trace": Setting("set -g fish_trace 1", rough=True, prints=True),
    "events": Setting(
        "function noisy --on-event fish_postexec; echo after; end\n"
        "function early --on-event fish_preexec; echo before; end",
        rough=True, prints=True),
    "IFS": Setting("set -g IFS 0123456789"),
    "vi": Setting("fish_vi_key_bindings"),
}
SH = {
    "verbose": Setting("set -v", rough=True, prints=True),
    "xtrace": Setting("set -x", rough=True, prints=True),
    "errexit": Setting("set -e", ends=True),
    "nounset": Setting("set -u"),
    "noglob": Setting("set -f"),
    "noclobber": Setting("set -C"),
    "allexport": Setting("set -a"),
    "aliases": Setting(ALIASES),
    "functions": Setting("printf() { echo wrong; return 99; }\n"
                         "test() { echo wrong; return 99; }\n"),
    "IFS": Setting("IFS=0123456789"),
    "PS4": Setting("PS4='trace '; set -x", rough=True, prints=True),
}
SETTINGS = {"bash": BASH, "zsh": ZSH, "fish": FISH, "dash": SH, "ash": SH}
FILES = {"bash": ".bashrc", "zsh": ".zshrc", "fish": "config/fish/config.fish",
         "dash": ".shrc", "ash": ".shrc"}
ALL = [(shell, name) for shell, some in SETTINGS.items() for name in some]


def start(home, tmp_path, shell, text, options=()):  # noqa: F811
    """A shell of a user who has this in their file."""
    path = tmp_path / FILES[shell]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n")
    if shell in ("dash", "ash"):
        home.env["ENV"] = str(path)
    return home.start(*SHELLS[shell], options=options)


def result_of(home, sid, command, limit=LIMIT):  # noqa: F811
    answer = home.run("exec", sid, "--json", "--timeout", limit, "--", command)
    body = json.loads(answer.text)
    assert body["ok"], (command, answer, home.screen(sid)["lines"])
    return body["result"]


def check(home, sid, shell, setting, want):  # noqa: F811
    result = result_of(home, sid, want.text(shell))
    seen = (shell, setting.text, want.text(shell), result,
            home.screen(sid)["lines"])
    wrapped = "!" in want.command
    if result["outcome"] == "interrupted" and setting.unsure and wrapped:
        assert result["exit_code"] is None, seen
        assert result["capture"] == "best-effort", seen
        return
    assert result["outcome"] == "completed", seen
    assert result["exit_code"] == want.status, seen
    if result["capture"] == "exact":
        assert not OURS.search(result["output"]), seen
        assert setting.prints or want.is_output(result["output"]), seen
    else:
        assert setting.rough or (setting.prints and wrapped), seen


@pytest.mark.parametrize("shell, name", ALL)
def test_no_setting_of_a_user_makes_an_answer_wrong(
        home, tmp_path, shell, name):  # noqa: F811
    setting = SETTINGS[shell][name]
    sid = start(home, tmp_path, shell, setting.text)
    wants = FINE + FAILS if FULL else SOME
    for want in [w for w in wants if not (setting.ends and w.status)]:
        check(home, sid, shell, setting, want)
    if setting.ends:
        result = result_of(home, sid, "false")
        assert result["exit_code"] == 1, result
        assert result["outcome"] == "interrupted", result


LATER = ALL if FULL else [
    ("bash", "verbose"), ("bash", "debug trap"), ("bash", "aliases"),
    ("bash", "functions"), ("bash", "no printf"), ("zsh", "nounset errreturn"),
    ("zsh", "warncreateglobal"), ("zsh", "xtrace"), ("zsh", "precmd prints"),
    ("dash", "nounset"), ("dash", "xtrace"), ("fish", "trace")]


@pytest.mark.parametrize("shell, name", LATER)
def test_no_setting_made_at_the_prompt_makes_an_answer_wrong(
        home, shell, name):  # noqa: F811
    """The command's own output is not compared: the settings may print more at
    its end."""
    setting = SETTINGS[shell][name]
    sid = home.start(*SHELLS[shell])
    run(home, sid, "true")
    result = result_of(home, sid, setting.text)
    assert result["outcome"] == "completed", result
    setting.rough |= name in ("precmd prints", "prompt command prints",
                              "prompt commands fail")
    for want in SOME:
        if not (setting.ends and want.status):
            check(home, sid, shell, setting, want)


STRICT = {"bash": "set -u", "zsh": "setopt nounset", "dash": "set -u",
          "ash": "set -u"}


@pytest.mark.parametrize("shell", STRICT)
def test_a_strict_shell_without_integration_gives_its_status(
        home, tmp_path, shell):  # noqa: F811
    sid = start(home, tmp_path, shell, STRICT[shell] + "\n" + "".join(
        f"alias {name}=false\n" for name in ("printf", "eval", "command")),
        options=["--no-integration"])
    ready(home, sid)
    for want in FINE + FAILS:
        result = result_of(home, sid, want.command)
        assert result["exit_code"] == want.status, (want.command, result)
        assert result["capture"] == "best-effort", result


def test_a_prompt_reports_an_otherwise_unknown_status(home):  # noqa: F811
    """Output of a user's PROMPT_COMMAND may be in the output."""
    sid = home.start("bash")
    result = run(home, sid, "PROMPT_COMMAND=('echo mine'); sh -c 'exit 5'")
    assert result["exit_code"] == 5, result
    assert result["capture"] == "best-effort", result
    end = home.events(sid, "run-end")[-1]["data"]
    assert end == {**end, "exit_code": 5, "capture": "best-effort"}, end


@pytest.mark.parametrize("shell", ["bash", "zsh", "dash", "ash"])
def test_the_next_command_finds_the_status_of_one_that_was_wrapped(
        home, shell):  # noqa: F811
    sid = home.start(*SHELLS[shell])
    for status in (3, 0):
        run(home, sid, f"sh -c 'exit {status}' '!'")
        assert run(home, sid, "echo $?")["output"] == f"{status}\n"
        run(home, sid, f"sh -c 'exit {status}'")
        assert run(home, sid, "echo $? '!'")["output"] == f"{status} !\n"


SIZES = [8 << 10, 20 << 10, (64 << 10) - 100] if FULL else [8 << 10, 65000]


@pytest.mark.parametrize("shell", SHELLS)
def test_a_long_command_is_run_as_a_short_one(home, shell):  # noqa: F811
    """Up to the limit of 64 KiB, as one line and as many."""
    sid = home.start(*SHELLS[shell])
    run(home, sid, "true")
    for size in SIZES:
        word = "x" * (size - 100)
        begun = time.monotonic()
        result = run(home, sid, f"echo {word} | wc -c; sh -c 'exit 3'")
        took = time.monotonic() - begun
        assert result["output"].split() == [str(len(word) + 1)], (shell, size)
        assert result["exit_code"] == 3, (shell, size)
        assert result["capture"] == "exact", (shell, size)
        print(f"{shell}: {size} bytes in one line: {took:.2f} s")
        lines = "echo ab >/dev/null\n" * (size // 19 - 1) + "echo 'done'"
        begun = time.monotonic()
        result = run(home, sid, lines)
        took = time.monotonic() - begun
        assert (result["output"], result["exit_code"]) == ("done\n", 0), \
            (shell, size, str(result)[:1000])
        print(f"{shell}: {size} bytes in many lines: {took:.2f} s")


@pytest.mark.parametrize("shell, options, command", [
    ("dash", [], "echo " + "\"'\"" * 21000),
    ("fish", ["--no-integration"], "echo " + "x" * 20000)],
    ids=["dash", "fish"])
def test_a_command_that_is_too_long_for_a_shell_is_refused(
        home, shell, options, command):  # noqa: F811
    """Within the limit, but not when it is typed; nothing is typed."""
    sid = home.start(*SHELLS[shell], options=options)
    ready(home, sid)
    home.ok("wait", sid, "--idle", "300ms")
    error = home.error("exec", sid, "--timeout", LIMIT, "--", command,
                       status=125, code="usage")
    assert "too long to be typed" in error["message"], error
    assert run(home, sid, "echo after")["output"] == "after\n"
