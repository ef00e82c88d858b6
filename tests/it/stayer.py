"""A client that stays attached while the session's hosts change.

It does what docs/protocol.md, "Handover", asks of a client, and shares no code
with tend.  It runs in a thread of its own, types numbers if requested, and
compares every byte of output with the program's expected output.
"""

import subprocess
import threading
import time

from wire import BYE, TAKEN, TEXT, WRITTEN, Closed, Wire

AT_ONCE = 64  # numbers that are typed and not yet taken


class Stayer(threading.Thread):
    """`want` is a command that prints the session's expected output, from
    0."""

    def __init__(self, directory, want=None, types=False, handover=True,
                 **fields):
        super().__init__(daemon=True)
        self.directory = directory
        self.features = ["offset", "events"] + ["handover"] * handover
        self.fields = {"replay": "none", "behind": "lossless", **fields}
        self.types = types
        self.want = want and subprocess.Popen(
            list(map(str, want)), stdout=subprocess.PIPE)
        self.stopped = threading.Event()
        self.failure = None
        self.typed = 0       # numbers that were sent
        self.compared = 0    # bytes
        self.hosts = 1       # that it had
        self.away = []       # seconds between a host's farewell and the next
        self.answers = {}    # status of each INPUT, by its number
        self._connect(0)

    def _connect(self, at):
        self.wire = Wire(self.directory, features=self.features,
                         **{"from": at}, **self.fields)
        self.wire.at = at
        # Ids of inputs continue those of the connection before.
        self.wire.next_id = 1000 + self.typed

    def stop(self):
        """End, and fail if anything was wrong."""
        self.stopped.set()
        self.join(60)
        assert not self.is_alive(), f"it hangs\n{self.wire!r}"
        self.wire.close()
        if self.want is not None:
            self.want.kill()
            self.want.wait()
            self.want.stdout.close()
        if self.failure is not None:
            raise self.failure

    def run(self):
        try:
            while not self.stopped.is_set() or self._waits():
                self._step()
            self._all_taken()
        except BaseException as failure:  # set by stop()
            self.failure = failure

    def _waits(self):
        return len(self.answers) < self.typed

    def _step(self):
        if self.types and not self.stopped.is_set():
            self._type()
        try:
            got = self.wire.frame(0.002 if self.types else 0.05)
        except Closed:
            self._come_back(time.monotonic())
            return
        self._look(got)
        if got is not None and got[0] == BYE:
            self._part()

    def _type(self):
        """Type a number, unless the last ones have not been taken yet."""
        number = self.typed + 1
        if number - len(self.answers) > AT_ONCE:
            return
        try:
            self.wire.input(TEXT, b"%07d." % number)
            self.typed = number
        except (BrokenPipeError, ConnectionResetError):
            pass  # it was not taken: it will be typed at the next host

    def _look(self, got):
        """Compare the output, and note the results of input."""
        wire = self.wire
        if wire.output and self.want is not None:
            part = bytes(wire.output)
            want = self.want.stdout.read(len(part))
            assert part == want, first_difference(part, want, self.compared)
            self.compared += len(part)
        wire.output.clear()
        if got is not None and got[0] == TAKEN:
            number = int.from_bytes(got[1][:8], "big") - 1000
            self.answers[number] = got[1][8]
        wire.frames.clear()

    def _part(self):
        """The host leaves: say BYE, read the rest, and continue with the
        next."""
        began = time.monotonic()
        try:
            self.wire.send(BYE)
        except (BrokenPipeError, ConnectionResetError):
            pass  # too late: it was disconnected, and its input was taken
        end = began + 30
        try:
            while True:
                got = self.wire.frame(end - time.monotonic())
                assert got is not None, f"not closed after BYE\n{self.wire!r}"
                self._look(got)
        except Closed:
            pass
        self._come_back(began)

    def _all_taken(self):
        late = [n for n in range(1, self.typed + 1)
                if self.answers.get(n) != WRITTEN]
        assert not late, f"not taken before the end: {late[:10]}"

    def _come_back(self, began):
        at = self.wire.at
        self._look(None)
        self._all_taken()
        self.wire.close()
        self._connect(at)
        self.away.append(time.monotonic() - began)
        self.hosts += 1

    def wait_for_bytes(self, count):
        """Wait until so many bytes were compared."""
        self._wait(lambda: self.compared >= count, f"{count} bytes")

    def wait_for_host(self, number):
        """Wait until it has had so many hosts."""
        self._wait(lambda: self.hosts >= number, f"host {number}")

    def _wait(self, condition, what, seconds=120):
        end = time.monotonic() + seconds
        while not condition() and self.failure is None:
            assert time.monotonic() < end, \
                f"{what} did not come; {self.compared} bytes, " \
                f"{self.hosts} hosts\n{self.wire!r}"
            time.sleep(0.005)


def first_difference(got, want, offset):
    i = next(i for i in range(len(got) + 1)
             if got[i:i + 1] != want[i:i + 1])
    return (f"byte {offset + i}: got {got[max(0, i - 40):i + 80]!r}, "
            f"want {want[max(0, i - 40):i + 80]!r}")
