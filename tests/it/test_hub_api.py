"""Operations over HTTP: /api/v1/GROUP/VERB of a real hub."""

import json
import os
import re
import signal
import threading

import pytest

import declared

from lib import ROOT, wait_for
from served import home, hub
from stream_client import Refused, Stream
from wire import Wire

FAILURES = set(declared.SCHEMAS["$defs"]["failure"]["properties"]["code"]
               ["enum"])


@pytest.fixture(scope="module")
def cat(home):
    sid = home.start("sh", "-c", "stty -echo; printf ready; exec cat")
    home.wait_text(sid, "ready")
    return sid


def operations():
    """The names of all operations that HTTP has, from docs/operations.md."""
    text = (ROOT / "docs" / "operations.md").read_text()
    parts = re.split(r"^## ", text, flags=re.M)[1:]
    return {part.split("\n")[0] for part in parts
            if re.match(r"[a-z]+\.[a-z]+\n", part)
            and "| not over HTTP |" not in part}


def problem(reply, status, code, word=""):
    """Check that the reply is a problem, complete and declared (RFC 9457)."""
    assert reply.status == status, reply
    assert reply.headers["Content-Type"] == "application/problem+json", reply
    body = reply.json
    assert {"type", "title", "status", "detail", "code",
            "retryable"} <= set(body), reply
    assert set(body) <= {"type", "title", "status", "detail", "code",
                         "retryable", "argument"}, reply
    assert body["status"] == status and body["code"] == code, reply
    assert body["code"] in FAILURES, reply
    assert word in body["detail"], reply
    if status in (429, 503):
        assert int(reply.headers["Retry-After"]) > 0, reply
    assert_no_cors(reply)
    return body


def assert_no_cors(reply):
    for name in reply.headers:
        assert not name.lower().startswith("access-control-"), reply


# ------------------------------------------------------------ all operations


class Driver:
    """Calls operations, and checks each result against its declaration."""

    def __init__(self, hub):
        self.hub = hub
        self.called = set()

    def __call__(self, name, method="POST", query="", /, **args):
        path = f"/api/v1/{name.replace('.', '/')}{query}"
        reply = self.hub.request(method, path,
                                 args if method == "POST" else None)
        assert reply.status == 200, reply
        assert reply.headers["Content-Type"] == "application/json", reply
        declared.check_operation(name, reply.json)
        self.called.add(name)
        return reply.json

    def upload(self, sid):
        """Its arguments are in the URL, because the body is a file."""
        reply = self.hub.post(f"/api/v1/session/upload?session={sid}", b"x")
        assert reply.status == 200, reply
        declared.check_operation("session.upload", reply.json)
        self.called.add("session.upload")


def drive_a_session(do, home):
    """The operations of a running session."""
    made = do("session.create", command=["sh"], name="it", cols=90,
              labels={"a": "b"}, env={"PS1": "$ "}, cwd=str(home.path))
    sid = made["id"]
    assert made["cols"] == 90 and made["labels"] == {"a": "b"}
    do("session.wait", session="it", text="$", timeout="60s")
    assert do("session.get", session=sid)["name"] == "it"
    assert do("session.list")["sessions"][0]["id"] == sid
    assert do("session.list", "GET", "?all=true")["sessions"]
    sent = do("session.send", session=sid, key="one",
              input=[{"text": "echo o''ne\r"}])
    seen = do("session.wait", session=sid, text="one", after=sent["seq"],
              timeout_ms=60000)
    assert seen["matched"] is True
    assert do("session.exec", session=sid, command="echo two; exit_() { "
              "return 3; }; exit_", timeout="60s")["exit_code"] == 3
    do("session.prompt", session=sid, text="echo three", profile="shell",
       timeout="60s")
    do("session.resize", session=sid, cols=100, rows=30)
    do("session.mark", session=sid, name="here")
    do("session.flush", session=sid)
    assert do("agent.explain", session=sid)["agent"] is None
    assert do("session.marks", session=sid)["marks"][0]["name"] == "here"
    shown = do("session.snapshot", session=sid, scrollback=True, max_bytes=99999)
    assert any("one" in line for line in shown["lines"])
    for form in ("text", "ansi", "html", "svg"):
        do("session.snapshot", "GET", f"?session=it&format={form}")
    do("session.snapshot", "GET", "?session=it&cells=1&hidden=true")
    assert "one" in do("session.output", session=sid)["text"]
    do("session.output", "GET", f"?session={sid}&raw=true&max_bytes=10")
    assert do("session.events", session=sid, last=3)["events"]
    do("session.environment", session=sid, program=True)
    batch = do("session.batch", session=sid, steps=[
        {"text": "echo fo''ur\r"}, {"wait": {"text": "four"}},
        {"snapshot": {}}])
    assert batch["completed"] == 3, batch
    assert do("home.wait", sessions=["it"], text="four",
              echo=True)["matched"] is True
    assert do("session.detach", session=sid)["detached"] == 0
    do("session.rename", session=sid, name="renamed")
    do("session.label", session="renamed", labels={"a": None, "c": "d"})
    do("session.signal", session=sid, signal=28)
    do.upload(sid)
    return sid


