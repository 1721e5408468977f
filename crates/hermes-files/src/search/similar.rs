//! Names like a missing one, for "did you mean" lines.

use std::path::Path;

/// At most this many suggestions are made.
pub const MAX_SIMILAR: usize = 5;

/// A directory is scanned up to this many entries; suggestions are not worth more. Which entries of a larger
/// one come first is up to the file system, so this is well above what people have.
const MAX_SIBLINGS: usize = 50_000;

/// The existing names most like `missing`, best first, ties by name: the same whatever the order given.
///
/// Case is ignored, but the missing name itself is never suggested.
pub fn similar_names<I>(missing: &str, siblings: I) -> Vec<String>
where
    I: IntoIterator,
    I::Item: AsRef<str>,
{
    let wanted = missing.to_lowercase();
    let mut scored: Vec<(u32, String)> = siblings
        .into_iter()
        .take(MAX_SIBLINGS)
        .filter(|name| name.as_ref() != missing)
        .filter_map(|name| {
            let name = name.as_ref();
            likeness(&wanted, &name.to_lowercase()).map(|score| (score, name.to_owned()))
        })
        .collect();
    scored.sort_by(|(one, name), (other, another)| other.cmp(one).then_with(|| name.cmp(another)));
    scored.truncate(MAX_SIMILAR);
    scored.into_iter().map(|(_, name)| name).collect()
}

/// Existing paths like `actual`, which is missing, spelled the way `shown` spells it.
///
/// When whole directories are missing, the suggestion is for the first part that is.
pub fn similar_paths(shown: &str, actual: &Path) -> Vec<String> {
    let mut shown = Path::new(shown);
    let mut actual = actual;
    loop {
        let (Some(parent), Some(name)) = (actual.parent(), actual.file_name()) else {
            return Vec::new();
        };
        if parent.is_dir() {
            // A spelling such as `a/..` has no last name of its own: then show the bare names.
            let base = shown.file_name().and_then(|_| shown.parent()).unwrap_or(Path::new(""));
            return similar_names(&name.to_string_lossy(), names_in(parent))
                .into_iter()
                .map(|name| base.join(name).to_string_lossy().into_owned())
                .collect();
        }
        actual = parent;
        shown = shown.parent().unwrap_or(Path::new(""));
    }
}

fn names_in(directory: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    entries
        .take(MAX_SIBLINGS)
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .collect()
}

/// Higher is more alike; `None` is not alike at all. Both names are in lower case.
fn likeness(wanted: &str, name: &str) -> Option<u32> {
    if wanted == name {
        return Some(100);
    }
    if wanted.is_empty() || name.is_empty() {
        return None;
    }
    if stem(wanted) == stem(name) {
        return Some(90);
    }
    if wanted.starts_with(name) || name.starts_with(wanted) {
        return Some(70);
    }
    if name.contains(wanted) {
        return Some(60);
    }
    // `harbour.txt` for `harbour-visit.txt`: half of a name is remembered, and the ending.
    let (half, whole) = (stem(wanted), stem(name));
    if half.chars().count() > 2 && (whole.starts_with(half) || whole.ends_with(half)) {
        return Some(50);
    }
    if name.chars().count() > 2 && wanted.contains(name) {
        return Some(40);
    }
    // Up to a third of the longer name may be mistyped; the fewer slips, the better. Names whose
    // lengths alone differ by more are passed over before the quadratic comparison.
    let (short, long) = {
        let (a, b) = (wanted.chars().count(), name.chars().count());
        (a.min(b), a.max(b))
    };
    let allowed = (long / 3).max(1);
    if long - short > allowed || short < 2 {
        return None;
    }
    let slips = strsim::osa_distance(wanted, name);
    (slips <= allowed).then(|| 30_u32.saturating_sub(u32::try_from(slips).unwrap_or(u32::MAX)))
}

/// The name without its last extension; a leading dot starts no extension.
fn stem(name: &str) -> &str {
    match name.rfind('.') {
        Some(dot) if dot > 0 => &name[..dot],
        _ => name,
    }
}

/// The end of an error sentence: where else to look.
pub(super) fn did_you_mean(similar: &[String]) -> String {
    if similar.is_empty() {
        return String::new();
    }
    format!(". Did you mean: {}?", similar.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(missing: &str, siblings: &[&str]) -> Vec<String> {
        similar_names(missing, siblings)
    }

    #[test]
    fn orders_the_kinds_of_likeness() {
        let siblings =
            ["onfig.yam", "my_config.yaml", "config.yaml.bak", "config.yml", "Config.yaml", "zzz"];
        assert_eq!(
            best("config.yaml", &siblings),
            ["Config.yaml", "config.yml", "config.yaml.bak", "my_config.yaml", "onfig.yam"]
        );
    }

    #[test]
    fn finds_mistyped_names_by_distance() {
        assert_eq!(best("mian.rs", &["lib.py", "main.rs", "mein.rs"]), ["main.rs", "mein.rs"]);
        assert!(best("abcdef.txt", &["uvwxyz.txt"]).is_empty());
    }

    #[test]
    fn half_of_a_name_is_enough() {
        let siblings = ["garden.txt", "harbour-visit.txt", "old-harbour.md"];
        assert_eq!(best("harbour.txt", &siblings), ["harbour-visit.txt", "old-harbour.md"]);
    }

    #[test]
    fn never_suggests_the_missing_name_itself() {
        assert_eq!(best("a.txt", &["a.txt", "A.txt"]), ["A.txt"]);
    }

    #[test]
    fn short_names_inside_the_wanted_one_do_not_count() {
        assert!(best("xmainx", &["ma"]).is_empty());
        assert_eq!(best("xmainx", &["main"]), ["main"]);
    }

    #[test]
    fn gives_five_at_most_in_the_same_order_every_time() {
        let siblings = ["ab7", "ab3", "ab5", "ab1", "ab9", "ab2"];
        let expected = ["ab1", "ab2", "ab3", "ab5", "ab7"];
        assert_eq!(best("ab", &siblings), expected);
        let reversed: Vec<&str> = siblings.into_iter().rev().collect();
        assert_eq!(best("ab", &reversed), expected);
    }

    #[test]
    fn looks_beyond_the_first_entries_of_a_directory() {
        let mut siblings: Vec<String> = (0..500).map(|n| format!("other{n}")).collect();
        siblings.push("settings.toml".into());
        assert_eq!(similar_names("setings.toml", &siblings), ["settings.toml"]);
    }

    #[test]
    fn treats_dot_files_as_names_without_extension() {
        assert!(best(".env", &[".git"]).is_empty());
    }

    #[test]
    fn suggests_paths_in_the_users_spelling() {
        let tree = tempfile::tempdir().unwrap();
        std::fs::create_dir(tree.path().join("search")).unwrap();
        let similar = |shown: &str| similar_paths(shown, &tree.path().join("sarch"));
        assert_eq!(similar("sarch"), ["search"]);
        assert_eq!(similar("./sarch"), ["./search"]);
        assert_eq!(similar("../x/sarch/"), ["../x/search"]);
    }

    #[test]
    fn suggests_for_the_first_missing_part() {
        let tree = tempfile::tempdir().unwrap();
        std::fs::create_dir(tree.path().join("search")).unwrap();
        let missing = tree.path().join("sarch/deep/mod.rs");
        assert_eq!(similar_paths("src/sarch/deep/mod.rs", &missing), ["src/search"]);
    }
}
