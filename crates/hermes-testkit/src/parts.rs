//! The real parts that tests need: a container engine, an ssh server, a model.
//!
//! Scripts start them and write down where they are. A part that is missing fails the test with the
//! command that brings it: nothing is left out in silence.

use std::path::PathBuf;

/// Where a part is, by its name in the file that the scripts write.
///
/// # Panics
///
/// If the part has not been started.
#[must_use]
pub fn part(name: &str) -> String {
    let file = file();
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let found = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    found.map_or_else(
        || panic!("{name} is not in {}: run scripts/test-parts/all start", file.display()),
        str::to_owned,
    )
}

fn file() -> PathBuf {
    #[expect(clippy::disallowed_methods, reason = "the parts are found as the scripts find them")]
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let cache = variable("XDG_CACHE_HOME").map(PathBuf::from);
    let home = || variable("HOME").map(|home| PathBuf::from(home).join(".cache"));
    cache.or_else(home).unwrap_or_default().join("hermes-test-parts/env")
}
