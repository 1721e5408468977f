use std::os::unix::fs::{PermissionsExt, symlink};

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

use super::*;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn put(path: &Path, content: &[u8]) {
    write::replace(path, content).unwrap();
}

fn leftovers(directory: &Path) -> usize {
    names_in(directory, 1000).unwrap().iter().filter(|name| name.starts_with(TEMP_PREFIX)).count()
}

#[test]
fn a_write_keeps_mode_and_makes_directories() {
    let folder = folder();
    let path = folder.path().join("a/b/file.txt");
    let first = write::replace(&path, b"one").unwrap();
    assert!(first.made_directories);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o751)).unwrap();
    let second = write::replace(&path, b"three").unwrap();
    assert_eq!((second.bytes, second.made_directories), (5, false));
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o751);
    assert_eq!(std::fs::read(&path).unwrap(), b"three");
    assert_eq!(leftovers(path.parent().unwrap()), 0);
}

#[test]
fn new_files_follow_the_users_mask() {
    let folder = folder();
    let (path, plain) = (folder.path().join("new"), folder.path().join("plain"));
    put(&path, b"x");
    std::fs::File::create(&plain).unwrap();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode();
    assert_eq!(mode(&path), mode(&plain));
}

#[test]
fn only_regular_files_are_replaced_or_read() {
    let folder = folder();
    let pipe = folder.path().join("pipe");
    mkfifo(&pipe, Mode::S_IRWXU).unwrap();
    for path in [pipe.as_path(), folder.path()] {
        assert!(matches!(write::replace(path, b"x"), Err(FsError::NotRegular { .. })));
        assert!(matches!(read_whole(path, 10), Err(FsError::NotRegular { .. })));
    }
    assert!(matches!(read_whole(Path::new("/dev/zero"), 10), Err(FsError::NotRegular { .. })));
    assert_eq!(leftovers(folder.path()), 0);
}

#[test]
fn a_file_in_the_way_of_a_directory_is_named() {
    let folder = folder();
    put(&folder.path().join("file"), b"x");
    let error = write::replace(&folder.path().join("file/below"), b"x").unwrap_err();
    assert!(matches!(error, FsError::NotADirectory(_)), "{error}");
}

#[test]
fn links_are_followed_and_remembered() {
    let folder = folder();
    let base = folder.path().canonicalize().unwrap();
    std::fs::create_dir(base.join("real")).unwrap();
    put(&base.join("real/file"), b"x");
    symlink("real", base.join("link")).unwrap();
    symlink(base.join("link/file"), base.join("again")).unwrap();
    let resolved = resolve::resolve(&base.join("./sub/../again")).unwrap();
    assert_eq!(resolved.literal, base.join("again"));
    assert_eq!(resolved.canonical, base.join("real/file"));
    assert_eq!(resolved.hops, [base.join("link/file"), base.join("real/file")]);
    assert_eq!(resolved.stat.unwrap().kind, FileKind::File);
}

#[test]
fn what_does_not_exist_is_resolved_as_far_as_it_does() {
    let folder = folder();
    let base = folder.path().canonicalize().unwrap();
    symlink(&base, base.join("self")).unwrap();
    let resolved = resolve::resolve(&base.join("self/new/file")).unwrap();
    assert_eq!(resolved.canonical, base.join("new/file"));
    assert_eq!(resolved.stat, None);
}

#[test]
fn circles_and_impossible_names_are_errors() {
    let folder = folder();
    symlink("b", folder.path().join("a")).unwrap();
    symlink("a", folder.path().join("b")).unwrap();
    let error = resolve::resolve(&folder.path().join("a")).unwrap_err();
    assert!(error.to_string().contains("circle"), "{error}");
    let error = resolve::resolve(Path::new("/tmp/a\0b")).unwrap_err();
    assert!(error.to_string().contains("NUL"), "{error}");
}

#[test]
fn a_link_that_appears_after_the_check_is_not_followed() {
    let folder = folder();
    put(&folder.path().join("secret"), b"s");
    symlink("secret", folder.path().join("file")).unwrap();
    assert!(read_whole(&folder.path().join("file"), 10).is_err());
}

#[test]
fn files_above_the_limit_are_refused() {
    let folder = folder();
    let path = folder.path().join("big");
    put(&path, &[b'x'; 11]);
    assert!(matches!(read_whole(&path, 10), Err(FsError::TooLarge { size: 11, most: 10, .. })));
    assert_eq!(read_whole(&path, 11).unwrap().0.len(), 11);
}

#[test]
fn leftovers_of_dead_processes_are_cleared_and_those_of_living_ones_stay() {
    let folder = folder();
    // No process has this number: it is above the kernel's maximum.
    for name in [".hermes-tmp.4194999.1", ".hermes-tmp.1.1", ".hermes-tmp.odd"] {
        std::fs::File::create(folder.path().join(name)).unwrap();
    }
    assert_eq!(remove_stray_temps(folder.path()), 1);
    assert_eq!(leftovers(folder.path()), 2);
}

