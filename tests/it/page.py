"""A page in Debian's Chromium that tests drive, over the pipe of its
developer tools.

    with Page() as page:
        page.open("http://127.0.0.1:7070/")
        assert page.run("document.title") == "tend"
"""

import json
import os
import shutil
import subprocess
import tempfile

from browser import SWITCHES
from lib import wait_for


class Page:
    def __enter__(self):
        program = shutil.which("chromium")
        assert program, "chromium is not installed: apt-get install chromium"
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs, self.out = os.pipe()
        self.inp, other = os.pipe()
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{theirs} 4>&{other}', "bash", program,
             *SWITCHES, "--remote-debugging-pipe",
             f"--user-data-dir={self.profile.name}", "about:blank"],
            pass_fds=[theirs, other], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs)
        os.close(other)
        self.buffer, self.id = b"", 0
        targets = wait_for(lambda: [
            t for t in self.call("Target.getTargets")["targetInfos"]
            if t["type"] == "page"], "a page")
        self.session = None
        self.session = self.call("Target.attachToTarget", flatten=True,
                                 targetId=targets[0]["targetId"])["sessionId"]
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait(60)
        os.close(self.out)
        os.close(self.inp)
        self.profile.cleanup()

    def call(self, method, **params):
        """One command; its result.  Events are dropped."""
        self.id += 1
        message = {"id": self.id, "method": method, "params": params}
        if getattr(self, "session", None):
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.buffer:
                part = os.read(self.inp, 1 << 16)
                assert part, f"Chromium has ended: {method}"
                self.buffer += part
            line, _, self.buffer = self.buffer.partition(b"\0")
            answer = json.loads(line)
            if answer.get("id") == self.id:
                assert "result" in answer, answer
                return answer["result"]

    def open(self, url):
        """Go there as a person does who types the address."""
        self.run("window.left = true")
        self.call("Page.navigate", url=url, transitionType="typed")
        wait_for(lambda: self.run(
            "document.readyState === 'complete' && !window.left"),
            f"{url} to load")

    def run(self, code):
        """The value of JavaScript in the page; a promise is awaited."""
        got = self.call("Runtime.evaluate", expression=code,
                        awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in got, got
        return got["result"].get("value")
