"""A viewer's first picture, and the stream that continues it without a gap."""

import json
import os
import random
import signal
import statistics
import struct
import time

import pytest

import flood
import wire
from lib import BUILD, Home, tend, wait_for
from wire import Wire

FULL = "TEND_TEST_FULL" in os.environ
BURST = BUILD / "tests" / "it" / "burst"

LINES = 60000
WHOLE = flood.stream(LINES)


@pytest.fixture(scope="module")
def home():
    with Home() as home:
        yield home


@pytest.fixture(scope="module")
def printed(home):
    """The directory of a session that has printed all of WHOLE and waits."""
    sid = home.start(*flood.program(LINES))
    with Wire(home.dir(sid), behind="lossless", replay="raw",
              **{"from": 0}) as w:
        w.until_output(b"ready")
        w.data(b"\n")
        w.until_output(b"done")
        assert bytes(w.output) == WHOLE
    return home.dir(sid)


def text(data, size="80x24"):
    """The screen of those bytes."""
    answer = tend("render", "--size", size, "-", input=bytes(data))
    assert answer.status == 0, answer
    return answer.text.rstrip("\n")


def test_raw_replay_from_any_offset_has_every_byte(printed):
    """B-20, O-06: every byte keeps its offset for ever."""
    rng = random.Random(1)
    starts = [0, 1, len(WHOLE) - 1, len(WHOLE)] + [
        rng.randrange(len(WHOLE)) for _ in range(20)]
    for start in starts:
        with Wire(printed, replay="raw", history=8 << 20,
                  **{"from": start}) as w:
            meta = w.metadata()
            assert meta["history_offset"] == start and meta["gap"] == 0, meta
            w.until(lambda: start + len(w.output) >= len(WHOLE), "the end")
            w.sync()
            assert bytes(w.output) == WHOLE[start:], start


def test_a_history_frame_from_any_offset_has_every_byte(printed):
    """B-15, B-19, B-21: the same for clients that know no offsets."""
    rng = random.Random(2)
    for start in [0, len(WHOLE)] + [rng.randrange(len(WHOLE))
                                    for _ in range(10)]:
        with Wire(printed, features=(), replay="raw", history=8 << 20,
                  **{"from": start}) as w:
            w.metadata()
            w.send(wire.PING, b"in the middle of it")
            assert w.take(wire.HISTORY) == WHOLE[start:], start
            assert w.take(wire.PONG) == b"in the middle of it"


def test_history_is_limited_and_the_gap_is_reported(printed):
    """B-20: bytes older than the limit are reported, not hidden."""
    for limit in (0, 1, 1000, 100000):
        with Wire(printed, features=(), replay="raw", history=limit,
                  **{"from": 10}) as w:
            meta = w.metadata()
            assert meta["history_offset"] == len(WHOLE) - limit, meta
            assert meta["gap"] == len(WHOLE) - limit - 10, meta
            assert w.take(wire.HISTORY) == WHOLE[len(WHOLE) - limit:]
    with Wire(printed, replay="raw") as w:
        meta = w.metadata()
        want = min(1 << 20, len(WHOLE))
        assert meta["history_offset"] == len(WHOLE) - want, meta
        w.until(lambda: len(w.output) >= want, "a mebibyte")
        assert bytes(w.output) == WHOLE[-want:]


def test_an_offset_beyond_the_end_counts_as_the_end(printed):
    for replay in ("raw", "none"):
        with Wire(printed, replay=replay, **{"from": 1 << 60}) as w:
            assert w.metadata()["history_offset"] == len(WHOLE)
            w.sync()
            assert w.output == b""


def test_the_picture_shows_the_screen(printed):
    with Wire(printed) as w:
        w.until(lambda: w.screens, "SCREEN")
        screen = w.screens[0]
        assert (screen["offset"], screen["form"]) == (len(WHOLE), 0), screen
        assert text(screen["bytes"]) == text(WHOLE)
    with Wire(printed, features=()) as w:
        assert text(w.take(wire.HISTORY)) == text(WHOLE)


def test_a_keyframe_needs_the_same_engine(printed):
    ours = json.loads(tend("version", "--json").text)["result"]["engine"]
    for engine, form in ((ours, 1), (ours + 1, 0), (None, 0)):
        fields = {} if engine is None else {"engine": engine}
        with Wire(printed, features=("offset", "keyframe"), **fields) as w:
            assert ("keyframe" in w.welcome["features"]) == (form == 1)
            w.until(lambda: w.screens, "SCREEN")
            assert w.screens[0]["form"] == form


def test_attaching_during_a_flood_misses_and_repeats_nothing(home):
    """O-07: picture and stream are complete, whenever a client attaches."""
    lines = 150000
    whole = flood.stream(lines)
    sid = home.start(*flood.program(lines))
    directory = home.dir(sid)
    rng = random.Random(3)
    viewers = []
    with Wire(directory, replay="raw", behind="lossless",
              **{"from": 0}) as driver:
        driver.until_output(b"ready")
        driver.data(b"\n")
        while len(driver.output) < len(whole) and len(viewers) < 40:
            target = len(driver.output) + rng.randrange(60000)
            driver.until(lambda: len(driver.output) >= min(target,
                                                           len(whole)),
                         "more output")
            features = rng.choice([("offset",), ("offset", "keyframe")])
            replay = rng.choice(["screen", "none"])
            w = Wire(directory, features=features, engine=1, replay=replay,
                     behind="lossless")
            if replay == "none":
                w.at = w.metadata()["offset"]
            viewers.append(w)
        driver.until_output(b"done")
        assert bytes(driver.output) == whole
        for w in viewers:
            w.until(lambda: w.at == len(whole), "the end")
            got = bytes(w.output)
            assert w.gaps == [] and got == whole[len(whole) - len(got):]
            if w.screens and w.screens[0]["form"] == 0:
                offset = w.screens[0]["offset"]
                assert offset + len(got) == len(whole)
                assert text(w.screens[0]["bytes"] + got) == text(whole)
            w.close()
        assert len(viewers) > 5


