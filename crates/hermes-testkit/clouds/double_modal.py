"""A double of Modal, on the server bases of the vendor's own package: what it sends is what that package reads."""
import asyncio
import base64
import io
import json
import os
import sys
import tarfile
import threading
import time
import uuid

from grpclib import GRPCError, Status
from grpclib.server import Server
from modal_proto import api_grpc, api_pb2
from modal_proto import task_command_router_grpc as router_grpc
from modal_proto import task_command_router_pb2 as router_pb2

from boxes import KEY, Box, Double

DOUBLE = Double(float(sys.argv[1]) if len(sys.argv) > 1 else 0.0)
OLDER = "older" in sys.argv
DONE = api_pb2.GenericResult(status=api_pb2.GenericResult.GENERIC_STATUS_SUCCESS)
EXECS, IMAGES, ADDRESS = {}, {}, {}


def signed(**claims):
    parts = {"alg": "none"}, {"exp": int(time.time()) + 3600, **claims}, {}
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)


PASS, ENTRY = signed(of="pass"), signed(of="router")


def service(base, calls, admit):
    """A server of these calls, which does not know the others."""

    def handler(name, call):
        async def handle(self, stream):
            request = await stream.recv_message()
            DOUBLE.noted(name)
            if call is None:
                raise GRPCError(Status.UNIMPLEMENTED, f"Method not found: {name}")
            if name not in ("ClientHello", "TaskExecStdioRead") and DOUBLE.has("busy"):
                raise GRPCError(Status.RESOURCE_EXHAUSTED, "too many requests")
            if DOUBLE.has("down"):
                raise GRPCError(Status.UNAVAILABLE, "try again later")
            admit(name, stream.metadata)
            answer = call(request, stream)
            if asyncio.iscoroutine(answer):
                answer = await answer
            if answer is not None:
                await stream.send_message(answer)

        return handle

    names = set(base.__abstractmethods__) | set(calls)
    return type("Double" + base.__name__, (base,), {name: handler(name, calls.get(name)) for name in names})()


def admit_client(name, metadata):
    if metadata.get("x-modal-token-id") != "ak-good" or metadata.get("x-modal-token-secret") != KEY:
        raise GRPCError(Status.UNAUTHENTICATED, "Token ID not found or secret is wrong. Check your credentials.")
    if name in ("SandboxCreateV2", "SandboxTerminateV2", "SandboxGetCommandRouterAccess") and metadata.get("x-modal-auth-token") != PASS:
        raise GRPCError(Status.UNAUTHENTICATED, "x-modal-auth-token is missing")


def admit_router(_, metadata):
    if metadata.get("authorization") != f"Bearer {ENTRY}":
        raise GRPCError(Status.UNAUTHENTICATED, "the token is not for this task")


def box_of(id):
    box = DOUBLE.get(id)
    if box is None or box.state != "running":
        raise GRPCError(Status.NOT_FOUND, f"Sandbox {id} not found or has already shut down")
    return box


def task_of(id):
    return box_of(id.replace("ta-", "sb-", 1))


def image(request, _):
    commands = list(request.image.dockerfile_commands)
    if request.existing_image_id:
        return api_pb2.ImageGetOrCreateResponse(image_id=request.existing_image_id, result=DONE, metadata=api_pb2.ImageMetadata())
    id = f"im-{len(IMAGES)}"
    IMAGES[id] = {"commands": commands, "files": None, "ready": time.time() + DOUBLE.ready_after}
    is_built = not DOUBLE.ready_after
    return api_pb2.ImageGetOrCreateResponse(image_id=id, result=DONE if is_built else None, metadata=api_pb2.ImageMetadata())


async def join_image(request, stream):
    await asyncio.sleep(max(0, IMAGES[request.image_id]["ready"] - time.time()))
    await stream.send_message(api_pb2.ImageJoinStreamingResponse(entry_id="1", result=DONE, eof=True, metadata=api_pb2.ImageMetadata()))


