"""The real xterm, on a display of its own, as a terminal that can be asked.

xterm runs on our side of a pseudo-terminal (its option -S), so no program runs
in it.  It shows the bytes that we write to the other side, and we read its
answers there.  It prints its screen (MC, with the printer a pipe to us), which
gives every cell with its text, colours and attributes in one round trip; it
reports its cursor by DECCIR and its modes by DECRQM.

One xterm serves many streams: RIS is between them.
"""

import os
import re
import select
import subprocess
import tty
import unicodedata

TIMEOUT_S = 60                  # an xterm that is silent for so long is stuck
FONT = "nil2"                   # of xfonts-base; so small that it draws fast

RESOURCES = {
    "printerCommand": "cat",
    "printAttributes": "2",     # colours too
    "printerFormFeed": "true",  # which ends a printed screen
    "printerNewLine": "false",
    "printerAutoClose": "false",
    "precompose": "false",      # a mark stays a code point of its own
    "boldColors": "false",      # bold text keeps its colour
    "allowWindowOps": "true",
    "disallowedWindowOps": "",
    "jumpScroll": "false",      # a scroll that waits ends protection
    "saveLines": "0",
}

# RIS does not reset the text of the alternate screen.
RESET = b"\x18\x1b[?47h\x1b[!p\x1b[2J\x1b[?47l\x1bc"
PRINT = b"\x1b[?11i"
CURSOR = b"\x1b[1$w"
TABS = b"\x1b[2$w"
END = b"\x1b[?31337$p"          # no such mode: its answer comes last
END_ANSWER = b"\x1b[?31337;0$y"

MODES = {"app_cursor": "?1", "app_keypad": "?66", "bracketed_paste": "?2004",
         "insert": "4", "origin": "?6", "wraparound": "?7", "focus": "?1004",
         "visible": "?25", "margins": "?69", "new_line": "20"}
MICE = {"x10": "?9", "vt200": "?1000", "drag": "?1002", "any": "?1003"}

ATTRIBUTES = {1: "bold", 2: "faint", 3: "italic", 4: "ul=single", 5: "blink",
              7: "inverse", 8: "hidden", 9: "strike", 21: "ul=double"}
RIGHT_HALF = "\uffff"           # xterm's content of the second column
PRINTED = re.compile("\x1b#(\\d)|\x1b\\[([0-9;:]*)m|(.)", re.S)


class Stuck(Exception):
    """xterm, or the display, failed."""


def start(command, **how):
    try:
        return subprocess.Popen(command, **how)
    except FileNotFoundError:
        why = f"there is no {command[0]}; ./dev test installs it"
        raise Stuck(why) from None


class Display:
    """An X server without a screen, on a number that was free."""

    def __init__(self):
        ours, theirs = os.pipe()
        self.process = start(
            ["Xvfb", "-displayfd", str(theirs), "-screen", "0", "1280x1024x24",
             "-nolisten", "tcp", "-noreset"], pass_fds=[theirs],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs)
        self.name = ":" + read_until(ours, b"\n", "Xvfb").decode().strip()
        os.close(ours)

    def close(self):
        self.process.terminate()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def read_until(fd, end, who):
    """Read everything up to and including `end`; nothing may follow it."""
    out = b""
    while not out.endswith(end):
        ready, _, _ = select.select([fd], [], [], TIMEOUT_S)
        if not ready:
            raise Stuck(f"{who} says nothing more, after {out[-300:]!r}")
        try:
            more = os.read(fd, 1 << 16)
        except OSError:         # the other side of a pseudo-terminal is closed
            more = b""
        if not more:
            raise Stuck(f"{who} has ended, after {out[-300:]!r}")
        out += more
    return out


def write_all(fd, data):
    while data:
        data = data[os.write(fd, data):]


def environment(display):
    return {**os.environ, "DISPLAY": display.name, "LC_ALL": "C.UTF-8"}


def options(resources):
    """xterm's arguments that set resources."""
    return [word for name, value in resources.items()
            for word in ("-xrm", f"XTerm*{name}: {value}")]


