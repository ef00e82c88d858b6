#!/usr/bin/python3
"""Compare our engine with the oracle on recordings and generated streams.

  compare.py --subject build/release-gcc/tests/oracle/vt_dump [WHAT...]
  compare.py --self-test

WHAT is recordings, generated, code_points or policies; default: all.  The
oracle gets the bytes in large pieces, the subject in random small ones; both
dump their whole state at the same places (README.md defines how).  The first
difference of each input is narrowed down to the byte that causes it, and the
input is shrunk to a small one that still differs.  Exit status 0 means that
all agree except for the policies in policies.py.
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
import reflow
import shrink

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
            pass                # receive() reports how it ended

    def receive(self, dumps):
        return [self.line() for _ in range(dumps)]

    def line(self):
        line = self.process.stdout.readline()
        if not line:
            status = self.process.wait()
            raise SystemExit(f"the {self.name} ended with status {status}")
        return line

    def close(self):
        """End it; a sanitizer may still print a report."""
        self.process.stdin.close()
        status = self.process.wait()
        if status != 0:
            raise SystemExit(f"the {self.name} ended with status {status}")


def pieces(data, chooser, most):
    """Cut data into random pieces of at most `most` bytes."""
    at = 0
    while at < len(data):
        length = chooser.randint(1, most)
        yield data[at:at + length]
        at += length


def steps(case, stops):
    """The steps in order: bytes, a size, or (kind of dump, position).

    Besides the stops, the state is dumped before and after every resize, and
    once more after the oracle got our arrangement of the rows.
    """
    where, held = 0, b""
    for event, stop in cut(case.events, stops):
        if isinstance(event, bytes):
            held += event
            where += len(event)
            if stop:
                yield from (held, ("exact", where))
                held = b""
            continue
        yield from (held, ("exact", where), event)
        held = b""
        where += 1
        yield from (("resized", where), ("arranged", where))
    yield held


def is_dump(step):
    return isinstance(step, tuple) and isinstance(step[0], str)


def request(case, todo, chooser, most, dumps=None, untaught=()):
    """The request that does the steps.  For the oracle, `dumps` are ours: they
    say which resizes need not agree, and how we arranged the rows."""
    chunks, seen = [], -1
    for step in todo:
        if isinstance(step, bytes):
            chunks += [{"data": base64.b64encode(p).decode()}
                       for p in pieces(step, chooser, most)]
        elif is_dump(step):
            if dumps and step[0] == "arranged":
                chunks.append({"arrange": dumps[seen]})
            chunks.append({"dump": True})
            seen += 1
        else:
            exact = not dumps or reflow.is_exact(dumps[seen], step[0])
            chunks.append({"resize": list(step), "whole": not exact})
    return {"cols": case.cols, "rows": case.rows, "scrollback": SCROLLBACK,
            "graphemes": True, "reflowCursorLine": True,
            "untaught": list(untaught), "chunks": chunks}


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


def difference(kind, before, oracle_line, our_line):
    """None, or the first difference: (place, the oracle's, ours)."""
    if oracle_line == our_line:
        return None
    oracle, ours = json.loads(oracle_line), json.loads(our_line)
    policies.normalise(oracle, ours)
    if kind == "resized":
        return reflow.resized(*map(json.loads, before), oracle, ours)
    return reflow.difference(oracle, ours)


class Comparison:
    def __init__(self, oracle, subject, options):
        self.oracle, self.subject = oracle, subject
        self.options = options
        self.untaught = ()      # policies that the oracle is to forget
        self.checked = 0

    def states(self, case, stops, seed=0):
        """The dumps of steps(), and the lines that both sides answered."""
        chooser = random.Random(seed)
        todo = list(steps(case, stops))
        dumps = [step for step in todo if is_dump(step)]
        self.subject.send(request(case, todo, chooser, self.options.chunk))
        ours = self.subject.receive(len(dumps))
        resizes = any(kind == "resized" for kind, _ in dumps)
        parsed = [json.loads(line) for line in ours] if resizes else []
        self.oracle.send(request(case, todo, chooser, 1 << 16, parsed,
                                 self.untaught))
        theirs = self.oracle.receive(len(dumps))
        self.checked += len(dumps)
        return dumps, theirs, ours

    def differs(self, case, stops, seed=0):
        """None, or (stop, difference) of the first stop that differs."""
        dumps, theirs, ours = self.states(case, stops, seed)
        before = None
        for (kind, where), a, b in zip(dumps, theirs, ours):
            found = difference(kind, before, a, b)
            if found:
                return where, found
            before = a, b
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
                return None     # not there with other chunks
            last = found[0]
            low = max(last - step, 0)
        return found

    def shrink(self, case):
        """Leave out events while the end still differs."""
        def with_events(events):
            return dataclasses.replace(case, events=events)

        return with_events(shrink.shrink(
            case.events, lambda less: self.differs_at_end(with_events(less)),
            SHRINK_RUNS))

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
    """Each at its own size with its resizes, and without them at two
    others."""
    for path in sorted(pathlib.Path(options.data).glob(options.recordings)):
        case = load_cast(path)
        yield case
        for cols, rows in FORCED:
            events = [e for e in case.events if isinstance(e, bytes)]
            yield Case(f"{case.name} (forced)", cols, rows, events)


def generated(options):
    unknown = set(options.without) - set(generate.FEATURES)
    if unknown:
        raise SystemExit(f"no such feature: {', '.join(sorted(unknown))}")
    for number in range(options.generated):
        seed = options.seed + number
        cols, rows = ((80, 24), (200, 60), (20, 6), (37, 11))[number % 4]
        events = generate.generate(seed, cols, rows, options.length,
                                   options.without)
        yield seed, Case(f"generated {seed}", cols, rows, events)


def stops_for(case, dumps, seed):
    places = borders(case)
    chosen = random.Random(seed).sample(places, min(dumps, len(places)))
    return {*chosen, places[-1]}


def compare_cases(comparison, options, cases):
    """Compare (seed, case) pairs; True when all agree."""
    bad = total = 0
    for seed, case in cases:
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


def compare_recordings(comparison, options):
    return compare_cases(comparison, options, (
        (options.seed + turn, case) for turn in range(options.turns)
        for case in recordings(options)))


def compare_generated(comparison, options):
    return compare_cases(comparison, options, generated(options))


def compare_code_points(comparison, options):
    """Each code point alone and behind a letter: widths and joining."""
    points = policies.code_points()
    if not FULL:
        points = [c for c in points if c < 0x3100 or 0xfe00 <= c < 0x10000 or
                  0x1f000 <= c < 0x1fc00]
    size = 500
    options = argparse.Namespace(**{**vars(options), "dumps": 0})
    return compare_cases(comparison, options, (
        (0, Case(f"U+{points[at]:04X} and on", 80, 24, [
            f"{chr(c)}|\r\na{chr(c)}|\r\n".encode()
            for c in points[at:at + size]]))
        for at in range(0, len(points), size)))


def check_examples(comparison):
    """A lesson is needed and sufficient: its example differs only without
    it."""
    ok = True
    for policy in policies.POLICIES:
        if not policy.example:
            continue
        case = Case(policy.name, *policy.size, list(policy.example))
        comparison.untaught = [policy.name]
        if comparison.differs(case, borders(case)) is None:
            print(f"{policy.name}: the example agrees without the lesson")
            ok = False
        comparison.untaught = []
        ok = comparison.check(case, borders(case), 0) and ok
    return ok


def check_policies(comparison, options):
    """Policies, lessons and the cases that pin them belong together."""
    cases = policies.vt_cases()
    taught = subprocess.run([*options.oracle, "--lessons"], check=True,
                            stdout=subprocess.PIPE, text=True).stdout.split()
    listed = [p.name for p in policies.POLICIES]
    wrong = [f"no policy for the lesson {name}" for name in taught
             if name not in listed]
    wrong += [f"{p.name}: no lesson" for p in policies.POLICIES
              if p.example and p.name not in taught]
    wrong += [f"{p.name}: no case in tests/vt is called \"{p.pinned}\""
              for p in policies.POLICIES if p.pinned not in cases]
    wrong += [f"{name} is there twice" for name in set(listed)
              if listed.count(name) > 1]
    print("\n".join(wrong) or f"{len(listed)} policies")
    return check_examples(comparison) and not wrong


PARTS = {
    "recordings": compare_recordings,
    "generated": compare_generated,
    "code_points": compare_code_points,
    "policies": check_policies,
}


class Spoiled(Side):
    """The oracle with wrong underlines: a difference that must be found."""

    def line(self):
        return super().line().replace(b"ul=curly", b"ul=dotted")


def self_test(options):
    """Check this tool: no false alarm, and no difference missed.

    Resizes are left out: of two oracles, one would be arranged as the other.
    """
    options.without = ["resize_rows", "resize_cols"]
    oracle = Side("oracle", options.oracle)
    again = Side("oracle again", options.oracle)
    spoiled = Spoiled("spoiled oracle", options.oracle)
    comparison = Comparison(oracle, again, options)
    ok = all([compare_recordings(comparison, options),
              compare_generated(comparison, options)])
    if not ok:
        print("FAILED: the oracle disagrees with itself")
    events = generate.generate(options.seed, 80, 24, 150) + [
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


def chosen(parser, what, parts):
    """Run the named parts, or all."""
    if not set(what) <= set(parts):
        parser.error(f"WHAT is one of {', '.join(parts)}")
    return what or list(parts)


def parse_options():
    node = ROOT / "node_modules" / ".bin" / "node"
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("what", nargs="*", metavar="WHAT", help="what to compare; default all")
    add("--subject", help="our side, such as .../vt_dump")
    add("--data", default=str(HERE.parent / "data"), help="folder of recordings")
    add("--recordings", default="*.cast", help="glob of recordings; '' for none")
    add("--generated", type=int, default=4000 if FULL else 500,
        help="number of generated streams")
    add("--length", type=int, default=80, help="items in a generated stream")
    add("--dumps", type=int, default=20 if FULL else 10,
        help="states compared in the middle of each input")
    add("--chunk", type=int, default=40, help="most bytes in a piece")
    add("--turns", type=int, default=3 if FULL else 1,
        help="how often each recording is compared, chunked differently")
    add("--seed", type=int, default=1, help="first seed")
    add("--without", nargs="*", default=[], help="features not to generate")
    add("--most", type=int, default=1, help="stop after so many differences")
    add("--self-test", action="store_true", help="test this program itself")
    options = parser.parse_args()
    options.oracle = [str(node), str(HERE / "oracle.mjs")]
    if not node.exists():
        raise SystemExit(f"there is no {node}; ./dev test installs it")
    if not options.subject and not options.self_test:
        parser.error("--subject or --self-test is needed")
    options.what = chosen(parser, options.what, PARTS)
    return options


def main():
    options = parse_options()
    if options.self_test:
        return 0 if self_test(options) else 1
    oracle = Side("oracle", options.oracle)
    subject = Side("subject", [options.subject])
    ok = [PARTS[part](Comparison(oracle, subject, options), options)
          for part in options.what]
    oracle.close()
    subject.close()
    return 0 if all(ok) else 1


if __name__ == "__main__":
    sys.exit(main())
