"""The part of an HTTP server that the doubles of Daytona and Vercel share."""
import json
import os
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    double = None

    def log_message(self, *_):
        pass

    def reply(self, code, body=None, raw=None, kind="application/json", **headers):
        data = raw if raw is not None else b"" if body is None else json.dumps(body).encode()
        self.send_response(code)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if len(data) > 2 and code == 200 and self.double.has("cut"):
            self.wfile.write(data[: len(data) // 2])
            self.close_connection = True
            return
        self.wfile.write(data)

    def body(self):
        if "chunked" not in (self.headers.get("transfer-encoding") or ""):
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        whole = b""
        while size := int(self.rfile.readline().strip() or b"0", 16):
            whole += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return whole

    def handle_any(self):
        raw = self.body()
        parts = urllib.parse.urlsplit(self.path)
        path = parts.path.removeprefix("/api")
        self.double.noted(f"{self.command} {path}")
        if self.double.has("busy"):
            return self.reply(429, self.error("rate_limited", "Too many requests"), retry_after="1")
        if self.double.has("down"):
            return self.reply(503, self.error("internal", "try again later"))
        try:
            json_body = json.loads(raw) if raw[:1] in (b"{", b"[") else {}
            self.answer(self.command, path, urllib.parse.parse_qs(parts.query), json_body, raw)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = handle_any


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


def start(handler, double):
    import threading

    handler.double = double
    server = Server(("127.0.0.1", 0), handler)
    handler.address = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    double.serve_orders({"url": f"{handler.address}/api", "pid": os.getpid()})
