"""Read for ./dev what meson knows about tests.

  testlog.py list BUILD [WORD...]     names of the tests that contain a WORD;
                                      without, of all tests, but the suite
                                      "large" only if TEND_TEST_FULL is set
  testlog.py failed BUILD NAME...     those of these that did not pass
  testlog.py verdicts BUILD NAME...   one line a test: "ok NAME", "FAIL NAME"
                                      or "FLAKY NAME"; behind the last two,
                                      what the test said

A test that meson's log does not mention has failed.  One that failed may have
been run again by itself, with the log meson-logs/again-NAME.json: it is FLAKY
if it passed then, and what it said both times is shown.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

LINES_SHOWN = 200
MESON_LINES_SHOWN = 20
PASSED = ("OK", "EXPECTEDFAIL")


def names(build, words):
    tests = json.loads(subprocess.run(
        ["meson", "introspect", "--tests", build],
        check=True, stdout=subprocess.PIPE).stdout)
    # Long tests come first, so that none runs alone at the end.
    tests.sort(key=lambda test: (-test["priority"], test["name"]))
    if words:
        return [test["name"] for test in tests
                if any(word in test["name"] for word in words)]
    return [test["name"] for test in tests if "TEND_TEST_FULL" in os.environ
            or not any(s.endswith(":large") for s in test["suite"])]


def full_name(record):
    """Turn meson's "project:suite / test" into "suite/test"."""
    return record["name"].rpartition(":")[2].replace(" / ", "/")


def records(build, log):
    """The results in a log of meson, by the test's name.  The last line may be
    incomplete if meson was killed."""
    path, found = Path(build, "meson-logs", f"{log}.json"), {}
    if not path.exists():
        return found
    for line in path.read_text(errors="replace").splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        found[full_name(record).rpartition("/")[2]] = record
    return found


def passed(record):
    return record is not None and record["result"] in PASSED


def failed(build, asked):
    seen = records(build, "testlog")
    return [name for name in asked if not passed(seen.get(name))]


def how(record):
    if record is None:
        return "did not run"
    return f"{record['result']}, {record['duration']:.1f} s"


def show(text, most=LINES_SHOWN):
    """Indent, so that no test can print a verdict of its own."""
    lines = text.splitlines()
    if len(lines) > most:
        print(f"    ... {len(lines) - most} lines before these")
    for line in lines[-most:]:
        print(f"    {line}")


def show_run(build, record, log):
    """The output of a test, or meson's message if the test did not run."""
    if record is None:
        path = Path(build, "meson-logs", f"{log}.log")
        show(path.read_text(errors="replace") if path.exists() else "",
             MESON_LINES_SHOWN)
        return
    for stream in "stdout", "stderr":
        show(record.get(stream, ""))


def verdict(build, name, first, again):
    """One test's lines; `again` is None unless it was run a second time."""
    where = f"{Path(build).name} {full_name(first or again or {'name': name})}"
    if passed(first):
        print(f"ok {where} ({how(first)[4:]})")
        return
    if not Path(build, "meson-logs", f"again-{name}.log").exists():
        print(f"FAIL {where} ({how(first)})")
        show_run(build, first, "dev-test")
        return
    word = "FLAKY" if passed(again) else "FAIL"
    print(f"{word} {where} ({how(first)}; again, alone: {how(again)})")
    print("  the first time:")
    show_run(build, first, "dev-test")
    print("  again, alone:")
    show_run(build, again, f"again-{name}")


def verdicts(build, asked):
    seen = records(build, "testlog")
    for name in sorted(asked):
        again = records(build, f"again-{name}").get(name)
        verdict(build, name, seen.get(name), again)


def main():
    what, build, *rest = sys.argv[1:]
    if what == "verdicts":
        verdicts(build, rest)
        return
    for name in {"list": names, "failed": failed}[what](build, rest):
        print(name)


main()
