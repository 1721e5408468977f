//! Files in both directions: what an answer attaches, and whether it may leave.
//!
//! An answer names a file with `MEDIA:/absolute/path`, outside of code. A path that is only mentioned is never sent. What may
//! leave is what the agent's own file tools would read, and never a key, whatever it is called.

use std::path::{Path, PathBuf};

use hermes_guard::paths::{PathFaces, PathRules};
use hermes_host::Host;
use hermes_store::home::Home;

use crate::adapter::{MediaKind, OutgoingFile};

/// The largest file that is read to be sent.
const MAX_OUT: u64 = 100 * 1024 * 1024;
/// How much of a file is looked at for keys.
const LOOK: usize = 64 * 1024;

/// What an answer attaches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Attachments {
    pub(crate) paths: Vec<String>,
    pub(crate) as_voice: bool,
    pub(crate) as_document: bool,
}

/// The text without its tags, and what they name. Code is left alone.
pub(crate) fn attachments(text: &str) -> (String, Attachments) {
    let mut found = Attachments::default();
    let mut out = Vec::new();
    let mut fence: Option<char> = None;
    for line in text.split('\n') {
        let bare = line.trim_start();
        let sign = bare.chars().next().filter(|sign| matches!(sign, '`' | '~'));
        if let Some(sign) = sign.filter(|sign| bare.starts_with(&sign.to_string().repeat(3))) {
            match fence {
                Some(open) if open == sign => fence = None,
                None => fence = Some(sign),
                Some(_) => {}
            }
            out.push(line.to_owned());
            continue;
        }
        if fence.is_some() || bare.starts_with('>') {
            out.push(line.to_owned());
            continue;
        }
        let kept = take_tags(line, &mut found);
        // A line that held nothing but a tag is gone with it.
        if !kept.trim().is_empty() || line.trim().is_empty() {
            out.push(kept);
        }
    }
    (out.join("\n"), found)
}

/// The text of an answer without its `MEDIA:` tags, and the paths that they name.
#[must_use]
pub fn named_files(text: &str) -> (String, Vec<String>) {
    let (text, found) = attachments(text);
    (text, found.paths)
}

fn take_tags(line: &str, found: &mut Attachments) -> String {
    let mut kept = String::new();
    let mut rest = line;
    let mut in_code = false;
    while let Some(first) = rest.chars().next() {
        let outside = !in_code;
        if outside && let Some(after) = rest.strip_prefix("[[audio_as_voice]]") {
            found.as_voice = true;
            rest = after;
            continue;
        }
        if outside && let Some(after) = rest.strip_prefix("[[as_document]]") {
            found.as_document = true;
            rest = after;
            continue;
        }
        let begins_word = kept
            .chars()
            .next_back()
            .is_none_or(|before| before.is_whitespace() || matches!(before, '(' | '[' | '*' | '_'));
        if outside
            && begins_word
            && let Some(after) = rest.strip_prefix("MEDIA:")
            && let Some((path, after)) = path_of(after)
        {
            found.paths.push(path.to_owned());
            rest = after;
            continue;
        }
        if first == '`' {
            in_code = !in_code;
        }
        kept.push(first);
        rest = rest.get(first.len_utf8()..).unwrap_or_default();
    }
    kept
}

/// A path behind a tag, quoted or up to a blank; closing punctuation is not part of it.
fn path_of(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start_matches(' ');
    if let Some(quote @ ('"' | '\'')) = text.chars().next() {
        let inner = text.get(1..)?;
        let end = inner.find(quote)?;
        return Some((inner.get(..end)?, inner.get(end + 1..)?))
            .filter(|(path, _)| path.starts_with('/'));
    }
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let word =
        text.get(..end)?.trim_end_matches([',', '.', ';', ':', '!', '?', ')', ']', '*', '_']);
    word.starts_with('/').then_some(())?;
    Some((word, text.get(word.len()..)?))
}

/// A text as it is shown: no tags, no directives.
pub(crate) fn without_directives(text: &str) -> String {
    attachments(text).0
}

/// A whole answer as a file, where it would be too many messages.
pub(crate) fn whole_answer(text: &str) -> OutgoingFile {
    OutgoingFile {
        kind: MediaKind::Document,
        path: PathBuf::new(),
        name: "answer.md".to_owned(),
        mime: "text/markdown".to_owned(),
        bytes: text.as_bytes().to_vec(),
        caption: None,
        reply_to: None,
    }
}

