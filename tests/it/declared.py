"""Check that answers match the tables of operations.

The build makes schemas.json from src/op/ops.def, types.def, commands.def and
src/mcp/tools.c. lib.py and wire.py check every answer that a test gets.  This
is the part of JSON Schema that those schemas use.
"""

import json
import os
import pathlib

SCHEMAS = json.loads((pathlib.Path(os.environ["TEND_BUILD"]) / "src" / "mcp" /
                      "schemas.json").read_text())

KINDS = {
    "string": lambda v: isinstance(v, str),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "boolean": lambda v: isinstance(v, bool),
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "null": lambda v: v is None,
}

# For each range: the kinds of values that have it, and their size.
RANGES = {
    "minimum": ("integer", lambda v, n: v >= n),
    "maximum": ("integer", lambda v, n: v <= n),
    "minLength": ("string", lambda v, n: len(v.encode()) >= n),
    "maxLength": ("string", lambda v, n: len(v.encode()) <= n),
    "minItems": ("array", lambda v, n: len(v) >= n),
    "maxItems": ("array", lambda v, n: len(v) <= n),
    "minProperties": ("object", lambda v, n: len(v) >= n),
    "maxProperties": ("object", lambda v, n: len(v) <= n),
}

# Answers of an older host may lack newer fields: test_versions sets this.
older_hosts = False

KNOWN = {"$ref", "anyOf", "type", "enum", "properties", "required",
         "additionalProperties", "items", *RANGES}


def _members(schema, value, where):
    properties = schema.get("properties", {})
    for name in schema.get("required", []):
        if name not in value and not older_hosts:
            yield f"{where}.{name} is missing"
    for name, member in value.items():
        inner = properties.get(name, schema.get("additionalProperties", True))
        if inner is False:
            yield f"{where}.{name} is not declared"
        elif inner is not True:
            yield from faults(inner, member, f"{where}.{name}")


def faults(schema, value, where="result"):
    """Everything in which the value differs from the schema."""
    assert set(schema) <= KNOWN, schema
    if "$ref" in schema:
        schema = SCHEMAS["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    if "anyOf" in schema:
        tried = [list(faults(s, value, where)) for s in schema["anyOf"]]
        if all(tried):
            yield min(tried, key=len)[0]
        return
    kinds = schema.get("type", list(KINDS))
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if not any(KINDS[kind](value) for kind in kinds):
        yield f"{where} is {value!r}, not {' or '.join(kinds)}"
        return
    if value not in schema.get("enum", [value]):
        yield f"{where} is {value!r}, not one of {schema['enum']}"
    for name, (kind, holds) in RANGES.items():
        if name in schema and KINDS[kind](value) and \
                not holds(value, schema[name]):
            yield f"{where} is {value!r}, {name} is {schema[name]}"
    if isinstance(value, dict):
        yield from _members(schema, value, where)
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            yield from faults(schema["items"], item, f"{where}[{i}]")


def _check(what, schema, value):
    found = list(faults(schema, value))
    assert not found, f"{what}: {found[:5]}\n{str(value)[:2000]}"


def check_operation(op, result):
    """The result of an operation from a session's socket."""
    _check(op, SCHEMAS["operations"][op]["result"], result)


def check_error(what, error):
    _check(what, SCHEMAS["$defs"]["failure"], error)


def check_event(event):
    """A line of `tend log --events`."""
    _check("event", SCHEMAS["$defs"]["event"], event)


def check_command(answer):
    """The answer of a command to --json, with its envelope."""
    command = answer["command"]
    if "error" in answer:
        check_error(command, answer["error"])
    if "damage" in answer:
        _check(command, {"type": "array", "items": {"$ref": "#/$defs/damage"}},
               answer["damage"])
    if "result" in answer:
        _check(command, SCHEMAS["commands"][command], answer["result"])


def check_tool(tool, result):
    """The answer of an MCP tool."""
    _check(tool, SCHEMAS["tools"][tool], result)
