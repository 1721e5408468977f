"""A double of Vercel Sandbox."""
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import threading
import time
import uuid

from boxes import KEY, Box, Double
from web import Handler, start

COMMANDS, SNAPSHOTS = {}, {}


def now():
    return int(time.time() * 1000)


def short(prefix):
    return f"{prefix}_{uuid.uuid4().hex[:12]}"


def policy(own):
    return {"mode": "allow-all" if own["network"] else "deny-all"}


def session(box):
    own = box.about
    return {
        "id": box.id, "memory": 2048, "vcpus": 1, "region": "iad1", "runtime": own["runtime"], "timeout": own["timeout"],
        "status": box.state, "requestedAt": own["made"], "startedAt": own["made"], "createdAt": own["made"],
        "updatedAt": now(), "cwd": box.home, "networkPolicy": policy(own),
    }


def sandbox(box):
    own = box.about
    return {
        "id": own["name"], "name": own["name"], "persistent": False, "region": "iad1", "vcpus": 1, "memory": 2048,
        "runtime": own["runtime"], "timeout": own["timeout"], "createdAt": own["made"], "updatedAt": now(),
        "currentSessionId": box.id, "status": box.state, "cwd": box.home, "projectId": "prj", "tags": own["tags"],
        "networkPolicy": policy(own),
    }


def code_of(shell, code):
    return code if code is None or code >= 0 else 128 - code


