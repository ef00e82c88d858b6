"""The real coding agents in sessions of tend, against the stand-in.

    with Standin() as api, Home() as home, Place() as place:
        agent = agents.start(home, api, place, "claude", "2.1.325")
        agent.submit("hello")
        api.wait("turn ended")

An agent gets a HOME and a project below a directory of its own, a key that is
made up, and no network: everything but 127.0.0.1 goes to a proxy that does not
exist.  `start` answers the dialogs of a first start and returns an agent that
is ready for a prompt; with ready=False it returns at once.

AGENTS is the table of the agents.  Their packages are in node_modules
(README.md).
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "it"))

from lib import wait_for  # noqa: E402

MODULES = HERE / "node_modules"
NODE = HERE.parents[1] / "node_modules" / ".bin" / "node"
KEY = "sk-ant-made-up-" + "0" * 24
NOWHERE = "http://127.0.0.1:9"
PROXY = {"HTTP_PROXY": NOWHERE, "HTTPS_PROXY": NOWHERE, "http_proxy": NOWHERE,
         "https_proxy": NOWHERE, "NO_PROXY": "127.0.0.1",
         "no_proxy": "127.0.0.1"}
MACHINE = {"x86_64": "x64", "aarch64": "arm64"}[os.uname().machine]

# An option of a dialog that is marked, as the agents mark it.
MARKED = re.compile(r"^[\s│┃]*[❯›●>] *(?=\S)")
OPTION = re.compile(r"^[\s│┃❯›●>]*(?:\d+\. )?")


def versions(name):
    """The versions of an agent that package.json has."""
    package = json.loads((HERE / "package.json").read_text())
    found = [alias.rpartition("-")[2] for alias in package["devDependencies"]
             if alias.startswith(f"{name}-")]
    return sorted(found, key=lambda v: [int(n) for n in v.split(".")])


def installed(alias, package, file):
    """The path of a file of a package that an agent's package depends on.
    npm puts it beside or inside, as it likes."""
    for folder in (MODULES / alias / "node_modules", MODULES):
        path = folder / package / file
        if path.exists():
            manifest = json.loads((folder / package /
                                   "package.json").read_text())
            version = alias.rpartition("-")[2]
            if manifest["version"].split("-")[0] == version:
                return str(path)
    raise FileNotFoundError(f"{package} of {alias}: see {HERE}/README.md")


class Place:
    """A fresh HOME with a small project, in a directory that ends with it.
    With `home` it is that one, on a machine without a network.  With `still`,
    opencode draws no animation."""

    def __init__(self, home=None, still=False):
        self.still = still
        self.proxy = {} if home else PROXY
        self.made = None if home else tempfile.mkdtemp(prefix="tend-agent-")
        self.home = pathlib.Path(home or f"{self.made}/dev")
        self.project = self.home / "demo"

    def __enter__(self):
        self.project.mkdir(parents=True)
        (self.project / "hello.py").write_text('print("hello")\n')
        git = ["git", "-C", self.project, "-c", "user.name=dev",
               "-c", "user.email=dev@example.org"]
        for args in (["init", "-q", "-b", "main"], ["add", "."],
                     ["commit", "-q", "-m", "Say hello"]):
            subprocess.run([*git, *args], check=True)
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.made or self.home, ignore_errors=True)

    def write(self, name, content):
        """Write a file of the HOME; a value that is no text as JSON."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not isinstance(content, str):
            content = json.dumps(content)
        path.write_text(content)

    def env(self):
        return {"HOME": str(self.home), "USER": "dev", "LOGNAME": "dev",
                "SHELL": "/bin/bash", "LANG": "C.UTF-8", "TZ": "UTC",
                "PATH": "/usr/local/bin:/usr/bin:/bin",
                "COLORTERM": "truecolor", **self.proxy}


# ----------------------------------------------------------------- The agents
#
# command   the program and its arguments
# env       variables beside those of every Place
# prepare   files of the HOME; `trusted` if it may trust the project
# DIALOGS   of the first start: a pattern, and the option to choose
# READY     a pattern of the screen that is ready for a prompt
# BUSY      one that it must not have then

