"""Print wide, combined and joined characters in every awkward place."""

import os
import sys

COLS = os.get_terminal_size().columns
ESC = "\x1b"

GROUPS = {
    "CJK": "日本語のテキスト 中文字符 한국어 텍스트 全角ＡＢＣ、。「」",
    "emoji": "😀😃🎉🚀 ⚡ ❤️ ☁️ ✈️ ☎︎ ⌚︎ 1️⃣ #️⃣ ™️",
    "joined": "👩‍💻 👨‍👩‍👧‍👦 🏳️‍🌈 🏴‍☠️ 🧑🏽‍🚀 👍🏿 🤷🏼‍♀️",
    "flags": "🇺🇸🇩🇪🇯🇵 🇧🇷 🇫 🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "combining": "e\u0301 n\u0303 A\u030a u\u0308\u0304 Z\u0338\u0322\u031ba\u0337\u0354 x\u20d7 e\u20dd",
    "Indic": "हिन्दी क्षत्रिय বাংলা தமிழ் తెలుగు ಕನ್ನಡ മലയാളം",
    "Thai and Lao": "ภาษาไทย น้ำ กำ ສະບາຍດີ",
    "Hangul jamo": "\u1112\u1161\u11ab\u1100\u1173\u11af 가\u11a8 ㄱㄴㄷ \u1161 \u11a8",
    "right to left": "שָׁלוֹם עולם مرحبا بالعالم",
    "symbols": "±×÷≤≥≠∞√∑ ←↑→↓ ─│┌┐└┘├┤┬┴┼ ▀▄█▌▐░▒▓ ⣿⣤⠿",
    "invisible": "a\u200bb a\u00adb a\u2060b a\ufeffb a\u200eb a\u2028b",
    "private": "\ue0b0 \ue0b2 \uf015 \U000f0001",
    "not text": "\ufffd \uffff \u0378",
}


def show_groups():
    for name, text in GROUPS.items():
        print(f"{ESC}[1m{name:>14}{ESC}[m {text}|")


def show_margins():
    """Wide characters that do not fit into the last column wrap whole."""
    for shift in range(4):
        print("." * (COLS - shift) + "漢字e\u0301👩‍💻🇯🇵❤️end")
    print("wide " * 3 + "あいうえおかきくけこさしすせそ" * 12)


def show_overwrites():
    """Write into both halves of wide characters on the screen."""
    for column in range(1, 10):
        print(f"日本語テキスト👍🏽e\u0301{ESC}[{column}G{ESC}[41mX{ESC}[m")
    for column in range(1, 8):
        print(f"日本語テキスト{ESC}[{column}G{ESC}[44m字{ESC}[m")
        print(f"日本語テキスト{ESC}[{column}G{ESC}[P{ESC}[{column + 4}G{ESC}[2X")
        print(f"日本語テキスト{ESC}[{column}G{ESC}[45m{ESC}[@{ESC}[m")


def show_columns():
    for row in range(6):
        cells = ("漢" if (row + i) % 3 else "ab" for i in range(COLS // 2))
        print("".join(cells))
    print(f"{ESC}[7m{'終':^20}{ESC}[m")


for part in (show_groups, show_margins, show_overwrites, show_columns):
    part()
    sys.stdout.flush()
print("that was all")
sys.stdout.flush()
if "--stay" in sys.argv:
    sys.stdin.readline()
