"""Streams that can be compared with xterm.

They are those of generate.py, without features that xterm does not have or
does differently on purpose (xterm_policies.py), and with more of those that
xterm knows best: margins on all four sides, modes that stay on, protected
cells.  Each stream is short, so that a small screen holds most of its effects.
"""

import generate
from generate import ESC, csi

MARK = "\u0301"
SAVE = f"{ESC}7"


class Generator(generate.Generator):
    """Streams of one family.  Features that xterm gets wrong together (see
    xterm_policies.py) are in different families."""

    def __init__(self, seed, cols, rows, family, without=()):
        super().__init__(seed, cols, rows)
        self.family = family
        self.wide = family == "wide"
        chosen = {**FEATURES, **FAMILIES[family]}
        self.features = {name: weight for name, weight in chosen.items()
                         if weight and name not in without}

    # Text.

    def text_wide(self):
        return super().text_wide() if self.wide else self.text_ascii()

    def text_to_the_edge(self):
        ends = ("漢", "a漢", "漢字", "😀") if self.wide else ()
        return self.home() + "x" * self.random.randint(0, 3) + \
            csi(self.cols - self.pick(0, 1, 2), "G") + \
            self.pick("ab", "abc", f"e{MARK}z", *ends)

    def text_half(self):
        """Write into one half of a wide character, or insert there."""
        row, at = self.row(), self.random.randint(1, max(self.cols - 8, 1))
        return csi(row, ";", at, "H") + "漢字かな" + \
            csi(row, ";", at + self.random.randint(0, 7), "H") + \
            self.pick("x", "語", csi("2X"), csi("@"), csi("K"), csi("3@"))

    def text_marks(self):
        return "".join(c + self.pick("", MARK)
                       for c in self.some("aeo漢" if self.wide else "aeo", 5))

    def text_fill(self):
        """A screen full of different letters, to see what moves where."""
        rows = ("".join(chr(ord("a") + (x + 7 * y) % 26)
                        for x in range(self.cols)) for y in range(self.rows))
        return "".join(csi(y, ";1H", row) for y, row in enumerate(rows, 1))

    # Margins.

    def side_margins(self):
        left = self.random.randint(1, self.cols)
        right = self.random.randint(1, self.cols + 1)
        return csi("?69h") + csi(left, ";", right, "s")

    def side_margins_end(self):
        return self.pick(csi("?69l"), csi("s"))

    def box(self):
        """Margins on all sides that leave room, and the cursor in or out."""
        left = self.random.randint(1, self.cols - 3)
        top = self.random.randint(1, self.rows - 2)
        return csi("?69h") + csi(left, ";",
                                 self.random.randint(left + 1, self.cols), "s") + \
            csi(top, ";", self.random.randint(top + 1, self.rows), "r") + \
            self.pick("", self.home())

    def margins_end(self):
        return csi("?69l") + csi("r")

    def insert_in_margins(self):
        """From inside: xterm decides at the start of a run of text for the
        whole run."""
        left = self.random.randint(1, self.cols - 3)
        right = self.random.randint(left + 1, self.cols)
        return csi("?69h") + csi(left, ";", right, "s") + csi("?6h") + \
            csi(self.row(), ";", self.random.randint(1, right - left), "H") + \
            csi("4h") + self.text_ascii() + csi("4l") + csi("?6l")

    # Modes that stay.

    def origin_mode(self):
        return csi("?6", self.pick("h", "l"))

    def wrap_mode(self):
        return csi("?7", self.pick("h", "h", "l"))

    def insert_mode_stays(self):
        return csi("4", self.pick("h", "l", "l"))

    def new_line_mode_stays(self):
        return csi("20", self.pick("h", "l", "l"))

    def backward(self):
        """Leftwards, sometimes over the edge."""
        return self.pick("\b" * self.random.randint(1, 6), csi(self.count(), "D"))

    # A restore always has a save before it.

    def alternate(self):
        return self.pick(csi("?1049h") + SAVE, csi("?1049l"))

    def soft_reset(self):
        return csi("m") + csi("!p") + SAVE

    def full_reset(self):
        return f"{ESC}c" + SAVE

    def full_reset_hidden(self):
        return csi("?25l") + f"{ESC}c" + SAVE

    def alignment(self):
        return csi("m") + f"{ESC}#8"

    # Cells.

    def protection(self):
        return csi(self.pick(0, 1, 1, 2), '"q')

    def protect(self):
        return csi('1"q') + self.text_ascii() + csi('0"q') + \
            self.pick("", self.erase_selective())

    def erase_selective(self):
        return csi(self.column(), "G") + csi("?", self.pick("", 0, 1, 2), self.pick("J", "K"))

    def back_forward_index(self):
        return self.pick(f"{ESC}6", f"{ESC}9")

    def insert_delete_chars(self):
        return csi(self.count(), "@" if self.wide else self.pick("@", "P"))

    def move_cells(self):
        return self.pick(self.insert_delete_chars, self.insert_delete_lines,
                         self.scroll_up, self.scroll_down)()

    def scroll_up(self):
        """By one row, or in a region of all rows."""
        return csi("S") if self.pick(True, False) else \
            csi("r") + self.home() + csi(self.count(), "S")

    def scroll_down(self):
        return csi(self.count(), "T")

    # Rectangles.

    def edge(self, most):
        return self.pick(1, most, most + 5, self.random.randint(1, most),
                         self.random.randint(1, most))

    def rectangle(self):
        """Top, left, bottom and right; sometimes no rectangle."""
        return ";".join(str(self.edge(most)) for most in
                        (self.rows, self.cols, self.rows, self.cols))

    def rectangle_changed(self):
        return self.pick(
            csi(self.pick(33, 65, 126, 160, 233, 7), ";", self.rectangle(), "$x"),
            csi(self.rectangle(), self.pick("$z", "${")),
            csi(self.rectangle(), ";1;", self.edge(self.rows), ";",
                self.edge(self.cols), ";1$v"))

    def rectangle_in_origin(self):
        return csi("?6h") + self.rectangle_changed() + csi("?6l")

    def rectangle_defaults(self):
        return csi(self.pick("$z", "${", "65$x", "65;;;2$x", "2$z", ";3${",
                             "2;2;3;3;1$v", "0;0;0;0$z", ";;;;;2;2$v"))

    def guard(self):
        """ISO's protection, which every erase respects."""
        return f"{ESC}V" + self.text_ascii() + f"{ESC}W"

    def tabs_shown(self):
        return "\r" + "\tx" * 4

    def tabs_with_marks(self):
        return self.pick(csi("3g"), "") + "".join(
            csi(self.column(), "G") + f"{ESC}H" for _ in range(2))

    def repeat(self):
        return self.pick("ab", "-") + \
            csi(self.pick("", 0, 1, 3, self.cols), "b")

    def sgr(self):
        numbers = [n for n in generate.FLAGS_ON + generate.FLAGS_OFF + [0]
                   if n not in (8, 21)]
        if self.family != "rectangles":
            numbers += generate.ANSI_COLOURS
        if self.family != "margins":
            numbers = [n for n in numbers if n not in (7, 27)]
        return csi(";".join(str(n) for n in self.some(numbers, 4)), "m")

    def charset(self):
        return self.pick(f"{ESC}(0lqqk`afgjx~{ESC}(B", f"{ESC})0\x0etqux\x0f",
                         f"{ESC}(A#{ESC}(B", f"{ESC}%G")

    def parser(self):
        """Sequences that are aborted, unknown or interrupted."""
        return self.pick(csi("1\x18A"), csi("3\x1aB"), csi("2", csi("m")),
                         csi("1\n0C"), csi("99999999999C"), csi("?1?2h"),
                         csi("1;2;3z"), f"{ESC}]2;cut\x18", f"{ESC}Pq\x18",
                         f"{ESC} F", "\x7f", "\x00", f"{ESC}{ESC}[1m")

    def forward(self):
        return csi(self.count(), self.pick("C", "a", "I", "B", "e"))


