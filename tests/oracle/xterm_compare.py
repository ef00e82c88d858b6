#!/usr/bin/python3
"""Compare our engine with the real xterm on generated streams.

  xterm_compare.py --subject build/release-gcc/tests/oracle/vt_dump [WHAT...]

WHAT is streams, policies or self_test; default: all.  Both terminals get the
same bytes and must then show the same: every cell with its text, colours and
attributes, the cursor, the modes.  A stream that differs is shrunk to a small
one that still does.  Exit status 0 means that all agree except for the
policies in xterm_policies.py.
"""

import argparse
import base64
import dataclasses
import json
import os
import re
import sys

import compare
import policies
import reflow
import shrink
import xterm
import xterm_policies
import xterm_streams

FULL = os.environ.get("TEND_TEST_FULL") == "1"
SIZES = ((20, 6), (37, 11), (10, 4), (12, 5))
SHRINK_RUNS = 2000

# The units by which a stream is shrunk: a character that is repeated, text in
# another character set, a sequence with the controls in it, a string, or a
# character with its marks.
PIECES = re.compile(
    "[!-~]\x1b\\[\\d*b|\x1b\\([0A][^\x1b]*\x1b\\(B"
    "|\x1b\\[[\x00-\x1a\x1c-\x1f0-?]*[ -/]*[@-~]"
    "|\x1b[\\]P_^X].*?(?:\x07|\x18|\x1b\\\\)|\x1b[ -/]*[0-~]"
    "|[^\u0301]\u0301*", re.S)
WIDE = re.compile("([\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uff01-\uff60"
                  "\U0001f300-\U0001faff])")
CURSOR = re.compile(rb'"cursor":{"row":(\d+),"col":(\d+),"visible":\w+,'
                    rb'"pending_wrap":(\w+)}')


class Subject(compare.Side):
    """Our engine, behind the protocol of README.md."""

    def request(self, parts, cols, rows):
        """Send the parts; dump the state after each."""
        chunks = []
        for part in parts:
            data = base64.b64encode(part).decode()
            chunks += [{"data": data}, {"dump": True}]
        self.send({"cols": cols, "rows": rows, "scrollback": 0,
                   "graphemes": False, "chunks": chunks})
        return [self.line() for _ in parts]

    def show(self, data, cols, rows):
        return seen(json.loads(self.request([data], cols, rows)[0]))

    def teach_pads(self, data, cols, rows):
        """The bytes for xterm (policy wide_leaves_a_pad): where a wide
        character has no room, xterm gets a sequence that erases the cell left
        empty.
        """
        parts = [part.encode() for part in WIDE.split(data.decode())]
        if len(parts) == 1:
            return data
        places = [cursor_place(line)
                  for line in self.request(parts, cols, rows)]
        for at in range(1, len(parts), 2):
            if wraps(places[at - 1], places[at]):
                parts[at] = b"\x1b[X" + parts[at]
        return b"".join(parts)


def cursor_place(line):
    row, col, pending = CURSOR.search(line).groups()
    return int(row), int(col), pending == b"true"


def wraps(before, after):
    """True if a wide character moved to the next row because it had no
    room."""
    row, col, pending = before
    return not pending and after not in ((row, col + 2, False),
                                         (row, col + 1, True))


def seen(dump):
    """The part of a dump that xterm reports too, in the words of xterm.py."""
    cursor = {key: dump["cursor"][key] for key in ("row", "col", "pending_wrap")}
    modes = {**dump["modes"], "visible": dump["cursor"]["visible"]}
    return {"cursor": cursor, "modes": modes,
            "rows": [columns(row) for row in dump["lines"]]}


def columns(row):
    """Cells, one for each column, as in xterm.py; the text of an erased one is
    None."""
    cells = []
    for text, width, style in reflow.row_cells(row):
        fg, bg, attributes = style or ("", "", "")
        shown = sorted(a for a in attributes.split(",")
                       if a in xterm.ATTRIBUTES.values())
        cells.append([text, fg, bg, shown])
        cells += [["", fg, bg, shown]] * (width - 1)
    return cells


def visible(text, fg, bg, attributes, erased):
    """A cell without its invisible parts, and without those we do not keep
    when erasing."""
    if text == "":
        return ["", "", "", []]
    if erased:
        return [text or " ", "", bg, []]
    return [text, "" if text == " " else fg, bg, attributes]


def row_pairs(theirs, ours):
    width = max(len(theirs), len(ours))
    theirs = theirs + [[" ", "", "", []]] * (width - len(theirs))
    ours = ours + [[None, "", "", []]] * (width - len(ours))
    return [(visible(*a, b[0] is None), visible(*b, b[0] is None))
            for a, b in zip(theirs, ours)]


def forget_edge(pairs, cols):
    """Policy half_at_the_edge: a blank may have any background there."""
    for pair in pairs[cols - 2:]:
        for cell in pair:
            if cell[0] == " ":
                cell[2] = ""


def row_difference(y, pairs):
    """None, or the first difference; all of the text when that differs."""
    texts = ["".join(pair[side][0] for pair in pairs).rstrip()
             for side in (0, 1)]
    if texts[0] != texts[1]:
        return f"row {y}", *texts
    for x, (theirs, ours) in enumerate(pairs):
        if theirs != ours:
            return f"cell {y},{x}", theirs, ours
    return None


