"""The same LiteMCP server in Python, with the standard library only."""

import json
import sys
from collections import OrderedDict
from decimal import Decimal, InvalidOperation

VERSION = [1, 0, 0]
TOOL = {
    "version": VERSION,
    "name": "Calculator",
    "description": "A simple calculator",
    "example": "Calculate the sum of 2 and 3",
    "parameters": [
        {"name": "a", "type": "number", "description": "The first number", "example": "2"},
        {"name": "b", "type": "number", "description": "The second number", "example": "3"},
    ],
}
NAMES = [parameter["name"] for parameter in TOOL["parameters"]]
REMEMBERED_IDS = 10_000


def add(a, b):
    try:
        total = Decimal(a) + Decimal(b)
    except InvalidOperation:
        raise ValueError(f"{a!r} and {b!r} cannot be added: both must be numbers") from None
    return {"type": "number", "data": str(total)}


def messages(stream):
    """Three newlines in a row end a message; newlines before a message are ignored."""
    lines = []
    for line in stream:
        blank = line in (b"\n", b"\r\n")
        if blank and not lines:
            continue
        lines.append(line)
        if blank and len(lines) > 2 and lines[-2] in (b"\n", b"\r\n"):
            yield b"".join(lines)
            lines = []
    if lines:
        log("the input ended inside a message")


def send(request_id, kind, data):
    # json.dumps escapes newlines and non-ASCII characters, so a message is always one line.
    message = json.dumps({"version": VERSION, "id": request_id, "type": kind, "data": data}, separators=(",", ":"))
    sys.stdout.buffer.write(message.encode() + b"\n\n\n")
    sys.stdout.buffer.flush()


def send_result(request_id, arguments, content, error):
    params = dict(zip(NAMES, arguments))
    response = {"content": [content], "error": error}
    send(request_id, "result", {"version": VERSION, "params": params, "response": response})


def send_error(request_id, problem, arguments=()):
    send_result(request_id, arguments, {"type": "string", "data": problem}, True)


def log(line):
    print(f"Calculator: {line}", file=sys.stderr, flush=True)


def call(request_id, data):
    arguments = data.get("arguments") or []
    if not isinstance(arguments, list) or not all(isinstance(argument, str) for argument in arguments):
        return send_error(request_id, "arguments must be a list of strings")
    if data.get("tool") != TOOL["name"]:
        return send_error(request_id, f"there is no tool {data.get('tool')!r} here", arguments)
    if len(arguments) != len(NAMES):
        problem = f"{TOOL['name']} takes {len(NAMES)} arguments, not {len(arguments)}"
        return send_error(request_id, problem, arguments)
    try:
        send_result(request_id, arguments, add(*arguments), False)
    except Exception as problem:
        send_error(request_id, str(problem), arguments)


def handle(text, seen):
    try:
        message = json.loads(text)
    except (ValueError, RecursionError) as problem:
        return log(f"not valid JSON: {problem}")
    request_id = message.get("id") if isinstance(message, dict) else None
    if not isinstance(request_id, int) or isinstance(request_id, bool):
        return log("a message must be an object with a whole number as its id")
    if message.get("type") in ("info", "result"):
        return log("ignored an answer to nothing")
    if request_id in seen:
        return log(f"ignored id {request_id}, which was used before")
    seen[request_id] = True
    if len(seen) > REMEMBERED_IDS:
        seen.popitem(last=False)

    version, kind, data = message.get("version"), message.get("type"), message.get("data") or {}
    if not isinstance(version, list) or version[:1] != VERSION[:1]:
        send_error(request_id, f"this server supports LiteMCP 1.0.0, not {version}")
    elif kind == "get":
        send(request_id, "info", TOOL)
    elif kind == "call" and isinstance(data, dict):
        call(request_id, data)
    else:
        send_error(request_id, 'a request is "get", or "call" with an object as its data')


if __name__ == "__main__":
    seen_ids = OrderedDict()
    for each in messages(sys.stdin.buffer):
        handle(each, seen_ids)
