"""TLS of the hub, with Python's client: certificates, versions, limits, and no
door to other machines without it (S15)."""

import hashlib
import http.client
import json
import os
import pty
import re
import signal
import socket
import ssl
import stat
import subprocess
import time

import pytest

from hub import Hub, bearer
from lib import TEND, wait_for

SELF = ("--listen", "127.0.0.1:0", "--tls", "self")


def trust(home):
    """A client that believes only the hub's own certificate."""
    return ssl.create_default_context(
        cafile=str(home.path / "hub-tls" / "cert.pem"))


def port_of(status):
    return int(status["url"].rpartition(":")[2])


def ask(context, port, path, method="GET", body=None, headers=None,
        host="127.0.0.1"):
    link = http.client.HTTPSConnection(host, port, context=context,
                                       timeout=60)
    link.request(method, path, body, headers or {})
    answer = link.getresponse()
    data = answer.read()
    link.close()
    return answer, data


def handshake(port, context):
    with socket.create_connection(("127.0.0.1", port)) as plain:
        plain.settimeout(30)
        with context.wrap_socket(plain, server_hostname="localhost") as link:
            return link.version(), link.getpeercert(binary_form=True), \
                link.cipher()[0]


def fingerprint(certificate):
    digest = hashlib.sha256(certificate).hexdigest().upper()
    return ":".join(re.findall("..", digest))


def make_files(where, name="cert"):
    """A certificate and a key by another program."""
    cert, own = where / f"{name}.pem", where / f"{name}.key"
    done = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes",
         "-subj", "/CN=box", "-addext", "subjectAltName=DNS:localhost",
         "-days", "30", "-keyout", own, "-out", cert],
        capture_output=True, timeout=60)
    assert done.returncode == 0, done
    os.chmod(own, 0o600)
    return cert, own


# ------------------------------------------------------- an own certificate

def test_a_certificate_is_made_once_and_shown(home):
    status = home.json("hub", "start", *SELF)
    assert status["url"].startswith("https://127.0.0.1:"), status
    folder = home.path / "hub-tls"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for name in ("cert.pem", "key.pem"):
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600
    _, certificate, _ = handshake(port_of(status), trust(home))
    assert status["fingerprint"] == fingerprint(certificate)
    assert status["fingerprint"] in home.ok("hub", "status")
    assert status["fingerprint"] in (home.path / "hub.log").read_text()
    home.ok("hub", "stop")
    again = home.json("hub", "start", *SELF)
    assert again["fingerprint"] == status["fingerprint"]
    home.ok("hub", "stop")
    # People who lost it, or whose machine was copied, get another.
    for path in folder.iterdir():
        path.unlink()
    other = home.json("hub", "start", *SELF)
    assert other["fingerprint"] != status["fingerprint"]


def test_the_certificate_has_the_names_of_the_hub(home):
    status = home.json("hub", "start", *SELF, "--host", "box.example",
                       "--host", "https://tend.example:8443")
    port = port_of(home.json("hub", "status"))
    text = ssl._ssl._test_decode_cert(
        str(home.path / "hub-tls" / "cert.pem"))["subjectAltName"]
    assert {("DNS", "box.example"), ("DNS", "tend.example"),
            ("DNS", "localhost"), ("DNS", socket.gethostname()),
            ("IP Address", "127.0.0.1")} <= set(text), text
    assert status["url"] == f"https://box.example:{port}", status
    answer, body = ask(trust(home), port, "/healthz",
                       headers={"Host": f"box.example:{port}"})
    assert answer.status == 200 and body == b"ok\n"
    # That would hold for all ports of the name, where others serve HTTP.
    assert "Strict-Transport-Security" not in answer.headers
    for name in (f"localhost:{port}", "box.example", "tend.example:8443"):
        assert ask(trust(home), port, "/healthz",
                   headers={"Host": name})[0].status == 200, name
    for name in ("tend.example", "elsewhere.example", f"127.0.0.2:{port}"):
        assert ask(trust(home), port, "/healthz",
                   headers={"Host": name})[0].status == 421, name


def test_the_link_to_log_in_has_a_name_that_others_can_reach(home):
    """--host, else an address of the machine; never 0.0.0.0."""
    home.ok("hub", "start", "--listen", "0.0.0.0:0", "--tls", "self")
    status = home.json("hub", "status")
    url = home.ok("hub", "login")
    assert url.startswith(status["url"] + "/login#code="), url
    assert "0.0.0.0" not in url
    host, port = status["url"].removeprefix("https://").split(":")
    answer, _ = ask(trust(home), int(port), "/healthz", host=host)
    assert answer.status == 200
    home.ok("hub", "stop")
    home.ok("hub", "start", "--listen", "0.0.0.0:0", "--tls", "self",
            "--host", "https://tend.example")
    assert home.ok("hub", "login").startswith("https://tend.example/login#")


