"""Check that comments and documents are plain English.

  prose.py ROOT [FOLDER...]

A sentence that begins with What, Who or Whether has no subject, and a few
phrases have to be decoded ("is told of", "nobody knows").  This tool counts
both in comments and in documents.  LEFT is the most that a folder may have: it
is the count of a folder that is not rewritten yet, and it only goes down.  A
folder that is not listed may have none.  With FOLDERs it lists their sentences.
"""

import re
import sys
from pathlib import Path

BEGINS = re.compile(r"(?:What|Who|Whoever|Whom|Whose|Whether|Of what|"
                    r"That which)\b")
PHRASES = re.compile(r"\b(?:is told|are told|nobody knows|nobody will know|anew|"
                     r"who looks|whoever looks|all the same)\b")
QUESTION = re.compile(r"[^.;:]*\?")

# A folder or a document, and how many such sentences it may still have.
LEFT = {
}

COMMENT = {".c": re.compile(r"/\*.*?\*/|//[^\n]*", re.S),
           ".h": re.compile(r"/\*.*?\*/|//[^\n]*", re.S),
           ".def": re.compile(r"/\*.*?\*/|//[^\n]*", re.S),
           ".py": re.compile(r'"""(?:[^"\\]|\\.)*?"""|(?m:^[ \t]*#[^\n]*'
                             r'(?:\n[ \t]*#[^\n]*)*)'),
           ".sh": re.compile(r"(?m:^[ \t]*#[^\n]*(?:\n[ \t]*#[^\n]*)*)"),
           ".test": re.compile(r"(?m:^#[^\n]*(?:\n#[^\n]*)*)"),
           ".md": re.compile(r".+", re.S),
           ".scd": re.compile(r".+", re.S)}

LOOK = ["src", "tests", "tools", "docs", "dist", "README.md", "CHANGES.md",
        "CONTRIBUTING.md", "ARCHITECTURE.md"]


def plain(text, ending):
    """The prose of a comment or document, with blank lines between parts."""
    if ending in (".md", ".scd"):
        text = re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)
        text = re.sub(r"^(?:    |\t).*$", "", text, flags=re.M)
        return re.sub(r"^\s*(?:[-*#]+|\|)\s*", "\n\n", text, flags=re.M)
    text = re.sub(r"^\s*(?:/\*|\*/|\*|//|#)[ \t]?", "", text, flags=re.M)
    return text.strip("\"*/ \n")


def sentences(text):
    for part in re.split(r"\n\s*\n", text):
        yield from re.split(r"(?<=[.;:?!])\s+", " ".join(part.split()))


def found_in(path):
    """The sentences of a file that are not plain."""
    for part in COMMENT[path.suffix].findall(path.read_text()):
        for sentence in sentences(plain(part, path.suffix)):
            if PHRASES.search(sentence) or (BEGINS.match(sentence) and not
                                            QUESTION.fullmatch(sentence)):
                yield sentence


def folder(path):
    """src/host/ask/x.c belongs to src/host; a document belongs to itself."""
    return str(path if path.suffix == ".md" else Path(*path.parts[:-1][:2]))


def files(root):
    for top in LOOK:
        path = root / top
        for file in [path] if path.is_file() else sorted(path.rglob("*")):
            if file.suffix in COMMENT and "node_modules" not in file.parts:
                yield file


def main():
    root = Path(sys.argv[1])
    found = {}
    for file in files(root):
        name = file.relative_to(root)
        found.setdefault(folder(name), []).extend(
            f"{name}: {sentence[:70]}" for sentence in found_in(file))
    if sys.argv[2:]:  # the sentences of these folders, to rewrite them
        print(*(line for name in sys.argv[2:] for line in found[name]), sep="\n")
        return
    over = {name: lines for name, lines in found.items()
            if len(lines) > LEFT.get(name, 0)}
    for name, lines in over.items():
        print(f"{name}: {len(lines)} sentences are not plain; the limit is "
              f"{LEFT.get(name, 0)}", *lines, sep="\n  ")
    for name, most in LEFT.items():
        if len(found.get(name, [])) < most:
            print(f"{name}: the limit can go down to "
                  f"{len(found.get(name, []))}")
    print(f"{sum(map(len, found.values()))} sentences to rewrite, "
          f"{len(over)} problems")
    sys.exit(1 if over else 0)


main()
