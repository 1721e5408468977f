#!/usr/bin/env python3
"""The quickest MCP server a few lines of Python can be, for measuring clients."""
import json
import sys
import time

TOOLS = [{"name": name, "inputSchema": {"type": "object"}} for name in ("echo", "big", "sleep")]
for line in sys.stdin.buffer:
    message = json.loads(line)
    method = message.get("method")
    if method == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                  "serverInfo": {"name": "echo", "version": "1"}}
    elif method == "tools/list":
        result = {"tools": TOOLS}
    elif method == "tools/call":
        arguments = message["params"].get("arguments", {})
        if message["params"]["name"] == "big":
            said = "x" * arguments["bytes"]
        else:
            said = arguments.get("text", "")
        result = {"content": [{"type": "text", "text": said}]}
    elif "id" in message:
        result = {}
    else:
        continue
    answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
    sys.stdout.buffer.flush()