def test_an_expired_certificate_is_replaced(home, tmp_path):
    home.ok("hub", "start", *SELF)
    home.ok("hub", "stop")
    cert, key = make_files(tmp_path)
    request = tmp_path / "request"
    for args in (["req", "-new", "-key", key, "-subj", "/CN=x", "-out",
                  request], ["x509", "-req", "-in", request, "-signkey", key,
                             "-days", "-1", "-out", cert]):
        subprocess.run(["openssl", *args], check=True, capture_output=True)
    folder = home.path / "hub-tls"
    (folder / "cert.pem").write_bytes(cert.read_bytes())
    (folder / "key.pem").write_bytes(key.read_bytes())
    expired = fingerprint(ssl.PEM_cert_to_DER_cert(cert.read_text()))
    status = home.json("hub", "start", *SELF)
    assert status["fingerprint"] != expired
    handshake(port_of(status), trust(home))


def test_a_folder_that_others_can_read_is_refused(home):
    home.ok("hub", "start", *SELF)
    home.ok("hub", "stop")
    os.chmod(home.path / "hub-tls", 0o755)
    error = home.error("hub", "start", *SELF, status=2, code="bad_input")
    assert f"{home.path}/hub-tls must belong to you" in error["message"], error


# ----------------------------------------------------------------- the user's

def test_a_certificate_of_the_user_is_served(home, tmp_path):
    """Relative paths count from the user's directory, not from the hub's."""
    cert, key = make_files(tmp_path)
    status = home.json("hub", "start", "--listen", "127.0.0.1:0", "--tls",
                       f"{cert.name}:{key.name}", cwd=tmp_path)
    assert status["fingerprint"] == fingerprint(
        ssl.PEM_cert_to_DER_cert(cert.read_text()))
    context = ssl.create_default_context(cafile=str(cert))
    handshake(port_of(status), context)
    assert not (home.path / "hub-tls").exists()


# ------------------------------------------------------------------ renewal

def served(hub):
    """The fingerprint of the certificate that a new client gets."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return fingerprint(handshake(hub.port, context)[1])


def printed(cert):
    return fingerprint(ssl.PEM_cert_to_DER_cert(cert.read_text()))


def renew(hub, said):
    """Ask for it; the new part of the log."""
    before = len(hub.log())
    hub.process.send_signal(signal.SIGHUP)
    wait_for(lambda: said in hub.log()[before:], hub.log)
    return hub.log()[before:]


READ, KEPT = "certificate was read again", "certificate stays as it was"


@pytest.fixture
def place(home, tmp_path):
    """A directory for certificates that is not in the user's own."""
    (tmp_path / "user").mkdir()
    home.env["HOME"] = str(tmp_path / "user")
    (tmp_path / "place").mkdir()
    return tmp_path / "place"


def test_a_renewed_certificate_is_read_on_sighup(home, place):
    """Clients that are connected go on, and new ones get the new one."""
    cert, key = make_files(place)
    new, new_key = make_files(place, name="new")
    first, second = printed(cert), printed(new)
    with Hub(home, "--tls", f"{cert}:{key}") as hub:
        assert served(hub) == first
        context = ssl.create_default_context(cafile=str(cert))
        old = http.client.HTTPSConnection("localhost", hub.port,
                                          context=context, timeout=60)
        old.request("GET", "/healthz")
        assert old.getresponse().read() == b"ok\n"
        new.rename(cert)
        new_key.rename(key)
        assert served(hub) == first, "nobody has asked for it"
        said = renew(hub, READ)
        assert second in said, said
        assert served(hub) == second
        assert hub.call("hub/status", method="GET")["fingerprint"] == second
        old.request("GET", "/healthz")
        assert old.getresponse().read() == b"ok\n"
        old.close()
        hub.stop()
        hub.start()
        assert served(hub) == second


