"""Secrets typed at a prompt are in no file of the session.

Real programs ask: on the session's own terminal, and on terminals behind it
(ssh, tmux, script, another tend), whose echo setting the host cannot read.
Text typed at any other prompt, in shells and in vim, is in the log whole.
"""

import ast
import itertools
import json
import os
import re
import secrets
import subprocess

import pytest

import wire
from lib import ROOT, TEND, Home, own_mounts, wait_for
from test_exec_hidden import Sshd
from wire import Wire

FULL = "TEND_TEST_FULL" in os.environ
PYTHON = "/usr/bin/python3"
# It stays, so that its output can be seen.
GETPASS = (f"{PYTHON} -c 'import getpass; "
           "print(len(getpass.getpass()), \"read\"); input()'")
UNLIKE = "setpriv --reuid=65534 --regid=65534 --clear-groups"


@pytest.fixture
def home():
    with Home() as made:
        yield made


class Case:
    """A program that asks, its question, and its output afterwards."""

    def __init__(self, name, command, prompt, after=r"\d+ read", size="80x24"):
        self.name = name
        self.command = command
        self.prompt = prompt
        self.after = after
        self.size = size


def bash(text):
    return ["bash", "--norc", "-c", text]


def local(tmp_path):
    """Programs that need no other program."""
    nested = f"TEND_HOME={tmp_path}/inner {TEND} run --nested"
    tmux = f"tmux -L {tmp_path.name} -f /dev/null new"
    return [
        Case("getpass", bash(GETPASS), "Password:"),
        Case("read", bash("read -rs -p 'Token: ' x; echo ${#x} read"),
             "Token:"),
        Case("read-n", bash("read -s -n 20 -p 'PIN: ' x; echo ${#x} read; "
                            "exec cat"), "PIN:"),
        Case("zsh", ["zsh", "-fc", "read -rs 'x?API key: '; echo $#x read"],
             "API key:"),
        Case("fish", ["fish", "--no-config", "-c", "read -s -P 'Password: ' x;"
                      " echo (string length $x) read"], "Password:"),
        Case("fish-plain", ["fish", "--no-config", "-c",
                            "read -s x; echo (string length $x) read"],
             "read>"),
        Case("script", ["script", "-qc", GETPASS, "/dev/null"], "Password:"),
        Case("tmux", bash(f"{tmux} \"{GETPASS.replace(chr(34), '')}\""
                          .replace("read)", "1)")), "Password:", r"\d+ 1"),
        Case("nested", bash(f"{nested} -- {GETPASS}"), "Password:"),
        Case("nested-script", bash(f"{nested} -- script -qc \"{PYTHON} -c "
                                   "'import getpass; print(len("
                                   "getpass.getpass()), 7); input()'\" "
                                   "/dev/null"),
             "Password:", r"\d+ 7"),
        Case("drawn", bash(
            "stty -echo -icanon; printf '\\033[31mPass'; printf '\\033[1mword';"
            " printf ' for \\033[32mann\\033[m: '; "
            "x=; while IFS= read -r -d '' -n 1 c; do "
            "[ \"$c\" = $'\\n' ] && break; x=$x$c; printf '*'; done; "
            "echo; echo ${#x} read"), "Password for ann:"),
        Case("git", bash("printf 'protocol=https\\nhost=example.org\\n"
                         "username=ann\\n\\n' | GIT_TERMINAL_PROMPT=1 "
                         "git -c credential.helper= -c core.askPass= "
                         "credential fill >/dev/null; echo 0 read"),
             "Password for"),
        Case("keygen", bash(f"ssh-keygen -y -f {encrypted(tmp_path)}; "
                            "echo 0 read"), "passphrase", size="36x24"),
    ]


def encrypted(tmp_path):
    """A key with a passphrase and so long a name that the prompt wraps."""
    path = tmp_path / ("a-key-with-a-long-name-" * 2 + "ed25519")
    if not path.exists():
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "swordfish",
                        "-f", path], check=True)
    return path


