"""A running hub for the tests, and a small HTTP client.

    with Home() as home, Hub(home) as hub:
        answer = hub.get("/api/v1/session/list")
        assert answer.status == 200, answer
"""

import http.client
import json
import os
import re
import socket
import subprocess

from lib import BUILD, wait_for

TEND_HUB = BUILD / "src" / "tend-hub"


class Reply(str):
    """The answer to a request.  As for lib.Answer, it is also a string of all
    of it, which pytest shows whole."""

    def __new__(cls, what, status, headers, body):
        reply = super().__new__(
            cls, f"{what}\nstatus {status}\n{headers}\n{body[:4000]!r}")
        reply.status = status
        reply.headers = headers
        reply.body = body
        return reply

    @property
    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return str(self)


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("hub", timeout=60)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self.path))


class Hub:
    """tend-hub of a home, in the foreground of the test."""

    def __init__(self, home, *options, listen="127.0.0.1:0", env=None,
                 program=TEND_HUB):
        self.home = home
        self.options = options
        self.program = program
        self.listen = listen
        self.env = {**home.env, **(env or {})}
        self.process = None
        self.taken_over = False  # a test makes calls that are refused
        self.url = None
        self.port = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        if self.process is not None and self.process.poll() is None:
            self.stop()

    def start(self):
        """Start it, wait until it is ready, and ask for its address."""
        self.launch()
        status = self.call("hub/status", method="GET")
        self.url = status["url"]
        self.port = int(self.url.rpartition(":")[2])

    def launch(self):
        """Start it and wait until it is ready."""
        ready, ready_w = os.pipe()
        self.process = subprocess.Popen(
            [self.program, "--listen", self.listen, "--ready-fd", str(ready_w),
             *self.options],
            env=self.env, pass_fds=[ready_w], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(ready_w)
        with open(ready, encoding="utf-8") as pipe:
            line = pipe.readline().strip()
        assert line == "ok", f"the hub did not start: {line!r}"

    def stop(self):
        """End it in order, and wait for that."""
        self.process.terminate()
        assert self.process.wait(60) == 0, self.log()
        if not self.taken_over:
            assert "system call refused" not in self.log(), self.log()

    def kill(self):
        self.process.kill()
        self.process.wait(60)

    def log(self):
        path = self.home.path / "hub.log"
        return path.read_text() if path.exists() else ""

    def connection(self, unix=True):
        if unix:
            return UnixConnection(self.home.path / "hub.sock")
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    @staticmethod
    def connection_to(url):
        """A connection to the address of a URL, without TLS."""
        host, _, port = url.removeprefix("http://").rpartition(":")
        return http.client.HTTPConnection(host.strip("[]"), int(port),
                                          timeout=60)

    def request(self, method, path, body=None, headers=None, unix=True,
                connection=None):
        """One request, on a connection of its own unless one is given."""
        link = connection or self.connection(unix)
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            headers = {"Content-Type": "application/json", **(headers or {})}
        link.request(method, path, body=body, headers=headers or {})
        answer = link.getresponse()
        data = answer.read()
        if connection is None:
            link.close()
        return Reply(f"{method} {path}", answer.status, answer.headers, data)

    def get(self, path, **kwargs):
        return self.request("GET", path, **kwargs)

    def post(self, path, body=None, **kwargs):
        return self.request("POST", path, body, **kwargs)

    def call(self, route, args=None, method="POST", **kwargs):
        """The result of an operation that must succeed."""
        reply = self.request(method, f"/api/v1/{route}",
                             args if method == "POST" else None, **kwargs)
        assert reply.status == 200, reply
        return reply.json

    def token(self, *options):
        """A new token: its secret."""
        secret = self.home.ok("token", "create", *options).strip()
        assert re.fullmatch(r"tend_[a-z]_[A-Za-z0-9_-]{43}", secret), secret
        return secret

    def raw(self, data, unix=False, timeout=30):
        """Send bytes and return everything that comes back until the end."""
        if unix:
            link = socket.socket(socket.AF_UNIX)
            link.connect(str(self.home.path / "hub.sock"))
        else:
            link = socket.create_connection(("127.0.0.1", self.port))
        with link:
            link.settimeout(timeout)
            link.sendall(data)
            got = b""
            while True:
                try:
                    part = link.recv(65536)
                except ConnectionResetError:
                    break
                if not part:
                    break
                got += part
        return got


def bearer(secret):
    return {"Authorization": f"Bearer {secret}"}


def wait_ready(hub):
    wait_for(lambda: hub.get("/readyz").status == 200, "a ready hub")
