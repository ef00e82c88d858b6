"""Check the includes of modules against src/LAYERS.

  layers.py SRC

A module includes only the folders that LAYERS allows.  No modules include each
other in a circle, and the rules of LAYERS form no circle.

A module is a .h, the .c of the same name, and the files that have no header of
their own: server_leave.c belongs to server.h, and so does server_state.h,
which the files of a module share.  A folder that LAYERS names has rules of its
own, also below another folder.
"""

import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.M)

# Names that a pure folder does not use.
IMPURE = re.compile(r"(unistd|fcntl|poll|time|signal|pthread|uv)\.h$|sys/|"
                    r"base/(clock|fd|file|log|loop|path|id)\.h$")


class Layers:
    def __init__(self, text):
        self.below, self.pure = {}, set()
        for line in text.splitlines():
            line = line.partition("#")[0].strip()
            if line:
                self.read(*line.split(":"))

    def read(self, name, below):
        if name.endswith("*"):
            self.pure.add(name.rstrip("*"))
        self.below[name.rstrip("*")] = set(below.split())

    def folder(self, path):
        """The longest folder with rules that contains a path below SRC."""
        parts = path.split("/")[:-1]
        while parts and "/".join(parts) not in self.below:
            parts.pop()
        return "/".join(parts)


def includes(path):
    return INCLUDE.findall(path.read_text())


def complaints(path, folder, layers):
    for quote, name in includes(path):
        target = layers.folder(name)
        if quote == '"' and "/" not in name:
            yield f'"{name}" does not name its folder'
        elif quote == '"' and target not in layers.below[folder] | {folder}:
            yield f'"{name}": {folder} may not include {target}'
        if folder in layers.pure and IMPURE.search(name):
            yield f'"{name}": {folder} is pure'


def module_of(name, headers):
    """The module of a file, by its path without the suffix."""
    family = name.removesuffix("_state")
    while family not in headers and "_" in family.rpartition("/")[2]:
        family = family.rpartition("_")[0]
    return family if family in headers else name


def modules(src):
    """Each module, and the modules that its files include."""
    headers = {str(path.relative_to(src).with_suffix(""))
               for path in src.glob("*/**/*.h")}
    found = {}
    for path in sorted(src.glob("*/**/*.[ch]")):
        own = str(path.relative_to(src).with_suffix(""))
        module = module_of(own, headers)
        names = {module_of(name.rpartition(".")[0], headers)
                 for quote, name in includes(path)
                 if quote == '"' and name.endswith(".h")}
        found.setdefault(module, set()).update(names - {module})
    return found


def reachable(start, graph):
    seen, todo = set(), [start]
    while todo:
        for name in graph.get(todo.pop(), ()):
            if name not in seen:
                seen.add(name)
                todo.append(name)
    return seen


def circles(graph):
    """The sets of modules that include each other, each once."""
    reach = {name: reachable(name, graph) for name in graph}
    left = {name for name in graph if name in reach[name]}
    while left:
        first = min(left)
        circle = {n for n in reach[first] if first in reach.get(n, ())}
        left -= circle
        yield circle


def check_circles(src):
    for circle in circles(modules(src)):
        yield "include each other in a circle: " + " ".join(sorted(circle))


def check_rules(layers):
    """Check that the rules form no circle."""
    for folder, below in layers.below.items():
        for name in below - set(layers.below):
            yield f"LAYERS: {folder} names {name}, which has no rule"
    for circle in circles(layers.below):
        yield "LAYERS: rules that form a circle: " + " ".join(sorted(circle))


def check(src):
    layers = Layers((src / "LAYERS").read_text())
    yield from check_rules(layers)
    for path in sorted(src.glob("*/**/*.[ch]")):
        folder = layers.folder(str(path.relative_to(src)))
        if folder == "":
            yield f"{path}: LAYERS does not know its folder"
            continue
        for complaint in complaints(path, folder, layers):
            yield f"{path}: {complaint}"
    yield from check_circles(src)


def main():
    found = list(check(Path(sys.argv[1])))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)


main()
