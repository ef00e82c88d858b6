"""What the integration tests share: running the real `tend`, and looking."""

import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
BUILD = pathlib.Path(os.environ["TEND_BUILD"])
TEND = BUILD / "src" / "cmd" / "tend"

RECORDINGS = sorted(DATA.glob("*.cast"))


class Answer:
    """How a run of tend ended; shown whole when an assertion fails."""

    def __init__(self, args, done):
        self.args = args
        self.status = done.returncode
        self.out = done.stdout
        self.err = done.stderr.decode("utf-8", "backslashreplace")

    @property
    def text(self):
        return self.out.decode("utf-8")

    def __repr__(self):
        return (f"tend {' '.join(map(str, self.args))}\n"
                f"exit status {self.status}\n"
                f"stdout: {self.out[:4000]!r}\nstderr: {self.err[:4000]}")


def tend(*args, input=b"", **kwargs):
    """Run tend; bytes on its standard input unless `stdin` is given."""
    if "stdin" not in kwargs:
        kwargs["input"] = input
    kwargs.setdefault("stdout", subprocess.PIPE)
    done = subprocess.run([TEND, *args], stderr=subprocess.PIPE, timeout=120,
                          **kwargs)
    if done.stdout is None:
        done.stdout = b""
    return Answer(args, done)


def shows(*args, input=b""):
    """The standard output of a run that must go well and say nothing else."""
    answer = tend(*args, input=input)
    assert answer.status == 0 and answer.err == "", answer
    return answer.text


def screen(*args, input=b""):
    """The screen object of a render that must go well."""
    answer = json.loads(shows("render", "--json", *args, input=input))
    assert answer["ok"] is True and answer["command"] == "render"
    assert list(answer) == ["ok", "command", "result"]
    return answer["result"]