def make(request):
    found = IMAGES.get(request.definition.image_id)
    if found is None:
        raise GRPCError(Status.NOT_FOUND, f"Image {request.definition.image_id} not found")
    access = request.definition.network_access.network_access_type
    box = DOUBLE.add(Box(
        id="sb-" + uuid.uuid4().hex[:12], name=request.definition.name, network=access != api_pb2.NetworkAccess.BLOCKED,
        labels={tag.tag_name: tag.tag_value for tag in getattr(request, "tags", [])},
    ))
    if found["files"] is not None:
        tarfile.open(fileobj=io.BytesIO(found["files"])).extractall(box.home, filter="fully_trusted")
    return box


def create(request, _):
    box = make(request)
    access = {"jwt": ENTRY, "url": ADDRESS["url"]}
    return api_pb2.SandboxCreateV2Response(sandbox_id=box.id, task_id=box.id.replace("sb-", "ta-", 1), command_router_access=access)


async def terminate(request, _):
    box = DOUBLE.get(request.sandbox_id)
    if box is not None:
        await asyncio.to_thread(DOUBLE.drop, box)
    return api_pb2.SandboxTerminateResponse()


def access(request, _):
    box_of(request.sandbox_id)
    return api_pb2.SandboxGetCommandRouterAccessResponse(jwt=ENTRY, url=ADDRESS["url"])


def access_of_task(request, _):
    task_of(request.task_id)
    return api_pb2.TaskGetCommandRouterAccessResponse(jwt=ENTRY, url=ADDRESS["url"])


def environment(_, __):
    settings = api_pb2.EnvironmentSettings(image_builder_version="2025.06")
    about = api_pb2.EnvironmentMetadata(name="main", settings=settings)
    return api_pb2.EnvironmentGetOrCreateResponse(environment_id="en-1", metadata=about)


CLIENT = {
    "ClientHello": lambda *_: api_pb2.ClientHelloResponse(),
    "AppGetOrCreate": lambda *_: api_pb2.AppGetOrCreateResponse(app_id="ap-1"),
    "EnvironmentGetOrCreate": environment,
    "ImageGetOrCreate": image,
    "ImageJoinStreaming": join_image,
    "AuthTokenGet": lambda *_: api_pb2.AuthTokenGetResponse(token=PASS),
    "SandboxCreateV2": create,
    "SandboxGetCommandRouterAccess": access,
    "SandboxTerminateV2": terminate,
    "SandboxCreate": lambda request, _: api_pb2.SandboxCreateResponse(sandbox_id=make(request).id),
    "SandboxGetTaskId": lambda request, _: api_pb2.SandboxGetTaskIdResponse(task_id=request.sandbox_id.replace("sb-", "ta-", 1)),
    "TaskGetCommandRouterAccess": access_of_task,
    "SandboxTerminate": terminate,
    "SandboxWait": lambda *_: api_pb2.SandboxWaitResponse(result=DONE),
    "SandboxWaitV2": lambda *_: api_pb2.SandboxWaitResponse(result=DONE),
}
if OLDER:
    for unknown in ("SandboxCreateV2", "SandboxGetCommandRouterAccess", "SandboxTerminateV2"):
        del CLIENT[unknown]


class Exec:
    """A command that runs, and all that it has written so far."""

    def __init__(self, process, streams):
        self.process, self.more = process, asyncio.Condition()
        self.outputs = {number: [b"", pipe is None] for number, pipe in streams.items()}
        self.tasks = [asyncio.create_task(self.collect(number, pipe)) for number, pipe in streams.items() if pipe]
        self.written = 0

    async def collect(self, number, pipe):
        while True:
            data = await pipe.read(1 << 16)
            async with self.more:
                output = self.outputs[number]
                output[0] += data
                output[1] = not data
                self.more.notify_all()
            if not data:
                return


