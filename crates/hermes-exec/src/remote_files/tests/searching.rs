use std::time::{Duration, SystemTime};

use hermes_files::fs::{ContentQuery, NameQuery, SearchRoot};
use hermes_files::search::{ContentOutput, Page, SearchEnding};
use tokio_util::sync::CancellationToken;

use super::*;

/// A repository inside a larger tree, with everything the walker has an opinion on.
fn project(base: &Path) {
    put(base.join("repo/.git/config"), "needle in git\n");
    put(base.join("repo/.git/info/exclude"), "excluded.txt\n");
    put(base.join("repo/.gitignore"), "target/\n*.log\n!keep.log\n/only-top\n");
    put(base.join("repo/.ignore"), "ignored-by-all\n");
    put(base.join("repo/src/main.rs"), "fn main() {\n    needle();\n}\n");
    put(base.join("repo/src/lib.rs"), "// nothing\n// needle one\n// x\n// needle two\n");
    put(base.join("repo/src/.gitignore"), "generated\n!target/\n");
    put(base.join("repo/src/generated/a.rs"), "needle\n");
    put(base.join("repo/src/target/kept.rs"), "needle kept\n");
    put(base.join("repo/src/it's \"odd\"\nname.rs"), "odd needle\r\n");
    put(base.join("repo/-dash.rs"), "dash needle\n");
    put(base.join("repo/target/debug/deep/out.rs"), "needle target\n");
    put(base.join("repo/trace.log"), "needle log\n");
    put(base.join("repo/keep.log"), "needle keep\n");
    put(base.join("repo/excluded.txt"), "needle excluded\n");
    put(base.join("repo/ignored-by-all"), "needle\n");
    put(base.join("repo/only-top"), "needle\n");
    put(base.join("repo/src/only-top"), "needle below\n");
    put(base.join("repo/.hidden/a.rs"), "needle hidden\n");
    put(base.join("repo/.github/workflows/ci.yml"), "needle: yes\n");
    put(base.join("repo/.env"), "NEEDLE=needle\n");
    put(base.join("repo/binary.bin"), b"needle\0\xff\xfe");
    let wide: Vec<u8> = "\u{feff}wide needle\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    put(base.join("repo/wide.txt"), wide);
    put(base.join("repo/secret/key.txt"), "needle secret\n");
    put(base.join("repo/empty"), "");
    put(base.join("repo/Upper.TXT"), "NEEDLE\n");
    put(base.join("all-hidden/.git/HEAD"), "");
    put(base.join("all-hidden/.gitignore"), "hidden/\n*.log\n");
    put(base.join("all-hidden/a.log"), "needle log\n");
    put(base.join("all-hidden/hidden/a.rs"), "needle hidden\n");
    put(base.join("outside/.gitignore"), "*.rs\n");
    put(base.join("outside/a.rs"), "needle outside\n");
    put(base.join("deep/in/side/.git/HEAD"), "");
    put(base.join("deep/in/.gitignore"), "*.rs\n");
    put(base.join("deep/in/side/a.rs"), "needle deep\n");
    symlink("src/main.rs", base.join("repo/link.rs")).unwrap();
    symlink("src", base.join("repo/link-dir")).unwrap();
    nix::unistd::mkfifo(&base.join("repo/pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    std::fs::hard_link(base.join("repo/src/lib.rs"), base.join("repo/src/second.rs")).unwrap();
    age(base);
}

/// Gives every file a time of its own.
fn age(base: &Path) {
    let mut files: Vec<PathBuf> = Vec::new();
    let mut left = vec![base.to_owned()];
    while let Some(directory) = left.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let entry = entry.unwrap();
            match entry.file_type().unwrap() {
                kind if kind.is_dir() => left.push(entry.path()),
                kind if kind.is_file() => files.push(entry.path()),
                _ => {}
            }
        }
    }
    files.sort_by_key(|path| path.file_name().map(std::ffi::OsStr::to_owned));
    for (minutes, path) in (0..).zip(files) {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 + minutes * 60);
        std::fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    }
}

fn place(base: &Path, below: &str) -> SearchRoot {
    SearchRoot {
        root: if below.is_empty() { base.to_owned() } else { base.join(below) },
        shown_root: format!("./{below}"),
        cancel: CancellationToken::new(),
        denied: Arc::new(|path| path.to_string_lossy().contains("/secret/")),
    }
}

fn lines(pattern: &str) -> ContentQuery {
    ContentQuery {
        pattern: pattern.to_owned(),
        file_glob: None,
        output: ContentOutput::Rows,
        context: 0,
        page: Page::default(),
    }
}

