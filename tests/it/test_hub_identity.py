"""Proving who one is to the hub: every route, every wrong credential."""

import http.cookiejar
import json
import os
import pathlib
import random
import re
import shlex
import signal
import socket
import ssl
import statistics
import string
import subprocess
import time
import urllib.request

import pytest

from hub import Hub, bearer
from inside import inside, python
from lib import BUILD, ROOT, Home, as_another_user, wait_for
from served import home, hub

FULL = "TEND_TEST_FULL" in os.environ

API = "/api/v1/"
ROWS = re.findall(r'^ROUTE\("([A-Z ]+)", (API )?"([^"]*)", ([A-Z]+)'
                  r'((?:.*\n)(?: .*\n|\t.*\n)*)',
                  (ROOT / "src/hub/routes.def").read_text(), re.M)
ROUTES = [(methods, (API if api else "") + path, access)
          for methods, api, path, access, _ in ROWS]
# Their answers go on.
ENDLESS = [(API if api else "") + path for _, api, path, access, rest in ROWS
           if access == "STREAM" or "text/event-stream" in rest]
def fresh(hub):
    """Nobody is throttled any more."""
    hub.stop()
    hub.start()


def operations(hub):
    paths = hub.get("/openapi.json").json["paths"]
    return sorted(path for path in paths if path.startswith(API)
                  and path not in [route for _, route, _ in ROUTES])


def everything(hub):
    """Every (method, path) that needs a credential."""
    own = [(methods, path) for methods, path, access in ROUTES
           if access != "ANYONE"]
    return own + [("POST", path) for path in operations(hub)]


class Link:
    """One connection of its own for many requests."""

    def __init__(self, hub, source="127.0.0.1"):
        self.hub, self.source, self.link = hub, source, None

    def send(self, method, path, headers=(), body=None):
        if self.link is None:
            self.link = self.hub.connection(unix=False)
            self.link.source_address = (self.source, 0)
        try:
            reply = self.hub.request(method, path, body, dict(headers),
                                     connection=self.link)
        except OSError:
            self.link = None
            raise
        if reply.headers["Connection"] == "close":
            self.link.close()
            self.link = None
        return reply


def test_every_route_declares_who_may_use_it(hub):
    """The table has been read, and pages alone are for everybody."""
    assert len(ROUTES) == (ROOT / "src/hub/routes.def").read_text() \
        .count("\nROUTE("), ROUTES
    assert {access for _, _, access in ROUTES} <= {
        "ANYONE", "IDENTIFIED", "ADMIN", "STREAM"}
    assert {API + "stream", API + "events"} <= set(ENDLESS), ENDLESS
    pages = [path for _, path, access in ROUTES if access == "ANYONE"]
    assert [path for path in pages if path.startswith(API)] == [API + "login"]
    assert len(operations(hub)) > 40


def cookie_name(hub):
    """The name that the hub's own description has."""
    schemes = hub.get("/openapi.json", unix=False).json["components"][
        "securitySchemes"]
    return schemes["cookie"]["name"]


def wrong_credentials(secret, cookie):
    """Headers that prove nothing; the last ones look almost right."""
    flipped = secret[:20] + chr(ord(secret[20]) ^ 1) + secret[21:]
    yield {}
    for value in ("", "Bearer", "Bearer ", "Bearer null", "Bearer []",
                  'Bearer {"a":1}', "Bearer true", f"bearer {secret}",
                  f"Bearer  {secret}", f"Basic {secret}", secret,
                  f"Bearer {secret}x", f"Bearer {secret[:-1]}",
                  f"Bearer {flipped}", f"Bearer {secret.lower()}",
                  "Bearer " + "x" * 5000, "Bearer tend_s_" + "A" * 43):
        yield {"Authorization": value}
    yield {"Cookie": f"{cookie}={secret}"}
    yield {"Cookie": f"{cookie}={secret}", "X-Tend-Key": secret}
    yield {"Cookie": f"{cookie}=null", "X-Tend-Key": "null"}
    yield {"X-Tend-Key": secret}


