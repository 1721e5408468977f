use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};

use hermes_process::Stdin;
use sha2::{Digest as _, Sha256};
use tar::{Builder, EntryType, Header};
use tempfile::TempDir;

use super::*;

/// A home here and a base over there, both on this machine.
struct Both {
    home: TempDir,
    far: TempDir,
}

impl Both {
    fn new() -> Self {
        let both = Self { home: tempfile::tempdir().unwrap(), far: tempfile::tempdir().unwrap() };
        both.here("skills/a/SKILL.md", "skill");
        both.here("cache/images/x.png", "image");
        both.here("token.json", "secret");
        both.here(".env", "KEY=master");
        both
    }

    fn sources(&self) -> SyncSources {
        SyncSources {
            home: self.home.path().to_owned(),
            credential_files: vec!["token.json".into(), ".env".into()],
            external_skills: Vec::new(),
            scope: SyncScope::Everything,
        }
    }

    fn sync(&self) -> FileSync {
        FileSync::new(self.sources(), SyncPace::EveryTime)
    }

    fn here(&self, name: &str, content: &str) {
        put(&self.home.path().join(name), content);
    }

    fn there(&self, name: &str, content: &str) {
        put(&self.far.path().join(".hermes").join(name), content);
    }

    fn read_here(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.home.path().join(name)).ok()
    }

    fn read_there(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.far.path().join(".hermes").join(name)).ok()
    }

    async fn bring(&self, sync: &FileSync) -> Result<(), SyncError> {
        let base = self.far.path().join(".hermes").display().to_string();
        sync.bring(&RemoteShell { base: &base, shell: Box::new(local_shell) }).await
    }

    async fn fetch_back(&self, sync: &FileSync) -> Result<(), SyncError> {
        let base = self.far.path().join(".hermes").display().to_string();
        sync.fetch_back(&RemoteShell { base: &base, shell: Box::new(local_shell) }).await
    }
}

fn put(path: &Path, content: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    // A new file, so that a change within one tick of the clock is seen by its size or time.
    let mut file = fs::File::create(path).unwrap();
    std::io::Write::write_all(&mut file, content.as_bytes()).unwrap();
}

fn local_shell(script: &str, _: ClientInput) -> Command {
    Command::new("/bin/sh").args(["-c", script]).env("PATH", "/usr/bin:/bin").stdin(Stdin::Null)
}

#[tokio::test]
async fn shown_files_are_brought_for_their_owner_alone_and_stores_are_not() {
    let both = Both::new();
    symlink("/etc/passwd", both.home.path().join("skills/a/link")).unwrap();
    both.here("skills/.hub/lock.json", "trust");
    both.here("skills/a/.env", "secret of a skill");
    both.bring(&both.sync()).await.unwrap();
    assert_eq!(both.read_there("skills/a/SKILL.md").as_deref(), Some("skill"));
    assert_eq!(both.read_there("cache/images/x.png").as_deref(), Some("image"));
    assert_eq!(both.read_there("token.json").as_deref(), Some("secret"));
    for absent in [".env", "skills/a/link", "skills/.hub/lock.json", "skills/a/.env"] {
        assert_eq!(both.read_there(absent), None, "{absent}");
    }
    let mode = fs::metadata(both.far.path().join(".hermes/token.json")).unwrap().mode();
    assert_eq!(mode & 0o077, 0);
}

#[tokio::test]
async fn changes_and_removals_follow() {
    let both = Both::new();
    let sync = both.sync();
    both.bring(&sync).await.unwrap();
    both.here("skills/a/SKILL.md", "a better skill");
    both.here("skills/b/SKILL.md", "new");
    fs::remove_file(both.home.path().join("cache/images/x.png")).unwrap();
    // Not ours to touch: it was never brought.
    both.there("cache/images/theirs.png", "theirs");
    both.bring(&sync).await.unwrap();
    assert_eq!(both.read_there("skills/a/SKILL.md").as_deref(), Some("a better skill"));
    assert_eq!(both.read_there("skills/b/SKILL.md").as_deref(), Some("new"));
    assert_eq!(both.read_there("cache/images/x.png"), None);
    assert_eq!(both.read_there("cache/images/theirs.png").as_deref(), Some("theirs"));
}

