"""A stand-in for the model APIs that coding agents use.

    with Standin(truth="truth.jsonl") as api:
        url = api.url("anthropic", project="/home/dev/demo")
        ...
        api.wait("turn ended", prompt="hello")

It listens on 127.0.0.1, speaks the Messages API of Anthropic, the Responses
API of OpenAI and streamGenerateContent of Gemini, and answers as a model that
does as the prompt says.  Directives in the prompt are the script of the turn:

    [[bash CMD]]    ask to run a command
    [[edit F]]      ask to change hello to goodbye in a file (hello.py)
    [[write F]]     ask to write a file of three lines (new.txt)
    [[read F]]      ask to read a file (hello.py)
    [[web URL]]     ask to fetch a page (https://example.com/page)
    [[plan]]        ask for approval of a plan
    [[ask]]         put a question with two answers
    [[say TEXT]]    answer with this text
    [[long N]]      answer with N lines
    [[slow N]]      wait N seconds before the answer
    [[pace MS]]     MS milliseconds for each word of the answer
    [[err N]]       refuse the first N tries (all, without N): overloaded
    [[down N]]      the same: an internal error
    [[auth]] [[rate]]  refuse: the key is wrong, the limit is reached
    [[cut]]         break off in the middle of the answer

A tool ends an answer; the model goes on with the next directive when the
result arrives, and ends the turn when none is left.

An agent has its own base URL, which `url` gives, so several can use one
stand-in.  The truth log has one JSON object a line, each with `at` (seconds
since 1970) and `agent`, the name in its URL:

    prompt       text; `queued` if it came in during a turn
    turn began   prompt
    tool asked   tool, input
    answer began the first word is sent
    tool result  tool, text, `error` if it was refused or failed
    refused      status: an error of the API, which the agent may try again
    cut          the answer was broken off
    turn ended   how: done, interrupted; prompt
    aside        a request beside the conversation, such as one for a title

An agent that ends a turn at a dialog, or gives up after refusals, tells the
API nothing: such a turn ends in this log when the next one begins.
"""

import argparse
import contextlib
import http.server
import itertools
import json
import re
import select
import sys
import threading
import time
import urllib.parse

PLAIN = "Done. Nothing more to do here."
BODY_MAX = 64 << 20
WORD_MS = 20

DIRECTIVE = re.compile(r"\[\[([a-z]+)(?: (.*?))?\]\]", re.S)
WORDS = re.compile(r"\S+\s*|\s+")


# ---------------------------------------------------------------- The script

class Reply:
    """One answer of the model."""

    def __init__(self):
        self.text = None
        self.tool = None        # (kind, argument)
        self.slow_s = 0
        self.word_ms = WORD_MS
        self.status = 200
        self.tries = 0          # how many are refused; -1: all
        self.cut = False

    def words(self):
        text = self.text
        if text is None:
            text = f"I will use {self.tool[0]}." if self.tool else PLAIN
        return WORDS.findall(text)


TOOLS = ("bash", "edit", "write", "read", "web", "plan", "ask")
REFUSALS = {"err": 529, "down": 500, "auth": 401, "rate": 429}


def script(prompt):
    """The answers that a prompt asks for; at least one."""
    replies = [Reply()]
    for name, arg in DIRECTIVE.findall(prompt):
        last = replies[-1]
        if name in TOOLS:
            last.tool = (name, arg)
            replies.append(Reply())
        elif name == "say":
            last.text = arg
        elif name == "long":
            last.text = "\n".join(f"Line {n} of a long answer."
                                  for n in range(1, int(arg or 60) + 1))
        elif name == "slow":
            last.slow_s = float(arg or 3)
        elif name == "pace":
            last.word_ms = int(arg or 100)
        elif name in REFUSALS:
            last.status = REFUSALS[name]
            last.tries = int(arg) if arg else -1
        elif name == "cut":
            last.cut = True
    return replies


# ------------------------------------------------------------------ The tools

QUESTION = "Which greeting should be used?"
CHOICES = [{"label": "hello", "description": "as it is now"},
           {"label": "goodbye", "description": "the other one"}]
PLAN = "# Plan\n\n1. Read hello.py\n2. Change the greeting\n"
THREE_LINES = "one\ntwo\nthree\n"
PAGE = "https://example.com/page"
PATCH = ("*** Begin Patch\n*** Update File: {}\n@@\n-print(\"hello\")\n"
         "+print(\"goodbye\")\n*** End Patch\n")
