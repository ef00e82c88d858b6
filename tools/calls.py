"""Check that no C file calls a forbidden function.

  calls.py DIR

Comments and strings do not count, nor does a name that is not called.
"""

import re
import sys
from pathlib import Path

# The reason for each, shown with the problem.
FORBIDDEN = {
    "no bound on what is written": """strcpy stpcpy strcat sprintf vsprintf
        gets scanf fscanf wcscpy wcscat strncat""",
    "leaves a string without its end": "strncpy stpncpy",
    "a shell is never involved": "system popen wordexp",
    "a name that somebody else can take first": "tmpnam tempnam mktemp",
    "no randomness": "rand srand random srandom drand48 rand_r",
    "an error cannot be told from a number": "atoi atol atoll atof",
    "hidden state": """strtok asctime ctime gmtime localtime basename
        dirname ttyname""",
    "no bound on the stack": "alloca",
    "gives up more than it says": "setuid setgid seteuid setegid chroot",
    "nobody resets the child's state": "vfork daemon",
}
WHY = {name: why for why, names in FORBIDDEN.items() for name in names.split()}

TOKEN = re.compile(r"""
    //[^\n]*                  |
    /\*.*?\*/                 |
    "(?:\\.|[^"\\\n])*"       |
    '(?:\\.|[^'\\\n])*'       |
    (?P<member>(?:->|\.)\s*\w+) |
    (?P<name>[A-Za-z_]\w*)    |
    (?P<newline>\n)           |
    (?P<open>\()
""", re.VERBOSE | re.DOTALL)


def calls_in(text):
    """Each forbidden name that is called, and its line."""
    name, line = None, 1
    for token in TOKEN.finditer(text):
        if token["open"] and name in WHY:
            yield line, name
        if not token["newline"]:
            name = token["name"]
        line += token[0].count("\n")


def check_the_check():
    """The check finds forbidden calls and nothing else."""
    seen = [name for _, name in calls_in(
        'int x; /* system("a") */ // gets(b)\n'
        'puts("strcpy(a, b)"); o->system(1); o.mktemp (2); int gets;\n'
        'my_system(3); system_of(4); c = \'"\'; strcpy (a,\n b);\n'
        "return atoi\n(x);\n")]
    assert seen == ["strcpy", "atoi"], seen


def main():
    check_the_check()
    files = sorted(Path(sys.argv[1]).rglob("*.[ch]"))
    problems = [f"{path}:{line}: {name} is not to be called: {WHY[name]}"
                for path in files
                for line, name in calls_in(path.read_text())]
    print(f"{len(files)} files, {len(problems)} problems", *problems, sep="\n")
    sys.exit(1 if problems or not files else 0)


main()