async fn same_content(twins: &Twins, below: &str, query: ContentQuery) -> String {
    let what = format!("{below}: {query:?}");
    twins
        .agree(&what, async |files, base| {
            let mut query = query.clone();
            let rooted = |glob: String| glob.replace("BASE", &base.display().to_string());
            query.file_glob = query.file_glob.map(rooted);
            match files.search_content(place(&base, below), query).await {
                Ok(reply) => format!("{reply:#?}"),
                Err(error) => format!("error: {error}"),
            }
        })
        .await
}

async fn same_names(twins: &Twins, below: &str, query: NameQuery) -> String {
    twins
        .agree(&format!("{below}: {query:?}"), async |files, base| {
            let mut query = query.clone();
            query.pattern = query.pattern.replace("BASE", &base.display().to_string());
            match files.search_names(place(&base, below), query).await {
                Ok(reply) => format!("{reply:#?}"),
                Err(error) => format!("error: {error}"),
            }
        })
        .await
}

#[tokio::test]
async fn lines_are_found_alike_whatever_the_pattern() {
    let twins = Twins::new(project);
    for pattern in [
        "needle",
        "(?i)needle",
        r"^\s*needle\(\);$",
        "n.edle (one|two|kept)",
        r"\w+",
        "x*",
        "needle$",
        "absent",
        r"a\nb",
        "bro(ken",
    ] {
        same_content(&twins, "repo", lines(pattern)).await;
    }
    let found = same_content(&twins, "repo", lines("needle")).await;
    for shown in
        ["src/main.rs", "odd needle", "wide needle", "needle kept", "keep.log", "second.rs"]
    {
        assert!(found.contains(shown), "{shown} is missing in {found}");
    }
    for hidden in ["out.rs", "trace.log", "excluded", "secret", "binary", "hidden", "link"] {
        assert!(!found.contains(hidden), "{hidden} is in {found}");
    }
    assert!(found.contains("omitted: 1"), "{found}");
}

#[tokio::test]
async fn lines_are_found_alike_wherever_the_search_begins() {
    let twins = Twins::new(project);
    for below in [
        "",
        "repo/src",
        "repo/target",
        "repo/src/generated",
        "repo/.hidden",
        "repo/.git",
        "repo/secret",
        "repo/secret/key.txt",
        "repo/src/lib.rs",
        "repo/trace.log",
        "repo/binary.bin",
        "repo/pipe",
        "repo/empty",
        "all-hidden",
        "outside",
        "deep/in/side",
        "repo/sorce/main.rs",
        "rep/src",
        "repo/empty/below",
    ] {
        same_content(&twins, below, lines("needle")).await;
    }
}

#[tokio::test]
async fn lines_are_found_alike_with_every_glob_output_and_page() {
    let twins = Twins::new(project);
    for glob in [
        "*.rs",
        "rust",
        "!*.rs",
        "src/*.rs",
        "BASE/repo/src/*.rs",
        "!BASE/repo/src/*.rs",
        ".env*",
        ".github/**",
        ".*/*.rs",
        ".git/**",
        "**/deep/*",
        "[id].rs",
        "[bad",
        "target/**",
    ] {
        same_content(
            &twins,
            "repo",
            ContentQuery { file_glob: Some(glob.into()), ..lines("needle") },
        )
        .await;
    }
    for output in [ContentOutput::FilesOnly, ContentOutput::Counts] {
        same_content(&twins, "repo", ContentQuery { output, ..lines("needle") }).await;
    }
    for offset in [0, 2, 4, 40] {
        let page = Page { limit: 2, offset };
        same_content(&twins, "repo", ContentQuery { page, context: 1, ..lines("needle") }).await;
    }
}

#[tokio::test]
async fn names_are_found_alike() {
    let twins = Twins::new(project);
    for pattern in [
        "*.rs",
        "*",
        "**/*.rs",
        "main.rs",
        "MAIN",
        "src/lib.rs",
        "BASE/repo/src/*.rs",
        "BASE/repo/src/lib.rs",
        "out.rs",
        "target/**",
        ".env",
        ".github/workflows/ci.yml",
        ".*",
        "key*",
        "nothing-like-it",
        "[bad",
        "{main,lib}.rs",
    ] {
        same_names(&twins, "repo", NameQuery { pattern: pattern.into(), page: Page::default() })
            .await;
    }
    for below in ["", "repo/src", "repo/target", "repo/src/main.rs", "repo/sorce", "repo/pipe"] {
        same_names(&twins, below, NameQuery { pattern: "*.rs".into(), page: Page::default() })
            .await;
    }
    for pattern in ["a.*", "*.log", "a"] {
        let query = NameQuery { pattern: pattern.into(), page: Page::default() };
        same_names(&twins, "all-hidden", query).await;
    }
    let newest = NameQuery { pattern: "*".into(), page: Page { limit: 3, offset: 2 } };
    same_names(&twins, "repo", newest).await;
}

