//! What confined programs can and cannot do, and their tries to get out.
#![cfg(all(target_os = "linux", not(hermes_portable)))]
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::fs;
use std::net::TcpListener;
use std::path::Path;

use common::{PATIENCE, is_alive, sh};
use hermes_process::{
    Command, Confinement, ConfinementError, End, Metadata, Network, ProcessError, PtySize,
};
use tempfile::TempDir;

/// A directory that may be written to, one that may not, and a file in each.
struct Places {
    inside: TempDir,
    outside: TempDir,
}

impl Places {
    fn new() -> Self {
        let places =
            Self { inside: tempfile::tempdir().unwrap(), outside: tempfile::tempdir().unwrap() };
        for dir in [&places.inside, &places.outside] {
            put(&dir.path().join("file"), "old");
        }
        places
    }

    fn confinement(&self) -> Confinement {
        Confinement::read_only().writable(self.inside.path())
    }

    /// A script that starts in the writable directory and knows the other as `$OUT`.
    fn script(&self, script: &str) -> Command {
        sh(script)
            .cwd(self.inside.path())
            .env("OUT", self.outside.path())
            .env_inherit(["PATH", "HOME"])
            .confine(self.confinement())
            .deadline(PATIENCE)
    }

    /// What is in the directory that may not be written to.
    fn outside(&self) -> Vec<(String, String)> {
        let mut files: Vec<_> = fs::read_dir(self.outside.path())
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                let text = fs::read_to_string(entry.path()).unwrap();
                (entry.file_name().into_string().unwrap(), text)
            })
            .collect();
        files.sort();
        files
    }

    fn assert_untouched(&self, by: &str) {
        assert_eq!(self.outside(), [("file".to_owned(), "old".to_owned())], "{by}");
    }
}

fn put(path: &Path, text: &str) {
    use std::io::Write as _;
    fs::File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
}

fn python(code: &str) -> String {
    format!("exec python3 -c '{}'", code.replace('\'', "'\\''"))
}

async fn ends(command: Command) -> (End, String) {
    let done = command.run().await.unwrap();
    (done.end, format!("{}{}", done.stdout.text(), done.stderr.text()))
}

#[tokio::test]
async fn reads_everywhere_and_writes_inside() {
    let places = Places::new();
    let script = "set -e
        cat file \"$OUT/file\" /etc/passwd > all
        echo new > file; echo more >> file; : > empty; truncate -s 1 all
        mkdir -p a/b; echo x > a/b/c; mv a/b/c a/c; mv a d; ln d/c link; ln -s d/c soft
        mkfifo pipe; rm link soft pipe; rm -r d; chmod 600 file; touch -d @0 file
        echo > /dev/null; head -c 1 /dev/zero > /dev/null";
    let (end, said) = ends(places.script(script)).await;
    assert_eq!((end, said.as_str()), (End::Exited(0), ""));
    assert_eq!(fs::read_to_string(places.inside.path().join("file")).unwrap(), "new\nmore\n");
}

#[tokio::test]
async fn nothing_outside_is_changed_by_whatever_way() {
    let places = Places::new();
    for attempt in [
        "echo new > \"$OUT/file\"",
        "echo new >> \"$OUT/file\"",
        "echo new > \"$OUT/other\"",
        "rm -f \"$OUT/file\"",
        "mkdir \"$OUT/dir\"",
        "truncate -s 0 \"$OUT/file\"",
        // Emptied by opening it for reading.
        &python("import os; os.open(os.environ['OUT'] + '/file', os.O_RDONLY | os.O_TRUNC)"),
        // Links to it from inside, of both kinds, and through directories.
        "ln -s \"$OUT/file\" soft && echo new > soft",
        "ln -s \"$OUT\" dir && echo new > dir/file",
        "ln \"$OUT/file\" hard && echo new > hard",
        "echo new > \"$OUT/../$(basename \"$OUT\")/file\"",
        // Moves in and out.
        "mv \"$OUT/file\" moved",
        "mv file \"$OUT/moved\"",
        "ln file \"$OUT/linked\"",
        "cp file \"$OUT/copied\"",
        // Through a descriptor of its own.
        "exec 3< \"$OUT/file\"; echo new > /proc/self/fd/3",
        "cd / && cd \"$OUT\" && echo new > file",
        "mkfifo \"$OUT/pipe\"",
    ] {
        let (end, said) = ends(places.script(attempt)).await;
        assert!(!matches!(end, End::Exited(0)), "{attempt}: {said}");
        assert!(said.to_lowercase().contains("denied") || said.contains("cross-device"), "{said}");
        places.assert_untouched(attempt);
        // As it was, for the next.
        for name in ["soft", "dir"] {
            let _ = fs::remove_file(places.inside.path().join(name));
        }
    }
}

