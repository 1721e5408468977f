use std::sync::Arc;

use serde_json::json;

use super::Bench;

/// A hundred tasks change the same file and files of their own, at once.
#[test]
fn no_update_is_lost_and_nothing_deadlocks() {
    const TASKS: usize = 100;
    let bench = Arc::new(Bench::new());
    let lines: String = (0..TASKS).map(|n| format!("slot-{n}-empty\n")).collect();
    bench.put("shared.txt", lines);
    let workers = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    workers.block_on(async {
        let mut tasks = tokio::task::JoinSet::new();
        for n in 0..TASKS {
            let bench = Arc::clone(&bench);
            tasks.spawn(async move {
                let task = format!("task-{n}");
                let own = json!({"path": format!("own-{n}.txt"), "content": "mine\n"});
                let written = bench.runtime.call(bench.call_as(&task, "write_file", own)).await;
                assert!(written.text().contains("bytes_written"), "{}", written.text());
                let change = json!({"path": "shared.txt", "old_string": format!("slot-{n}-empty"),
                                    "new_string": format!("slot-{n}-taken")});
                let patched = bench.runtime.call(bench.call_as(&task, "patch", change)).await;
                assert!(patched.text().contains("\"success\":true"), "{}", patched.text());
                // Two files at once, named in either order.
                let (a, b) = if n % 2 == 0 { ("x", "y") } else { ("y", "x") };
                let text =
                    format!("*** Add File: both-{n}/{a}\n+1\n*** Add File: both-{n}/{b}\n+1\n");
                let args = json!({"mode": "patch", "patch": text});
                let both = bench.runtime.call(bench.call_as(&task, "patch", args)).await;
                assert!(both.text().contains("\"success\":true"), "{}", both.text());
            });
        }
        while let Some(done) = tasks.join_next().await {
            done.unwrap();
        }
    });
    let shared = String::from_utf8(bench.content("shared.txt")).unwrap();
    assert_eq!(shared.matches("-taken").count(), TASKS, "{shared}");
    assert_eq!(bench.content("own-42.txt"), b"mine\n");
}
