"""Read for ./dev what meson knows about tests.

  testlog.py list BUILD [WORD...]   names of the tests that contain a WORD
  testlog.py verdicts BUILD COUNT   one line a test, "ok NAME" or "FAIL NAME",
                                    the failed ones followed by what they said

COUNT tests were asked for; one that meson's log does not mention has failed.
"""

import json
import subprocess
import sys
from pathlib import Path

LINES_SHOWN = 200


def names(build, words):
    tests = json.loads(subprocess.run(
        ["meson", "introspect", "--tests", build],
        check=True, stdout=subprocess.PIPE).stdout)
    # Those that take long come first, and do not run alone at the end.
    tests.sort(key=lambda test: (-test["priority"], test["name"]))
    return [test["name"] for test in tests
            if not words or any(w in test["name"] for w in words)]


def records(build):
    log = Path(build, "meson-logs", "testlog.json")
    if not log.exists():
        return []
    return [json.loads(line) for line in log.read_text().splitlines()]


def show_output(record):
    for stream in "stdout", "stderr":
        lines = record.get(stream, "").splitlines()
        if len(lines) > LINES_SHOWN:
            print(f"    ... {len(lines) - LINES_SHOWN} lines before these")
        for line in lines[-LINES_SHOWN:]:
            # Indented, so that no test can print a verdict of its own.
            print(f"    {line}")


def verdicts(build, count):
    where = Path(build).name
    seen = records(build)
    for record in sorted(seen, key=lambda r: r["name"]):
        # meson calls it "project:suite / test".
        name = record["name"].rpartition(":")[2].replace(" / ", "/")
        result, took = record["result"], f"{record['duration']:.1f} s"
        if result in ("OK", "EXPECTEDFAIL"):
            print(f"ok {where} {name} ({took})")
            continue
        print(f"FAIL {where} {name} ({result}, {took})")
        show_output(record)
    for _ in range(count - len(seen)):
        print(f"FAIL {where} a test that did not run")
    if len(seen) < count:
        print(Path(build, "meson-logs", "dev-test.log").read_text())


def main():
    what, build, *rest = sys.argv[1:]
    if what == "list":
        for name in names(build, rest):
            print(name)
    else:
        verdicts(build, int(rest[0]))


main()
