//! Does a binary run where its package says it does? The versions of the C library that it asks for stand in it by name.

use anyhow::bail;

use super::target::Target;

/// How the names of versions begin.
const PREFIX: &[u8] = b"GLIBC_2.";

/// Refuses a binary that asks for a newer C library than its target promises.
pub(super) fn check_c_library(binary: &[u8], target: Target) -> anyhow::Result<()> {
    let (Some((2, oldest)), Some(wanted)) = (target.glibc, newest_wanted(binary)) else {
        return Ok(());
    };
    if wanted > oldest {
        bail!(
            "the binary for {} asks for glibc 2.{wanted}; packages promise 2.{oldest}. \
             Build it with `cargo xtask dist`, which links for the older one",
            target.triple
        );
    }
    Ok(())
}

/// The second number of the newest version asked for.
fn newest_wanted(binary: &[u8]) -> Option<u32> {
    binary
        .windows(PREFIX.len())
        .enumerate()
        .filter(|(_, window)| *window == PREFIX)
        .filter_map(|(at, _)| {
            let rest = &binary[at + PREFIX.len()..];
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            // Names in tables of symbols end with a zero; anything else is prose that speaks of such a version.
            let ends = matches!(rest.get(digits), Some(0 | b'.'));
            std::str::from_utf8(&rest[..digits]).ok().filter(|_| ends)?.parse().ok()
        })
        .max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_counts() {
        assert_eq!(newest_wanted(b"..GLIBC_2.17\0..GLIBC_2.28\0GLIBC_2.2.5\0"), Some(28));
        assert_eq!(newest_wanted(b"needs GLIBC_2.99 or so"), None);
    }

    #[test]
    fn a_binary_for_newer_systems_is_refused() {
        let target = Target::named("x86_64-unknown-linux-gnu").unwrap();
        assert!(check_c_library(b"GLIBC_2.28\0", target).is_ok());
        let refused = check_c_library(b"GLIBC_2.36\0", target).unwrap_err().to_string();
        assert!(refused.contains("2.36") && refused.contains("2.28"), "{refused}");
    }
}
