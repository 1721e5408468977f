//! Exports of batch runs in the libraries that trainers read data with (`scripts/test-parts/trainers`).

use std::fs;

use hermes_testkit::part;
use serde_json::{Value, json};

use crate::batch::{Place, two_calls};
use crate::support::std_command;

/// Loads a file with `datasets` and prints how many rows it has, their columns and the first row.
const LOAD: &str = r#"
import json, sys
from datasets import load_dataset
rows = load_dataset(sys.argv[1], data_files=sys.argv[2], split="train")
print(json.dumps({"rows": len(rows), "columns": rows.column_names, "all": [rows[n] for n in range(len(rows))]}, default=str))
"#;

/// Reads a Parquet file with `pyarrow`, which checks every page of it.
const ARROW: &str = r#"
import json, sys
import pyarrow.parquet
file = pyarrow.parquet.ParquetFile(sys.argv[1])
table = file.read()
table.validate(full=True)
print(json.dumps({"groups": file.num_row_groups, "all": table.to_pylist()}, default=str))
"#;

fn python(place: &Place, program: &str, args: &[&str]) -> Value {
    let home = place.sandbox.scratch("cache");
    let ran = std_command(part("HERMES_TEST_TRAINERS_PYTHON"))
        .args(["-c", program])
        .args(args)
        .current_dir(place.sandbox.scratch(""))
        .env("HF_HOME", &home)
        .env("HOME", &home)
        .env("HF_HUB_OFFLINE", "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{said}");
    serde_json::from_slice(&ran.stdout).unwrap()
}

fn export(place: &Place, format: &str, out: &str, more: &[&str]) {
    let words = ["batch", "export", "one", "--format", format, "--out", out];
    place.sandbox.run(words.iter().chain(more)).exits(0);
}

#[test]
fn exports_load_in_the_libraries_of_trainers() {
    let place = Place::with(two_calls());
    place.dataset(
        "{\"id\":\"a\",\"prompt\":\"task ä\",\"metadata\":{\"ground_truth\":5,\"data_source\":\"sums\"}}\n\
         {\"id\":\"b\",\"prompt\":\"task b\",\"metadata\":{\"other\":[1]}}\n{\"id\":\"c\",\"prompt\":\"task c\"}\n",
    );
    let mut args = place.begin();
    args.extend(["--samples", "4", "--verify", "test $((HERMES_TASK_SEED % 2)) -eq 0"]);
    place.sandbox.run(args).exits(0);
    for (format, rows) in [("sharegpt", 12), ("openai", 12), ("trl-prompt", 12), ("unpaired", 12)] {
        export(&place, format, "out.jsonl", &[]);
        let found = python(&place, LOAD, &["json", "out.jsonl"]);
        assert_eq!(found["rows"], rows, "{format}");
        let text = fs::read_to_string(place.sandbox.scratch("out.jsonl")).unwrap();
        let first: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        assert_eq!(found["all"][0], first, "{format}: what is read is what was written");
    }
    export(&place, "preference", "out.jsonl", &[]);
    let pairs = python(&place, LOAD, &["json", "out.jsonl"]);
    let first = &pairs["all"][0];
    assert_ne!(first["chosen"], Value::Null);
    assert_eq!((&first["score_chosen"], &first["score_rejected"]), (&json!(1.0), &json!(0.0)));
    export(&place, "verl", "out.parquet", &[]);
    let prompts = python(&place, ARROW, &["out.parquet"]);
    let prompt = json!([{"role": "user", "content": "task ä"}]);
    assert_eq!(
        prompts["all"][0],
        json!({"data_source": "sums", "prompt": prompt, "ability": null,
            "reward_model": {"style": "rule", "ground_truth": "5"}, "extra_info": {"index": 0, "id": "a", "split": null}})
    );
    assert_eq!(prompts["all"].as_array().unwrap().len(), 3, "one prompt for each row");
    assert_eq!(prompts["all"][1]["data_source"], "one");
    export(&place, "parquet", "all.parquet", &["--shuffle", "3"]);
    let table = python(&place, ARROW, &["all.parquet"]);
    let rows = table["all"].as_array().unwrap();
    assert_eq!(rows.len(), 12);
    for row in rows {
        let id = row["id"].as_str().unwrap();
        let record = place.sandbox.run(["batch", "show", "one", id, "--raw"]).exits(0).json();
        assert_eq!(row["conversations"].as_array().unwrap().len(), 5);
        assert_eq!(row["conversations"][1], record["conversations"][1]);
        assert_eq!(row["messages"][1]["tool_calls"][0]["function"]["name"], "todo");
        assert_eq!(row["messages"][0]["tool_calls"], Value::Null);
        assert_eq!(row["seed"], record["seed"].to_string());
        assert_eq!(row["passed"], record["verify"]["passed"]);
        assert_eq!((&row["status"], &row["completed"]), (&json!("ok"), &json!(true)));
        assert_eq!(row["toolsets_used"], json!(["todo"]));
    }
    let loaded = python(&place, LOAD, &["parquet", "all.parquet"]);
    assert_eq!(loaded["rows"], 12);
    assert_eq!(loaded["columns"].as_array().unwrap().len(), 21);
    export(&place, "sharegpt", "part.jsonl", &["--shard-size", "5", "--cut", "last"]);
    let count =
        |name: &str| fs::read_to_string(place.sandbox.scratch(name)).unwrap().lines().count();
    assert_eq!(
        [count("part-00000.jsonl"), count("part-00001.jsonl"), count("part-00002.jsonl")],
        [5, 5, 2]
    );
    let refused = ["batch", "export", "one", "--format", "atropos", "--out", "x.jsonl"];
    place.sandbox.run(refused).exits(2).notes("no token ids");
}