class Xterm:
    def __init__(self, display, cols, rows):
        self.cols, self.rows = cols, rows
        master, self.pty = os.openpty()
        tty.setraw(self.pty)
        self.printer, printer = os.pipe()
        name = os.path.basename(os.ttyname(self.pty))
        self.process = start(
            ["xterm", "-u8", "-geometry", f"{cols}x{rows}", "-fn", FONT,
             *options(RESOURCES), f"-S{name}/{master}"],
            env=environment(display), pass_fds=[master],
            stdout=subprocess.DEVNULL, stderr=printer)
        os.close(master)
        os.close(printer)
        read_until(self.pty, b"\n", "xterm")    # the number of its window
        # The printer stays open from its first use on.
        write_all(self.pty, b"\x1b[5i\f\x1b[4i")
        read_until(self.printer, b"\f", "xterm's printer")

    def close(self):
        self.process.terminate()
        self.process.wait()
        os.close(self.pty)
        os.close(self.printer)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def ask(self, questions):
        write_all(self.pty, questions + END)
        return read_until(self.pty, END_ANSWER, "xterm")

    def print(self):
        """The cells of all rows."""
        write_all(self.pty, PRINT)
        page = read_until(self.printer, b"\f", "xterm's printer").decode()
        return [printed_row(row) for row in printed_rows(page)]

    def show(self, data):
        """The state after these bytes, which reach a terminal just reset."""
        numbers = [*MODES.values(), *MICE.values()]
        questions = "".join(f"\x1b[{n}$p" for n in numbers).encode()
        write_all(self.pty, RESET + data)
        answers = self.ask(CURSOR + TABS + questions).decode("latin-1")
        rows = self.print()
        self.add_styles(rows)
        for row in rows:
            mend_halves(row, self.cols)
        return {"cursor": cursor(answers), "modes": modes(answers),
                "tabs": tabs(answers, self.cols), "rows": rows}

    def add_styles(self, rows):
        """Complete the styles of the cells, and the rows with erased cells.

        xterm prints a row up to its last character, and a cell that was never
        written without its style.  DECSERA turns all unprotected characters
        into blanks and leaves their styles, so the screen is printed once
        more.
        """
        write_all(self.pty, b"\x1b[?6l\x1b[${")
        for row, blanks in zip(rows, self.print()):
            for x, blank in enumerate(blanks):
                if x == len(row):
                    row.append(blank)
                elif blank[0] == " ":
                    row[x][1:] = blank[1:]


def answered(answers, pattern):
    found = re.findall(pattern, answers, re.S)
    if not found:
        raise Stuck(f"no {pattern!r} in xterm's answers: {answers!r}")
    return found[-1]


def cursor(answers):
    row, col, flags = answered(
        answers, r"\x1bP1\$u(\d+);(\d+);1;.;.;(.);")
    return {"row": int(row) - 1, "col": int(col) - 1,
            "pending_wrap": bool(ord(flags) & 8)}


def tabs(answers, cols):
    """The columns with a tab stop, except the first, which means nothing."""
    stops = answered(answers, r"\x1bP2\$u([\d/]*)\x1b")
    return [int(n) - 1 for n in stops.split("/") if n and 1 < int(n) <= cols]


def is_set(answers, number):
    value = answered(answers, r"\x1b\[%s;(\d)\$y" % re.escape(number))
    return value == "1"


def modes(answers):
    out = {name: is_set(answers, number) for name, number in MODES.items()}
    mice = [name for name, number in MICE.items() if is_set(answers, number)]
    return {**out, "mouse": (mice or ["none"])[-1]}


def printed_rows(page):
    """The rows of a printed screen.  Each ends with CR, and with LF unless it
    wraps."""
    return [row.lstrip("\n") for row in page.rstrip("\f").split("\r")[:-1]]


def printed_row(row):
    """Cells, one for each column: [text, fg, bg, attributes].

    A cell without SGR right before it has the default style.  The second
    column of a wide character has no text.
    """
    cells, style = [], ["", "", []]
    for size, sgr, char in PRINTED.findall(row):
        if size:
            continue
        if not char:
            style = printed_style(sgr)
        elif unicodedata.combining(char) and cells:
            first_column(cells)[0] += char
        else:
            cells.append(["" if char == RIGHT_HALF else char, *style])
            style = ["", "", []]
    return cells


def is_wide(text):
    return text != "" and unicodedata.east_asian_width(text[0]) in "WF"


def mend_halves(cells, cols):
    """Give wide characters two columns, where xterm has lost one.

    ICH leaves a left half in the last column, DCH removes the right half
    there, and the right half of a protected one stays when the left is gone.
    """
    for x, cell in enumerate(cells):
        before = x > 0 and is_wide(cells[x - 1][0])
        if before and cell[0] == " ":
            cell[0] = ""
        elif cell[0] == "" and not before:
            cell[0] = " "
        elif x == cols - 1 and is_wide(cell[0]):
            cell[0] = " "


def first_column(cells):
    """The last character's cell; the first of its two columns."""
    return cells[-1] if cells[-1][0] or len(cells) == 1 else cells[-2]


def printed_style(sgr):
    fg, bg, attributes = "", "", []
    for part in sgr.split(";"):
        kind = part.partition(":")[0]
        if int(kind) in ATTRIBUTES:
            attributes.append(ATTRIBUTES[int(kind)])
        elif kind.startswith(("3", "9")):
            fg = printed_colour(part)
        elif kind.startswith(("4", "10")):
            bg = printed_colour(part)
    return [fg, bg, sorted(attributes)]


def printed_colour(part):
    """A colour in the words of README.md. xterm prints a restored colour as
    the palette's, whatever it is."""
    number, *rest = part.split(":")
    if not rest:
        return "p%d" % (int(number) % 10 + (8 if int(number) >= 90 else 0))
    if rest[0] == "2":
        return "#%02x%02x%02x" % tuple(int(n) for n in rest[-3:])
    value = int(rest[1])
    return f"p{value}" if value < 0x100 else f"#{value:06x}"
