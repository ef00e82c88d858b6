"""A chat program that paints as the coding agents built on Ink do.

It stays on the primary screen, lets finished text scroll away, and repaints
its last few lines in place: cursor up, erase line, write again, wrapped in
synchronized output.  It sets a title, progress, links, bracketed paste,
focus events and the kitty keyboard, and puts all of them back at the end.
Every line typed is one turn; `/quit` ends it.
"""

import os
import select
import shutil
import signal
import sys
import termios
import textwrap
import tty

ESC = "\x1b"
SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
MODES_ON = f"{ESC}[?2004h{ESC}[?1004h{ESC}[>1u{ESC}[?25l"
MODES_OFF = f"{ESC}[<u{ESC}[?1004l{ESC}[?2004l{ESC}[?25h"

REPLY = (
    ("h", "Plan"),
    ("p", "I will read the parser first, then change the table that maps "
          "final bytes to handlers, and run the tests. 解析器 comes before "
          "the screen, so nothing else has to move. 🚀"),
    ("l", "read `src/parser.c` and its header"),
    ("l", "add one row to the table"),
    ("l", "run the tests, and look at a failure before changing anything"),
    ("t", "src/parser.c:118"),
    ("d", "-\tif (c == 'm')"),
    ("d", "+\tif (c == 'm' && !private)"),
    ("d", " \t\treturn csi_sgr(p);"),
    ("p", "The private marker was ignored, so `CSI > 4 ; 2 m` changed the "
          "pen. It is a key mode of another terminal and must not be seen as "
          "a colour; see the link above for the place."),
)

STYLE = {"h": f"{ESC}[1;38;2;215;119;87m", "p": "", "l": f"{ESC}[38;5;250m"}


class Agent:
    def __init__(self):
        self.live = []          # the lines that are painted in place
        self.frame = 0
        self.typed = ""

    def cols(self):
        return shutil.get_terminal_size().columns

    def out(self, text):
        os.write(1, text.replace("\n", "\r\n").encode())

    def paint(self, live, above=()):
        """Replace the live lines, and let `above` scroll away over them."""
        text = f"{ESC}[?2026h"
        text += f"{ESC}[2K{ESC}[1A" * (max(len(self.live) - 1, 0))
        text += f"{ESC}[2K{ESC}[G" if self.live else ""
        text += "".join(line + "\n" for line in above)
        text += "\n".join(live) + f"{ESC}[?2026l"
        self.live = live
        self.out(text)

    def box(self, status):
        wide = max(self.cols() - 2, 10)
        dim = f"{ESC}[2m"
        text = self.typed[-(wide - 4):]
        cursor = f"{ESC}[7m {ESC}[27m"
        pad = " " * (wide - 4 - len(text))
        return [
            status,
            f"{dim}╭{'─' * wide}╮{ESC}[22m",
            f"{dim}│{ESC}[22m > {text}{cursor}{pad}{dim}│{ESC}[22m",
            f"{dim}╰{'─' * wide}╯{ESC}[22m",
            f"  {dim}? for help{ESC}[22m {ESC}[38;5;114m● ready{ESC}[39m",
        ]

    def busy(self, tokens):
        self.frame += 1
        glyph = SPINNER[self.frame % len(SPINNER)]
        return (f"{ESC}[38;2;215;119;87m{glyph} Thinking…{ESC}[39m "
                f"{ESC}[2m({tokens} tokens · esc to interrupt){ESC}[22m")

    def wrap(self, kind, text):
        wide = max(self.cols() - 4, 16)
        if kind == "t":
            return [f"{ESC}[1m⏺ Edit{ESC}[22m({ESC}]8;;file:///home/user/"
                    f"src/parser.c{ESC}\\{ESC}[4:3m{ESC}[58:2::90:160:255m"
                    f"{text}{ESC}[59m{ESC}[24m{ESC}]8;;{ESC}\\)"]
        if kind == "d":
            colour = {"-": "48;2;74;32;32", "+": "48;2;24;58;32"}
            sgr = colour.get(text[:1], "38;5;245")
            body = text.expandtabs(8)[:wide]
            return [f"    {ESC}[{sgr}m{body}{ESC}[K{ESC}[m"]
        mark = {"l": "  - ", "h": "", "p": "  "}[kind]
        lines = textwrap.wrap(text, wide - len(mark)) or [""]
        return [f"{STYLE[kind]}{mark if i == 0 else ' ' * len(mark)}{line}"
                f"{ESC}[m" for i, line in enumerate(lines)] + (
                    [""] if kind in "hp" else [])

    def turn(self):
        self.out(f"{ESC}]0;✳ working on it\x07{ESC}]9;4;3\x07")
        said = self.typed
        self.typed = ""
        self.paint(self.box(self.busy(0)),
                   [f"{ESC}[48;5;237m > {said} {ESC}[K{ESC}[49m", ""])
        tokens = 0
        for number, (kind, text) in enumerate(REPLY):
            words = text.split(" ")
            for cut in range(1, len(words) + 1, 3):
                tokens += 7
                part = self.wrap(kind, " ".join(words[:cut]))
                self.paint(part + self.box(self.busy(tokens)))
                self.breathe()
            self.paint(self.box(self.busy(tokens)), self.wrap(kind, text))
            self.out(f"{ESC}]9;4;1;{100 * (number + 1) // len(REPLY)}\x07")
        self.out(f"{ESC}]9;4;0\x07{ESC}]0;✳ done\x07\x07")
        self.paint(self.box(f"{ESC}[38;5;114m✔ done{ESC}[39m"))

    def breathe(self):
        """Paint one frame of the animation; input meanwhile is kept."""
        if select.select([0], [], [], 0.012)[0]:
            self.typed += os.read(0, 4096).decode().replace("\r", "")

    def press(self, key):
        """False when this key ends the program."""
        if key == "\r" and self.typed == "/quit":
            return False
        if key == "\r":
            self.turn()
        elif key == "\x7f":
            self.typed = self.typed[:-1]
        else:
            self.typed += key
        return True

    def run(self):
        woken, wake = os.pipe()
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake)
        signal.signal(signal.SIGWINCH, lambda *_: None)
        self.out(f"{MODES_ON}{ESC}]0;✳ agent\x07")
        self.paint(self.box(""), [f"{ESC}[1mWelcome{ESC}[22m to an agent", ""])
        while True:
            ready, _, _ = select.select([0, woken], [], [])
            keys = ""
            if woken in ready:
                os.read(woken, 4096)
            if 0 in ready:
                keys = os.read(0, 4096).decode()
            if not all([self.press(key) for key in keys]):
                break
            self.paint(self.box(f"{ESC}[2m{self.cols()} columns{ESC}[22m"))
        self.out("\n" + MODES_OFF)


def main():
    before = termios.tcgetattr(0)
    tty.setraw(0)
    try:
        Agent().run()
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, before)


if __name__ == "__main__":
    sys.exit(main())
