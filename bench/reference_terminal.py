"""The reference side of the terminal rows: times hermes-agent's terminal, guard and redaction.

    reference_terminal.py commands                      `true` by the terminal tool, in nanoseconds
    reference_terminal.py guard EVERYDAY DANGEROUS      commands judged in a second
    reference_terminal.py redaction FOLDER              bytes in a second, text by text

Prints JSON with the fields of `src/terminal/`. Two minutes after its start the process is ended
by the alarm signal, whatever it is doing.
"""

import gc
import json
import logging
import os
import signal
import statistics
import sys
import time

LIMIT_SECONDS = 120
CALLS = 30
# Passes are repeated until they have taken this long together.
ENOUGH_NS = 2_000_000_000
# Of each text so much: the whole would take minutes.
SLICE = 512 * 1024


def timed(act):
    start = time.perf_counter_ns()
    result = act()
    return time.perf_counter_ns() - start, result


def fastest(act):
    runs = []
    while not runs or sum(runs) < ENOUGH_NS:
        runs.append(timed(act)[0])
    return min(runs)


def commands():
    import model_tools  # noqa: F401  (registers the tools)
    from tools.registry import registry

    def call():
        return registry.dispatch("terminal", {"command": "true"}, task_id="bench")

    def check(answer):
        if json.loads(answer).get("exit_code") != 0:
            raise RuntimeError(f"the command failed: {answer}")

    for _ in range(3):
        check(call())
    runs = []
    for _ in range(CALLS):
        took, answer = timed(call)
        check(answer)
        runs.append(took)
    return statistics.median(runs)


def guard(everyday, dangerous):
    from tools.approval import detect_dangerous_command, detect_hardline_command

    def rate(path):
        with open(path, encoding="utf-8") as lines:
            corpus = [json.loads(line)["command"] for line in lines if line.strip()]

        def judge():
            for command in corpus:
                detect_hardline_command(command)
                detect_dangerous_command(command)

        return len(corpus) / (fastest(judge) / 1e9)

    return {"everyday": rate(everyday), "dangerous": rate(dangerous)}


def redaction(folder):
    from agent.redact import redact_sensitive_text, redact_terminal_output

    depths = {
        "full": lambda text: redact_sensitive_text(text, force=True),
        "terminal": lambda text: redact_terminal_output(text, "cat a-file", force=True),
    }
    speeds = []
    for kind in ["log", "source", "mixed"]:
        with open(os.path.join(folder, kind + ".txt"), encoding="utf-8") as file:
            text = file.read(SLICE)
        for depth, redact in depths.items():
            if redact(text) == text:
                raise RuntimeError(f"nothing was hidden in the {kind}")
            took = fastest(lambda: redact(text))
            speeds.append(
                {"kind": kind, "depth": depth, "bytes_per_second": len(text) / (took / 1e9)}
            )
    return speeds


def main():
    logging.disable(logging.CRITICAL)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(LIMIT_SECONDS)
    part, *args = sys.argv[1:]
    gc.disable()
    result = {"commands": commands, "guard": guard, "redaction": redaction}[part](*args)
    print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
