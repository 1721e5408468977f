//! `config.md`: every known setting.

use hermes_store::config_keys::{KeyInfo, KeyTable, Kind};

use super::markdown::{Table, code, codes, finish, link_to_heading, prose, push};

pub(super) fn page() -> String {
    let mut page = String::new();
    push(&mut page, "# Settings");
    push(
        &mut page,
        "Hermes reads `config.yaml` in its home folder; [`hermes config path`](cli.md#hermes-config-path) \
         prints where that is. Everything in it is optional. `hermes config set KEY VALUE` changes a \
         setting and leaves your comments alone; `hermes config check` finds misspelt names and \
         values of the wrong kind. Secrets belong in `.env` beside it, where `hermes config set` \
         puts them by itself; `${NAME}` in a value stands for a variable.",
    );
    push(
        &mut page,
        "`*` in a name stands for a word of your choice. Settings of a part that your build does \
         not have are accepted and change nothing.",
    );

    push(&mut page, "## At the top of the file");
    let mut top = Table::new(["setting", "holds", "default", "meaning"]);
    for key in shown().filter(|key| !key.path.contains('.')) {
        let name = code(&key.path);
        let name = if children(key).next().is_some() {
            link_to_heading(&name, "", &key.path)
        } else {
            name
        };
        top.row(row(key, name));
    }
    push(&mut page, &top.finish());

    for key in shown().filter(|key| !key.path.contains('.')) {
        let mut below = children(key).peekable();
        if below.peek().is_none() {
            continue;
        }
        push(&mut page, &format!("## {}", key.path));
        push(&mut page, &format!("{}.", prose(key.about)));
        let mut table = Table::new(["setting", "holds", "default", "meaning"]);
        for child in below {
            table.row(row(child, code(&child.path)));
        }
        push(&mut page, &table.finish());
    }
    finish(&page)
}

/// Every setting but the older spellings.
fn shown() -> impl Iterator<Item = &'static KeyInfo> {
    KeyTable::linked().keys().iter().filter(|key| !key.hidden)
}

/// Every setting below a top-level one.
fn children(parent: &KeyInfo) -> impl Iterator<Item = &'static KeyInfo> {
    let parent = parent.path.clone();
    shown().filter(move |key| {
        key.path.strip_prefix(parent.as_str()).is_some_and(|rest| rest.starts_with('.'))
    })
}

fn row(key: &KeyInfo, name: String) -> [String; 4] {
    // An empty section or list is the same as none.
    let default = match key.default.as_str() {
        "" | "{}" | "[]" | "null" => String::new(),
        value => code(value),
    };
    let mut meaning = prose(key.about);
    if let Some(variable) = &key.variable {
        meaning.push_str(&format!(" (variable {})", code(variable)));
    }
    [name, kind(key.kind), default, meaning]
}

fn kind(kind: Kind) -> String {
    match kind {
        Kind::OneOf(words) => codes(words),
        Kind::BoolOr(other) => format!("true or false, or {}", self::kind(*other)),
        Kind::OrOlder(newer, _) => self::kind(*newer),
        Kind::Bool | Kind::Any => kind.to_string(),
        // As a column entry, without the article of running text.
        other => {
            let text = other.to_string();
            text.strip_prefix("a ").map(str::to_owned).unwrap_or(text)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use hermes_store::config_edit::parse_cli_value;
    use hermes_store::key_path::KeyPath;
    use serde_json::json;

    use super::*;

    #[test]
    fn every_setting_is_on_the_page_once() {
        let page = page();
        for key in shown() {
            let rows = page
                .lines()
                .filter(|line| {
                    line.starts_with(&format!("| `{}` |", key.path))
                        || line.starts_with(&format!("| [`{}`]", key.path))
                })
                .count();
            assert_eq!(rows, 1, "{}", key.path);
        }
    }

    #[test]
    fn every_declaration_fits_the_others() {
        let mut paths = HashSet::new();
        for key in KeyTable::linked().keys() {
            assert!(paths.insert(key.path.as_str()), "{} is there twice", key.path);
            // A section that only its keys imply has no words of its own.
            let implied = key.kind == Kind::Section && key.path.contains('.');
            assert!(
                (implied || !key.about.is_empty()) && !key.about.ends_with('.'),
                "{}: {}",
                key.path,
                key.about
            );
            assert!(KeyPath::parse(&key.path).is_ok(), "{}", key.path);
            if let Some((parent, _)) = key.path.rsplit_once('.') {
                assert!(paths.contains(parent), "{parent} must come before {}", key.path);
                let kind =
                    KeyTable::linked().find(&parent.split('.').collect::<Vec<_>>()).unwrap().kind;
                // An entry of a list is told of under `*`, as a name of the user's choice is.
                let holds = kind.fits(&json!({})) || kind.fits(&json!([]));
                assert!(holds, "{parent} cannot hold {}", key.path);
            }
            if !key.default.is_empty() {
                let value = parse_cli_value(&key.default);
                assert!(value.is_null() || key.kind.fits(&value), "default of {}", key.path);
            }
        }
    }

    #[test]
    fn kinds_are_words_and_choices_are_spelt_out() {
        assert_eq!(kind(Kind::TextList), "list of texts");
        assert_eq!(kind(Kind::OneOf(&["a", "b"])), "`a`, `b`");
        assert_eq!(kind(Kind::BoolOr(&Kind::Section)), "true or false, or section");
    }

    #[test]
    fn a_section_lists_what_is_below_it_and_not_its_namesakes() {
        let tools = shown().find(|key| key.path == "tools").unwrap();
        assert!(children(tools).any(|key| key.path == "tools.coercion"));
        assert!(children(tools).all(|key| key.path.starts_with("tools.")));
    }
}
