"""Check the includes of modules against src/LAYERS.

  layers.py SRC

A module includes only the folders that LAYERS allows, and each rule of LAYERS is
used.  Every folder with files has a rule of its own.  No modules include each
other in a circle, and the rules of LAYERS form no circle.

A module is a .h, the .c of the same name, and the files that have no header of
their own: server_leave.c belongs to server.h, and so does server_state.h,
which the files of a module share.  A .def is by itself, because any file may
include it.
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
        self.below, self.pure, self.used = {}, set(), set()
        for line in text.splitlines():
            line = line.partition("#")[0].strip()
            if line:
                self.read(*line.split(":"))

    def read(self, name, below):
        if name.endswith("*"):
            self.pure.add(name.rstrip("*"))
        self.below[name.rstrip("*")] = set(below.split())

    def use(self, folder, target):
        """True if a file of the folder may include the target."""
        self.used.add((folder, target))
        return target in self.below[folder] | {folder}


def folder_of(name):
    return name.rpartition("/")[0]


def sources(src):
    return sorted(path for suffix in ("c", "h", "def")
                  for path in src.glob(f"*/**/*.{suffix}"))


def includes(path):
    return INCLUDE.findall(path.read_text())


def complaints(path, folder, layers):
    for quote, name in includes(path):
        target = folder_of(name)
        if quote == "<" and target in layers.below:
            yield f'<{name}> is one of our files, so it needs quotes'
        elif quote == '"' and "/" not in name:
            yield f'"{name}" does not name its folder'
        elif quote == '"' and not layers.use(folder, target):
            yield f'"{name}": {folder} may not include {target}'
        if folder in layers.pure and IMPURE.search(name):
            yield f'"{name}": {folder} is pure'


def module_of(name, headers):
    """The module of a file, by its path."""
    if name.endswith(".def"):
        return name
    name = name.rpartition(".")[0]
    family = name.removesuffix("_state")
    while family not in headers and "_" in family.rpartition("/")[2]:
        family = family.rpartition("_")[0]
    return family if family in headers else name


def modules(src):
    """Each module, and the modules that its files include."""
    headers = {str(path.relative_to(src).with_suffix(""))
               for path in src.glob("*/**/*.h")}
    found = {}
    for path in sources(src):
        module = module_of(str(path.relative_to(src)), headers)
        names = {module_of(name, headers)
                 for quote, name in includes(path) if quote == '"'}
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


def check_use(layers):
    """Check that some file uses each rule."""
    for folder, below in layers.below.items():
        for name in sorted(below):
            if (folder, name) not in layers.used:
                yield f"LAYERS: no file of {folder} includes {name}"


def check(src):
    layers = Layers((src / "LAYERS").read_text())
    yield from check_rules(layers)
    for path in sources(src):
        folder = folder_of(str(path.relative_to(src)))
        if folder not in layers.below:
            yield f"{path}: LAYERS has no rule for {folder}"
            continue
        for complaint in complaints(path, folder, layers):
            yield f"{path}: {complaint}"
    yield from check_use(layers)
    yield from check_circles(src)


def main():
    found = list(check(Path(sys.argv[1])))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)


main()
