//! Whether a path leads where it seems to lead.

use std::path::Path;

use crate::request::HostFacts;

/// Whether links take a path out of the folder it seems to be in: the project or the folder for
/// temporary files. A link at its end is no matter, for deleting it takes only the link away.
pub(crate) fn lead_out(path: &str, host: &HostFacts) -> bool {
    let temp = host.temp_dir.as_deref().unwrap_or("/tmp");
    let roots = [host.cwd.as_deref(), Some(temp)];
    let root =
        roots.into_iter().flatten().map(Path::new).find(|root| Path::new(path).starts_with(root));
    let Some(root) = root.and_then(|root| root.canonicalize().ok()) else { return false };
    // With a slash behind it even the last link is followed.
    let followed = match path.strip_suffix('/') {
        Some(folder) => Path::new(folder),
        None => Path::new(path).parent().unwrap_or(Path::new("/")),
    };
    // Before the first name that is a pattern or not there, nothing can lead anywhere.
    let there = followed.ancestors().find_map(|folder| folder.canonicalize().ok());
    there.is_some_and(|there| !there.starts_with(&root) && !root.starts_with(&there))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_on_the_way_leads_out_and_one_at_the_end_does_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let elsewhere = tempfile::tempdir().expect("a folder");
        let link = |from: &str| {
            std::os::unix::fs::symlink(elsewhere.path(), folder.path().join(from)).expect("a link");
        };
        link("packages");
        link("build");
        std::fs::create_dir(folder.path().join("src")).expect("a folder");
        let host = HostFacts {
            cwd: Some(folder.path().display().to_string()),
            temp_dir: Some("/nonexistent".to_owned()),
            ..HostFacts::default()
        };
        let leads = |name: &str| lead_out(&format!("{}/{name}", folder.path().display()), &host);
        assert!(leads("packages/build") && leads("packages/x/build"));
        assert!(!leads("build") && !leads("src/build") && !leads("missing/build"));
        assert!(leads("build/"));
    }
}
