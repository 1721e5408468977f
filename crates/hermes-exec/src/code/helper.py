# Stands beside a script out of our reach: starts it, hands its calls and its output to the other end
# of our own input and output, and ends it. See frames.rs for what is said.
import sys

INPUT, OUTPUT = sys.stdin.buffer, sys.stdout.buffer
OUTPUT.write(sys.argv[1].encode() + b"\n")
try:
    import json, os, signal, socket, struct, subprocess, threading, time
except ImportError as problem:
    # Some systems have a Python with hardly any library.
    problem = ("its python3 is incomplete (%s); install the whole of it over there" % problem).encode()
    OUTPUT.write(b"f" + len(problem).to_bytes(4, "big") + problem)
    OUTPUT.flush()
    sys.exit()

DRAIN = 0.1
said = threading.Lock()
# What a thread says when it fails, because the script took its connection or its folder along, would end
# up among the messages.
threading.excepthook = lambda failure: None


def say(letter, payload):
    with said:
        OUTPUT.write(letter + struct.pack(">I", len(payload)) + payload)
        OUTPUT.flush()


def hear():
    header = INPUT.read(5)
    if len(header) < 5:
        return None, b""
    payload = INPUT.read(struct.unpack(">I", header[1:])[0])
    return header[:1], payload


def remove(folder):
    for root, folders, files in os.walk(folder, topdown=False):
        for name in files:
            os.unlink(os.path.join(root, name))
        for name in folders:
            path = os.path.join(root, name)
            (os.unlink if os.path.islink(path) else os.rmdir)(path)
    os.rmdir(folder)


class Socket:
    """Calls over a Unix socket that only we may use."""

    def __init__(self, folder):
        self.path = os.path.join(folder, "rpc.sock")
        self.callers, self.lock, self.count = {}, threading.Lock(), 0
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(self.path)
        os.chmod(self.path, 0o600)
        self.listener.listen(64)
        self.variables = {"HERMES_RPC_SOCKET": self.path}
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection, _ = self.listener.accept()
            if hasattr(socket, "SO_PEERCRED"):
                peer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
                if struct.unpack("3i", peer)[1] != os.geteuid():
                    connection.close()
                    continue
            with self.lock:
                self.count += 1
                caller = self.count
                self.callers[caller] = connection
            threading.Thread(target=self.listen, args=(caller, connection), daemon=True).start()

    def listen(self, caller, connection):
        for line in connection.makefile("rb"):
            say(b"q", struct.pack(">I", caller) + line.rstrip(b"\n"))
        with self.lock:
            del self.callers[caller]

    def answer(self, caller, line):
        with self.lock:
            connection = self.callers.get(caller)
        if connection is not None:
            try:
                connection.sendall(line)
            except OSError:
                pass


class Files:
    """Calls by files, where no socket can be made: each is written beside its place and renamed."""

    def __init__(self, folder):
        self.folder = os.path.join(folder, "rpc")
        os.mkdir(self.folder, 0o700)
        self.variables = {"HERMES_RPC_DIR": self.folder}
        threading.Thread(target=self.look, daemon=True).start()

    def look(self):
        pause = 0.002
        while True:
            found = [name for name in os.listdir(self.folder) if name.startswith("req_")]
            for name in sorted(name for name in found if not name.endswith(".tmp")):
                path = os.path.join(self.folder, name)
                with open(path, "rb") as file:
                    line = file.read()
                os.unlink(path)
                if name[4:].isdigit():
                    say(b"q", struct.pack(">I", int(name[4:])) + line)
            pause = 0.002 if found else min(pause * 1.5, 0.05)
            time.sleep(pause)

    def answer(self, caller, line):
        path = os.path.join(self.folder, "res_%06d" % caller)
        with open(path + ".tmp", "wb") as file:
            file.write(line)
        os.rename(path + ".tmp", path)


def start(setup):
    folder = setup["folder"]
    os.mkdir(folder, 0o700)
    for name in ("launch.py", "script.py", "hermes_tools.py"):
        descriptor = os.open(os.path.join(folder, name), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(setup[name].encode())
    try:
        calls = Files(folder) if os.environ.get("HERMES_RPC_TRANSPORT") == "files" else Socket(folder)
    except OSError:
        calls = Files(folder)
    here = os.getcwd() if setup["project"] else folder
    environment = dict(os.environ, **setup["variables"], **calls.variables)
    asked = [path for path in environment.get("PYTHONPATH", "").split(os.pathsep) if path]
    own = os.path.join(here, "")
    early = [path for path in asked if os.path.isabs(path) and not os.path.join(path, "").startswith(own)]
    late = ([here] if setup["project"] else []) + [path for path in asked if path not in early]
    environment["PYTHONPATH"] = os.pathsep.join([folder] + early)
    launch, script = os.path.join(folder, "launch.py"), os.path.join(folder, "script.py")
    script = subprocess.Popen(
        [sys.executable or "python3", launch, script] + late,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=here,
        env=environment,
        start_new_session=True,
    )
    return script, calls


def pump(letter, pipe):
    while True:
        data = os.read(pipe.fileno(), 65536)
        if not data:
            return
        say(letter, data)


def strike(script, number):
    try:
        os.killpg(script.pid, number)
    except OSError:
        pass


def watch(script, folder):
    pumps = [
        threading.Thread(target=pump, args=(letter, pipe), daemon=True)
        for letter, pipe in ((b"o", script.stdout), (b"e", script.stderr))
    ]
    for thread in pumps:
        thread.start()
    code = script.wait()
    until = time.monotonic() + DRAIN
    for thread in pumps:
        thread.join(max(0, until - time.monotonic()))
    leave(script, folder, b"x", str(code).encode())


def leave(script, folder, letter, payload):
    if script is not None:
        strike(script, signal.SIGKILL)
    try:
        remove(folder)
    except OSError:
        pass
    with said:
        try:
            OUTPUT.write(letter + struct.pack(">I", len(payload)) + payload)
            OUTPUT.flush()
        finally:
            os._exit(0)


def main():
    OUTPUT.flush()
    letter, payload = hear()
    if letter != b"s":
        return
    setup = json.loads(payload)
    folder, script = setup["folder"], None
    try:
        script, calls = start(setup)
    except Exception as problem:
        leave(None, folder, b"f", str(problem).encode())
    threading.Thread(target=watch, args=(script, folder), daemon=True).start()
    while True:
        letter, payload = hear()
        if letter == b"a":
            calls.answer(struct.unpack(">I", payload[:4])[0], payload[4:])
        elif letter == b"t":
            strike(script, signal.SIGTERM)
        else:
            leave(script, folder, b"x", b"-9")


main()
