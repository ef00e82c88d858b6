"""Uploads into the files of a session, and how they are pasted (S10, T-06,
C-22)."""

import contextlib
import os
import re
import select
import socket
import stat
from urllib.parse import quote

import pytest

import declared
import disks
from hub import Hub, bearer
from lib import wait_for
from served import home, hub
from test_hub_api import problem
from test_hub_policy import Client, allow, write_policy
from wire import Wire

MOST = 8 << 20
PATH = "/api/v1/session/upload"
BINARY = {"Content-Type": "application/x-binary"}


@pytest.fixture
def cat(home):
    """A session whose program keeps what it reads; its id."""
    sid = home.start("sh", "-c", "stty raw -echo; printf ready; exec cat >$0",
                     home.path / f"read-{os.urandom(4).hex()}")
    home.wait_text(sid, "ready")
    yield sid
    home.run("kill", sid)


def read_by(home, sid):
    path = home.info(sid)["command"][-1]
    return open(path, "rb").read() if os.path.exists(path) else b""


def files(home, sid):
    return sorted(p.name for p in (home.dir(sid) / "files").iterdir())


def upload(hub, sid, body, query="", headers=None, **kwargs):
    return hub.request("POST", f"{PATH}?session={sid}{query}", body,
                       headers=headers or BINARY, **kwargs)


def stored(reply):
    """The path of a file that was stored, checked."""
    assert reply.status == 200, reply
    declared.check_operation("session.upload", reply.json)
    return reply.json["path"]


def connect(home):
    link = socket.socket(socket.AF_UNIX)
    link.settimeout(30)
    link.connect(str(home.path / "hub.sock"))
    return link


def chunked(sid, body, query="", end=b"0\r\n\r\n"):
    """A request without a length."""
    head = (f"POST {PATH}?session={sid}{query} HTTP/1.1\r\nHost: hub\r\n"
            "Content-Type: application/x-binary\r\n"
            "Transfer-Encoding: chunked\r\n\r\n").encode()
    pieces = [body[i:i + 65536] for i in range(0, len(body), 65536)]
    return head + b"".join(b"%x\r\n%s\r\n" % (len(p), p)
                           for p in pieces) + end


def test_a_file_is_stored_with_its_bytes_and_mode(home, hub, cat):
    body = os.urandom(300_000)
    path = stored(upload(hub, cat, body, "&name=Report%20(1).pdf"))
    assert os.path.dirname(path) == str(home.dir(cat) / "files")
    assert re.fullmatch(r"Report_1-[0-9A-Z]{8}\.pdf", os.path.basename(path))
    assert open(path, "rb").read() == body
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    again = stored(upload(hub, cat, body, "&name=Report%20(1).pdf"))
    assert again != path and len(files(home, cat)) == 2


def test_eight_mebibytes_are_stored_and_one_more_byte_is_not(home, hub, cat):
    """S10, with a length and in chunks."""
    body = os.urandom(MOST)
    reply = upload(hub, cat, body)
    path = stored(reply)
    assert reply.json["bytes"] == MOST
    assert open(path, "rb").read() == body
    os.unlink(path)
    with connect(home) as link:
        link.sendall(chunked(cat, body))
        assert link.recv(100).startswith(b"HTTP/1.1 200 ")
    path = home.dir(cat) / "files" / files(home, cat)[0]
    assert path.read_bytes() == body
    path.unlink()
    # The answer comes before any of it was sent.
    early = hub.raw(f"POST {PATH}?session={cat} HTTP/1.1\r\nHost: hub\r\n"
                    f"Content-Length: {MOST + 1}\r\n\r\n".encode(), unix=True)
    assert early.startswith(b"HTTP/1.1 413 "), early
    with connect(home) as link:
        link.sendall(chunked(cat, body + b"x", end=b""))
        assert link.recv(100).startswith(b"HTTP/1.1 413 ")
    wait_for(lambda: files(home, cat) == [], lambda: files(home, cat))


