"""A client of a session's socket, written from docs/protocol.md alone.

It shares no code with tend: it uses the protocol as documented, so a passing
test shows that the document is right.  Every result must match
docs/operations.md.
"""

import contextlib
import json
import os
import select
import socket
import struct
import time

import declared

DATA, RESIZE, HISTORY, METADATA = 0x01, 0x02, 0x03, 0x04
REQUEST, RESPONSE, OUTPUT, SCREEN, GAP = 0x10, 0x11, 0x12, 0x13, 0x14
INPUT, TAKEN, EVENT, ENDED, DETACH = 0x15, 0x16, 0x17, 0x18, 0x19
SEEN, PING, PONG, VIEW, BYE = 0x1a, 0x1b, 0x1c, 0x1d, 0x1e

TEXT, KEY, PASTE, BYTES, MOUSE, FOCUS = range(1, 7)
(WRITTEN, READ_ONLY, LEASED, FULL, HAS_ENDED, NOTHING, MALFORMED) = range(7)

SECONDS = 30


class Refused(Exception):
    """An operation, or the whole connection, was refused."""

    def __init__(self, error):
        super().__init__(f"{error['code']}: {error['message']}")
        self.code = error["code"]
        self.message = error["message"]


class Closed(Exception):
    """The host has closed the connection."""


def frame(kind, payload=b""):
    return struct.pack(">BI", kind, len(payload)) + payload