#[tokio::test]
async fn descendants_are_confined_too() {
    let places = Places::new();
    let script = "(setsid sh -c 'sh -c \"echo new > $OUT/file; echo \\$?\"' & wait) 2>&1";
    let (_, said) = ends(places.script(script)).await;
    assert!(said.contains("ermission denied"), "{said}");
    places.assert_untouched("a grandchild");
}

#[tokio::test]
async fn mounts_and_namespaces_do_not_help() {
    let places = Places::new();
    for attempt in [
        "mount --bind . \"$OUT\"",
        "mount -t tmpfs none \"$OUT\"",
        "unshare -rm sh -c 'mount --bind . \"$OUT\" && echo new > \"$OUT/file\"'",
        "unshare -r sh -c 'echo new > \"$OUT/file\"'",
        "unshare -rm sh -c 'mount -o remount,rw / && echo new > \"$OUT/file\"'",
    ] {
        let (end, said) = ends(places.script(attempt)).await;
        assert!(!matches!(end, End::Exited(0)), "{attempt}: {said}");
        places.assert_untouched(attempt);
    }
}

#[tokio::test]
async fn device_nodes_cannot_be_made_not_even_inside() {
    let places = Places::new();
    for kind in ["b 8 0", "c 1 1"] {
        let (end, said) = ends(places.script(&format!("mknod node {kind}"))).await;
        assert!(!matches!(end, End::Exited(0)), "{kind}: {said}");
        assert!(!places.inside.path().join("node").exists());
    }
}

const CONNECT: &str = "import socket, sys
try:
    socket.create_connection((sys.argv[1], int(sys.argv[2])), 5)
    print('connected')
except OSError as error:
    print(error.errno)";

/// What a confined program finds when it connects to this machine.
async fn connect(network: Network) -> String {
    let places = Places::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let command = Command::new("python3").args(["-c", CONNECT, "127.0.0.1", &port]);
    let command = command.env_inherit(["PATH", "HOME"]).deadline(PATIENCE);
    let (_, said) = ends(command.confine(places.confinement().network(network))).await;
    said.trim().to_owned()
}

#[tokio::test]
async fn the_network_is_closed_even_on_this_machine() {
    assert_eq!(connect(Network::Allowed).await, "connected");
    let denied = nix::libc::EACCES.to_string();
    assert_eq!(connect(Network::UnixSockets).await, denied);
    assert_eq!(connect(Network::Nothing).await, denied);
}

#[tokio::test]
async fn no_other_kind_of_socket_is_open() {
    let code = "import socket
for family in range(1, 46):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
        try:
            socket.socket(family, kind); print(family)
        except OSError as error:
            assert error.errno == 13 or family == 1, (family, error)";
    let (end, said) = ends(Places::new().script(&python(code))).await;
    assert_eq!((end, said.as_str()), (End::Exited(0), "1\n1\n1\n"));
}

#[tokio::test]
async fn unix_sockets_work_unless_forbidden() {
    let code = "import socket
server = socket.socket(socket.AF_UNIX); server.bind('here'); server.listen()
client = socket.socket(socket.AF_UNIX); client.connect('here')
client.send(b'hello'); print(server.accept()[0].recv(9))";
    let places = Places::new();
    let (end, said) = ends(places.script(&python(code))).await;
    assert_eq!((end, said.as_str()), (End::Exited(0), "b'hello'\n"));

    let nothing = places.confinement().network(Network::Nothing);
    let (_, said) = ends(places.script(&python(code)).confine(nothing.clone())).await;
    assert!(said.contains("Permission denied"), "{said}");
    let pair = python("import socket; a, b = socket.socketpair(); a.send(b'x'); print(b.recv(1))");
    let (_, said) = ends(places.script(&pair).confine(nothing)).await;
    assert_eq!(said, "b'x'\n");
}

/// System calls by number, as no tool for them may be at hand.
const CALLS: &str = "import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    result = libc.syscall(number, *arguments)
    return ctypes.get_errno() if result < 0 else 0
";

#[tokio::test]
async fn other_processes_cannot_be_looked_into_or_signalled() {
    let mut other = Command::new("sleep").arg("600").env("SECRET", "s3cret").spawn().unwrap();
    let pid = other.pid();
    let places = Places::new();
    for file in ["environ", "mem", "maps"] {
        let (end, said) = ends(places.script(&format!("head -c 9 /proc/{pid}/{file}"))).await;
        assert!(!matches!(end, End::Exited(0)), "{file}: {said}");
    }
    // Attach; read memory.
    let [trace, read] = if cfg!(target_arch = "x86_64") { [101, 310] } else { [117, 270] };
    let code =
        format!("{CALLS}print(call({trace}, 16, {pid}, 0, 0), call({read}, {pid}, 0, 0, 0, 0, 0))");
    assert_eq!(ends(places.script(&python(&code))).await.1, "1 1\n");

    let signals_are_scoped = hermes_process::kernel_support().landlock_abi >= Some(6);
    let (_, said) = ends(places.script(&format!("kill -9 {pid}; echo $?"))).await;
    assert_eq!(is_alive(pid), signals_are_scoped, "{said}");
    // Its own children are another matter.
    let (_, said) = ends(places.script("sleep 600 & kill $! && wait $!; echo $?")).await;
    assert!(said.starts_with("143\n"), "{said}");
    other.kill().await.unwrap();
}