#[tokio::test]
async fn nothing_is_sent_twice_and_not_before_the_pause_is_over() {
    let both = Both::new();
    let sync = both.sync();
    both.bring(&sync).await.unwrap();
    both.there("skills/a/SKILL.md", "changed over there");
    both.bring(&sync).await.unwrap();
    assert_eq!(both.read_there("skills/a/SKILL.md").as_deref(), Some("changed over there"));

    let sparing = FileSync::new(both.sources(), SyncPace::Sparing);
    both.bring(&sparing).await.unwrap();
    both.here("skills/a/SKILL.md", "changed at once");
    both.bring(&sparing).await.unwrap();
    assert_eq!(both.read_there("skills/a/SKILL.md").as_deref(), Some("skill"));
}

#[tokio::test]
async fn a_round_that_failed_is_done_again_as_a_whole() {
    let both = Both::new();
    let sync = FileSync::new(both.sources(), SyncPace::Sparing);
    let broken = |_: &str, _: ClientInput| {
        local_shell("cat >/dev/null; echo no room >&2; exit 1", ClientInput::None)
    };
    let base = both.far.path().join(".hermes").display().to_string();
    let error =
        sync.bring(&RemoteShell { base: &base, shell: Box::new(broken) }).await.unwrap_err();
    assert!(error.to_string().contains("no room"), "{error}");
    both.bring(&sync).await.unwrap();
    assert_eq!(both.read_there("skills/a/SKILL.md").as_deref(), Some("skill"));
}

#[tokio::test]
async fn what_commands_changed_comes_back_but_no_credential() {
    let both = Both::new();
    let sync = both.sync();
    both.bring(&sync).await.unwrap();
    both.there("skills/a/SKILL.md", "improved");
    both.there("skills/new/SKILL.md", "made over there");
    both.there("cache/images/x.png", "image");
    both.there("token.json", "stolen");
    both.there("skills/.hub/lock.json", "forged");
    both.there("elsewhere/x", "not shown");
    symlink("/etc/passwd", both.far.path().join(".hermes/skills/a/link")).unwrap();
    both.fetch_back(&sync).await.unwrap();
    assert_eq!(both.read_here("skills/a/SKILL.md").as_deref(), Some("improved"));
    assert_eq!(both.read_here("skills/new/SKILL.md").as_deref(), Some("made over there"));
    assert_eq!(both.read_here("token.json").as_deref(), Some("secret"));
    for absent in ["skills/.hub/lock.json", "elsewhere/x", "skills/a/link"] {
        assert_eq!(both.read_here(absent), None, "{absent}");
    }
}

#[tokio::test]
async fn a_file_removed_here_and_unchanged_there_stays_removed() {
    let both = Both::new();
    let sync = both.sync();
    both.bring(&sync).await.unwrap();
    fs::remove_file(both.home.path().join("skills/a/SKILL.md")).unwrap();
    both.fetch_back(&sync).await.unwrap();
    assert_eq!(both.read_here("skills/a/SKILL.md"), None);
}

#[tokio::test]
async fn without_anything_brought_nothing_is_fetched() {
    let both = Both::new();
    both.there("skills/new/SKILL.md", "theirs");
    both.fetch_back(&both.sync()).await.unwrap();
    assert_eq!(both.read_here("skills/new/SKILL.md"), None);
}

/// An archive whose names were not checked by whoever made it.
fn hostile_archive(entries: &[(&str, EntryType, &str)]) -> fs::File {
    let mut builder = Builder::new(tempfile::tempfile().unwrap());
    for (name, kind, content) in entries {
        let mut header = Header::new_gnu();
        header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(*kind);
        header.set_mode(0o4777);
        if *kind == EntryType::Regular {
            header.set_size(content.len() as u64);
            header.set_cksum();
            builder.append(&header, content.as_bytes()).unwrap();
        } else {
            header.set_size(0);
            header.set_link_name(content).unwrap();
            header.set_cksum();
            builder.append(&header, std::io::empty()).unwrap();
        }
    }
    builder.into_inner().unwrap()
}