def connect(directory):
    """A socket connected to the session in that directory."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    # connect(2) would wait for ever if nothing accepts.
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO,
                    struct.pack("ll", SECONDS, 0))
    fd = os.open(directory, os.O_PATH | os.O_DIRECTORY)
    try:
        sock.connect(f"/proc/self/fd/{fd}/sock")
    finally:
        os.close(fd)
    return sock


class Wire:
    """One connection, past its first lines.

    `output` collects the bytes of the stream, `at` is the offset after them;
    other frames are kept in `frames` until a test reads them.
    """

    def __init__(self, directory, mode="attach",
                 features=("offset", "events"), receive=None, **fields):
        self.sock = connect(directory)
        if receive is not None:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
        self.sock.settimeout(SECONDS)
        hello = {"tend": 1, "client": "tests", "features": list(features),
                 "mode": mode, **fields}
        # A refused client may be disconnected, and can still read the reason.
        with contextlib.suppress(BrokenPipeError):
            self.sock.sendall(json.dumps(hello).encode() + b"\n")
        self.buffer = bytearray()
        self.frames = []
        self.output = bytearray()
        self.at = None
        self.gaps = []
        self.screens = []
        self.next_id = 1
        self.asked = {}  # operations, by the ids of their requests
        self.welcome = json.loads(self._line())
        if not self.welcome["ok"]:
            raise Refused(self.welcome["error"])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.sock.close()

    # ---------------------------------------------------------- receiving

    def _read(self, end):
        """Read more bytes into the buffer; False after the timeout."""
        left = end - time.monotonic()
        if left <= 0 or not select.select([self.sock], [], [], left)[0]:
            return False
        try:
            got = self.sock.recv(1 << 18)
        except ConnectionResetError:
            got = b""
        if not got:
            raise Closed()
        self.buffer += got
        return True

    def _line(self):
        end = time.monotonic() + SECONDS
        while b"\n" not in self.buffer:
            assert self._read(end), f"no first line: {bytes(self.buffer)!r}"
        line, _, rest = bytes(self.buffer).partition(b"\n")
        self.buffer = bytearray(rest)
        return line

    def _parse(self):
        """The next complete frame of the bytes read, or None."""
        if len(self.buffer) < 5:
            return None
        kind, length = struct.unpack_from(">BI", self.buffer)
        assert length <= 16 << 20, f"a frame of {length} bytes"
        if len(self.buffer) < 5 + length:
            return None
        payload = bytes(self.buffer[5:5 + length])
        del self.buffer[:5 + length]
        return kind, payload

    def frame(self, seconds=SECONDS):
        """The next frame; None after the timeout."""
        end = time.monotonic() + seconds
        while True:
            got = self._parse()
            if got is not None:
                self._note(*got)
                return got
            if not self._read(end):
                return None

    def _note(self, kind, payload):
        """Follow the stream: every byte of it has its offset."""
        if kind == OUTPUT:
            offset, = struct.unpack_from(">Q", payload)
            assert self.at is None or offset == self.at, \
                f"output at {offset}, not at {self.at}"
            self.output += payload[8:]
            self.at = offset + len(payload) - 8
        elif kind == DATA:
            self.output += payload
        elif kind == GAP:
            start, to, why = struct.unpack(">QQB", payload)
            assert self.at is None or start == self.at, \
                f"a gap at {start}, not at {self.at}"
            self.gaps.append((start, to, why))
            self.at = to
        elif kind == SCREEN:
            offset, seq, cols, rows, form = struct.unpack_from(">QQHHB",
                                                               payload)
            assert self.at is None or offset == self.at, \
                f"a screen at {offset}, not at {self.at}"
            self.screens.append({"offset": offset, "seq": seq, "cols": cols,
                                 "rows": rows, "form": form,
                                 "bytes": payload[21:]})
            self.at = offset
        else:
            if kind == RESPONSE:
                self._check(json.loads(payload))
            self.frames.append((kind, payload))

    def _check(self, answer):
        op = self.asked.get(answer["id"], "a request")
        if not answer["ok"]:
            declared.check_error(op, answer["error"])
        elif op in declared.SCHEMAS["operations"]:
            declared.check_operation(op, answer["result"])

    def take(self, wanted, seconds=SECONDS, what=None):
        """The next frame for which `wanted` (a type or a function) is true."""
        if isinstance(wanted, int):
            number = wanted
            wanted = lambda kind, payload: kind == number
        end = time.monotonic() + seconds
        while True:
            for i, got in enumerate(self.frames):
                if wanted(*got):
                    return self.frames.pop(i)[1]
            if self.frame(end - time.monotonic()) is None:
                raise AssertionError(f"{what or 'a frame'} did not come\n"
                                     f"{self!r}")

    def until(self, condition, what, seconds=SECONDS):
        """Read frames until the condition is true."""
        end = time.monotonic() + seconds
        while not condition():
            if self.frame(end - time.monotonic()) is None:
                raise AssertionError(f"{what} did not come\n{self!r}")

    def until_output(self, text, seconds=SECONDS):
        self.until(lambda: text in self.output, f"{text!r} in the output",
                   seconds)

    def until_closed(self, seconds=SECONDS):
        """Read to the end of the connection; it must be closed."""
        end = time.monotonic() + seconds
        try:
            while self.frame(end - time.monotonic()) is not None:
                pass
        except Closed:
            return
        raise AssertionError(f"the connection was not closed\n{self!r}")

    def metadata(self):
        return json.loads(self.take(METADATA, what="METADATA"))

    def event(self, what, /, seconds=SECONDS, **fields):
        """The next EVENT of that name, with these fields."""
        def wanted(kind, payload):
            if kind != EVENT:
                return False
            event = json.loads(payload)
            return event["event"] == what and all(
                event.get(key) == value for key, value in fields.items())

        return json.loads(self.take(wanted, seconds, f"the event {what}"))

    def ended(self, seconds=SECONDS):
        return json.loads(self.take(ENDED, seconds, "ENDED"))

    # ------------------------------------------------------------ sending

    def send(self, kind, payload=b""):
        self.sock.sendall(frame(kind, payload))

    def data(self, text):
        self.send(DATA, text)

    def resize(self, cols, rows):
        self.send(RESIZE, struct.pack(">HH", cols, rows))

    def view(self, visible):
        self.send(VIEW, bytes([visible]))

    def sync(self):
        """Return once the host has handled everything sent before."""
        token = struct.pack(">Q", self.next_id)
        self.next_id += 1
        self.send(PING, token)
        self.take(lambda kind, payload: kind == PONG and payload == token,
                  what="PONG")

    def input(self, kind, payload, flags=0):
        """Type something; returns its id."""
        self.next_id += 1
        self.send(INPUT, struct.pack(">QBB", self.next_id, kind, flags)
                  + payload)
        return self.next_id

    def taken(self, number):
        """The result of an input: its status and seq."""
        payload = self.take(lambda kind, payload: kind == TAKEN
                            and struct.unpack_from(">Q", payload)[0] == number,
                            what=f"TAKEN {number}")
        _, status, seq = struct.unpack(">QBQ", payload)
        return status, seq

    def type(self, kind, payload, flags=0):
        return self.taken(self.input(kind, payload, flags))

    def ask(self, op, /, give=None, **args):
        """Send a request; returns its id.

        `give` is a descriptor that goes along with it.
        """
        self.next_id += 1
        self.asked[self.next_id] = op
        request = frame(REQUEST, json.dumps({"id": self.next_id, "op": op,
                                             "args": args}).encode())
        if give is None:
            self.sock.sendall(request)
        else:
            sent = socket.send_fds(self.sock, [request], [give])
            self.sock.sendall(request[sent:])
        return self.next_id

    def answer(self, number, seconds=SECONDS):
        """The result of a request, or Refused."""
        payload = self.take(lambda kind, payload: kind == RESPONSE
                            and json.loads(payload)["id"] == number,
                            seconds, f"the answer to request {number}")
        answer = json.loads(payload)
        if not answer["ok"]:
            raise Refused(answer["error"])
        return answer["result"]

    def call(self, op, /, give=None, **args):
        """Run an operation; returns its result, or raises Refused."""
        return self.answer(self.ask(op, give, **args))

    def __repr__(self):
        return (f"welcome {self.welcome}\nat {self.at}, gaps {self.gaps[-5:]}\n"
                f"{len(self.screens)} screens, last frames "
                f"{self.frames[-10:]}\nlast output "
                f"{bytes(self.output[-400:])!r}\n"
                f"{len(self.buffer)} bytes of the next frame: "
                f"{bytes(self.buffer[:100])!r}")
