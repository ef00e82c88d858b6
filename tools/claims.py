"""Check that every test asserts something.

  claims.py ROOT

A test that cannot fail proves nothing.  Each test of tests/it and tests/unit
asserts, itself or in a function that it calls; none is skipped, and none
returns before it has asserted something.  A meson.build runs every file of
tests.  Called functions are found by name alone, in all files of the same
kind: a name that asserts anywhere is taken to assert.
"""

import ast
import re
import sys
from pathlib import Path

SKIPS = {"skip", "skipif", "xfail", "importorskip", "skipUnless", "skipIf"}


# -------------------------------------------------------------------- Python

def asserts(node):
    """True if the node itself fails when something is wrong."""
    for part in ast.walk(node):
        if isinstance(part, (ast.Assert, ast.Raise)):
            return True
        if isinstance(part, ast.Attribute) and part.attr == "raises":
            return True
        if isinstance(part, ast.keyword) and part.arg == "check":
            return True
    return False


def called(node):
    """The names of the functions that it calls."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call):
            yield getattr(part.func, "id", getattr(part.func, "attr", None))


def claimers(trees):
    """The names of all functions that assert, directly or through a call."""
    functions = [part for tree in trees for part in ast.walk(tree)
                 if isinstance(part, ast.FunctionDef)]
    found = {f.name for f in functions if asserts(f)}
    calls = {f: set(called(f)) for f in functions}
    while more := {f.name for f in functions
                   if f.name not in found and calls[f] & found}:
        found |= more
    return found


def early_returns(body, claims, seen=False):
    """The lines of returns with no assertion before them."""
    for part in body:
        if isinstance(part, ast.Return) and not seen:
            yield part.lineno
        if isinstance(part, (ast.FunctionDef, ast.ClassDef)):
            continue
        for name in ("body", "orelse", "finalbody", "handlers"):
            yield from early_returns(getattr(part, name, []), claims, seen)
        seen = seen or asserts(part) or bool(set(called(part)) & claims)


def python_problems(root):
    paths = sorted((root / "tests" / "it").glob("*.py"))
    trees = {path: ast.parse(path.read_text()) for path in paths}
    claims, tests, problems = claimers(trees.values()), 0, []
    for path, tree in trees.items():
        where = path.relative_to(root)
        problems += [f"{where}:{part.lineno}: {part.attr}: a test that is "
                     "skipped is none" for part in ast.walk(tree)
                     if isinstance(part, ast.Attribute)
                     and part.attr in SKIPS]
        if not path.name.startswith("test_"):
            continue
        for test in tree.body:
            if not (isinstance(test, ast.FunctionDef)
                    and test.name.startswith("test_")):
                continue
            tests += 1
            if not (asserts(test) or set(called(test)) & claims):
                problems.append(f"{where}:{test.lineno}: {test.name} claims "
                                "nothing")
            problems += [f"{where}:{line}: {test.name} returns before it has "
                         "claimed anything"
                         for line in early_returns(test.body, claims)]
    return tests, problems


# ------------------------------------------------------------------------- C

FUNCTION = re.compile(r"^(\w+)\([^;]*?\)\n\{\n(.*?)^\}", re.M | re.S)
MACRO = re.compile(r"^#define (\w+)\([^)]*\)((?:.*\\\n)*.*)$", re.M)
FAILS = re.compile(r"\b(assert\w*|fail|fail_msg|_exit|abort|expect_\w+)\s*\(")


def entries(text):
    """The tests that a file lists, with cmocka's macros or its own."""
    own = [name for name, body in MACRO.findall(text)
           if "cmocka_unit_test" in body]
    names = "|".join([r"cmocka_unit_test\w*", *own])
    return re.findall(rf"\b(?:{names})\(\s*(\w+)", MACRO.sub("", text))


def c_problems(root):
    paths = sorted((root / "tests" / "unit").glob("*.[ch]"))
    texts = {path: path.read_text() for path in paths}
    bodies = {}
    for text in texts.values():
        for name, body in FUNCTION.findall(text) + MACRO.findall(text):
            bodies[name] = bodies.get(name, "") + body
    claims = {name for name, body in bodies.items() if FAILS.search(body)}
    calls = {name: set(re.findall(r"(\w+)\s*\(", body))
             for name, body in bodies.items()}
    while more := {name for name in bodies
                   if name not in claims and calls[name] & claims}:
        claims |= more
    tests, problems = 0, []
    for path, text in texts.items():
        for name in entries(text):
            tests += 1
            if name not in claims:
                problems.append(f"{path.relative_to(root)}: {name} claims "
                                "nothing")
    return tests, problems


# ----------------------------------------------------------------------- files

# Files of tests, each with a part of the text that marks them as such.
FILES = [("it", "test_*.py", ""), ("unit", "*.c", "cmocka_run_group_tests"),
         ("vt", "*.test", "")]


def file_problems(root):
    known = "".join(path.read_text() for path in
                    sorted((root / "tests").rglob("meson.build")))
    paths = [path for folder, names, part in FILES
             for path in sorted((root / "tests" / folder).glob(names))
             if part in path.read_text()]
    return len(paths), [f"{path.relative_to(root)}: no meson.build runs it"
                        for path in paths
                        if not re.search(rf"\b{path.stem}\b", known)]


def main():
    root = Path(sys.argv[1])
    counts, problems = [], []
    for kind in (python_problems, c_problems, file_problems):
        count, found = kind(root)
        counts.append(count)
        problems += found
    print(f"{counts[0]} tests in Python, {counts[1]} in C, in {counts[2]} "
          f"files, {len(problems)} problems", *problems, sep="\n")
    sys.exit(1 if problems or not all(counts) else 0)


main()
