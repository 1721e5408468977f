//! Every setting is read, every setting that is read is declared, and every setting that is named exists.
//!
//! A field of a struct that derives `Settings` is a documented key. If nothing asks for the field, the key is a promise
//! nobody keeps. Whoever takes a value out of the configuration by its name, past such a struct, has a key that no
//! reference, check or completion knows. And a page or message that tells people to set a key nobody declares sends them
//! astray.

use std::collections::{BTreeMap, BTreeSet};

use hermes_store::config_keys::KeyTable;

use super::Findings;
use super::tokens::{Kind, Token, inside, without_tests};
use super::tree::{SourceFile, Tree};

/// Who may look into the configuration by name, and why.
const READERS: &[(&str, &str)] = &[
    ("crates/hermes-store/", "reads and edits the file for everybody"),
    ("crates/hermes-tool/src/settings/", "reads what is declared"),
];

/// What a configuration is called.
const CONFIGS: &[&str] = &["config", "config_value", "configuration", "cfg", "conf"];

pub(super) fn are_read(tree: &Tree, findings: &mut Findings) {
    let mut used: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let mut declared: Vec<(&str, Field)> = Vec::new();
    for (path, file) in sources(tree) {
        let tokens = without_tests(&file.tokens);
        let used = used.entry(crate_of(path)).or_default();
        for pair in tokens.windows(2) {
            if let [dot, Token { kind: Kind::Word(name), .. }] = pair
                && dot.is_mark('.')
            {
                used.insert(name.clone());
            }
        }
        // `let Settings { max_turns, .. } = settings;` reads as well.
        for at in 0..tokens.len() {
            if tokens[at].is_word("let") {
                let names = tokens[at + 1..].iter().take_while(|token| !token.is_mark('='));
                used.extend(names.filter_map(|token| match &token.kind {
                    Kind::Word(word) => Some(word.clone()),
                    _ => None,
                }));
            }
        }
        declared.extend(settings_fields(&tokens).into_iter().map(|field| (path, field)));
    }
    findings.note(format!("{} declared settings", declared.len()));
    for (path, field) in declared {
        // Others can read only what is public.
        let own = crate_of(path);
        let is_read = used
            .iter()
            .filter(|(name, _)| field.is_public || **name == own)
            .any(|(_, used)| used.contains(&field.name));
        if !is_read {
            let what =
                format!("nothing reads the setting `{}`: use it, or take it out", field.name);
            findings.breach(format!("{path}:{}", field.line), what);
        }
    }
}

pub(super) fn are_declared(tree: &Tree, findings: &mut Findings) {
    for (path, file) in sources(tree) {
        if READERS.iter().any(|(reader, _)| path.starts_with(reader)) {
            continue;
        }
        for line in lookups(&without_tests(&file.tokens)) {
            let what =
                "takes a setting by its name; declare it in a struct with `derive(Settings)`";
            findings.breach(format!("{path}:{line}"), what);
        }
    }
}

/// Keys in pages and in messages, written with dots.
pub(super) fn named_keys_exist(tree: &Tree, findings: &mut Findings) {
    let pages = tree.ending_in(".md").filter(|(path, _)| {
        // The changelog also tells of keys that are gone; the reference is made from the table.
        !path.ends_with("CHANGELOG.md") && !path.starts_with("docs/reference/")
    });
    for (path, file) in pages {
        for (at, line) in file.text.lines().enumerate() {
            // Every other piece between backticks is code.
            for code in line.split('`').skip(1).step_by(2) {
                unknown_key(code).into_iter().for_each(|key| nobody(findings, path, at + 1, key));
            }
        }
    }
    for (path, file) in sources(tree) {
        let tokens = without_tests(&file.tokens);
        for (at, token) in tokens.iter().enumerate() {
            // What is written about code speaks of methods and modules as well.
            let is_doc = at > 1 && tokens[at - 2].is_word("doc") && tokens[at - 1].is_mark('=');
            if let (false, Kind::Literal(text)) = (is_doc, &token.kind) {
                for word in text.split(|c: char| !(c.is_alphanumeric() || "_.*<>".contains(c))) {
                    let key = unknown_key(word.trim_matches('.'));
                    key.into_iter().for_each(|key| nobody(findings, path, token.line, key));
                }
            }
        }
    }
}

