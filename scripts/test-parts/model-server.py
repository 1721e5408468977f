"""llama.cpp's own server, on loopback, with one model. Started by the script `model` beside this file."""

import argparse
import pathlib
import signal

import xllamacpp

options = argparse.ArgumentParser(description=__doc__)
options.add_argument("file", help="the model, in llama.cpp's form")
options.add_argument("--name", required=True, help="what requests call the model")
options.add_argument("--port", type=int, required=True)
options.add_argument("--slots", type=int, required=True, help="requests that are answered at the same time")
options.add_argument("--context", type=int, required=True, help="tokens for each of them")
options.add_argument("--threads", type=int, default=-1, help="as many as there are cores, if not given")
options.add_argument("--template", type=pathlib.Path, help="how a conversation is written down, if not the model's way")
given = options.parse_args()

# Signals are waited for, not handled: a handler of Python's would never run while nothing else does.
ending = {signal.SIGINT, signal.SIGTERM}
signal.pthread_sigmask(signal.SIG_BLOCK, ending)

server = xllamacpp.CommonParams()
server.model.path = given.file
server.model_alias = {given.name}
server.hostnames = ["127.0.0.1"]
server.port = given.port
server.n_parallel = given.slots
server.n_ctx = given.slots * given.context
server.cpuparams.n_threads = given.threads
server.cpuparams_batch.n_threads = given.threads
server.use_jinja = True
server.warmup = False
if given.template:
    server.chat_template = given.template.read_text()
running = xllamacpp.Server(server)
print("listening at", running.listening_address, flush=True)
signal.sigwait(ending)
