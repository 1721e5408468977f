//! Documents are files like any other to the rules around reading.

use serde_json::json;

use super::Bench;

const NOTEBOOK: &str = r##"{"cells": [{"cell_type": "markdown", "source": ["# Title\n", "text"]},
    {"cell_type": "code", "source": "print(1)", "outputs": [{"text": "1"}]}]}"##;

#[test]
fn a_notebook_is_shown_as_text_and_marked() {
    let bench = Bench::new();
    bench.put("a.ipynb", NOTEBOOK);
    let answer = bench.run("read_file", json!({"path": "a.ipynb"}));
    assert_eq!(answer["extracted_document"], true, "{answer}");
    let content = answer["content"].as_str().unwrap();
    assert!(content.starts_with("1|# ── Markdown cell 1 ──\n2|# Title\n3|text"), "{content}");
    assert!(content.contains("|# ── Code cell 1 ──\n"), "{content}");
    let window = bench.run("read_file", json!({"path": "a.ipynb", "offset": 2, "limit": 1}));
    assert_eq!((&window["content"], &window["truncated"]), (&json!("2|# Title"), &json!(true)));
}

#[test]
fn an_unchanged_document_is_not_shown_twice() {
    let bench = Bench::new();
    bench.put("a.ipynb", NOTEBOOK);
    let read = || bench.run("read_file", json!({"path": "a.ipynb"}));
    read();
    assert_eq!(read()["status"], "unchanged");
}

#[test]
fn a_denied_document_is_not_unpacked() {
    let bench = Bench::new();
    bench.put("../home/.hermes/mcp-tokens/a.ipynb", NOTEBOOK);
    let error = bench.error("read_file", json!({"path": "~/.hermes/mcp-tokens/a.ipynb"}));
    assert!(error.contains("denied"), "{error}");
}

#[test]
fn a_damaged_document_is_refused_as_binary() {
    let bench = Bench::new();
    bench.put("a.docx", "no zip");
    let error = bench.error("read_file", json!({"path": "a.docx"}));
    assert!(error.contains(".docx") && error.contains("binary"), "{error}");
}

#[test]
fn wide_text_is_decoded_and_named() {
    let bench = Bench::new();
    let wide: Vec<u8> = "\u{feff}a\nb\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    bench.put("a.txt", wide);
    let answer = bench.run("read_file", json!({"path": "a.txt"}));
    assert_eq!(answer["content"], "1|a\n2|b");
    assert!(answer["encoding"].as_str().unwrap().to_lowercase().contains("utf-16"), "{answer}");
}
