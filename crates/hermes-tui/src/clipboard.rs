//! What lies in the clipboard: an image, or text.
//!
//! The programs that know are tried in turn: `wl-paste` under Wayland, `xclip` under X, and on a Mac
//! `pngpaste` for images and `pbpaste` for text. An image goes into a file before anything sees it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hermes_process::{CaptureLimit, Command, OutputMode};
use hermes_store::home::ensure_private_dir;
use hermes_tool::Vars;

/// How long a program may take; an X server that is gone lets them hang.
const PATIENCE: Duration = Duration::from_secs(5);
/// Most characters of text.
const MAX_CHARS: usize = 1_000_000;
/// Most bytes of an image.
const MAX_BYTES: u64 = 20 * 1024 * 1024;
/// How a PNG image begins.
const PNG: &[u8] = &[0x89, b'P', b'N', b'G'];

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Clip {
    /// An image, in this file.
    Image(PathBuf),
    Text(String),
}

/// A program, and how it gives an image and a text.
struct Source {
    program: &'static str,
    /// Writes a PNG image to its output, which the shell sends into the file `$1`.
    image: Option<&'static str>,
    text: Option<&'static [&'static str]>,
}

const SOURCES: &[Source] = &[
    Source {
        program: "wl-paste",
        image: Some("exec wl-paste --type image/png > \"$1\""),
        text: Some(&["--no-newline", "--type", "text"]),
    },
    Source {
        program: "xclip",
        image: Some("exec xclip -selection clipboard -t image/png -o > \"$1\""),
        text: Some(&["-selection", "clipboard", "-o"]),
    },
    Source { program: "pngpaste", image: Some("exec pngpaste - > \"$1\""), text: None },
    Source { program: "pbpaste", image: None, text: Some(&[]) },
];

/// Looks into the clipboard. Images go into `folder`.
pub(crate) async fn read(vars: &Vars, folder: &Path) -> anyhow::Result<Clip> {
    let path = vars.get("PATH").unwrap_or_default();
    let place = |program: &str| {
        std::env::split_paths(path).map(|folder| folder.join(program)).find(|file| file.is_file())
    };
    let there: Vec<(&Source, PathBuf)> =
        SOURCES.iter().filter_map(|one| Some((one, place(one.program)?))).collect();
    if there.is_empty() {
        anyhow::bail!(
            "Nothing here can look into the clipboard.\n\
             Install wl-clipboard (Wayland) or xclip (X); text can also be pasted by the terminal."
        );
    }
    for (source, _) in &there {
        if let Some(line) = source.image
            && let Some(file) = image(line, vars, folder).await?
        {
            return Ok(Clip::Image(file));
        }
    }
    for (source, program) in &there {
        if let Some(args) = source.text
            && let Some(text) = text(program, args, vars).await
        {
            return Ok(Clip::Text(text));
        }
    }
    anyhow::bail!("There is neither an image nor text in the clipboard.")
}

fn command(program: &Path, vars: &Vars) -> Command {
    let environment = vars.iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
    Command::new(program).envs(environment).deadline(PATIENCE).output(OutputMode::Separate)
}

async fn image(line: &str, vars: &Vars, folder: &Path) -> anyhow::Result<Option<PathBuf>> {
    ensure_private_dir(folder)?;
    let stamp = jiff::Timestamp::now().as_millisecond();
    let file = folder.join(format!("paste-{stamp}-{}.png", std::process::id()));
    let run = command(Path::new("/bin/sh"), vars).args(["-c", line, "sh"]).arg(&file).run().await;
    let is_image = run.is_ok_and(|finished| finished.success()) && is_png(&file);
    if is_image {
        return Ok(Some(file));
    }
    // What is there is no image; nobody else knows of the file.
    let _ = std::fs::remove_file(&file);
    Ok(None)
}

fn is_png(file: &Path) -> bool {
    use std::io::Read as _;
    let Ok(mut file) = std::fs::File::open(file) else { return false };
    let fits = file.metadata().is_ok_and(|data| data.len() <= MAX_BYTES);
    let mut start = [0; PNG.len()];
    fits && file.read_exact(&mut start).is_ok() && start == PNG
}

async fn text(program: &Path, args: &[&str], vars: &Vars) -> Option<String> {
    let limit = CaptureLimit::chars(MAX_CHARS);
    let run = command(program, vars).args(args.iter().copied()).capture(limit).run().await;
    let finished = run.ok().filter(hermes_process::FinishedProcess::success)?;
    let text = finished.stdout.text();
    (!text.trim().is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use hermes_store::atomic::{self, WriteOptions};

    use super::*;

    /// A folder with a program that plays the clipboard.
    fn with(program: &str, body: &str) -> (tempfile::TempDir, Vars) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(program);
        let script = format!("#!/bin/sh\n{body}\n");
        atomic::write(&file, script.as_bytes(), WriteOptions::KEEP).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = format!("{}:/usr/bin:/bin", folder.path().display());
        (folder, Vars::default().overlaid([("PATH".to_owned(), path)]))
    }

    #[tokio::test]
    async fn an_image_comes_before_text() {
        let body = r#"case "$*" in *image/png*) printf '\211PNG\r\n';; *) echo words;; esac"#;
        let (folder, vars) = with("xclip", body);
        let found = read(&vars, &folder.path().join("cache")).await.unwrap();
        let Clip::Image(file) = found else { panic!("{found:?}") };
        assert!(std::fs::read(file).unwrap().starts_with(PNG));
    }

    #[tokio::test]
    async fn text_is_taken_where_there_is_no_image_and_no_file_is_left() {
        let body = r#"case "$*" in *image/png*) echo oops; exit 1;; *) printf 'two\nlines';; esac"#;
        let (folder, vars) = with("wl-paste", body);
        let cache = folder.path().join("cache");
        assert_eq!(read(&vars, &cache).await.unwrap(), Clip::Text("two\nlines".into()));
        assert_eq!(std::fs::read_dir(cache).unwrap().count(), 0);
    }

    #[tokio::test]
    async fn an_empty_clipboard_and_a_missing_program_are_told_apart() {
        let (folder, vars) = with("xclip", "exit 1");
        let problem = read(&vars, folder.path()).await.unwrap_err().to_string();
        assert!(problem.contains("neither an image nor text"), "{problem}");
        let problem = read(&Vars::default(), folder.path()).await.unwrap_err().to_string();
        assert!(problem.contains("xclip"), "{problem}");
    }
}