#[tokio::test]
async fn rings_of_requests_are_closed() {
    let code = format!("{CALLS}print(call(425, 4, ctypes.create_string_buffer(256)))");
    assert_eq!(ends(Places::new().script(&python(&code))).await.1, "1\n");
}

#[tokio::test]
async fn set_user_id_programs_gain_nothing() {
    let (_, said) = ends(Places::new().script("grep NoNewPrivs /proc/self/status")).await;
    assert_eq!(said, "NoNewPrivs:\t1\n");
}

#[tokio::test]
async fn frozen_metadata_cannot_be_changed_anywhere() {
    let places = Places::new();
    let frozen = places.confinement().metadata(Metadata::Frozen);
    for attempt in [
        "chmod 600 \"$OUT/file\"",
        "chmod 600 file",
        "touch -d @0 \"$OUT/file\"",
        "touch -d @0 file",
        "chown 0 \"$OUT/file\"",
        &python("import os; os.setxattr(os.environ['OUT'] + '/file', 'user.x', b'1')"),
    ] {
        let command = places.script(attempt).confine(frozen.clone());
        let (end, said) = ends(command).await;
        assert!(!matches!(end, End::Exited(0)), "{attempt}");
        // `touch` first tries to open the file for writing.
        let denied = said.contains("not permitted") || said.contains("ermission denied");
        assert!(denied, "{attempt}: {said}");
    }
    let (end, _) = ends(places.script("echo new > file").confine(frozen.clone())).await;
    assert_eq!(end, End::Exited(0));
}

#[tokio::test]
async fn a_confined_program_can_use_its_own_terminal_and_no_other() {
    let places = Places::new();
    let mut other = sh("tty; sleep 600").pty(PtySize::default()).spawn().unwrap();
    let mut screen = other.take_pty().unwrap();
    let mut shown = [0; 64];
    let count = tokio::io::AsyncReadExt::read(&mut screen, &mut shown).await.unwrap();
    let others = String::from_utf8_lossy(&shown[..count]).trim().to_owned();
    assert!(others.starts_with("/dev/pts/"), "{others}");

    let script = format!("echo one > /dev/tty; echo two > $(tty); stty size; echo no > {others}");
    let command = places.script(&script).pty(PtySize::default());
    let text = command.run().await.unwrap().stdout.text();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    assert_eq!(&lines[..3], ["one", "two", "30 120"]);
    assert!(text.contains("ermission denied"), "{text}");
}

#[tokio::test]
async fn a_single_file_can_be_writable() {
    let places = Places::new();
    let only = Confinement::read_only().writable(places.inside.path().join("file"));
    let script = "echo new > file; echo $?; echo new > other; echo $?";
    let (_, said) = ends(places.script(script).confine(only)).await;
    assert!(said.starts_with("0\n2\n"), "{said}");
}

#[tokio::test]
async fn a_place_that_does_not_exist_is_an_error_and_nothing_runs() {
    let places = Places::new();
    let missing = places.inside.path().join("missing");
    let wanted = places.confinement().writable(&missing);
    let error = wanted.check().unwrap_err();
    assert!(matches!(&error, ConfinementError::Path { path, .. } if *path == missing), "{error}");
    let error = places.script("echo > ran").confine(wanted).run().await.unwrap_err();
    assert!(matches!(error, ProcessError::Confinement { .. }), "{error}");
    assert!(error.to_string().contains("missing") && error.to_string().contains("`sh`"), "{error}");
    assert!(!places.inside.path().join("ran").exists());
}

#[tokio::test]
async fn a_program_in_our_foreground_is_confined_too() {
    let places = Places::new();
    let command = places.script("echo new > file; echo new > \"$OUT/file\"");
    let done = tokio::task::spawn_blocking(move || command.run_in_foreground()).await.unwrap();
    assert_eq!(done.unwrap().code(), Some(2));
    places.assert_untouched("a program in the foreground");
}

#[tokio::test]
async fn confinement_ends_with_the_program() {
    let places = Places::new();
    ends(places.script("true")).await;
    // Neither we nor the next program are confined.
    put(&places.outside.path().join("file"), "ours");
    let (end, _) = ends(sh("echo theirs > file").cwd(places.outside.path())).await;
    assert_eq!(end, End::Exited(0));
}