def test_wrong_credentials_open_no_route(hub):
    """S2: each route and operation, each wrong credential."""
    secret = hub.call("token/create", {})["secret"]
    wrong, n = list(wrong_credentials(secret, cookie_name(hub))), 0
    paths = everything(hub)
    for i, (method, path) in enumerate(paths):
        # Of the many credentials a few for each path, all of them in a full
        # run; an address is throttled after ten, so each has its own.
        some = wrong if FULL else [wrong[0], wrong[14],
                                   wrong[1 + i % (len(wrong) - 1)]]
        for k, headers in enumerate(some):
            if n % 90 == 0 and n > 0:
                fresh(hub)
            n += 1
            link = Link(hub, f"127.1.{i % 250}.{1 + k // 8}")
            reply = link.send(method, path, headers,
                              {} if method == "POST" else None)
            assert reply.status in (400, 401, 403), (headers, reply)
            assert reply.json["code"] in ("denied", "usage"), reply
            assert secret not in reply, reply
            assert secret[7:] not in str(reply.headers), reply
            link.link and link.link.close()
    fresh(hub)
    assert hub.get(API + "session/list", unix=False,
                   headers=bearer(secret)).status == 200


def test_a_huge_credential_is_refused(hub):
    """S2: a megabyte; the head of a request has a limit."""
    data = (b"GET /api/v1/session/list HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
            b"Authorization: Bearer " % hub.port) + b"x" * (1 << 20)
    try:
        got = hub.raw(data + b"\r\n\r\n")
    except (BrokenPipeError, ConnectionResetError):
        got = b""
    assert got == b"" or re.match(rb"HTTP/1.1 4\d\d ", got), got[:200]
    assert hub.get("/healthz").status == 200


def test_two_credentials_are_none(hub):
    secret = hub.call("token/create", {})["secret"]
    line = f"Authorization: Bearer {secret}\r\n"
    got = hub.raw((f"GET /api/v1/session/list HTTP/1.1\r\n"
                   f"Host: 127.0.0.1:{hub.port}\r\n{line}{line}"
                   "Connection: close\r\n\r\n").encode())
    assert got.startswith(b"HTTP/1.1 400 "), got


def test_a_secret_in_a_url_is_refused_everywhere(hub):
    """S3: even a valid one, on every route, also beside a valid header."""
    secret = hub.call("token/create", {})["secret"]
    paths = everything(hub) + [(methods, path) for methods, path, access
                               in ROUTES if access == "ANYONE"]
    link = Link(hub)
    for i, (method, path) in enumerate(paths):
        names = ["token", "access_token", "code", "share", "secret"]
        for name in names if FULL else ["token", names[i % 5]]:
            reply = link.send(method, f"{path}?{name}={secret}",
                              bearer(secret), {} if method == "POST" else None)
            assert reply.status == 400, reply
            assert "URL must not have a secret" in reply.json["detail"]


def test_a_request_gets_no_more_than_its_token(hub, home):
    """S13: asking for a higher scope gives none."""
    made = hub.call("token/create", {"scope": ["observe"]})
    with_it = {"unix": False, "headers": {
        **bearer(made["secret"]), "X-Tend-Scope": "admin",
        "X-Forwarded-User": "root", "X-Remote-User": "root"}}
    home.start("cat", options=("--name", "scoped"))
    for route, args in (
            ("session/send", {"session": "scoped", "input": [{"text": "x"}]}),
            ("session/exec", {"session": "scoped", "command": "true"}),
            ("session/kill", {"session": "scoped"}),
            ("session/create", {"command": ["true"]}),
            ("session/environment", {"session": "scoped"}),
            ("token/create", {"scope": ["admin"]}),
            ("login/create", {"scope": ["admin"]}),
            ("share/create", {"session": "scoped", "drive": True}),
            ("audit/list", {}), ("home/check", {})):
        for more in ({}, {"scope": ["admin"]}, {"granted": ["admin"]},
                     {"principal": "owner"}):
            reply = hub.post(API + route, {**args, **more}, **with_it)
            assert reply.status in (400, 403), (route, more, reply)
    who = hub.post(API + "identity/get", {}, **with_it).json
    assert who["scope"] == who["home"] == ["observe"], who
    assert hub.get(API + "session/snapshot?session=scoped",
                   **with_it).status == 200


