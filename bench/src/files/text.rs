//! Lines that look like source code, each made from its number alone.

use std::fmt::Write as _;

/// Bytes of every line, its newline included.
pub(crate) const LINE_BYTES: usize = 80;

/// Quoted from no file: other words in another rhythm.
pub(crate) const ABSENT: &str = "Nobody on the quay could say who had moored the boat there.\n\
    It was painted green; two oars lay crossed under a tarpaulin,\n\
    and somebody had left a loaf of bread wrapped in newspaper.\n";

/// The last line of [`python`].
pub(crate) const PYTHON_END: &str = "THE_END = True\n";

const WORDS: [&str; 16] = [
    "harbour", "lantern", "ledger", "meadow", "copper", "signal", "timber", "voyage", "anchor",
    "barrel", "canvas", "quarry", "ribbon", "saddle", "thread", "window",
];

/// The line with this number, counted from 0. No two are the same.
pub(crate) fn line(number: usize) -> String {
    let word = |salt: usize| WORDS[mixed(number * 8 + salt) % WORDS.len()];
    let indent = 4 * (1 + mixed(number) % 3);
    let (target, call, first, second) = (word(1), word(2), word(3), word(4));
    let mut line = format!("{:indent$}{target}_{number} = {call}({first}, {second})  # ", "");
    while line.len() < LINE_BYTES - 1 {
        let _ = write!(line, "{} ", word(line.len()));
    }
    line.truncate(LINE_BYTES - 1);
    // No spaces at the end: they would be one more thing to be lenient about.
    if line.ends_with(' ') {
        line.pop();
        line.push('.');
    }
    line.push('\n');
    line
}

/// A valid Python file of about so many bytes; files of different `edition` have the same length.
pub(crate) fn python(edition: usize, bytes: usize) -> String {
    let mut code = format!("EDITION = 'edition {edition:04}'\n");
    for number in 0.. {
        if code.len() >= bytes {
            break;
        }
        let word = |salt: usize| WORDS[mixed(number * 8 + salt) % WORDS.len()];
        let (name, call, amount) = (word(1), word(2), mixed(number) % 1_000);
        let _ = write!(
            code,
            "\n\ndef {name}_{number}(first, second={amount}):\n    \
             \"\"\"Puts a {call} on the {name}.\"\"\"\n    \
             if first > second:\n        \
             return [first * step for step in range(second)]\n    \
             return {{'{call}': first, '{name}': second}}\n"
        );
    }
    code + "\n\n" + PYTHON_END
}

/// A number that looks random and is always the same.
fn mixed(number: usize) -> usize {
    let spread = (number as u64).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (spread >> 33) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn lines_have_one_length_and_are_all_different() {
        let lines: HashSet<String> = (0..10_000).chain([2_500_000]).map(line).collect();
        assert_eq!(lines.len(), 10_001);
        for line in lines {
            assert_eq!(line.len(), LINE_BYTES);
            assert!(line.starts_with("    ") && line.contains(" = ") && !line.ends_with(" \n"));
        }
    }

    #[test]
    fn editions_differ_but_not_in_length() {
        let (first, second) = (python(0, 20_000), python(7, 20_000));
        assert_ne!(first, second);
        assert_eq!(first.len(), second.len());
        assert!((20_000..21_000).contains(&first.len()), "{}", first.len());
        assert!(first.ends_with(PYTHON_END));
    }
}
