"""A LiteMCP client in Python, with nothing but the standard library: starts a server and calls its tool.

    python3 examples/litemcp/client.py 2 3 -- python3 examples/litemcp/calculator.py
"""

import json
import subprocess
import sys

VERSION = [1, 0, 0]


def ask(server, request_id, kind, data):
    message = {"version": VERSION, "id": request_id, "type": kind, "data": data}
    server.stdin.write(json.dumps(message).encode() + b"\n\n\n")
    server.stdin.flush()
    text = b""
    for line in server.stdout:
        text += line
        # JSON has no newlines inside of its strings, so three in a row can only be the end.
        if text.endswith(b"\n\n\n") and text.strip():
            return json.loads(text)
    raise SystemExit("the server is gone")


def main(arguments):
    if "--" not in arguments:
        raise SystemExit(__doc__)
    at = arguments.index("--")
    values, command = arguments[:at], arguments[at + 1 :]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        tool = ask(server, 1, "get", None)["data"]
        result = ask(server, 2, "call", {"version": VERSION, "tool": tool["name"], "arguments": values})["data"]
        server.stdin.close()
    for content in result["response"]["content"]:
        print(content["data"])
    return 1 if result["response"]["error"] else 0


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    sys.exit(main(sys.argv[1:]))
