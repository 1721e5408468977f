"""The vendor's own library against the double, which it finds by `MODAL_SERVER_URL`."""
import modal

app = modal.App.lookup("hermes-agent", create_if_missing=True)
image = modal.Image.from_registry("debian:bookworm")
box = modal.Sandbox.create(
    "sleep", "infinity", app=app, image=image, timeout=3600, block_network=True, tags={"hermes-run": "one"},
)


def run(*words):
    process = box.exec(*words)
    out, err = process.stdout.read(), process.stderr.read()
    return process.wait(), out, err


assert run("bash", "-c", "echo hi; echo err >&2; exit 3") == (3, "hi\n", "err\n")
process = box.exec("cat")
process.stdin.write(b"from stdin")
process.stdin.write_eof()
process.stdin.drain()
assert (process.stdout.read(), process.wait()) == ("from stdin", 0)
assert run("bash", "-c", "kill -9 $$")[0] == 137
assert run("bash", "-c", "echo kept >file")[0] == 0
copy = box.snapshot_filesystem()
box.terminate()
again = modal.Sandbox.create("sleep", "infinity", app=app, image=copy, timeout=3600)
process = again.exec("cat", "file")
assert process.stdout.read() == "kept\n"
again.terminate()
print("all of it")