def drive_ends(do, home, sid):
    """The operations that replace or end a session."""
    do("session.upgrade", session=sid)
    do("session.revive", session=sid)
    do("home.upgrade")
    assert do("session.stop", session=sid, grace="1s")["status"] == "exited"
    again = do("session.rerun", session=sid)
    assert again["rerun_of"] == sid
    killed = do("session.kill", session=again["id"])
    assert killed["outcome"] == "killed"
    third = do("session.create", command=["cat"])
    do("session.destroy", session=third["id"], purge=True)
    assert not home.dir(third["id"]).exists()


def drive_the_home(do, home):
    do("home.list", all=True)
    other = home.path / "other"
    home.ok("run", "-d", "--", "true",
            env={**home.env, "TEND_HOME": str(other)})
    listed = {h["path"] for h in do("home.list", all=True)["homes"]}
    assert str(other) in listed, listed
    do("home.forget", directory=str(other))
    assert do("home.check")["problems"] >= 0
    assert do("home.gc", dry_run=True, all=True)["removed"]


def drive_the_hub(do, sid):
    """The operations that only a hub has."""
    token = do("token.create", label="t", scope=["observe"], expires="1h")
    assert token["id"] in [t["id"] for t in do("token.list")["tokens"]]
    do("token.revoke", id=token["id"])
    share = do("share.create", session=sid)
    assert share["id"] in [s["id"] for s in do("share.list")["shares"]]
    do("share.revoke", id=share["id"])
    do("login.create")
    assert do("identity.get", "GET")["owner"] is True
    assert isinstance(do("audit.list", limit=5)["entries"], list)


def test_every_operation_works_over_http(home, hub):
    """Every operation of the table that has HTTP, with a result as
    declared."""
    do = Driver(hub)
    sid = drive_a_session(do, home)
    drive_the_hub(do, sid)
    drive_ends(do, home, sid)
    drive_the_home(do, home)
    assert do.called == operations()


# -------------------------------------------------------------- wrong requests


GET, SEND = "/api/v1/session/get", "/api/v1/session/send"
WAIT = "/api/v1/session/wait"

WRONG_BODIES = {
    "not JSON": (b"hello", "no JSON"),
    "half a JSON": (b'{"session":', "no JSON"),
    "two values": (b'{"session":"it"} {}', "no JSON"),
    "no object": (b'["it"]', "object"),
    "null": (b"null", "object"),
    "a key twice": (b'{"session":"it","session":"it"}', "duplicate"),
    "deep": (b'{"session":' + b"[" * 500000 + b"]" * 500000 + b"}", "nested"),
    "deep objects": (b'{"a":' * 40 + b"1" + b"}" * 40, "nested"),
    "a NUL": (b'{"session":"it\0"}', "no JSON"),
    "an escaped NUL": (b'{"session":"it\\u0000"}', "u0000"),
    "bad UTF-8": (b'{"session":"\xff\xfe"}', "no JSON"),
    "a surrogate": (b'{"session":"\\ud800"}', "no JSON"),
    "UTF-16": ('{"session":"it"}'.encode("utf-16"), "no JSON"),
    "a control character": (b'{"session":"\x01"}', "no JSON"),
    "unknown argument": (b'{"session":"it","colour":1}', "'colour'"),
    "missing session": (b"{}", "'session'"),
    "session is a number": (b'{"session":7}', "'session'"),
}