def test_a_token_limits_the_owner_on_the_own_socket_too(hub):
    """S13: a proxy in front of hub.sock passes the tokens of others."""
    made = hub.call("token/create", {"scope": ["observe"]})
    who = hub.post(API + "identity/get", {}, headers=bearer(made["secret"]))
    assert who.json["scope"] == ["observe"], who
    reply = hub.post(API + "session/create", {"command": ["true"]},
                     headers=bearer(made["secret"]))
    assert reply.status == 403, reply
    hub.call("token/revoke", {"id": made["id"]})
    for secret in (made["secret"], "wrong", ""):
        reply = hub.post(API + "identity/get", {}, headers=bearer(secret))
        assert reply.status == 401, (secret, reply)
    assert hub.post(API + "identity/get", {}).json["owner"]


def test_a_new_credential_has_no_more_than_its_maker(hub, home):
    """S13: a token that may only administrate must not make a shell."""
    home.start("cat", options=("--name", "made"))
    made = hub.call("token/create", {"scope": ["admin"]})

    def ask(route, secret=made["secret"], **args):
        return hub.post(API + route, args, unix=False, headers=bearer(secret))

    for route, args in (
            ("token/create", {}), ("token/create", {"scope": ["create"]}),
            ("token/create", {"scope": ["admin", "drive"]}),
            ("token/create", {"scope": ["drive"], "principal": "user:ann"}),
            ("login/create", {"scope": ["create"]}),
            ("share/create", {"session": "made"})):
        reply = ask(route, **args)
        assert reply.status == 403, (route, args, reply)
    assert ask("token/create", scope=["admin"]).json["scope"] == ["admin"]
    code = ask("login/create").json["url"].rpartition("=")[2]
    reply = hub.post(API + "login", {"code": code}, unix=False)
    assert reply.json["scope"] == ["admin"], reply
    viewer = hub.call("token/create", {"scope": ["observe", "admin"]})["secret"]
    assert ask("share/create", viewer, session="made").status == 200
    assert ask("share/create", viewer, session="made",
               drive=True).status == 403


def test_only_the_owner_makes_credentials_of_the_owner(hub, home):
    """S13: an administrator of the policy has the rights of the policy."""
    sid = home.start("cat", options=("--name", "owned"))
    everything = ["observe", "drive", "control", "create", "approve", "admin"]
    ann = hub.call("token/create", {"principal": "user:ann",
                                    "scope": everything})["secret"]
    (home.path / "policy.json").write_text(json.dumps(
        {"home": {"allowances": [{"actions": ["admin"],
                                  "actors": ["user:ann"]}]},
         "targets": {"owned": {"allowances": [
             {"actions": ["observe"], "actors": ["user:ann"]}]}}}))

    def ask(route, **args):
        return hub.post(API + route, args, unix=False, headers=bearer(ann))

    wait_for(lambda: ask("token/list").status == 200, hub.log)
    assert ask("token/create").status == 403
    assert ask("login/create").status == 403
    assert ask("token/create", principal="agent:bot").status == 200
    assert ask("share/create", session=sid, drive=True).status == 403
    assert ask("share/create", session=sid).status == 200
    (home.path / "policy.json").unlink()
    wait_for(lambda: ask("token/list").status == 403, hub.log)


@pytest.mark.parametrize("principal", ["owner:x", "uid:0", "session:x",
                                       "local:x", "share:x", "ann", ":xx",
                                       "user:", "user:a b", "USER:ann"])
def test_no_token_has_a_principal_of_tend(hub, principal):
    reply = hub.post(API + "token/create", {"principal": principal})
    assert reply.status == 400 and reply.json["argument"] == "principal"


# ---------------------------------------------------------------- throttling

def tries(hub, n, source, secret="tend_t_" + "x" * 43):
    """The statuses of n requests from an address."""
    link = Link(hub, source)
    return [link.send("GET", API + "session/list", bearer(secret)).status
            for _ in range(n)]