class Claude:
    READY = r"^❯[ \xa0]*\n─+$"
    BUSY = r"esc to interrupt|^[·✢✳✶✻✽*] \S+… "
    DIALOGS = (
        ("Choose the text style", "Dark mode"),
        ("Do you want to use this API key", "Yes"),
        ("Security notes", None),
        ("terminal setup|Use Claude Code's terminal setup", "No"),
        ("trust this folder", "Yes, I trust this folder"),
    )

    @staticmethod
    def command(version, url, key):
        alias = f"claude-{version}"
        return [installed(alias, f"@anthropic-ai/claude-code-linux-{MACHINE}",
                          "claude")]

    @staticmethod
    def env(url, key):
        return {"ANTHROPIC_BASE_URL": url, "DISABLE_AUTOUPDATER": "1",
                **({"ANTHROPIC_API_KEY": key} if key else {})}

    @staticmethod
    def prepare(place, key, trusted):
        # Without it the first start ends: it wants to reach its maker.
        place.write(".claude.json", {"hasCompletedOnboarding": True})


class Codex:
    # It draws the box almost a second before the trust dialog, without the
    # line of the model.
    READY = r"^› Ask Codex to do anything\n\s*\S+ \S+ · "
    BUSY = "esc to interrupt"
    DIALOGS = (
        ("Trust this folder|Do you trust", "Trust and continue"),
    )

    @staticmethod
    def command(version, url, key):
        provider = {"name": "stand-in", "base_url": f"{url}/v1",
                    "wire_api": "responses", "env_key": "STANDIN_KEY"}
        table = ", ".join(f'{name} = "{value}"'
                          for name, value in provider.items())
        program = [str(NODE), str(MODULES / f"codex-{version}/bin/codex.js"),
                   "-c", "check_for_update_on_startup=false"]
        if not key:     # it asks for a login
            return program
        return [*program, "-c", 'model_provider="standin"',
                "-c", f"model_providers.standin={{{table}}}",
                "-c", 'model="gpt-5-codex"']

    @staticmethod
    def env(url, key):
        return {"STANDIN_KEY": key} if key else {}

    @staticmethod
    def prepare(place, key, trusted):
        pass


class Gemini:
    READY = "Type your message or @path"
    BUSY = "esc to cancel"
    DIALOGS = (
        ("Do you trust", "Trust folder"),
    )

    @staticmethod
    def command(version, url, key):
        return [str(NODE), str(MODULES / f"gemini-{version}/bundle/gemini.js")]

    @staticmethod
    def env(url, key):
        return {"GOOGLE_GEMINI_BASE_URL": url,
                **({"GEMINI_API_KEY": key} if key else {})}

    @staticmethod
    def prepare(place, key, trusted):
        settings = {"general": {"enableAutoUpdate": False,
                                "enableAutoUpdateNotification": False},
                    "privacy": {"usageStatisticsEnabled": False}}
        if key:
            settings["security"] = {"auth": {"selectedType": "gemini-api-key"}}
        place.write(".gemini/settings.json", settings)
        # It draws the box before its trust dialog, and starts again after it:
        # no screen of an untrusted folder is ready for sure.
        if trusted:
            place.write(".gemini/trustedFolders.json",
                        {str(place.project): "TRUST_FOLDER"})


class OpenCode:
    READY = r"Ask anything(?:…|\.\.\.)|┃\s*\n\s*┃\s*\n\s*┃  (?:Build|Plan) · "
    BUSY = "esc (?:again to )?interrupt"
    DIALOGS = ()

    @staticmethod
    def command(version, url, key):
        return [installed(f"opencode-{version}", f"opencode-linux-{MACHINE}",
                          "bin/opencode")]

    @staticmethod
    def env(url, key):
        config = {
            "$schema": "https://opencode.ai/config.json",
            "autoupdate": False, "share": "disabled",
            "model": "anthropic/claude-sonnet-4-5",
            "permission": {"edit": "ask", "bash": "ask", "webfetch": "ask"},
            "provider": {"anthropic": {"options": {"baseURL": f"{url}/v1"}}}}
        return {"OPENCODE_CONFIG_CONTENT": json.dumps(config),
                "OPENCODE_DISABLE_AUTOUPDATE": "1",
                "OPENCODE_DISABLE_MODELS_FETCH": "1",
                "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
                "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
                **({"ANTHROPIC_API_KEY": key} if key else {})}

    @staticmethod
    def prepare(place, key, trusted):
        if place.still:
            place.write(".local/state/opencode/kv.json",
                        {"animations_enabled": False})


