//! The shape of a bundle: how much there is, what cannot be read, where links lead.

use super::bundle::{BundleEntry, BundleEntryKind};
use super::finding::{SkillFinding, SkillRisk, SkillSeverity};

/// More files than a skill needs.
const MANY_FILES: usize = 50;
/// More bytes than a skill needs, in all and in one file.
const MANY_BYTES: usize = 1024 * 1024;
const LARGE_FILE: usize = 256 * 1024;

/// Programs for the machine itself.
const NATIVE: &[&str] =
    &["exe", "dll", "so", "dylib", "bin", "dat", "com", "msi", "dmg", "app", "deb", "rpm"];
/// Compiled or packed code.
const PACKED: &[&str] = &["jar", "class", "wasm", "pyc", "pyo", "whl", "node", "dex", "apk", "egg"];
const ARCHIVES: &[&str] = &["zip", "tar", "gz", "tgz", "bz2", "xz", "7z", "rar", "zst", "skill"];
/// Files that may be executable without a shebang.
const SCRIPTS: &[&str] = &[
    "sh", "bash", "zsh", "py", "js", "mjs", "ts", "rb", "pl", "php", "ps1", "lua", "r", "bat",
    "cmd",
];

pub(super) fn find(entries: &[BundleEntry<'_>], findings: &mut Vec<SkillFinding>) {
    let mut files = 0;
    let mut total = 0;
    for entry in entries {
        if entry.path.split('/').any(|part| part == ".git") {
            findings.push(finding(
                "git_directory",
                SkillSeverity::Critical,
                entry.path,
                "A repository's own folder can run code; it does not belong in a skill.",
            ));
        }
        match entry.kind {
            BundleEntryKind::File { bytes, executable } => {
                files += 1;
                total += bytes.len();
                file(entry.path, bytes, executable, findings);
            }
            BundleEntryKind::Link { target } => link(entry.path, target, entries, findings),
            BundleEntryKind::Special => {
                findings.push(finding(
                    "special_file",
                    SkillSeverity::Critical,
                    entry.path,
                    "A device or pipe does not belong in a skill.",
                ));
            }
        }
    }
    if files > MANY_FILES {
        findings.push(finding(
            "many_files",
            SkillSeverity::Medium,
            "",
            "The skill has more files than anybody reads.",
        ));
    }
    if total > MANY_BYTES {
        findings.push(finding(
            "large_bundle",
            SkillSeverity::Medium,
            "",
            "The skill is larger than skills are.",
        ));
    }
}

fn finding(
    id: &'static str,
    severity: SkillSeverity,
    path: &str,
    about: &'static str,
) -> SkillFinding {
    SkillFinding {
        pattern_id: id,
        severity,
        category: SkillRisk::Structure,
        file: path.to_owned(),
        line: 0,
        matched: super::finding::shown(path, super::finding::MAX_MATCH_CHARS),
        description: about,
    }
}

/// Whether a file is text, in whatever encoding.
fn is_readable(bytes: &[u8]) -> bool {
    matches!(super::decode::decode(bytes), super::decode::Decoded::Text(_))
}

fn file(path: &str, bytes: &[u8], executable: bool, findings: &mut Vec<SkillFinding>) {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension =
        name.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
    let has = |known: &[&str]| known.contains(&extension.as_str());
    // Text called `.dat` or `.bin` is text.
    let is_text = !super::decode::is_binary(bytes) && std::str::from_utf8(bytes).is_ok();
    if path.eq_ignore_ascii_case("SKILL.md") && !is_readable(bytes) {
        findings.push(finding(
            "unreadable_skill",
            SkillSeverity::High,
            path,
            "What the agent would read is no text.",
        ));
    }
    let is_native = is_native(bytes)
        || has(NATIVE) && !(is_text && matches!(extension.as_str(), "dat" | "bin" | "com" | "app"));
    if is_native {
        findings.push(finding(
            "native_binary",
            SkillSeverity::Critical,
            path,
            "A program nobody can read.",
        ));
    } else if has(PACKED)
        || bytes.starts_with(b"\0asm")
        || bytes.starts_with(&[0xca, 0xfe, 0xba, 0xbe])
        || bytes.starts_with(b"dex\n")
    {
        findings.push(finding(
            "packed_code",
            SkillSeverity::High,
            path,
            "Compiled or packed code nobody can read.",
        ));
    } else if has(ARCHIVES) {
        findings.push(finding(
            "archive",
            SkillSeverity::Medium,
            path,
            "An archive; what is in it was not looked at.",
        ));
    }
    if bytes.len() > LARGE_FILE {
        findings.push(finding(
            "large_file",
            SkillSeverity::Medium,
            path,
            "A file larger than skills have.",
        ));
    }
    if executable && !has(SCRIPTS) && !bytes.starts_with(b"#!") && !is_native {
        findings.push(finding(
            "executable_bit",
            SkillSeverity::Medium,
            path,
            "Executable, and no script.",
        ));
    }
}

/// Programs by their first bytes: ELF, Windows, macOS.
fn is_native(bytes: &[u8]) -> bool {
    let is_windows = bytes.starts_with(b"MZ") && super::decode::is_binary(bytes);
    bytes.starts_with(b"\x7fELF")
        || is_windows
        || [
            [0xfe, 0xed, 0xfa, 0xce],
            [0xfe, 0xed, 0xfa, 0xcf],
            [0xce, 0xfa, 0xed, 0xfe],
            [0xcf, 0xfa, 0xed, 0xfe],
        ]
        .iter()
        .any(|magic| bytes.starts_with(magic))
}

fn link(path: &str, target: &str, entries: &[BundleEntry<'_>], findings: &mut Vec<SkillFinding>) {
    match resolve(path, target) {
        None => findings.push(finding(
            "symlink_escape",
            SkillSeverity::Critical,
            path,
            "A link leads out of the skill.",
        )),
        Some(inside) => {
            let below = format!("{inside}/");
            let exists = inside.is_empty()
                || entries
                    .iter()
                    .any(|entry| entry.path == inside || entry.path.starts_with(&below));
            if !exists {
                findings.push(finding(
                    "broken_symlink",
                    SkillSeverity::Medium,
                    path,
                    "A link leads nowhere.",
                ));
            }
        }
    }
}

/// Where a link leads inside the bundle, if it stays there.
fn resolve(path: &str, target: &str) -> Option<String> {
    let target = target.replace('\\', "/");
    if target.starts_with('/') || target.contains(':') {
        return None;
    }
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(entries: &[BundleEntry<'_>]) -> Vec<&'static str> {
        let mut findings = Vec::new();
        find(entries, &mut findings);
        findings.into_iter().map(|finding| finding.pattern_id).collect()
    }

    fn link(target: &str) -> Vec<&'static str> {
        ids(&[
            BundleEntry { path: "docs/a", kind: BundleEntryKind::Link { target } },
            BundleEntry::file("docs/b.md", b"text"),
        ])
    }

    #[test]
    fn links_may_stay_inside_only() {
        assert!(link("b.md").is_empty());
        assert!(link("../docs").is_empty());
        assert_eq!(link("../../x"), ["symlink_escape"]);
        assert_eq!(link("/etc/passwd"), ["symlink_escape"]);
        assert_eq!(link("missing.md"), ["broken_symlink"]);
    }

    #[test]
    fn programs_are_known_by_their_bytes_and_names() {
        assert_eq!(ids(&[BundleEntry::file("tool", b"\x7fELF\x02\x01\0\0")]), ["native_binary"]);
        assert_eq!(ids(&[BundleEntry::file("a.exe", b"text")]), ["native_binary"]);
        assert_eq!(ids(&[BundleEntry::file("lib/x.jar", b"PK")]), ["packed_code"]);
        assert_eq!(ids(&[BundleEntry::file("a.zip", b"PK")]), ["archive"]);
        assert!(ids(&[BundleEntry::file("table.dat", b"1 2 3\n")]).is_empty());
        assert_eq!(ids(&[BundleEntry::file(".git/config", b"[core]")]), ["git_directory"]);
    }

    #[test]
    fn a_skill_that_is_no_text_is_noticed() {
        let noise: Vec<u8> = (0..600_u32).map(|at| (at * 37 % 251) as u8).collect();
        assert_eq!(ids(&[BundleEntry::file("SKILL.md", &noise)]), ["unreadable_skill"]);
        assert!(ids(&[BundleEntry::file("SKILL.md", b"\xff\xfeh\0i\0")]).is_empty());
    }

    #[test]
    fn sizes_are_noticed() {
        let large = vec![b'a'; 300 * 1024];
        assert_eq!(ids(&[BundleEntry::file("a.md", &large)]), ["large_file"]);
        let huge = vec![b'a'; 1024 * 1024 + 1];
        assert_eq!(ids(&[BundleEntry::file("a.md", &huge)]), ["large_file", "large_bundle"]);
        let paths: Vec<String> = (0..51).map(|number| format!("{number}.md")).collect();
        let many: Vec<BundleEntry<'_>> =
            paths.iter().map(|path| BundleEntry::file(path, b"x")).collect();
        assert_eq!(ids(&many), ["many_files"]);
    }

    #[test]
    fn executables_are_scripts() {
        let executable = |path, bytes| {
            ids(&[BundleEntry { path, kind: BundleEntryKind::File { bytes, executable: true } }])
        };
        assert!(executable("run.sh", b"echo").is_empty());
        assert!(executable("run", b"#!/bin/sh\n").is_empty());
        assert_eq!(executable("notes.md", b"text"), ["executable_bit"]);
    }
}
