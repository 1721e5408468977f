//! Names that a program puts together from pieces so that nobody finds them: `"ex" + "ec"`.

use super::finding::{MAX_MATCH_CHARS, SkillFinding, SkillRisk, SkillSeverity, shown};

/// What nobody writes in pieces for an honest reason.
const NAMES: &[&str] = &[
    "exec",
    "eval",
    "system",
    "popen",
    "subprocess",
    "__import__",
    "builtins",
    "child_process",
    "execsync",
    "function",
    "b64decode",
    "atob",
    "fromcharcode",
    "socket",
    "urlopen",
    "requests",
    "curl",
    "wget",
    "bash",
    "/bin/sh",
    "powershell",
    "rm -rf",
    ".ssh",
    "id_rsa",
    "authorized_keys",
    ".aws",
    "environ",
    "webhook",
];

pub(super) fn find(file: &str, text: &str, findings: &mut Vec<SkillFinding>) {
    for (index, line) in text.lines().enumerate() {
        if let Some(command) = pieced_command(line) {
            findings.push(finding(file, index + 1, command));
        }
        let Some(joined) = joined(line).or_else(|| turned(line)).or_else(|| listed(line)) else {
            continue;
        };
        let (plain, joined) = (line.to_ascii_lowercase(), joined.to_ascii_lowercase());
        let hidden = |name: &&&str| {
            joined.match_indices(**name).any(|(at, _)| stands_alone(&joined, at, name.len()))
                && !plain.contains(**name)
        };
        if let Some(name) = NAMES.iter().find(hidden) {
            findings.push(finding(file, index + 1, &format!("{name}: {}", line.trim())));
        }
    }
}

fn finding(file: &str, line: usize, matched: &str) -> SkillFinding {
    SkillFinding {
        pattern_id: "split_name",
        severity: SkillSeverity::High,
        category: SkillRisk::Obfuscation,
        file: file.to_owned(),
        line,
        matched: shown(matched, MAX_MATCH_CHARS),
        description: "A name is put together from pieces so that nobody finds it.",
    }
}

/// A command of a shell whose name is two short variables: `$a$b -s`.
fn pieced_command(line: &str) -> Option<&str> {
    memchr::memchr(b'$', line.as_bytes())?;
    line.split(['|', ';', '&']).map(str::trim).find(|command| {
        let name = command.strip_prefix("eval ").unwrap_or(command);
        short_variable(name)
            .and_then(short_variable)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '$']))
    })
}

/// What follows a variable of at most four small letters, if one stands here.
fn short_variable(text: &str) -> Option<&str> {
    let name = text.strip_prefix('$')?;
    let (name, closes) = match name.strip_prefix('{') {
        Some(name) => (name, true),
        None => (name, false),
    };
    let length = name.bytes().take_while(u8::is_ascii_lowercase).count();
    let rest = &name[length..];
    let rest = if closes { rest.strip_prefix('}')? } else { rest };
    matches!(length, 1..=4).then_some(rest)
}

/// The line turned round, if it turns a literal round itself.
fn turned(line: &str) -> Option<String> {
    let turns = ["\"[::-1]", "'[::-1]", ".reverse().join("];
    let is_turned = line.contains('[') && turns.iter().any(|turn| line.contains(turn));
    is_turned.then(|| line.chars().rev().collect())
}

/// The line with the pieces of a list made one, where it joins them itself: `"".join(["sys", "tem"])`.
fn listed(line: &str) -> Option<String> {
    let is_joined =
        line.contains("\".join([") || line.contains("'.join([") || line.contains("].join(");
    is_joined.then(|| {
        line.replace("\", \"", "").replace("', '", "").replace("\",\"", "").replace("','", "")
    })
}

/// Whether a name is not a part of a longer word.
fn stands_alone(text: &str, at: usize, length: usize) -> bool {
    let is_letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let before = at.checked_sub(1).and_then(|before| text.as_bytes().get(before));
    !is_letter(before) && !is_letter(text.as_bytes().get(at + length))
}

/// The line with neighbouring literals made one, if it has any.
fn joined(line: &str) -> Option<String> {
    memchr::memchr(b'+', line.as_bytes())?;
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    let mut found = false;
    while let Some(at) = rest.find('+') {
        let before = rest[..at].trim_end();
        let behind = rest[at + 1..].trim_start();
        let quote = before.chars().next_back().filter(|quote| matches!(quote, '"' | '\''));
        match quote {
            Some(quote) if behind.starts_with(quote) => {
                text.push_str(&before[..before.len() - 1]);
                rest = &behind[1..];
                found = true;
            }
            _ => {
                text.push_str(&rest[..=at]);
                rest = &rest[at + 1..];
            }
        }
    }
    text.push_str(rest);
    found.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(line: &str) -> usize {
        let mut findings = Vec::new();
        find("a.py", line, &mut findings);
        findings.len()
    }

    #[test]
    fn names_in_pieces_are_found() {
        assert_eq!(count(r#"run = getattr(g, "ex" + "ec")"#), 1);
        assert_eq!(count(r#"getattr(m, "metsys"[::-1])("x")"#), 1);
        assert_eq!(count("true; $a$b -s x | $g$h"), 1);
        assert_eq!(count("const f = this['ev'+'al'];"), 1);
        assert_eq!(count(r#"p = home + "/.s" + "sh/x""#), 1);
    }

    #[test]
    fn ordinary_joining_is_not() {
        assert_eq!(count(r#"url = "https://a.b" + "/path""#), 0);
        assert_eq!(count(r#"print("exec" + "utive")"#), 0);
        assert_eq!(count("x = a + b"), 0);
        assert_eq!(count("echo $a$b; $run --all"), 0);
    }
}