NEW_FILE = ("*** Begin Patch\n*** Add File: {}\n+one\n+two\n+three\n"
            "*** End Patch\n")

# The agents' names of a tool, and the input that it takes.  The first one that
# the request offers is used.  A is the directive's argument, P the project.
INPUTS = {
    "bash": [
        ("Bash", lambda a, p: {"command": a, "description": "Run it"}),
        ("bash", lambda a, p: {"command": a, "description": "Run it"}),
        ("exec_command", lambda a, p: escalated({"cmd": a})),
        ("shell_command", lambda a, p: escalated({"command": a})),
        ("shell", lambda a, p: escalated({"command": ["bash", "-c", a]})),
        ("run_shell_command",
         lambda a, p: {"command": a, "description": "Run it"}),
    ],
    "edit": [
        ("Edit", lambda a, p: {"file_path": f"{p}/{a}", "old_string": "hello",
                               "new_string": "goodbye"}),
        ("edit", lambda a, p: {"filePath": f"{p}/{a}", "oldString": "hello",
                               "newString": "goodbye"}),
        ("apply_patch", lambda a, p: PATCH.format(a)),
        ("exec_command", lambda a, p: patching(PATCH.format(a))),
        ("replace", lambda a, p: {
            "file_path": f"{p}/{a}", "old_string": "hello",
            "new_string": "goodbye", "instruction": "Say goodbye"}),
    ],
    "write": [
        ("Write", lambda a, p: {"file_path": f"{p}/{a}",
                                "content": THREE_LINES}),
        ("write", lambda a, p: {"filePath": f"{p}/{a}",
                                "content": THREE_LINES}),
        ("apply_patch", lambda a, p: NEW_FILE.format(a)),
        ("exec_command", lambda a, p: patching(NEW_FILE.format(a))),
        ("write_file", lambda a, p: {"file_path": f"{p}/{a}",
                                     "content": THREE_LINES}),
    ],
    "read": [
        ("Read", lambda a, p: {"file_path": f"{p}/{a}"}),
        ("read", lambda a, p: {"filePath": f"{p}/{a}"}),
        ("read_file", lambda a, p: {"file_path": f"{p}/{a}"}),
        ("exec_command", lambda a, p: {"cmd": f"cat {a}"}),
        ("shell_command", lambda a, p: {"command": f"cat {a}"}),
    ],
    "web": [
        ("WebFetch", lambda a, p: {"url": a, "prompt": "Sum it up"}),
        ("webfetch", lambda a, p: {"url": a, "format": "text"}),
        ("web_fetch", lambda a, p: {"prompt": f"Sum up {a}"}),
        ("exec_command", lambda a, p: escalated({"cmd": f"curl {a}"})),
        ("shell_command", lambda a, p: escalated({"command": f"curl {a}"})),
    ],
    "plan": [
        ("ExitPlanMode", lambda a, p: {"plan": PLAN}),
        ("plan_exit", lambda a, p: {}),
        ("exit_plan_mode", lambda a, p: {"plan_filename": a or "plan.md"}),
    ],
    "ask": [
        ("AskUserQuestion", lambda a, p: {"questions": [
            {"question": QUESTION, "header": "Greeting", "multiSelect": False,
             "options": CHOICES}]}),
        ("question", lambda a, p: {"questions": [
            {"question": QUESTION, "header": "Greeting",
             "options": CHOICES}]}),
        ("request_user_input", lambda a, p: {"questions": [
            {"id": "greeting", "header": "Greeting", "question": QUESTION,
             "options": CHOICES}]}),
        ("ask_user", lambda a, p: {"questions": [
            {"question": QUESTION, "header": "Greeting", "type": "choice",
             "options": CHOICES}]}),
    ],
}
# Tools that Claude accepts without having offered them.
DEFERRED = {"Bash": ["WebFetch", "ExitPlanMode"]}
ARGUMENTS = {"bash": "touch made-by-agent", "edit": "hello.py",
             "write": "new.txt", "read": "hello.py", "web": PAGE, "plan": "",
             "ask": ""}


def escalated(args):
    """A command of Codex that must be approved: it leaves the sandbox."""
    return {**args, "sandbox_permissions": "require_escalated",
            "justification": "It needs to leave the sandbox"}


def patching(patch):
    """A command that Codex takes for its tool."""
    return {"cmd": f"apply_patch <<'EOF'\n{patch}EOF\n"}


