"""Every mistake that can be made with the arguments of an operation.

They come from docs/operations.md, which is made from the table. An operation
or argument that is added there is tried from then on; add it to GOOD and, if
its value has a form, to FORMS.
"""

import re

from lib import ROOT

# Valid arguments of each operation that needs some.
GOOD = {
    "session.batch": {"steps": [{"text": "x"}]},
    "session.send": {"input": [{"text": "x"}]},
    "session.wait": {"text": "x"},
    "session.prompt": {"text": "x"},
    "session.exec": {"command": "true"},
    "session.resize": {"cols": 81, "rows": 25},
    "session.mark": {"name": "here"},
    "session.colours": {"fg": "ffffff", "bg": "000000"},
    "session.signal": {"signal": 18},
    "session.rename": {"name": "other"},
    "session.label": {"labels": {"a": "1"}},
    "home.wait": {"sessions": ["a"]},
    "home.forget": {"directory": "/no/such"},
    "token.revoke": {"id": "01J00000000000000000000000"},
    "session.upload": {"name": "a"},
    "share.create": {"session": "a"},
    "share.revoke": {"id": "01J00000000000000000000000"},
}

NAMES = ["a b", "../etc", "-x", "a//b", "a" * 65, "/".join("abcdefghi")]
ITEMS = [
    [7], [{}], [{"text": "x", "keys": []}], [{"text": 7}], [{"no": "x"}],
    [{"text": "x"}, {"keys": ["Entr"]}], [{"keys": "Enter"}], [{"keys": [7]}],
    [{"hex": "1"}], [{"hex": "xy"}], [{"mouse": "click"}],
    [{"mouse": "click 1"}], [{"mouse": "hit 1,1"}],
]
LABELS = [{"a": 7}, {"": "x"}, {"a b": "x"}, {"a=b": "x"}, {"k" * 65: "x"},
          {"a": "x" * 257}, {f"k{n}": "x" for n in range(65)}]

# Values of the right type that are invalid; None: every value is valid.
KEYS = ["a\nb", "\x1b[2J", "\u202ea"]

FORMS = {
    ("session.create", "command"): [["sh", 7], [None]],
    ("session.create", "name"): NAMES,
    ("session.create", "cwd"): ["/no/such"],
    ("session.create", "env"): [{"A": 1}, {"": "x"}, {"A=B": "x"}],
    ("session.create", "labels"): LABELS[:-1],
    ("session.create", "may"): [["fly:*"], [7]],
    ("token.create", "label"): None,
    ("token.create", "principal"): ["ann", "uid:1000", "User:ann"],
    ("token.create", "scope"): [["fly"], [7]],
    ("token.create", "sessions"): ["a//b", "a*"],
    ("token.revoke", "id"): None,
    ("share.create", "session"): None,
    ("share.revoke", "id"): None,
    ("login.create", "scope"): [["fly"], [7]],
    ("audit.list", "principal"): None,
    ("audit.list", "session"): None,
    ("audit.list", "since"): ["", "soon"],
    ("session.upload", "name"): None,
    ("session.rerun", "env"): [{"A": 1}, {"": "x"}, {"A=B": "x"}],
    ("session.list", "labels"): [{"a": 7}],
    ("session.output", "from"): ["", "soon"],
    ("session.output", "to"): ["", "soon"],
    ("session.events", "from"): ["", "soon"],
    ("session.events", "to"): ["", "soon"],
    ("home.wait", "sessions"): [[7], [""]],
    ("home.forget", "directory"): ["/no/such"],
    ("home.upgrade", "program"): ["/no/such"],
    ("session.upgrade", "program"): ["/no/such"],
    ("session.batch", "steps"): [
        *ITEMS, [{"wait": {}}], [{"wait": {"nose": 1}}], [{"wait": 7}],
        [{"exec": {}}], [{"exec": ["ls"]}], [{"prompt": {"text": ""}}],
        [{"text": "x"}, {"snapshot": {"format": "png"}}],
        [{"wait": {"text": "x", "timeout": "soon"}}]],
    ("session.snapshot", "format"): ["png", ""],
    ("session.snapshot", "at"): ["", "soon"],
    ("session.send", "input"): [*ITEMS, [{"mouse": "click 999,1"}]],
    ("session.wait", "text"): None,
    ("session.wait", "regex"): ["(", "[", "(?R)*("],
    ("session.wait", "absent"): None,
    ("session.wait", "cursor"): ["", "x", "1", "1,", "1,2,3", "-1,0"],
    ("session.wait", "activity"): ["", "busy", "idle,", ",idle", "idle busy"],
    ("session.wait", "changed_since"): ["", "x", "F" * 64, "a" * 65],
    ("session.prompt", "text"): ["\n"],
    ("session.prompt", "profile"): ["no", ""],
    ("session.exec", "command"): [" ", "\n\t"],
    ("session.send", "key"): KEYS,
    ("session.prompt", "key"): KEYS,
    ("session.exec", "key"): KEYS,
    ("session.mark", "name"): None,
    ("session.colours", "fg"): ["", "fff", "#ffffff", "gggggg"],
    ("session.colours", "bg"): ["", "fff", "#ffffff", "gggggg"],
    ("session.rename", "name"): NAMES,
    ("session.label", "labels"): LABELS,
}

