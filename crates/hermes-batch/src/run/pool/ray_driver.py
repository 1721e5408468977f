"""Places workers of `hermes batch` on a Ray cluster and passes lines on; decides nothing else.

First line on stdin: what `config` below is asked for. Then, in both directions, one JSON object a line: {"slot", "line"}
is a message of the worker contract; {"slot", "up"} and {"slot", "lost"} tell that a worker can be spoken to or is gone.
"""
import hashlib, json, os, queue, subprocess, sys, tempfile, threading, time

out = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)  # whatever else is printed goes to the log


def tell(message):
    out.write(json.dumps(message) + "\n")  # one call, one line, whichever thread


try:
    import ray
    from ray.exceptions import RayError
except Exception as error:
    tell({"error": "this Python (%s) cannot import ray: %s" % (sys.executable, error)})
    sys.exit(2)

NAMES = "HOME PATH USER LOGNAME SHELL LANG LC_ALL TZ TMPDIR DOCKER_HOST XDG_RUNTIME_DIR SSL_CERT_FILE SSL_CERT_DIR"
NAMES += " HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy HERMES_HOME"


def program(blob, digest, remote):
    """The program on this node: a path that is there, or the bytes that travelled, written once."""
    if remote:
        return remote
    folder = os.path.join(tempfile.gettempdir(), "hermes-%d-%s" % (os.getuid(), digest[:16]))
    os.makedirs(folder, mode=0o700, exist_ok=True)
    path = os.path.join(folder, "hermes")
    if not os.path.exists(path):
        if hashlib.sha256(blob).hexdigest() != digest:
            raise RuntimeError("the program did not arrive whole")
        new = "%s.%d" % (path, os.getpid())
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o700), "wb") as file:
            file.write(blob)
        os.rename(new, path)
    return path


@ray.remote(max_restarts=-1, max_task_retries=0, concurrency_groups={"put": 1, "get": 1})
class Slot:
    def __init__(self, blob, digest, remote):
        env = {name: os.environ[name] for name in NAMES.split() if name in os.environ}
        words = [program(blob, digest, remote), "batch", "worker", "--stdio", "--slots", "1"]
        self.worker = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)
        self.lines = queue.Queue()
        self.name = "%d.%f" % (os.getpid(), time.time())
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.worker.stdout:
            self.lines.put(line.decode("utf-8", "replace").rstrip("\n"))
        self.lines.put(None)

    @ray.method(concurrency_group="put")
    def put(self, line):
        self.worker.stdin.write(line.encode() + b"\n")
        self.worker.stdin.flush()

    @ray.method(concurrency_group="put")
    def stop(self):
        self.worker.stdin.close()
        try:
            return self.worker.wait(40)
        except subprocess.TimeoutExpired:
            self.worker.kill()

    @ray.method(concurrency_group="get")
    def get(self):
        """Lines within the next second, and who says them: an actor that was started again has another name."""
        lines = []
        try:
            lines.append(self.lines.get(timeout=1))
            while lines[-1] is not None:
                lines.append(self.lines.get_nowait())
        except queue.Empty:
            pass
        return self.name, [inlined(line) for line in lines if line], None in lines


def inlined(line):
    """A long record lies in a file of the node: it is put into the line."""
    if '"spool":{' not in line[:200]:
        return line
    path = json.loads(line)["spool"]["path"]
    with open(path, encoding="utf-8") as file:
        record = json.load(file)
    os.unlink(path)
    return json.dumps({"type": "result", "record": record, "spool": None})


def watch(slot, actor):
    """Passes on what a worker says. One that is gone is left alone until it answers again."""
    name, pause = None, 1
    while not ended.is_set():
        try:
            who, lines, is_over = ray.get(actor.get.remote(), timeout=90)
        except (RayError, TimeoutError) as error:
            heard.discard(slot)
            if name is not None:
                tell({"slot": slot, "lost": type(error).__name__})
            name = None
            ended.wait(pause)
            pause = min(pause * 2, 30)
            continue
        if who != name:
            if name is not None:
                tell({"slot": slot, "lost": "started again"})
            name, pause = who, 1
            heard.add(slot)
            tell({"slot": slot, "up": True})
        for line in lines:
            tell({"slot": slot, "line": line})
        if is_over and not ended.is_set():
            name = None
            tell({"slot": slot, "lost": "the worker ended"})
            ray.kill(actor, no_restart=False)
            ended.wait(pause)


config = json.loads(sys.stdin.readline())
ended, heard = threading.Event(), set()
try:
    ray.init(address=config["address"], log_to_driver=False, logging_level="ERROR")
    blob, digest = None, ""
    if not config.get("remote_binary"):
        with open(config["binary"], "rb") as file:
            blob = file.read()
        digest = hashlib.sha256(blob).hexdigest()
        blob = ray.put(blob)
    make = Slot.options(num_cpus=config["cpus"], resources=config.get("resources") or None, scheduling_strategy="SPREAD")
    actors = [make.remote(blob, digest, config.get("remote_binary")) for _ in range(config["slots"])]
except Exception as error:
    tell({"error": "Ray at %s: %s" % (config["address"], error)})
    sys.exit(2)
for slot, actor in enumerate(actors):
    threading.Thread(target=watch, args=(slot, actor), daemon=True).start()
for text in sys.stdin:
    message = json.loads(text)
    actors[message["slot"]].put.remote(message["line"])
ended.set()
try:
    ray.get([actors[slot].stop.remote() for slot in heard], timeout=45)
except (RayError, TimeoutError):
    pass
