//! What a message names with `@`: files, parts of files, folders, the change in the repository, images.
//!
//! `@src/main.rs`, `@src/main.rs:10-50`, `@src/` and `@diff` are looked up when the message is sent, and what they name
//! goes along with it, for the model alone; `@https://…` is read by the session, past the rules for addresses. A word that names nothing is a word: names of people begin with the same sign.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hermes_guard::redact::{RedactMode, Redactor};
use hermes_process::{CaptureLimit, Command, End};
use hermes_protocol::text::count;
use hermes_protocol::{ChatSession, UserInput};

/// Most characters of one attachment.
const MAX_CHARS: usize = 100_000;
/// Most attachments of a message.
const MAX_ATTACHMENTS: usize = 20;
/// Most entries of a folder.
const MAX_ENTRIES: usize = 200;
/// Larger files are not read.
const MAX_BYTES: u64 = 20 * 1024 * 1024;
/// New files that a change shows; more are counted.
const MAX_NEW_FILES: usize = 50;
/// How long git may take.
const GIT_LIMIT: Duration = Duration::from_secs(10);

/// Where names are looked up, and what is masked.
#[derive(Clone, Debug)]
pub(crate) struct AttachmentContext {
    pub(crate) folder: PathBuf,
    /// What `~` stands for.
    pub(crate) user_home: Option<PathBuf>,
    pub(crate) redactor: Redactor,
}

/// Adds what a message names.
pub(crate) async fn with_attachments(
    mut ask: UserInput,
    place: &AttachmentContext,
    session: &dyn ChatSession,
) -> UserInput {
    let mut blocks = Vec::new();
    let mut seen = Vec::new();
    for name in named(&ask.text) {
        if seen.contains(&name) || seen.len() >= MAX_ATTACHMENTS {
            continue;
        }
        seen.push(name);
        if name == "diff" {
            let change = change(place).await;
            let text = change.map(|text| match text.trim() {
                "" => "(nothing was changed)".to_owned(),
                _ => text,
            });
            blocks.extend(text.map(|text| block(name, &text)));
            continue;
        }
        if name.starts_with("https://") || name.starts_with("http://") {
            let read = session.read_page(name.to_owned()).await;
            let text = read.unwrap_or_else(|problem| format!("(could not be read: {problem})"));
            blocks.push(block(name, &text));
            continue;
        }
        let (path, lines) = with_lines(name);
        let path = place.resolved(path);
        match std::fs::metadata(&path) {
            Ok(found) if found.is_dir() => blocks.extend(listing(name, &path)),
            Ok(found) if found.is_file() && is_image(&path) => ask.images.push(path),
            Ok(found) if found.is_file() => {
                blocks.push(file(name, &path, lines, found.len(), place));
            }
            _ => {}
        }
    }
    ask.attached.extend(blocks);
    ask
}

impl AttachmentContext {
    fn resolved(&self, path: &str) -> PathBuf {
        match (path.strip_prefix("~/"), &self.user_home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => self.folder.join(path),
        }
    }
}

/// The words that begin with the sign, without it and without the punctuation of the sentence.
fn named(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().filter_map(|word| {
        let name = word.trim_start_matches(['(', '"', '\'', '`']).strip_prefix('@')?;
        let name = name.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '"', '\'', '`']);
        (!name.is_empty()).then_some(name)
    })
}

/// A path and the lines of it that are meant, first and last.
fn with_lines(name: &str) -> (&str, Option<(usize, usize)>) {
    let read = || {
        let (path, lines) = name.rsplit_once(':')?;
        let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
        let (first, last) = (first.parse().ok()?, last.parse().ok()?);
        (first >= 1 && last >= first).then_some((path, Some((first, last))))
    };
    read().unwrap_or((name, None))
}

fn is_image(path: &Path) -> bool {
    const KINDS: [&str; 5] = ["png", "jpg", "jpeg", "gif", "webp"];
    let kind = path.extension().and_then(|kind| kind.to_str()).map(str::to_ascii_lowercase);
    kind.is_some_and(|kind| KINDS.contains(&kind.as_str()))
}

fn file(
    name: &str,
    path: &Path,
    lines: Option<(usize, usize)>,
    size: u64,
    place: &AttachmentContext,
) -> String {
    if size > MAX_BYTES {
        return block(name, "(too large to be attached)");
    }
    let text = match std::fs::read(path) {
        Ok(bytes) if bytes.contains(&0) => return block(name, "(not a text)"),
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(problem) => return block(name, &format!("(could not be read: {problem})")),
    };
    let text = match lines {
        Some((first, last)) => {
            let lines: Vec<&str> = text.lines().skip(first - 1).take(last + 1 - first).collect();
            lines.join("\n")
        }
        None => text,
    };
    block(name, &place.redactor.redact(&text, RedactMode::CodeFile))
}

fn listing(name: &str, folder: &Path) -> Option<String> {
    let entries = std::fs::read_dir(folder).ok()?.filter_map(Result::ok);
    let mut names: Vec<String> = entries
        .map(|entry| {
            let slash = if entry.path().is_dir() { "/" } else { "" };
            format!("{}{slash}", entry.file_name().to_string_lossy())
        })
        .collect();
    names.sort();
    let more = names.len().saturating_sub(MAX_ENTRIES);
    names.truncate(MAX_ENTRIES);
    if more > 0 {
        names.push(format!("… {more} more"));
    }
    Some(block(name, &names.join("\n")))
}

