#!/usr/bin/env python3
"""A small MCP server over stdio, well-behaved or not, for tests. Needs nothing but Python.

What it does is said by arguments `key=value`:
  log=FILE      every message it gets, one a line
  count=FILE    every run of a tool leaves a line there
  noise=1       writes to stdout before it speaks the protocol
  version=V     answers the handshake with this protocol version
  start=die|hang|die_once   what it does instead of a handshake
  mark=FILE     for die_once: dies while the file is not there, and makes it
  tools=A,B     names of extra tools that echo
  ping=unknown|fail   how it answers a ping, instead of well
  id=last       the number of a request comes last in its answer, as in many servers
"""
import json
import os
import sys
import threading
import time

options = dict(part.split("=", 1) for part in sys.argv[1:] if "=" in part)
lock = threading.Lock()
state = {"tools": ["first"], "waiting": {}, "cancelled": set()}


def send(message):
    text = json.dumps(message) + "\n"
    with lock:
        sys.stdout.write(text)
        sys.stdout.flush()


def note(key, text):
    if key in options:
        with lock, open(options[key], "a") as file:
            file.write(text + "\n")


def answer(request, result):
    if options.get("id") == "last":
        send({"result": result, "jsonrpc": "2.0", "id": request["id"]})
    else:
        send({"jsonrpc": "2.0", "id": request["id"], "result": result})


def fail(request, code, text):
    send({"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": text}})


def text(value):
    return {"content": [{"type": "text", "text": value}]}


def tool(name, **more):
    schema = {"type": "object", "properties": {"text": {"type": "string"}, "seconds": {"type": "number"}}}
    return {"name": name, "description": "Test tool " + name, "inputSchema": schema, **more}


def tools():
    found = [tool(name) for name in (
        "echo", "sleep", "count", "count_then_die", "fail", "environment", "big", "swap", "twice",
        "garbage", "never", "progress", "rpc_error", "ask_roots", "ask_person", "orphan", "where",
        "stop_reading", "media", "long_noise")]
    found.append(tool("look_then_die", annotations={"readOnlyHint": True}))
    found += [tool(name) for name in state["tools"]]
    found += [tool(name) for name in options.get("tools", "").split(",") if name]
    return found


def ask(method, params):
    number = "q%d" % len(state["waiting"])
    event = threading.Event()
    state["waiting"][number] = [event, None]
    send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
    event.wait(20)
    return state["waiting"][number][1]


def call(request):
    params = request["params"]
    name, args = params["name"], params.get("arguments", {})
    note("count", name)
    if name == "sleep":
        time.sleep(args.get("seconds", 1))
        answer(request, text("slept"))
    elif name == "count_then_die":
        os._exit(3)
    elif name == "look_then_die":
        if not os.path.exists(options["mark"]):
            open(options["mark"], "w").close()
            os._exit(3)
        answer(request, text("looked"))
    elif name == "fail":
        answer(request, {"isError": True, **text("no such file; password: hunter2")})
    elif name == "rpc_error":
        fail(request, -32602, "bad argument, token=abc123")
    elif name == "environment":
        answer(request, text(json.dumps(dict(os.environ))))
    elif name == "big":
        answer(request, text("x" * int(args.get("seconds", 10) * 1024 * 1024)))
    elif name == "swap":
        state["tools"] = ["second"]
        send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        answer(request, text("swapped"))
    elif name == "twice":
        answer(request, text("one"))
        answer(request, text("two"))
    elif name == "garbage":
        with lock:
            for line in ("not json", "{", "[]", "null", '{"jsonrpc":"2.0"}', "\x00\xff", '{"id":99999,"result":{}}'):
                sys.stdout.write(line + "\n")
            sys.stdout.flush()
        answer(request, text("after garbage"))
    elif name == "long_noise":
        with lock:
            sys.stdout.write("y" * (65 * 1024 * 1024) + "\n")
            sys.stdout.flush()
        answer(request, text("after noise"))
    elif name == "never":
        pass
    elif name == "stop_reading":
        answer(request, text("deaf"))
    elif name == "progress":
        token = params.get("_meta", {}).get("progressToken")
        for step in range(1, 5):
            time.sleep(args.get("seconds", 0.2))
            send({"jsonrpc": "2.0", "method": "notifications/progress", "params": {
                "progressToken": token, "progress": step, "total": 4, "message": "step %d" % step}})
        answer(request, text("done"))
    elif name == "ask_roots":
        answer(request, text(json.dumps(ask("roots/list", {}))))
    elif name == "ask_person":
        schema = {"type": "object", "properties": {"name": {"type": "string", "default": "me"}}}
        answer(request, text(json.dumps(ask("elicitation/create", {"message": "who?", "requestedSchema": schema}))))
    elif name == "orphan":
        child = os.fork()
        if child == 0:
            os.setsid()
            time.sleep(600)
            os._exit(0)
        answer(request, text("%d %d" % (os.getpid(), child)))
    elif name == "where":
        answer(request, text("%d" % os.getpid()))
    elif name == "media":
        answer(request, {"content": [{"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"}]})
    else:
        answer(request, text(args.get("text", name)))


def handle(message):
    method = message.get("method")
    if method is None:
        waiting = state["waiting"].get(message.get("id"))
        if waiting:
            waiting[1] = message.get("result", message.get("error"))
            waiting[0].set()
    elif method == "initialize":
        answer(message, {
            "protocolVersion": options.get("version", message["params"]["protocolVersion"]),
            "capabilities": {"tools": {"listChanged": True}, "resources": {}, "prompts": {}},
            "serverInfo": {"name": "fixture", "version": "1.0"}, "instructions": "Be kind."})
    elif method == "tools/list":
        found = tools()
        start = int(message.get("params", {}).get("cursor", 0))
        page = {"tools": found[start:start + 15]}
        if start + 15 < len(found):
            page["nextCursor"] = str(start + 15)
        answer(message, page)
    elif method == "tools/call":
        state["deaf"] = message["params"]["name"] == "stop_reading"
        threading.Thread(target=call, args=(message,), daemon=True).start()
    elif method == "resources/list":
        answer(message, {"resources": [{"uri": "test://a", "name": "a", "mimeType": "text/plain"}]})
    elif method == "resources/read":
        answer(message, {"contents": [{"uri": message["params"]["uri"], "text": "content"}]})
    elif method == "prompts/list":
        answer(message, {"prompts": [{"name": "p", "arguments": [{"name": "x"}]}]})
    elif method == "prompts/get":
        said = json.dumps(message["params"].get("arguments"))
        answer(message, {"messages": [{"role": "user", "content": {"type": "text", "text": said}}]})
    elif method == "ping" and options.get("ping") == "fail":
        fail(message, -32603, "not well")
    elif method == "ping" and "ping" not in options:
        answer(message, {})
    elif "id" in message:
        fail(message, -32601, "Method not found")


def main():
    start = options.get("start")
    if start == "die":
        print("I will not serve", file=sys.stderr)
        sys.exit(4)
    if start == "die_once" and not os.path.exists(options["mark"]):
        open(options["mark"], "w").close()
        sys.exit(4)
    if start == "hang":
        time.sleep(600)
    if "noise" in options:
        print("Welcome to the fixture!")
        print("{ half a json")
        sys.stdout.flush()
    for line in sys.stdin:
        note("log", line.strip())
        handle(json.loads(line))
        while state.get("deaf"):
            time.sleep(1)


main()