def call_of(reply, offered, project):
    """The name and input of the reply's tool, or None if it has none."""
    if reply.tool is None:
        return None
    kind, arg = reply.tool
    deferred = [name for key in DEFERRED if key in offered
                for name in DEFERRED[key]]
    for name, make in INPUTS[kind]:
        if name in offered or name in deferred:
            return name, make(arg or ARGUMENTS[kind], project)
    return None


# ---------------------------------------------------------- The conversations

class Agent:
    """The conversation of one agent, of which every request has all.

    A prompt is a user's text that the request before did not have.  None
    among them is the agent's note that the user interrupted the turn.
    """

    def __init__(self, name, project, say):
        self.name = name
        self.project = project
        self._say = say
        self.lock = threading.RLock()
        self.texts = []         # of the last request
        self.results = set()    # ids of results that came
        self.calls = {}         # the tool of each call's id
        self.turn = None        # the prompt of this turn
        self.reply = Reply()    # to the last request
        self.replies = []       # that follow in this turn
        self.tries = 0          # of this reply

    def say(self, kind, **rest):
        self._say({"agent": self.name, "kind": kind, **rest})

    def take(self, texts, results):
        """Note the news of a request; returns the reply."""
        with self.lock:
            same = sum(1 for _ in itertools.takewhile(
                lambda pair: pair[0] == pair[1], zip(self.texts, texts)))
            new, before, self.texts = texts[same:], self.texts, texts
            fresh = [r for r in results if r["id"] not in self.results]
            for result in fresh:
                self.note_result(result)
            # The turn goes on only with a result that is no refusal.  Some
            # agents note an interruption, or leave its prompt out.
            refused = any(REFUSED.search(result["text"]) for result in fresh)
            if None in new or same < len(before) or (
                    new and (refused or not fresh)):
                self.end("interrupted")
            new = [text for text in new if text is not None]
            if new:
                self.note_prompts(new)
            elif self.turn is None:
                self.begin(next(filter(None, reversed(texts)), ""))
            elif not fresh:
                self.tries += 1
                return self.reply   # the same request again
            self.reply = self.replies.pop(0) if self.replies else Reply()
            self.tries = 1
            return self.reply

    def note_result(self, result):
        self.results.add(result["id"])
        self.say("tool result", tool=self.calls.get(result["id"]),
                 text=result["text"][:2000], error=result["error"])

    def note_prompts(self, new):
        queued = self.turn is not None
        for text in new:
            self.say("prompt", text=text, queued=queued)
        if queued:
            self.replies += script("\n".join(new))
        else:
            self.begin("\n".join(new))

    def begin(self, prompt):
        self.turn = prompt
        self.replies = script(prompt)
        self.say("turn began", prompt=prompt)

    def end(self, how):
        """The turn ends, unless it has already."""
        with self.lock:
            if self.turn is not None:
                self.say("turn ended", how=how, prompt=self.turn)
                self.turn = None

    def call(self, number, tool, given):
        with self.lock:
            self.calls[number] = tool
            self.say("tool asked", tool=tool, input=given)

    def refuses(self):
        with self.lock:
            reply = self.reply
            return reply.status != 200 and not 0 <= reply.tries < self.tries


class Asked:
    """A request as every API has it."""

    def __init__(self, texts, results, tools, aside, stream=True):
        self.texts = texts
        self.results = results
        self.tools = tools
        self.aside = aside
        self.stream = stream


# Texts that agents add to the user's own, and those that say that the user
# interrupted the turn.
ADDED = re.compile(
    r"<(?:system-reminder|command-|local-command-|task-notification"
    r"|environment_context|user_instructions|permissions|skill|apps_"
    r"|session_context|hook_context|collaboration_mode|model_switch"
    r"|recommended|INSTRUCTIONS)|# AGENTS\.md|Caveat: ")
REFUSED = re.compile(r"The user rejected|doesn't want to proceed")
INTERRUPTED = re.compile(r"\[Request interrupted by user|<turn_aborted>")


def users(texts):
    """The user's own texts among these."""
    return [None if INTERRUPTED.match(text) else text for text in texts
            if text.strip() and not ADDED.match(text.lstrip())]