#[test]
fn an_archive_cannot_leave_the_folders_it_belongs_to() {
    let both = Both::new();
    let outside = tempfile::tempdir().unwrap();
    symlink(outside.path(), both.home.path().join("skills/door")).unwrap();
    let absolute = format!("{}/absolute", outside.path().display());
    let file = EntryType::Regular;
    let stream = hostile_archive(&[
        (&absolute, file, "x"),
        ("skills/../../up", file, "x"),
        ("../up", file, "x"),
        ("skills/made", EntryType::Symlink, "/etc"),
        ("skills/hard", EntryType::Link, "/etc/passwd"),
        ("skills/device", EntryType::Char, "x"),
        ("config.yaml", file, "x"),
        ("skills", file, "x"),
        ("skills/good/run.sh", file, "fine"),
    ]);
    assert_eq!(back::apply(&stream, &both.sources(), &BTreeMap::new()).unwrap(), 1);
    assert_eq!(both.read_here("skills/good/run.sh").as_deref(), Some("fine"));
    let mode = fs::metadata(both.home.path().join("skills/good/run.sh")).unwrap().mode();
    assert_eq!(mode & 0o7777, 0o700, "no bits but the owner's");
    assert!(fs::symlink_metadata(both.home.path().join("skills/made")).is_err());
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);

    let through = hostile_archive(&[("skills/door/in", file, "x")]);
    assert_eq!(back::apply(&through, &both.sources(), &BTreeMap::new()).unwrap(), 0);
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[test]
fn a_pushed_file_that_came_back_unchanged_is_left_alone() {
    let both = Both::new();
    let about = fs::metadata(both.home.path().join("skills/a/SKILL.md")).unwrap();
    let pushed = Pushed {
        modified: about.modified().unwrap(),
        len: about.len(),
        sha256: Sha256::digest("skill").into(),
        kind: SyncedKind::Skills,
    };
    let stream = hostile_archive(&[("skills/a/SKILL.md", EntryType::Regular, "skill")]);
    let pushed = BTreeMap::from([("skills/a/SKILL.md".to_owned(), pushed)]);
    assert_eq!(back::apply(&stream, &both.sources(), &pushed).unwrap(), 0);
}

#[test]
fn mounts_show_folders_and_copies_of_those_with_links() {
    let both = Both::new();
    let copies = both.home.path().join("copies");
    let host = |name: &str| both.home.path().join(name).display().to_string();
    let real =
        |name: &str| both.home.path().canonicalize().unwrap().join(name).display().to_string();
    let plain = [
        (real("token.json"), "token.json".to_owned()),
        (host("skills"), "skills".to_owned()),
        (host("cache/images"), "cache/images".to_owned()),
    ];
    assert_eq!(both.sources().mounts(&copies), plain);

    symlink("/etc/passwd", both.home.path().join("skills/a/link")).unwrap();
    let mounts = both.sources().mounts(&copies);
    let copy = copies.join("skills");
    assert_eq!(mounts[1], (copy.display().to_string(), "skills".to_owned()));
    assert_eq!(fs::read_to_string(copy.join("a/SKILL.md")).unwrap(), "skill");
    assert!(fs::symlink_metadata(copy.join("a/link")).is_err());

    // Brought up to date in place: a container may have it mounted.
    both.here("skills/b/SKILL.md", "second");
    fs::remove_file(both.home.path().join("skills/a/SKILL.md")).unwrap();
    assert_eq!(both.sources().mounts(&copies), mounts);
    assert!(copy.join("b/SKILL.md").exists());
    assert!(!copy.join("a/SKILL.md").exists());
}

#[tokio::test]
async fn what_a_conversation_is_granted_comes_at_once_and_goes_with_it() {
    let both = Both::new();
    both.here("mail/token.json", "hush");
    let granted = Arc::new(GrantedFiles::default());
    let sync = FileSync::of_granted(both.home.path().to_owned(), Arc::clone(&granted));
    both.bring(&sync).await.unwrap();
    assert!(!both.far.path().join(".hermes").exists(), "nothing was granted, nothing was done");

    let asked = ["mail/token.json", ".env", "../x", "/etc/passwd", "missing"].map(str::to_owned);
    granted.add("mine", asked);
    both.bring(&sync).await.unwrap();
    assert_eq!(both.read_there("mail/token.json").as_deref(), Some("hush"));
    granted.add("mine", ["token.json".to_owned()]);
    both.bring(&sync).await.unwrap();
    assert_eq!(both.read_there("token.json").as_deref(), Some("secret"), "in the pause, too");
    for absent in [".env", "skills/a/SKILL.md", "cache/images/x.png"] {
        assert_eq!(both.read_there(absent), None, "{absent}");
    }

    granted.add("another", ["token.json".to_owned()]);
    granted.forget("mine");
    both.bring(&sync).await.unwrap();
    assert_eq!(both.read_there("mail/token.json"), None);
    assert_eq!(both.read_there("token.json").as_deref(), Some("secret"), "another has it");
    let base = both.far.path().join(".hermes").display().to_string();
    let far = RemoteShell { base: &base, shell: Box::new(local_shell) };
    sync.take_away(&far).await.unwrap();
    assert_eq!(both.read_there("token.json"), None);
    assert_eq!(both.read_here("token.json").as_deref(), Some("secret"));
}
