#!/usr/bin/python3
"""Run esctest in tend, or in xterm, and count.

  git clone https://github.com/ThomasDickey/esctest2
  esctest.py esctest2                     in build/release-gcc/src/tend
  esctest.py esctest2 --terminal xterm    in xterm, for the figure beside

esctest reads a terminal's screen with DECRQCRA, which tend answers only in a
session whose TEND_CHECKSUMS is 1.  Both terminals get the same options: those
for an xterm that is a VT420 and lets programs move its window.  Prints the
names of the failed tests, then the number of those that passed.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import xterm

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEND = ROOT / "build" / "release-gcc" / "src" / "tend"
OPTIONS = ("--expected-terminal=xterm", "--options", "xtermWinopsEnabled",
           "--max-vt-level=4", "--no-print-logs")
XTERM = {"disallowedWindowOps": "", "allowWindowOps": "true"}
COLS, ROWS = 80, 25
LIMIT_S = 1800


def in_tend(options, command):
    with tempfile.TemporaryDirectory() as home:
        env = {**os.environ, "TEND_HOME": home, "TEND_CHECKSUMS": "1"}
        run = [options.tend, "run", "-d", "--size", f"{COLS}x{ROWS}"]
        session = subprocess.run([*run, "--", *command], env=env, check=True,
                                 stdout=subprocess.PIPE, text=True).stdout
        subprocess.run([options.tend, "wait", session.strip(), "--exit",
                        "--timeout", f"{LIMIT_S}s"], env=env, check=True,
                       stdout=subprocess.DEVNULL)


def in_xterm(_, command):
    with xterm.Display() as display:
        subprocess.run(["xterm", "-geometry", f"{COLS}x{ROWS}",
                        *xterm.options(XTERM), "-e", *command],
                       env=xterm.environment(display), check=True,
                       timeout=LIMIT_S)


TERMINALS = {"tend": in_tend, "xterm": in_xterm}


def run(options):
    """esctest's log."""
    folder = pathlib.Path(options.checkout).resolve() / "esctest"
    program = folder / "esctest.py"
    if not program.exists():
        raise SystemExit(f"esctest.py: there is no {program}; "
                         "give a checkout of esctest2")
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "log"
        TERMINALS[options.terminal](options, [
            sys.executable, "-B", str(program), *OPTIONS,
            f"--include={options.include}", f"--timeout={options.timeout}",
            f"--logfile={log}"])
        return log.read_text("utf-8", "backslashreplace")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("checkout", help="a checkout of esctest2")
    add("--terminal", choices=TERMINALS, default="tend", help="where to run it")
    add("--tend", default=str(TEND), help="the tend to run it in")
    add("--include", default=".*", help="regular expression of tests to run")
    add("--timeout", default="5", help="seconds to wait for an answer")
    add("--log", help="where to keep esctest's log")
    options = parser.parse_args()
    log = run(options)
    if options.log:
        pathlib.Path(options.log).write_text(log)
    counts = re.search(r"^\*\*\* (\d+) tests? passed, (\d+) known bugs?, "
                       r"(\d+) tests? failed", log, re.M | re.I)
    if counts is None:
        raise SystemExit(f"esctest.py: esctest ended early:\n{log[-2000:]}")
    for name in re.findall(r"^\*\*\* TEST (\S+) FAILED:", log, re.M):
        print(name)
    passed, known, failed = map(int, counts.groups())
    print(f"{options.terminal}: {passed} of {passed + known + failed} passed, "
          f"{failed} failed, {known} are known to fail in xterm")
    return 0


if __name__ == "__main__":
    sys.exit(main())
