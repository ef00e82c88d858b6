"""Compare the text of two screens after a change of size.

The oracle and we arrange the text of the primary screen differently then
(policy "reflow"), but it must be the same text.  So where the two need not
agree row by row, the logical lines are compared: rows joined with the row
above that they continue, as cells with their styles.
"""

ROWS = ("scrollback", "hidden", "lines")


def first(theirs, ours, place):
    """None, or the first place where two lists differ."""
    for i, (a, b) in enumerate(zip(theirs, ours)):
        if a != b:
            return f"{place}[{i}]", a, b
    if len(theirs) != len(ours):
        return f"{place} (count)", len(theirs), len(ours)
    return None


def difference(oracle, ours, without=()):
    """None, or the first difference of two dumps: (place, theirs, ours)."""
    for key in oracle:
        if key not in ROWS + ("kept", *without) and \
                oracle[key] != ours.get(key):
            return key, oracle[key], ours.get(key)
    for key in ("lines", "scrollback", "hidden"):
        found = key not in without and first(oracle[key], ours[key], key)
        if found:
            return found
    return None


def row_cells(row):
    """A row as cells: (text or None, columns, style)."""
    odd = {x: (columns, points) for x, columns, points in row["c"]}
    empty = {x for start, end in row["e"] for x in range(start, end)}
    looks = {x: style for start, end, *style in row["s"]
             for x in range(start, end)}
    cells, x, at = [], 0, 0
    while at < len(row["t"]):
        columns, points = odd.get(x, (1, 1))
        text = None if x in empty else row["t"][at:at + points]
        cells.append((text, columns, looks.get(x)))
        x, at = x + columns, at + points
    return cells


def width(cells):
    return sum(columns for _, columns, _ in cells)


EMPTY = (None, 1, None)


def trimmed(cells):
    """Cells without the colours of empty ones, and without empty ones at the
    end.

    Empty cells before a wide character are left out too: the oracle takes any
    empty cell at the margin for the place where that character had no room; we
    know which one was.
    """
    kept = []
    for text, columns, style in cells:
        while columns == 2 and kept and kept[-1] == EMPTY:
            kept.pop()
        kept.append((text, columns, style) if text else EMPTY)
    while kept and kept[-1] == EMPTY:
        kept.pop()
    return kept


def logical_lines(rows, cols):
    """Rows as lines of cells; the empty ones at the end are left out."""
    lines = []
    for row, below in zip(rows, [*rows[1:], {"w": 0}]):
        cells = row_cells(row)
        if below["w"]:
            cells += [EMPTY] * (cols - width(cells))
        if row["w"] and lines:
            lines[-1] += cells
        else:
            lines.append(cells)
    lines = [trimmed(line) for line in lines]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def primary(dump):
    return dump["scrollback"] + dump["hidden" if dump["alt"] else "lines"]


def same_text(oracle, ours, more):
    """Compare lines, except lines at the end that we do not show: we keep rows
    below the cursor until there is room for them.  With `more`, such rows may
    have come back that the oracle does not know."""
    theirs = logical_lines(primary(oracle), oracle["cols"])
    mine = logical_lines(primary(ours), ours["cols"])
    if len(mine) > len(theirs) and not more:
        return "lines (count)", len(theirs), len(mine)
    for i, (a, b) in enumerate(zip(theirs, mine)):
        if i == len(mine) - 1:
            a = trimmed(a[:len(b)])
        if i == len(theirs) - 1 and more:
            b = trimmed(b[:len(a)])
        if a != b:
            at = next((n for n, (x, y) in enumerate(zip(a, b)) if x != y),
                      min(len(a), len(b)))
            return f"cell {at} of line {i}", a[at:at + 9], b[at:at + 9]
    return None


def is_blank(row):
    return not row["t"] and not row["w"]


def is_exact(before, cols):
    """True if both define a change from this state to so many columns alike:
    rows come and go at the top, and only blank ones at the bottom."""
    below = before["lines"][before["cursor"]["row"] + 1:]
    return cols == before["cols"] and all(is_blank(row) for row in below) and \
        not before["alt"] and not before["kept"]


def resized(theirs_before, ours_before, oracle, ours):
    """Like difference(), for dumps right after a change of size."""
    rows = [len(before["scrollback"]) for before in (theirs_before, ours_before)]
    if ours["alt"]:
        without = ("saved", "scrollback", "hidden")
    elif is_exact(ours_before, ours["cols"]) and rows[0] == rows[1]:
        return difference(oracle, ours, ("saved",))
    else:
        without = ("saved", "cursor", "scrollback", "lines")
    return difference(oracle, ours, without) or \
        same_text(oracle, ours, ours_before["kept"] > 0)
