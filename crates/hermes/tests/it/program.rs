//! `hermes update`, `uninstall` and `version`: where the program came from, and what happens to it.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use hermes_testkit::{WebReply, WebServer};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use crate::support::{Sandbox, write};

/// The program under test as if an archive had been unpacked: in a folder of its own.
fn unpacked() -> (Sandbox, PathBuf, TempDir) {
    let folder = TempDir::with_prefix("hermes-program-").unwrap();
    let program = put_into(folder.path());
    (Sandbox::of(&program), program, folder)
}

fn put_into(folder: &Path) -> PathBuf {
    let (built, program) = (env!("CARGO_BIN_EXE_hermes"), folder.join("hermes"));
    if std::fs::hard_link(built, &program).is_err() {
        std::fs::copy(built, &program).unwrap();
    }
    program
}

fn target() -> String {
    format!("{}-unknown-linux-gnu", std::env::consts::ARCH)
}

/// The archive of a release in a folder, with its checksum; its program is a script.
fn release(folder: &Path, version: &str, script: &str) -> PathBuf {
    std::fs::create_dir_all(folder).unwrap();
    let stem = format!("hermes-v{version}-{}", target());
    let file = folder.join(format!("{stem}.tar.gz"));
    let encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut archive = tar::Builder::new(encoder);
    let mut header = tar::Header::new_gnu();
    header.set_size(script.len() as u64);
    header.set_mode(0o755);
    header.set_cksum();
    archive.append_data(&mut header, format!("{stem}/hermes"), script.as_bytes()).unwrap();
    let bytes = archive.into_inner().unwrap().finish().unwrap();
    let sum: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    write(&file, &bytes);
    write(
        &folder.join(format!("{stem}.tar.gz.sha256")),
        format!("{sum}  {stem}.tar.gz\n").as_bytes(),
    );
    file
}

fn script(version: &str) -> String {
    format!("#!/bin/sh\necho 'hermes {version}'\n")
}

