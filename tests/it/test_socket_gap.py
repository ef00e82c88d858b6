"""Output that the log cannot give a viewer: GAP and its reasons.

The first one, a viewer that was too slow, is in test_socket_viewers.py.
"""

import contextlib

import pytest

import oracle_stream
from disks import fill, quick, small
from lib import BUILD, wait_for
from wire import Wire

BURST = BUILD / "tests" / "it" / "burst"
SEED = 21
TOO_SLOW, NOT_LOGGED, TRIMMED, DAMAGED = 1, 2, 3, 4


@pytest.fixture
def home(quick):
    return quick


def start(home, size, *options):
    """A session that prints so many bytes of the stream on request."""
    script = f"stty -echo; read x; {BURST} {SEED} {size}; read y"
    sid = home.start("sh", "-c", script, options=options)
    home.wait_no_echo(sid)
    return sid


def print_all(home, sid, size):
    home.ok("send", sid, "--text", "go\r")
    wait_for(lambda: home.info(sid)["offset"] == size,
             lambda: home.info(sid), seconds=60)


def everything(directory):
    """A viewer that asks for everything from the beginning."""
    return Wire(directory, replay="none", behind="lossless", **{"from": 0})


def pieces(viewer):
    """Its output, as (offset, bytes), without the gaps."""
    found, at, taken = [], 0, 0
    for start, to, _ in [*viewer.gaps, (viewer.at, viewer.at, 0)]:
        length = start - at
        found.append((at, bytes(viewer.output[taken:taken + length])))
        taken += length
        at = to
    assert taken == len(viewer.output), viewer
    return found


def is_the_stream(viewer):
    for offset, data in pieces(viewer):
        where = oracle_stream.difference(data, SEED, offset=offset)
        assert where is None, (where, viewer.gaps)


def test_output_that_a_full_disk_did_not_take_is_a_gap(small):
    """A live viewer stays live and learns of it; a viewer of everything gets a
    gap."""
    size = 6_000_000
    sid = start(small, size)
    with Wire(small.dir(sid)) as live, everything(small.dir(sid)) as patient:
        patient.at = 0
        ballast = fill(small)
        small.ok("send", sid, "--text", "go\r")
        assert live.event("unlogged", seconds=60)["since"] > 0
        live.until(lambda: live.at == size, "all output", seconds=60)
        assert {why for _, _, why in live.gaps} <= {TOO_SLOW}, live
        ballast.unlink()
        live.event("logged", seconds=60)
        patient.until(lambda: patient.at == size, "all output", seconds=60)
        is_the_stream(patient)
        live.call("session.mark", name="later")
    gaps = [(e["offset"], e["offset"] + e["bytes"], NOT_LOGGED)
            for e in small.events(sid) if e["type"] == "gap"]
    assert gaps != []
    for begin, end, why in patient.gaps:  # it may have seen some of it live
        assert any(start <= begin and (end, why) == (to, reason)
                   for start, to, reason in gaps), (patient, gaps)
    with everything(small.dir(sid)) as late:
        late.at = 0
        late.until(lambda: late.at == size, "the end", seconds=60)
        assert late.gaps == gaps, (late, gaps)
        is_the_stream(late)


def on_disk(home, sid):
    """Bytes of a log, of which some may be removed during the count."""
    total = 0
    for path in (home.dir(sid) / "log").iterdir():
        with contextlib.suppress(FileNotFoundError):
            total += path.stat().st_size
    return total


def test_output_trimmed_to_the_budget_is_a_gap(home):
    """One gap from the beginning to the log's new beginning."""
    size = 40_000_000
    sid = start(home, size, "--max-log", "8M")
    print_all(home, sid, size)
    with Wire(home.dir(sid), mode="control") as control:
        control.call("session.flush")
    wait_for(lambda: on_disk(home, sid) <= 7 << 20, "the last of it trimmed")
    trimmed = wait_for(lambda: home.events(sid, "trimmed"),
                       lambda: home.events(sid)[-20:])
    with everything(home.dir(sid)) as late:
        late.at = 0
        late.until(lambda: late.at == size, "the end", seconds=60)
        assert len(late.gaps) == 1, late
        begin, end, why = late.gaps[0]
        assert (begin, why) == (0, TRIMMED), late
        assert trimmed[-1]["first_offset"] <= end < size, (late, trimmed)
        is_the_stream(late)
    with Wire(home.dir(sid), replay="raw", history=size,
              **{"from": 0}) as raw:
        told = raw.metadata()
        assert told["gap"] == told["history_offset"] > 0, told
        raw.until(lambda: raw.at == size, "the end", seconds=60)
        assert raw.gaps == [] and len(raw.output) == size - told["gap"], raw


def test_damaged_output_is_a_gap(home):
    """Bytes changed on disk are not shown; bytes after them are."""
    size = 3_000_000
    sid = start(home, size)
    print_all(home, sid, size)
    wait_for(lambda: len(home.raw(sid)) == size, "all of it in the log")
    path, = (home.dir(sid) / "log").glob("*seg")
    with open(path, "r+b") as log:
        log.seek(1_000_000)
        log.write(b"\xff" * 3000)
    with everything(home.dir(sid)) as late:
        late.at = 0
        late.until(lambda: late.at == size, "the end", seconds=60)
        assert {why for _, _, why in late.gaps} == {DAMAGED}, late
        lost = sum(to - start for start, to, _ in late.gaps)
        assert 3000 <= lost < 300_000, late
        is_the_stream(late)
