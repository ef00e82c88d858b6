"""Check docs/features.md and the promises of README.md against the tests.

  features.py ROOT

Every id that is due has a line; a line that is not `later` or `replaced by …`
names tests that exist, one of which names the id.  Every promise of the README
names a test that exists.
"""

import re
import sys
from pathlib import Path

# The features built so far: each range is inclusive.
DUE = """O-01..O-13 O-16..O-24 O-28 K-01 K-04..K-07 K-09 K-12..K-14 K-16 K-18
B-01..B-21 B-28 B-31..B-33 B-44 B-47 B-48 A-15..A-17 A-28
C-01..C-08 C-14 C-17 C-18 C-21 C-22 T-05 T-06"""

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
    """True if the file defines that test."""
    form = rf"^def {name}\(" if path.suffix == ".py" else rf"^{name}\("
    return re.search(form, text, re.MULTILINE)


def missing_tests(root, whose, tests):
    """A problem for each of the named tests that does not exist."""
    for file, name in tests:
        path = root / "tests" / file
        text = path.read_text() if path.exists() else ""
        if not has_test(text, path, name):
            yield f"{whose}: there is no {name} in tests/{file}"


def promises(root):
    """The rows of the README's table of promises: (promise, tests)."""
    text = (root / "README.md").read_text()
    section = text.split("\n## Promises\n")[1].split("\n## ")[0]
    for row in re.findall(r"^\| (.+) \| (.+) \|$", section, re.MULTILINE)[1:]:
        yield row[0], TEST.findall(row[1])


def problems_of_readme(root):
    found = list(promises(root))
    if not found:
        yield "README.md: no promises"
    for promise, tests in found:
        if not tests:
            yield f"README.md: no test is named: {promise}"
        yield from missing_tests(root, f"README.md: {promise}", tests)


def problems_of(root, feature, shown):
    if re.match(r"later|replaced by ", shown):
        return
    tests = TEST.findall(shown)
    if not tests:
        yield f"{feature}: no test is named: {shown}"
    yield from missing_tests(root, feature, tests)
    paths = [root / "tests" / file for file, _ in tests]
    if tests and not any(feature in expand(path.read_text())
                         for path in paths if path.exists()):
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
    problems += problems_of_readme(root)
    print(f"{len(lines)} features, {len(problems)} problems", *problems,
          sep="\n")
    sys.exit(1 if problems or not lines else 0)


main()
