//! Files that come from elsewhere by other ways than a download: copied from another machine, or
//! out of an archive that was downloaded.

use super::Machine;
use crate::command::call::{Arg, Taint, TextFlow};
use crate::command::options::{Opt, Spec, options};

/// Ends of archives' names.
const ENDINGS: &[&str] = &[
    ".tar.gz", ".tar.xz", ".tar.bz2", ".tar.zst", ".tgz", ".txz", ".tbz2", ".tar", ".zip", ".whl",
];

impl Machine<'_> {
    /// `scp host:path here`, `rsync host:path here`.
    pub(super) fn copy_from_elsewhere(&mut self, args: &[Arg<'_>]) {
        const SPEC: Spec = Spec::with("cDFiJloPSXef", &["rsh", "exclude", "include", "port"]);
        let operands: Vec<&str> = options(args, &SPEC)
            .filter_map(|opt| match opt {
                Opt::Operand(arg, _) => Some(arg.text.as_ref()),
                _ => None,
            })
            .collect();
        let Some((to, from)) = operands.split_last() else { return };
        if is_elsewhere(to) {
            return;
        }
        for from in from.iter().filter(|from| is_elsewhere(from)) {
            let name = from.rsplit(['/', ':']).next().unwrap_or_default();
            let inside = format!("{}/{name}", to.trim_end_matches('/'));
            for path in [*to, &inside] {
                let path = self.facts.path(path).into_owned();
                if let Some(origin) = self.state.file_mut(&path) {
                    origin.text = None;
                    origin.taint = Taint::NETWORK;
                }
            }
        }
    }

    /// A program nobody has described is given an address and a file: it may fill the file from there.
    pub(super) fn fetched_by_others(&mut self, args: &[Arg<'_>]) {
        for arg in args {
            let text = arg.text.as_ref();
            let is_file = text.starts_with('/') && !text.contains("://") && !text.ends_with('/');
            if is_file {
                let path = self.facts.path(text).into_owned();
                if let Some(origin) = self.state.file_mut(&path) {
                    origin.text = None;
                    origin.taint = origin.taint.and(Taint::NETWORK);
                }
            }
        }
    }

    /// A program that fetches files is given their names, here or there.
    pub(super) fn fetched_files(&mut self, args: &[Arg<'_>]) {
        for arg in args.iter().filter(|arg| !arg.text.starts_with('-')).take(8) {
            let text = arg.text.trim_end_matches('/');
            let name = text.rsplit(['/', ':', ' ']).next().unwrap_or_default();
            for path in [text, name] {
                if path.is_empty() || path.contains("://") {
                    continue;
                }
                let path = self.facts.path(path).into_owned();
                if let Some(origin) = self.state.file_mut(&path) {
                    origin.text = None;
                    origin.taint = Taint::NETWORK;
                }
            }
        }
    }

    /// `openssl enc -d -in x -out y`, `gpg -o y -d x`, `xxd -r x y`: nobody has seen what is in y.
    pub(super) fn decoded_files(&mut self, args: &[Arg<'_>], stdin: &TextFlow) {
        let behind = args
            .windows(2)
            .find(|two| matches!(two[0].as_str(), "-o" | "-out" | "--output" | "--out" | "-O"));
        let operands: Vec<&str> =
            args.iter().map(Arg::as_str).filter(|text| !text.starts_with('-')).collect();
        let file = match (behind, operands.as_slice()) {
            (Some(two), _) => two[1].text.to_string(),
            (None, [_, file]) => (*file).to_owned(),
            // `gunzip x.gz` makes x.
            (None, [file]) => match [".gz", ".xz", ".bz2", ".zst", ".br", ".gpg", ".b64"]
                .iter()
                .find_map(|end| file.strip_suffix(end))
            {
                Some(stem) => stem.to_owned(),
                None => return,
            },
            _ => return,
        };
        let path = self.facts.path(&file).into_owned();
        if let Some(origin) = self.state.file_mut(&path) {
            origin.text = None;
            origin.taint = origin.taint.and(Taint::DECODED).and(stdin.taint);
        }
    }

    /// `sshfs host:path folder`: what is in the folder is somebody else's.
    pub(super) fn mounts_elsewhere(&mut self, args: &[Arg<'_>]) {
        let from = args.iter().position(|arg| is_elsewhere(&arg.text));
        if let Some(folder) = from.and_then(|at| args.get(at + 1)) {
            let name = self.facts.path(&folder.text).into_owned();
            self.facts.link(name, "/srv/elsewhere".to_owned());
        }
    }

    /// `git clone address folder`: what is in the folder comes from there.
    pub(super) fn clone_from_elsewhere(&mut self, args: &[Arg<'_>]) {
        const SPEC: Spec = Spec::with(
            "bocju",
            &["branch", "depth", "origin", "config", "jobs", "filter", "reference", "template"],
        );
        let is_submodule = |two: &[Arg<'_>]| two[0].text == "submodule" && two[1].text == "add";
        let at = args
            .iter()
            .position(|arg| arg.text == "clone")
            .or_else(|| args.windows(2).position(is_submodule).map(|at| at + 1));
        let Some(at) = at else { return };
        let operands: Vec<&str> = options(&args[at + 1..], &SPEC)
            .filter_map(|opt| match opt {
                Opt::Operand(arg, _) => Some(arg.text.as_ref()),
                _ => None,
            })
            .collect();
        let Some(address) = operands.first().filter(|address| address.contains(':')) else {
            return;
        };
        let name = address.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default();
        let folder = operands.get(1).copied().unwrap_or(name.trim_end_matches(".git"));
        let folder = self.facts.path(folder).into_owned();
        self.state.was_cloned(format!("{folder}/"));
        if !is_forge(address) {
            self.state.strange_clones.push(format!("{folder}/"));
        }
    }

    /// `tar xf archive`, `unzip archive`: what was in a downloaded archive is as good as a download.
    /// Without a folder of its own it is expected in one with the archive's name.
    pub(super) fn unpack(&mut self, name: &str, args: &[Arg<'_>], stdin: &TextFlow) {
        let folder = ["-C", "-d", "--directory"].iter().find_map(|flag| {
            let at = args.iter().position(|arg| arg.text == *flag)?;
            args.get(at + 1).map(|arg| arg.text.as_ref())
        });
        let from_network = |machine: &Self, path: &str| {
            let path = machine.facts.path(path);
            machine.state.file(&path).is_some_and(|origin| origin.taint.has(Taint::NETWORK))
        };
        let archives: Vec<&str> = args
            .iter()
            .map(|arg| arg.text.as_ref())
            .filter(|text| !text.starts_with('-') && from_network(self, text))
            .collect();
        let piped = name == "tar" && stdin.taint.has(Taint::NETWORK);
        match (folder, archives.as_slice()) {
            (_, []) if !piped => {}
            (Some(folder), _) => {
                let folder = self.facts.path(folder).into_owned();
                // Where it goes is where everything else is, too.
                if self.facts.cwd.as_deref() != Some(&*folder) && folder != "/" {
                    self.state.comes_from_network(format!("{}/", folder.trim_end_matches('/')));
                }
            }
            (None, archives) => {
                for stem in archives.iter().filter_map(|archive| stem(archive)) {
                    let begin = self.facts.path(stem).into_owned();
                    self.state.comes_from_network(begin);
                }
            }
        }
    }
}

/// Where people keep the source of what they make, or an address that needs a key of one's own.
fn is_forge(address: &str) -> bool {
    const FORGES: &[&str] = &[
        "git",
        "bitbucket",
        "codeberg",
        "sr.ht",
        "googlesource",
        "gnu.org",
        "kernel.org",
        "gnome",
        "debian",
        "freedesktop",
        "apache",
        "sourceforge",
        "huggingface",
        "azure",
        "visualstudio",
        "amazonaws",
        "launchpad",
        "kde.org",
        "videolan",
        "sourceware",
        "x.org",
        "chromium",
        "android",
        "mozilla",
        "sqlite",
        "postgresql",
        "localhost",
        "127.0.0.1",
        "x.io",
        "$",
    ];
    let Some((scheme, rest)) = address.split_once("://") else { return true };
    let host = rest.split('/').next().unwrap_or(rest).to_ascii_lowercase();
    !matches!(scheme, "http" | "https" | "git")
        || host.contains(crate::command::facts::HOLE)
        || FORGES.iter().any(|forge| host.contains(forge))
}

/// `host:path`, but not `./a:b`.
fn is_elsewhere(text: &str) -> bool {
    text.split_once(':').is_some_and(|(host, _)| !host.is_empty() && !host.contains('/'))
}

/// What the folder of an archive's files most likely begins with: `tool` of `dir/tool-1.2.tar.gz`.
fn stem(archive: &str) -> Option<&str> {
    let name = archive.rsplit_once('/').map_or(archive, |(_, name)| name);
    let stem = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending))?;
    let end = stem.find(['-', '_', '.']).unwrap_or(stem.len());
    (end > 0).then(|| &stem[..end])
}
