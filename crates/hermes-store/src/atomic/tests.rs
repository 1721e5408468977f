use super::*;
#[cfg(unix)]
use std::os::unix::fs::{PermissionsExt, symlink};

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[cfg(unix)]
fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn creates_then_replaces_and_leaves_nothing_else() {
    let folder = folder();
    let file = folder.path().join("a.txt");
    write(&file, b"one", WriteOptions::KEEP).unwrap();
    write(&file, b"two", WriteOptions::KEEP).unwrap();
    assert_eq!(fs::read(&file).unwrap(), b"two");
    assert_eq!(names(folder.path()), ["a.txt"]);
}

#[cfg(unix)]
#[test]
fn new_files_are_private_unless_told_otherwise() {
    let folder = folder();
    let (private, shared) = (folder.path().join("p"), folder.path().join("s"));
    write(&private, b"", WriteOptions::default()).unwrap();
    write(&shared, b"", WriteOptions::new_file_mode(0o644)).unwrap();
    assert_eq!((mode(&private), mode(&shared)), (0o600, 0o644));
}

#[cfg(unix)]
#[test]
fn keeps_or_replaces_the_mode_of_an_existing_file() {
    let folder = folder();
    let file = folder.path().join("a");
    write(&file, b"", WriteOptions::KEEP).unwrap();
    chmod(&file, 0o640);
    write(&file, b"x", WriteOptions::KEEP).unwrap();
    assert_eq!(mode(&file), 0o640);
    write(&file, b"y", WriteOptions::SECRET).unwrap();
    assert_eq!(mode(&file), 0o600);
}

/// Only root can give files to others; for anybody else this compares their own name.
#[cfg(unix)]
#[test]
fn keeps_the_owner() {
    use std::os::unix::fs::{MetadataExt, chown};
    let folder = folder();
    let file = folder.path().join("a");
    write(&file, b"", WriteOptions::KEEP).unwrap();
    let _ = chown(&file, Some(12_345), Some(12_346));
    let owner = |path: &Path| fs::metadata(path).map(|m| (m.uid(), m.gid())).unwrap();
    let before = owner(&file);
    write(&file, b"x", WriteOptions::SECRET).unwrap();
    assert_eq!(owner(&file), before);
}

#[cfg(unix)]
#[test]
fn replaces_the_target_of_a_link_and_keeps_the_link() {
    let folder = folder();
    let real = folder.path().join("dotfiles/config.yaml");
    let link = folder.path().join("config.yaml");
    fs::create_dir(folder.path().join("dotfiles")).unwrap();
    symlink("dotfiles/config.yaml", &link).unwrap();
    // The first write goes through a link that points at nothing yet.
    write(&link, b"one", WriteOptions::KEEP).unwrap();
    write(&link, b"two", WriteOptions::KEEP).unwrap();
    assert_eq!(fs::read(&real).unwrap(), b"two");
    assert!(fs::symlink_metadata(&link).unwrap().file_type().is_symlink());
}

#[cfg(unix)]
#[test]
fn a_circle_of_links_is_an_error() {
    let folder = folder();
    let (a, b) = (folder.path().join("a"), folder.path().join("b"));
    symlink("b", &a).unwrap();
    symlink("a", &b).unwrap();
    let error = write(&a, b"x", WriteOptions::KEEP).unwrap_err();
    assert!(error.to_string().contains("too many links"), "{error}");
}

#[cfg(unix)]
#[test]
fn leaves_a_write_protected_file_alone() {
    let folder = folder();
    let file = folder.path().join("a");
    write(&file, b"mine", WriteOptions::KEEP).unwrap();
    chmod(&file, 0o444);
    let error = write(&file, b"yours", WriteOptions::KEEP).unwrap_err();
    assert!(error.to_string().contains("write-protected"), "{error}");
    assert_eq!(fs::read(&file).unwrap(), b"mine");
}

#[test]
fn errors_name_the_file_and_the_act() {
    let folder = folder();
    let file = folder.path().join("missing/a.txt");
    let error = write(&file, b"", WriteOptions::KEEP).unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("cannot create a temporary file beside"), "{text}");
    assert!(text.contains("missing/a.txt"), "{text}");

    let error = write(folder.path(), b"", WriteOptions::KEEP).unwrap_err();
    assert!(error.to_string().contains("not a regular file"), "{error}");
}

#[test]
fn clears_old_temporary_files_and_nothing_else() {
    let folder = folder();
    let stray = format!(".config.yaml.abc{TEMP_SUFFIX}");
    let visible = format!("mine{TEMP_SUFFIX}");
    for name in [&stray, &visible, ".env", "config.yaml"] {
        write(&folder.path().join(name), b"", WriteOptions::KEEP).unwrap();
    }
    let young = remove_stray_temps(folder.path(), Duration::from_secs(3600)).unwrap();
    assert!(young.is_empty());
    let removed = remove_stray_temps(folder.path(), Duration::ZERO).unwrap();
    assert_eq!(removed, [folder.path().join(stray)]);
    assert_eq!(names(folder.path()), [".env", "config.yaml", visible.as_str()]);
    assert!(remove_stray_temps(&folder.path().join("none"), Duration::ZERO).unwrap().is_empty());
}

#[test]
fn a_reader_never_sees_half_a_file() {
    let folder = folder();
    let file = folder.path().join("a");
    let contents = [vec![b'a'; 200_000], vec![b'b'; 100_000]];
    write(&file, &contents[0], WriteOptions::KEEP).unwrap();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for round in 0..20 {
                write(&file, &contents[round % 2], WriteOptions::KEEP).unwrap();
            }
        });
        while !writer.is_finished() {
            let seen = fs::read(&file).unwrap();
            assert!(contents.contains(&seen), "{} bytes", seen.len());
        }
    });
}

#[test]
fn reading_respects_the_limit() {
    let folder = folder();
    let file = folder.path().join("a");
    assert!(read_if_present(&file, 3).unwrap().is_none());
    write(&file, b"1234", WriteOptions::KEEP).unwrap();
    assert_eq!(read_if_present(&file, 4).unwrap().unwrap().0, b"1234");
    assert!(read_if_present(&file, 3).is_err());
}

#[cfg(unix)]
#[test]
fn a_pipe_in_place_of_a_file_is_refused_at_once() {
    let folder = folder();
    let pipe = folder.path().join("config.yaml");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let begun = std::time::Instant::now();
    let error = read_if_present(&pipe, 10).unwrap_err().to_string();
    assert!(error.contains("not a file"), "{error}");
    assert!(begun.elapsed() < Duration::from_secs(10), "nobody writes to it");
}

#[test]
fn what_a_killed_edit_left_is_swept_by_the_next() {
    let folder = folder();
    let file = folder.path().join("config.yaml");
    for name in [".config.yaml.abc.hermes-tmp", ".other.abc.hermes-tmp", ".config.yaml.swp"] {
        write(&folder.path().join(name), b"half", WriteOptions::KEEP).unwrap();
    }
    remove_temps_of(&file);
    assert_eq!(names(folder.path()), [".config.yaml.swp", ".other.abc.hermes-tmp"]);
}