# A wait for several sessions takes the same conditions.
FORMS.update({("home.wait", name): forms for (op, name), forms
              in list(FORMS.items()) if op == "session.wait"})

# Values of each other type; None counts as an omitted argument.
VALUES = {"a string": "x", "a whole number": 7, "true or false": True,
          "an object": {}, "an array": [{"text": "x"}],
          "a duration": "5s", "one of": "no-such-word"}
NUMBERS = ("a whole number", "a duration")  # the meanings of a number
NEVER = [-1, 1.5, "1.5", "5 s"]

# After an argument: only a home takes it, or it needs another permission.
MARK = re.compile(r" \((home|observe|drive|control|create|approve|admin)\)$")


class Argument:
    def __init__(self, op, name, words, optional):
        self.op, self.name, self.optional = op, name, optional
        self.home = False
        while mark := MARK.search(words):
            self.home |= mark[1] == "home"
            words = words[:mark.start()]
        self.words = words
        self.type = next(t for t in VALUES if words.startswith(t))
        span = re.search(r"(\d+) to (\d+)", words)
        open_end = re.search(r"from (\d+)$|(not empty)", words)
        self.least = int(span[1]) if span else \
            int(open_end[1] or 1) if open_end else 0
        self.most = int(span[2]) if span else None

    def sized(self, size):
        """A value of its type with this size."""
        unit = {"a string": "x", "an array": [{"text": "x"}]}
        return size if self.type in NUMBERS else unit[self.type] * size

    def wrong(self):
        """Values of another type, or out of range."""
        alike = {"a string": ["a duration", "one of"],
                 "a duration": ["a whole number"]}.get(self.type, [])
        yield from (v for t, v in VALUES.items()
                    if t == "one of" or t != self.type
                    if t not in alike)
        yield from (v for v in NEVER
                    if self.type != "a string" or not isinstance(v, str))
        if self.least > 0:
            yield self.sized(self.least - 1)
        if self.most is not None:
            yield self.sized(self.most + 1)


def operations():
    """The page: for each operation its arguments, by name."""
    page = (ROOT / "docs" / "operations.md").read_text()
    found = {}
    for part in page.split("\n## ")[1:]:
        op = part.split("\n")[0]
        row = re.search(r"^\| arguments \| (.*) \|$", part, re.M)[1]
        row = re.sub(r": \[(\w+)\]\(#\1\)", "", row)  # links to types
        found[op] = {
            name: Argument(op, name, words, bool(bracket))
            for bracket, name, words in re.findall(
                r"(\[?)`(\w+)`: (.*?)(?:\]|(?=, `)|(?=, \[)|$)", row)}
        assert len(found[op]) == row.count("`") // 2, row
    return found


def mistakes(op, arguments, home=True):
    """Each as (arguments, name that the refusal must contain); without `home`,
    those of a session's socket, which takes fewer arguments."""
    good = GOOD.get(op, {})
    for name in [n for n, a in arguments.items() if a.home and not home]:
        yield {**good, name: "x"}, [f"takes no argument '{name}'"]
    arguments = {n: a for n, a in arguments.items() if home or not a.home}
    assert set(good) >= {n for n, a in arguments.items() if not a.optional}, \
        f"{op} needs more: add it to GOOD"
    yield {**good, "no_such_argument": 1}, ["'no_such_argument'", *arguments]
    for name, a in arguments.items():
        for value in a.wrong():
            yield {**good, name: value}, [f"'{name}' must be {a.words}"]
        if not a.optional:
            yield {k: v for k, v in good.items() if k != name}, \
                [f"'{name}', {a.words}"]
        if a.type in ("a string", "an array", "an object"):
            for value in FORMS[op, name] or []:
                yield {**good, name: value}, \
                    ["step " if name == "steps" else name]
