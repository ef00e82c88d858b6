"""A host of a newer tend, as far as clients see.

    with NewerHost(home, sid, other) as copied:

gives the home `other` a session, whose socket leads to the real host of session
`sid` in `home`.  Between the two it raises all versions, and adds unknown features
and fields to what the host says.
"""

import json
import os
import pathlib
import socket
import struct
import threading

from hub_load import start_of
from lib import unchecked
from wire import EVENT, RESPONSE, connect, frame

NOVEL = {"novel": {"deep": [1, None, {"x": "y"}]}, "tend-next": True}


def newer_welcome(line):
    welcome = json.loads(line)
    assert welcome["ok"] is True, welcome
    welcome.update(NOVEL, tend=welcome["tend"] + 1, host="tend-host 9.9.9")
    welcome["features"] += ["teleport", "quantum"]
    return json.dumps(welcome).encode() + b"\n"


def newer_frame(kind, payload):
    if kind not in (RESPONSE, EVENT):
        return frame(kind, payload)
    message = json.loads(payload)
    for value in message.values():
        if isinstance(value, dict):
            value.update(NOVEL)
    message.update(NOVEL)
    return frame(kind, json.dumps(message).encode())


def pass_on(source, target):
    """Bytes of the client, unchanged."""
    while data := source.recv(65536):
        target.sendall(data)
    target.shutdown(socket.SHUT_WR)


def translate(source, target, counts):
    """Bytes of the host, made newer."""
    file = source.makefile("rb")
    target.sendall(newer_welcome(file.readline()))
    counts["connections"] += 1
    while len(head := file.read(5)) == 5:
        kind, length = struct.unpack(">BI", head)
        target.sendall(newer_frame(kind, file.read(length)))
        counts["frames"] += 1
    target.shutdown(socket.SHUT_WR)


def quietly(work, *args):
    try:
        work(*args)
    except OSError:
        pass  # one of the two has closed


class NewerHost:
    def __init__(self, home, sid, other):
        self.real, self.place = home.dir(sid), other.dir(sid)
        self.counts = {"connections": 0, "frames": 0}

    def __enter__(self):
        self.place.mkdir(parents=True, mode=0o700)
        self.place.parent.chmod(0o700)
        stat = self.place.stat()
        session = json.loads(unchecked(
            (self.real / "session.json").read_text()))
        session.update(NOVEL, dir_dev=stat.st_dev, dir_ino=stat.st_ino,
                       keeper_pid=os.getpid(), keeper_start=start_of(
                           os.getpid()))
        file = self.place / "session.json"
        file.write_text(json.dumps(session, separators=(",", ":")))
        file.chmod(0o600)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(pathlib.Path(self.place, "sock")))
        (self.place / "sock").chmod(0o600)
        self.listener.listen()
        threading.Thread(target=quietly, args=(self.accept,),
                         daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            host = connect(self.real)
            for work in ((pass_on, client, host),
                         (translate, host, client, self.counts)):
                threading.Thread(target=quietly, args=work,
                                 daemon=True).start()