#[tokio::test]
async fn only_what_matters_travels() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    project(&base);
    put(base.join("repo/large.txt"), vec![b'x'; 3_000_000]);
    put(base.join("repo/secret/large.txt"), "needle\n".repeat(100_000));
    struct Scale(Arc<LocalShell>, Arc<AtomicUsize>);
    impl ScriptRunner for Scale {
        fn run(&self, job: ScriptJob) -> BoxFuture<Result<RawRun, ExecError>> {
            let (run, weight) = (self.0.run(job), Arc::clone(&self.1));
            Box::pin(async move {
                let run = run.await?;
                weight.fetch_add(run.stdout.len(), Ordering::Relaxed);
                Ok(run)
            })
        }
    }
    let weight = Arc::new(AtomicUsize::new(0));
    let shell = LocalShell::here();
    let runner = Arc::new(Scale(Arc::clone(&shell), Arc::clone(&weight)));
    let files = RemoteFiles::new(runner, FilesLocation::Remote);
    let reply = files.search_content(place(&base, "repo"), lines("needle")).await.unwrap();
    assert!(reply.total.count() > 5);
    assert_eq!(reply.omitted, 2);
    assert_eq!(shell.runs(), 2, "one to list, one to fetch");
    let weight = weight.load(Ordering::Relaxed);
    assert!(weight < 100_000, "{weight} bytes");
}

#[tokio::test]
async fn without_the_tools_of_gnu_it_is_found_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    project(&base);
    let tools = tempfile::tempdir().unwrap();
    let names =
        ["stat", "readlink", "find", "xargs", "tar", "tr", "cat", "head", "bash", "date", "dd"];
    for name in names {
        let found = PATH.split(':').map(|folder| Path::new(folder).join(name));
        let real = found.into_iter().find(|path| path.is_file()).unwrap();
        symlink(real, tools.path().join(name)).unwrap();
    }
    // Neither grep nor a find that prints what it is told to.
    let find = tools.path().join("find");
    let real = find.canonicalize().unwrap();
    std::fs::remove_file(&find).unwrap();
    let refusing = format!(
        "#!/bin/bash\nfor word; do case $word in -printf | -readable) exit 1 ;; esac; done\nexec {} \"$@\"\n",
        real.display()
    );
    put(&find, refusing);
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&find, executable).unwrap();
    let there = LocalShell::with_tools_in(tools.path()).files();
    let page = Page { limit: 100, offset: 0 };
    let query = || ContentQuery { page, ..lines("needle") };
    let found = there.search_content(place(&base, "repo"), query()).await.unwrap();
    let expected = LocalFiles.search_content(place(&base, "repo"), query()).await.unwrap();
    assert_eq!(found, expected);
    let query = || NameQuery { pattern: "*".into(), page };
    let found = there.search_names(place(&base, "repo"), query()).await.unwrap();
    let expected = LocalFiles.search_names(place(&base, "repo"), query()).await.unwrap();
    assert_eq!(found, expected);
}

#[tokio::test]
async fn too_much_to_bring_over_is_refused_with_advice() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    let large = std::fs::File::create(base.join("large")).unwrap();
    large.set_len(300 << 20).unwrap();
    let files = LocalShell::here().files();
    let error = files.search_content(place(&base, ""), lines(r"\d")).await.unwrap_err().to_string();
    assert!(error.contains("200 MiB") && error.contains("narrow"), "{error}");
    let reply = files.search_content(place(&base, ""), lines("needle")).await.unwrap();
    assert_eq!(reply.total.count(), 0, "what holds no such text need not come");
}

#[tokio::test]
async fn a_cancelled_search_ends_with_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let place = place(folder.path(), "");
    place.cancel.cancel();
    let files = LocalShell::here().files();
    let reply = files.search_content(place.clone(), lines("x")).await.unwrap();
    assert_eq!(reply.ending, SearchEnding::Cancelled);
    let query = NameQuery { pattern: "*".into(), page: Page::default() };
    assert_eq!(files.search_names(place, query).await.unwrap().ending, SearchEnding::Cancelled);
}