def difference(theirs, ours, wide_cols):
    """None, or the first difference: (place, xterm's, ours).  The last
    argument is the width of the screen if there are wide characters, else
    None."""
    for part in ("cursor", "modes"):
        for name, value in ours[part].items():
            if theirs[part][name] != value:
                return f"{part} {name}", theirs[part][name], value
    for y, rows in enumerate(zip(theirs["rows"], ours["rows"])):
        pairs = row_pairs(*rows)
        if wide_cols:
            forget_edge(pairs, wide_cols)
        found = row_difference(y, pairs)
        if found:
            return found
    return None


class Comparison:
    """Our engine and an xterm of each size."""

    def __init__(self, display, subject):
        self.display, self.subject = display, subject
        self.terminals, self.fresh = {}, {}

    def terminal(self, size):
        if size not in self.terminals:
            self.terminals[size] = xterm.Xterm(self.display, *size)
            self.fresh[size] = self.terminals[size].show(b"")
        return self.terminals[size]

    def differs(self, case, taught=True):
        data, size = b"".join(case.events), (case.cols, case.rows)
        for_xterm = self.subject.teach_pads(data, *size) if taught else data
        return difference(self.terminal(size).show(for_xterm),
                          self.subject.show(data, *size),
                          case.cols if WIDE.search(data.decode()) else None)

    def check(self, case):
        """Compare one stream, and report it shrunk; True when both agree."""
        if self.differs(case) is None:
            return True
        small = self.shrink(case)
        place, theirs, ours = self.differs(small)
        print(f"{case.name} differs; shrunk to {case.cols}x{case.rows}: "
              f"{compare.escaped(small.events)}")
        print(f"  {place}\n  xterm   {compare.show(theirs)}\n"
              f"  subject {compare.show(ours)}", flush=True)
        return False

    def shrink(self, case):
        def with_parts(parts):
            return dataclasses.replace(case, events=parts)

        parts = [piece.encode()
                 for piece in PIECES.findall(b"".join(case.events).decode())]
        return with_parts(shrink.shrink(
            parts, lambda less: self.differs(with_parts(less)), SHRINK_RUNS))

    def is_clean(self):
        """Check that a reset still restores each xterm's first state."""
        left = [size for size, terminal in self.terminals.items()
                if terminal.show(b"") != self.fresh[size]]
        for size in left:
            print(f"the xterm of {size} keeps something through a reset")
        return not left

    def close(self):
        for terminal in self.terminals.values():
            terminal.close()


def compare_streams(comparison, options):
    bad = total = 0
    for seed in range(options.seed, options.seed + options.generated):
        size = SIZES[seed % len(SIZES)]
        events = xterm_streams.stream(seed, *size, options.length,
                                      options.without)
        total += 1
        bad += not comparison.check(compare.Case(f"stream {seed}", *size, events))
        if bad >= options.most:
            print(f"stopped after {bad} differences")
            break
    print(f"{total} streams compared, {bad} differ")
    return comparison.is_clean() and bad == 0 and total > 0


def check_policies(comparison, options):
    """Check that each policy is still needed and that a case pins our side."""
    cases = policies.vt_cases()
    wrong = [f"{p.name}: no case in tests/vt is called \"{p.pinned}\""
             for p in xterm_policies.POLICIES if p.pinned not in cases]
    for policy in xterm_policies.POLICIES:
        if policy.how == policies.NORMALISED:
            continue
        case = compare.Case(policy.name, *policy.size, policy.example)
        if comparison.differs(case, taught=False) is None:
            wrong.append(f"{policy.name}: xterm agrees with the example")
    print("\n".join(wrong) or f"{len(xterm_policies.POLICIES)} policies")
    return not wrong


class Spoiled(Subject):
    """Our engine with wrong bold text: a difference that must be found."""

    def line(self):
        return super().line().replace(b"bold", b"faint")


def self_test(comparison, options):
    """Check that this tool finds every difference, and shrinks it."""
    spoiled = Comparison(comparison.display,
                         Spoiled("spoiled subject", [options.subject]))
    case = compare.Case("spoiled", 20, 6, [
        b"text", b"\x1b[H", b"\x1b[1mx", b"\x1b[m", b"\r\n", b"more"])
    noticed = not spoiled.check(case)
    shrunk = noticed and spoiled.shrink(case).events == [b"\x1b[1m", b"x"]
    spoiled.close()
    spoiled.subject.close()
    if not shrunk:
        print(f"FAILED: noticed: {noticed}, shrunk to what it takes: {shrunk}")
    return shrunk


PARTS = {"streams": compare_streams, "policies": check_policies,
         "self_test": self_test}


def parse_options():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("what", nargs="*", metavar="WHAT", help="what to do; default all")
    add("--subject", required=True, help="our side, such as .../vt_dump")
    add("--generated", type=int, default=14000 if FULL else 600,
        help="number of streams")
    add("--length", type=int, default=25, help="items in a stream")
    add("--seed", type=int, default=1, help="first seed")
    add("--without", nargs="*", default=[], help="features not to generate")
    add("--most", type=int, default=1, help="stop after so many differences")
    options = parser.parse_args()
    options.what = compare.chosen(parser, options.what, PARTS)
    return options


def main():
    options = parse_options()
    subject = Subject("subject", [options.subject])
    try:
        with xterm.Display() as display:
            comparison = Comparison(display, subject)
            ok = [PARTS[part](comparison, options) for part in options.what]
            comparison.close()
    except xterm.Stuck as why:
        raise SystemExit(f"xterm_compare.py: {why}") from None
    subject.close()
    return 0 if all(ok) else 1


if __name__ == "__main__":
    sys.exit(main())