@pytest.mark.parametrize("wrong", WRONG_BODIES)
def test_a_wrong_body_is_refused(hub, cat, wrong):
    body, word = WRONG_BODIES[wrong]
    reply = hub.post(GET, body.replace(b'"it"', b'"%s"' % cat.encode()),
                     headers={"Content-Type": "application/json"})
    problem(reply, 400, "usage", word)


WRONG_ARGUMENTS = [
    (WAIT, {"text": 7}, "'text'"),
    (WAIT, {"text": "x", "timeout": "soon"}, "'timeout'"),
    (WAIT, {"text": "x", "timeout": "1s", "timeout_ms": 1}, "timeout_ms"),
    (WAIT, {"text": "x", "after": -1}, "'after'"),
    (WAIT, {"text": "x", "after": 1.5}, "'after'"),
    (WAIT, {"text": "x", "after": True}, "'after'"),
    (WAIT, {"regex": "("}, "regex"),
    ("/api/v1/session/resize", {"cols": 1 << 40, "rows": 3}, "'cols'"),
    ("/api/v1/session/resize", {"cols": 80}, "'rows'"),
    (SEND, {"input": []}, "'input'"),
    (SEND, {"input": [{"text": "a", "paste": "b"}]}, "input"),
    (SEND, {"input": "a"}, "'input'"),
    (SEND, {"input": [{"text": "a"}], "key": "x" * 129}, "'key'"),
    ("/api/v1/session/label", {"labels": {"a": 7}}, "labels"),
]


@pytest.mark.parametrize("path, args, word", WRONG_ARGUMENTS)
def test_a_wrong_argument_is_refused_and_named(hub, cat, path, args, word):
    reply = hub.post(path, {"session": cat, **args})
    problem(reply, 400, "usage", word)


def test_numbers_too_large_for_json_are_refused(hub, cat):
    for digits in ("9" * 30, "-" + "9" * 30, "1e999", "9" * 5000):
        body = f'{{"session":"{cat}","text":"x","after":{digits}}}'
        reply = hub.post(WAIT, body.encode(),
                         headers={"Content-Type": "application/json"})
        problem(reply, 400, "usage")


WRONG_QUERIES = {
    "?session=%s&colour=1": "'colour'",
    "?session=%s&session=%s": "twice",
    "?session=%s&text=x&after=-1": "'after'",
    "?session=%s&text=x&after=99999999999999999999": "'after'",
    "?session=%s&text=x&after=1x": "'after'",
    "?session=%s&text=x&exit=maybe": "'exit'",
    "?session=%s&text=x&timeout_ms=1s": "'timeout_ms'",
    "?session=%s&text=x&text_ms=1": "'text_ms'",
    "?session=%s&text=%%ff": "UTF-8",
    "?session=%s&text=%%00": "query",
    "?session=%s&text=%%4": "query",
    "?session=%s&text=" + "x" * 5000: "query",
    "?session=%s&" + "x" * 300 + "=1": "query",
    "": "'session'",
}


@pytest.mark.parametrize("query", WRONG_QUERIES)
def test_a_wrong_query_is_refused(hub, cat, query):
    reply = hub.get(WAIT + query.replace("%s", cat).replace("%%", "%"))
    problem(reply, 400, "usage", WRONG_QUERIES[query])