def test_an_empty_file_is_a_file(home, hub, cat):
    path = stored(upload(hub, cat, b"", "&name=empty"))
    assert os.path.getsize(path) == 0


NAMES = ["../../../etc/passwd", "..", ".", "/", "//", "/etc/shadow", "a/../b",
         "..%2f..%2fetc", "..\\..\\x", "C:\\boot.ini", ".bashrc", ".ssh/config",
         "-rf", "--help", "~", "~root", "$HOME", "`id`", "$(id)", "a;b", "a|b",
         "a&b", "a b", " ", "  x  ", "a\tb", "a\nb", "a\rb", "\x1b[31m", "\x9b1m",
         "\x7f", "\u202eevil.txt", "é", "文件.txt", "🙂.png", "a" * 300,
         "a" * 250 + ".txt", "x." + "y" * 200, "." * 50, "..." + "/" * 50, "con",
         "nul.txt", "a:b", "a*b?", "a'b", 'a"b', "a<b>", "{a,b}", "[a]", "!x",
         "#x", "%00", "%2e%2e%2f", "x.tar.gz", "x.", ".x.", "_", "__", "-", "a-",
         "a--b", "a..b", "session.json", "sock", "files", ".upload-x",
         "\u2028x", "a\u0301", "\ufeffx", "ß", "x/", "x\\", "\\", "\\\\host\\s",
         "a" + "/b" * 100, "x\x01y", "x\x1fy", "0", "00", "1.2.3", "=1+1",
         "@x", "x@y", "x,y", "x+y", "x~", "x.sh", "Makefile", "README.md",
         ".git/hooks/pre-commit", "authorized_keys", "a\\../b", "..;/x",
         "x%", "x%zz", "%c0%ae%c0%ae/", "....//", "..../", "a\u200bb", "a\u00adb", "CON.", "a" * 64 + ".png"]


def test_a_hundred_bad_names_become_good_ones(home, hub, cat):
    """S10: the hub makes the name."""
    assert len(set(NAMES)) >= 100, len(set(NAMES))
    link = hub.connection()
    for name in NAMES:
        path = stored(upload(hub, cat, b"x", "&name=" + quote(name, safe=""),
                             connection=link))
        directory, _, made = path.rpartition("/")
        assert directory == str(home.dir(cat) / "files"), (name, path)
        assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,90}", made), path
        assert ".." not in made, path
    link.close()
    assert len(files(home, cat)) == len(NAMES)
    for name in ("%00", "a%00b", "%ff%fe", "%", "x" * 5000):
        problem(upload(hub, cat, b"x", "&name=" + name), 400, "usage")


def test_links_and_pipes_in_the_way_are_not_followed(home, hub, cat):
    """S10: the directory itself may be a link, or its files."""
    own = home.dir(cat) / "files"
    outside = home.path / "outside"
    outside.mkdir()
    os.rename(own, f"{own}.real")
    own.symlink_to(outside)
    problem(upload(hub, cat, b"x"), 507, "storage")
    own.unlink()
    os.mkfifo(own)
    problem(upload(hub, cat, b"x"), 507, "storage")
    own.unlink()
    stored(upload(hub, cat, b"x", "&name=a"))
    assert list(outside.iterdir()) == []
    assert stat.S_IMODE(own.stat().st_mode) == 0o700


def test_a_client_that_leaves_leaves_no_file(home, hub, cat):
    """At any point of the body, with and without a length."""
    body = os.urandom(3 << 20)
    whole = (f"POST {PATH}?session={cat} HTTP/1.1\r\nHost: hub\r\n"
             f"Content-Length: {len(body)}\r\n\r\n").encode() + body
    for request in (whole, chunked(cat, body)):
        for sent in (200, 1000, 300_000, 2_000_000, len(request) - 6):
            with connect(home) as link:
                link.sendall(request[:sent])
                if sent >= 300_000:
                    wait_for(lambda: files(home, cat), "a hidden file")
            wait_for(lambda: files(home, cat) == [],
                     lambda: files(home, cat))
    stored(upload(hub, cat, b"x"))