#[test]
fn leftovers_of_an_earlier_process_of_the_same_number_are_in_nobodys_way() {
    let folder = folder();
    for count in 0..3 {
        let name = format!("{TEMP_PREFIX}{}.1.{count}", std::process::id());
        std::fs::File::create(folder.path().join(name)).unwrap();
    }
    let ours = folder.path().join(temp::fresh_name());
    std::fs::File::create(&ours).unwrap();
    put(&folder.path().join("a"), b"x");
    assert_eq!(leftovers(folder.path()), 1, "only what this process is working on");
    assert!(ours.exists());
}

#[test]
fn moves_make_directories_and_never_overwrite() {
    let folder = folder();
    let (from, to) = (folder.path().join("a"), folder.path().join("new/place/b"));
    put(&from, b"x");
    move_file(&from, &to).unwrap();
    assert!(!from.exists() && to.exists());
    put(&from, b"y");
    assert!(move_file(&from, &to).unwrap_err().to_string().contains("already exists"));
    assert_eq!(std::fs::read(&to).unwrap(), b"x");
}

#[test]
fn a_kept_file_comes_back_as_it_was() {
    use std::os::unix::fs::MetadataExt;
    let folder = folder();
    let path = folder.path().join("a");
    put(&path, b"old");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    let before = path.metadata().unwrap();
    let kept = keep::keep(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    keep::put_back(&kept, &path).unwrap();
    let after = path.metadata().unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"old");
    assert_eq!((after.mode(), after.ino()), (before.mode(), before.ino()));
    let kept = keep::keep(&path).unwrap();
    put(&path, b"new");
    assert_eq!(std::fs::read(&kept).unwrap(), b"old", "a write leaves the kept file alone");
    keep::put_back(&kept, &path).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"old");
    let kept = keep::keep(&path).unwrap();
    keep::put_back(&kept, &path).unwrap();
    assert_eq!(leftovers(folder.path()), 0, "not even when nothing happened in between");
}

#[test]
fn a_copy_has_the_mode_of_its_original() {
    let folder = folder();
    let (from, to) = (folder.path().join("a"), folder.path().join("b"));
    put(&from, b"x");
    std::fs::set_permissions(&from, std::fs::Permissions::from_mode(0o604)).unwrap();
    let (mut content, _) = open_regular(&from).unwrap();
    let (directory, name) = Directory::of_file(&from).unwrap();
    let new = to.file_name().unwrap();
    write::copy(&mut content, (&directory, name), (&directory, new), &to).unwrap();
    assert_eq!(std::fs::read(&to).unwrap(), b"x");
    assert_eq!(to.metadata().unwrap().permissions().mode() & 0o777, 0o604);
    assert_eq!(leftovers(folder.path()), 0);
}

/// A program exchanges a directory for a link to another place, as fast as it can, while thousands of
/// files are resolved, checked against a root and written.
#[test]
fn no_write_lands_outside_while_directories_are_exchanged_for_links() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let folder = folder();
    let base = folder.path().canonicalize().unwrap();
    let (safe, outside) = (base.join("safe"), base.join("outside"));
    for path in [safe.join("a"), outside.clone()] {
        std::fs::create_dir_all(path).unwrap();
    }
    let done = AtomicBool::new(false);
    let (mut written, mut swaps) = (0_u32, 0_u32);
    std::thread::scope(|scope| {
        let swapper = scope.spawn(|| {
            use rustix::fs::{CWD, RenameFlags, renameat_with};
            let (a, link) = (safe.join("a"), safe.join("link"));
            symlink(&outside, &link).unwrap();
            let mut swaps = 0_u32;
            while !done.load(Ordering::Relaxed) {
                renameat_with(CWD, &a, CWD, &link, RenameFlags::EXCHANGE).unwrap();
                swaps += 1;
            }
            swaps
        });
        // On a machine with much else to do the two may seldom meet: then it takes longer.
        let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
        for number in 0_u32.. {
            if number >= 4_000 && (written > 100 || std::time::Instant::now() > end) {
                break;
            }
            let path = safe.join("a").join(format!("f{}", number % 50));
            let Ok(resolved) = resolve::resolve(&path) else { continue };
            if !resolved.canonical.starts_with(&safe) {
                continue;
            }
            // Refused while a link is there.
            written += u32::from(write::replace(&resolved.canonical, b"x").is_ok());
            let _ = keep::keep(&resolved.canonical)
                .and_then(|kept| keep::put_back(&kept, &resolved.canonical));
            let _ = move_file(&resolved.canonical, &safe.join("a/moved"));
            let _ = remove_file(safe.join("a/moved"));
        }
        done.store(true, Ordering::Relaxed);
        swaps = swapper.join().unwrap();
    });
    assert_eq!(names_in(&outside, 10).unwrap(), Vec::<String>::new());
    assert!(written > 100 && swaps > 100, "{written} writes among {swaps} exchanges");
}