/// Where files may come from.
pub(crate) struct DeliveryRules {
    pub(crate) rules: PathRules,
}

/// Names of files with secrets, wherever they are.
const SECRET_NAMES: [&str; 9] = [
    "auth.json",
    "credentials",
    "credentials.json",
    ".netrc",
    ".pgpass",
    "id_rsa",
    "id_ed25519",
    "id_ecdsa",
    "state.db",
];
/// Folders nothing leaves from.
const CLOSED: [&str; 6] = ["/etc", "/proc", "/sys", "/dev", "/boot", "/var/lib"];
/// Folders below a home nothing leaves from.
const CLOSED_AT_HOME: [&str; 9] = [
    ".ssh",
    ".aws",
    ".gnupg",
    ".kube",
    ".docker",
    ".config",
    ".azure",
    ".gcloud",
    "Library/Keychains",
];

impl DeliveryRules {
    /// Those of a host: what its file tools would read.
    pub(crate) fn of(host: &Host) -> Self {
        Self::around(host.vars().get("HOME").map(PathBuf::from), host.home())
    }

    fn around(user_home: Option<PathBuf>, home: &Home) -> Self {
        // The rules compare with paths whose links are followed, so theirs must be too.
        let real = |path: PathBuf| path.canonicalize().unwrap_or(path);
        let homes = [Some(home.clone()), home.of_default_profile()];
        Self {
            rules: PathRules {
                user_home: user_home.map(real),
                agent_homes: homes
                    .into_iter()
                    .flatten()
                    .map(|home| real(home.root().to_owned()))
                    .collect(),
                ..PathRules::default()
            },
        }
    }

    /// Reads a file that may leave.
    ///
    /// # Errors
    /// Why it may not, in a line for people that names the file and not its content.
    pub(crate) fn read(
        &self,
        path: &str,
        directives: &Attachments,
    ) -> Result<OutgoingFile, String> {
        let refused = |why: &str| format!("I did not send `{path}`: {why}.");
        let literal = Path::new(path);
        let canonical = literal.canonicalize().map_err(|_| refused("there is no such file"))?;
        let about = canonical.metadata().map_err(|_| refused("it cannot be read"))?;
        if !about.is_file() {
            return Err(refused("it is no regular file"));
        }
        if about.len() > MAX_OUT {
            return Err(refused("it is too large"));
        }
        for face in [literal, canonical.as_path()] {
            self.check(face).map_err(refused)?;
        }
        let faces = PathFaces { literal, hops: &[], canonical: &canonical };
        self.rules.check_read(&faces).map_err(|_| refused("the agent may not read it either"))?;
        let bytes = std::fs::read(&canonical).map_err(|_| refused("it cannot be read"))?;
        if holds_key(&bytes) {
            return Err(refused("it holds a private key"));
        }
        let name = canonical.file_name().map(|name| name.to_string_lossy().into_owned());
        let (mut kind, mime) = kind_of(&bytes, &canonical);
        if directives.as_document {
            kind = MediaKind::Document;
        } else if kind == MediaKind::Audio && directives.as_voice {
            kind = MediaKind::Voice;
        }
        Ok(OutgoingFile {
            kind,
            path: canonical,
            name: name.unwrap_or_else(|| "file".to_owned()),
            mime: mime.to_owned(),
            bytes,
            caption: None,
            reply_to: None,
        })
    }

    fn check(&self, path: &Path) -> Result<(), &'static str> {
        let name =
            path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        if name.starts_with(".env") || name.ends_with(".env") {
            return Err("files of variables stay here");
        }
        if SECRET_NAMES.contains(&name.as_str())
            || name.ends_with(".token")
            || name.ends_with(".key")
        {
            return Err("it is a file of secrets");
        }
        if CLOSED.iter().any(|folder| path.starts_with(folder)) {
            return Err("files of the system stay here");
        }
        let at_home =
            |home: &PathBuf| CLOSED_AT_HOME.iter().any(|below| path.starts_with(home.join(below)));
        if self.rules.user_home.iter().any(at_home) {
            return Err("it is in a folder of secrets");
        }
        let own = ["config.yaml", "pairing", "platforms", "mcp-tokens", "auth.json", "sessions"];
        let in_own = |home: &Path| own.iter().any(|below| path.starts_with(home.join(below)));
        let of_profile = |home: &PathBuf| {
            let profiles = home.join("profiles");
            let name = path.strip_prefix(&profiles).ok()?.iter().next()?;
            Some(profiles.join(name))
        };
        for home in &self.rules.agent_homes {
            if in_own(home) || of_profile(home).is_some_and(|home| in_own(&home)) {
                return Err("it is part of my own state");
            }
        }
        Ok(())
    }
}

