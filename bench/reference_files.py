"""The reference side of the file rows: times the file tools of hermes-agent.

    reference_files.py JOB

Reads a job (`src/files/job.rs` describes its fields), calls the tool through the
package's registry as often as the job says, and prints the nanoseconds of each call
as a JSON list. A call that takes longer than the job allows ends the process by the
alarm signal, whatever it is doing.
"""

import gc
import json
import logging
import os
import shutil
import signal
import sys
import time

# Calls are repeated until they have taken this long together.
ENOUGH_NS = 2_000_000_000


def prepare(fresh):
    """Puts the file of the next call in place. It is flushed, so that no call pays for it."""
    if fresh:
        shutil.copyfile(fresh["from"], fresh["to"])
        with open(fresh["to"], "rb") as copy:
            os.fsync(copy.fileno())


def check(job, answer):
    """A number for the wrong work is worthless: stop rather than count it."""
    answer = json.loads(answer)
    for name, wanted in job["answer"].items():
        if answer.get(name) != wanted:
            raise RuntimeError(f"{name} should be {wanted!r} and is {answer.get(name)!r}")
    leaves = job["leaves"]
    if leaves:
        with open(leaves["path"], encoding="utf-8") as left:
            if leaves["text"] not in left.read():
                raise RuntimeError(f"{leaves['path']} should hold {leaves['text']!r}")


def main():
    logging.disable(logging.CRITICAL)
    [path] = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        job = json.load(file)

    import model_tools  # noqa: F401  (registers the tools)
    from tools.registry import registry

    def call(tool, args):
        return registry.dispatch(tool, args, task_id="bench")

    # The first call of a process sets things up on both sides.
    warm_up = json.loads(call("write_file", {"path": path + ".warm-up.txt", "content": "warm\n"}))
    if warm_up.get("error"):
        raise RuntimeError(f"the warm-up failed: {warm_up}")

    gc.collect()
    gc.disable()
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    runs = []
    for args in job["calls"]:
        prepare(job["fresh"])
        signal.alarm(job["seconds"])
        start = time.perf_counter_ns()
        answer = call(job["tool"], args)
        runs.append(time.perf_counter_ns() - start)
        signal.alarm(0)
        check(job, answer)
        if sum(runs) > ENOUGH_NS:
            break
    print(json.dumps(runs))


if __name__ == "__main__":
    main()