def test_an_upload_over_a_thin_link_may_take_its_time(home, hub, cat):
    """Each mebibyte has a minute; the large dose is longer than one."""
    pause = 8 if "TEND_TEST_FULL" in os.environ else 0.01
    body = os.urandom(10 << 18)
    with connect(home) as link:
        link.sendall(chunked(cat, b"", end=b""))
        for i in range(10):
            part = body[i << 18:(i + 1) << 18]
            link.sendall(b"%x\r\n%s\r\n" % (len(part), part))
            # An answer now would be a refusal.
            assert select.select([link], [], [], pause)[0] == [], i
        link.sendall(b"0\r\n\r\n")
        assert link.recv(100).startswith(b"HTTP/1.1 200 ")
    path = home.dir(cat) / "files" / files(home, cat)[0]
    assert path.read_bytes() == body


def test_a_client_that_loses_its_rights_stores_nothing(home, hub, cat):
    """B-42: they are looked at again when the file is complete."""
    who, name = ["program:ci"], home.info(cat)["name"]
    write_policy(home, allow(**{name: {"observe": who,
                                       "observe/read-write": who}}))
    client = Client(hub, *who)
    client.until("session/mark", 200, session=cat, name="x")
    request = chunked(cat, os.urandom(600_000), end=b"").replace(
        b"Host: hub\r\n", b"Host: 127.0.0.1:%d\r\n"
        b"Authorization: Bearer %s\r\n" % (hub.port, client.secret.encode()))
    with socket.create_connection(("127.0.0.1", hub.port)) as link:
        link.settimeout(30)
        link.sendall(request)
        wait_for(lambda: files(home, cat), "a hidden file")
        write_policy(home, allow(**{name: {"observe": who}}))
        client.until("session/mark", 403, session=cat, name="x")
        link.sendall(b"0\r\n\r\n")
        assert link.recv(100).startswith(b"HTTP/1.1 403 ")
    assert files(home, cat) == []
    (home.path / "policy.json").unlink()


def test_a_full_disk_is_reported_and_no_file_remains(tmp_path):
    """A session needs some room for its log; and the disk may be full in the
    middle."""
    with disks.in_memory(tmp_path / "disk", "size=64m") as home, \
            Hub(home) as hub:
        sid = home.start("cat")
        ballast = disks.fill(home, leave=12 << 20)
        problem(upload(hub, sid, b"x"), 507, "storage", "No space left")
        os.truncate(ballast, ballast.stat().st_size - (10 << 20))
        stored(upload(hub, sid, b"x"))
        with connect(home) as link:
            link.sendall(chunked(sid, os.urandom(600_000), end=b""))
            wait_for(lambda: len(files(home, sid)) == 2, "a hidden file")
            disks.fill(home)
            with contextlib.suppress(OSError):
                link.sendall(b"300000\r\n" + os.urandom(0x300000))
                link.sendall(b"\r\n0\r\n\r\n")
            assert link.recv(100).startswith(b"HTTP/1.1 507 ")
        wait_for(lambda: len(files(home, sid)) == 1,
                 lambda: files(home, sid))
        os.truncate(ballast, 0)
        stored(upload(hub, sid, b"x"))


def test_a_broken_chunk_leaves_no_file(home, hub, cat):
    got = hub.raw(chunked(cat, os.urandom(600_000), end=b"zz\r\nx\r\n"),
                  unix=True)
    assert got.startswith(b"HTTP/1.1 400 "), got[:200]
    wait_for(lambda: files(home, cat) == [], lambda: files(home, cat))