fn nobody(findings: &mut Findings, path: &str, line: usize, key: &str) {
    let what = format!("names the setting `{key}`, which nobody declares");
    findings.breach(format!("{path}:{line}"), what);
}

/// The text, if it is the path of a setting in a section that is known, and the setting is not.
fn unknown_key(text: &str) -> Option<&str> {
    /// What a name with a dot ends in if it is a file or a host.
    const OTHERS: &[&str] = &[
        "rs", "md", "json", "jsonl", "yaml", "yml", "toml", "py", "sh", "txt", "log", "db", "ai",
        "com", "example", "conf", "nu",
    ];
    /// Settings and files of other programs in a section that is called like one of ours.
    const FOREIGN: &[&str] =
        &["web.browser", "cron.d", "local.hex", "tools.sock", "discord.double.token"];
    if FOREIGN.contains(&text) {
        return None;
    }
    let table = KeyTable::linked();
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_*<>".contains(c))
    };
    let names: Vec<&str> = text.split('.').collect();
    let [section, .., last] = names.as_slice() else { return None };
    let has_children = table
        .keys()
        .iter()
        .any(|key| key.path.strip_prefix(section).is_some_and(|rest| rest.starts_with('.')));
    let is_key = has_children
        && names.iter().all(|name| is_name(name))
        && !OTHERS.contains(last)
        && section.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    // Pages about one section name its keys from there on.
    let below = format!(".{text}");
    let is_known =
        table.find(&names).is_some() || table.keys().iter().any(|key| key.path.ends_with(&below));
    (is_key && !is_known).then_some(text)
}

fn crate_of(path: &str) -> &str {
    path.split('/').nth(1).unwrap_or_default()
}

fn sources(tree: &Tree) -> impl Iterator<Item = (&str, &SourceFile)> {
    tree.ending_in(".rs").filter(|(path, _)| {
        path.starts_with("crates/")
            && path.contains("/src/")
            && !path.contains("/tests/")
            && !path.ends_with("tests.rs")
    })
}

/// Lines on which a value is taken out of a configuration by its name: `config["…"]`, `config.get("…")`, the same
/// behind `config.value()` and under another name it was given, a path handed to a helper together with it, and
/// wherever two names of the table follow each other.
fn lookups(tokens: &[Token]) -> BTreeSet<usize> {
    let names = names_of_configs(tokens);
    let mut found = BTreeSet::new();
    for at in 0..tokens.len() {
        let is_config = matches!(&tokens[at].kind, Kind::Word(word) if names.contains(word));
        let rest = &tokens[at + 1..];
        if is_config && (looked_up(past_getters(rest)).is_some() || is_handed_over(rest)) {
            found.insert(tokens[at].line);
        }
        let known = |key: &str| {
            let names: Vec<&str> = key.split('.').collect();
            names.len() > 1 && KeyTable::linked().find(&names).is_some()
        };
        let is_known = match looked_up(&tokens[at..]) {
            Some((path, _)) if path.starts_with('/') => known(&path[1..].replace('/', ".")),
            Some((section, after)) => {
                let after = after.strip_prefix_mark('?');
                looked_up(after).is_some_and(|(name, _)| known(&format!("{section}.{name}")))
            }
            None => false,
        };
        if is_known {
            found.insert(tokens[at].line);
        }
    }
    found
}

trait StripMark {
    fn strip_prefix_mark(&self, mark: char) -> &Self;
}

impl StripMark for [Token] {
    fn strip_prefix_mark(&self, mark: char) -> &Self {
        match self {
            [first, rest @ ..] if first.is_mark(mark) => rest,
            all => all,
        }
    }
}

