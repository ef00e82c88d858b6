"""Check that every header under SRC compiles alone.

  headers.py BUILD_SRC SRC COMPILER...

BUILD_SRC is the folder of generated headers.
"""

import subprocess
import sys
from pathlib import Path

FLAGS = ["-fsyntax-only", "-std=gnu11", "-D_GNU_SOURCE",
         "-Wall", "-Wextra", "-Werror"]


def main():
    build_src, src, *compiler = sys.argv[1:]
    failed = 0
    headers = sorted(Path(src).glob("*/**/*.h"))
    for header in headers:
        # If the header were the main file, clang would want every inline
        # function used.
        line = f'#include "{header.relative_to(src)}"\n'
        command = [*compiler, *FLAGS, f"-I{src}", f"-I{build_src}",
                   "-x", "c", "-"]
        done = subprocess.run(command, input=line, text=True)
        failed += done.returncode != 0
    print(f"{len(headers)} headers, {failed} do not compile alone")
    sys.exit(1 if failed or not headers else 0)


main()
