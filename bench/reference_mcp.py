"""The reference side of the MCP rows: times hermes-agent's MCP client.

    reference_mcp.py COMMAND ARGUMENT...      the server that is called

Prints JSON: `echo`, nanoseconds of the median call of a tool that gives back what it is given, and
`four`, nanoseconds for four calls of one second each at the same time, or null if the server has no tool
that waits. Two minutes after its start the process is ended by the alarm signal, whatever it is doing.
"""

import json
import logging
import signal
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor

LIMIT_SECONDS = 120
WARM_UP = 50
CALLS = 100


def main(command, *args):
    signal.alarm(LIMIT_SECONDS)
    logging.disable(logging.CRITICAL)
    from tools import mcp_tool
    from tools.registry import registry

    server = {"command": command, "args": list(args), "supports_parallel_tool_calls": True}
    names = mcp_tool.register_mcp_servers({"bench": server})
    echo, wait = (
        next((name for name in names if name.endswith(end)), None)
        for end in ("__echo", "__trigger_long_running_operation")
    )

    def call(_=None):
        start = time.perf_counter_ns()
        answer = registry.dispatch(echo, {"message": "hello"}, task_id="bench")
        took = time.perf_counter_ns() - start
        if "hello" not in answer:
            raise RuntimeError(f"the echo is not what was called: {answer}")
        return took

    for _ in range(WARM_UP):
        call()
    runs = [call() for _ in range(CALLS)]

    def second(_):
        answer = registry.dispatch(wait, {"duration": 1, "steps": 1}, task_id="bench")
        if "error" in json.loads(answer):
            raise RuntimeError(answer)

    four = None
    if wait:
        start = time.perf_counter_ns()
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(second, range(4)))
        four = time.perf_counter_ns() - start
    mcp_tool.shutdown_mcp_servers()
    print(json.dumps({"echo": statistics.median(runs), "four": four}))


main(*sys.argv[1:])
