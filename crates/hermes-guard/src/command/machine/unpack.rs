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

    /// `git clone address folder`: what is in the folder comes from there.
    pub(super) fn clone_from_elsewhere(&mut self, args: &[Arg<'_>]) {
        const SPEC: Spec = Spec::with(
            "bocju",
            &["branch", "depth", "origin", "config", "jobs", "filter", "reference", "template"],
        );
        let Some(at) = args.iter().position(|arg| arg.text == "clone") else { return };
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