def test_a_file_that_arrives_is_hidden(home, hub, cat):
    """Nobody sees half a file; one that a killed hub left is removed."""
    left = home.dir(cat) / "files" / ".upload-left"
    young = home.dir(cat) / "files" / ".upload-young"
    for path in (left, young):
        path.write_bytes(b"half")
    os.utime(left, (0, 0))
    with connect(home) as link:
        link.sendall(chunked(cat, os.urandom(600_000), end=b""))
        wait_for(lambda: not left.exists() and len(files(home, cat)) == 2,
                 lambda: files(home, cat))
        assert all(n.startswith(".upload-") for n in files(home, cat))
        assert young.exists()
        link.sendall(b"0\r\n\r\n")
        assert link.recv(100).startswith(b"HTTP/1.1 200 ")
    assert sum(n.startswith("file-") for n in files(home, cat)) == 1


def test_four_uploads_at_once_and_no_more(home, hub, cat):
    links = []
    for _ in range(4):
        link = connect(home)
        link.sendall(chunked(cat, os.urandom(300_000), end=b""))
        links.append(link)
    wait_for(lambda: len(files(home, cat)) == 4, lambda: files(home, cat))
    body = problem(upload(hub, cat, b"x"), 503, "busy")
    assert body["retryable"] is True
    for link in links:
        link.sendall(b"0\r\n\r\n")
        assert link.recv(100).startswith(b"HTTP/1.1 200 ")
        link.close()
    stored(upload(hub, cat, b"x"))
    assert len(files(home, cat)) == 5


def test_guests_leave_one_upload_to_the_owner(home, hub, cat):
    secret = hub.call("share/create", {"session": cat, "drive": True})["secret"]
    links = []
    for _ in range(3):
        links.append(socket.create_connection(("127.0.0.1", hub.port)))
        links[-1].sendall(chunked(cat, os.urandom(300_000), end=b"").replace(
            b"Host: hub\r\n", f"Host: 127.0.0.1:{hub.port}\r\nAuthorization: "
            f"Bearer {secret}\r\n".encode(), 1))
    wait_for(lambda: len(files(home, cat)) == 3, lambda: files(home, cat))
    problem(upload(hub, cat, b"x", unix=False,
                   headers={**BINARY, "Authorization": f"Bearer {secret}"}),
            503, "busy")
    stored(upload(hub, cat, b"x"))
    for link in links:
        link.close()


def test_the_files_of_a_session_take_at_most_a_gibibyte(home, hub, cat):
    big = home.dir(cat) / "files" / "big"
    with open(big, "wb") as f:
        f.truncate((1 << 30) - MOST)
    stored(upload(hub, cat, b"x"))
    problem(upload(hub, cat, b"x"), 507, "storage", "gigabyte")
    big.unlink()
    stored(upload(hub, cat, b"x"))


def test_wrong_uploads_are_refused(home, hub, cat):
    problem(upload(hub, "none", b"x"), 404, "not_found")
    problem(hub.post(PATH, b"x"), 400, "usage", "session")
    problem(upload(hub, cat, b"x", "&paste=maybe"), 400, "usage", "paste")
    problem(upload(hub, cat, b"x", "&mode=1"), 400, "usage", "mode")
    problem(upload(hub, cat, b"x", headers={
        "Content-Type": "multipart/form-data; boundary=x"}), 400, "usage")
    problem(upload(hub, cat, b"x", headers={"Idempotency-Key": "k"}), 400,
            "usage", "at most once")
    reply = hub.get(f"{PATH}?session={cat}")
    problem(reply, 405, "usage")
    assert reply.headers["Allow"] == "POST", reply
    ended = home.start("true")
    home.wait_gone(ended)
    problem(upload(hub, ended, b"x"), 409, "not_running")
    assert files(home, cat) == [] and files(home, ended) == []