/// The usual names, and those that are given to a configuration as a whole: `let all = &host.config().value();`
fn names_of_configs(tokens: &[Token]) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = CONFIGS.iter().map(|name| (*name).to_owned()).collect();
    for at in 0..tokens.len() {
        if let [binding, Token { kind: Kind::Word(name), .. }, equals, rest @ ..] = &tokens[at..]
            && binding.is_word("let")
            && equals.is_mark('=')
        {
            let value: Vec<&Token> = rest.iter().take_while(|token| !token.is_mark(';')).collect();
            let is_plain = |token: &&Token| match &token.kind {
                Kind::Word(_) | Kind::Open | Kind::Close => true,
                Kind::Mark(mark) => matches!(mark, '.' | '&' | '*'),
                Kind::Literal(_) => false,
            };
            let last = value.iter().rev().find_map(|token| match &token.kind {
                Kind::Word(word) => Some(word.as_str()),
                _ => None,
            });
            let ends_in_it = last.is_some_and(|last| last == "value" || CONFIGS.contains(&last));
            let names_it = value.iter().any(
                |token| matches!(&token.kind, Kind::Word(word) if CONFIGS.contains(&word.as_str())),
            );
            if value.iter().all(is_plain) && ends_in_it && names_it {
                names.insert(name.clone());
            }
        }
    }
    names
}

/// What follows `()` and `.value()`.
fn past_getters(tokens: &[Token]) -> &[Token] {
    match tokens {
        [open, close, rest @ ..] if open.kind == Kind::Open && close.kind == Kind::Close => {
            past_getters(rest)
        }
        [dot, getter, open, close, rest @ ..]
            if dot.is_mark('.')
                && ["value", "clone", "as_ref", "config"]
                    .iter()
                    .any(|name| getter.is_word(name))
                && open.kind == Kind::Open
                && close.kind == Kind::Close =>
        {
            past_getters(rest)
        }
        other => other,
    }
}

/// The text in `["…"]` or `.get("…")` at the beginning, and what follows.
fn looked_up(tokens: &[Token]) -> Option<(String, &[Token])> {
    const READS: &[&str] =
        &["get", "bool", "integer", "number", "text", "text_list", "section", "pointer"];
    let call = match tokens {
        [open, ..] if open.kind == Kind::Open => tokens,
        [dot, Token { kind: Kind::Word(method), .. }, call @ ..]
            if dot.is_mark('.') && READS.contains(&method.as_str()) =>
        {
            call
        }
        _ => return None,
    };
    let [Token { kind: Kind::Literal(text), .. }] = inside(call) else { return None };
    let text = text.strip_prefix('"')?.strip_suffix('"')?;
    Some((text.to_owned(), call.get(3..).unwrap_or_default()))
}

/// `helper(config, "/agent/max_turns")`: a path that goes along with the configuration.
fn is_handed_over(tokens: &[Token]) -> bool {
    match past_getters(tokens) {
        [comma, Token { kind: Kind::Literal(text), .. }, ..] if comma.is_mark(',') => {
            let text = text.trim_matches('"');
            let names: Vec<&str> = text.split('.').collect();
            text.starts_with('/') || KeyTable::linked().find(&names).is_some()
        }
        _ => false,
    }
}

/// A documented key.
struct Field {
    name: String,
    line: usize,
    is_public: bool,
}

/// The fields of structs with `Settings` among their derives.
fn settings_fields(tokens: &[Token]) -> Vec<Field> {
    let mut found = Vec::new();
    let mut derives = false;
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at].is_mark('#')
            && tokens.get(at + 1).is_some_and(|token| token.kind == Kind::Open)
        {
            let attribute = inside(&tokens[at + 1..]);
            derives |= attribute.first().is_some_and(|word| word.is_word("derive"))
                && attribute.iter().any(|token| token.is_word("Settings"));
            at += attribute.len() + 3;
            continue;
        }
        if tokens[at].is_word("struct") {
            let body = tokens[at..].iter().position(|token| token.kind == Kind::Open);
            if let (true, Some(open)) = (derives, body) {
                found.extend(fields(inside(&tokens[at + open..])));
            }
            derives = false;
        }
        at += 1;
    }
    found
}

