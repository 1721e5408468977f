//! `PATH` for a child.

use std::path::Path;

/// Where the system's programs are, for a process started with less than a login shell has.
const USUAL: [&str; 8] = [
    "/opt/homebrew/bin",
    "/opt/homebrew/sbin",
    "/usr/local/sbin",
    "/usr/local/bin",
    "/usr/sbin",
    "/usr/bin",
    "/sbin",
    "/bin",
];

/// A search path without holes: an empty entry means the current directory, which is a way to run
/// a program nobody meant. Duplicates go, the usual places come last if they are missing, and our
/// own folder comes first if it is missing.
pub(super) fn in_order(path: &str, own_directory: Option<&Path>) -> String {
    let mut entries: Vec<&str> = Vec::new();
    for entry in path.split(':').chain(USUAL) {
        if !entry.is_empty() && !entries.contains(&entry) {
            entries.push(entry);
        }
    }
    let own = own_directory.and_then(Path::to_str);
    if let Some(own) = own.filter(|own| !own.is_empty() && !entries.contains(own)) {
        entries.insert(0, own);
    }
    entries.join(":")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: &str = "/opt/homebrew/bin:/opt/homebrew/sbin:/usr/local/sbin:/usr/local/bin:\
                       /usr/sbin:/usr/bin:/sbin:/bin";

    #[test]
    fn holes_and_duplicates_go_and_the_first_of_a_kind_stays() {
        assert_eq!(in_order(":/a::/b:/a:", None), format!("/a:/b:{ALL}"));
    }

    #[test]
    fn usual_places_are_added_only_where_missing() {
        assert_eq!(in_order("", None), ALL);
        assert_eq!(in_order(ALL, None), ALL);
        let path = in_order("/bin:/usr/bin", None);
        assert!(path.starts_with("/bin:/usr/bin:/opt/homebrew/bin:"), "{path}");
        assert_eq!(path.split(':').filter(|entry| *entry == "/bin").count(), 1, "{path}");
    }

    #[test]
    fn our_own_folder_comes_first_unless_it_is_there() {
        let own = Some(Path::new("/opt/hermes"));
        assert!(in_order("/a", own).starts_with("/opt/hermes:/a:"));
        assert!(in_order("/a:/opt/hermes", own).starts_with("/a:/opt/hermes:"));
    }
}
