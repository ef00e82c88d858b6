"""Valid terminal streams from a seed.

A stream is a list of items: bytes, or a (cols, rows) pair for a resize.  An
item is a sequence, or a small group that belongs together, so a stream without
some of its items is still valid: compare.py shrinks streams in this way.

Each feature below is a method with a weight; `without` names those to leave
out, which helps to find the features that a difference needs.
"""

import random

ESC = "\x1b"
WORDS = ("tend a session keeps every byte of its terminal so that nothing is "
         "lost when the window closes").split()
WIDE = "漢字かなカナ中文한국어全角Ａ、。"
EMOJI = ("😀", "🚀", "⚡", "⌚", "❤", "☁", "✈", "🎉", "🀄")
JOINED = ("👩\u200d💻", "👨\u200d👩\u200d👧", "🏳\ufe0f\u200d🌈", "👍🏽", "🧑🏿\u200d🚀",
          "🏴\U000e0067\U000e0062\U000e007f")
SELECTED = ("❤\ufe0f", "☁\ufe0f", "1\ufe0f\u20e3", "⌚\ufe0e", "#\u20e3", "™\ufe0f")
FLAGS = ("🇺🇸", "🇯🇵🇩🇪", "🇫", "🇧🇷🇧")
MARKS = "\u0301\u0308\u0323\u0336\u20d7"
INDIC = ("हिन्दी", "क्षत्रिय", "தமிழ்", "বাংলা", "กำ", "น้ำ")
JAMO = ("\u1112\u1161\u11ab", "\u1100\u1161", "가\u11a8", "\u1161", "\u11a8", "\u1100\u1100\u1161")
UNSEEN = "\u200b\u00ad\u2060\ufeff\u200e\u2028\u00a0"
PRIVATE = "\ue0b0\uf015\U000f0001\ufffd"

ANSI_COLOURS = [*range(30, 38), 39, *range(40, 48), 49, *range(90, 98),
                *range(100, 108)]
FLAGS_ON = [1, 2, 3, 4, 5, 7, 8, 9, 21, 53]
FLAGS_OFF = [22, 23, 24, 25, 27, 28, 29, 55]


def csi(*parts):
    return f"{ESC}[" + "".join(str(p) for p in parts)


