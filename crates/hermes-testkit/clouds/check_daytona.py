"""The vendor's own library against the double: what it accepts is the wire, not what we believe of it."""
import sys
import time

from daytona import (
    CreateSandboxFromImageParams, Daytona, DaytonaConfig, ListSandboxesQuery, Resources, SessionExecuteRequest,
)


def client(key):
    return Daytona(DaytonaConfig(api_key=key, api_url=sys.argv[1], target="local"))


def refused(act, words):
    try:
        act()
    except Exception as error:  # the library has a type for each
        assert words in f"{type(error).__name__} {error}", error
    else:
        raise AssertionError(f"not refused: {words}")


daytona = client("good-key")
box = daytona.create(
    CreateSandboxFromImageParams(
        name="hermes-check", image="debian:bookworm", labels={"hermes_task_id": "check", "hermes-run": "one"},
        auto_stop_interval=30, auto_delete_interval=0, network_block_all=True, resources=Resources(cpu=1, memory=2, disk=3),
    ),
    timeout=30,
)
done = box.process.exec("echo hi; exit 3")
assert (done.exit_code, done.result.strip()) == (3, "hi"), done
assert box.process.exec("echo $A; pwd", cwd="/tmp", env={"A": "b"}).result.split() == ["b", "/tmp"]
refused(lambda: box.process.exec("sleep 5", timeout=1), "imeout")
content = bytes(range(256)) * 40
box.fs.upload_file(content, "f.bin")
assert box.fs.download_file("f.bin") == content
refused(lambda: box.fs.download_file("nope"), "not found")
box.process.create_session("x")
command = box.process.execute_session_command("x", SessionExecuteRequest(command="sleep 0.2; echo late", run_async=True)).cmd_id
for _ in range(100):
    if box.process.get_session_command("x", command).exit_code is not None:
        break
    time.sleep(0.05)
assert box.process.get_session_command_logs("x", command).stdout.strip() == "late"
box.process.delete_session("x")
assert daytona.get("hermes-check").id == box.id
assert box.network_block_all
assert [one.id for one in daytona.list(ListSandboxesQuery(labels={"hermes-run": "one"}))] == [box.id]
assert not list(daytona.list(ListSandboxesQuery(labels={"hermes-run": "two"})))
box.stop()
refused(lambda: box.process.exec("true"), "Is the Sandbox started")
box.start()
assert box.process.exec("cat f.bin | wc -c").result.strip() == str(len(content))
box.delete()
refused(lambda: daytona.get("hermes-check"), "not found")
refused(lambda: client("bad").get("x"), "Invalid credentials")
print("all of it")