async def start(request, _):
    box = task_of(request.task_id)
    if sum(len(word) for word in request.command_args) > 1 << 16:
        raise GRPCError(Status.INVALID_ARGUMENT, "the arguments are too long")
    if request.exec_id in EXECS:
        raise GRPCError(Status.ALREADY_EXISTS, "this exec has been started")
    pipe, none = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    merged = request.stderr_config == router_pb2.TASK_EXEC_STDERR_CONFIG_STDOUT
    try:
        process = await asyncio.create_subprocess_exec(
            *request.command_args, cwd=request.workdir or box.home, env=box.environment(dict(request.env)), stdin=pipe,
            stdout=pipe if request.stdout_config else none,
            stderr=asyncio.subprocess.STDOUT if merged else pipe if request.stderr_config else none, start_new_session=True,
        )
    except FileNotFoundError as error:
        raise GRPCError(Status.INVALID_ARGUMENT, str(error)) from error
    EXECS[request.exec_id] = Exec(process, {0: process.stdout, 1: None if merged else process.stderr})
    return router_pb2.TaskExecStartResponse()


def exec_of(request):
    task_of(request.task_id)
    found = EXECS.get(request.exec_id)
    if found is None:
        raise GRPCError(Status.NOT_FOUND, f"exec {request.exec_id} not found")
    return found


async def read(request, stream):
    found = exec_of(request)
    output, offset, cut = found.outputs[request.file_descriptor], request.offset, DOUBLE.has("cut")
    while True:
        async with found.more:
            await found.more.wait_for(lambda: output[1] or len(output[0]) > offset)
            data, ended = output[0][offset:offset + (1 << 16)], output[1]
        if cut and data:
            await stream.send_message(router_pb2.TaskExecStdioReadResponse(data=data[: len(data) // 2]))
            raise GRPCError(Status.UNAVAILABLE, "the connection broke")
        if data:
            await stream.send_message(router_pb2.TaskExecStdioReadResponse(data=data))
            offset += len(data)
        elif ended:
            return


async def write(request, _):
    found = exec_of(request)
    data = request.data[max(0, found.written - request.offset):]
    try:
        if data:
            found.process.stdin.write(data)
            await found.process.stdin.drain()
            found.written += len(data)
        if request.eof:
            found.process.stdin.close()
    except (BrokenPipeError, ConnectionResetError):
        pass
    return router_pb2.TaskExecStdinWriteResponse()


async def write_stream(request, stream):
    begun = request.start
    found = exec_of(begun)
    while (part := await stream.recv_message()) is not None:
        kind = part.WhichOneof("payload") if part.DESCRIPTOR.oneofs else None
        if part.data:
            found.process.stdin.write(part.data)
            await found.process.stdin.drain()
        elif part.HasField("end") or kind == "end":
            found.process.stdin.close()
    return router_pb2.TaskExecStdinWriteStreamResponse()


def ended(kind, code):
    return kind(code=code) if code >= 0 else kind(signal=-code)


async def wait(request, _):
    return ended(router_pb2.TaskExecWaitResponse, await exec_of(request).process.wait())


def poll(request, _):
    code = exec_of(request).process.returncode
    return router_pb2.TaskExecPollResponse() if code is None else ended(router_pb2.TaskExecPollResponse, code)


def snapshot(request, _):
    box, packed = task_of(request.task_id), io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        archive.add(box.home, ".")
    id = f"im-{len(IMAGES)}"
    IMAGES[id] = {"commands": [], "files": packed.getvalue(), "ready": 0}
    return router_pb2.TaskSnapshotFilesystemResponse(image_id=id)


ROUTER = {
    "TaskExecStart": start, "TaskExecStdioRead": read, "TaskExecWait": wait, "TaskExecStdinWrite": write,
    "TaskExecStdinWriteStream": write_stream, "TaskExecPoll": poll, "TaskSnapshotFilesystem": snapshot,
}


async def main():
    server = Server([service(api_grpc.ModalClientBase, CLIENT, admit_client), service(router_grpc.TaskCommandRouterBase, ROUTER, admit_router)])
    await server.start("127.0.0.1", 0)
    port = server._server.sockets[0].getsockname()[1]
    ADDRESS["url"] = f"http://127.0.0.1:{port}"
    threading.Thread(target=DOUBLE.serve_orders, args=({"url": ADDRESS["url"], "pid": os.getpid()},), daemon=True).start()
    await server.wait_closed()


asyncio.run(main())