class Generator:
    def __init__(self, seed, cols, rows, without=()):
        self.random = random.Random(seed)
        self.cols, self.rows = cols, rows
        self.features = {name: weight for name, weight in FEATURES.items()
                         if name not in without}

    def items(self, count):
        names = list(self.features)
        weights = list(self.features.values())
        for name in self.random.choices(names, weights, k=count):
            item = getattr(self, name)()
            yield item if isinstance(item, (tuple, bytes)) else item.encode()

    # Small choices.

    def pick(self, *choices):
        return self.random.choice(choices)

    def some(self, source, most):
        return [self.random.choice(source)
                for _ in range(self.random.randint(1, most))]

    def count(self):
        """A repeat count: mostly none or small, at times beyond the edge."""
        return self.pick("", "", 0, 1, 2, 3, self.random.randint(1, self.cols),
                         self.cols, self.rows, 999)

    def column(self):
        return self.pick(1, self.cols, self.cols - 1,
                         self.random.randint(1, self.cols))

    def row(self):
        return self.pick(1, self.rows, self.random.randint(1, self.rows))

    def home(self):
        return csi(self.row(), ";", self.column(), "H")

    # Text.

    def text_ascii(self):
        return " ".join(self.some(WORDS, 6))

    def text_long(self):
        """Enough to wrap, with the cursor left in any column."""
        goal = self.random.randint(self.cols - 4, 2 * self.cols + 4)
        return (" ".join(self.some(WORDS, 8)) * self.cols)[:goal]

    def text_to_the_edge(self):
        return self.home() + "x" * self.random.randint(0, 3) + \
            csi(self.cols - self.pick(0, 1, 2), "G") + \
            self.pick("ab", "abc", "漢", "a漢", "漢字", "e\u0301z", "😀")

    def text_wide(self):
        return "".join(self.some(WIDE + "ab ", 20))

    def text_emoji(self):
        return "".join(self.some(EMOJI + ("a", " "), 8))

    def text_joined(self):
        return "".join(self.some(JOINED + ("a", " "), 6))

    def text_selected(self):
        return "".join(self.some(SELECTED + ("a", " "), 6))

    def text_flags(self):
        return "".join(self.some(FLAGS + ("a", " "), 5))

    def text_combining(self):
        return "".join(c + "".join(self.some(MARKS, 3))
                       for c in self.some("aeoxZ 漢", 6))

    def text_lone_marks(self):
        """Marks after a control sequence, which join to nothing."""
        return "ab" + csi(self.column(), "G") + self.pick(*MARKS, "\u200d", "\ufe0f") + "c"

    def text_indic(self):
        return " ".join(self.some(INDIC, 3))

    def text_jamo(self):
        return "".join(self.some(JAMO, 4))

    def text_unseen(self):
        return "".join(self.some(UNSEEN + PRIVATE + "abc", 8))

    def text_half(self):
        """Write into one half of a wide character."""
        at = self.random.randint(1, max(self.cols - 8, 1))
        row = self.row()
        return csi(row, ";", at, "H") + "漢字かな" + \
            csi(row, ";", at + self.random.randint(0, 7), "H") + \
            self.pick("x", "語", csi("P"), csi("2X"), csi("@"), csi("K"),
                      csi("3P"), csi("3@"))

    def bad_utf8(self):
        return bytes(self.some(range(0x80, 0x100), 3)) + b"a"

    # Controls.

    def line_feed(self):
        return self.pick("\n", "\r\n", "\r\n", "\x0b", "\x0c") * self.pick(1, 1, 2, 5)

    def carriage_return(self):
        return "\r"

    def backspace(self):
        return "\b" * self.pick(1, 2, 5)

    def reverse_wrap(self):
        return csi("?45h") + "\b" * self.random.randint(1, 12) + csi("?45l")

    def tab(self):
        return "\t" * self.pick(1, 1, 2, 4)

    def tab_moves(self):
        return self.pick(csi("D"), csi("A")) + \
            csi(self.pick("", 1, 2, 5), self.pick("I", "Z"))

    def tab_stops(self):
        return csi(self.column(), "G") + self.pick(f"{ESC}H", csi("g"), csi("0g")) + \
            self.pick("", "", csi("3g"))

    def bell(self):
        return "\x07"

    def c1(self):
        return self.pick("\u0084", "\u0085", "\u008d", "\u009b1m", "\u009d2;t\u009c")

    def index(self):
        return self.pick(f"{ESC}D", f"{ESC}E", f"{ESC}M", f"{ESC}M")

    # Cursor.

    def move_relative(self):
        return csi(self.count(), self.pick(*"ABCDEFae"))

    def move_absolute(self):
        return self.pick(self.home(), csi(self.column(), "G"), csi(self.column(), "`"),
                         csi(self.row(), "d"), csi("H"), csi(self.row(), "H"),
                         csi(";", self.column(), "f"), csi("999;999H"))

    def save_restore(self):
        """Save and restore the cursor, with no scrolling in between."""
        return self.pick(f"{ESC}7", csi("s")) + self.home() + self.sgr() + "x" + \
            self.pick(f"{ESC}8", csi("u"))

    def save_scroll(self):
        return self.pick(f"{ESC}7", f"{ESC}8", csi("s"), csi("u"), csi("?1048h"), csi("?1048l"))

    # Erasing and moving cells.

    def erase_line(self):
        return csi(self.pick("", 0, 1, 2), "K")

    def erase_display(self):
        return csi(self.pick("", 0, 2), "J")

    def erase_above(self):
        at = self.random.randint(1, self.cols - 1)
        return csi(self.row(), ";", at, "H") + csi("1J")

    def erase_above_edge(self):
        return csi(self.row(), ";", self.cols, "H") + csi("1J")

    def erase_scrollback(self):
        return csi("3J")

    def erase_chars(self):
        return csi(self.count(), "X")

    def insert_delete_chars(self):
        return csi(self.count(), self.pick("@", "P"))

    def insert_delete_lines(self):
        return csi(self.count(), self.pick("L", "M"))

    def scroll_up(self):
        return csi(self.count(), "S")

    def scroll_down(self):
        return csi("49m") + csi(self.count() or "", "T")

    def scroll_down_coloured(self):
        return csi(44, "m") + csi(self.count() or "", "T")

    def columns(self):
        return csi(self.count(), self.pick(" @", " A", "'}", "'~"))

    def protect(self):
        return csi('1"q') + " ".join(self.some(WORDS, 3)) + csi('0"q') + \
            self.pick("", csi("?J"), csi("?K"), csi("?1K"), csi("?2J"))

    def alignment(self):
        return f"{ESC}#8"

    # Regions and modes.

    def region(self):
        top = self.random.randint(1, self.rows)
        bottom = self.random.randint(1, self.rows + 1)
        return csi(top, ";", bottom, "r")

    def region_full(self):
        return csi("r")

    def region_scroll(self):
        """Scroll inside a region, and leave it."""
        top = self.random.randint(1, max(self.rows - 2, 1))
        bottom = self.random.randint(min(top + 1, self.rows), self.rows)
        inner = "".join(self.pick(self.line_feed(), self.text_ascii(), self.index(),
                                  self.insert_delete_lines())
                        for _ in range(self.random.randint(1, 6)))
        return csi(top, ";", bottom, "r") + csi(self.pick(top, bottom), "d") + \
            inner + csi("r")

    def origin(self):
        inner = "".join(self.home() + self.text_ascii()
                        for _ in range(self.random.randint(1, 3)))
        return self.region() + csi("?6h") + inner + csi("?6l")

    def origin_relative(self):
        return self.region() + csi("?6h") + self.home() + self.move_relative() + \
            "x" + csi(self.column(), "G") + "y" + csi("?6l")

    def no_wrap(self):
        return csi("?7l") + self.text_long() + csi("?7h")

    def no_wrap_wide(self):
        """Wide characters that meet the margin without wrapping."""
        return csi("?7l") + self.pick(csi(self.cols, "G") + "a漢b", csi(self.cols, "G") + "❤\ufe0f",
                                      self.text_wide() * 4) + csi("?7h")

    def insert_mode(self):
        return csi(self.column(), "G") + csi("4h") + \
            self.pick(self.text_ascii(), self.text_wide()) + csi("4l")

    def new_line_mode(self):
        return csi("20h") + "a\nb\n" + csi("20l")

    def modes(self):
        return csi("?", self.pick(1, 25, 66, 9, 1000, 1002, 1003, 1004, 1006, 2004, 2026, 12),
                   self.pick("h", "l"))

    def mode_lists(self):
        return csi("?1;25;2004", self.pick("h", "l")) + self.pick(f"{ESC}=", f"{ESC}>")

    def alternate(self):
        return csi("?", self.pick(47, 1047, 1049), self.pick("h", "l"))

    def soft_reset(self):
        return csi("!p")

    def full_reset(self):
        return csi("?25h") + csi("20l") + f"{ESC}c"

    def full_reset_hidden(self):
        return csi("?25l") + f"{ESC}c"

    # Colours, links, titles.

    def sgr(self):
        return csi(";".join(str(p) for p in self.some(ANSI_COLOURS + FLAGS_ON + FLAGS_OFF + [0], 4)), "m")

    def sgr_reset(self):
        return self.pick(csi("m"), csi("0m"))

    def sgr_256(self):
        target, n = self.pick(38, 48), self.random.randrange(256)
        return csi(self.pick(f"{target};5;{n}", f"{target}:5:{n}"), "m")

    def sgr_rgb(self):
        target = self.pick(38, 48)
        r, g, b = (self.random.randrange(256) for _ in "rgb")
        return csi(self.pick(f"{target};2;{r};{g};{b}", f"{target}:2::{r}:{g}:{b}"), "m")

    def sgr_rgb_short(self):
        """Without the colour space, as many programs write it."""
        return csi(f"{self.pick(38, 48)}:2:10:20:30m")

    def sgr_broken(self):
        return csi(self.pick("38", "38;5", "48;2;1", "38;9;1", "6", "38;2;300;1;2",
                             "48;5;256", "73", "4:9", "4:"), "m")

    def sgr_underline(self):
        return csi(self.pick("4:1", "4:2", "4:3", "4:4", "4:5", "4:0", "21", "24",
                             "4;58;5;3", "58:2::9:8:7;4:3", "59"), "m")

    def link(self):
        uri = self.pick("http://example.org/a", "file:///home/user/b;c")
        end = self.pick("\x07", f"{ESC}\\")
        parameter = self.pick("", "", "id=7")
        return f"{ESC}]8;{parameter};{uri}{end}{' '.join(self.some(WORDS, 4))}{ESC}]8;;{end}"

    def title(self):
        return f"{ESC}]{self.pick(0, 2)};{self.pick('one', 'two words', '題名', '')}" + \
            self.pick("\x07", f"{ESC}\\")

    def title_stack(self):
        return csi(self.pick("22;0t", "22;2t", "23;0t", "23;2t"))

    def strings(self):
        """Strings that change nothing on the screen."""
        return self.pick(f"{ESC}P+q544e{ESC}\\", f"{ESC}_Gi=1;AAAA{ESC}\\", f"{ESC}^pm{ESC}\\",
                         f"{ESC}Xsos{ESC}\\", f"{ESC}]9;4;1;50\x07", f"{ESC}]133;A{ESC}\\",
                         f"{ESC}]7;file:///home/user\x07", f"{ESC}]1337;x=1\x07",
                         f"{ESC}]notanumber\x07")

    def strings_utf8(self):
        return f"{ESC}_x漢字{ESC}\\"

    def charset(self):
        return self.pick(f"{ESC}(0lqqk`afgjx~{ESC}(B", f"{ESC})0\x0etqux\x0f", f"{ESC}(A#{ESC}(B",
                         f"{ESC}*0{ESC}nqqq\x0f", f"{ESC}%G")

    def repeat(self):
        return self.pick("ab", "漢", "e\u0301", "-") + csi(self.pick("", 0, 1, 3, self.cols), "b")

    def repeat_nothing(self):
        return self.pick(csi("m"), "\r", "a" + csi("m")) + csi("3b")

    def parser(self):
        """Sequences that are aborted, too long, unknown or interrupted."""
        return self.pick(csi("1\x18A"), csi("3\x1aB"), csi("2", csi("m")), csi("1\n0C"),
                         csi(";".join(["1"] * 40), "m"), csi("1:2:3:4:5m"), csi("99999999999C"),
                         csi("?1?2h"), csi("<1u"), csi(">4;2m"), csi("=1u"), csi("1$r"),
                         f"{ESC}]2;cut\x18", f"{ESC}Pq\x18", f"{ESC}(?", f"{ESC} F", "\x7f",
                         csi("5 q"), csi("1;2;3z"), "\x00", "\x05", f"{ESC}{ESC}[1m")

    # Windows.

    def resize_rows(self):
        self.rows = max(2, self.rows + self.random.randint(-6, 6))
        return (self.cols, self.rows)

    def resize_cols(self):
        self.cols = max(8, self.cols + self.random.randint(-25, 25))
        return (self.cols, self.rows)


