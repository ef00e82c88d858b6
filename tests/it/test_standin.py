"""The stand-in for the models of agents: its answers, and its truth log.

The three APIs are called as the agents call them.
"""

import json
import pathlib
import socket
import sys
import urllib.error
import urllib.request

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "agents"))

from standin import Standin  # noqa: E402

DONE = "Done. Nothing more to do here."


@pytest.fixture
def api(tmp_path):
    with Standin(truth=tmp_path / "truth.jsonl") as made:
        yield made


def kinds(api):
    return [event["kind"] for event in api.events]


def post(url, body):
    request = urllib.request.Request(
        url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        lines = answer.read().decode().splitlines()
    return [json.loads(line[6:]) for line in lines
            if line.startswith("data: ")]


# ---- Each API: a conversation of texts and results, and what was answered.

class Messages:
    TOOLS = ["Bash", "Edit", "Write", "Read"]

    @staticmethod
    def ask(url, *turns):
        messages = []
        for turn in turns:
            if isinstance(turn, str):
                content = [{"type": "text", "text": turn}]
            else:
                content = [{"type": "tool_result", "tool_use_id": turn[0],
                            "content": turn[1]}]
            messages.append({"role": "user", "content": content})
        return post(f"{url}/v1/messages?beta=true", {
            "model": "m", "stream": True, "messages": messages,
            "tools": [{"name": name} for name in Messages.TOOLS]})

    @staticmethod
    def text(events):
        return "".join(e["delta"].get("text", "") for e in events
                       if e["type"] == "content_block_delta")

    @staticmethod
    def call(events):
        return next((e["content_block"]["id"], e["content_block"]["name"])
                    for e in events if e["type"] == "content_block_start"
                    and e["content_block"]["type"] == "tool_use")


class Responses:
    TOOLS = ["exec_command"]

    @staticmethod
    def ask(url, *turns):
        items = [{"role": "user", "type": "message", "content": [
                     {"type": "input_text", "text": turn}]}
                 if isinstance(turn, str) else
                 {"type": "function_call_output", "call_id": turn[0],
                  "output": turn[1]} for turn in turns]
        return post(f"{url}/v1/responses", {
            "model": "m", "input": items, "tools": [
                {"type": "function", "name": name}
                for name in Responses.TOOLS]})

    @staticmethod
    def text(events):
        return "".join(e["delta"] for e in events
                       if e["type"] == "response.output_text.delta")

    @staticmethod
    def call(events):
        return next((e["item"]["call_id"], e["item"]["name"]) for e in events
                    if e["type"] == "response.output_item.done"
                    and e["item"]["type"] == "function_call")


class Contents:
    TOOLS = ["run_shell_command"]

    @staticmethod
    def ask(url, *turns):
        contents = [{"role": "user", "parts": [
            {"text": turn} if isinstance(turn, str) else
            {"functionResponse": {"id": turn[0],
                                  "response": {"output": turn[1]}}}]}
                    for turn in turns]
        return post(f"{url}/v1beta/models/m:streamGenerateContent?alt=sse", {
            "contents": contents, "tools": [{"functionDeclarations": [
                {"name": name} for name in Contents.TOOLS]}]})

    @staticmethod
    def parts(events):
        return [part for event in events
                for part in event["candidates"][0]["content"]["parts"]]

    @staticmethod
    def text(events):
        return "".join(part.get("text", "") for part in Contents.parts(events))

    @staticmethod
    def call(events):
        return next((part["functionCall"]["id"], part["functionCall"]["name"])
                    for part in Contents.parts(events)
                    if "functionCall" in part)


APIS = pytest.mark.parametrize("kind", [Messages, Responses, Contents])


@APIS
def test_a_turn_is_answered_and_logged(api, kind):
    events = kind.ask(api.url("a"), "hello")
    assert kind.text(events) == DONE
    assert kinds(api) == ["prompt", "turn began", "answer began",
                          "turn ended"]
    assert api.found("prompt", text="hello", queued=False)
    assert api.found("turn ended", how="done", prompt="hello")


@APIS
def test_a_result_continues_the_script(api, kind):
    url, prompt = api.url("a"), "[[bash ls]] [[say It is done.]] go"
    number, tool = kind.call(kind.ask(url, prompt))
    assert tool in kind.TOOLS
    assert kinds(api)[-1] == "answer began", "the turn goes on"
    assert kind.text(kind.ask(url, prompt, (number, "out"))) == "It is done."
    assert "out" in api.found("tool result", tool=tool)["text"]
    assert kinds(api).count("turn began") == 1
    assert kinds(api)[-1] == "turn ended"


@APIS
def test_prompts_are_logged_once(api, kind):
    url = api.url("a")
    kind.ask(url, "one")
    kind.ask(url, "one", "two")
    kind.ask(url, "one", "two", "two")
    texts = [e["text"] for e in api.events if e["kind"] == "prompt"]
    assert texts == ["one", "two", "two"]


@APIS
def test_a_prompt_beside_a_result_was_queued(api, kind):
    url = api.url("a")
    number, _ = kind.call(kind.ask(url, "[[bash ls]] go"))
    kind.ask(url, "[[bash ls]] go", (number, "out"), "more")
    assert api.found("prompt", text="more", queued=True)
    assert kinds(api).count("turn began") == 1


@APIS
def test_a_prompt_without_the_result_ends_the_turn(api, kind):
    url = api.url("a")
    kind.call(kind.ask(url, "[[bash ls]] go"))
    kind.ask(url, "[[bash ls]] go", "more")
    assert api.found("turn ended", how="interrupted", prompt="[[bash ls]] go")
    assert api.found("turn began", prompt="more")


@APIS
def test_so_many_tries_are_refused(api, kind):
    url = api.url("a")
    for _ in range(2):
        with pytest.raises(urllib.error.HTTPError) as seen:
            kind.ask(url, "[[err 2]] go")
        assert seen.value.code == 529
    assert kind.text(kind.ask(url, "[[err 2]] go")) == DONE
    assert kinds(api).count("prompt") == 1
    assert kinds(api).count("refused") == 2


def test_a_closed_connection_interrupts_the_turn(api):
    body = json.dumps({"stream": True, "tools": [{"name": n} for n in "abcd"],
                       "messages": [{"role": "user",
                                     "content": "[[slow 60]] go"}]})
    api.url("a")
    with socket.create_connection(("127.0.0.1", api.port)) as peer:
        peer.sendall(f"POST /a/v1/messages HTTP/1.1\r\nHost: a\r\n"
                     f"Content-Length: {len(body)}\r\n\r\n{body}".encode())
        api.wait("turn began", prompt="[[slow 60]] go")
    assert api.wait("turn ended", how="interrupted")


def test_added_texts_are_no_prompts(api):
    Messages.ask(api.url("a"), "<system-reminder>x</system-reminder>", "go")
    assert [e["text"] for e in api.events if e["kind"] == "prompt"] == ["go"]


def test_the_truth_is_in_the_file(api, tmp_path):
    Messages.ask(api.url("a"), "hello")
    lines = (tmp_path / "truth.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == api.events
    assert all(event["agent"] == "a" for event in api.events)