def test_a_query_has_numbers_flags_and_durations(hub, cat):
    for query in ("timeout=0", "timeout_ms=0", "timeout=0s",
                  "echo=true&timeout=0", "echo=0&timeout=0",
                  "after=1&timeout_ms=0"):
        reply = hub.get(f"{WAIT}?session={cat}&text=r%65ady&{query}")
        assert reply.status == 200, reply
        assert reply.json["matched"] is True, reply


@pytest.mark.parametrize("kind", [
    None, "text/plain", "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x", "application/jsonp",
    "application/json; charset=latin1", "application/problem+json"])
def test_only_json_is_taken(hub, cat, kind):
    """A form of another site cannot send application/json."""
    headers = {"Content-Type": kind} if kind else {}
    reply = hub.post(GET, json.dumps({"session": cat}).encode(),
                     headers=headers)
    problem(reply, 415, "usage", "application/json")


@pytest.mark.parametrize("kind", [
    "application/json", "Application/JSON; charset=UTF-8"])
def test_json_has_one_name_and_one_charset(hub, cat, kind):
    reply = hub.post(GET, json.dumps({"session": cat}).encode(),
                     headers={"Content-Type": kind})
    assert reply.status == 200 and reply.json["id"] == cat, reply


def test_a_post_has_no_arguments_in_its_url(hub, cat):
    reply = hub.post(f"{GET}?session={cat}", {})
    problem(reply, 400, "usage", "body")


def test_a_get_has_no_body(hub, cat):
    reply = hub.request("GET", f"{GET}?session={cat}", {"session": cat})
    problem(reply, 400, "usage", "POST")


def test_the_body_has_a_maximum(hub, cat):
    """One mebibyte, with a length or in chunks."""
    most = 1 << 20
    body = json.dumps({"session": cat}).encode().ljust(most)
    kind = {"Content-Type": "application/json"}
    assert hub.post(GET, body, headers=kind).status == 200
    problem(hub.post(GET, body + b" ", headers=kind), 413, "usage")
    head = (f"POST {GET} HTTP/1.1\r\nHost: hub\r\n"
            "Content-Type: application/json\r\n").encode()
    # It answers before the client has sent any of it.
    early = hub.raw(head + b"Content-Length: 1048577\r\n\r\n", unix=True)
    assert b" 413 " in early.split(b"\r\n")[0], early
    chunks = b"100000\r\n" + body + b"\r\n1\r\n \r\n"
    late = hub.raw(head + b"Transfer-Encoding: chunked\r\n\r\n" + chunks,
                   unix=True)
    assert b" 413 " in late.split(b"\r\n")[0], late[:300]


def test_other_methods_are_refused_and_the_right_ones_named(hub, cat):
    """OPTIONS too: no page of another site may use the hub."""
    for method in ("OPTIONS", "PUT", "DELETE", "PATCH"):
        for path, allow in ((GET, "GET, HEAD, POST"), (SEND, "POST"),
                            ("/healthz", "GET, HEAD")):
            reply = hub.request(method, path)
            problem(reply, 405, "usage")
            assert reply.headers["Allow"] == allow, reply
    for method in ("GET", "HEAD"):
        reply = hub.request(method, f"{SEND}?session={cat}")
        assert reply.status == 405, reply
        assert reply.headers["Allow"] == "POST", reply


def test_a_preflight_gets_no_cors_headers(hub):
    for unix in (True, False):
        reply = hub.request("OPTIONS", SEND, unix=unix, headers={
            "Origin": "https://example.com",
            "Access-Control-Request-Method": "POST"})
        assert reply.status == 403, reply
        assert_no_cors(reply)


def test_head_is_get_without_the_content(hub, cat):
    path = f"{GET}?session={cat}"
    link = hub.connection()
    head = hub.request("HEAD", path, connection=link)
    full = hub.request("GET", path, connection=link)
    assert head.status == 200 and head.body == b"", head
    assert abs(int(head.headers["Content-Length"]) - len(full.body)) < 40
    missing = hub.request("HEAD", f"{GET}?session=none", connection=link)
    assert missing.status == 404 and missing.body == b"", missing
    link.close()


