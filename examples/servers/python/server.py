"""A small MCP server with the standard library of Python only.

MCP over stdio is one JSON message a line: requests come in on stdin, answers go out on stdout, everything else goes to
stderr. The end of stdin ends the server.
"""

import json
import math
import sys

INFO = {"name": "small-python", "version": "1.0.0"}
REVISIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
BATCHES = "2025-03-26"  # the only revision with batches: lists of messages

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603


# The tools: each has a definition for clients and a function.


def hello_world(name):
    return f"Hello, {name}!"


def add(a, b):
    total = a + b
    return str(int(total) if float(total).is_integer() else total)


def echo(text):
    return text


def fail():
    raise RuntimeError("This tool always fails")


def tool(function, description, **types):
    properties = {name: {"type": type_} for name, type_ in types.items()}
    schema = {"type": "object", "properties": properties, "required": list(types)}
    annotations = {"readOnlyHint": True}  # a host may call it without confirmation by the user
    definition = {"name": function.__name__, "description": description, "inputSchema": schema}
    return {**definition, "annotations": annotations}, function


TOOLS = [
    tool(hello_world, "Greets somebody", name="string"),
    tool(add, "Adds two numbers", a="number", b="number"),
    tool(echo, "Gives a text back", text="string"),
    tool(fail, "Always fails"),
]
TOOL_BY_NAME = {definition["name"]: (definition, function) for definition, function in TOOLS}


def problem_with(arguments, schema):
    """Describes the first invalid argument so that a model can correct it; None if all are valid."""
    for name in schema["required"]:
        expected, value = schema["properties"][name]["type"], arguments.get(name)
        python_types = {"string": str, "number": (int, float)}[expected]
        if not isinstance(value, python_types) or isinstance(value, bool):
            found = "is missing" if name not in arguments else f"is {json.dumps(value)[:100]}"
            return f'"{name}" must be a {expected}, but {found}'
    return None


# The protocol.


class RpcError(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class Session:
    revision = REVISIONS[0]

    def initialize(self, params):
        wanted = params.get("protocolVersion")
        if not isinstance(wanted, str):
            raise RpcError(INVALID_PARAMS, '"protocolVersion" must be a string')
        self.revision = wanted if wanted in REVISIONS else REVISIONS[0]
        return {"protocolVersion": self.revision, "capabilities": {"tools": {}}, "serverInfo": INFO}

    def ping(self, _params):
        return {}

    def list_tools(self, params):
        if params.get("cursor") is not None:  # the list has one page, so every cursor is invalid
            raise RpcError(INVALID_PARAMS, "Invalid cursor")
        return {"tools": [definition for definition, _ in TOOLS]}

    def call_tool(self, params):
        name, arguments = params.get("name"), params.get("arguments", {})
        if not isinstance(arguments, dict):
            raise RpcError(INVALID_PARAMS, '"arguments" must be an object')
        if not isinstance(name, str) or name not in TOOL_BY_NAME:
            raise RpcError(INVALID_PARAMS, f"Unknown tool: {name}")
        definition, function = TOOL_BY_NAME[name]
        schema = definition["inputSchema"]
        problem = problem_with(arguments, schema)
        if problem:
            return tool_result(f"Invalid arguments for tool {name}: {problem}", is_error=True)
        try:
            return tool_result(function(**{key: arguments[key] for key in schema["properties"]}))
        except Exception as error:  # a failed tool is an error result, not a protocol error
            return tool_result(str(error), is_error=True)

    METHODS = {"initialize": initialize, "ping": ping, "tools/list": list_tools, "tools/call": call_tool}

    def answer(self, message):
        """Returns the answer to a message, or None for a notification."""
        if isinstance(message, list) and message and self.revision == BATCHES:
            return [answer for answer in map(self.answer, message) if answer] or None
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return error_answer(None, RpcError(INVALID_REQUEST, "Not a JSON-RPC 2.0 message"))
        request_id, method, params = message.get("id"), message.get("method"), message.get("params", {})
        if isinstance(request_id, float) and not math.isfinite(request_id):  # for example 1e400
            return error_answer(None, RpcError(INVALID_REQUEST, '"id" is out of range'))
        if "method" in message and not isinstance(method, str):
            return error_answer(request_id, RpcError(INVALID_REQUEST, '"method" must be a string'))
        if method is None or request_id is None:
            return None  # notifications and unexpected answers are not answered
        try:
            if method not in self.METHODS:
                raise RpcError(METHOD_NOT_FOUND, f"Unknown method: {method}")
            if not isinstance(params, dict):
                raise RpcError(INVALID_PARAMS, '"params" must be an object')
            return {"jsonrpc": "2.0", "id": request_id, "result": self.METHODS[method](self, params)}
        except RpcError as error:
            return error_answer(request_id, error)
        except Exception as error:
            log(f"{method}: {error!r}")
            return error_answer(request_id, RpcError(INTERNAL_ERROR, "Internal error"))


def tool_result(text, is_error=False):
    return {"content": [{"type": "text", "text": text}], "isError": is_error}


def error_answer(request_id, error):
    body = {"code": error.code, "message": str(error)}
    if request_id is None:  # the id could not be read
        return {"jsonrpc": "2.0", "error": body}
    return {"jsonrpc": "2.0", "id": request_id, "error": body}


def log(line):
    print(line, file=sys.stderr, flush=True)


def serve():
    # Binary streams: on Windows, text streams use the local code page and change newlines.
    lines, output = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # later output of print goes to stderr
    session = Session()
    log("ready")
    for line in lines:
        if not line.strip():
            continue
        try:
            answer = session.answer(json.loads(line))
        except (ValueError, RecursionError) as error:
            answer = error_answer(None, RpcError(PARSE_ERROR, f"Not valid JSON: {error}"))
        if answer is not None:
            # json.dumps escapes newlines and non-ASCII characters, so that a message is always one line.
            output.write(json.dumps(answer, separators=(",", ":")).encode() + b"\n")
            output.flush()


if __name__ == "__main__":
    serve()
