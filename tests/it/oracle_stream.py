"""The output of tests/it/burst.c, computed in Python: any byte, by offset.

  burst SEED BYTES [KIND]  ==  stream(seed, 0, bytes, kind)
"""

import zlib

LINE = 80
KINDS = ("plain", "colour", "unicode", "mixed")

_MASK = (1 << 64) - 1
_ASCII = bytes(33 + (b * 94 >> 8) for b in range(256))


def _random(state):
    """SplitMix64, as tests/rng.h."""
    while True:
        state = (state + 0x9E3779B97F4A7C15) & _MASK
        z = state
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & _MASK
        yield z ^ z >> 31


def _ascii(x, n):
    return x.to_bytes(8, "little")[:n].translate(_ASCII)


def _plain(x):
    return _ascii(x, 8)


def _colour(x):
    return b"\x1b[3%dm" % ((x >> 32) % 8) + _ascii(x, 3)


def _unicode(x):
    wide = 0x4E00 + (x >> 32 & 0xFFFFFFFF) % 0x2000
    narrow = 0xC0 + (x >> 48) % 0x80
    return (chr(wide) + chr(narrow)).encode() + _ascii(x, 3)


_SLOTS = (_plain, _colour, _unicode)


def _mixed(x):
    return _SLOTS[(x >> 24 & 255) % 3](x)


_KIND = dict(zip(KINDS, (*_SLOTS, _mixed)))


def line(seed, number, kind="plain"):
    """Line `number` of the stream, its CR and LF included."""
    slot, random = _KIND[kind], _random(seed ^ (number << 20 & _MASK))
    text = b"%012d " % (number % 10**12)
    text += b"".join(slot(next(random)) for _ in range(7)) + b" "
    return text + b"%08x\r\n" % zlib.crc32(text)


def stream(seed, start, end, kind="plain"):
    """The bytes from offset `start` up to `end`."""
    first = start // LINE
    lines = b"".join(line(seed, n, kind)
                     for n in range(first, -(-end // LINE)))
    return lines[start - first * LINE:end - first * LINE]


def difference(got, seed, kind="plain", offset=0):
    """The place where `got`, which began at `offset`, differs from the stream.

    The answer is a sentence for a person, or None.
    """
    step = LINE * 4096
    for at in range(0, len(got), step):
        part = got[at:at + step]
        want = stream(seed, offset + at, offset + at + len(part), kind)
        if part != want:
            i = next(i for i, (a, b) in enumerate(zip(part, want)) if a != b)
            return (f"byte {offset + at + i}: "
                    f"got {part[max(0, i - 40):i + 80]!r}, "
                    f"want {want[max(0, i - 40):i + 80]!r}")
    return None
