"""The line to Hermes: JSON objects, one a line, requests in both directions."""

import json
import sys
import threading

#: Hermes reads no longer lines.
MAX_LINE_BYTES = 4 * 1024 * 1024


class HermesError(RuntimeError):
    """Hermes refused what the plugin asked for, or could not do it."""


class Wire:
    """The line to Hermes: requests there and back, each with an id."""

    def __init__(self, reader, writer):
        self._reader = reader
        self._writer = writer
        self._writing = threading.Lock()
        self._waiting = {}
        self._last_id = 0
        self._closed = False

    def lines(self):
        """Messages from Hermes until it hangs up."""
        for line in self._reader:
            if not line.strip():
                continue
            try:
                message = json.loads(line)
            except ValueError:
                log("Hermes sent a line that is not JSON")
                continue
            if isinstance(message, dict):
                yield message
        self.close()

    def send(self, message):
        line = json.dumps(message, ensure_ascii=False, default=str).encode("utf-8", "replace")
        if len(line) > MAX_LINE_BYTES:
            if "method" in message or "id" not in message:
                raise HermesError("a message to Hermes is longer than 4 MiB")
            text = "the answer of %d bytes is longer than 4 MiB" % len(line)
            line = json.dumps(failure(message["id"], "TooLong", text)).encode()
        with self._writing:
            self._writer.write(line + b"\n")
            self._writer.flush()

    def ask(self, method, params, timeout=None):
        """Asks Hermes for something and waits for the answer."""
        waiting = {"done": threading.Event()}
        with self._writing:
            if self._closed:
                raise HermesError("Hermes has hung up")
            self._last_id += 1
            key = "p%d" % self._last_id
            self._waiting[key] = waiting
        self.send({"id": key, "method": method, "params": params})
        if not waiting["done"].wait(timeout):
            self._waiting.pop(key, None)
            raise TimeoutError("Hermes did not answer '%s' in time" % method)
        answer = waiting.get("answer")
        if answer is None:
            raise HermesError("Hermes has hung up")
        if answer.get("error") is not None:
            raise HermesError(answer["error"].get("message", "Hermes refused"))
        return answer.get("result")

    def tell(self, method, params):
        """Tells Hermes something; there is no answer."""
        self.send({"method": method, "params": params})

    def answered(self, message):
        waiting = self._waiting.pop(message.get("id"), None)
        if waiting is not None:
            waiting["answer"] = message
            waiting["done"].set()

    def close(self):
        with self._writing:
            self._closed = True
        for waiting in list(self._waiting.values()):
            waiting["done"].set()


def failure(key, kind, text):
    return {"id": key, "error": {"type": kind, "message": text}}


def log(text):
    print(text, file=sys.stderr, flush=True)
