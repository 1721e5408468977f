"""Where plugins are: in folders, and in installed packages."""

import importlib
import importlib.util
import json
import os
import sys
import types

GROUP = "hermes_agent.plugins"
NAMESPACE = "hermes_plugins"


def offer_home(home):
    """Plugins ask the module `hermes_constants` where the state folder is."""
    if not home or importlib.util.find_spec("hermes_constants") is not None:
        return
    from pathlib import Path
    module = types.ModuleType("hermes_constants")
    module.get_hermes_home = lambda: Path(home)
    module.display_hermes_home = lambda: str(home)
    sys.modules["hermes_constants"] = module


def find_module(plugin):
    """The plugin's package: a folder with `__init__.py`, or an entry point."""
    if plugin.get("entry_point"):
        for point in entry_points():
            if point.name == plugin["entry_point"]:
                return point.load()
        raise LookupError("no installed package has the entry point '%s'" % plugin["entry_point"])
    folder = plugin["dir"]
    slug = "".join(one if one.isalnum() else "_" for one in plugin["key"])
    if NAMESPACE not in sys.modules:
        namespace = types.ModuleType(NAMESPACE)
        namespace.__path__ = []
        sys.modules[NAMESPACE] = namespace
    name = "%s.%s" % (NAMESPACE, slug)
    spec = importlib.util.spec_from_file_location(
        name, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder])
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def entry_points():
    from importlib import metadata
    found = metadata.entry_points()
    if hasattr(found, "select"):
        return list(found.select(group=GROUP))
    return list(found.get(GROUP, ()))


def list_entry_points():
    """Installed plugins as JSON, and the folders that would change if there were others."""
    found = {}
    for point in entry_points():
        dist = getattr(point, "dist", None)
        about = dist.metadata if dist is not None else {}
        found[point.name] = {
            "name": point.name, "module": point.value,
            "package": about.get("Name") or "", "version": about.get("Version") or "",
            "description": about.get("Summary") or "", "author": about.get("Author") or "",
        }
    folders = [one for one in sys.path if one and os.path.isdir(one)]
    json.dump({"plugins": list(found.values()), "folders": folders}, sys.stdout)
