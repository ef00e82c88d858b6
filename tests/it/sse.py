"""A client of the hub's server-sent events (docs/hub-http.md)."""

import json
import socket
import threading

from lib import wait_for


class Events:
    """A client of server-sent events."""

    def __init__(self, hub, path="/api/v1/events", last=None, **kwargs):
        headers = dict(kwargs.pop("headers", {}))
        if last is not None:
            headers["Last-Event-ID"] = last
        self.link = hub.connection(**kwargs)
        self.link.request("GET", path, headers=headers)
        self.sock = self.link.sock
        self.answer = self.link.getresponse()
        self.headers = self.answer.headers
        self.last = last
        self.seen = []
        self.sessions = {}
        if self.answer.status == 200:
            self.thread = threading.Thread(target=self.read, daemon=True)
            self.ended = False
            self.thread.start()

    def __enter__(self):
        assert self.answer.status == 200, self.answer.read()
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        try:
            self.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.thread.join(30)
        self.answer.close()
        self.link.close()

    def read(self):
        event = {}
        try:
            for line in self.answer:
                line = line.decode().rstrip("\n")
                name, _, value = line.partition(": ")
                if line == "":
                    if "event" in event:
                        self.take(event)
                    event = {}
                else:
                    event[name] = value
        except (OSError, ValueError, AttributeError):
            pass
        self.ended = True

    def take(self, event):
        if event.get("id") is not None or event.get("id:") is not None:
            self.last = event.get("id", "")
        data = json.loads(event["data"])
        kind = event["event"]
        if kind == "reset":
            self.sessions = {}
        elif kind == "removed":
            self.sessions.pop(data["id"], None)
        elif "session" in data:
            self.sessions[data["session"]["id"]] = data["session"]
        self.seen.append((kind, data))

    def kinds(self, sid=None):
        return [kind for kind, data in self.seen
                if sid is None or sid in (data.get("id"), data.get(
                    "session", {}).get("id"))]

    def wait(self, kind, sid=None, seconds=30, **fields):
        """The data of the first such event."""
        def look():
            for seen, data in list(self.seen):
                session = data.get("session", data)
                if seen == kind and (sid is None or session.get("id") == sid) \
                        and all(session.get(k) == v
                                for k, v in fields.items()):
                    return [data]
            return None
        return wait_for(look, lambda: f"{kind} of {sid} {fields} in "
                        f"{self.seen}", seconds)[0]
