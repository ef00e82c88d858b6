"""Check docs/features.md against the tests.

  features.py ROOT

Every id that is due has a line; a line that is not `later` or `replaced by …`
names tests that exist, one of which names the id.
"""

import re
import sys
from pathlib import Path

# What is built so far: each range is inclusive.
DUE = """O-01..O-13 O-16..O-24 O-28 K-01 K-04..K-07 K-09 K-12..K-14 K-16 K-18
B-01..B-21 B-28 B-31..B-33 B-44 B-47 B-48 A-15..A-17 A-28
C-01..C-08 C-14 C-17 C-18 C-21 T-05"""

ID = r"[A-Z]-\d\d"
LINE = re.compile(rf"\| ({ID}) \| (.+) \| (.+) \|")
TEST = re.compile(r"`([\w/.]+)::(\w+)`")


def expand(text):
    """Every id in a text; `O-01..O-13` stands for all between."""
    found = set()
    for first, last in re.findall(rf"({ID})(?:\.\.({ID}))?", text):
        last = last or first
        found |= {f"{first[0]}-{n:02}"
                  for n in range(int(first[2:]), int(last[2:]) + 1)}
    return found


def has_test(text, path, name):
    """Whether the file defines that test."""
    form = rf"^def {name}\(" if path.suffix == ".py" else rf"^{name}\("
    return re.search(form, text, re.MULTILINE)


def problems_of(root, feature, shown):
    if re.match(r"later|replaced by ", shown):
        return
    tests = TEST.findall(shown)
    if not tests:
        yield f"{feature}: no test is named: {shown}"
    named = False
    for file, name in tests:
        path = root / "tests" / file
        text = path.read_text() if path.exists() else ""
        if not has_test(text, path, name):
            yield f"{feature}: there is no {name} in tests/{file}"
        named = named or feature in expand(text)
    if tests and not named:
        yield f"{feature}: none of its tests names it"


def main():
    root = Path(sys.argv[1])
    lines = [LINE.fullmatch(line) for line in
             (root / "docs" / "features.md").read_text().splitlines()
             if re.match(rf"\| {ID} ", line)]
    problems = ["a line is not `id | what | tests`" for m in lines if not m]
    lines = [m.groups() for m in lines if m]
    ids = [feature for feature, _, _ in lines]
    problems += [f"{i}: it has no line" for i in sorted(expand(DUE) - set(ids))]
    problems += [f"{i}: it has two lines" for i in sorted(set(ids))
                 if ids.count(i) > 1]
    for feature, _, shown in lines:
        problems += problems_of(root, feature, shown)
    print(f"{len(lines)} features, {len(problems)} problems", *problems,
          sep="\n")
    sys.exit(1 if problems or not lines else 0)


main()