class Vercel(Handler):
    address = ""

    def error(self, code, message):
        return {"error": {"code": code, "message": message}}

    def answer(self, method, path, query, body, raw):
        if self.headers.get("authorization") != f"Bearer {KEY}":
            return self.reply(403, {"error": {"code": "forbidden", "message": "Not authorized", "invalidToken": True}})
        if query.get("teamId") != ["team"]:
            return self.reply(403, self.error("forbidden", "You don't have permission to access this team"))
        if method == "POST" and path in ("/v2/sandboxes", "/v3/sandboxes"):
            return self.create(body)
        if method == "DELETE" and (found := re.fullmatch(r"/v2/sandboxes/snapshots/([^/]+)", path)):
            known = SNAPSHOTS.pop(found[1], None)
            return self.reply(200, {"snapshot": {"id": found[1]}}) if known else self.missing("Snapshot")
        if found := re.fullmatch(r"/v2/sandboxes/sessions/([^/]+)(/.*)?", path):
            box = self.double.get(found[1])
            return self.session(method, box, found[2] or "", query, body, raw) if box else self.missing("Session")
        self.missing("Route")

    def missing(self, what):
        self.reply(404, self.error("not_found", f"{what} not found"))

    def create(self, body):
        if body.get("projectId") != "prj":
            return self.reply(404, self.error("not_found", "Project not found"))
        box = Box(
            id=short("sess"), name=body.get("name") or short("sbx"), runtime=body.get("runtime") or "node24", made=now(),
            timeout=body.get("timeout") or 300_000, tags=body.get("tags") or {}, labels=body.get("tags") or {},
            network=(body.get("networkPolicy") or {}).get("mode") != "deny-all", state="pending",
        )
        source = body.get("source") or {}
        if source.get("type") == "snapshot":
            kept = SNAPSHOTS.get(source["snapshotId"])
            if kept is None:
                box.remove()
                return self.reply(404, self.error("not_found", "Snapshot not found"))
            tarfile.open(fileobj=io.BytesIO(kept)).extractall(box.home, filter="fully_trusted")
        self.double.add(box)

        def later():
            time.sleep(self.double.ready_after)
            if box.state == "pending":
                box.state = "running"

        if self.double.ready_after:
            threading.Thread(target=later, daemon=True).start()
        else:
            box.state = "running"
        self.reply(200, {"sandbox": sandbox(box), "session": session(box), "routes": []})

    def session(self, method, box, rest, query, body, raw):
        if rest == "":
            return self.reply(200, {"session": session(box), "routes": []})
        if rest == "/stop":
            box.stop()
            return self.reply(200, {"session": session(box), "sandbox": sandbox(box)})
        if box.state != "running":
            return self.reply(410, self.error("sandbox_stopped", "The sandbox has stopped"))
        if rest == "/extend-timeout":
            box.about["timeout"] += body["duration"]
            return self.reply(200, {"session": session(box)})
        if rest == "/snapshot":
            box.kill()
            packed = io.BytesIO()
            with tarfile.open(fileobj=packed, mode="w") as archive:
                archive.add(box.home, ".")
            id = short("snap")
            SNAPSHOTS[id] = packed.getvalue()
            box.stop()
            about = {"id": id, "sourceSessionId": box.id, "region": "iad1", "status": "created", "sizeBytes": 1,
                     "createdAt": now(), "updatedAt": now()}
            return self.reply(200, {"snapshot": about, "session": session(box)})
        if rest == "/cmd":
            return self.run_command(box, body)
        if found := re.fullmatch(r"/cmd/([^/]+)(/kill)?", rest):
            shell, about = COMMANDS[found[1]]
            if found[2]:
                os.killpg(shell.pid, body.get("signal", 15))
                return self.reply(200, {"command": about})
            code = shell.wait() if query.get("wait") == ["true"] else shell.poll()
            return self.reply(200, {"command": {**about, "exitCode": code_of(shell, code)}})
        if rest == "/fs/write":
            folder = os.path.join("/", self.headers.get("x-cwd") or box.home)
            tarfile.open(fileobj=io.BytesIO(raw), mode="r:gz").extractall(folder, filter="fully_trusted")
            return self.reply(200, {})
        if rest == "/fs/read":
            file = os.path.join(body.get("cwd") or box.home, body["path"])
            if not os.path.isfile(file):
                return self.missing("File")
            with open(file, "rb") as content:
                return self.reply(200, raw=content.read(), kind="application/octet-stream")
        self.missing("Route")

    def run_command(self, box, body):
        words = [body["command"], *(body.get("args") or [])]
        if any(len(word) > 131_000 for word in words):
            return self.reply(400, self.error("bad_request", "argument list too long"))
        about = {"id": short("cmd"), "name": words[0], "args": words[1:], "cwd": body.get("cwd") or box.home,
                 "sessionId": box.id, "exitCode": None, "startedAt": now()}
        try:
            shell = box.start(words, body.get("cwd"), body.get("env"), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        except FileNotFoundError as error:
            return self.reply(400, self.error("bad_request", f"{error}"))
        COMMANDS[about["id"]] = shell, about
        if not body.get("wait"):
            return self.reply(200, {"command": about})
        self.send_response(200)
        # The vendor's client takes it for an error if anything stands behind this.
        self.send_header("content-type", "application/x-ndjson")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        self.line({"command": about})
        # Two readers, as both pipes may fill up.
        lock, cut = threading.Lock(), self.double.has("cut")

        def pass_on(pipe, stream):
            while data := pipe.read1(1 << 16):
                with lock:
                    if not cut:
                        self.line({"stream": stream, "data": data.decode(errors="replace")})

        readers = [threading.Thread(target=pass_on, args=pair) for pair in ((shell.stdout, "stdout"), (shell.stderr, "stderr"))]
        for reader in readers:
            reader.start()
        try:
            code = shell.wait((body.get("timeout") or 300_000) / 1000)
        except subprocess.TimeoutExpired:
            os.killpg(shell.pid, 9)
            code = shell.wait()
        for reader in readers:
            reader.join()
        if box.state != "running":
            return self.line({"stream": "error", "data": {"code": "sandbox_stopped", "message": "Sandbox is stopped"}})
        if not cut:
            self.line({"command": {**about, "exitCode": code_of(shell, code)}})

    def line(self, event):
        try:
            self.wfile.write(json.dumps(event).encode() + b"\n")
            self.wfile.flush()
        except OSError:
            pass


start(Vercel, Double(float(sys.argv[1]) if len(sys.argv) > 1 else 0.0))
