"""Check the lists in docs that are made from tables of the source.

  tables.py PROGRAM ROOT [--write]

PROGRAM prints a table by its name (tools/tables.c).  A list is between two
comments; the first names the table.  With --write, lists that differ are
replaced; without, they are reported.
"""

import pathlib
import re
import subprocess
import sys

# The comments of Markdown, and those of scdoc.
LIST = re.compile(r"((?:<!--|;) made from a table: (\w+)(?: -->)?\n)(.*?)"
                  r"(<!-- end -->|; end\n)", re.S)


def made(program, name):
    return subprocess.run([program, name], check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def renewed(program, text):
    return LIST.sub(lambda m: m[1] + made(program, m[2]) + m[4], text)


def main():
    program, root, write = sys.argv[1], sys.argv[2], "--write" in sys.argv
    lists, stale = 0, []
    docs = pathlib.Path(root, "docs")
    for page in sorted([*docs.glob("*.md"), *docs.glob("man/*.scd")]):
        text = page.read_text()
        lists += len(LIST.findall(text))
        new = renewed(program, text)
        if new == text:
            continue
        if write:
            page.write_text(new)
            print(f"tables: renewed {page}", file=sys.stderr)
        else:
            stale.append(page)
    for page in stale:
        print(f"{page}: a list differs from its table; run ./dev build")
    sys.exit(1 if stale or lists == 0 else 0)


main()