def test_guessing_is_limited_for_an_address_and_for_all(hub):
    """S4: ten failures, then 429; a hundred of all addresses."""
    fresh(hub)
    known = hub.call("token/create", {})["secret"]
    other = hub.call("token/create", {})["secret"]
    assert tries(hub, 1, "127.2.0.1", known) == [200]
    count = 1000 if FULL else 60
    got = tries(hub, count, "127.2.0.1")
    assert got == [401] * 10 + [429] * (count - 10), got
    reply = Link(hub, "127.2.0.1").send("GET", API + "session/list",
                                        bearer(other))
    assert reply.status == 429, reply
    assert 1 <= int(reply.headers["Retry-After"]) <= 60, reply
    # Another address is not affected, nor is a client that was here before.
    assert tries(hub, 1, "127.2.0.2", other) == [200]
    assert tries(hub, 2, "127.2.0.1", known) == [200, 200]
    for i in range(9):
        assert tries(hub, 10, f"127.2.1.{i}") == [401] * 10
    assert tries(hub, 2, "127.2.2.1") == [429, 429]
    # Clients that were valid before, and the owner, are not locked out.
    for source in ("127.2.2.2", "127.2.0.1"):
        assert tries(hub, 1, source, known) == [200]
        assert tries(hub, 1, source, other) == [200]
    hub.call("session/list", {})
    made = hub.call("login/create", {})
    assert made["url"].startswith(hub.url)
    reply = Link(hub, "127.2.3.1").send("POST", API + "login",
                                        body={"code": "tend_l_" + "x" * 43})
    assert reply.status == 429, reply
    fresh(hub)


def test_a_login_code_is_throttled_too(hub):
    link = Link(hub, "127.3.0.1")
    got = [link.send("POST", API + "login",
                     body={"code": f"tend_l_{i:043}"}).status
           for i in range(12)]
    assert got == [401] * 10 + [429] * 2, got
    fresh(hub)


def timed(link, secret):
    """The time of a refusal, in microseconds."""
    began = time.perf_counter_ns()
    reply = link.send("GET", API + "session/list", bearer(secret))
    took = time.perf_counter_ns() - began
    assert reply.status == 401, reply
    return took / 1e3


def differences(hub, one, other, pairs):
    """Pairs of refusals, in random order: how much longer that of `one` took.

    Nobody is throttled: ten tries from an address, and a new hub before a
    hundred.
    """
    found = []
    for n in range(pairs):
        if n % 45 == 0:
            fresh(hub)
        if n % 5 == 0:
            link = Link(hub, f"127.8.{n // 5 % 250}.1")
            link.send("GET", "/healthz")
        order = [one, other] if random.random() < .5 else [other, one]
        took = {secret: timed(link, secret) for secret in order}
        found.append(took[one] - took[other])
    return found


def trimmed_t(values):
    """Yuen's t of the mean without the outer tenths, which are interruptions
    of the machine."""
    values = sorted(values)
    n, cut = len(values), len(values) // 10
    inner = values[cut:n - cut]
    bounded = [min(max(v, inner[0]), inner[-1]) for v in values]
    spread = statistics.stdev(bounded) / ((1 - 2 * cut / n) * n ** .5)
    return statistics.mean(inner) / spread, statistics.mean(inner)


def test_a_refusal_takes_as_long_for_a_nearly_right_token(hub):
    """S4: nobody can find out a token one character after the other.  A
    difference that is there is there in each round."""
    secret = hub.call("token/create", {})["secret"]
    near = secret[:-1] + ("A" if secret[-1] != "A" else "B")
    far = secret[:7] + "".join(random.choices(string.ascii_letters, k=43))
    rounds = []
    for _ in range(3):
        rounds.append(trimmed_t(differences(hub, near, far,
                                            5000 if FULL else 225)))
        if abs(rounds[-1][0]) < 4.5:
            break
    fresh(hub)
    assert abs(rounds[-1][0]) < 4.5, \
        f"rounds of (t, microseconds longer): {rounds}"


# ------------------------------------------------------------ several hubs

class Browser:
    """A jar of cookies which, as in any browser, ignores ports; and the key
    of each page."""

    def __init__(self):
        self.jar, self.keys = http.cookiejar.CookieJar(), {}

    def post(self, hub, route, args):
        context = ssl.create_default_context()
        if hub.url.startswith("https:"):
            context.load_verify_locations(hub.home.path / "hub-tls/cert.pem")
        request = urllib.request.Request(
            f"{hub.url}{API}{route}", json.dumps(args).encode(),
            {"Content-Type": "application/json",
             "X-Tend-Key": self.keys.get(hub.url, "")})
        opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}),
            urllib.request.HTTPSHandler(context=context),
            urllib.request.HTTPCookieProcessor(self.jar))
        with opener.open(request, timeout=60) as answer:
            return json.load(answer)

    def log_in(self, hub):
        code = hub.call("login/create", {})["url"].rpartition("=")[2]
        key = self.post(hub, "login", {"code": code})["key"]
        self.keys[hub.url] = key


