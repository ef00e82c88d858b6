"""Print every kind of SGR: truecolour, 256, 16, attributes, underlines."""

import colorsys
import os

COLS, ROWS = os.get_terminal_size()
ESC = "\x1b"


def rgb(hue, light):
    return tuple(round(255 * c) for c in colorsys.hls_to_rgb(hue, light, 0.8))


def gradient():
    for row in range(min(ROWS // 6, 8)):
        line = []
        for column in range(COLS):
            back = rgb(column / COLS, 0.2 + 0.07 * row)
            fore = rgb(1 - column / COLS, 0.5)
            line.append(f"{ESC}[38;2;{fore[0]};{fore[1]};{fore[2]};"
                        f"48:2::{back[0]}:{back[1]}:{back[2]}m▀")
        print("".join(line) + f"{ESC}[m")


def palette():
    for start in range(0, 256, 32):
        print("".join(f"{ESC}[48;5;{n}m{ESC}[38:5:{255 - n}m{n:4}"
                      for n in range(start, start + 32)[:COLS // 4]) + f"{ESC}[0m")
    print("".join(f"{ESC}[{n}m{n:4}" for n in (*range(30, 38), *range(90, 98))))
    print("".join(f"{ESC}[{n}m{n:4}" for n in (*range(40, 48), *range(100, 108))))
    print(f"{ESC}[39;49m")


def attributes():
    names = {1: "bold", 2: "faint", 3: "italic", 4: "underline", 5: "blink",
             7: "inverse", 8: "hidden", 9: "strike", 21: "double", 53: "over"}
    for code, name in names.items():
        print(f"{ESC}[{code}m{name}{ESC}[m", end=" ")
    print()
    for style, name in enumerate("none single double curly dotted dashed".split()):
        print(f"{ESC}[4:{style}m{ESC}[58;2;255;{40 * style};0m{name}{ESC}[m", end=" ")
        print(f"{ESC}[4:{style};58:5:{style + 9}m{name}{ESC}[24m", end=" ")
    print()
    for off in (22, 23, 24, 25, 27, 28, 29, 55):
        print(f"{ESC}[1;2;3;4;5;7;9;53;31;42m{off}{ESC}[{off}mx{ESC}[m", end=" ")
    print()


def links():
    for number in range(3):
        print(f"{ESC}]8;id=l{number};https://example.org/{number}{ESC}\\"
              f"link {number}{ESC}]8;;{ESC}\\", end=" ")
    print(f"{ESC}[44mto the edge{ESC}[K{ESC}[m")


gradient()
palette()
attributes()
links()
