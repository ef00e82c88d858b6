"""The chat program of agent.py, reporting its status to the terminal.

It asks whether the terminal knows OSC 7501, and reports only to one that
answers, as one family of coding agents does.  Each turn first asks for
permission and then asks a question, so a recording of it has every state and
kind that such programs were seen to send.
"""

import base64
import os
import sys

import agent

QUESTION = f"{agent.ESC}]7501;?\x07"


class Asking(agent.Agent):
    def __init__(self):
        super().__init__()
        self.understood = False

    def report(self, state, kind="", text=""):
        if not self.understood:
            return
        pairs = [f"state={state}", "app=agent"]
        if kind:
            pairs.append(f"kind={kind}")
        if text:
            pairs.append("msg=" + base64.b64encode(text.encode()).decode())
        self.out(f"{agent.ESC}]7501;{':'.join(pairs)}\x07")

    def ask(self, kind, text, choices):
        """A dialog in place of the box; any key answers it."""
        self.report("blocked", kind, text)
        self.paint([f"{agent.ESC}[1m{text}{agent.ESC}[22m",
                    *(f"  {i}. {choice}" for i, choice in
                      enumerate(choices, 1))])
        os.read(0, 64)

    def turn(self):
        self.report("working")
        said, self.typed = self.typed, ""
        self.paint(self.box(self.busy(0)), [f" > {said}", ""])
        self.ask("permission", "approve Bash: make test", ("Yes", "No"))
        self.report("working")
        self.paint(self.box(self.busy(7)), ["  All tests pass.", ""])
        self.ask("question", "answer: Which greeting? (hello · goodbye)",
                 ("hello", "goodbye"))
        self.report("working")
        self.paint(self.box("done"), ["  Said hello.", ""])
        self.report("done")

    def run(self):
        self.out(QUESTION)
        answer = os.read(0, 64)
        self.understood = answer == QUESTION.encode()
        self.report("idle")
        super().run()


if __name__ == "__main__":
    agent.Agent = Asking
    sys.exit(agent.main())