def test_unknown_routes_and_operations_are_404(hub):
    for path in ("/api/v1/session/explode", "/api/v1/session",
                 "/api/v1/session/get/more", "/api/v2/session/get",
                 "/api/v1/session.get", "/api/v1/lease/acquire",
                 "/api/v1/session/colours", "/api/v1//get", "/nothing"):
        problem(hub.post(path, {}), 404, "not_found")


def test_a_problem_quotes_any_name_readably(hub):
    """A message that is cut within a character is still UTF-8."""
    for name in ("é" * 101, "a" + "é" * 101, "€" * 101, "\x9b31mred\x07",
                 "\u202eevil", "x" * 100000):
        reply = hub.post(GET, {"session": name})
        body = problem(reply, 404, "not_found", "no session")
        assert name[:10] in body["detail"], reply
        for byte in reply.body:
            assert 0x20 <= byte != 0x7f, reply
        assert b"\xc2\x9b" not in reply.body, reply


def test_the_stream_reports_any_name_readably(hub):
    """The stream answers even if its message was cut within a character."""
    with Stream(hub) as stream:
        for name in ("é" * 101, "a" + "é" * 101, "\x9b31mred"):
            with pytest.raises(Refused) as refused:
                stream.call("session.get", session=name)
            assert refused.value.code == "not_found", refused.value


@pytest.mark.parametrize("args, path, status, code", [
    ({"session": "none"}, GET, 404, "not_found"),
    ({"command": ["/no/such/program"]}, "/api/v1/session/create", 400,
     "bad_input"),
    ({"command": ["true"], "name": "a/../b"}, "/api/v1/session/create", 400,
     "usage"),
    ({"session": "ended", "input": [{"text": "x"}]}, SEND, 409,
     "not_running"),
    ({"session": "cat", "input": [{"text": "x"}], "expect_seq": 0}, SEND, 412,
     "busy"),
    ({"command": ["true"], "name": "cat"}, "/api/v1/session/create", 409,
     "exists"),
])
def test_a_failure_has_its_code_and_status(home, hub, cat, args, path, status,
                                           code):
    if args.get("session") == "ended":
        args["session"] = home.start("true")
        home.wait_gone(args["session"])
    if args.get("session") == "cat":
        args["session"] = cat
    if args.get("name") == "cat":
        home.ok("rename", cat, "cat")
    body = problem(hub.post(path, args), status, code)
    assert body["retryable"] is False, body


def test_a_retryable_failure_says_so_and_when(home, hub):
    """The lease belongs to another client."""
    sid = home.start("cat", options=("--input", "lease"))
    with Wire(home.dir(sid)) as other:
        other.call("lease.acquire")
        reply = hub.post(SEND, {"session": sid, "input": [{"text": "x"}]})
        assert problem(reply, 503, "busy")["retryable"] is True


def test_an_answer_has_a_maximum(home, hub):
    """Sixteen mebibytes; each of these bytes takes six in JSON."""
    sid = home.start("sh", "-c", "head -c 3000000 /dev/zero | tr '\\0' '\\1'; "
                     "printf done; exec sleep 1000")
    home.wait_text(sid, "done")
    path = f"/api/v1/session/output?session={sid}&raw=true&max_bytes="
    problem(hub.get(path + "2900000"), 400, "usage", "ask for less")
    reply = hub.get(path + "2000000")
    assert reply.status == 200 and len(reply.json["data"]) > 1900000, reply
    home.ok("kill", sid)


# ---------------------------------------------------------------- once only


def recorder(home):
    """A session whose program keeps every byte that it reads in a file."""
    path = home.path / f"read-{os.urandom(4).hex()}"
    sid = home.start("sh", "-c", "stty raw -echo; printf ready; exec cat >$0",
                     path)
    home.wait_text(sid, "ready")
    return sid, path


