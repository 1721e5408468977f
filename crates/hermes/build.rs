//! Has the program linked so that it starts with less.
//!
//! A program that is loaded at a random address has every address in it corrected first. Written out one by
//! one these corrections are two megabytes, read at each start; packed they are twenty kilobytes. Loaders
//! know the packed form since glibc 2.36, so it is used where the program is built for the machine that
//! builds it and that machine is new enough, and `HERMES_OLD_LOADERS` does not say that it shall run on others
//! (`cargo xtask dist`).
//!
//! And the linker is told which functions everyday runs use (`link/order.txt`, made by `cargo xtask order`), so that they
//! lie side by side: a run maps the pages it touches and their neighbours, and a third less memory is taken. Only lld
//! knows how; it is the linker of Rust's own toolchain on this target.

#![expect(clippy::disallowed_methods, reason = "cargo tells build scripts by variables")]

use std::env::var;
use std::path::Path;

/// The order of functions, beside the manifest.
const ORDER: &str = "link/order.txt";
/// The first glibc that knows packed corrections.
const SINCE: (u32, u32) = (2, 36);

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=HERMES_OLD_LOADERS");
    let is_for_here =
        var("HOST").is_ok_and(|host| var("TARGET").is_ok_and(|target| target == host));
    let is_glibc = var("CARGO_CFG_TARGET_ENV").is_ok_and(|env| env == "gnu");
    let for_old_loaders = var("HERMES_OLD_LOADERS").is_ok_and(|value| value == "1");
    if is_for_here
        && is_glibc
        && !for_old_loaders
        && glibc().is_some_and(|version| version >= SINCE)
    {
        println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
    println!("cargo:rerun-if-changed={ORDER}");
    let order = Path::new(&var("CARGO_MANIFEST_DIR").unwrap_or_default()).join(ORDER);
    if var("PROFILE").is_ok_and(|profile| profile == "release")
        && order.exists()
        && links_with_lld()
    {
        println!("cargo:rustc-link-arg-bins=-Wl,--symbol-ordering-file={}", order.display());
        println!("cargo:rustc-link-arg-bins=-Wl,--no-warn-symbol-ordering");
    }
}

/// Whether rustc links with the lld that it brings along: it does on this target unless somebody names a linker, or
/// built a rustc without it.
fn links_with_lld() -> bool {
    let is_usual_target = var("TARGET").is_ok_and(|target| target == "x86_64-unknown-linux-gnu");
    let is_left_to_rustc = var("RUSTC_LINKER").is_err()
        && !var("CARGO_ENCODED_RUSTFLAGS").is_ok_and(|flags| flags.contains("link"));
    is_usual_target && is_left_to_rustc && brings_lld().unwrap_or(false)
}

/// Whether the toolchain that cargo came with has it.
fn brings_lld() -> Option<bool> {
    let cargo = var("CARGO").ok()?;
    let toolchain = Path::new(&cargo).parent()?.parent()?;
    Some(toolchain.join("lib/rustlib/x86_64-unknown-linux-gnu/bin/gcc-ld/ld.lld").exists())
}

/// The version of the glibc that this very script runs with: the library says it in its own words.
fn glibc() -> Option<(u32, u32)> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let library = maps.lines().find_map(|line| Some(&line[line.find('/')?..]).filter(is_libc))?;
    let library = std::fs::read(library).ok()?;
    let words = b"release version ";
    let at = library.windows(words.len()).position(|window| window == words)? + words.len();
    let version = String::from_utf8_lossy(library.get(at..at + 16)?);
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

fn is_libc(path: &&str) -> bool {
    path.ends_with("/libc.so.6")
}
