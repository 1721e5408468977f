"""A double of Daytona: sandboxes over REST, and the toolbox in each of them."""
import email.parser
import email.policy
import json
import os
import re
import subprocess
import sys
import threading
import time
import uuid

from boxes import KEY, Box, Double
from web import Handler, start


def about(box, address):
    own = box.about
    return {
        "id": box.id, "organizationId": "org", "name": own["name"], "user": "daytona", "env": own["env"],
        "labels": own["labels"], "public": False, "networkBlockAll": not own["network"], "target": own["target"], "gpu": 0,
        "cpu": own["cpu"], "memory": own["memory"], "disk": own["disk"], "state": box.state, "desiredState": box.state,
        "autoStopInterval": own["auto"], "autoArchiveInterval": 10080, "autoDeleteInterval": own["delete"], "kvm": False,
        "toolboxProxyUrl": f"{address}/toolbox", "runnerId": "r1", "volumes": [], "snapshot": None,
        "createdAt": "2026-01-01T00:00:00Z", "updatedAt": "2026-01-01T00:00:00Z",
    }


class Daytona(Handler):
    address = ""

    def error(self, _, message, code=429, name="Error"):
        return {"message": message, "statusCode": code, "error": name}

    def refuse(self, code, message, name):
        self.reply(code, self.error(None, message, code, name))

    def missing(self, name):
        self.refuse(404, f"Sandbox with ID or name {name} not found", "Not Found")

    def answer(self, method, path, query, body, raw):
        if self.headers.get("authorization") != f"Bearer {KEY}":
            return self.refuse(401, "Invalid credentials", "Unauthorized")
        if path == "/sandbox" and method == "POST":
            return self.create(body)
        if path in ("/sandbox", "/sandbox/paginated") and method == "GET":
            return self.list(query)
        if found := re.fullmatch(r"/sandbox/([^/]+)(/.*)?", path):
            box = self.double.get(found[1])
            return self.sandbox(method, box, found[2] or "", body) if box else self.missing(found[1])
        if found := re.fullmatch(r"/toolbox/([^/]+)(/.*)", path):
            box = self.double.get(found[1])
            if not box:
                return self.missing(found[1])
            if box.state != "started":
                return self.refuse(400, "bad request: no IP address found. Is the Sandbox started?", "Bad Request")
            return self.toolbox(method, box, found[2], query, body, raw)
        self.refuse(404, f"Cannot {method} {path}", "Not Found")

    def list(self, query):
        wanted = json.loads(query.get("labels", ["{}"])[0]).items()
        boxes = [box for box in self.double.boxes.values() if wanted <= box.about["labels"].items()]
        begin, count = int(query.get("cursor", ["0"])[0]), int(query.get("limit", ["100"])[0])
        page, more = boxes[begin:begin + count], len(boxes) > begin + count
        self.reply(200, {"items": [about(box, self.address) for box in page], "nextCursor": str(begin + count) if more else None})

    def create(self, body):
        name = body.get("name") or str(uuid.uuid4())
        if self.double.get(name):
            return self.refuse(409, f"Sandbox with name {name} already exists", "Conflict")
        if (body.get("disk") or 0) > 10:
            return self.refuse(400, "Disk request exceeds maximum allowed per sandbox (10GB)", "Bad Request")
        box = self.double.add(Box(
            name=name, env=body.get("env") or {}, labels=body.get("labels") or {}, cpu=body.get("cpu", 1),
            memory=body.get("memory", 1), disk=body.get("disk", 3), auto=body.get("autoStopInterval", 15),
            target=body.get("target", "local"), network=not body.get("networkBlockAll"), delete=body.get("autoDeleteInterval", -1),
            sessions={}, state="creating",
        ))
        self.becomes(box, "started")
        self.reply(200, about(box, self.address))

    def becomes(self, box, state):
        if not self.double.ready_after:
            box.state = state
            return
        box.state = "starting"

        def later():
            time.sleep(self.double.ready_after)
            if box.state == "starting":
                box.state = state

        threading.Thread(target=later, daemon=True).start()

    def sandbox(self, method, box, rest, body):
        if rest == "" and method == "DELETE":
            answer = {**about(box, self.address), "state": "destroyed"}
            self.double.drop(box)
            return self.reply(200, answer)
        if rest == "/start":
            if box.state == "started":
                return self.refuse(409, "Sandbox is already started", "Conflict")
            self.becomes(box, "started")
        elif rest == "/stop":
            box.stop()
        elif rest == "/toolbox-proxy-url":
            return self.reply(200, {"url": f"{self.address}/toolbox"})
        elif rest == "/labels":
            box.about["labels"] = body["labels"]
            return self.reply(200, {"labels": body["labels"]})
        elif rest:
            return self.refuse(404, f"Cannot {method} {rest}", "Not Found")
        self.reply(200, about(box, self.address))

    def toolbox(self, method, box, rest, query, body, raw):
        if rest in ("/work-dir", "/user-home-dir"):
            return self.reply(200, {"dir": box.home})
        if rest == "/process/execute":
            return self.execute(box, body)
        if rest == "/files/download":
            file = os.path.join(box.home, query["path"][0])
            if not os.path.isfile(file):
                return self.refuse(404, "file not found", "Not Found")
            with open(file, "rb") as content:
                return self.reply(200, raw=content.read(), kind="application/octet-stream")
        if rest == "/files/bulk-upload":
            return self.upload(box, raw)
        if rest == "/files/bulk-download":
            return self.download(box, body["paths"])
        if rest == "/process/session" and method == "POST":
            box.about["sessions"][body["sessionId"]] = {}
            return self.reply(201, {})
        if found := re.fullmatch(r"/process/session/([^/]+)(/exec|/command/([^/]+)(/logs)?)?", rest):
            return self.session(method, box, found, body)
        self.refuse(404, f"Cannot {method} {rest}", "Not Found")

    def execute(self, box, body):
        if len(body["command"]) > 131_000:
            return self.refuse(400, "fork/exec /usr/bin/sh: argument list too long", "Bad Request")
        try:
            shell = box.start(["sh", "-c", body["command"]], body.get("cwd"), {**box.about["env"], **(body.get("envs") or {})},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            output, _ = shell.communicate(timeout=body.get("timeout") or 10)
        except FileNotFoundError as error:
            return self.refuse(400, f"chdir {error}: no such file or directory", "Bad Request")
        except subprocess.TimeoutExpired:
            os.killpg(shell.pid, 9)
            shell.communicate()
            return self.refuse(408, "command execution timeout", "Request Timeout")
        if box.state != "started":
            return self.refuse(400, "bad request: no IP address found. Is the Sandbox started?", "Bad Request")
        code = shell.returncode if shell.returncode >= 0 else 128 - shell.returncode
        self.reply(200, {"exitCode": code, "result": output.decode(errors="replace")})

    def upload(self, box, raw):
        head = b"content-type: " + self.headers["content-type"].encode() + b"\r\n\r\n"
        message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + raw)
        files = {}
        for part in message.iter_parts():
            name = re.match(r"files\[(\d+)\]\.(path|file)", part.get_param("name", header="content-disposition"))
            files.setdefault(name[1], {})[name[2]] = part.get_payload(decode=True)
        for file in files.values():
            with open(os.path.join(box.home, file["path"].decode()), "wb") as target:
                target.write(file["file"])
        self.reply(200, {})

    def download(self, box, paths):
        body = b""
        for path in paths:
            full = os.path.join(box.home, path)
            found = os.path.isfile(full)
            kind = "application/octet-stream" if found else "text/plain"
            body += (f'--edge\r\nContent-Disposition: form-data; name="{"file" if found else "error"}"; '
                     f'filename="{path}"\r\nContent-Type: {kind}\r\n\r\n').encode()
            body += open(full, "rb").read() if found else b"file not found"
            body += b"\r\n"
        self.reply(200, raw=body + b"--edge--\r\n", kind="multipart/form-data; boundary=edge")

    def session(self, method, box, found, body):
        name, sessions = found[1], box.about["sessions"]
        if name not in sessions:
            return self.refuse(404, f"session {name} not found", "Not Found")
        if method == "DELETE":
            for shell, _, _ in sessions.pop(name).values():
                shell.kill()
            return self.reply(204)
        if found[2] == "/exec":
            id, log = str(uuid.uuid4()), os.path.join(box.folder, str(uuid.uuid4()))
            with open(log, "wb") as output:
                shell = box.start(["sh", "-c", body["command"]], stdin=subprocess.DEVNULL, stdout=output, stderr=output)
            sessions[name][id] = shell, body["command"], log
            if body.get("runAsync"):
                return self.reply(202, {"cmdId": id})
            shell.wait()
            text = open(log).read()
            return self.reply(200, {"cmdId": id, "exitCode": shell.returncode, "output": text, "stdout": text, "stderr": ""})
        shell, command, log = sessions[name][found[3]]
        if found[4]:
            text = open(log, errors="replace").read()
            return self.reply(200, {"output": text, "stdout": text, "stderr": ""})
        self.reply(200, {"id": found[3], "command": command, "exitCode": shell.poll()})


start(Daytona, Double(float(sys.argv[1]) if len(sys.argv) > 1 else 0.0))