AGENTS = {"claude": Claude, "codex": Codex, "gemini": Gemini,
          "opencode": OpenCode}


class Agent:
    """An agent in a session."""

    def __init__(self, home, api, place, name, version, sid):
        self.home = home
        self.api = api
        self.place = place
        self.name = name
        self.version = version
        self.kind = AGENTS[name]
        self.sid = sid

    def screen(self):
        return self.home.screen(self.sid)

    def text(self):
        return "\n".join(self.screen()["lines"])

    def send(self, *args):
        """Type; returns the seq of the input."""
        return self.home.json("send", self.sid, *args)["seq"]

    def keys(self, *names):
        return self.send("--keys", *names)

    def type(self, text):
        return self.send("--text", text)

    def paste(self, text):
        return self.send("--paste", text)

    def wait(self, pattern, absent=None, seconds=60):
        """Wait until the screen's text has a match, and none of `absent`;
        returns the screen."""
        def look():
            screen = self.screen()
            text = "\n".join(screen["lines"])
            if absent and re.search(absent, text, re.M):
                return None
            return screen if re.search(pattern, text, re.M) else None

        return wait_for(look, lambda: f"/{pattern}/ without /{absent}/ on\n"
                        f"{self.text()}", seconds)

    def choose(self, option):
        """Choose an option of the dialog on the screen by its text."""
        self.home.run("wait", self.sid, "--stable", "400ms", "--timeout", "5s")

        def step():
            screen = self.screen()
            rows = screen["lines"]
            texts = [OPTION.sub("", row).strip(" │┃") for row in rows]
            found = [n for n, text in enumerate(texts) if text == option] or \
                [n for n, text in enumerate(texts) if text.startswith(option)]
            marked = [n for n, row in enumerate(rows) if MARKED.match(row)]
            if not found or not marked:
                return None
            if found[0] != marked[-1]:
                self.keys("Down" if found[0] > marked[-1] else "Up")
                self.home.run("wait", self.sid, "--changed-since",
                              screen["hash"], "--timeout", "2s")
                return None
            return self.keys("Enter")

        return wait_for(step, lambda: f"option {option!r} on\n{self.text()}")

    def answer_dialogs(self, until=None, seconds=90):
        """Answer the dialogs of a first start until the agent is ready."""
        until = until or self.kind.READY
        patterns = "|".join(f"(?:{pattern})" for pattern in
                            [until, *dict(self.kind.DIALOGS)])
        while True:
            screen = self.wait(patterns, seconds=seconds)
            text = "\n".join(screen["lines"])
            if re.search(until, text, re.M):
                return
            pattern, option = next(
                (pattern, option) for pattern, option in self.kind.DIALOGS
                if re.search(pattern, text, re.M))
            if option:
                self.choose(option)
            else:
                self.keys("Enter")
            # An agent may draw a dialog once more, with the first option
            # marked, and lose the keys: then this loop answers it again.
            with contextlib.suppress(AssertionError):
                wait_for(lambda: not re.search(pattern, self.text(), re.M),
                         pattern, 3)

    def submit(self, text):
        """Type a prompt and submit it; returns the seq of Enter.  Codex and
        Gemini take an Enter that follows a letter at once for a part of a
        paste."""
        self.type(text)
        self.wait(re.escape(text[-10:]))
        self.home.run("wait", self.sid, "--idle", "200ms", "--timeout", "1s")
        return self.keys("Enter")


def start(home, api, place, name, version, *args, size="100x30", key=KEY,
          ready=True, prepared=True, trusted=None, env=(),
          options=()):
    """Start an agent; its name at the stand-in is NAME-VERSION.  Without
    `prepared` its HOME is empty; `trusted` says if the project is trusted
    beforehand where the agent has a file for that (if it shall be ready)."""
    kind = AGENTS[name]
    url = api.url(f"{name}-{version}", place.project)
    if prepared:
        kind.prepare(place, key, ready if trusted is None else trusted)
    own = {"TEND_HOME": home.env["TEND_HOME"], **place.env(),
           **kind.env(url, key), **dict(env)}
    sid = home.start(*kind.command(version, url, key), *args,
                     options=("--size", size, "-C", str(place.project),
                              *options), env=own)
    agent = Agent(home, api, place, name, version, sid)
    if ready:
        agent.answer_dialogs()
    return agent