def test_a_certificate_that_cannot_be_read_changes_nothing(home, place):
    """The old one stays, and the log names the file and the reason."""
    cert, key = make_files(place)
    new, new_key = make_files(place, name="new")
    first, second = printed(cert), printed(new)
    good, good_key = cert.read_bytes(), key.read_bytes()
    with Hub(home, "--tls", f"{cert}:{key}") as hub:
        for name, change, words in (
                ("a half renewal", lambda: cert.write_bytes(
                    new.read_bytes()), "key values mismatch"),
                ("no certificate", lambda: cert.write_text("nothing"), cert),
                ("no file", cert.unlink, "No such file"),
                ("an open key", lambda: key.chmod(0o644), "chmod o-rwx")):
            cert.write_bytes(good)
            key.write_bytes(good_key)
            key.chmod(0o600)
            change()
            said = renew(hub, KEPT)
            assert str(words) in said, (name, said)
            assert served(hub) == first, name
        new.rename(cert)
        new_key.rename(key)
        renew(hub, READ)
        assert served(hub) == second


def test_a_certificate_may_be_a_link_that_changes(home, place):
    """As certbot renews: live/cert.pem points to another file of archive."""
    live, archive = place / "live", place / "archive"
    for path in (live, archive):
        path.mkdir()

    def issue(name):
        for made, link in zip(make_files(archive, name=name),
                              (live / "cert.pem", live / "cert.key")):
            link.unlink(missing_ok=True)
            link.symlink_to(f"../archive/{made.name}")

    issue("one")
    with Hub(home, "--tls", f"{live}/cert.pem:{live}/cert.key") as hub:
        first = served(hub)
        issue("two")
        renew(hub, READ)
        assert served(hub) == printed(live / "cert.pem") != first


def test_an_own_certificate_that_expires_is_renewed(home):
    with Hub(home, "--tls", "self") as hub:
        first = served(hub)
        renew(hub, READ)
        assert served(hub) == first
        for path in (home.path / "hub-tls").iterdir():
            path.unlink()
        renew(hub, READ)
        assert served(hub) == printed(home.path / "hub-tls" / "cert.pem") \
            != first


def test_a_certificate_among_other_files_of_the_user_is_read_once(
        home, tmp_path):
    """The hub does not get to read the whole home directory for it."""
    cert, key = make_files(tmp_path)
    home.env["HOME"] = str(tmp_path)
    (tmp_path / "other").touch()
    with Hub(home, "--tls", f"{cert}:{key}") as hub:
        first = served(hub)
        if "files are limited" in hub.log():
            assert "Permission denied" in renew(hub, KEPT)
        assert served(hub) == first


def test_without_tls_there_is_nothing_to_read(home):
    with Hub(home) as hub:
        renew(hub, "no certificate to read again")
        assert hub.get("/healthz").status == 200