FEATURES = {
    "text_ascii": 20, "text_long": 8, "text_to_the_edge": 6, "text_wide": 6,
    "text_emoji": 3, "text_joined": 3, "text_selected": 3, "text_flags": 2,
    "text_combining": 3, "text_lone_marks": 1, "text_indic": 2, "text_jamo": 2,
    "text_unseen": 1, "text_half": 4, "bad_utf8": 1,
    "line_feed": 15, "carriage_return": 4, "backspace": 3, "reverse_wrap": 1,
    "tab": 4, "tab_moves": 2, "tab_stops": 1, "bell": 1, "c1": 1, "index": 4,
    "move_relative": 10, "move_absolute": 10, "save_restore": 3, "save_scroll": 1,
    "erase_line": 6, "erase_display": 2, "erase_above": 1,
    "erase_above_edge": 0.5, "erase_scrollback": 0.3,
    "erase_chars": 3, "insert_delete_chars": 4, "insert_delete_lines": 4,
    "scroll_up": 2, "scroll_down": 2, "scroll_down_coloured": 1, "columns": 1,
    "protect": 1, "alignment": 0.3,
    "region": 2, "region_full": 2, "region_scroll": 3, "origin": 1,
    "origin_relative": 0.5, "no_wrap": 1, "no_wrap_wide": 0.5,
    "insert_mode": 2, "new_line_mode": 0.5, "modes": 2, "mode_lists": 1,
    "alternate": 2, "soft_reset": 0.5, "full_reset": 0.2, "full_reset_hidden": 0.1,
    "sgr": 10, "sgr_reset": 4, "sgr_256": 3, "sgr_rgb": 3, "sgr_rgb_short": 0.5,
    "sgr_broken": 0.5, "sgr_underline": 3, "link": 2, "title": 1, "title_stack": 0.5,
    "strings": 1, "strings_utf8": 0.2, "charset": 2, "repeat": 2,
    "repeat_nothing": 0.5, "parser": 2,
    "resize_rows": 1, "resize_cols": 1,
}


def generate(seed, cols, rows, count, without=()):
    return list(Generator(seed, cols, rows, without).items(count))
