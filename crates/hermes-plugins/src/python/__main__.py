"""Runs one Python plugin for Hermes and speaks the plugin protocol on its standard streams.

A plugin is a package with a function `register(ctx)`. This file loads it, hands it a `Context`
and afterwards calls what it registered whenever Hermes asks. One process runs one plugin.

Three kinds of threads are at work. The reader takes lines from Hermes and never runs code of the
plugin, so answers and cancellations always get through. The main thread loads the plugin, because
some libraries insist on being imported there. Every request gets a thread of its own; coroutines
run on one event loop.

Whatever the plugin prints goes to its log: descriptor 1 is pointed at descriptor 2 before any
foreign code is imported, and the protocol keeps a private copy of the real one.

Needs Python 3.8 and nothing beyond the standard library.
"""

import os
import sys

#: Where the modules of the host are; the plugin is not to find them.
HERE = sys.path[0]


def main():
    if sys.version_info < (3, 8):
        sys.exit("Python 3.8 or newer is needed, this is %s" % sys.version.split()[0])
    if sys.argv[1:] == ["entry-points"]:
        from hermes_plugin_host.find import list_entry_points
        sys.path.remove(HERE)
        list_entry_points()
        return
    from hermes_plugin_host.host import Host
    from hermes_plugin_host.wire import Wire
    sys.path.remove(HERE)
    reader = os.fdopen(os.dup(0), "rb")
    writer = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    host = Host(Wire(reader, writer))
    host.run()


if __name__ == "__main__":
    main()
