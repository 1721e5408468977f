//! The first words with a machine: where its home is, and whether it has what we need.

/// Asks, and makes the folders Hermes uses. For any POSIX shell.
pub(crate) const SCRIPT: &str = "\
printf 'hermes-home:%s\\n' \"$HOME\"
command -v bash >/dev/null && echo hermes-bash:
umask 077
cd && mkdir -p .hermes/skills .hermes/credentials .hermes/cache
exit 0";

/// What the machine answered.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Greeting {
    /// The home, if it has one.
    pub(crate) home: Option<String>,
    pub(crate) has_bash: bool,
}

impl Greeting {
    /// Reads the answer among what start-up files may have written.
    pub(crate) fn read(output: &str) -> Option<Self> {
        let mut homes = output.lines().filter_map(|line| line.strip_prefix("hermes-home:"));
        let home = homes.next_back()?.trim_end_matches('\r');
        Some(Self {
            home: home.starts_with('/').then(|| home.to_owned()),
            has_bash: output.lines().any(|line| line.starts_with("hermes-bash:")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_is_found_among_other_words() {
        let answer = Greeting::read("Welcome!\nhermes-home:/home/ada\nhermes-bash:\n");
        let home = Some("/home/ada".to_owned());
        assert_eq!(answer, Some(Greeting { home, has_bash: true }));
        let answer = Greeting::read("hermes-home:\n");
        assert_eq!(answer, Some(Greeting { home: None, has_bash: false }));
        assert_eq!(Greeting::read("This account is closed.\n"), None);
    }
}
