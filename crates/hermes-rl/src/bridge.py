"""Runs one environment class and answers JSON lines on stdout to JSON lines on stdin.

Requests: {"id", "do": "describe" | "setup" | "next" | "reward" | "evaluate", ...}. Answers: {"id", "ok"} or {"id", "error"}.
While a reward is computed the class may call tools: {"id", "call", "tool", "args"} goes out and
{"do": "result", "call", "result" | "error"} comes back. What the class prints goes to stderr.
"""
import asyncio
import base64
import dataclasses
import importlib.machinery
import importlib.util
import inspect
import itertools
import json
import os
import shlex
import sys
import tarfile
import threading
import traceback
import types
from io import BytesIO

out, sys.stdout = sys.stdout, sys.stderr
write_lock, calls, numbers = threading.Lock(), {}, itertools.count()
# Output of a command is cut to fit a model; a file is fetched in pieces that fit.
PIECE = 24_000
# A command line has a longest length; a file is sent in pieces that fit.
SENT = 60_000


def say(message):
    with write_lock:
        out.write(json.dumps(message, ensure_ascii=True, default=str) + "\n")
        out.flush()


class ToolError(Exception):
    """A tool could not be called."""


class ToolContext:
    """Every tool, in the sandbox of the rollout that is judged."""

    def __init__(self, request):
        self.request = request
        self.task_id = str(request)

    def call_tool(self, name, arguments=None, **more):
        number, done = next(numbers), threading.Event()
        calls[number] = done
        args = {**(arguments or {}), **more}
        say({"id": self.request, "call": number, "tool": name, "args": args})
        done.wait()
        answer = calls.pop(number)
        if "error" in answer:
            raise ToolError(answer["error"])
        return answer["result"]

    def terminal(self, command, timeout=180):
        return self.call_tool("terminal", command=command, timeout=timeout)

    def read_file(self, path, **more):
        return self.call_tool("read_file", path=path, **more)

    def write_file(self, path, content):
        return self.call_tool("write_file", path=path, content=content)

    def search(self, query, path="."):
        return self.call_tool("search_files", pattern=query, path=path)

    def web_search(self, query):
        return self.call_tool("web_search", query=query)

    def web_extract(self, urls):
        return self.call_tool("web_extract", urls=urls)

    def browser_navigate(self, url):
        return self.call_tool("browser_navigate", url=url)

    def browser_snapshot(self):
        return self.call_tool("browser_snapshot")

    def _run(self, command):
        answer = self.terminal(command)
        if answer.get("exit_code", 0) != 0:
            raise ToolError(f"{command[:80]}: {answer.get('output') or answer.get('error')}")
        return answer.get("output", "")

    def _send(self, data, remote):
        there, text = shlex.quote(remote), base64.b64encode(data).decode()
        self._run(f"mkdir -p $(dirname {there}) && : > {there}.b64")
        for at in range(0, len(text), SENT):
            self._run(f"printf %s {text[at:at + SENT]} >> {there}.b64")
        self._run(f"base64 -d {there}.b64 > {there} && rm {there}.b64")

    def _fetch(self, remote):
        there, data = shlex.quote(remote), b""
        size = int(self._run(f"wc -c < {there}").split()[0])
        for piece in range(0, (size + PIECE - 1) // PIECE):
            data += base64.b64decode(self._run(f"dd if={there} bs={PIECE} skip={piece} count=1 2>/dev/null | base64 -w 0"))
        if len(data) != size:
            raise ToolError(f"{remote}: {len(data)} of {size} bytes")
        return data

    def upload_file(self, local, remote):
        with open(local, "rb") as file:
            self._send(file.read(), remote)

    def download_file(self, remote, local):
        data = self._fetch(remote)
        os.makedirs(os.path.dirname(os.path.abspath(local)), exist_ok=True)
        with open(local, "wb") as file:
            file.write(data)

    def upload_dir(self, local, remote):
        packed = BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as tar:
            tar.add(local, arcname=".")
        there = shlex.quote(remote)
        self._send(packed.getvalue(), f"{remote}.tgz")
        self._run(f"mkdir -p {there} && tar -xzf {there}.tgz -C {there} && rm {there}.tgz")

    def download_dir(self, remote, local):
        there = shlex.quote(remote)
        self._run(f"tar -czf {there}.tgz -C {there} .")
        packed = BytesIO(self._fetch(f"{remote}.tgz"))
        self._run(f"rm {there}.tgz")
        os.makedirs(local, exist_ok=True)
        with tarfile.open(fileobj=packed, mode="r:gz") as tar:
            tar.extractall(local, filter="data") if hasattr(tarfile, "data_filter") else tar.extractall(local)

    def cleanup(self):
        """The sandbox goes when the reward has been said."""


class AgentResult:
    """How a rollout went, under the names environments know."""

    def __init__(self, record):
        self.record = record
        self.messages = record.get("messages") or []
        self.turns_used = record.get("api_calls", 0)
        self.finished_naturally = bool(record.get("completed"))
        self.tool_errors = []
        self.reasoning_per_turn = [m.get("reasoning") for m in self.messages if m.get("role") == "assistant"]


class Config:
    """Settings of an environment: whatever is said, and nothing for what is not."""

    def __init__(self, **fields):
        self.__dict__.update(fields)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return None


class Base:
    """Stands for the base classes, whose work is done outside."""

    name = None
    env_config_cls = Config

    def __init__(self, config=None, server_configs=None, slurm=False, testing=False):
        self.config = config or Config()
        self.server = None
        self.iter = 0

    @classmethod
    def config_init(cls):
        return Config(), []

    async def setup(self):
        pass

    async def evaluate(self, *args, **kwargs):
        return None

    async def wandb_log(self, metrics=None):
        return None

    @classmethod
    def cli(cls):
        raise SystemExit("run it with: hermes rl env serve --reward py:FILE")


class StandIn(types.ModuleType):
    """A module whose names are there when they are asked for."""

    __path__ = []
    known = {"ToolContext": ToolContext, "AgentResult": AgentResult}

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self.known:
            return self.known[name]
        base = Config if name.endswith("Config") else Base
        made = type(name, (base,), {})
        setattr(self, name, made)
        return made


class Finder:
    """Gives stand-ins for the packages whose base classes environments import."""

    known = ("environments", "environments.hermes_base_env", "environments.tool_context", "environments.agent_loop")

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name.split(".")[0] == "atroposlib" or name in cls.known:
            return importlib.machinery.ModuleSpec(name, cls, is_package=True)
        return None

    @staticmethod
    def create_module(spec):
        made = StandIn(spec.name)
        if spec.name == "environments":
            # Helpers beside the environment are found where it is.
            made.__path__ = [os.path.dirname(os.path.abspath(sys.argv[1]))]
        return made

    @staticmethod
    def exec_module(module):
        pass


async def whole(value):
    return await value if inspect.isawaitable(value) else value


def plain(config):
    if config is None:
        return {}
    if isinstance(config, Config):
        return dict(vars(config))
    if hasattr(config, "model_dump"):
        return config.model_dump()
    return dataclasses.asdict(config) if dataclasses.is_dataclass(config) else dict(vars(config))


def find_class(path):
    sys.path.insert(0, os.path.dirname(path))
    # Before all others: the base classes that may be installed talk to models and trainers themselves.
    sys.meta_path.insert(0, Finder)
    spec = importlib.util.spec_from_file_location("hermes_environment", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["hermes_environment"] = module
    spec.loader.exec_module(module)
    for found in vars(module).values():
        own = inspect.isclass(found) and found.__module__ == "hermes_environment"
        if own and hasattr(found, "get_next_item") and hasattr(found, "compute_reward"):
            return found
    raise LookupError(f"{path} has no class with get_next_item and compute_reward")


class Runner:
    def __init__(self):
        self.env = None

    def about(self, found, config):
        first = (inspect.getdoc(found) or "").split("\n")[0]
        name = getattr(found, "name", None) or found.__name__
        return {"name": name, "class": found.__name__, "description": first, "config": plain(config)}

    async def describe(self, request):
        found = find_class(sys.argv[1])
        return self.about(found, found.config_init()[0] if hasattr(found, "config_init") else Config())

    async def setup(self, request):
        found = find_class(sys.argv[1])
        config = found.config_init()[0] if hasattr(found, "config_init") else Config()
        for name, value in (request.get("config") or {}).items():
            setattr(config, name, value)
        try:
            self.env = found(config, [], slurm=False, testing=False)
        except TypeError:
            self.env = found()
        if hasattr(self.env, "setup"):
            await whole(self.env.setup())
        return self.about(found, config)

    async def next(self, request):
        item = await whole(self.env.get_next_item())
        if item is None:
            return {"item": None, "prompt": None}
        prompt = self.env.format_prompt(item) if hasattr(self.env, "format_prompt") else item["prompt"]
        return {"item": item, "prompt": await whole(prompt)}

    async def reward(self, request):
        result, context = AgentResult(request["record"]), ToolContext(request["id"])
        reward = await whole(self.env.compute_reward(request["item"], result, context))
        return reward if isinstance(reward, dict) else float(reward)

    async def evaluate(self, request):
        return await whole(self.env.evaluate()) if hasattr(self.env, "evaluate") else None


def work(runner, request):
    try:
        say({"id": request["id"], "ok": asyncio.run(getattr(runner, request["do"])(request))})
    except BaseException as error:
        traceback.print_exc()
        say({"id": request["id"], "error": f"{type(error).__name__}: {error}"})


def main():
    runner, turn = Runner(), threading.Lock()

    def one_by_one(request):
        with turn:
            work(runner, request)

    for line in sys.stdin:
        request = json.loads(line)
        if request["do"] == "result":
            done = calls.get(request["call"])
            if done is not None:
                calls[request["call"]] = request
                done.set()
            continue
        # Rewards wait for tools and go beside each other; the rest of a class is not made for that.
        target = (lambda r: work(runner, r)) if request["do"] == "reward" else one_by_one
        threading.Thread(target=target, args=(request,), daemon=True).start()


main()
