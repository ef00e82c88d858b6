"""Debian's Chromium without a window, and the pictures it takes."""

import html.parser
import pathlib
import shutil
import struct
import subprocess
import tempfile
import xml.etree.ElementTree
import zlib

SWITCHES = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
    "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
    "--force-device-scale-factor=1", "--hide-scrollbars",
]


def visit(url, *switches):
    """Open a page; returns Chromium's standard output and standard error."""
    program = shutil.which("chromium")
    assert program, "chromium is not installed: apt-get install chromium"
    # Chromium's helpers end after it, and may still write there.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        done = subprocess.run(
            [program, *SWITCHES, f"--user-data-dir={profile}", *switches, url],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    log = done.stderr.decode("utf-8", "replace")
    assert done.returncode == 0, log
    return done.stdout.decode("utf-8"), log


def chromium(path, *switches):
    """Open a file; returns Chromium's standard output."""
    return visit(pathlib.Path(path).as_uri(), *switches)[0]


def dom(path):
    return chromium(path, "--dump-dom")


def screenshot(path, png, width, height):
    chromium(path, f"--screenshot={png}", f"--window-size={width},{height}")
    return Picture(pathlib.Path(png).read_bytes())


class Picture:
    """A PNG of 8 bits per channel; pixel(x, y) is (r, g, b)."""

    def __init__(self, data):
        assert data[:8] == b"\x89PNG\r\n\x1a\n"
        at, packed = 8, b""
        while at < len(data):
            size, kind = struct.unpack(">I4s", data[at:at + 8])
            body = data[at + 8:at + 8 + size]
            if kind == b"IHDR":
                (self.width, self.height, depth, colour, _, _,
                 interlace) = struct.unpack(">IIBBBBB", body)
                assert (depth, interlace) == (8, 0) and colour in (2, 6)
                self.channels = 3 if colour == 2 else 4
            elif kind == b"IDAT":
                packed += body
            at += size + 12
        self.rows = self._unfilter(zlib.decompress(packed))

    def _unfilter(self, raw):
        n, stride = self.channels, self.width * self.channels
        above, rows = bytearray(stride), []
        for y in range(self.height):
            start = y * (stride + 1)
            kind = raw[start]
            line = bytearray(raw[start + 1:start + 1 + stride])
            for i in range(stride):
                a = line[i - n] if i >= n else 0
                b = above[i]
                if kind == 1:
                    line[i] = (line[i] + a) & 255
                elif kind == 2:
                    line[i] = (line[i] + b) & 255
                elif kind == 3:
                    line[i] = (line[i] + (a + b) // 2) & 255
                elif kind == 4:
                    c = above[i - n] if i >= n else 0
                    line[i] = (line[i] + paeth(a, b, c)) & 255
            rows.append(line)
            above = line
        return rows

    def pixel(self, x, y):
        return tuple(self.rows[y][x * self.channels:x * self.channels + 3])

    def colours(self):
        """Every colour in the picture."""
        return {bytes(row[i:i + 3]) for row in self.rows
                for i in range(0, len(row), self.channels)}

    def extent(self, colour, top, bottom):
        """First and last x of a colour between two heights, or None."""
        found = [x for y in range(top, bottom) for x in range(self.width)
                 if self.pixel(x, y) == colour]
        return (min(found), max(found)) if found else None


def paeth(a, b, c):
    p = a + b - c
    pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
    if pa <= pb and pa <= pc:
        return a
    return b if pb <= pc else c


class _Pre(html.parser.HTMLParser):
    def __init__(self, wanted):
        super().__init__()
        self.wanted, self.inside, self.text = wanted, False, ""

    def handle_starttag(self, tag, attrs):
        if tag == "pre" and dict(attrs).get("id") == self.wanted:
            self.inside = True

    def handle_endtag(self, tag):
        if tag == "pre":
            self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.text += data


def pre_text(page, wanted):
    """The text of <pre id=wanted> in a serialized page."""
    parser = _Pre(wanted)
    parser.feed(page)
    parser.close()
    return parser.text


def svg_texts(picture):
    """(x, y, text) of every <text> in a serialized picture."""
    root = xml.etree.ElementTree.fromstring(picture)
    return [(float(t.get("x")), float(t.get("y")), t.text)
            for t in root.iter("{http://www.w3.org/2000/svg}text")]