FEATURES = {
    "text_ascii": 20, "text_long": 6, "text_to_the_edge": 6, "text_marks": 2,
    "text_fill": 4,
    "line_feed": 12, "carriage_return": 4, "backspace": 3, "backward": 4,
    "tab": 4, "tab_moves": 2, "tab_stops": 2, "tabs_shown": 2,
    "tabs_with_marks": 1, "index": 5,
    "move_relative": 10, "move_absolute": 10, "forward": 2,
    "erase_line": 5, "erase_display": 2, "erase_above": 1,
    "erase_above_edge": 0.5, "erase_chars": 3, "erase_selective": 2,
    "insert_delete_chars": 4, "insert_delete_lines": 4, "move_cells": 4,
    "scroll_up": 2, "scroll_down": 2, "alignment": 0.3,
    "region": 2, "region_full": 2, "region_scroll": 2,
    "origin_mode": 2,
    "new_line_mode_stays": 0.5,
    "modes": 1, "mode_lists": 0.5,
    "full_reset": 0.2, "full_reset_hidden": 0.1,
    "sgr": 8, "sgr_reset": 3, "sgr_256": 2, "sgr_rgb": 2, "charset": 2,
    "repeat": 2, "parser": 1, "strings": 0.5,
}
MARGINS = {
    "side_margins": 2, "side_margins_end": 2, "box": 4, "margins_end": 2,
    "insert_in_margins": 2, "wrap_mode": 2, "no_wrap": 1, "columns": 3,
    "back_forward_index": 1, "protect": 2, "protection": 2, "guard": 1,
}
FAMILIES = {
    "wide": {"text_wide": 10, "text_half": 8, "insert_mode": 2,
             "insert_mode_stays": 1, "save_restore": 2, "save_scroll": 2,
             "alternate": 2, "soft_reset": 0.5},
    "margins": MARGINS,
    "rectangles": {**MARGINS, "protection": 0, "guard": 0, "origin_mode": 0,
                   "sgr_256": 0, "sgr_rgb": 0, "rectangle_changed": 8,
                   "rectangle_in_origin": 2, "rectangle_defaults": 2,
                   "save_restore": 2, "alternate": 2},
}


def stream(seed, cols, rows, count, without=()):
    family = list(FAMILIES)[seed % len(FAMILIES)]
    items = Generator(seed, cols, rows, family, without).items(count)
    return [SAVE.encode(), *items]
