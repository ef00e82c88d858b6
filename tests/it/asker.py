"""A program that asks its terminal as fast as it can, and checks each answer.

  asker.py COUNT HOW REPORT

It asks COUNT questions of several kinds (0: until it gets a q) whose answers
it knows in advance, and compares the answers byte by byte.  HOW is

  eager   reads whenever there is something to read
  late    reads nothing before it has asked everything
  slowly  reads a few bytes between two writes

A typed key may come between two answers but never inside one: K is counted, q
ends a program without COUNT.  At the end it writes REPORT: {"answers": N,
"keys": N}, or "wrong" with the actual and the expected bytes.
"""

import collections
import json
import os
import random
import select
import sys
import tty

CHUNK = 4096
AHEAD = 64 << 10  # bytes of answers that may be under way


def fixed(question, answer):
    return lambda rng: (question, answer)


def cursor(rng):
    row, col = rng.randrange(1, 24), rng.randrange(1, 80)
    return b"\033[%d;%dH\033[6n" % (row, col), b"\033[%d;%dR" % (row, col)


def colour(rng):
    n, r, g, b = (rng.randrange(256) for _ in range(4))
    return (b"\033]4;%d;rgb:%02x/%02x/%02x\033\\\033]4;%d;?\033\\"
            % (n, r, g, b, n),
            b"\033]4;%d;rgb:%02x%02x/%02x%02x/%02x%02x\033\\"
            % (n, r, r, g, g, b, b))


def text(rng):
    return b"\033[H%d words\r\n" % rng.randrange(10**6), b""


QUESTIONS = [
    cursor, cursor, colour, colour, text,
    fixed(b"\033[c", b"\033[?64;6;21;22;28c"),
    fixed(b"\033[5n", b"\033[0n"),
    fixed(b"\033[?25$p", b"\033[?25;1$y"),
    fixed(b"\033[?1000$p", b"\033[?1000;2$y"),
    fixed(b"\033P$qr\033\\", b"\033P1$r1;24r\033\\"),
    fixed(b"\033P+q544E;436F\033\\",
          b"\033P1+r544E=787465726D2D323536636F6C6F72\033\\"
          b"\033P1+r436F=323536\033\\"),
]


class Asker:
    def __init__(self, count, how):
        self.left = count if count > 0 else sys.maxsize
        self.how = how
        self.rng = random.Random(count)
        self.unsaid = b""
        self.due = collections.deque()
        self.due_bytes = 0
        self.got = b""
        self.answers = self.keys = 0
        self.wrong = None

    def ask(self):
        while (self.left > 0 and len(self.unsaid) < CHUNK
               and (self.how == "late" or self.due_bytes < AHEAD)):
            question, answer = self.rng.choice(QUESTIONS)(self.rng)
            self.unsaid += question
            if answer:
                self.left -= 1
                self.due.append(answer)
                self.due_bytes += len(answer)

    def check(self):
        while self.got and self.wrong is None:
            if self.got[:1] in b"Kq":
                self.keys += self.got[:1] == b"K"
                if self.got[:1] == b"q":
                    self.left = 0
                self.got = self.got[1:]
                continue
            want = self.due[0] if self.due else b""
            if not want or not want.startswith(self.got[:len(want)]):
                self.wrong = {"want": want.decode(), "answers": self.answers,
                              "got": self.got[:200].decode("latin-1")}
                return
            if len(self.got) < len(want):
                return
            self.due.popleft()
            self.due_bytes -= len(want)
            self.got = self.got[len(want):]
            self.answers += 1

    def wants_to_read(self):
        return self.how != "late" or (self.left == 0 and not self.unsaid)

    def is_done(self):
        return self.wrong is not None or (
            self.left == 0 and not self.unsaid and not self.due)

    def run(self):
        while not self.is_done():
            self.ask()
            reads, writes, _ = select.select(
                [0] if self.wants_to_read() else [],
                [1] if self.unsaid else [], [])
            if writes:
                self.unsaid = self.unsaid[os.write(1, self.unsaid[:512]):]
            if reads:
                self.got += os.read(0, 7 if self.how == "slowly" else 65536)
                self.check()


def main():
    asker = Asker(int(sys.argv[1]), sys.argv[2])
    tty.setraw(0)
    asker.run()
    report = {"answers": asker.answers, "keys": asker.keys,
              "wrong": asker.wrong}
    with open(sys.argv[3] + ".new", "w") as out:
        json.dump(report, out)
    os.rename(sys.argv[3] + ".new", sys.argv[3])
    os.write(1, b"\033[H\033[2Jdone\r\n")
    while os.read(0, 1) not in b"q":
        pass


main()