SUDOERS = "Defaults pwfeedback,passwd_tries=1\nALL ALL=(ALL) ALL\n"


def as_another(tmp_path):
    """Programs that check permissions: they refuse, after a while."""
    sudoers = tmp_path / "sudoers"
    if not sudoers.exists():
        sudoers.write_text(SUDOERS)
        sudoers.chmod(0o440)
    return [
        Case("su", bash(f"cd /; {UNLIKE} su root; echo 0 read"), "Password:"),
        Case("sudo", [*own_mounts(), "sh", "-c",
                      f"mount --bind {sudoers} /etc/sudoers; cd /; "
                      f"{UNLIKE} sudo id; echo 0 read"], "password for"),
        Case("tmux-sudo", [*own_mounts(), "sh", "-c",
                           f"mount --bind {sudoers} /etc/sudoers; cd /; "
                           f"exec tmux -L {tmp_path.name}-s -f /dev/null new "
                           f"'{UNLIKE} sudo id; echo 0 read; cat'"],
             "password for"),
    ]


def behind_ssh(sshd):
    far = sshd.command("sh")
    password = (f"ssh -F none -p {sshd.port} -o StrictHostKeyChecking=no "
                "-o UserKnownHostsFile=/dev/null -o PubkeyAuthentication=no "
                "-o NumberOfPasswordPrompts=1 root@127.0.0.1; echo 0 read")
    return [
        Case("ssh-password", bash(password), "password:"),
        Case("ssh-getpass", bash(far.replace(
            " sh\"", " " + GETPASS.replace('"', '\\"') + "\"")), "Password:"),
    ]


class PasswordSshd(Sshd):
    def __init__(self, directory):
        super().__init__(directory)
        config = directory / "sshd_config"
        config.write_text(config.read_text().replace(
            "PasswordAuthentication no", "PasswordAuthentication yes"))


# ------------------------------------------------------- ways to type it

def by_send(home, sid, text):
    home.ok("send", sid, "--text", text, "--keys", "Enter")


def by_pieces(home, sid, text):
    for part in (text[:3], text[3:9], text[9:]):
        home.ok("send", sid, "--text", part)
    home.ok("send", sid, "--keys", "Enter")


def by_keys(home, sid, text):
    with Wire(home.dir(sid), replay="none") as w:
        for key in text + "\r":
            w.data(key.encode())
        w.sync()


def by_paste(home, sid, text):
    home.ok("send", sid, "--paste", text, "--keys", "Enter")


def by_batch(home, sid, text):
    home.ok("batch", sid, "--steps",
            json.dumps([{"text": text}, {"keys": ["Enter"]}]))


def by_prompt(home, sid, text):
    home.run("prompt", sid, text, "--profile", "line", "--timeout", "2s")


def by_mcp(home, sid, text):
    calls = [("initialize", {"protocolVersion": "2025-06-18",
                             "capabilities": {},
                             "clientInfo": {"name": "it", "version": "1"}}),
             ("tools/call", {"name": "session_send", "arguments": {
                 "session": sid,
                 "input": [{"text": text}, {"keys": ["Enter"]}]}})]
    lines = [json.dumps({"jsonrpc": "2.0", "id": i, "method": method,
                         "params": params})
             for i, (method, params) in enumerate(calls)]
    answer = home.run("mcp", input="\n".join(lines + [""]).encode())
    assert answer.status == 0 and b'"isError":true' not in answer.out, answer
    assert text not in answer.text, answer


WAYS = [by_send, by_keys, by_pieces, by_paste, by_batch, by_prompt, by_mcp]


def everything(home, sid):
    """Every byte of every file; compressed ones decompressed, too."""
    found = {path: path.read_bytes()
             for path in home.dir(sid).rglob("*") if path.is_file()}
    for form in ("--events", "--raw"):
        found[form] = home.run("log", form, sid).out
    found["--text"] = home.run("log", sid).out
    return found


