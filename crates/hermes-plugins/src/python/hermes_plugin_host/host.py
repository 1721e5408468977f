"""What the plugin registered, and how Hermes gets at it."""

import inspect
import io
import os
import sys
import threading
import traceback

from .calls import CURRENT, Loop, awaited, call, start, text_of
from .context import Context
from .find import find_module, offer_home
from .wire import failure

PROTOCOL = 1


class Host:
    """What the plugin registered, and how Hermes gets at it."""

    def __init__(self, wire):
        self.wire = wire
        self.tools = {}
        self.callbacks = {}
        self.commands = {}
        self.cli_commands = {}
        self.taken_tools = {}
        self.taken_commands = ()
        self.may_override = False
        self._registered = {}
        self._is_loaded = False
        self._loop = Loop()
        self._running = {}
        self._hello = threading.Event()
        self._greeting = None

    # Towards Hermes.

    def ask(self, method, params, timeout=None):
        return self.wire.ask(method, params, timeout)

    def register(self, group, entry):
        """Before the greeting is answered things are collected; later ones go out at once."""
        if self._is_loaded:
            self.wire.tell("register", {group: [entry]})
        else:
            self._registered.setdefault(group, []).append(entry)

    def keep(self, kind, callback):
        """Names a callback so that it is called the same after a restart."""
        if not callable(callback):
            raise TypeError("a callback must be callable")
        same = sum(key.rpartition("#")[0] == kind for key in self.callbacks)
        key = "%s#%d" % (kind, same + 1)
        self.callbacks[key] = callback
        return key

    def availability(self, name):
        """What a tool's check says; a check that raises says no."""
        check = self.tools[name][1]
        if check is None:
            return {"available": True}
        try:
            return {"available": bool(self.finish(check()))}
        except Exception as problem:  # noqa: BLE001 - foreign code
            return {"available": False, "reason": "%s: %s" % (type(problem).__name__, problem)}

    # From Hermes.

    def serve(self):
        """Reads until Hermes hangs up. Runs on the reader thread."""
        for message in self.wire.lines():
            method, key = message.get("method"), message.get("id")
            params = message.get("params") or {}
            if method is None:
                self.wire.answered(message)
            elif method == "hello":
                self._greeting = (key, params)
                self._hello.set()
            elif method == "ping":
                self.wire.send({"id": key, "result": "pong"})
            elif method == "cancel":
                future = self._running.pop(params.get("request"), None)
                if future is not None:
                    future.cancel()
            elif method == "shutdown":
                break
            elif key is not None:
                start(self.answer, key, method, params)
        # No chance for threads of the plugin to hold up the end.
        sys.stderr.flush()
        os._exit(0)

    def answer(self, key, method, params):
        """Serves one request. Runs on a thread of its own."""
        CURRENT.set(key)
        try:
            serve = getattr(self, "on_" + method.replace(".", "_"), None)
            if serve is None:
                self.wire.send(failure(key, "UnknownMethod", "no method '%s'" % method))
                return
            self.wire.send({"id": key, "result": serve(**params)})
        except BaseException as problem:  # noqa: BLE001 - foreign code
            traceback.print_exc(file=sys.stderr)
            self.wire.send(failure(key, type(problem).__name__, str(problem)))
        finally:
            self._running.pop(key, None)

    def finish(self, value):
        """The value itself, or what becomes of a coroutine."""
        if not inspect.isawaitable(value):
            return value
        if not inspect.iscoroutine(value):
            value = awaited(value)
        return self._loop.run(value, self.started)

    def started(self, future):
        key = CURRENT.get()
        if key is not None:
            self._running[key] = future

    def on_tool_call(self, tool, args, context, **_more):
        if tool not in self.tools:
            raise LookupError("this plugin has no tool '%s'" % tool)
        result = self.finish(call(self.tools[tool][0], (args,), context))
        return text_of(result)

    def on_tool_check(self, tool, **_more):
        if tool not in self.tools:
            return {"available": False, "reason": "this plugin has no such tool"}
        return self.availability(tool)

    def on_hook_call(self, hook, payload, **_more):
        return self.finish(call(self.callbacks[hook], (), payload))

    def on_middleware_request(self, middleware, fields, **_more):
        return self.finish(call(self.callbacks[middleware], (), fields))

    def on_middleware_execution(self, middleware, fields, **_more):
        request = CURRENT.get()

        def next_call(args=None, **_ignored):
            return self.ask("next", {"request": request, "args": args})

        fields = dict(fields, next_call=next_call)
        result = self.finish(call(self.callbacks[middleware], (), fields))
        return text_of(result)

    def on_command_run(self, command, args, **_more):
        result = self.finish(call(self.commands[command], (args,), {}))
        return None if result is None else str(result)

    def on_cli_run(self, command, argv, **_more):
        import argparse
        from contextlib import redirect_stderr, redirect_stdout
        setup, handler, about, description = self.cli_commands[command]
        parser = argparse.ArgumentParser(
            prog="hermes plugins run %s" % command, description=description or about)
        if setup is not None:
            setup(parser)
        if handler is not None:
            parser.set_defaults(func=handler)
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            try:
                args = parser.parse_args(argv)
                code = self.finish(args.func(args)) if hasattr(args, "func") else parser.print_help()
            except SystemExit as end:
                code = end.code
        code = code if isinstance(code, int) else 0 if code is None else 1
        return {"exit": code, "stdout": out.getvalue(), "stderr": err.getvalue()}

    # The beginning.

    def run(self):
        """Reads on a thread of its own, loads the plugin on this one, and serves to the end."""
        reading = threading.Thread(target=self.serve, daemon=True)
        reading.start()
        self.load()
        reading.join()

    def load(self):
        """Waits for the greeting, loads the plugin and tells what it brings. Main thread."""
        self._hello.wait()
        key, hello = self._greeting
        if hello.get("protocol") != PROTOCOL:
            text = "this host speaks version %d of the protocol" % PROTOCOL
            self.wire.send(failure(key, "Protocol", text))
            return
        taken = hello.get("taken") or {}
        self.taken_tools = taken.get("tools") or {}
        self.taken_commands = set(taken.get("commands") or ())
        self.may_override = bool(hello.get("allow_tool_override"))
        offer_home(hello.get("home"))
        try:
            module = find_module(hello["plugin"])
            register = module if callable(module) else getattr(module, "register", None)
            if not callable(register):
                raise AttributeError("the plugin has no function register(ctx)")
            self.finish(register(Context(self, hello)))
        except BaseException as problem:  # noqa: BLE001 - foreign code
            traceback.print_exc(file=sys.stderr)
            self.wire.send(failure(key, type(problem).__name__, str(problem)))
            return
        self._is_loaded = True
        version = "%d.%d.%d" % sys.version_info[:3]
        self.wire.send({"id": key, "result": {
            "protocol": PROTOCOL, "runs_on": "Python " + version, "register": self._registered}})
