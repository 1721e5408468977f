//! Being told of changes instead of looking for them.
//!
//! Where the system tells of what happens in folders (inotify), a list asks it one question and leaves every document
//! alone. Some changes it cannot tell of: another machine's on a shared disk, writes to mapped memory. They show with the
//! next full walk. Without it, and in homes where asking saves nothing, everything is looked at.

#[cfg(any(not(target_os = "linux"), hermes_portable))]
pub(super) use nowhere::FolderEvents;
#[cfg(all(target_os = "linux", not(hermes_portable)))]
pub(super) use told::FolderEvents;

#[cfg(all(target_os = "linux", not(hermes_portable)))]
mod told {
    use std::collections::BTreeSet;
    use std::fs;
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::os::unix::fs::MetadataExt as _;
    use std::path::Path;

    use rustix::fs::inotify::{self, CreateFlags, Event, ReadFlags, Reader, WatchFlags};
    use rustix::io::Errno;

    /// What the system tells of some folders.
    #[derive(Debug)]
    pub(in crate::index) struct FolderEvents(OwnedFd);

    impl FolderEvents {
        /// Listens to these folders and to those of these documents. Nothing if the system has no more ears to give, or a
        /// document can change without its folder noticing, since it has another name elsewhere.
        pub(in crate::index) fn listen<'a>(
            folders: impl Iterator<Item = &'a Path>,
            documents: impl Iterator<Item = &'a Path>,
        ) -> Option<Self> {
            let events = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
            let mut all: BTreeSet<&Path> = folders.collect();
            for document in documents {
                let found = fs::symlink_metadata(document).ok()?;
                if !found.is_file() || found.nlink() > 1 {
                    return None;
                }
                all.extend(document.parent());
            }
            let changes = WatchFlags::MODIFY
                | WatchFlags::ATTRIB
                | WatchFlags::CREATE
                | WatchFlags::DELETE
                | WatchFlags::MOVE
                | WatchFlags::DELETE_SELF
                | WatchFlags::MOVE_SELF;
            for folder in all {
                inotify::add_watch(&events, folder, changes).ok()?;
            }
            Some(Self(events))
        }

        /// Whether nothing that matters was told since this was asked the last time.
        pub(in crate::index) fn is_quiet(&self) -> bool {
            let mut buffer = [MaybeUninit::uninit(); 4096];
            let mut told = Reader::new(&self.0, &mut buffer);
            let mut is_quiet = true;
            loop {
                match told.next() {
                    Ok(event) => is_quiet &= is_note(&event),
                    Err(Errno::INTR) => {}
                    Err(Errno::AGAIN) => return is_quiet,
                    Err(_) => return false,
                }
            }
        }
    }

    /// Whether it is about a hidden file: what we note beside the skills (how they are used, what is seeded), and files on
    /// their way to another name. No document and no category is one.
    fn is_note(event: &Event<'_>) -> bool {
        let is_hidden = event.file_name().is_some_and(|name| name.to_bytes().starts_with(b"."));
        is_hidden && !event.events().contains(ReadFlags::ISDIR)
    }
}

#[cfg(any(not(target_os = "linux"), hermes_portable))]
mod nowhere {
    use std::path::Path;

    /// There is nothing of the kind here.
    #[derive(Debug)]
    pub(in crate::index) enum FolderEvents {}

    impl FolderEvents {
        pub(in crate::index) fn listen<'a>(
            _folders: impl Iterator<Item = &'a Path>,
            _documents: impl Iterator<Item = &'a Path>,
        ) -> Option<Self> {
            None
        }

        pub(in crate::index) fn is_quiet(&self) -> bool {
            match *self {}
        }
    }
}
