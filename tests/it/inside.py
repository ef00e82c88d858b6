"""Programs inside a session, and their output."""

import os
import pathlib
import textwrap

import lib
from lib import wait_for

HERE = pathlib.Path(__file__).resolve().parent


def inside(home, script, options=()):
    """Run a shell script in a new session that stays; returns id and output.

    The script has $TEND, and $PY, which runs Python with the tests' modules.
    """
    out = home.path / f"out-{os.urandom(4).hex()}"
    env = {**home.env, "TEND": str(lib.TEND), "OUT": str(out),
           "PY": f"env PYTHONPATH={HERE} python3"}
    options = [*options, *(f"--env={key}={env[key]}"
                           for key in ("TEND", "OUT", "PY"))]
    sid = home.start("sh", "-c", f"({script}) >$OUT 2>&1; mv $OUT $OUT.done; "
                     "exec cat", options=options)
    done = out.with_suffix(".done")
    wait_for(done.exists, lambda: f"the end of {script!r}:\n"
             f"{out.read_text() if out.exists() else home.screen(sid)}")
    return sid, done.read_text()


def python(code):
    """A Python program as a word of such a script."""
    return "$PY -c '" + textwrap.dedent(code).replace("'", "'\\''") + "'"
