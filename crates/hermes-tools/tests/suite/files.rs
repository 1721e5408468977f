//! The file tools follow the commands.

use serde_json::json;

use crate::backends::Rig;

pub(crate) async fn the_file_tools_act_in_the_same_place(rig: &Rig) {
    let folder = &rig.folder;
    let path = |name: &str| format!("{folder}/{name}");
    rig.terminal(&format!("cd {folder}; mkdir src; printf 'alpha\\nbeta\\ngamma\\n' >src/a.txt"))
        .await;
    let read = rig.call("read_file", json!({"path": path("src/a.txt")})).await;
    assert!(read["content"].as_str().is_some_and(|text| text.contains("beta")), "{read}");
    let relative = rig.call("read_file", json!({"path": "src/a.txt", "offset": 3})).await;
    assert!(relative["content"].as_str().is_some_and(|text| text.contains("gamma")), "{relative}");

    let written =
        rig.call("write_file", json!({"path": path("new/b.txt"), "content": "one\ntwo\n"})).await;
    assert_eq!(written["bytes_written"], 8, "{written}");
    assert_eq!(rig.output("cat new/b.txt; stat -c %a new/b.txt").await, "one\ntwo\n644");

    let patched = rig
        .call(
            "patch",
            json!({"path": path("src/a.txt"), "old_string": "beta", "new_string": "BETA"}),
        )
        .await;
    assert!(patched["error"].is_null(), "{patched}");
    assert_eq!(rig.output("cat src/a.txt").await, "alpha\nBETA\ngamma");

    let found = rig.call("search_files", json!({"pattern": "BET.", "path": folder})).await;
    assert!(found.to_string().contains("a.txt"), "{found}");
    let named = rig
        .call("search_files", json!({"pattern": "*.txt", "target": "files", "path": folder}))
        .await;
    let text = named.to_string();
    assert!(text.contains("a.txt") && text.contains("b.txt"), "{named}");

    let missing = rig.call("read_file", json!({"path": path("src/none.txt")})).await;
    assert!(missing["error"].is_string(), "{missing}");
}
