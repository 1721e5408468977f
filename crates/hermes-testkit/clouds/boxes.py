"""Sandboxes that are folders of this machine: what the doubles of all clouds have in common.

Commands really run, with an environment and a home of the sandbox's own. Every process of a sandbox carries its mark
and ends with it. A double lives for as long as its standard input is open, on which it takes orders of a test, one a
line, and answers each with a line of JSON:

    list            the sandboxes, their states and labels, and whether they reach the network
    lose ID         a sandbox goes away without a word
    sleep ID        a sandbox stops, as one that nobody used
    busy N          the next N requests are turned away for a moment
    cut N           the next N answers break off in the middle
    down N          the next N requests find the server in trouble
    log             what was asked so far, a text for each request
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid

MARK = "HERMES_DOUBLE_BOX"
KEY = "good-key"


class Box:
    def __init__(self, **about):
        self.id = about.pop("id", None) or str(uuid.uuid4())
        self.folder = tempfile.mkdtemp(prefix="hermes-double-")
        self.home = os.path.join(self.folder, "home")
        os.mkdir(self.home)
        self.state = about.pop("state", "running")
        self.about = about

    def environment(self, more=None):
        own = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": self.home, "LANG": "C.UTF-8", MARK: self.id}
        return {**own, **(more or {})}

    def start(self, words, cwd=None, more=None, **pipes):
        cwd = cwd or self.home
        if not os.path.isdir(cwd):
            raise FileNotFoundError(cwd)
        return subprocess.Popen(words, cwd=cwd, env=self.environment(more), start_new_session=True, **pipes)

    def processes(self):
        wanted = f"{MARK}={self.id}".encode()
        for number in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{number}/environ", "rb") as variables:
                    if wanted in variables.read().split(b"\0"):
                        yield int(number)
            except OSError:
                pass

    def kill(self):
        for _ in range(200):
            left = list(self.processes())
            for number in left:
                try:
                    os.kill(number, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            if not left:
                return
            time.sleep(0.02)

    def stop(self, state="stopped"):
        self.state = state
        self.kill()

    def remove(self):
        self.stop("gone")
        shutil.rmtree(self.folder, ignore_errors=True)


class Double:
    """The sandboxes of one account, and what is wrong with the server just now."""

    def __init__(self, ready_after=0.0):
        self.boxes, self.lock, self.log = {}, threading.RLock(), []
        self.trouble = {"busy": 0, "cut": 0, "down": 0}
        self.ready_after = ready_after

    def add(self, box):
        with self.lock:
            self.boxes[box.id] = box
        return box

    def get(self, name):
        with self.lock:
            found = self.boxes.get(name)
            return found or next((box for box in self.boxes.values() if box.about.get("name") == name), None)

    def drop(self, box):
        with self.lock:
            self.boxes.pop(box.id, None)
        box.remove()

    def has(self, kind):
        """Takes one of the troubles a test asked for."""
        with self.lock:
            if self.trouble[kind] == 0:
                return False
            self.trouble[kind] -= 1
            return True

    def noted(self, words):
        with self.lock:
            self.log.append(words)

    def obey(self, order):
        word, _, rest = order.strip().partition(" ")
        if word == "list":
            with self.lock:
                own = ("name", "labels", "network")
                return [{"id": box.id, "state": box.state, **{key: box.about.get(key) for key in own}} for box in self.boxes.values()]
        if word in ("lose", "sleep"):
            box = self.get(rest)
            self.drop(box) if word == "lose" else box.stop()
            return True
        if word in self.trouble:
            self.trouble[word] = int(rest)
            return True
        if word == "log":
            with self.lock:
                return list(self.log)
        return f"no such order: {word}"

    def serve_orders(self, address):
        """Says where it is, then does what it is told until nobody tells it anything any more."""
        print(json.dumps(address), flush=True)
        for line in sys.stdin:
            print(json.dumps(self.obey(line)), flush=True)
        for box in list(self.boxes.values()):
            self.drop(box)
        os._exit(0)
