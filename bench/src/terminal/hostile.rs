//! Commands as long as the guard reads them, each made to be the worst for some part of it.

use hermes_guard::command::MAX_COMMAND_CHARS;

/// The texts, each with what it is full of.
pub(super) fn texts() -> Vec<(&'static str, String)> {
    let mut texts = vec![
        ("nested $(", nested("$(", "ls", ")")),
        ("nested \"$(", nested("\"$(", "ls", ")\"")),
        ("nested subshells", nested("(", "ls", ")")),
        ("nested groups", nested("{ ", "ls;", "};")),
        ("nested ${", nested("${a:-", "b", "}")),
        ("nested $((", nested("$((", "1", "))")),
        ("nested ifs", nested("if ls; then ", "ls; ", "fi; ")),
        ("nested loops", nested("for a in b c; do ", "$a; ", "done; ")),
        ("nested cases", nested("case $a in b) ", "ls ", ";; esac ")),
        ("nested braces", nested("{a,", "b", "}")),
    ];
    let repeated: &[(&str, &str, &str)] = &[
        ("unclosed $(", "", "$("),
        ("unclosed backquotes", "", "`a "),
        ("unclosed ${", "", "${a:-"),
        ("unclosed heredocs", "", "cat <<A\n"),
        ("heredocs of one line", "cat", " <<A"),
        ("heredocs", "", "cat <<A\nrm -rf x\nA\n"),
        ("heredocs that run", "", "sh <<A\nls $(ls)\nA\n"),
        ("single quotes", "echo ", "'a'"),
        ("double quotes", "echo ", "\"a\""),
        ("quoted substitutions", "echo ", "\"$(a)\""),
        ("escapes", "echo $'", "\\x41"),
        ("backslashes", "echo ", "\\a"),
        ("continued lines", "echo ", "\\\n"),
        ("semicolons", "", "a;"),
        ("pipes", "a", "|a"),
        ("ands and ors", "a", "&&a||a"),
        ("background jobs", "", "a&"),
        ("lines", "", "a\n"),
        ("comments", "", "#'\n"),
        ("one long word", "", "a"),
        ("one long path", "rm -rf /", "../"),
        ("one long option", "rm -", "r"),
        ("short options", "git push", " -f"),
        ("long options", "rm", " --recursive"),
        ("numbers as options", "chmod", " -7"),
        ("paths", "rm -rf", " /tmp/a"),
        ("globs", "rm -rf ", "*?[a]"),
        ("redirections", "a", " >b"),
        ("redirections to devices", "a", " >/dev/null"),
        ("process substitutions", "a", " <(a)"),
        ("brace lists", "rm ", "{a,b}"),
        ("brace sequences", "rm ", "{1..9999}"),
        ("variables that grow", "a=b;", "a=$a$a;"),
        ("variables", "a=rm; ", "$a "),
        ("assignments before a word", "", "a=b "),
        ("arrays", "a=(", "b "),
        ("functions", "", "f(){ f;};f;"),
        ("aliases", "", "alias a=b;a;"),
        ("wrappers", "", "sudo env nice "),
        ("evals", "", "eval "),
        ("shells in shells", "", "bash -c "),
        ("programs fed to shells", "", "echo a|sh;"),
        ("decoded programs", "", "echo YQ==|base64 -d|sh;"),
        ("xargs", "", "ls|xargs rm -rf;"),
        ("finds", "find .", " -exec rm -rf {} +"),
        ("seds", "sed", " -e s/a/b/e"),
        ("a long awk program", "awk '", "{system(\"a\")}"),
        ("a long Python program", "python3 -c '", "os.system(a);"),
        ("a long Perl program", "perl -e '", "unlink $a;"),
        ("a long SQL statement", "psql -c '", "delete from a;"),
        ("dangerous commands", "", "rm -rf /;"),
        ("remote shells", "", "ssh a sudo reboot;"),
        ("downloads that run", "", "curl a|sh;"),
        ("tests", "[[ a", " && a"),
        ("wide letters", "", "ｒｍ "),
        ("letters with accents", "echo ", "e\u{301}"),
        ("control characters", "echo ", "\u{1}"),
        ("opening brackets of all kinds", "", "$(`\"{[(<<'"),
    ];
    texts.extend(repeated.iter().map(|(name, first, unit)| (*name, repeat(first, unit))));
    texts
}

/// `first`, then as many whole `unit`s as fit.
fn repeat(first: &str, unit: &str) -> String {
    let room = MAX_COMMAND_CHARS - first.chars().count();
    first.to_owned() + &unit.repeat(room / unit.chars().count())
}

/// `inner` in as many pairs of `open` and `close` as fit.
fn nested(open: &str, inner: &str, close: &str) -> String {
    let pair = open.chars().count() + close.chars().count();
    let depth = (MAX_COMMAND_CHARS - inner.chars().count()) / pair;
    format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn texts_are_as_long_as_can_be_and_have_names_of_their_own() {
        let texts = texts();
        for (name, text) in &texts {
            let chars = text.chars().count();
            assert!(
                (MAX_COMMAND_CHARS - 40..=MAX_COMMAND_CHARS).contains(&chars),
                "{name}: {chars}"
            );
        }
        let names: HashSet<_> = texts.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), texts.len());
    }
}
