"""Check that modules include only what src/LAYERS lets them.

  layers.py SRC
"""

import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.M)

# What a pure module does without.
IMPURE = re.compile(r"(unistd|fcntl|poll|time|signal|pthread|uv)\.h$|sys/|"
                    r"base/(clock|fd|file|log|loop|path|id)\.h$")


def read_layers(text):
    layers, pure = {}, set()
    for line in text.splitlines():
        line = line.partition("#")[0].strip()
        if line:
            name, _, below = line.partition(":")
            if name.endswith("*"):
                pure.add(name.rstrip("*"))
            layers[name.rstrip("*")] = set(below.split())
    return layers, pure


def complaints(path, module, layers, pure):
    for quote, name in INCLUDE.findall(path.read_text()):
        target = name.partition("/")[0]
        if quote == '"' and "/" not in name:
            yield f'"{name}" does not name its module'
        elif quote == '"' and target not in layers[module] | {module}:
            yield f'"{name}": {module} may not include {target}'
        if module in pure and IMPURE.search(name):
            yield f'"{name}": {module} is pure'


def check(src):
    layers, pure = read_layers((src / "LAYERS").read_text())
    for module, below in layers.items():
        for name in below - set(layers):
            yield f"LAYERS: {module} names {name}, which is no module"
    for path in sorted(src.glob("*/**/*.[ch]")):
        module = path.relative_to(src).parts[0]
        if module not in layers:
            yield f"{path}: LAYERS does not know {module}"
            continue
        for complaint in complaints(path, module, layers, pure):
            yield f"{path}: {complaint}"


def main():
    found = list(check(Path(sys.argv[1])))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)


main()
