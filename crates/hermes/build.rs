//! Has the program linked so that it starts with less.
//!
//! A program that is loaded at a random address has every address in it corrected first. Written out one by
//! one these corrections are two megabytes, read at each start; packed they are twenty kilobytes. Loaders
//! know the packed form since glibc 2.36, so it is used where the program is built for the machine that
//! builds it and that machine is new enough.

#![expect(clippy::disallowed_methods, reason = "cargo tells build scripts by variables")]

use std::env::var;

/// The first glibc that knows packed corrections.
const SINCE: (u32, u32) = (2, 36);

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is_for_here =
        var("HOST").is_ok_and(|host| var("TARGET").is_ok_and(|target| target == host));
    let is_glibc = var("CARGO_CFG_TARGET_ENV").is_ok_and(|env| env == "gnu");
    if is_for_here && is_glibc && glibc().is_some_and(|version| version >= SINCE) {
        println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
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
