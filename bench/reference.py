"""The reference side of the benchmark: times the Python package hermes-agent.

    reference.py cold    from a fresh interpreter to the first definitions
    reference.py hot     the steady state, everything warmed up
    reference.py         both, as {"cold": ..., "hot": ...}

Prints one JSON object; `src/measurements.rs` describes its fields. The package is
used as a user of it would, through its public functions, and each row is
its best case: logging off, no plugins, quiet mode so that its memo works, the
garbage collector paused, and the fastest of several batches counts.

Run it with the interpreter of an environment that has the package, and with a
throw-away HERMES_HOME: the package writes there.
"""

import gc
import json
import logging
import sys
import time

# What `hermes` offers on the command line when nothing is configured.
DEFAULT_TOOLSETS = ["hermes-cli"]

BATCHES = 10
BATCH_NS = 20_000_000
RECOMPUTATIONS = 50
# Inputs made at a time: so few that the calls find them in the cache.
CHUNK = 512

TOOLSET = "bench"
ANSWER = '{"ok": true}'
GREETING = {"name": "world"}

# Five arguments of five types. FITTING needs no conversion; in CONVERTING all but
# the text arrive as text, as models like to send them.
FITTING = {"count": 3, "ratio": 2.5, "deep": True, "tags": ["a", "b"], "name": "world"}
CONVERTING = {
    "count": "3",
    "ratio": "2.5",
    "deep": "true",
    "tags": '["a", "b"]',
    "name": "world",
}


def clocks():
    return time.perf_counter_ns(), time.process_time_ns()


def elapsed(start):
    wall, cpu = clocks()
    return {"wall_ns": wall - start[0], "cpu_ns": cpu - start[1]}


def resident_bytes():
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
    raise RuntimeError("/proc/self/status has no VmRSS line")


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def cold():
    """One start: loading the package (which registers its tools), then the first definitions."""
    start = clocks()
    from model_tools import get_tool_definitions

    load = elapsed(start)
    start = clocks()
    definitions = get_tool_definitions(enabled_toolsets=DEFAULT_TOOLSETS, quiet_mode=True)
    first = elapsed(start)
    resident = resident_bytes()
    return {
        "load": load,
        "definitions": first,
        "resident_bytes": resident,
        "schema_bytes": len(compact(definitions).encode()),
        "tools": len(definitions),
    }


def batch(call, inputs):
    """Nanoseconds for one pass of `call` over `inputs`."""
    start = time.perf_counter_ns()
    for value in inputs:
        call(value)
    return time.perf_counter_ns() - start


def chunked(call, fresh_input, size):
    """The same for `size` calls, whose inputs are made a few at a time outside the timed part."""
    took = 0
    while size > 0:
        inputs = [fresh_input() for _ in range(min(size, CHUNK))]
        size -= len(inputs)
        took += batch(call, inputs)
    return took


def fastest(call, fresh_input):
    """Nanoseconds per call in the fastest batch."""
    size = 1
    while chunked(call, fresh_input, size) < BATCH_NS:
        size *= 2
    return min(chunked(call, fresh_input, size) / size for _ in range(BATCHES))


def median(values):
    ordered = sorted(values)
    return ordered[len(ordered) // 2]


def register(registry):
    def schema(name, properties):
        return {
            "name": name,
            "description": "A tool of the benchmark.",
            "parameters": {"type": "object", "properties": properties, "required": list(properties)},
        }

    async def greet_async(args, **_):
        return ANSWER

    text = {"name": {"type": "string"}}
    five = {
        "count": {"type": "integer"},
        "ratio": {"type": "number"},
        "deep": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "name": {"type": "string"},
    }
    registry.register("bench_sync", TOOLSET, schema("bench_sync", text), lambda args, **_: ANSWER)
    registry.register("bench_async", TOOLSET, schema("bench_async", text), greet_async, is_async=True)
    registry.register("bench_five", TOOLSET, schema("bench_five", five), lambda args, **_: ANSWER)


def check(what, got, wanted):
    """A number for the wrong work is worthless: stop rather than time it."""
    if got != wanted:
        raise RuntimeError(f"{what}: expected {wanted!r}, got {got!r}")


def hot():
    from model_tools import coerce_tool_args, get_tool_definitions, handle_function_call
    from tools.registry import registry

    register(registry)
    check("dispatch of a sync tool", registry.dispatch("bench_sync", dict(GREETING)), ANSWER)
    check("dispatch of an async tool", registry.dispatch("bench_async", dict(GREETING)), ANSWER)
    check("pipeline", handle_function_call("bench_sync", dict(GREETING), task_id="bench"), ANSWER)
    check("pipeline, async", handle_function_call("bench_async", dict(GREETING), task_id="bench"), ANSWER)
    check("coercion, no-op", coerce_tool_args("bench_five", dict(FITTING)), FITTING)
    check("coercion", coerce_tool_args("bench_five", dict(CONVERTING)), FITTING)

    def definitions(_=None):
        return get_tool_definitions(enabled_toolsets=DEFAULT_TOOLSETS, quiet_mode=True)

    def recompute():
        # Naming an alias counts as a change of the registry, which outdates the memo.
        registry.register_toolset_alias("bench-alias", TOOLSET)
        return batch(definitions, [None])

    definitions()
    gc.collect()
    gc.disable()
    return {
        "definitions_cached_ns": fastest(definitions, lambda: None),
        "definitions_recomputed_ns": median([recompute() for _ in range(RECOMPUTATIONS)]),
        "dispatch_sync_ns": fastest(lambda args: registry.dispatch("bench_sync", args), lambda: dict(GREETING)),
        "dispatch_async_ns": fastest(lambda args: registry.dispatch("bench_async", args), lambda: dict(GREETING)),
        "pipeline_sync_ns": fastest(
            lambda args: handle_function_call("bench_sync", args, task_id="bench"), lambda: dict(GREETING)
        ),
        "pipeline_async_ns": fastest(
            lambda args: handle_function_call("bench_async", args, task_id="bench"), lambda: dict(GREETING)
        ),
        "coerce_fitting_ns": fastest(lambda args: coerce_tool_args("bench_five", args), lambda: dict(FITTING)),
        "coerce_converting_ns": fastest(lambda args: coerce_tool_args("bench_five", args), lambda: dict(CONVERTING)),
    }


def main():
    logging.disable(logging.CRITICAL)
    modes = {"cold": cold, "hot": hot}
    wanted = sys.argv[1:]
    if not wanted:
        print(compact({"cold": cold(), "hot": hot()}))
    elif len(wanted) == 1 and wanted[0] in modes:
        print(compact(modes[wanted[0]]()))
    else:
        sys.exit("usage: reference.py [cold|hot]")


if __name__ == "__main__":
    main()
