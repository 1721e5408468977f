//! A script cannot get at the keys: not in its environment, not in that of a process above it, not in
//! memory.
//!
//! What is looked into is what the test itself started: from the script up to the shell that has the
//! key. A process is asked to be traced in the way that does not stop it.

use super::call;
use crate::support::{Sandbox, write};

/// In pieces, so that the script does not find itself.
const KEY: [&str; 2] = ["sk-proj-hush", "0123456789abcdefghij"];

/// Looks into every process between itself and the shell whose number is in the file `shell`, and
/// tells what it could open.
fn thief() -> String {
    let [first, second] = KEY;
    format!(
        r#"
import ctypes, os
key = ("{first}" + "{second}").encode()
last = int(open("shell").read())
above, pid = [], os.getpid()
while pid != last:
    with open(f"/proc/{{pid}}/stat") as file:
        pid = int(file.read().rsplit(")", 1)[1].split()[1])
    assert pid > 1, above
    above.append(pid)
found, opened = [], []
if any(key.decode() in value for value in os.environ.values()):
    found.append("own environment")
libc = ctypes.CDLL(None, use_errno=True)
class Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
for pid in above:
    for name in ("environ", "mem", "maps"):
        try:
            with open(f"/proc/{{pid}}/{{name}}", "rb") as file:
                seen = b"some" if name == "mem" else file.read()
        except OSError:
            continue
        if seen:
            opened.append(name)
        if key in seen:
            found.append(name)
    SEIZE = 0x4206
    if libc.ptrace(SEIZE, pid, 0, 0) == 0:
        opened.append("ptrace")
    room = ctypes.create_string_buffer(8)
    here = Vector(ctypes.cast(room, ctypes.c_void_p), 8)
    there = Vector(0x1000, 8)
    libc.process_vm_readv(pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
    # Nothing lies there, so that a program that may look gets another error.
    if ctypes.get_errno() != 1:
        opened.append("memory")
print("above:", len(above) > 1, "opened:", sorted(set(opened)), "found:", found)
"#
    )
}

#[test]
fn keys_are_out_of_reach_of_a_script() {
    let key = KEY.concat();
    let sandbox = Sandbox::new().var("OPENAI_API_KEY", key.clone());
    sandbox.write(".env", &format!("ANTHROPIC_API_KEY={key}\n"));
    sandbox.write("config.yaml", "approvals:\n  headless_mode: approve\n");
    write(&sandbox.scratch("arguments.json"), call(&thief()).as_bytes());
    // The shell that starts the program has the key in its environment, as the user's own has.
    let work = sandbox.scratch("").display().to_string();
    let line = format!(
        "cd {work} && echo $$ >shell && $HERMES tools call execute_code - <arguments.json; true"
    );
    let result = sandbox.shell(&line).exits(0).json();
    assert_eq!(result["output"], "above: True opened: [] found: []\n", "{result}");
}

/// The test above would prove nothing if there was nothing to be found.
#[test]
fn the_same_look_finds_the_key_where_nothing_stands_in_its_way() {
    let sandbox = Sandbox::new().var("OPENAI_API_KEY", KEY.concat());
    write(&sandbox.scratch("thief.py"), thief().as_bytes());
    let work = sandbox.scratch("").display().to_string();
    let line = format!(
        "cd {work} && echo $$ >shell && (env -u OPENAI_API_KEY python3 thief.py; true); true"
    );
    let run = sandbox.shell(&line).exits(0);
    assert!(run.out.contains("'environ'") && run.out.contains("found: ['environ'"), "{run:#?}");
}