def type_secret(home, case, way, text):
    """The whole life of a session in which it is typed."""
    sid = home.start(*case.command, options=("--size", case.size))
    answer = home.run("wait", sid, "--regex",
                      re.escape(case.prompt).replace("\\ ", " "),
                      "--timeout", "30s")
    assert answer.status == 0, (case.name, answer, home.ok("snapshot", sid))
    way(home, sid, text)
    answer = home.run("wait", sid, "--regex", case.after, "--timeout", "30s")
    assert answer.status == 0, (case.name, way.__name__, answer,
                                home.ok("snapshot", sid))
    typed = home.events(sid, "input")
    home.run("kill", sid)
    home.wait_gone(sid)
    for where, data in everything(home, sid).items():
        assert text.encode() not in data, (case.name, way.__name__, where,
                                           typed)
    letters = "".join(e.get("data", "") for e in typed)
    assert text[:6] not in letters, (case.name, way.__name__, typed)


def check_all(home, cases, dose):
    ways = itertools.cycle(WAYS)
    for case in itertools.islice(itertools.cycle(cases), dose):
        type_secret(home, case, next(ways), "Zq" + secrets.token_hex(9))


def test_no_password_of_programs_here_is_in_the_log(home, tmp_path):
    check_all(home, local(tmp_path), 130 if FULL else 13)


def test_no_password_for_su_and_sudo_is_in_the_log(home, tmp_path):
    check_all(home, as_another(tmp_path), 36 if FULL else 3)


def test_no_password_behind_ssh_is_in_the_log(home, tmp_path):
    with PasswordSshd(tmp_path) as sshd:
        check_all(home, behind_ssh(sshd), 34 if FULL else 2)


def test_a_host_that_dies_at_a_prompt_does_not_forget_it(home):
    case = Case("raw", bash("stty -echo -icanon; printf 'Password: '; "
                            "head -c 20 >/dev/null; echo 0 read"), "Password:")

    def way(home, sid, text):
        home.ok("send", sid, "--text", text[:7])
        pid = home.info(sid)["host_pid"]
        os.kill(pid, 9)
        wait_for(lambda: home.info(sid)["host_pid"] not in (None, pid),
                 "another host")
        home.ok("send", sid, "--text", text[7:])

    type_secret(home, case, way, "Zq" + secrets.token_hex(9))


def test_a_home_may_have_patterns_of_its_own(home):
    (home.path / "secret-prompts").write_text(
        "# ours\n[ never a pattern\nEnter the magic word>$\n")
    case = Case("own", bash("stty -echo -icanon; "
                            "printf 'Enter the magic word> '; "
                            "head -c 20 >/dev/null; echo 0 read"),
                "magic word>")
    type_secret(home, case, by_send, "Zq" + secrets.token_hex(9))


def test_after_enter_the_screen_decides_again(home):
    sid = home.start(*bash("stty -echo -icanon; printf 'Password: '; "
                           "read a; printf '\\nName: '; read b; "
                           "printf '\\nToken: '; read -n 4 c; "
                           "printf '\\nCity: '; read d; echo all"))
    said = []
    for prompt, text in (("Password:", "one\r"), ("Name:", "two\r"),
                         ("Token:", "four"), ("City:", "five\r")):
        home.wait_text(sid, prompt)
        home.ok("send", sid, "--text", text)
    home.wait_text(sid, "all")
    for event in home.events(sid, "input"):
        said.append(event.get("data", event["bytes"]))
    assert said == [4, "two\r", 4, "five\r"], said


# ------------------------------------------------------------- harmless

HARMLESS = r"""
import json, sys
for prompt in json.load(open(sys.argv[1])):
    print(prompt, end="", flush=True)
    sys.stdin.readline()
print("the end", flush=True)
"""