@pytest.mark.parametrize("options, prefix", [
    ((), "tend-"), (("--tls", "self"), "__Host-tend-")])
def test_a_login_at_one_hub_does_not_end_another(options, prefix):
    """Browsers send a cookie to every port of 127.0.0.1, so each hub has a
    name of its own for it; it stays when the hub starts again."""
    browser = Browser()
    with Home() as one, Home() as two, Hub(one, *options) as first, \
            Hub(two, *options) as second:
        browser.log_in(first)
        browser.log_in(second)
        names = [cookie.name for cookie in browser.jar]
        assert len(set(names)) == 2, names
        assert all(re.fullmatch(prefix + "[0-9a-f]{8}", n) for n in names)
        for hub in (first, second):
            who = browser.post(hub, "identity/get", {})
            assert who["verified"] == "cookie", who
        before = first.url
        first.stop()
        first.listen = before.partition("//")[2]
        first.start()
        assert first.url == before
        for hub in (first, second):
            who = browser.post(hub, "identity/get", {})
            assert who["verified"] == "cookie", who
        # Logging out removes the cookie of this hub alone.
        browser.post(first, "logout", {})
        assert len(list(browser.jar)) == 1, browser.jar
        assert browser.post(second, "identity/get", {})["owner"]


# -------------------------------------------------------------------- proxies

def test_only_the_proxy_may_name_a_user(home, hub):
    """The header of anybody else means nothing."""
    home.start("cat", options=("--name", "proxied"))
    hub.stop()
    (home.path / "policy.json").write_text(json.dumps({"targets": {
        "proxied": {"allowances": [{"actions": ["observe"],
                                    "actors": ["user:ann"]}]}}}))
    with Hub(home, "--proxy-header", "X-Remote-User",
             "--proxy-from", "127.4.0.1") as other:
        path = API + "session/get?session=proxied"
        ann = {"X-Remote-User": "ann"}
        proxy, stranger = Link(other, "127.4.0.1"), Link(other, "127.4.0.2")
        assert proxy.send("GET", path, ann).status == 200
        assert proxy.send("GET", path, {"x-remote-user": "bob"}).status == 404
        who = proxy.send("GET", API + "identity/get", ann).json
        assert (who["principal"], who["verified"], who["owner"]) == (
            "user:ann", "proxy", False), who
        assert stranger.send("GET", path, ann).status == 401
        for more in ({"X-Forwarded-For": "127.4.0.1"},
                     {"Forwarded": "for=127.4.0.1"},
                     {"X-Real-IP": "127.4.0.1"}):
            assert stranger.send("GET", path, {**ann, **more}).status == 401
        for name in ("", "a b", "../x\u00e4".encode().decode("latin-1"),
                     "x" * 101, "ann,root"):
            reply = proxy.send("GET", path, {"X-Remote-User": name})
            assert reply.status == 401, (name, reply)
        assert proxy.send("GET", path, {}).status == 401
        got = [line for line in (
            f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{other.port}",
            "X-Remote-User: root", "X-Remote-User: ann",
            "Connection: close", "", "")]
        with socket.create_connection(("127.0.0.1", other.port),
                                      source_address=("127.4.0.1", 0)) as s:
            s.sendall("\r\n".join(got).encode())
            assert s.recv(100).startswith(b"HTTP/1.1 400 ")
    # A list may be in several fields, and the first may be the client's.
    with Hub(home, "--proxy-header", "X-Forwarded-User",
             "--proxy-from", "127.4.0.1") as other:
        path = API + "session/get?session=proxied"
        for names, status in (["ann"], 200), (["ann", "bob"], 401):
            with socket.create_connection(
                    ("127.0.0.1", other.port),
                    source_address=("127.4.0.1", 0)) as s:
                s.sendall("\r\n".join(
                    [f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{other.port}",
                     *(f"X-Forwarded-User: {name}" for name in names),
                     "Connection: close", "", ""]).encode())
                got = s.recv(100)
            assert got.startswith(f"HTTP/1.1 {status} ".encode()), got
    (home.path / "policy.json").unlink()
    hub.start()
    reply = Link(hub, "127.4.0.1").send("GET", path, ann)
    assert reply.status == 401, reply


