"""Check that something uses every function that a header of src declares.

  unused.py ROOT

A function counts as used if a file of src or tools names it anywhere but in its
declaration, its definition and comments.  A function that only its own .c uses
is static, unless tests call it.
"""

import re
import sys
from collections import Counter
from pathlib import Path

# The reason to keep functions that only tests use.
REASONS = {
    "results are checked by tests, arguments also by tend": """
        op_check_result type_check""",
    "part of the engine's interface; tests compare engines with it": """
        key_equal vt_history_text vt_icon vt_cwd vt_memory""",
    "tests check the table of frames with it": """
        frame_name frame_from_client frame_from_host""",
    "tests encode a frame that tend only decodes, or encodes in place": """
        frame_put_output frame_put_u64""",
}
KEPT = {name: why for why, names in REASONS.items() for name in names.split()}

NOISE = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""",
                   re.S)
# A declaration begins a line with its type; attributes may follow.
DECLARED = re.compile(r"^(?!static|typedef|return|else)[a-z_][\w ]*[ *]"
                      r"([a-z_]\w*)\([^;{}]*;", re.M)
# A definition has its name at the start of a line.
DEFINED = re.compile(r"^([a-z_]\w*)\(", re.M)
NAME = re.compile(r"[a-z_]\w*")


def clean(text):
    """The text without comments and strings."""
    return NOISE.sub(" ", text)


def uses(name, text):
    """How often each name occurs, but for declarations and definitions."""
    found = Counter(NAME.findall(text))
    if name.endswith(".h"):
        found.subtract(DECLARED.findall(text))
    else:
        found.subtract(DEFINED.findall(text))
    return found


def problems(files, kept):
    """The complaints about files, a dict from name to text."""
    files = {name: clean(text) for name, text in files.items()}
    used = {name: uses(name, text) for name, text in files.items()}
    declared = {function: name for name, text in sorted(files.items())
                if name.startswith("src/") and name.endswith(".h")
                for function in DECLARED.findall(text)}
    tested = sum((found for name, found in used.items()
                  if name.startswith("tests/")), Counter())
    total = sum(used.values(), Counter())
    defined = {function: name for name, text in files.items()
               if name.endswith(".c") for function in DEFINED.findall(text)}
    for function, header in declared.items():
        own = defined.get(function)
        called = total[function] - tested[function]
        if called <= 0 and function not in kept:
            yield f"{header}: nothing but a test uses {function}"
        elif called > 0 and own and total[function] == used[own][function]:
            yield f"{header}: only its own file uses {function}"
        elif called > 0 and function in kept:
            yield f"unused.py: {function} needs no exception any more"
    for function in sorted(kept.keys() - declared.keys()):
        yield f"unused.py: no header declares {function}"


def check_the_check():
    """The check finds unused functions and nothing else."""
    files = {
        "src/a.h":
            "int a_used(void);\nvoid a_unused(int x,\n    int y);\n"
            "char *a_own(void);\nvoid a_kept(void);\nint a_row(void);\n"
            "int a_part(void);\nvoid a_said(const char *s, ...)\n"
            "    __attribute__((format(printf, 1, 2)));\n",
        "src/a.c":
            "int\na_used(void)\n{\n\treturn 1; /* a_unused(1, 2) */\n}\n"
            "void\na_unused(int x, int y)\n{\n}\n"
            "char *\na_own(void)\n{\n\treturn \"a_unused\" + a_part();\n}\n"
            "void\na_kept(void)\n{\n\ta_own();\n}\n",
        "src/b.c": "int\nb(void)\n{\n\ta_said(\"x\");\n}\n",
        "src/b.def": "ROW(a_row)\n",
        "tools/t.c": "int\nmain(void)\n{\n\treturn a_used();\n}\n",
        "tests/t.c": "int\nmain(void)\n{\n\ta_unused(a_part(), 1);\n}\n",
    }
    wrong = ["src/a.h: nothing but a test uses a_unused",
             "src/a.h: only its own file uses a_own"]
    assert list(problems(files, {"a_kept": ""})) == wrong
    assert list(problems(files, {"a_kept": "", "a_row": "", "gone": ""})) == [
        *wrong, "unused.py: a_row needs no exception any more",
        "unused.py: no header declares gone"]


def main():
    check_the_check()
    root = Path(sys.argv[1])
    files = {str(path.relative_to(root)): path.read_text()
             for folder in ("src", "tools", "tests")
             for suffix in ("c", "h", "def")
             for path in (root / folder).rglob(f"*.{suffix}")
             if "node_modules" not in path.parts}
    found = list(problems(files, KEPT))
    print(f"{len(files)} files, {len(found)} problems", *found, sep="\n")
    sys.exit(1 if found or not files else 0)


main()
