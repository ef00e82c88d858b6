"""Check that nothing sleeps to wait for something.

  sleeps.py ROOT

A host has a loop and a test has `tend wait`: both wait for an event and do not
poll.  The few places that may sleep are listed, each with its reason and its
number of sleeps; add a new one with its reason.
"""

import re
import sys
from pathlib import Path

C = re.compile(r"\b(sleep|usleep|nanosleep|clock_nanosleep|thrd_sleep)\s*\(")
PYTHON = re.compile(r"\btime\.sleep\(")
SHELL = re.compile(r"^\s*sleep\s", re.M)

# Files to search, and patterns to find.
LOOK = [("src/host", "*.[ch]", C),
        ("tests", "*.[ch]", C),
        ("tests", "*.py", PYTHON),
        ("tests", "*.sh", SHELL)]

MAY = {
    "tests/it/lib.py": (1, "what no program of ours can tell, such as the end "
                        "of a process"),
    "tests/it/old/golden.py": (2, "an old tend has no `wait`"),
    "tests/it/test_at_most_once.py": (1, "a crash comes at any moment"),
    "tests/it/stayer.py": (1, "another thread gets on"),
    "tests/it/repaint.py": (1, "it plays a recording at its pace"),
    "tests/it/test_answers.py": (1, "a crash comes at any moment"),
    "tests/it/test_host_crash.py": (2, "a crash comes at any moment"),
    "tests/it/test_host_failpoints.py": (1, "that nothing moves is seen over "
                                         "time alone"),
    "tests/it/test_hub_crash.py": (2, "a crash comes at any moment"),
    "tests/it/test_hub_viewers.py": (1, "a program that prints at a pace"),
    "tests/it/test_notice_board.py": (2, "titles and sizes change at a pace"),
    "tests/it/test_prompt_read.py": (1, "a program that does not read"),
    "tests/it/test_prompt_standing.py": (1, "a crash comes at any moment"),
    "tests/it/test_socket_viewers.py": (1, "it types at a pace"),
    "tests/it/test_upgrade.py": (3, "an upgrade comes at any moment"),
    "tests/unit/host_log_thread.c": (2, "a disk that is slow, and a queue whose end "
                                "nobody is told of"),
    "tests/unit/host_manifest_writer.c": (1, "a disk that is slow"),
    "tests/unit/host_witness.c": (1, "the kernel does not say when it has "
                                  "counted"),
    "tests/unit/host_event_log.c": (1, "a disk that is slow"),
    "tests/package/fresh.sh": (1, "a system without tend"),
    "tests/soak/soak.py": (2, "it lives at a pace"),
    "tests/bench/hub/hub.py": (2, "idleness is what is measured"),
    "tests/bench/scale/scale.py": (2, "idleness is what is measured"),
    "tests/bench/session/session.py": (1, "a peer that cannot tell"),
}


def sleeps(root):
    """The number of sleeps in each file."""
    found = {}
    for folder, names, what in LOOK:
        for path in sorted((root / folder).rglob(names)):
            if "node_modules" in path.parts:
                continue
            name = str(path.relative_to(root))
            count = len(what.findall(path.read_text()))
            if count > 0:
                found[name] = count
    return found


def main():
    found = sleeps(Path(sys.argv[1]))
    problems = [f"{name}: sleeps {count} times, not "
                f"{MAY.get(name, (0,))[0]}"
                for name, count in found.items()
                if count != MAY.get(name, (0,))[0]]
    problems += [f"{name}: does not sleep any more: drop it from the list"
                 for name in MAY if name not in found]
    print(f"{len(found)} files, {len(problems)} problems", *problems, sep="\n")
    sys.exit(1 if problems else 0)


main()