# --------------------------------------------------------------- other users

def test_another_user_is_not_answered(home, hub):
    """S11: even if somebody has opened all permissions; TCP needs a
    credential of everybody."""
    sock = home.path / "hub.sock"
    modes = {path: path.stat().st_mode & 0o777 for path in (home.path, sock)}
    assert not any(mode & 0o077 for mode in modes.values()), modes

    def ask(link):
        with link:
            link.settimeout(20)
            try:
                link.sendall(b"GET /api/v1/session/list HTTP/1.1\r\nHost: "
                             b"127.0.0.1:%d\r\nConnection: close\r\n\r\n"
                             % hub.port)
                return link.recv(100) or b"silence"
            except (BrokenPipeError, ConnectionResetError):
                return b"silence"

    def knock():
        link = socket.socket(socket.AF_UNIX)
        link.connect(str(sock))
        return ask(link)

    for path in modes:
        path.chmod(0o777)
    try:
        assert as_another_user(knock) == b"silence"
        got = as_another_user(lambda: ask(
            socket.create_connection(("127.0.0.1", hub.port))))
        assert got.startswith(b"HTTP/1.1 401 "), got
    finally:
        for path, mode in modes.items():
            path.chmod(mode)
    assert hub.get(API + "session/list").status == 200


# ------------------------------------------------------- programs in sessions

HUB_REQUEST = """
import os, socket
s = socket.socket(socket.AF_UNIX)
s.connect(os.environ["HUB"])
s.sendall(b"GET /api/v1/session/list HTTP/1.1\\r\\nHost: hub\\r\\n"
          b"Connection: close\\r\\n\\r\\n")
print(s.makefile("rb").readline().split()[1].decode())
"""


@pytest.mark.parametrize("confined, status", [(True, "403"), (False, "200")])
def test_a_confined_session_gets_nothing_from_the_hub(home, hub, confined,
                                                      status):
    """S13: its programs have the owner's uid, but fewer rights."""
    options = [f"--env=HUB={home.path}/hub.sock"]
    options += ["--confined"] if confined else []
    sid, got = inside(home, python(HUB_REQUEST), options=options)
    assert got.strip() == status, got
    home.ok("kill", sid)


def test_a_peer_that_has_ended_is_nobody(home, hub):
    """S13: another process may have its number by now, or its connection.
    The hub looks when it accepts."""
    with socket.socket(socket.AF_UNIX) as link:
        hub.process.send_signal(signal.SIGSTOP)
        pid = os.fork()
        if pid == 0:
            link.connect(str(home.path / "hub.sock"))
            os._exit(0)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        hub.process.send_signal(signal.SIGCONT)
        link.sendall(b"GET /api/v1/session/list HTTP/1.1\r\nHost: hub\r\n"
                     b"Connection: close\r\n\r\n")
        got = link.makefile("rb").read()
        os.waitpid(pid, 0)
    assert got.startswith(b"HTTP/1.1 403 "), got
    assert b"cannot tell which session" in got, got


def test_nothing_without_the_permission_can_approve(hub):
    """S13: a token has `approve` only if it was given, and no link has."""
    made = hub.call("token/create", {})
    assert made["scope"] == ["observe", "drive"], made
    shared = hub.post(API + "share/create", {"session": "none"})
    assert shared.status == 404


# --------------------------------------------------------------------- canary

