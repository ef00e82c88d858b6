"""A full-screen program of curses: a list to choose from.

  picker.py FILE

Up and Down move, Space marks, a click moves there, Enter asks for
confirmation; y writes the marked items to FILE and ends, n goes back.
"""

import curses
import sys

NAMES = [f"item {n:02}" for n in range(40)]


def draw(screen, at, marked, asking):
    screen.erase()
    rows, cols = screen.getmaxyx()
    screen.addstr(0, 0, "pick some".center(cols - 1), curses.A_REVERSE)
    top = max(0, at - (rows - 4))
    for y, n in enumerate(range(top, min(top + rows - 3, len(NAMES)))):
        line = f"{'>' if n == at else ' '} [{'x' if n in marked else ' '}] "
        screen.addstr(1 + y, 0, line + NAMES[n])
    status = "write them? y/n" if asking else f"{len(marked)} marked"
    screen.addstr(rows - 2, 0, status, curses.A_BOLD)
    screen.refresh()
    return top


def ask(screen, at, marked):
    """True if it is to be written."""
    while True:
        draw(screen, at, marked, True)
        key = screen.getch()
        if key in (ord("y"), ord("n")):
            return key == ord("y")


def main(screen):
    at, marked = 0, set()
    curses.curs_set(0)
    curses.mousemask(curses.BUTTON1_PRESSED | curses.BUTTON1_CLICKED)
    curses.mouseinterval(0)
    while True:
        top = draw(screen, at, marked, False)
        key = screen.getch()
        if key == curses.KEY_DOWN:
            at = min(at + 1, len(NAMES) - 1)
        elif key == curses.KEY_UP:
            at = max(at - 1, 0)
        elif key == ord(" "):
            marked ^= {at}
        elif key == curses.KEY_MOUSE:
            at = min(top + curses.getmouse()[2] - 1, len(NAMES) - 1)
        elif key in (curses.KEY_ENTER, 10, 13) and ask(screen, at, marked):
            return marked


chosen = curses.wrapper(main)
with open(sys.argv[1], "w", encoding="utf-8") as file:
    file.write(" ".join(NAMES[n] for n in sorted(chosen)))
