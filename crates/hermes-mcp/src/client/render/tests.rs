use super::*;
use proptest::prelude::*;

fn renderer(cache: &std::path::Path) -> Renderer {
    Renderer { cache: cache.to_owned(), read_resource: Some("mcp__s__read_resource".into()) }
}

fn rendered(result: Value) -> (Value, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let output = renderer(folder.path()).tool_result(result).unwrap();
    let ToolOutput::Text(text) = output else { panic!("text expected") };
    (serde_json::from_str(&text).unwrap(), folder)
}

#[test]
fn texts_are_joined_and_empty_ones_dropped() {
    let (answer, _) = rendered(json!({"content": [
        {"type": "text", "text": "a"}, {"type": "text", "text": ""}, {"type": "text", "text": "b"},
        {"type": "resource", "resource": {"uri": "x://y", "text": "c"}}]}));
    assert_eq!(answer, json!({"result": "a\nb\nc"}));
}

#[test]
fn pictures_and_sounds_become_files() {
    let (answer, folder) = rendered(json!({"content": [
        {"type": "image", "data": "aGVsbG8=", "mimeType": "image/jpg"},
        {"type": "image", "data": "aGVsbG8", "mimeType": "image/odd"},
        {"type": "audio", "data": "aGVs\nbG8=", "mimeType": "audio/x-wav"},
        {"type": "audio", "data": "!!", "mimeType": "audio/ogg"}]}));
    let text = answer["result"].as_str().unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("MEDIA:") && lines[0].ends_with(".jpg"), "{text}");
    assert!(lines[1].ends_with(".png") && lines[2].ends_with(".wav"), "{text}");
    assert!(lines[3].contains("no valid base64"), "{text}");
    let path = std::path::Path::new(lines[0].strip_prefix("MEDIA:").unwrap());
    assert_eq!(std::fs::read(path).unwrap(), b"hello");
    assert!(path.starts_with(folder.path().join("images")));
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    assert_eq!(name.len(), "img_".len() + 12 + ".jpg".len());
}

#[test]
fn blobs_and_links_say_how_to_read_them() {
    let (answer, folder) = rendered(json!({"content": [
        {"type": "resource", "resource": {"uri": "file:///a/b%20c.pdf", "blob": "aGVsbG8=",
            "mimeType": "application/pdf"}},
        {"type": "resource_link", "uri": "x://1", "name": "one", "mimeType": "text/plain"}]}));
    let text = answer["result"].as_str().unwrap();
    assert!(text.contains("_b c.pdf") && text.contains("5 bytes"), "{text}");
    assert!(text.contains("uri=x://1, name=one, mimeType=text/plain"), "{text}");
    assert!(text.contains("mcp__s__read_resource"), "{text}");
    assert_eq!(std::fs::read_dir(folder.path().join("documents")).unwrap().count(), 1);
}

#[test]
fn what_is_too_large_is_left_out_before_it_is_decoded() {
    let data = "A".repeat(files::LARGEST / 3 * 4 + 100);
    let (answer, folder) =
        rendered(json!({"content": [{"type": "image", "data": data, "mimeType": "image/png"}]}));
    assert!(answer["result"].as_str().unwrap().contains("larger than 50 MiB"));
    assert!(!folder.path().join("images").exists());
}

#[test]
fn structured_values_are_sent_once() {
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    let both = |content: Value, value: Value| {
        rendered(json!({"content": content, "structuredContent": value})).0
    };
    let same = both(text(r#"{"a": 1}"#), json!({"a": 1}));
    assert_eq!(same, json!({"result": {"a": 1}}));
    let alone = both(json!([]), json!({"a": 1}));
    assert_eq!(alone, json!({"result": {"a": 1}}));
    let other = both(text("one a"), json!({"a": 1}));
    assert_eq!(other, json!({"result": "one a", "structuredContent": {"a": 1}}));
    let wrapped = both(text("5"), json!({"result": 5}));
    assert_eq!(wrapped, json!({"result": "5"}));
}

#[test]
fn errors_of_tools_are_told_without_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let result = json!({"isError": true, "content": [
        {"type": "text", "text": "no such file; token=abc"},
        {"type": "resource", "resource": {"uri": "x", "text": "more"}}]});
    let error = renderer(folder.path()).tool_result(result).unwrap_err();
    assert_eq!(error.message(), "no such file; [REDACTED]\nmore");
    assert_eq!(error.kind(), None);
    let silent = renderer(folder.path()).tool_result(json!({"isError": true})).unwrap_err();
    assert!(silent.message().contains("without saying"));
}

#[test]
fn prompts_keep_their_roles() {
    let folder = tempfile::tempdir().unwrap();
    let result = json!({"description": "d", "messages": [
        {"role": "user", "content": {"type": "text", "text": "hi"}},
        {"role": "assistant", "content": {"type": "resource", "resource": {"uri": "u", "text": "t"}}}]});
    let ToolOutput::Text(text) = renderer(folder.path()).prompt(result).unwrap() else { panic!() };
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(answer["messages"][1], json!({"role": "assistant", "content": "t"}));
    assert_eq!(answer["description"], "d");
}

#[test]
fn names_of_files_are_safe() {
    assert_eq!(files::file_name("x://h/..", "application/pdf"), "resource.pdf");
    assert_eq!(files::file_name("x://h/%2e%2e", ""), "resource.bin");
    assert_eq!(files::file_name("x://h/a%2Fb.txt?q", ""), "ab.txt");
    let long = files::file_name(&format!("x://h/{}.json", "y".repeat(400)), "");
    assert!(long.chars().count() == 150 && long.ends_with(".json"), "{long}");
}

proptest! {
    #[test]
    fn no_file_name_leaves_its_folder(uri in ".{0,300}", kind in ".{0,20}") {
        let name = files::file_name(&uri, &kind);
        prop_assert!(!name.contains('/') && !name.contains('\0'));
        prop_assert!(!name.is_empty() && name != "." && name != "..");
        prop_assert!(name.chars().count() <= 150);
    }
}