def test_resuming_by_offset_misses_and_repeats_nothing(home):
    """B-09, B-21: disconnected again and again, and resumed from its
    offset."""
    lines = 60000
    whole = flood.stream(lines)
    sid = home.start(*flood.program(lines))
    got = bytearray()
    rng = random.Random(4)
    cuts = 0
    while not got.endswith(b"done"):
        with Wire(home.dir(sid), replay="none", behind="lossless",
                  **{"from": len(got)}) as w:
            w.at = len(got)
            if not got:
                w.until_output(b"ready")
                w.data(b"\n")
            want = rng.randrange(1, 100000)
            w.until(lambda: len(w.output) >= want
                    or w.output.endswith(b"done"), "more")
            got += w.output
            cuts += 1
    assert bytes(got) == whole
    assert cuts > 5


def picture_waits(home):
    """Attach to a session inside of a sequence, which then continues;
    returns whether that was in time.  The host waits 100 ms for the end of
    a sequence."""
    sid = home.start("sh", "-c", "stty raw -echo; printf 'ab\\033[3'; "
                     "head -c 1 >/dev/null; printf '1mred'; exec cat")
    directory = home.dir(sid)
    with Wire(directory, replay="raw", **{"from": 0}) as w:
        w.until_output(b"\033[3")
        with Wire(directory, features=("offset", "keyframe"),
                  engine=1) as key:
            key.until(lambda: key.screens, "a keyframe")
            assert key.screens[0]["offset"] == 5
        began = time.monotonic()
        with Wire(directory) as late:
            late.data(b"x")
            late.until(lambda: late.screens, "the picture")
            waited = time.monotonic() - began
            w.until_output(b"1mred")
            late.until(lambda: late.at == w.at, "the same end")
    if late.screens[0]["offset"] == 5:
        assert waited >= 0.095, "taken inside a sequence"
        return False
    shown = late.screens[0]["bytes"] + bytes(late.output)
    assert text(shown) == text(b"ab\033[31mred")
    return True


def test_a_picture_waits_for_the_end_of_a_sequence(home):
    """An ANSI picture is not taken inside one; a keyframe may be."""
    assert any(picture_waits(home) for _ in range(20)), "no end in time"


def test_the_picture_comes_even_if_a_sequence_never_ends(home):
    sid = home.start("sh", "-c", "stty raw -echo; printf 'ab\\033]0;tit'; "
                     "exec cat")
    with Wire(home.dir(sid), replay="raw", **{"from": 0}) as w:
        w.until_output(b"tit")
        with Wire(home.dir(sid)) as late:
            late.until(lambda: late.screens, "the picture")


def test_frames_carry_their_offset(printed):
    """The first OUTPUT of a raw replay begins at `from`."""
    with Wire(printed, replay="raw", **{"from": 77}) as w:
        while True:
            kind, payload = w.frame()
            if kind == wire.OUTPUT:
                break
        offset, = struct.unpack_from(">Q", payload)
        assert offset == max(77, len(WHOLE) - (1 << 20))
        assert payload[8:] == WHOLE[offset:offset + len(payload) - 8]


def first_screen_ms(directory, **fields):
    """The time from connecting to having the whole first picture."""
    began = time.monotonic()
    with Wire(directory, **fields) as viewer:
        viewer.until(lambda: viewer.screens, "the first picture")
    return (time.monotonic() - began) * 1000


def start_with_history(home, size):
    """A session that has printed so much, all of it in the log."""
    sid = home.start("sh", "-c", f"{BURST} 3 {size}; printf end; read x",
                     options=["--max-log", "64G"])
    wait_for(lambda: home.info(sid)["offset"] == size + len("end"),
             lambda: home.info(sid), seconds=200)
    return sid


def test_a_long_history_costs_no_time(home):
    """1 GB in a full run: its screen comes as fast as that of an empty
    session, also from a host that has just been started."""
    sid = start_with_history(home, 1_000_000_000 if FULL else 30_000_000)
    empty, full = home.dir(home.start("cat")), home.dir(sid)
    forms = {"ANSI": {}, "keyframe": {"features": ["offset", "keyframe"],
                                      "engine": 1}}
    for form, fields in forms.items():
        times = [(first_screen_ms(empty, **fields),
                  first_screen_ms(full, **fields)) for _ in range(31)]
        least, most = map(statistics.median, zip(*times))
        print(f"{form}: {least:.1f} ms, with history {most:.1f} ms")
        assert most <= 1.5 * least + 5, times
    again = []
    for _ in range(5):
        os.kill(home.info(sid)["host_pid"], signal.SIGKILL)
        again.append(first_screen_ms(full))
        wait_for(lambda: home.info(sid)["host_pid"], lambda: home.info(sid))
    print(f"after a crash of the host: {statistics.median(again):.1f} ms")
    assert statistics.median(again) <= 500, again
    home.ok("destroy", "--purge", sid)