def harmless_prompts():
    """Those of the unit test of the words."""
    text = (ROOT / "tests" / "unit" / "op_secret.c").read_text()
    part = text.split("harmless[] = {")[1].split("};")[0]
    part = re.sub(r"(?<=\")\s*\n\s*(?=\")", " ", part)
    found = ast.literal_eval("[" + part + "]")
    assert len(found) >= 200, len(found)
    return found


def test_input_at_harmless_prompts_is_in_the_log(home, tmp_path):
    prompts = harmless_prompts()[:None if FULL else 60]
    path = tmp_path / "prompts"
    path.write_text(json.dumps(prompts))
    sid = home.start(PYTHON, "-c", HARMLESS, str(path))
    said = [f"answer-{i}\r" for i in range(len(prompts))]
    with Wire(home.dir(sid)) as w:
        for i, text in enumerate(said):
            w.until(lambda: prompts[i].rstrip() in
                    bytes(w.output).decode().replace("\r\n", "\n")
                    .rpartition(f"answer-{i - 1}\n")[2],
                    f"prompt {i}: {prompts[i]}")
            w.type(wire.TEXT, text.encode())
        w.until(lambda: b"the end" in w.output, "the end")
    typed = [e.get("data") for e in home.events(sid, "input")]
    assert typed == said, [(p, s, t) for p, s, t in zip(prompts, said, typed)
                           if s != t]


SHELL = [
    "mkdir -p password token; cd password", "PS1='password: $ '",
    "echo password: x", "echo 'token: '; cd ../token", "cat > config.yml",
    "user: ann", "password: hunter2", "token: abc", "\004",
    "git commit -m 'Reset the password: now'", "grep -n password: *.yml",
    "\033[A\033[A", "echo 'Enter password'", "# password: comment",
    "read -p 'Your name: ' x", "ann", "ls", "clear", "echo API key: y",
]

VIM = [
    "iuser: ann\rpassword: hunter2\rtoken: abc\033", "ggA x\033", "jA y\033",
    "opassword:\033", "A z\033", "osecret: \033", "Aq\033", "/password:\r",
    "A1\033", "n", "A2\033", "?token\r", "cwToken\033", "$", "a end\033",
    ":%s/password:/passphrase:/\r", ":w! out.yml\r", "ggyyp", "A3\033",
    "oPIN: 12\177\1773\033", "uu", "opassword: a\177b\033", ":set nu\r",
    "kkjjA4\033",
]


def typed_whole(home, sid, lines):
    """Type key by key, and wait until the screen is still after each line;
    returns the log's text of it."""
    keys = []
    for line in lines:
        with Wire(home.dir(sid), replay="none") as w:
            for key in re.findall(r"\033\[.|.", line, re.S):
                w.type(wire.BYTES, key.encode())
                keys.append(key)
        home.ok("wait", sid, "--idle", "100ms")
    events = home.events(sid, "input")
    assert len(events) == len(keys)
    kept = "".join(e.get("data", f"<{key!r} is not kept>")
                   for e, key in zip(events, keys))
    assert kept == "".join(keys), kept


def test_input_to_a_shell_is_in_the_log(home, tmp_path):
    sid = home.start("bash", "--norc",
                     options=("-C", str(tmp_path), "-e", "PS1=shell $ "))
    home.wait_text(sid, "shell $")
    lines = [line + ("" if line == "\004" else "\r") for line in SHELL]
    typed_whole(home, sid, lines * (10 if FULL else 1))


@pytest.mark.parametrize("inside", ["", "tmux"])
def test_input_to_vim_is_in_the_log(home, tmp_path, inside):
    vim = ["vim", "-u", "NONE", "-N", "-n", "-c", "set ruler ai"]
    if inside:
        vim = ["tmux", "-L", tmp_path.name, "-f", "/dev/null", "new",
               " ".join(vim[:-1]) + " 'set ruler ai'"]
    sid = home.start(*vim, options=("-C", str(tmp_path)))
    home.wait_text(sid, "0,0-1")
    typed_whole(home, sid, VIM * (10 if FULL else 1))