fn holds_key(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(bytes.get(..LOOK).unwrap_or(bytes));
    head.contains("PRIVATE KEY-----")
        || head.contains("AGE-SECRET-KEY-")
        || head.starts_with("openssh-key-v1")
        || head.contains("PuTTY-User-Key-File")
}

/// What a file is, by its content first.
pub(crate) fn kind_of(bytes: &[u8], path: &Path) -> (MediaKind, &'static str) {
    let starts = |magic: &[u8]| bytes.starts_with(magic);
    let at =
        |place: usize, magic: &[u8]| bytes.get(place..).is_some_and(|rest| rest.starts_with(magic));
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    match () {
        () if starts(b"\x89PNG\r\n") => (MediaKind::Photo, "image/png"),
        () if starts(b"\xff\xd8\xff") => (MediaKind::Photo, "image/jpeg"),
        () if starts(b"GIF8") => (MediaKind::Photo, "image/gif"),
        () if starts(b"RIFF") && at(8, b"WEBP") => (MediaKind::Photo, "image/webp"),
        () if starts(b"OggS") => (MediaKind::Audio, "audio/ogg"),
        () if starts(b"ID3") || starts(b"\xff\xfb") => (MediaKind::Audio, "audio/mpeg"),
        () if starts(b"RIFF") && at(8, b"WAVE") => (MediaKind::Audio, "audio/wav"),
        () if at(4, b"ftypM4A") => (MediaKind::Audio, "audio/mp4"),
        () if at(4, b"ftyp") => (MediaKind::Video, "video/mp4"),
        () if starts(b"%PDF-") => (MediaKind::Document, "application/pdf"),
        () if matches!(ending.as_deref(), Some("md" | "txt" | "csv" | "log")) => {
            (MediaKind::Document, "text/plain")
        }
        () => (MediaKind::Document, "application/octet-stream"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_taken_outside_of_code_and_cut_from_the_text() {
        let text = "Here: MEDIA:/tmp/a.png, and\nMEDIA:\"/tmp/b c.pdf\"\n`MEDIA:/tmp/no`\n```\nMEDIA:/tmp/no2\n```\n> MEDIA:/tmp/no3\nsee /tmp/x.png [[as_document]]";
        let (kept, found) = attachments(text);
        assert_eq!(found.paths, ["/tmp/a.png", "/tmp/b c.pdf"]);
        assert!(found.as_document);
        assert_eq!(
            kept,
            "Here: , and\n`MEDIA:/tmp/no`\n```\nMEDIA:/tmp/no2\n```\n> MEDIA:/tmp/no3\nsee /tmp/x.png "
        );
    }

    #[test]
    fn secrets_do_not_leave_whatever_they_are_called() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        let put = |name: &str, text: &[u8]| {
            let path = home.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            #[expect(clippy::disallowed_methods, reason = "a test's own file")]
            std::fs::write(&path, text).unwrap();
            path.display().to_string()
        };
        let own = Home::at(home.join(".hermes/profiles/travel"));
        let rules = DeliveryRules::around(Some(home.clone()), &own);
        let read = |path: &str| rules.read(path, &Attachments::default());
        let picture = put("project/p.png", b"\x89PNG\r\n\x1a\nrest");
        assert_eq!(read(&picture).unwrap().bytes, b"\x89PNG\r\n\x1a\nrest");
        let key = put("project/slides.txt", b"-----BEGIN OPENSSH PRIVATE KEY-----\nx");
        let env = put("project/.env.local", b"A=1");
        let ssh = put(".ssh/known", b"x");
        let link = home.join("project/innocent.txt");
        std::os::unix::fs::symlink(&ssh, &link).unwrap();
        let link = link.display().to_string();
        for bad in [&key, &env, &ssh, &link, &"/etc/passwd".to_owned(), &"/nowhere".to_owned()] {
            let refusal = read(bad).unwrap_err();
            assert!(refusal.contains(bad.as_str()), "{refusal}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "[a-zM:EDIA/`~\"' \n\\[\\]_.]{0,80}") {
            let _ = attachments(&text);
        }
    }
}