/// What was changed since the last commit; nothing where git cannot tell.
pub(crate) async fn change(place: &AttachmentContext) -> Option<String> {
    let plain = ["--no-ext-diff", "--no-textconv", "--no-color"];
    let mut args = vec!["diff"];
    args.extend(plain);
    args.extend(["HEAD", "--"]);
    let mut change = git(&place.folder, &args, &[0]).await?;
    let new =
        git(&place.folder, &["ls-files", "--others", "--exclude-standard", "-z"], &[0]).await?;
    let new: Vec<&str> = new.split('\0').filter(|name| !name.is_empty()).collect();
    for name in new.iter().take(MAX_NEW_FILES) {
        let mut args = vec!["diff"];
        args.extend(plain);
        args.extend(["--no-index", "--", "/dev/null", name]);
        // It exits with 1 where there is a difference.
        change.push_str(&git(&place.folder, &args, &[0, 1]).await.unwrap_or_default());
    }
    let more = new.len().saturating_sub(MAX_NEW_FILES);
    if more > 0 {
        change.push_str(&format!("and {}\n", count(more, "further new file")));
    }
    Some(place.redactor.redact(&change, RedactMode::CodeFile).into_owned())
}

/// What git writes, if it ends in one of these ways.
async fn git(folder: &Path, args: &[&str], good: &[i32]) -> Option<String> {
    let done = Command::new("git")
        .args(args.iter().map(|arg| (*arg).to_owned()))
        .cwd(folder.to_owned())
        .capture(CaptureLimit::chars(MAX_CHARS))
        .deadline(GIT_LIMIT)
        .run()
        .await
        .ok()?;
    match done.end {
        End::Exited(code) if good.contains(&code) => Some(done.stdout.text()),
        _ => None,
    }
}

fn block(name: &str, text: &str) -> String {
    let cut: String = text.chars().take(MAX_CHARS).collect();
    let note = if cut.len() < text.len() { "\n(cut here)" } else { "" };
    format!("<attached name=\"{name}\">\n{}{note}\n</attached>", cut.trim_end_matches('\n'))
}

#[cfg(test)]
mod tests {
    use hermes_store::atomic::{WriteOptions, write};
    use proptest::prelude::*;

    use super::*;
    use crate::channel::ChatSender;
    use crate::test_session::ScriptedSession;

    async fn sent(files: &[(&str, &[u8])], text: &str) -> UserInput {
        let temp = tempfile::tempdir().unwrap();
        for (name, bytes) in files {
            let path = temp.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            write(&path, bytes, WriteOptions::KEEP).unwrap();
        }
        let folder = temp.path().to_owned();
        let place = AttachmentContext { folder, user_home: None, redactor: Redactor::default() };
        let (sender, _receiver) = ChatSender::pair();
        let session = ScriptedSession::new(&sender, |_| Vec::new());
        with_attachments(UserInput::from(text.to_owned()), &place, &session).await
    }

    #[tokio::test]
    async fn pages_are_read_by_the_session_and_a_refusal_is_told() {
        let ask = sent(&[], "see @https://example.org/a, and @http://10.0.0.1/").await;
        let [page, refused] = &ask.attached[..] else { panic!("{:?}", ask.attached) };
        assert_eq!(
            page,
            "<attached name=\"https://example.org/a\">\npage of https://example.org/a\n</attached>"
        );
        assert!(refused.contains("(could not be read: a private address)"), "{refused}");
    }

    #[tokio::test]
    async fn files_parts_and_folders_go_along() {
        let files: [(&str, &[u8]); 3] = [("a.txt", b"1\n2\n3\n4\n"), ("d/x", b""), ("d/y", b"")];
        let ask = sent(&files, "compare @a.txt:2-3 and (@a.txt), see @d/ and @nobody").await;
        assert_eq!(ask.text, "compare @a.txt:2-3 and (@a.txt), see @d/ and @nobody");
        assert_eq!(
            ask.attached,
            [
                "<attached name=\"a.txt:2-3\">\n2\n3\n</attached>",
                "<attached name=\"a.txt\">\n1\n2\n3\n4\n</attached>",
                "<attached name=\"d/\">\nx\ny\n</attached>"
            ]
        );
    }

    #[tokio::test]
    async fn images_are_shown_and_what_is_no_text_is_not_read() {
        let ask = sent(&[("p.PNG", b"\x89PNG"), ("b", b"a\0b")], "look @p.PNG @b").await;
        assert_eq!(ask.images.len(), 1);
        assert!(ask.attached[0].ends_with("(not a text)\n</attached>"), "{:?}", ask.attached);
    }

    #[tokio::test]
    async fn a_message_without_names_stays_as_it_is() {
        let ask = sent(&[], "write to me@example.org").await;
        assert_eq!(ask, UserInput::from("write to me@example.org".to_owned()));
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange(text in "[@:0-9a-z./ -]{0,60}") {
            for name in named(&text) {
                let (path, lines) = with_lines(name);
                prop_assert!(!name.is_empty() && path.len() <= name.len());
                prop_assert!(lines.is_none_or(|(first, last)| first >= 1 && last >= first));
            }
        }
    }
}
