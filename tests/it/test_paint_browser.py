"""HTML and SVG as a real browser sees them."""

import pytest

import browser
import lib
from lib import shows

# Moments of recordings with much on the screen.
MOMENTS = [("agent", "0.8s"), ("mc", "1.5s"), ("tmux-splits", "2.5s"),
           ("unicode-page", "9s"), ("gradient", "9s")]

# A cell and the margin, as src/paint has them.
WIDTH, HEIGHT, MARGIN, BASELINE = 9, 17, 8, 13


def moment(name, at):
    return [lib.DATA / f"{name}.cast", "--at", at]


def paint(tmp_path, form, *args, input=b""):
    path = tmp_path / f"page.{form}"
    path.write_text(shows("render", "--format", form, *args, input=input),
                    encoding="utf-8")
    return path


def trimmed(text):
    return [line.rstrip(" ") for line in text.split("\n")]


@pytest.mark.parametrize("name, at", MOMENTS)
def test_the_text_of_the_page_is_the_text_of_the_terminal(tmp_path, name, at):
    page = browser.dom(paint(tmp_path, "html", *moment(name, at)))
    assert trimmed(browser.pre_text(page, "screen")) == \
        shows("render", *moment(name, at)).split("\n")


def test_the_page_has_the_scrollback_on_request(tmp_path):
    data = b"".join(b"line %d\r\n" % i for i in range(40))
    page = browser.dom(paint(tmp_path, "html", "--scrollback", input=data))
    text = (browser.pre_text(page, "scrollback") +
            browser.pre_text(page, "screen"))
    assert trimmed(text) == \
        shows("render", "--scrollback", input=data).split("\n")


def grid(texts, rows):
    """Lines made of texts at their places; a wide character takes two."""
    lines = [[] for _ in range(rows)]
    for x, y, text in sorted(texts, key=lambda t: (t[1], t[0])):
        row = round((y - MARGIN - BASELINE) / HEIGHT)
        col = round((x - MARGIN) / WIDTH)
        lines[row].append((col, text))
    return lines


@pytest.mark.parametrize("name, at", MOMENTS)
def test_the_text_of_the_picture_is_in_its_columns(tmp_path, name, at):
    picture = browser.dom(paint(tmp_path, "svg", *moment(name, at)))
    screen = lib.screen("--cells", *moment(name, at))
    lines = grid(browser.svg_texts(picture), screen["rows"])
    for y, (runs, texts) in enumerate(zip(screen["cells"], lines)):
        want = {}
        for run in runs:
            if "conceal" in run.get("attrs", []):
                continue
            if run["width"] == len(run["text"]):
                want.update((run["col"] + i, c)
                            for i, c in enumerate(run["text"]))
            else:
                want[run["col"]] = run["text"]
        got = {}
        for col, text in texts:
            if col in want and want[col] == text:
                got[col] = text
            else:
                got.update((col + i, c) for i, c in enumerate(text))
        want = {col: c for col, c in want.items()
                if c != " " and not "\u2500" <= c[0] <= "\u259f"}
        got = {col: c for col, c in got.items() if c != " "}
        assert got == want, f"row {y}"


@pytest.mark.parametrize("form", ["html", "svg"])
@pytest.mark.parametrize("name, at", MOMENTS)
def test_a_browser_draws_the_picture_in_colour(tmp_path, name, at, form):
    path = paint(tmp_path, form, *moment(name, at))
    picture = browser.screenshot(path, tmp_path / "shot.png", 800, 450)
    assert (picture.width, picture.height) == (800, 450)
    assert len(picture.colours()) > 8


# A red cell after all kinds of text must be in the same column each time.
ALIGNED = [
    "abcdefghij", "漢字仮名交り"[:5], "😀😀😀😀😀", "e\u0301" * 10, "──────────",
    "██████████", "αβγδεζηθικ", "→→→→→→→→→→", "한국어말글", "👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧",
    "\033[1mabcdefghij", "\033[3mabcdefghij", "שלוםשלוםשל", "ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩ"]


@pytest.mark.parametrize("form", ["html", "svg"])
def test_columns_stay_in_line_whatever_the_character(tmp_path, form):
    data = "\033[?25l" + "".join(
        f"{text}\033[0;48;2;255;0;0m \033[m\r\n" for text in ALIGNED)
    path = paint(tmp_path, form, input=data.encode())
    picture = browser.screenshot(path, tmp_path / "shot.png", 800, 450)
    left = MARGIN + 10 * WIDTH
    for i, text in enumerate(ALIGNED):
        top = MARGIN + i * HEIGHT
        found = picture.extent((255, 0, 0), top + 2, top + HEIGHT - 2)
        assert found, f"row {i} ({text!r}): no red"
        assert abs(found[0] - left) <= 2, f"row {i} ({text!r}): {found}"
        assert 6 <= found[1] - found[0] <= 10, f"row {i} ({text!r}): {found}"


@pytest.mark.parametrize("form", ["html", "svg"])
def test_the_background_has_no_gaps_between_rows(tmp_path, form):
    data = b"\x1b[?25l\x1b[48;2;0;0;255m" + b"\x1b[2J" + b"x \r\n" * 3
    path = paint(tmp_path, form, "--size", "20x6", input=data)
    picture = browser.screenshot(path, tmp_path / "shot.png", 300, 200)
    column = [picture.pixel(MARGIN + 15 * WIDTH, y)
              for y in range(MARGIN + 1, MARGIN + 6 * HEIGHT - 1)]
    assert set(column) == {(0, 0, 255)}


@pytest.mark.parametrize("form", ["html", "svg"])
def test_nothing_a_program_prints_becomes_markup(tmp_path, form):
    evil = ("<img src=x onerror=alert(1)>", "</pre></svg><script>document."
            "title='owned'</script>", "]]><!--", "&lt;b&gt;")
    data = "".join(
        f"\033]2;{text}\007\033]8;;https://x/{text}\007{text}\033]8;;\007\r\n"
        f"\033]8;;javascript:{text}\007{text}\033]8;;\007\r\n"
        for text in evil).encode()
    page = browser.dom(paint(tmp_path, form, "--size", "100x12", input=data))
    assert "<script" not in page and "<img" not in page
    if form == "html":
        assert trimmed(browser.pre_text(page, "screen")) == \
            shows("render", "--size", "100x12", input=data).split("\n")
    else:
        texts = [text for _, _, text in browser.svg_texts(page)]
        for text in evil:
            assert texts.count(text) == 2, texts