def test_secrets_stay_where_they_belong(home, hub):
    """S3: tokens, codes, cookies and keys are in no file, argument,
    environment, page, answer or log."""
    made = hub.call("token/create", {"label": "canary"})
    sid = home.start("cat", options=("--name", "canary"))
    shared = hub.call("share/create", {"session": sid, "drive": True})
    login = hub.call("login/create", {})
    code = login["url"].rpartition("=")[2]
    link = Link(hub, "127.5.0.1")
    reply = link.send("POST", API + "login", body={"code": code})
    assert reply.status == 200, reply
    cookie = re.match(r"(tend-[0-9a-f]{8})=([^;]+); Path=/; HttpOnly; "
                      r"SameSite=Strict; Max-Age=\d+$",
                      reply.headers["Set-Cookie"])
    assert cookie, reply.headers
    key = reply.json["key"]
    browser = {"Cookie": f"{cookie[1]}={cookie[2]}", "X-Tend-Key": key}
    secrets = [made["secret"], shared["secret"], code, cookie[2], key]
    assert len({s for s in secrets if re.fullmatch(
        r"tend_[tslck]_[\w-]{43}", s)}) == 5, secrets
    seen = []
    for headers in (bearer(made["secret"]), bearer(shared["secret"]), browser):
        for method, path in everything(hub):
            if path in (API + "logout", *ENDLESS):
                continue
            seen.append(link.send(method, path, headers,
                                  [] if method == "POST" else None))
        seen.append(link.send("POST", API + "session/send", headers,
                              {"session": sid, "input": [{"text": "x"}]}))
        assert seen[-1].status == 200
    seen += [hub.get(path) for method, path, access in ROUTES
             if access == "ANYONE" and method == "GET"]
    seen += [hub.post(API + f"{what}/list", {}) for what in
             ("token", "share", "audit")]
    # Failures have it in their request.
    for secret in secrets:
        seen.append(link.send("POST", API + "session/get", bearer(
            made["secret"]), {"session": secret}))
        seen.append(link.send("GET", "/" + secret))
    found = [(s[:9], r) for r in seen for s in secrets
             if s.encode() in r.body and r.status != 404]
    unnamed = [r for r in seen for s in secrets
               if s.encode() in r.body and b"no session" not in r.body]
    assert not unnamed, unnamed
    assert not found, found
    home.ok("log", "--events", sid)
    for file in home.path.rglob("*"):
        if file.is_file():
            data = file.read_bytes()
            assert not [s for s in secrets if s.encode() in data], file
    for pid in [hub.process.pid, *home.processes()]:
        for part in ("cmdline", "environ"):
            try:
                data = pathlib.Path(f"/proc/{pid}/{part}").read_bytes()
            except OSError:
                continue
            assert not [s for s in secrets if s.encode() in data], (pid, part)
    limits = pathlib.Path(f"/proc/{hub.process.pid}/limits").read_text()
    assert re.search(r"^Max core file size +0 +0 ", limits, re.M), limits
    for name in ("tend.db", "tend.db-wal", "tend.db-shm", "hub.log",
                 "hub.lock"):
        assert (home.path / name).stat().st_mode & 0o777 == 0o600, name


# ----------------------------------------------------------------- the tables

def compiles(tmp_path, source, table, change):
    """Compile a file with a changed table; the compiler's output or None."""
    text = (ROOT / "src" / table).read_text()
    changed = change(text)
    assert changed != text, table
    place = tmp_path / table
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(changed)
    flags = next(
        entry for entry in json.loads(
            (BUILD / "compile_commands.json").read_text())
        if entry["file"].endswith(source))
    args = shlex.split(flags["command"])
    args = [a for a in args if a != "ccache"]
    out = args.index("-o")
    args[out + 1] = str(tmp_path / "out.o")
    done = subprocess.run([args[0], f"-I{tmp_path}", *args[1:],
                           "-MF", str(tmp_path / "out.d")],
                          cwd=flags["directory"], capture_output=True,
                          text=True)
    return None if done.returncode == 0 else done.stderr


def test_a_row_without_a_permission_does_not_build(tmp_path):
    """S2: of the table of routes, and of that of operations."""
    def again(text):
        return text + "\n/* the same */\n"

    routes = ("hub/routes.c", "hub/routes.def")
    ops = ("op/ops.c", "op/ops.def")
    assert compiles(tmp_path, *routes, again) is None
    assert compiles(tmp_path, *ops, again) is None
    for access in ("", "UNDECLARED", "EVERYBODY"):
        err = compiles(tmp_path, *routes, lambda text, access=access:
                       text.replace("IDENTIFIED,", f"{access},", 1))
        assert err and "error" in err, access
    err = compiles(tmp_path, *routes, lambda text: text.replace(
        "#undef ROUTE", '{ .path = "/x", .run = page_root },\n#undef ROUTE'))
    assert err and "error" in err
    for permission in ("", "NOTHING"):
        err = compiles(tmp_path, *ops, lambda text, permission=permission:
                       text.replace("OP(session, send, DRIVE,",
                                    f"OP(session, send, {permission},"))
        assert err and "error" in err, permission