#[test]
fn a_newer_release_takes_its_place_after_a_question_and_the_old_one_is_kept() {
    let (sandbox, program, _folder) = unpacked();
    let folder = sandbox.scratch("release");
    release(&folder, "0.0.1", &script("0.0.1"));
    let from = folder.to_str().unwrap();
    sandbox.run(["update", "--from", from]).exits(0).says("up to date");
    release(&folder, "9.1.0", &script("9.1.0"));
    let told = sandbox.run(["update", "--check", "--json", "--from", from]).exits(0).json();
    assert_eq!(
        (&told["latest"], &told["newer"], &told["origin"]),
        (&json!("9.1.0"), &json!(true), &json!("archive"))
    );
    let before = std::fs::metadata(&program).unwrap().len();
    // Nobody is there to answer.
    sandbox.run(["update", "--from", from]).exits(2).notes("--yes");
    assert_eq!(std::fs::metadata(&program).unwrap().len(), before);
    sandbox.run(["update", "--yes", "--from", from]).exits(0).says("is hermes 9.1.0 now");
    assert_eq!(std::fs::read_to_string(&program).unwrap(), script("9.1.0"));
    let old = Sandbox::of(program.with_file_name("hermes.old"));
    old.run(["--version"]).exits(0).says("hermes 0.");
    let names: Vec<_> = std::fs::read_dir(program.parent().unwrap()).unwrap().flatten().collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn what_is_damaged_or_does_not_start_here_replaces_nothing() {
    let (sandbox, program, _folder) = unpacked();
    let before = std::fs::metadata(&program).unwrap().len();
    let refused = |folder: &str, why: &str| {
        let from = sandbox.scratch(folder);
        sandbox.run(["update", "--yes", "--from", from.to_str().unwrap()]).exits(1).notes(why);
        assert_eq!(std::fs::metadata(&program).unwrap().len(), before, "{folder}");
        let names = std::fs::read_dir(program.parent().unwrap()).unwrap().count();
        assert_eq!(names, 1, "{folder}");
    };
    let file = release(&sandbox.scratch("damaged"), "9.1.0", &script("9.1.0"));
    std::fs::OpenOptions::new().append(true).open(file).unwrap().write_all(b"x").unwrap();
    refused("damaged", "instead of");
    let file = release(&sandbox.scratch("unsigned"), "9.1.0", &script("9.1.0"));
    std::fs::remove_file(file.with_extension("gz.sha256")).unwrap();
    refused("unsigned", "nothing says the archive is whole");
    release(&sandbox.scratch("other"), "9.1.0", &script("8.0.0"));
    refused("other", "does not run here");
    release(&sandbox.scratch("dead"), "9.1.0", "#!/bin/sh\nexit 127\n");
    refused("dead", "does not run here");
    std::fs::create_dir(sandbox.scratch("empty")).unwrap();
    refused("empty", "no archive for this machine");
}

#[test]
fn a_release_is_told_of_and_fetched_over_http() {
    let (sandbox, program, _folder) = unpacked();
    let file = release(&sandbox.scratch("release"), "9.1.0", &script("9.1.0"));
    let name = file.file_name().unwrap().to_str().unwrap().to_owned();
    let folder = file.parent().unwrap().to_owned();
    let server = WebServer::start(move |seen| match seen.path.as_str() {
        "/latest" => {
            let host = seen.header("host").unwrap();
            let asset = |name: &str| json!({"name": name, "browser_download_url": format!("http://{host}/{name}")});
            let assets = [asset(&name), asset(&format!("{name}.sha256"))];
            WebReply::json(&json!({"tag_name": "v9.1.0", "assets": assets}))
        }
        path => WebReply::bytes(std::fs::read(folder.join(path.trim_start_matches('/'))).unwrap()),
    });
    let from = format!("{}/latest", server.origin());
    sandbox.run(["update", "--yes", "--from", &from]).exits(0).says("is hermes 9.1.0 now");
    assert_eq!(std::fs::read_to_string(&program).unwrap(), script("9.1.0"));
}

#[test]
fn what_a_package_manager_put_there_is_its_own() {
    let sandbox = Sandbox::new();
    release(&sandbox.scratch("release"), "9.1.0", &script("9.1.0"));
    let module = sandbox.scratch("lib/node_modules/hermes-rs/bin");
    std::fs::create_dir_all(&module).unwrap();
    let program = put_into(&module);
    let before = std::fs::metadata(&program).unwrap().len();
    let npm = Sandbox::of(&program);
    let from = sandbox.scratch("release");
    npm.run(["update", "--yes", "--from", from.to_str().unwrap()])
        .exits(0)
        .says("npm install --global hermes-rs@latest");
    npm.run(["uninstall", "--yes"]).exits(0).says("npm uninstall --global hermes-rs");
    assert_eq!(std::fs::metadata(&program).unwrap().len(), before);
    assert_eq!(npm.run(["version", "--json"]).exits(0).json()["origin"], "npm");
    npm.run(["version"]).exits(0).says("an npm package");
}

#[test]
fn uninstalling_asks_and_keeps_the_home_unless_it_is_named() {
    let (sandbox, program, _folder) = unpacked();
    sandbox.write("config.yaml", "timezone: UTC\n");
    sandbox.run(["profile", "create", "work"]).exits(0);
    let alias = sandbox.scratch("user/.local/bin/work");
    assert!(alias.exists());
    sandbox.run(["uninstall", "--dry-run"]).exits(0).says("stays").says(alias.to_str().unwrap());
    sandbox.run(["uninstall"]).exits(2).notes("nothing was removed");
    sandbox.run(["uninstall", "--yes", "--full"]).exits(2).notes("--home-name");
    sandbox.run(["uninstall", "--yes", "--full", "--home-name", "wrong"]).exits(2);
    assert!(program.exists() && alias.exists() && sandbox.path("config.yaml").exists());
    sandbox.run(["uninstall", "--yes"]).exits(0).says("is as it was");
    assert!(!program.exists() && !alias.exists() && sandbox.path("config.yaml").exists());
    let (sandbox, program, _folder) = unpacked();
    sandbox.write("config.yaml", "timezone: UTC\n");
    sandbox.run(["uninstall", "--yes", "--full", "--home-name", "home"]).exits(0).says("is gone");
    assert!(!program.exists() && !sandbox.home().exists());
}