def test_the_end_of_its_terminal_ends_the_hub(home):
    """There, SIGHUP is no request."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(TEND, [str(TEND), "hub", "start", "-f", "--listen",
                         "127.0.0.1:0"], home.env)
    wait_for((home.path / "hub.sock").exists, "a hub")
    os.close(terminal)
    _, status = wait_for(
        lambda: (lambda told: told if told[0] else None)(
            os.waitpid(pid, os.WNOHANG)), lambda: f"the end of hub {pid}")
    assert status == 0, status


def test_a_certificate_that_cannot_be_used_is_named(home, tmp_path):
    cert, key = make_files(tmp_path)
    _, other = make_files(tmp_path, name="other")
    (tmp_path / "empty.pem").touch()
    locked = tmp_path / "locked.key"
    subprocess.run(["openssl", "rsa", "-aes128", "-passout", "pass:x", "-in",
                    key, "-out", locked], check=True, capture_output=True)
    os.chmod(locked, 0o600)
    public = tmp_path / "public.key"
    public.write_bytes(key.read_bytes())
    os.chmod(public, 0o644)
    for tls, said in (
            (f"{tmp_path}/none.pem:{key}", f"certificate {tmp_path}/none.pem: "
             "No such file"),
            (f"{cert}:{tmp_path}/none.key", f"key {tmp_path}/none.key: "
             "No such file"),
            (f"{tmp_path}/empty.pem:{key}", f"certificate {tmp_path}/empty."),
            (f"{cert}:{other}", f"key {other}: key values mismatch"),
            (f"{cert}:{locked}", f"cannot use the key {locked}"),
            (f"{tmp_path}:{key}", f"{tmp_path} is not a regular file"),
            (f"{cert}:{public}", f"can use the key {public}")):
        error = home.error("hub", "start", "--listen", "127.0.0.1:0", "--tls",
                           tls, status=2, code="bad_input")
        assert said in error["message"], error
    home.error("hub", "status", status=4, code="not_running")


# ---------------------------------------------------------------- the protocol

def test_only_tls_1_2_and_1_3_are_spoken(home):
    status = home.json("hub", "start", *SELF)
    port = port_of(status)
    for version, name in ((ssl.TLSVersion.TLSv1_2, "TLSv1.2"),
                          (ssl.TLSVersion.TLSv1_3, "TLSv1.3")):
        context = trust(home)
        context.minimum_version = context.maximum_version = version
        spoken, _, cipher = handshake(port, context)
        assert spoken == name, spoken
        assert "GCM" in cipher or "CHACHA20" in cipher, cipher
    context = trust(home)
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = ssl.TLSVersion.TLSv1
    context.maximum_version = ssl.TLSVersion.TLSv1_1
    with pytest.raises(ssl.SSLError):
        handshake(port, context)


def test_plain_http_gets_a_clear_answer(home):
    status = home.json("hub", "start", *SELF)
    with socket.create_connection(("127.0.0.1", port_of(status))) as link:
        link.settimeout(30)
        link.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        got = b"".join(iter(lambda: link.recv(65536), b""))
    assert got.startswith(b"HTTP/1.1 400 "), got
    assert b"use https:// instead" in got and b'"code":"protocol"' in got, got
    # Something else is no reason to say anything.
    with socket.create_connection(("127.0.0.1", port_of(status))) as link:
        link.settimeout(30)
        link.sendall(os.urandom(64).replace(b"\x16", b"\x00"))
        try:
            got = b"".join(iter(lambda: link.recv(65536), b""))
        except ConnectionResetError:
            got = b""
    assert b"HTTP" not in got, got


def test_many_small_requests_and_a_big_one_pass(home):
    status = home.json("hub", "start", *SELF)
    port, context = port_of(status), trust(home)
    sid = home.start("cat", options=["-n", "typed"])
    secret = home.ok("token", "create").strip()
    link = http.client.HTTPSConnection("127.0.0.1", port, context=context,
                                       timeout=60)
    begin = time.monotonic()
    for i in range(200):
        link.request("GET", "/api/v1/session/get?session=typed",
                     headers=bearer(secret))
        answer = link.getresponse()
        assert json.loads(answer.read())["id"] == sid, i
    print(f"{200 / (time.monotonic() - begin):.0f} requests/s over TLS")
    text = "x" * 900_000
    link.request("POST", "/api/v1/session/send", json.dumps(
        {"session": "typed", "input": [{"paste": text}]}),
        {**bearer(secret), "Content-Type": "application/json"})
    answer = link.getresponse()
    body = answer.read()
    assert answer.status == 200, body
    link.request("GET", "/openapi.json")
    answer = link.getresponse()
    assert answer.status == 200 and len(answer.read()) > 50_000
    # One byte at a time, in records of their own.
    plain = socket.create_connection(("127.0.0.1", port))
    with context.wrap_socket(plain, server_hostname="localhost") as slow:
        for c in f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n" \
                 "Connection: close\r\n\r\n":
            slow.sendall(c.encode())
        got = b"".join(iter(lambda: slow.recv(4096), b""))
    assert got.startswith(b"HTTP/1.1 200") and got.endswith(b"ok\n"), got


def test_a_handshake_that_takes_too_long_is_ended(home):
    """CONNECTION_HEAD_MS: 5 s, whether the client says nothing or little."""
    status = home.json("hub", "start", *SELF)
    silent = socket.create_connection(("127.0.0.1", port_of(status)))
    slow = socket.create_connection(("127.0.0.1", port_of(status)))
    begin = time.monotonic()
    hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500)
    slow.settimeout(0.1)
    sent, ended = 0, False
    while not ended and time.monotonic() - begin < 60:
        try:
            slow.sendall(hello[sent:sent + 1])
            sent += 1
            ended = slow.recv(4096) == b""
        except TimeoutError:
            continue
        except OSError:
            ended = True
    assert ended and sent < len(hello), sent
    assert time.monotonic() - begin > 3
    silent.settimeout(60)
    try:
        assert silent.recv(4096) == b""
    except ConnectionResetError:
        pass
    # Others are served all the time.
    assert ask(trust(home), port_of(status), "/healthz")[0].status == 200


def first_message(context):
    """The ClientHello of a real client."""
    read, write = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = context.wrap_bio(read, write, server_hostname="localhost")
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    return write.read()


def test_a_handshake_that_stops_anywhere_is_ended_in_time(home):
    """S9: the deadline is that of the connection, not of the next byte."""
    status = home.json("hub", "start", *SELF)
    hello = first_message(trust(home))
    parts = {"nothing": b"", "one byte": hello[:1],
             "the head of a record": hello[:5],
             "half of a hello": hello[:len(hello) // 2],
             "all but the last byte": hello[:-1],
             "a hello and no more": hello}
    links = {}
    began = time.monotonic()
    for name, part in parts.items():
        links[name] = socket.create_connection(("127.0.0.1", port_of(status)))
        links[name].settimeout(60)
        links[name].sendall(part)
    plain = socket.create_connection(("127.0.0.1", port_of(status)))
    links["a handshake and no request"] = trust(home).wrap_socket(
        plain, server_hostname="localhost")
    took = {}
    for name, link in links.items():
        try:
            while link.recv(4096):
                continue  # the answer to a whole hello
        except (ConnectionResetError, ssl.SSLEOFError):
            pass
        took[name] = time.monotonic() - began
        link.close()
    assert min(took.values()) > 3, took
    # 5 s until the first byte, and as long again until the head is complete.
    assert max(took.values()) < 20, took
    assert ask(trust(home), port_of(status), "/healthz")[0].status == 200


def test_a_browser_gets_a_cookie_for_tls_only(home):
    """S7: __Host- and Secure."""
    status = home.json("hub", "start", *SELF)
    code = home.ok("hub", "login").strip().rpartition("=")[2]
    answer, body = ask(trust(home), port_of(status), "/api/v1/login", "POST",
                       json.dumps({"code": code}),
                       {"Content-Type": "application/json"})
    assert answer.status == 200, body
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith("__Host-") and "; Secure" in cookie, cookie


# ------------------------------------------------------------- S15: no opening

def listens(pid):
    """The TCP addresses on which a process listens, as in /proc."""
    inodes = set()
    for fd in os.listdir(f"/proc/{pid}/fd"):
        link = os.readlink(f"/proc/{pid}/fd/{fd}")
        inodes.add(link.removeprefix("socket:[").rstrip("]"))
    found = set()
    for name in ("tcp", "tcp6"):
        with open(f"/proc/net/{name}", encoding="ascii") as lines:
            for line in list(lines)[1:]:
                fields = line.split()
                if fields[3] == "0A" and fields[9] in inodes:
                    found.add(fields[1].split(":")[0])
    return found


def test_s15_by_default_only_this_machine_reaches_the_hub(home):
    status = home.json("hub", "start", "--listen", "127.0.0.1:0")
    assert listens(status["pid"]) == {"0100007F"}, listens(status["pid"])


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0", "192.0.2.1:0",
                                     "[::ffff:127.0.0.1]:0"])
@pytest.mark.parametrize("first", [[], ["--listen", "127.0.0.1:0"]])
def test_s15_other_addresses_need_tls(home, address, first):
    error = home.error("hub", "start", *first, "--listen", address, status=2,
                       code="usage")
    assert address in error["message"], error
    assert '"--tls self"' in error["message"], error
    home.error("hub", "status", status=4, code="not_running")


def test_s15_a_setting_cannot_open_it_either(home):
    config = home.path.parent / f"{home.path.name}-state" / "config" / "tend"
    config.mkdir(parents=True)
    (config / "config.ini").write_text("[hub]\nlisten = 0.0.0.0:0\n")
    error = home.error("hub", "start", status=2, code="usage")
    assert '"--tls self"' in error["message"], error
    (config / "config.ini").write_text(
        "[hub]\nlisten = 0.0.0.0:0\ntls = self\n")
    assert home.json("hub", "start")["fingerprint"] is not None


def test_s15_with_tls_a_request_needs_a_credential(home):
    home.ok("hub", "start", "--listen", "0.0.0.0:0", "--tls", "self")
    port = port_of(home.json("hub", "status"))
    answer, _ = ask(trust(home), port, "/api/v1/session/list",
                    host="localhost", headers={"Host": f"localhost:{port}"})
    assert answer.status == 401


def test_the_program_alone_has_the_same_rule(home):
    """tend-hub without `tend hub start` before it."""
    done = subprocess.run(
        [TEND.parent / "tend-hub", "--listen", "0.0.0.0:0"], env=home.env,
        capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "--tls self" in done.stderr, done
    with Hub(home, "--tls", "self") as hub:
        assert hub.url.startswith("https://")
