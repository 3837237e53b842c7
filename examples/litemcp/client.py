"""A LiteMCP client in Python, with the standard library only: starts a server and calls its tool.

    python3 examples/litemcp/client.py 2 3 -- python3 examples/litemcp/calculator.py
"""

import json
import subprocess
import sys

VERSION = [1, 0, 0]


def messages(stream):
    """Three newlines in a row end a message. Lines that are printed before a message are ignored."""
    lines = []
    for line in stream:
        if not lines and not line.startswith(b"{"):
            continue
        lines.append(line.strip())
        if lines[-2:] == [b"", b""]:
            yield json.loads(b" ".join(lines))
            lines = []


def ask(server, answers, request_id, kind, data):
    message = {"version": VERSION, "id": request_id, "type": kind, "data": data}
    server.stdin.write(json.dumps(message).encode() + b"\n\n\n")
    server.stdin.flush()
    for answer in answers:
        if answer.get("id") == request_id:
            return answer["data"]
    raise SystemExit("the server is gone")


def stop(server):
    """Closes stdin, at which most servers exit, and sends signals to the others."""
    server.stdin.close()
    for signal in (server.terminate, server.kill):
        try:
            return server.wait(timeout=2)
        except subprocess.TimeoutExpired:
            signal()
    return server.wait()


def main(arguments):
    if "--" not in arguments:
        raise SystemExit(__doc__)
    at = arguments.index("--")
    values, command = arguments[:at], arguments[at + 1 :]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        answers = messages(server.stdout)
        tool = ask(server, answers, 1, "get", None)
        call = {"version": VERSION, "tool": tool["name"], "arguments": values}
        response = ask(server, answers, 2, "call", call)["response"]
    finally:
        stop(server)
    for content in response["content"]:
        print(content["data"])
    return 1 if response["error"] else 0


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    sys.exit(main(sys.argv[1:]))
