use std::io::{Read as _, Seek as _, SeekFrom};

use hermes_files::fs::{FsError, OpenFile};

use super::*;

#[tokio::test]
async fn files_are_read_alike_in_one_round_trip() {
    let twins = Twins::new(one_of_everything);
    for path in CANONICAL.into_iter().chain(LINKED) {
        for most in [3, 6, u64::MAX / 2] {
            twins.shell.runs();
            twins
                .agree(&format!("{path} up to {most}"), async |files, base| {
                    match files.read(base.join(path), most).await {
                        Ok((content, stamp)) => format!("{:?} {}", content, stamp.size),
                        Err(error) => format!("{}: {error}", error.kind()),
                    }
                })
                .await;
            assert_eq!(twins.shell.runs(), 1, "{path}");
        }
    }
}

#[tokio::test]
async fn devices_are_not_read() {
    let error = LocalShell::here().files().read("/dev/zero".into(), 10).await.unwrap_err();
    assert!(matches!(error, FsError::NotRegular { .. }), "{error}");
}

/// Two and a half million bytes, no two blocks alike.
fn long() -> Vec<u8> {
    (0..250_000_u32).flat_map(|n| format!("{n:09}\n").into_bytes()).collect()
}

async fn with_open<T: Send + 'static>(
    files: &RemoteFiles,
    path: &Path,
    look: impl FnOnce(OpenFile) -> T + Send + 'static,
) -> T {
    let open = files.open(path.to_owned()).await.unwrap();
    tokio::task::spawn_blocking(move || look(open)).await.unwrap()
}

#[tokio::test]
async fn a_small_file_is_opened_and_read_in_one_round_trip() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    put(&path, b"small\n\0\xff");
    let shell = LocalShell::here();
    let content = with_open(&shell.files(), &path, |mut open| {
        let mut content = Vec::new();
        open.content.read_to_end(&mut content).unwrap();
        content
    })
    .await;
    assert_eq!(content, b"small\n\0\xff");
    assert_eq!(shell.runs(), 1);
}

#[tokio::test]
async fn a_large_file_comes_in_pieces_and_only_what_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    put(&path, long());
    let shell = LocalShell::here();
    let files = shell.files();
    let whole = with_open(&files, &path, |mut open| {
        let mut content = Vec::new();
        open.content.read_to_end(&mut content).unwrap();
        content
    })
    .await;
    assert!(whole == long());
    assert_eq!(shell.runs(), 2, "one megabyte, then two");
    let parts = with_open(&files, &path, |mut open| {
        let mut read_at = |to| {
            open.content.seek(to).unwrap();
            let mut line = [0; 10];
            open.content.read_exact(&mut line).unwrap();
            String::from_utf8(line.to_vec()).unwrap()
        };
        let parts = [
            read_at(SeekFrom::End(-10)),
            read_at(SeekFrom::Start(1_999_990)),
            read_at(SeekFrom::Start(0)),
            read_at(SeekFrom::Current(10)),
        ];
        assert_eq!(open.content.seek(SeekFrom::Start(9_999_999)).unwrap(), 9_999_999);
        assert_eq!(open.content.read(&mut [0; 10]).unwrap(), 0);
        assert!(open.content.seek(SeekFrom::Current(-99_999_999)).is_err());
        parts
    })
    .await;
    assert_eq!(parts, ["000249999\n", "000199999\n", "000000000\n", "000000002\n"]);
}

#[tokio::test]
async fn a_file_of_whole_pieces_ends_where_it_ends() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    put(&path, vec![b'x'; 1 << 20]);
    let shell = LocalShell::here();
    let length = with_open(&shell.files(), &path, |mut open| {
        std::io::copy(&mut open.content, &mut std::io::sink()).unwrap()
    })
    .await;
    assert_eq!(length, 1 << 20);
}

#[tokio::test]
async fn a_file_replaced_while_it_is_read_is_an_error_and_not_a_mixture() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    put(&path, long());
    let other = folder.path().join("b");
    put(&other, vec![b'y'; 3_000_000]);
    let files = LocalShell::here().files();
    let error = with_open(&files, &path.clone(), move |mut open| {
        std::fs::rename(other, path).unwrap();
        std::io::copy(&mut open.content, &mut std::io::sink()).unwrap_err().to_string()
    })
    .await;
    assert!(error.contains("replaced"), "{error}");
}

#[tokio::test]
async fn a_window_of_lines_is_the_same() {
    use hermes_files::view::{WindowRequest, show};
    let twins = Twins::new(|base| put(base.join("a"), long()));
    let said = twins
        .agree("window", async |files, base| {
            let path = base.join("a");
            let mut open = files.open(path.clone()).await.unwrap().content;
            let request = WindowRequest::lines(200_000, 3);
            let shown = tokio::task::spawn_blocking(move || show(&path, &mut open, &request));
            format!("{:?}", shown.await.unwrap().unwrap())
        })
        .await;
    assert!(said.contains("200000|000199999") && said.contains("total_lines: 250000"), "{said}");
}

#[tokio::test]
async fn what_others_print_first_is_not_part_of_the_answer() {
    struct Banner(Arc<LocalShell>);
    impl ScriptRunner for Banner {
        fn run(&self, mut job: ScriptJob) -> BoxFuture<Result<RawRun, ExecError>> {
            job.script = format!("echo Welcome to this machine; printf 'x\\0y'\n{}", job.script);
            self.0.run(job)
        }
    }
    let folder = tempfile::tempdir().unwrap();
    put(folder.path().join("a"), "content");
    let files = RemoteFiles::new(Arc::new(Banner(LocalShell::here())), FilesLocation::Remote);
    assert_eq!(files.read(folder.path().join("a"), 100).await.unwrap().0, b"content");
}

#[tokio::test]
async fn a_shell_that_is_not_there_is_told() {
    let files = LocalShell::of(&["bash", "-c", "echo no such container >&2; exit 1"]).files();
    let error = files.read("/etc/passwd".into(), 10).await.unwrap_err().to_string();
    assert!(error.contains("no such container") && error.contains("code 1"), "{error}");
    let error = files.resolve("/etc/passwd".into()).await.unwrap_err().to_string();
    assert!(error.contains("no such container"), "{error}");
}
