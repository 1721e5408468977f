"""What `register(ctx)` is given."""

import asyncio
import types

from .calls import CURRENT
from .wire import log


class Llm:
    """`ctx.llm`: the model of the conversation, for plugins."""

    class Answer:
        """What the model said; `text` is the words."""

        def __init__(self, fields):
            self.text = fields.get("text", "")
            self.model = fields.get("model")
            self.provider = fields.get("provider")
            self.usage = fields.get("usage") or {}

        def __str__(self):
            return self.text

    def __init__(self, host):
        self._host = host

    def complete(self, messages, system=None, max_tokens=None, timeout=None, **_ignored):
        """Asks the model; `messages` is a text, or a list of `{"role", "content"}`."""
        if isinstance(messages, str):
            messages = [{"role": "user", "content": messages}]
        params = {"messages": messages, "system": system, "max_tokens": max_tokens}
        return self.Answer(self._host.ask("llm", params, timeout) or {})

    async def acomplete(self, messages, **options):
        """The same for coroutines."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(None, lambda: self.complete(messages, **options))


class Context:
    """What `register(ctx)` is given."""

    def __init__(self, host, hello):
        plugin = hello.get("plugin") or {}
        self._host = host
        self.plugin_id = plugin.get("key", "")
        self.name = plugin.get("name", "")
        self.manifest = types.SimpleNamespace(**(plugin.get("manifest") or {}))
        for field in ("name", "version", "description"):
            if not hasattr(self.manifest, field):
                setattr(self.manifest, field, plugin.get(field, ""))
        self.config = hello.get("settings") or {}
        self.profile_name = hello.get("profile") or "default"
        self.llm = Llm(host)

    def get_config(self, key, default=None):
        """A setting below `plugins.entries.<plugin>` in config.yaml."""
        return self.config.get(key, default)

    # What Hermes uses.

    def register_tool(self, name, toolset=None, schema=None, handler=None, check_fn=None,
                      requires_env=None, is_async=False, description="", emoji="",
                      override=False, max_result_size_chars=None, effects=None, parallel=None,
                      **_ignored):
        """Offers a tool to the model. `handler(args, **kwargs)` returns JSON text."""
        if not callable(handler):
            raise TypeError("register_tool('%s'): handler must be callable" % name)
        taken = self._host.taken_tools.get(name)
        toolset = toolset or self.name or self.plugin_id
        if override and taken not in (None, toolset) and not self._host.may_override:
            raise PermissionError(
                "plugin '%s' may not replace tool '%s' of toolset '%s'; to allow it set "
                "plugins.entries.%s.allow_tool_override: true"
                % (self.plugin_id, name, taken, self.plugin_id))
        schema = dict(schema or {})
        schema = dict(schema.get("function") or schema)
        entry = {
            "name": name, "toolset": toolset,
            "description": description or schema.get("description") or "",
            "parameters": schema.get("parameters") or {"type": "object", "properties": {}},
            "emoji": emoji or None, "requires_env": names_of(requires_env),
            "override": bool(override), "max_result_chars": max_result_size_chars,
            "effects": effects, "parallel": parallel, "check": check_fn is not None,
        }
        if schema.get("description"):
            entry["description"] = schema["description"]
        self._host.tools[name] = (handler, check_fn)
        entry.update(self._host.availability(name))
        self._host.register("tools", entry)

    def register_hook(self, hook_name, callback):
        """Calls `callback(**fields)` whenever the event happens."""
        key = self._host.keep(hook_name, callback)
        self._host.register("hooks", {"id": key, "event": hook_name})

    def register_middleware(self, kind, callback):
        """Stands around tool calls: `tool_request` or `tool_execution`."""
        key = self._host.keep(kind, callback)
        self._host.register("middleware", {"id": key, "kind": kind})

    def register_command(self, name, handler, description="", args_hint="", **_ignored):
        """Adds a slash command to the chat. `handler(raw_args)` returns text, or nothing."""
        name = "-".join(str(name).strip().lower().lstrip("/").split())
        if not name:
            raise ValueError("a command needs a name")
        if name in self._host.taken_commands:
            log("the command /%s is part of Hermes and stays so" % name)
        self._host.commands[name] = handler
        self._host.register("commands", {
            "name": name, "description": description, "args_hint": args_hint})

    def register_cli_command(self, name, help="", setup_fn=None, handler_fn=None, description="",
                             **_ignored):
        """Adds a command for the shell: `hermes plugins run NAME …`."""
        self._host.cli_commands[name] = (setup_fn, handler_fn, help, description)
        self._host.register("cli_commands", {
            "name": name, "description": help or description})

    def register_skill(self, name, path, description="", **_ignored):
        """Tells of a skill that comes with the plugin."""
        if ":" in name:
            raise ValueError("the name of a skill has no colon: '%s'" % name)
        self._host.register("skills", {
            "name": "%s:%s" % (self.name, name), "path": str(path),
            "description": description})

    def inject_message(self, content, role="user", **_ignored):
        """Says something in the conversation; False if there is none to say it in."""
        params = {"content": content, "role": role}
        return bool(self._host.ask("inject_message", params))

    def dispatch_tool(self, tool_name, args=None, **_ignored):
        """Calls a tool of Hermes by the way every call takes; gives its result as text."""
        params = {"tool": tool_name, "args": args or {}, "request": CURRENT.get()}
        return self._host.ask("dispatch_tool", params)

    def report_progress(self, message, fraction=None):
        """Tells how far the running call has come."""
        request = CURRENT.get()
        if request is not None:
            params = {"request": request, "message": str(message), "fraction": fraction}
            self._host.wire.tell("progress", params)

    # What Hermes only takes note of: one method serves the whole family.

    def __getattr__(self, attribute):
        if not attribute.startswith("register_"):
            raise AttributeError("the plugin context has no '%s'" % attribute)
        kind = attribute[len("register_"):]

        def note(*positional, **keywords):
            name = keywords.get("name")
            for value in positional:
                name = name or (value if isinstance(value, str) else getattr(value, "name", None))
            for value in list(positional) + list(keywords.values()):
                name = name or type(value).__name__
            self._host.register("others", {"kind": kind, "name": str(name or kind)})

        return note


def names_of(variables):
    """Names of variables, given as texts or as objects with a name."""
    if isinstance(variables, str):
        variables = [variables]
    found = [one.get("name") if isinstance(one, dict) else one for one in variables or []]
    return [str(one) for one in found if one]
