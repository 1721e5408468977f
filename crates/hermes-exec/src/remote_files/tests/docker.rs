//! The same in a real container, with its own tools.

use std::time::Duration;

use hermes_files::fs::{ContentQuery, FsError, NameQuery, SearchRoot};
use hermes_files::search::{ContentOutput, FoundContent, Page};
use hermes_testkit::part;
use tokio_util::sync::CancellationToken;

use super::*;

/// A container that goes with the test.
struct Container(String);

impl Container {
    async fn start(options: &[&str]) -> Self {
        let image = part("HERMES_TEST_DOCKER_IMAGE");
        let mut words = vec!["run", "-d", "--rm", "--init", "--network", "none"];
        words.extend(options);
        words.extend([image.as_str(), "sleep", "120"]);
        Self(docker(&words).await)
    }

    fn files(&self) -> RemoteFiles {
        LocalShell::of(&["docker", "exec", "-i", &self.0, "bash"]).files()
    }

    async fn shell(&self, script: &str) -> String {
        docker(&["exec", "-u", "0", &self.0, "bash", "-c", script]).await
    }

    async fn stop(self) {
        docker(&["rm", "-f", &self.0]).await;
    }
}

async fn docker(words: &[&str]) -> String {
    let command = Command::new("docker").args(words.iter().copied()).env("PATH", PATH);
    let done = command.deadline(Duration::from_secs(60)).run().await.unwrap();
    let said = done.stderr.text();
    assert!(done.success(), "docker {words:?}: {said}; run scripts/test-parts/all start");
    done.stdout.text().trim().to_owned()
}

#[tokio::test]
async fn a_file_is_written_read_moved_kept_and_removed_in_a_container() {
    let container = Container::start(&[]).await;
    let files = container.files();
    let path = PathBuf::from("/data/it's new/file.bin");
    let content: Vec<u8> = (0..=255).cycle().take(3_000_000).collect();
    let written = files.write(path.clone(), content.clone()).await.unwrap();
    assert!(written.made_directories);
    let (read, stamp) = files.read(path.clone(), 10_000_000).await.unwrap();
    assert!(read == content);
    assert_eq!(stamp, written.stamp);
    let resolved = files.resolve("/data/./it's new/file.bin".into()).await.unwrap();
    assert_eq!(resolved.stat.unwrap().stamp, stamp);
    let mut open = files.open(path.clone()).await.unwrap().content;
    let read = tokio::task::spawn_blocking(move || {
        let mut whole = Vec::new();
        std::io::Read::read_to_end(&mut open, &mut whole).map(|_| whole)
    });
    assert!(read.await.unwrap().unwrap() == content);

    let image = files.read("/usr/lib/os-release".into(), 10_000).await.unwrap().0;
    assert!(!image.is_empty(), "a file of the image itself");

    let kept = files.keep(path.clone()).await.unwrap();
    files.write(path.clone(), b"other".into()).await.unwrap();
    files.put_back(kept, path.clone()).await.unwrap();
    assert_eq!(files.read(path.clone(), 10_000_000).await.unwrap().1.inode, stamp.inode);
    let moved = PathBuf::from("/elsewhere/file");
    files.rename(path.clone(), moved.clone()).await.unwrap();
    assert_eq!(files.names("/elsewhere".into(), 10).await.unwrap(), ["file"]);
    files.remove(moved.clone()).await.unwrap();
    assert!(matches!(files.read(moved, 10).await, Err(FsError::NotFound(_))));
    container.stop().await;
}

#[tokio::test]
async fn refusals_of_a_container_are_told_in_our_words() {
    let options = ["--user", "1000:1000", "--tmpfs", "/small:size=64k,mode=1777"];
    let container = Container::start(&options).await;
    let files = container.files();
    let error = files.write("/etc/new".into(), b"x".into()).await.unwrap_err();
    assert!(matches!(error, FsError::Denied { .. }), "{error}");
    container.shell("echo secret >/secret; chmod 600 /secret").await;
    let error = files.read("/secret".into(), 10_000).await.unwrap_err();
    assert!(matches!(error, FsError::Denied { .. }), "{error}");
    let error = files.write("/proc/new".into(), b"x".into()).await.unwrap_err();
    assert!(!matches!(error, FsError::BadPath { .. }), "{error}");
    files.write("/small/file".into(), b"old".into()).await.unwrap();
    let error = files.write("/small/file".into(), vec![b'x'; 200_000]).await.unwrap_err();
    assert!(matches!(error, FsError::NoSpace(_)), "{error}");
    assert_eq!(files.read("/small/file".into(), 10).await.unwrap().0, b"old");
    assert_eq!(files.names("/small".into(), 10).await.unwrap(), ["file"]);
    container.stop().await;
}

#[tokio::test]
async fn a_container_is_searched_with_the_rules_of_this_machine() {
    let container = Container::start(&[]).await;
    container
        .shell(
            "mkdir -p /w/.git /w/src /w/target/x; cd /w; echo target >.gitignore; \
             printf 'one\\nneedle here\\n' >src/a.rs; echo needle >target/x/b.rs; echo none >c.rs",
        )
        .await;
    let files = container.files();
    let place = || SearchRoot {
        root: "/w".into(),
        shown_root: ".".into(),
        cancel: CancellationToken::new(),
        denied: Arc::new(|_| false),
    };
    let query = ContentQuery {
        pattern: r"needle\s\w+".into(),
        file_glob: Some("rust".into()),
        output: ContentOutput::Rows,
        context: 1,
        page: Page::default(),
    };
    let FoundContent::Rows(rows) = files.search_content(place(), query).await.unwrap().found else {
        panic!("rows were asked for");
    };
    let rows: Vec<_> = rows.iter().map(|row| (row.path.as_str(), row.line)).collect();
    assert_eq!(rows, [("./src/a.rs", 1), ("./src/a.rs", 2)]);
    let query = NameQuery { pattern: "*.rs".into(), page: Page::default() };
    let found = files.search_names(place(), query).await.unwrap();
    assert_eq!(found.total.count(), 2, "{found:?}");
    container.stop().await;
}

#[tokio::test]
async fn an_apptainer_image_is_read_and_searched() {
    let image = part("HERMES_TEST_APPTAINER_IMAGE");
    let words = ["apptainer", "-s", "exec", "--containall", "--pwd", "/", &image, "bash"];
    let files = LocalShell::of(&words).files();
    let (content, _) = files.read("/usr/lib/os-release".into(), 10_000).await.unwrap();
    assert!(String::from_utf8_lossy(&content).contains("NAME="));
    let place = SearchRoot {
        root: "/etc".into(),
        shown_root: "/etc".into(),
        cancel: CancellationToken::new(),
        denied: Arc::new(|_| false),
    };
    let query = NameQuery { pattern: "passwd".into(), page: Page::default() };
    let found = files.search_names(place, query).await.unwrap();
    assert_eq!(found.files, ["/etc/passwd"], "{found:?}");
}
