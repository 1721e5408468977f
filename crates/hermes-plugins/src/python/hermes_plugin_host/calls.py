"""Calling functions of a plugin: with what they can take, waited for where they are coroutines."""

import asyncio
import contextvars
import inspect
import json
import threading

#: The request that the running code serves, so that what it asks for can be told apart.
CURRENT = contextvars.ContextVar("hermes_request", default=None)


def call(function, positional, keywords):
    """Calls a function of the plugin with those keywords it can take."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return function(*positional, **keywords)
    if not any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters):
        named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        taken = [one.name for one in parameters if one.kind in named]
        taken = taken[len(positional):]
        keywords = {name: value for name, value in keywords.items() if name in taken}
        fixed = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        kinds = [one.kind for one in parameters]
        if inspect.Parameter.VAR_POSITIONAL not in kinds:
            positional = positional[: sum(kind in fixed for kind in kinds)]
    return function(*positional, **keywords)


class Loop:
    """The event loop for coroutines, started when the first one comes along."""

    def __init__(self):
        self._starting = threading.Lock()
        self._loop = None

    def run(self, coroutine, started):
        with self._starting:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, daemon=True).start()
        request = CURRENT.get()

        async def under_request():
            CURRENT.set(request)
            return await coroutine

        future = asyncio.run_coroutine_threadsafe(under_request(), self._loop)
        started(future)
        return future.result()


async def awaited(value):
    return await value


def text_of(result):
    """The result of a tool: text, as it should be, also where an object was returned."""
    if not isinstance(result, (dict, list)):
        return result
    if isinstance(result, dict) and result.get("_multimodal") is True:
        return result
    return json.dumps(result, ensure_ascii=False, default=str)


def start(function, *args):
    threading.Thread(target=function, args=args, daemon=True).start()
