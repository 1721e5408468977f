// The vendor's own library against the double.
import assert from "node:assert";
import { Sandbox } from "@vercel/sandbox";

const base = process.env.VERCEL_DOUBLE_URL;
const there = (url, options) =>
  fetch(String(url?.url ?? url).replace("https://vercel.com/api", base), {
    ...options,
    ...(options?.body && typeof options.body !== "string" ? { duplex: "half" } : {}),
  });
const account = { token: "good-key", teamId: "team", projectId: "prj", fetch: there };

const box = await Sandbox.create({
  ...account,
  runtime: "node24",
  timeout: 300000,
  networkPolicy: "deny-all",
  tags: { "hermes-run": "one" },
});
assert.equal(box.networkPolicy, "deny-all");
const done = await box.runCommand("bash", ["-c", "echo hi; echo err >&2; exit 3"]);
assert.deepEqual([done.exitCode, await done.stdout(), await done.stderr()], [3, "hi\n", "err\n"]);
const sleeper = await box.runCommand({ cmd: "bash", args: ["-c", "sleep 30"], detached: true });
await sleeper.kill("SIGKILL");
assert.equal((await sleeper.wait()).exitCode, 137);
await box.writeFiles([{ path: "a.txt", content: Buffer.from("hello") }]);
assert.equal((await box.readFileToBuffer({ path: "a.txt" })).toString(), "hello");
assert.equal(await box.readFileToBuffer({ path: "nope" }), null);
await box.extendTimeout(60000);
const copy = await box.snapshot();
const again = await Sandbox.create({ ...account, runtime: "node24", source: { type: "snapshot", snapshotId: copy.snapshotId } });
assert.equal((await again.readFileToBuffer({ path: "a.txt" })).toString(), "hello");
await again.stop();
await assert.rejects(Sandbox.create({ ...account, token: "bad", runtime: "node24" }));
console.log("all of it");