def test_uploading_needs_the_permission_drive(home, hub, cat):
    """It is checked before the body is read."""
    watcher = hub.call("token/create", {"scope": ["observe"]})["secret"]
    typist = hub.call("token/create", {"scope": ["observe", "drive"]})["secret"]
    head = (f"POST {PATH}?session={cat} HTTP/1.1\r\n"
            f"Host: 127.0.0.1:{hub.port}\r\n"
            "Authorization: Bearer %s\r\nContent-Length: 1000\r\n\r\n")
    assert hub.raw((head % watcher).encode()).startswith(b"HTTP/1.1 403 ")
    assert hub.raw((head % "none").encode()).startswith(b"HTTP/1.1 401 ")
    reply = upload(hub, cat, b"x", unix=False, headers=bearer(typist))
    stored(reply)
    assert len(files(home, cat)) == 1


# -------------------------------------------------------------------- pasting


def wait_read(home, sid, wanted):
    wait_for(lambda: read_by(home, sid) == wanted,
             lambda: (read_by(home, sid)[-200:], wanted[-200:]))


@pytest.mark.parametrize("kind, body", [
    ("text/plain", b"one\ntwo\tthree\n"),
    ("text/markdown; charset=utf-8", "ü — 文\n".encode()),
    ("application/json", b'{"a": 1}'),
    ("application/ld+json", b"{}"),
    ("application/octet-stream", b"plain all the same"),
    (None, b"plain"),
    ("text/plain", b"x" * (256 << 10)),
    ("text/plain", b'"\\\n' * 87381),
], ids=lambda v: repr(v)[:30])
def test_text_is_pasted_as_it_is(home, hub, cat, kind, body):
    """T-06: text of at most 256 KiB."""
    headers = {"Content-Type": kind} if kind else {"X-None": "1"}
    reply = upload(hub, cat, body, "&paste=true", headers=headers)
    path = stored(reply)
    assert reply.json["pasted"] == "content", reply
    assert open(path, "rb").read() == body
    wait_read(home, cat, body.replace(b"\n", b"\r"))


@pytest.mark.parametrize("kind, body", [
    ("image/png", b"\x89PNG\r\n"), ("image/svg+xml", b"<svg/>"),
    ("text/plain", b"x" * (256 << 10) + b"x"),
    ("text/plain", b"rm -rf /\x1b[201~\r"), ("text/plain", b"a\0b"),
    ("text/plain", b"a\xff"), ("text/plain", b"\xc2\x9b31m"),
    ("application/pdf", b"%PDF"), ("application/zip", b"PK"),
    (None, b"\x7fELF"), ("text/plain", b"")],
    ids=lambda v: repr(v)[:30])
def test_the_path_of_everything_else_is_pasted(home, hub, cat, kind, body):
    """T-06: the absolute path, because the session runs elsewhere."""
    headers = {"Content-Type": kind} if kind else {"X-None": "1"}
    reply = upload(hub, cat, body, "&paste=true&name=a.bin", headers=headers)
    path = stored(reply)
    assert reply.json["pasted"] == "path", reply
    wait_read(home, cat, path.encode())


def test_a_path_below_the_working_directory_is_relative(home, hub):
    """T-06: but that of an image is absolute."""
    read = home.path / "read-below"
    sid = home.start("sh", "-c", "stty raw -echo; printf ready; exec cat >$0",
                     read, cwd=home.path)
    home.wait_text(sid, "ready")
    reply = upload(hub, sid, b"%PDF", "&paste=1&name=a.pdf")
    below = os.path.relpath(stored(reply), home.path)
    assert reply.json["pasted"] == "relative", reply
    assert not below.startswith("..")
    wait_read(home, sid, below.encode())
    reply = upload(hub, sid, b"PNG", "&paste=1&name=a.png",
                   headers={"Content-Type": "image/png"})
    assert reply.json["pasted"] == "path", reply
    wait_read(home, sid, below.encode() + stored(reply).encode())


def test_a_file_that_cannot_be_pasted_is_not_kept(home, hub):
    """The lease belongs to another client."""
    sid = home.start("cat", options=("--input", "lease"))
    with Wire(home.dir(sid)) as other:
        other.call("lease.acquire")
        problem(upload(hub, sid, b"x", "&paste=1"), 503, "busy")
        assert files(home, sid) == []
    stored(upload(hub, sid, b"x"))