/// Names before a single colon, outside brackets.
fn fields(body: &[Token]) -> Vec<Field> {
    let mut found = Vec::new();
    let mut depth = 0_usize;
    let mut angle = 0_usize;
    for at in 0..body.len() {
        match body[at].kind {
            Kind::Open => depth += 1,
            Kind::Close => depth = depth.saturating_sub(1),
            Kind::Mark('<') => angle += 1,
            Kind::Mark('>') => angle = angle.saturating_sub(1),
            _ => {}
        }
        let is_colon = |at: usize| body.get(at).is_some_and(|token| token.is_mark(':'));
        if let (0, 0, Kind::Word(name)) = (depth, angle, &body[at].kind)
            && is_colon(at + 1)
            && !is_colon(at + 2)
            && (at == 0 || !is_colon(at - 1))
        {
            let is_public = at > 0 && body[at - 1].is_word("pub");
            found.push(Field { name: name.clone(), line: body[at].line, is_public });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::breaches;
    use super::*;

    #[test]
    fn a_setting_that_nothing_reads_is_reported() {
        let source = "#[derive(Clone, Settings)] #[settings(path = \"a\")] pub struct A { \
            /// One.\n pub one: u32, #[setting(default = 1)] pub two: Option<Vec<a::B>>, pub three: u8 } \
            fn f(a: A) { a.one; let A { three, .. } = a; } struct B { four: u8 }";
        let found = breaches(are_read, &[("crates/a/src/lib.rs", source)]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("`two`"), "{found:?}");
    }

    #[test]
    fn a_private_setting_that_only_another_crate_seems_to_read_is_reported() {
        let own = "#[derive(Settings)] struct A { one: u32, pub two: u32 }";
        let other = "fn f(b: B) { b.one; b.two; }";
        let files = [("crates/a/src/lib.rs", own), ("crates/b/src/lib.rs", other)];
        let found = breaches(are_read, &files);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("`one`"), "{found:?}");
    }

    #[test]
    fn a_value_taken_by_its_name_is_reported() {
        let source = "fn f() { config[\"a\"];\n self.config.value()[\"b\"];\n config.get(\"c\");\n config.get(key); \
            config.clone(); host.config.bool(\"d\"); } #[cfg(test)] mod t { fn g() { config[\"e\"]; } }";
        assert_eq!(breaches(are_declared, &[("crates/a/src/lib.rs", source)]).len(), 4);
    }

    #[test]
    fn another_name_and_a_helper_are_no_way_around() {
        for source in [
            "fn f() { let all = host.config().value(); all[\"a\"]; }",
            "fn f(settings: &Value) { settings[\"agent\"][\"max_turns\"]; }",
            "fn f(settings: &Value) { settings.get(\"agent\")?.get(\"max_turns\"); }",
            "fn f(settings: &Value) { settings.pointer(\"/agent/max_turns\"); }",
            "fn f() { text(self.config, \"/anything\"); }",
            "fn f() { number(host.config(), \"agent.max_turns\"); }",
        ] {
            let found = breaches(are_declared, &[("crates/a/src/lib.rs", source)]);
            assert_eq!(found.len(), 1, "{source}: {found:?}");
        }
        let harmless = "fn f(schema: &Value) { schema[\"properties\"][\"path\"]; let n = all[0]; \
            let port = config.port(); port[\"a\"]; }";
        assert!(breaches(are_declared, &[("crates/a/src/lib.rs", harmless)]).is_empty());
    }

    #[test]
    fn a_key_that_is_named_and_does_not_exist_is_reported() {
        let source =
            "fn f() { warn(\"set agent.max_turns or agent.no_such_thing to 3; see agent.rs\"); }";
        let page =
            "`agent.max_turns`, `agent.nothing`, `mcp_servers.NAME.url`, agent.nothing, `agent.md`";
        let files = [("crates/a/src/lib.rs", source), ("docs/page.md", page)];
        let found = breaches(named_keys_exist, &files);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("agent.nothing") && found[1].contains("agent.no_such_thing"));
    }
}