def told(content):
    """The text of a result, which is text or a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(part.get("text", "") for part in parts)


# ------------------------------------------------------------------- The APIs
#
# Each has `asked`, which reads a request; `answer`, which yields its parts,
# the words of the text as Word; and `frame`, which makes bytes of a part.

class Word:
    """A part of the answer after which the model takes its time."""

    def __init__(self, part):
        self.part = part


class Anthropic:
    @staticmethod
    def asked(path, body):
        texts, results = [], []
        for message in body.get("messages", []):
            content = message["content"]
            if isinstance(content, str):
                content = [{"type": "text", "text": content}]
            if message["role"] != "user":
                continue
            texts += [part["text"] for part in content
                      if part["type"] == "text"]
            results += [{"id": part["tool_use_id"],
                         "text": told(part.get("content", "")),
                         "error": bool(part.get("is_error"))}
                        for part in content if part["type"] == "tool_result"]
        tools = [tool["name"] for tool in body.get("tools", [])]
        return Asked(users(texts), results, tools, len(tools) < 4,
                     body.get("stream", False))

    @staticmethod
    def answer(body, number, words, call):
        stop = "tool_use" if call else "end_turn"
        usage = {"input_tokens": 10, "output_tokens": 1}
        yield {"type": "message_start", "message": {
            "id": f"msg_{number}", "type": "message", "role": "assistant",
            "model": body.get("model"), "content": [], "stop_reason": None,
            "stop_sequence": None, "usage": usage}}
        yield {"type": "content_block_start", "index": 0,
               "content_block": {"type": "text", "text": ""}}
        for word in words:
            yield Word({"type": "content_block_delta", "index": 0,
                        "delta": {"type": "text_delta", "text": word}})
        yield {"type": "content_block_stop", "index": 0}
        if call:
            name, given = call
            yield {"type": "content_block_start", "index": 1,
                   "content_block": {"type": "tool_use",
                                     "id": f"toolu_{number}", "name": name,
                                     "input": {}}}
            yield {"type": "content_block_delta", "index": 1,
                   "delta": {"type": "input_json_delta",
                             "partial_json": json.dumps(given)}}
            yield {"type": "content_block_stop", "index": 1}
        yield {"type": "message_delta",
               "delta": {"stop_reason": stop, "stop_sequence": None},
               "usage": {"output_tokens": len(words)}}
        yield {"type": "message_stop"}

    @staticmethod
    def frame(part):
        return f"event: {part['type']}\ndata: {json.dumps(part)}\n\n"

    @staticmethod
    def call_id(number):
        return f"toolu_{number}"

    @staticmethod
    def whole(body, number, words, call):
        """The answer to a request that wants no stream."""
        content = [{"type": "text", "text": "".join(words)}]
        if call:
            content.append({"type": "tool_use", "id": f"toolu_{number}",
                            "name": call[0], "input": call[1]})
        return {"id": f"msg_{number}", "type": "message",
                "role": "assistant", "model": body.get("model"),
                "content": content,
                "stop_reason": "tool_use" if call else "end_turn",
                "stop_sequence": None,
                "usage": {"input_tokens": 10, "output_tokens": 10}}


class OpenAI:
    @staticmethod
    def asked(path, body):
        texts, results = [], []
        for item in body.get("input", []):
            if item.get("role") == "user":
                texts += [part.get("text", "") for part in item["content"]]
            elif item.get("type", "").endswith("_call_output"):
                text = told(item["output"])
                results.append({"id": item["call_id"], "text": text,
                                "error": "rejected by user" in text
                                or "aborted" in text})
        tools = [tool.get("name", tool["type"])
                 for tool in body.get("tools", [])]
        return Asked(users(texts), results, tools, not tools)

    @staticmethod
    def answer(body, number, words, call):
        response = {"id": f"resp_{number}", "status": "in_progress",
                    "output": []}
        yield {"type": "response.created", "response": response}
        message = {"id": f"msg_{number}", "type": "message",
                   "role": "assistant", "status": "in_progress",
                   "content": []}
        yield {"type": "response.output_item.added", "output_index": 0,
               "item": message}
        for word in words:
            yield Word({"type": "response.output_text.delta",
                        "item_id": message["id"], "output_index": 0,
                        "content_index": 0, "delta": word})
        items = [{**message, "status": "completed",
                  "content": [{"type": "output_text", "annotations": [],
                               "text": "".join(words)}]}]
        if call:
            name, given = call
            kind = {"type": "custom_tool_call", "input": given} \
                if isinstance(given, str) else \
                {"type": "function_call", "arguments": json.dumps(given)}
            items.append({"id": f"item_{number}", "call_id": f"call_{number}",
                          "name": name, "status": "completed", **kind})
        for index, item in enumerate(items):
            yield {"type": "response.output_item.done", "output_index": index,
                   "item": item}
        yield {"type": "response.completed", "response": {
            **response, "status": "completed", "output": items,
            "usage": {"input_tokens": 10, "output_tokens": len(words),
                      "total_tokens": 10 + len(words)}}}

    frame = Anthropic.frame

    @staticmethod
    def call_id(number):
        return f"call_{number}"


class Gemini:
    @staticmethod
    def asked(path, body):
        texts, results = [], []
        for content in body.get("contents", []):
            if content.get("role") != "user":
                continue
            for part in content["parts"]:
                if "functionResponse" in part:
                    answer = part["functionResponse"]
                    results.append({
                        "id": answer.get("id"),
                        "text": json.dumps(answer.get("response")),
                        "error": "error" in answer.get("response", {})})
                elif part.get("text"):
                    texts.append(part["text"])
        tools = [function["name"] for tool in body.get("tools", [])
                 for function in tool.get("functionDeclarations", [])]
        config = body.get("generationConfig", {})
        aside = not tools or "responseMimeType" in config
        return Asked(users(texts), results, tools, aside,
                     ":stream" in path)

    @staticmethod
    def part(parts, **rest):
        return {"candidates": [{"content": {"role": "model", "parts": parts},
                                "index": 0, **rest}],
                "usageMetadata": {"promptTokenCount": 10,
                                  "candidatesTokenCount": 10,
                                  "totalTokenCount": 20}}

    @staticmethod
    def answer(body, number, words, call):
        for word in words:
            yield Word(Gemini.part([{"text": word}]))
        if call:
            name, given = call
            yield Gemini.part([{"functionCall": {
                "id": f"call_{number}", "name": name, "args": given}}])
        yield Gemini.part([{"text": ""}], finishReason="STOP")

    @staticmethod
    def frame(part):
        return f"data: {json.dumps(part)}\r\n\r\n"

    @staticmethod
    def call_id(number):
        return f"call_{number}"

    @staticmethod
    def whole(body, number, words, call):
        parts = [{"text": "".join(words)}]
        if call:
            parts.append({"functionCall": {"id": f"call_{number}",
                                           "name": call[0],
                                           "args": call[1]}})
        return Gemini.part(parts, finishReason="STOP")


# The answer to requests beside the conversation: a title, a choice of the
# model.  Some want it as JSON.
TITLE = "A small task"
ASIDE = json.dumps({"title": TITLE, "isNewTopic": False,
                    "reasoning": "it is small", "model_choice": "flash",
                    "complexity_reasoning": "it is small",
                    "complexity_score": 10})

MESSAGES = {500: ("api_error", "Internal server error"),
            529: ("overloaded_error", "Overloaded"),
            401: ("authentication_error", "invalid x-api-key"),
            429: ("rate_limit_error", "the limit is reached")}


def api_of(path):
    """The API of a path, or None if it is not about an answer."""
    if path.endswith("/messages"):
        return Anthropic
    if path.endswith("/responses"):
        return OpenAI
    if path.endswith((":generateContent", ":streamGenerateContent")):
        return Gemini
    return None


class Gone(Exception):
    """The agent has closed the connection."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_GET(self):
        self.json(200, {"data": [], "models": []})

    do_HEAD = do_GET

    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        if length > BODY_MAX:
            return self.json(413, {})
        body = self.rfile.read(length)
        path = urllib.parse.urlsplit(self.path).path
        api = api_of(path)
        if path.endswith(("/count_tokens", ":countTokens")):
            return self.json(200, {"input_tokens": 10, "totalTokens": 10})
        if api is None:
            return self.json(200, {})
        agent = self.server.standin.agent(path.split("/")[1])
        body = json.loads(body)
        self.server.standin.dump(agent, body)
        asked = api.asked(path, body)
        try:
            if asked.aside:
                self.aside(api, agent, body, asked)
            else:
                self.converse(api, agent, body, asked)
        except (Gone, OSError):
            if not asked.aside:
                agent.end("interrupted")
        return None

    def json(self, status, value):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def refuse(self, status):
        kind, message = MESSAGES[status]
        self.json(status, {"type": "error", "error": {
            "type": kind, "code": status, "status": kind.upper(),
            "message": message}})

    def aside(self, api, agent, body, asked):
        agent.say("aside", tools=len(asked.tools))
        number = self.server.standin.number()
        words = [ASIDE if "json" in json.dumps(body).lower() else TITLE]
        if asked.stream:
            self.stream(api, api.answer(body, number, words, None), Reply())
        else:
            self.json(200, api.whole(body, number, words, None))

    def converse(self, api, agent, body, asked):
        reply = agent.take(asked.texts, asked.results)
        if agent.refuses():
            agent.say("refused", status=reply.status)
            return self.refuse(reply.status)
        call = call_of(reply, asked.tools, agent.project)
        words = reply.words()
        if reply.tool and call is None:
            words = [f"There is no tool for {reply.tool[0]}."]
            if reply.tool[0] == "plan" and api is OpenAI:
                words = ["<proposed_plan>\n", PLAN, "</proposed_plan>"]
        cut = reply.cut and agent.tries == 1
        if cut:
            words = words[:len(words) // 2]
        number = self.server.standin.number()
        if call:
            agent.call(api.call_id(number), *call)
        if not asked.stream:
            self.json(200, api.whole(body, number, words, call))
        else:
            self.stream(api, api.answer(body, number, words, call), reply, cut,
                        lambda: agent.say("answer began"))
        if cut:
            agent.say("cut")
        elif call is None:
            agent.end("done")
        return None

    def stream(self, api, parts, reply, cut=False, began=lambda: None):
        """Send an answer, or its first words only; `began` is called before
        the first word."""
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        said = False
        for part in parts:
            word = isinstance(part, Word)
            if word and not said:
                self.pause(reply.slow_s)
                began()
            if cut and said and not word:
                return
            said |= word
            self.wfile.write(api.frame(part.part if word else part).encode())
            if word:
                self.pause(reply.word_ms / 1000)

    def pause(self, seconds):
        """Wait, unless the agent closes the connection meanwhile."""
        if seconds > 0 and select.select([self.connection], [], [],
                                         seconds)[0]:
            raise Gone


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class Standin:
    """The server, from `with` to its end.  `truth` is the file of the truth
    log, `dumps` a directory for the bodies of all requests."""

    def __init__(self, truth=None, dumps=None, port=0):
        self.events = []
        self._file = open(truth, "a", encoding="utf-8") if truth else None
        self._dumps = dumps
        self._agents = {}
        self._count = 0
        self._news = threading.Condition()
        self._server = Server(("127.0.0.1", port), Handler)
        self._server.standin = self
        self.port = self._server.server_address[1]

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, args=(0.05,),
                         daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
        if self._file:
            self._file.close()

    def url(self, name, project="."):
        """The base URL of an agent that works in `project`."""
        with self._news:
            self._agents[name] = Agent(name, str(project), self._tell)
        return f"http://127.0.0.1:{self.port}/{name}"

    def agent(self, name):
        if name not in self._agents:
            self.url(name)
        return self._agents[name]

    def number(self):
        with self._news:
            self._count += 1
            return self._count

    def dump(self, agent, body):
        if self._dumps:
            path = f"{self._dumps}/{agent.name}-{self.number()}.json"
            with open(path, "w", encoding="utf-8") as file:
                json.dump(body, file, indent=1)

    def _tell(self, event):
        with self._news:
            event = {"at": round(time.time(), 4), **event}
            self.events.append(event)
            if self._file:
                self._file.write(json.dumps(event, ensure_ascii=False) + "\n")
                self._file.flush()
            self._news.notify_all()

    def found(self, kind, since=0, **fields):
        """The first event of this kind from the index `since` on, or None."""
        for event in self.events[since:]:
            if event["kind"] == kind and all(
                    event.get(name) == value
                    for name, value in fields.items()):
                return event
        return None

    def wait(self, kind, since=0, seconds=30, **fields):
        """Wait for such an event, and return it."""
        with self._news:
            self._news.wait_for(lambda: self.found(kind, since, **fields),
                                seconds)
        event = self.found(kind, since, **fields)
        assert event, f"no {kind} {fields} in {self.events[since:]}"
        return event


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--port", type=int, default=0)
    options.add_argument("--truth", help="file of the truth log")
    options.add_argument("--dumps", help="directory for all requests")
    options.add_argument("--project", default=".")
    args = options.parse_args()
    with Standin(args.truth, args.dumps, args.port) as api:
        print(api.url("agent", args.project), flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main()
