//! Runs the cases in `fixtures/replace`; the README there says how one is made.

use std::fs;
use std::path::{Path, PathBuf};

use hermes_files::edit::{Edited, ReplaceError, ReplaceScope, replace};
use serde_json::Value;

const FILES: [&str; 6] = ["input", "old.txt", "new.txt", "options.json", "expected", "error.txt"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/replace")
}

/// A file of the case, or `None` if it has no such file.
fn file(case: &Path, name: &str) -> Option<Vec<u8>> {
    fs::read(case.join(name)).ok()
}

fn text(case: &Path, name: &str) -> Result<String, String> {
    let bytes = file(case, name).ok_or_else(|| format!("{name} is missing"))?;
    String::from_utf8(bytes).map_err(|error| format!("{name}: {error}"))
}

/// What is wrong with the case, if anything.
fn check(case: &Path) -> Result<(), String> {
    for entry in fs::read_dir(case).map_err(|error| error.to_string())? {
        let name = entry.map_err(|error| error.to_string())?.file_name();
        if !FILES.iter().any(|known| name == *known) {
            return Err(format!("unknown file {}", name.display()));
        }
    }
    let options: Value = match file(case, "options.json") {
        Some(json) => serde_json::from_slice(&json).map_err(|error| error.to_string())?,
        None => Value::Object(serde_json::Map::new()),
    };
    let known = ["replace_all", "strategy", "replacements"];
    let given = options.as_object().ok_or("options.json is not an object")?;
    if let Some(key) = given.keys().find(|key| !known.contains(&key.as_str())) {
        return Err(format!("unknown option {key}"));
    }
    let scope = if options["replace_all"] == true { ReplaceScope::All } else { ReplaceScope::One };
    let input = file(case, "input").ok_or("input is missing")?;
    let result = replace(&input, &text(case, "old.txt")?, &text(case, "new.txt")?, scope);
    match (file(case, "expected"), file(case, "error.txt")) {
        (Some(expected), None) => check_edit(result, &expected, &options),
        (None, Some(error)) => check_error(result, &String::from_utf8_lossy(&error)),
        _ => Err("needs either expected or error.txt".to_owned()),
    }
}

fn check_edit(
    result: Result<Edited, ReplaceError>,
    expected: &[u8],
    options: &Value,
) -> Result<(), String> {
    let edited = result.map_err(|error| format!("refused: {error}"))?;
    let show = |bytes: &[u8]| bytes.escape_ascii().to_string();
    if edited.bytes != expected {
        let (got, want) = (show(&edited.bytes), show(expected));
        return Err(format!("({})\n   got {got}\n  want {want}", edited.strategy));
    }
    if options["strategy"].as_str().is_some_and(|name| name != edited.strategy.name()) {
        return Err(format!("found by {}", edited.strategy));
    }
    if options["replacements"].as_u64().is_some_and(|count| count != edited.count as u64) {
        return Err(format!("{} replacements", edited.count));
    }
    Ok(())
}

fn check_error(result: Result<Edited, ReplaceError>, expected: &str) -> Result<(), String> {
    let Err(error) = result.map(|edited| edited.bytes.escape_ascii().to_string()) else {
        return Err("was replaced".to_owned());
    };
    let message = error.to_string();
    match expected.lines().find(|part| !message.contains(part)) {
        Some(part) => Err(format!("the error does not say {part:?}: {message}")),
        None => Ok(()),
    }
}

#[test]
fn every_case_comes_out_as_it_says() {
    let entries = fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path());
    let mut cases: Vec<_> = entries.filter(|path| path.is_dir()).collect();
    cases.sort();
    assert!(cases.len() >= 45, "only {} cases were found", cases.len());
    let failures: Vec<_> = cases
        .iter()
        .filter_map(|case| {
            let name = case.file_name().unwrap_or_default().display();
            check(case).err().map(|problem| format!("{name}: {problem}"))
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