def send(hub, sid, text, key, /, **body):
    return hub.post(SEND, {"session": sid, "input": [{"text": text}], **body},
                    headers={"Idempotency-Key": key})


def test_input_with_a_key_is_typed_once(home, hub):
    """R14 over HTTP; also after the hub was killed."""
    sid, path = recorder(home)
    first = send(hub, sid, "once.", "k")
    assert first.status == 200, first
    for how in ("same", "argument", "restart"):
        if how == "restart":
            hub.kill()
            hub.start()
        again = send(hub, sid, "once.", "k") if how != "argument" else \
            hub.post(SEND, {"session": sid, "input": [{"text": "once."}],
                            "key": "k"})
        assert again.status == 200 and again.json == first.json, again
    problem(send(hub, sid, "other.", "k"), 400, "usage", "another request")
    problem(hub.post("/api/v1/session/prompt",
                     {"session": sid, "text": "once.", "key": "k"}),
            400, "usage", "another request")
    assert send(hub, sid, "twice.", "l").status == 200
    wait_for(lambda: path.read_bytes() == b"once.twice.",
             lambda: path.read_bytes())


def test_a_command_and_a_prompt_with_a_key_run_once(home, hub):
    runs = home.path / "runs"
    sid = home.start("sh")
    for name, args in (("exec", {"command": f"echo e >>{runs}"}),
                       ("prompt", {"text": f"echo p >>{runs}",
                                   "profile": "shell"})):
        replies = [hub.post(f"/api/v1/session/{name}",
                            {"session": sid, "timeout": "60s", **args},
                            headers={"Idempotency-Key": name})
                   for _ in range(2)]
        assert replies[0].status == 200, replies[0]
        assert replies[0].json == replies[1].json, replies
    wait_for(lambda: runs.read_text() == "e\np\n", lambda: runs.read_text())


def test_an_unknown_outcome_is_reported_as_unknown(home, hub):
    """The host is killed while it types; the text is not typed again."""
    sid = home.start("sh", "-c", "stty raw -echo; printf ready; exec cat >$0",
                     home.path / "unknown")
    home.wait_text(sid, "ready")
    session = home.info(sid)
    os.kill(session["child_pid"], signal.SIGSTOP)
    text = "x" * 200_000  # more than a terminal holds
    replies = []
    thread = threading.Thread(
        target=lambda: replies.append(send(hub, sid, text, "k")))
    thread.start()
    wait_for(lambda: home.events(sid, "input"), "the first bytes")
    os.kill(session["host_pid"], signal.SIGKILL)
    thread.join()
    wait_for(lambda: home.run("info", sid).status == 0, "a new host")
    replies.append(send(hub, sid, text, "k"))
    hub.kill()
    hub.start()
    replies.append(send(hub, sid, text, "k"))
    for reply in replies:
        body = problem(reply, 502, "unknown")
        assert body["retryable"] is False, reply
    assert len(home.events(sid, "input")) == 1


def test_a_key_that_would_promise_nothing_is_refused(hub, cat):
    """Other operations have no key, and ignoring it would be a lie."""
    for path, args in (("/api/v1/session/create", {"command": ["true"]}),
                       ("/api/v1/session/resize", {"session": cat}),
                       (GET, {"session": cat})):
        reply = hub.post(path, args, headers={"Idempotency-Key": "k"})
        problem(reply, 400, "usage", "at most once")
    problem(send(hub, cat, "x", "k", key="other"), 400, "usage", "differ")
    for key in ("x" * 129, "\xff\xfe", "", "a\tb"):
        problem(send(hub, cat, "x", key), 400, "usage")
    assert send(hub, cat, "x", "same", key="same").status == 200


# ---------------------------------------------------------- clients that leave


