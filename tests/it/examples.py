"""The examples that people read: found in README, manual, help and skill.

An example is a command in a block that is set off from the prose:

    $ tend ls                       prompted: lines without `$` are output
    NAME  STATUS  ...

    tend ls       what runs         or not: two blanks end the command, and
                                    lines that are indented further explain it

A command may take several lines, as a quote or a here-document does.
"""

import re
import subprocess

import lib

DOCS = sorted(lib.ROOT.glob("docs/*.md"))
LIST = (lib.ROOT / "src" / "cmd" / "line" / "list.h").read_text()
COMMANDS = re.findall(r"^CMD\((\w+)\)$", LIST, re.MULTILINE)
PAGES = ["tend.1", *(f"tend-{name}.1" for name in COMMANDS), "tend-host.8",
         "tend-keeper.8"]


class Example:
    """A command, its comment, and the lines shown below it."""

    def __init__(self, command, note):
        self.command = command
        self.note = note
        self.shown = []

    def __repr__(self):
        return f"{self.command!r}"


class Block:
    """Lines that belong together, and where they are."""

    def __init__(self, source, number, lines):
        self.source = source
        self.number = number
        indent = min(len(line) - len(line.lstrip()) for line in lines if line)
        self.lines = [line[indent:] for line in lines]
        while self.lines and not self.lines[-1]:
            self.lines.pop()

    def __repr__(self):
        return f"{self.source}:{self.number}"

    @property
    def text(self):
        return "\n".join(self.lines) + "\n"

    @property
    def is_data(self):
        """JSON; the prose says what it shows."""
        return self.lines[0].startswith(("{", "["))

    def examples(self):
        if any(line.startswith("$ ") for line in self.lines):
            return list(prompted(self.lines))
        return list(unprompted(self.lines))


# ------------------------------------------------------------ lines to commands

def is_complete(command):
    """True if a shell would run it without asking for another line."""
    done = subprocess.run(["bash", "-n", "-c", command], capture_output=True,
                          text=True)
    return done.returncode == 0 and "here-document" not in done.stderr


def cut(line):
    """A line's command and note, which follows two blanks outside of
    quotes."""
    quote = None
    for i, c in enumerate(line):
        if quote:
            quote = None if c == quote else quote
        elif c in "'\"":
            quote = c
        elif line[i:i + 2] == "  ":
            return line[:i], line[i:].strip()
    return line, ""


def commands(lines):
    """The commands from here on: (example, number of its lines)."""
    command, note = cut(lines[0])
    count = 1
    while not is_complete(command):
        assert count < len(lines), f"no command: {command}"
        command += "\n" + lines[count]
        count += 1
    return Example(command, note), count


def prompted(lines):
    example, at = None, 0
    while at < len(lines):
        line = lines[at]
        if line.startswith("$ "):
            example, count = commands([line[2:], *lines[at + 1:]])
            yield example
            at += count
            continue
        if example is not None:
            example.shown.append(line)
        at += 1


def unprompted(lines):
    at = 0
    while at < len(lines):
        if not lines[at] or lines[at].startswith((" ", "#")):
            at += 1
            continue
        example, count = commands(lines[at:])
        yield example
        at += count


# ------------------------------------------------------------- texts to blocks

def gather(source, numbered, is_in):
    """The blocks of consecutive lines inside one; blank lines may be among
    them."""
    block, start = [], 0
    for number, line in [*numbered, (0, "end")]:
        if is_in(line) or (block and not line):
            start = start if block else number
            block.append(line)
        elif block:
            yield Block(source, start, block)
            block = []


def of_markdown(source, text):
    """Indented by four, or between fences."""
    lines = list(enumerate(text.splitlines(), 1))
    plain, fenced, fence = [], [], None
    for number, line in lines:
        if line.startswith("```"):
            if fence is None:
                fence = (number + 1, line[3:], [])
            else:
                fenced.append(fence)
                fence = None
            plain.append((number, "```"))
        elif fence is not None:
            fence[2].append(line)
        else:
            plain.append((number, line))
    yield from gather(source, plain, lambda line: line.startswith("    "))
    for number, language, block in fenced:
        if language in ("", "sh"):
            yield Block(source, number, block)


def of_page(source, text):
    """The text between .nf and .fi, as groff shows it."""
    for match in re.finditer(r"^\.nf\n\.RS 4\n(.*?)^\.fi\n", text,
                             re.MULTILINE | re.DOTALL):
        shown = re.sub(r"\\(.)", lambda m: {"&": ""}.get(m[1], m[1]), match[1])
        yield Block(source, text.count("\n", 0, match.start()) + 1,
                    shown.splitlines())


def of_help(source, text):
    """Indented lines before the options."""
    lines = list(enumerate(text.splitlines(), 1))[1:]
    end = next((i for i, (_, line) in enumerate(lines)
                if re.match(r" +(-\w, )?--\w", line)), len(lines))
    below = next((i for i, (_, line) in enumerate(lines) if not line), 0)
    yield from gather(source, lines[below:end],
                      lambda line: line.startswith("  "))


def is_tend(block):
    """True if a block of the other documents shows a call of tend."""
    return re.search(r"^(\$ )?(.*\| )?(\w+=\$\()?tend ", block.text,
                     re.MULTILINE)


def all_blocks():
    """Every block of every text."""
    found = list(of_markdown("README.md", (lib.ROOT / "README.md").read_text()))
    for path in DOCS:
        found += [block for block in
                  of_markdown(f"docs/{path.name}", path.read_text())
                  if is_tend(block)]
    for page in PAGES:
        found += of_page(page, (lib.BUILD / "docs" / "man" / page).read_text())
    for name in COMMANDS:
        found += of_help(f"tend {name} -h", lib.shows(name, "-h"))
    found += of_help("tend", "tend\n" + lib.tend(env={"PATH": "/usr/bin:/bin"}
                                                 ).text)
    found += of_markdown("tend skill", lib.shows("skill"))
    return found


# ------------------------------------------------------------- shown output

def as_pattern(line):
    """Replace times, ids and prompts, which differ; keep the rest."""
    pattern = re.escape(line).replace(r"\ ", " ")
    pattern = re.sub(r" +", " +", pattern)
    pattern = pattern.replace(re.escape("you@machine:~$"), r"\S+[$#]")
    pattern = re.sub(r"\b\d+[smhd]\b", r"\\d+[smhd]", pattern)
    return re.sub(r"\b01[0-9A-Z]{24}\b", "[0-9A-Z]{26}", pattern)


def is_shown(shown, output):
    """True if the output is as shown; `…` stands for anything."""
    shown = "\n".join(shown).strip("\n")
    if "…" in shown:
        squeezed = [re.sub(r"\s", "", part) for part in (shown, output)]
        parts = map(re.escape, squeezed[0].split("…"))
        return re.fullmatch(".*".join(parts), squeezed[1], re.DOTALL)
    pattern = r"[ ]*\n".join(map(as_pattern, shown.split("\n")))
    return re.fullmatch(pattern + r"\s*", output)
