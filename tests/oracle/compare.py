#!/usr/bin/python3
"""Compare our engine with the oracle on recordings and generated streams.

    compare.py --subject build/release/tests/oracle/vt_dump
    compare.py --self-test

The oracle gets the bytes in large pieces, the subject in random small ones;
both dump their whole state at the same places (README.md defines how).  The
first difference of each input is narrowed down to the byte that makes it,
and the input is shrunk to a small one that still differs.  Exit status 0
means that all agree but for the policies in policies.py.
"""

import argparse
import base64
import dataclasses
import json
import os
import pathlib
import random
import re
import subprocess
import sys

import generate
import policies

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FULL = os.environ.get("TEND_TEST_FULL") == "1"
SCROLLBACK = 2000
FORCED = ((80, 24), (200, 60))
SHRINK_RUNS = 600

SEQUENCE = re.compile(
    rb"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]P_^X].*?(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]"
    rb"|[\x00-\x1f]|[^\x00-\x1f\x1b]{1,16}|\x1b", re.S)


@dataclasses.dataclass
class Case:
    """A stream: bytes and (cols, rows) resizes, in the order of events."""
    name: str
    cols: int
    rows: int
    events: list

    def size(self):
        return sum(len(e) for e in self.events if isinstance(e, bytes))


class Side:
    """One of the two programs behind the protocol."""

    def __init__(self, name, command):
        self.name = name
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)

    def send(self, request):
        line = json.dumps(request) + "\n"
        try:
            self.process.stdin.write(line.encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            pass                # receive() tells with what it ended

    def receive(self, dumps):
        return [self.line() for _ in range(dumps)]

    def line(self):
        line = self.process.stdout.readline()
        if not line:
            status = self.process.wait()
            raise SystemExit(f"the {self.name} ended with status {status}")
        return line

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def pieces(data, chooser, most):
    """Cut data into random pieces of at most `most` bytes."""
    at = 0
    while at < len(data):
        length = chooser.randint(1, most)
        yield data[at:at + length]
        at += length


def request(case, stops, chooser, most):
    """The request that dumps at `stops`, positions as in positions()."""
    chunks = []
    held = b""
    for event, stop in cut(case.events, stops):
        if isinstance(event, bytes):
            held += event
            if not stop:
                continue
        chunks += [{"data": base64.b64encode(p).decode()}
                   for p in pieces(held, chooser, most)]
        held = b""
        if isinstance(event, tuple):
            chunks.append({"resize": list(event)})
        if stop:
            chunks.append({"dump": True})
    return {"cols": case.cols, "rows": case.rows, "scrollback": SCROLLBACK,
            "graphemes": True, "chunks": chunks}


def cut(events, stops):
    """Events, cut so that every stop follows one: (event, stop here)."""
    stops = set(stops)
    where = 0
    for event in events:
        length = len(event) if isinstance(event, bytes) else 1
        inside = sorted(s - where for s in stops
                        if where < s < where + length)
        marks = [0, *inside, length]
        for start, end in zip(marks, marks[1:]):
            part = event[start:end] if isinstance(event, bytes) else event
            yield part, where + end in stops
        where += length


def borders(case):
    """Positions after each event; a resize counts as one byte."""
    where, out = 0, []
    for event in case.events:
        where += len(event) if isinstance(event, bytes) else 1
        out.append(where)
    return out


def difference(oracle_line, our_line):
    """None, or what differs first: (place, the oracle's, ours)."""
    oracle, ours = json.loads(oracle_line), json.loads(our_line)
    policies.normalise(oracle, ours)
    for key in oracle:
        if key in ("lines", "scrollback"):
            continue
        if oracle[key] != ours.get(key):
            return key, oracle[key], ours.get(key)
    for key in ("lines", "scrollback"):
        theirs, mine = oracle[key], ours.get(key, [])
        for row, (a, b) in enumerate(zip(theirs, mine)):
            if a != b:
                return f"{key}[{row}]", a, b
        if len(theirs) != len(mine):
            return f"{key} (count)", len(theirs), len(mine)
    return None


class Comparison:
    def __init__(self, oracle, subject, options):
        self.oracle, self.subject = oracle, subject
        self.options = options
        self.checked = 0

    def differs(self, case, stops, seed=0):
        """None, or (stop, difference) of the first stop that differs."""
        stops = sorted(stops)
        chooser = random.Random(seed)
        self.oracle.send(request(case, stops, chooser, 1 << 16))
        self.subject.send(request(case, stops, chooser, self.options.chunk))
        theirs = self.oracle.receive(len(stops))
        ours = self.subject.receive(len(stops))
        self.checked += len(stops)
        for stop, a, b in zip(stops, theirs, ours):
            found = None if a == b else difference(a, b)
            if found:
                return stop, found
        return None

    def differs_at_end(self, case):
        return bool(case.events) and \
            self.differs(case, borders(case)[-1:]) is not None

    def narrow(self, case, last, seed):
        """The first position up to `last` at which the two differ."""
        low, found = 0, None
        while last - low > 0:
            step = max((last - low) // 64, 1)
            stops = {*range(low + step, last, step), last}
            found = self.differs(case, stops, seed) or found
            if step == 1:
                break
            if found is None:
                return None     # gone with another chunking
            last = found[0]
            low = max(last - step, 0)
        return found

    def shrink(self, case):
        """Leave out events while the end still differs."""
        runs, size = 0, max(len(case.events) // 2, 1)
        while runs < SHRINK_RUNS:
            at, before = 0, len(case.events)
            while at < len(case.events) and runs < SHRINK_RUNS:
                less = dataclasses.replace(
                    case, events=case.events[:at] + case.events[at + size:])
                runs += 1
                if self.differs_at_end(less):
                    case = less
                else:
                    at += size
            if size == 1 and len(case.events) == before:
                break
            size = max(size // 2, 1)
        return case

    def check(self, case, stops, seed):
        """Compare one case; True when both agree."""
        first = self.differs(case, stops, seed)
        if first is None:
            return True
        found = self.narrow(case, first[0], seed) or first
        report(case, seed, found)
        self.reproduce(upto(case, found[0]))
        return False

    def reproduce(self, case):
        if not self.differs_at_end(case):
            print("  not seen again without the dumps before it")
            return
        small = self.shrink(dataclasses.replace(case, events=tokens(case.events)))
        stop = borders(small)[-1]
        place, theirs, ours = self.differs(small, [stop])[1]
        print(f"  shrunk to {small.cols}x{small.rows}: {escaped(small.events)}")
        print(f"    {place}\n    oracle  {show(theirs)}\n    subject {show(ours)}")


def upto(case, position):
    events = []
    for event, stop in cut(case.events, [position]):
        events.append(event)
        if stop:
            break
    return dataclasses.replace(case, events=events)


def tokens(events):
    """Generated items are small already; long output is cut at sequences."""
    out = []
    for event in events:
        if isinstance(event, bytes) and len(event) > 400:
            out += SEQUENCE.findall(event)
        else:
            out.append(event)
    return out


def escaped(events):
    out = []
    for event in events:
        if isinstance(event, bytes):
            text = event.decode("utf-8", "backslashreplace")
            out.append(json.dumps(text, ensure_ascii=False)[1:-1]
                       .replace("\\u001b", "\\e"))
        else:
            out.append("<resize %dx%d>" % event)
    return "".join(out)


def show(value):
    return json.dumps(value, ensure_ascii=False)


def report(case, seed, found):
    position, (place, theirs, ours) = found
    print(f"{case.name} at {case.cols}x{case.rows}, seed {seed}: "
          f"differs at byte {position} of {case.size()}")
    before = upto(case, position).events[-3:]
    print(f"  after ...{escaped(before)[-300:]}")
    print(f"  {place}\n  oracle  {show(theirs)}\n  subject {show(ours)}")


def load_cast(path):
    lines = path.read_text().strip("\n").split("\n")
    header = json.loads(lines[0])
    events = []
    for line in lines[1:]:
        _, kind, data = json.loads(line)
        if kind == "o":
            events.append(data.encode())
        elif kind == "r":
            events.append(tuple(int(n) for n in data.split("x")))
    return Case(path.name, header["width"], header["height"], events)


def recordings(options):
    """Each at its own size with its resizes, and without at two others."""
    for path in sorted(pathlib.Path(options.data).glob(options.recordings)):
        case = load_cast(path)
        yield case
        for cols, rows in FORCED:
            events = [e for e in case.events if isinstance(e, bytes)]
            yield Case(f"{case.name} (forced)", cols, rows, events)


def generated(options):
    without = policies.features_left_out() | set(options.without)
    unknown = without - set(generate.FEATURES)
    if unknown:
        raise SystemExit(f"no such feature: {', '.join(sorted(unknown))}")
    for number in range(options.generated):
        seed = options.seed + number
        cols, rows = ((80, 24), (200, 60), (20, 6), (37, 11))[number % 4]
        events = generate.generate(seed, cols, rows, options.length, without)
        yield seed, Case(f"generated {seed}", cols, rows, events)


def stops_for(case, dumps, seed):
    places = borders(case)
    chosen = random.Random(seed).sample(places, min(dumps, len(places)))
    return {*chosen, places[-1]}


def compare_all(comparison, options):
    bad = total = 0
    cases = [(options.seed + turn, case) for turn in range(options.turns)
             for case in recordings(options)]
    for seed, case in [*cases, *generated(options)]:
        total += 1
        stops = stops_for(case, options.dumps, seed)
        if not comparison.check(case, stops, seed):
            bad += 1
        sys.stdout.flush()
        if bad >= options.most:
            print(f"stopped after {bad} differences")
            break
    print(f"{total} inputs, {comparison.checked} states compared, "
          f"{bad} inputs differ")
    return bad == 0 and total > 0


class Spoiled(Side):
    """The oracle, lying about underlined cells: a difference to be found."""

    def line(self):
        return super().line().replace(b"ul=curly", b"ul=dotted")


def self_test(options):
    """The machinery itself: no false alarm, and no difference missed."""
    oracle = Side("oracle", options.oracle)
    again = Side("oracle again", options.oracle)
    spoiled = Spoiled("spoiled oracle", options.oracle)
    ok = compare_all(Comparison(oracle, again, options), options)
    if not ok:
        print("FAILED: the oracle disagrees with itself")
    without = policies.features_left_out()
    events = generate.generate(options.seed, 80, 24, 150, without) + [
        b"\x1b[mx\x1b[4:3mwavy\x1b[m"]
    case = Case("spoiled", 80, 24, events)
    comparison = Comparison(oracle, spoiled, options)
    if comparison.check(case, borders(case), options.seed):
        print("FAILED: the spoiled answers were not noticed")
        ok = False
    start = comparison.differs(case, borders(case))[0]
    small = comparison.shrink(upto(case, start))
    if len(small.events) > 2:
        print(f"FAILED: shrunk only to {escaped(small.events)}")
        ok = False
    for side in (oracle, again, spoiled):
        side.close()
    return ok


def parse_options():
    node = ROOT / "node_modules" / ".bin" / "node"
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--subject", nargs="+", help="command of our side, such as .../vt_dump")
    add("--oracle", nargs="+", default=[str(node), str(HERE / "oracle.mjs")],
        help="command of the other side")
    add("--data", default=str(HERE.parent / "data"), help="folder of recordings")
    add("--recordings", default="*.cast", help="glob of recordings; '' for none")
    add("--generated", type=int, default=20000 if FULL else 1000,
        help="number of generated streams")
    add("--length", type=int, default=80, help="items in a generated stream")
    add("--dumps", type=int, default=20 if FULL else 6,
        help="states compared in the middle of each input")
    add("--chunk", type=int, default=40, help="most bytes in a piece")
    add("--turns", type=int, default=3 if FULL else 1,
        help="how often each recording is compared, chunked differently")
    add("--seed", type=int, default=1, help="first seed")
    add("--without", nargs="*", default=[], help="features not to generate")
    add("--most", type=int, default=1, help="stop after so many differences")
    add("--self-test", action="store_true", help="test this program itself")
    options = parser.parse_args()
    if not options.subject and not options.self_test:
        parser.error("--subject or --self-test is needed")
    if not options.recordings:
        options.recordings = "no recording"
    return options


def main():
    options = parse_options()
    if options.self_test:
        return 0 if self_test(options) else 1
    oracle = Side("oracle", options.oracle)
    subject = Side("subject", options.subject)
    ok = compare_all(Comparison(oracle, subject, options), options)
    oracle.close()
    subject.close()
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