def open_descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def test_a_wait_ends_with_its_client(home, hub, cat):
    """In the host too: its connections are closed."""
    host = home.info(cat)["host_pid"]
    before = open_descriptors(host)
    links = []
    for _ in range(10):
        link = hub.connection()
        link.request("GET", f"{WAIT}?session={cat}&text=never&timeout=1h")
        links.append(link)
    wait_for(lambda: open_descriptors(host) > before, "the waits in the host")
    for link in links:
        link.close()
    wait_for(lambda: open_descriptors(host) <= before,
             lambda: f"{open_descriptors(host)} descriptors, {before} before")
    assert hub.get(f"{WAIT}?session={cat}&text=ready").status == 200


def test_a_command_goes_on_without_its_client(home, hub):
    sid, done = home.start("sh"), home.path / "done"
    link = hub.connection()
    link.request("POST", "/api/v1/session/exec", json.dumps(
        {"session": sid, "command": f"read x; echo $x >{done}", "key": "k"}),
        {"Content-Type": "application/json"})
    wait_for(lambda: home.events(sid, "input"), "the command")
    link.close()
    home.ok("send", sid, "--text", "on\n")
    wait_for(done.exists, "the command's file")


# ------------------------------------------------------------ hostile titles


TITLE = b"safe\xc2\x9b31mred\xc2\x9d0;evil\x1b[31m\x7f\xe2\x80\xaetitle"


def texts(value, where=""):
    """All strings of a JSON value, with their places."""
    if isinstance(value, str):
        yield where, value
    elif isinstance(value, dict):
        for name, member in value.items():
            yield from texts(name, where)
            yield from texts(member, f"{where}.{name}")
    elif isinstance(value, list):
        for member in value:
            yield from texts(member, f"{where}[]")


def assert_harmless(reply):
    """No string has a control character, and no byte acts on a terminal."""
    assert reply.status == 200, reply
    for where, text in texts(reply.json):
        for c in text:
            assert ord(c) >= 0x20 and not 0x7f <= ord(c) <= 0x9f, (where, text)
    assert_printable(reply)


def assert_printable(reply):
    """No byte of the JSON acts on a terminal that shows it."""
    text = reply.body.decode()
    assert not any(ord(c) < 0x20 or 0x7f <= ord(c) <= 0x9f or c == "\u202e"
                   for c in text), reply


def test_titles_links_and_notices_have_no_control_characters(home, hub):
    """S14 for the API: titles of programs reach programs and pages."""
    path = home.path / "hostile"
    path.write_bytes(b"".join((
        b"\x1b]0;" + TITLE.replace(b"\x1b[31m", b"") + b"\x07",
        b"\x1b]8;id=\xc2\x9b1;https://x/\xc2\x9b31m\xc2\x85a\x1b\\link"
        b"\x1b]8;;\x1b\\",
        b"\x1b]777;notify;n\xc2\x9b31m;body\xc2\x9d0;x\x07",
        b"\x1b]9;note\xc2\x9b31m\x07",
        b"\r\ntext\xc2\x9b31mtext\x9b31m\x7f\r\n",
        b"last \xc2\x90line\xc2\x9c done")))
    sid = home.start("sh", "-c", "cat $0; exec sleep 1000", path)
    home.wait_text(sid, "done")
    session = hub.get(f"{GET}?session={sid}")
    assert session.json["title"].startswith("safe"), session
    assert_harmless(session)
    assert_harmless(hub.get("/api/v1/session/list"))
    for query in ("", "&cells=1", "&hidden=1", "&scrollback=1"):
        shown = hub.get(f"/api/v1/session/snapshot?session={sid}{query}")
        assert_harmless(shown)
    assert "link" in shown.body.decode()


def test_names_have_no_control_characters_and_labels_are_escaped(hub, cat):
    for name in ("a\x1b[31m", "a\x9b31m", "a\x7f", "a\nb", "\u202ea"):
        problem(hub.post("/api/v1/session/rename",
                         {"session": cat, "name": name}), 400, "usage")
        labelled = hub.call("session/label",
                            {"session": cat, "labels": {"a": name}})
        assert labelled["labels"]["a"] == name
        assert_printable(hub.get(f"{GET}?session={cat}"))
