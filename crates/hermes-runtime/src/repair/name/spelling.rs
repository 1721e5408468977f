//! The spellings a name is tried in.

use super::How;

/// Every spelling to try, in order, with the step that makes it.
pub(super) fn spellings(name: &str) -> Vec<(String, How)> {
    let name = bare(name);
    let cut = cut(name);
    let lower = cut.to_lowercase();
    let separated = separated(&lower);
    let snake = snake(cut);
    let mut suffixless = Vec::new();
    for base in [cut, separated.as_str(), snake.as_str()] {
        let once = without_suffix(base);
        suffixless.extend(once.into_iter().chain(once.and_then(without_suffix)).map(str::to_owned));
    }
    let respelled = [
        (cut.to_owned(), How::Cut),
        (lower, How::LowerCase),
        (separated, How::Separators),
        (snake, How::CamelCase),
    ];
    let mcp = mcp_form(name).map(|spelling| (spelling, How::McpForm));
    let suffixless = suffixless.into_iter().map(|spelling| (spelling, How::ToolSuffix));
    mcp.into_iter().chain(respelled).chain(suffixless).collect()
}

/// The plainest spelling: nothing around it, lower case, words joined by underscores.
pub(super) fn canonical(name: &str) -> String {
    snake(cut(bare(name)))
}

/// Namespaces in which models were shown functions while they learned, and which some write down.
const NAMESPACES: [&str; 3] = ["functions", "tools", "default_api"];

/// The name without the punctuation around it and the namespaces in front of it: `<x>`, `x()`, `` `x` ``,
/// `functions.x`, and `functions.x:0`, where the number counts calls.
fn bare(name: &str) -> &str {
    let mut name = trimmed(name);
    while let Some(own) = without_namespace(name) {
        let uncounted = own.rsplit_once(':').filter(|(_, count)| {
            !count.is_empty() && count.bytes().all(|digit| digit.is_ascii_digit())
        });
        name = trimmed(uncounted.map_or(own, |(own, _)| own));
    }
    name
}

fn trimmed(name: &str) -> &str {
    name.trim_matches(|c: char| !c.is_alphanumeric() && c != '_' && c != '-')
}

fn without_namespace(name: &str) -> Option<&str> {
    let (namespace, own) = name.split_once(['.', ':'])?;
    let is_one = NAMESPACES.iter().any(|known| namespace.eq_ignore_ascii_case(known));
    (is_one && !own.is_empty()).then_some(own)
}

/// The name before any markup or arguments that got stuck to it.
fn cut(name: &str) -> &str {
    match name.find(['"', '\'', '`', '<', '>', '(', '{', '[']) {
        Some(end) if end > 0 => trimmed(&name[..end]),
        _ => name,
    }
}

fn separated(name: &str) -> String {
    name.replace([' ', '-'], "_")
}

/// `ReadFile`, `readFile` and `read-file` to `read_file`; `HTMLView` to `html_view`.
fn snake(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    let mut previous = '_';
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        let next_is_lower = letters.peek().is_some_and(|next| next.is_lowercase());
        let starts_word = letter.is_uppercase()
            && (previous.is_lowercase()
                || previous.is_numeric()
                || previous.is_uppercase() && next_is_lower);
        if starts_word {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
        previous = letter;
    }
    separated(&snake)
}

/// The name without a `tool` at its end, in any letter case, and without what joined it.
fn without_suffix(name: &str) -> Option<&str> {
    const SUFFIX: &str = "tool";
    let at = name.len().checked_sub(SUFFIX.len())?;
    let (stem, suffix) = name.split_at_checked(at)?;
    let stem = stem.strip_suffix(['_', '-']).unwrap_or(stem);
    (suffix.eq_ignore_ascii_case(SUFFIX) && !stem.is_empty()).then_some(stem)
}

/// `mcp-server:tool`, as people write it, to the name it is registered by.
fn mcp_form(name: &str) -> Option<String> {
    let (server, tool) = name.strip_prefix("mcp-")?.split_once(':')?;
    let plain = |part: &str| part.replace(|c: char| !c.is_ascii_alphanumeric() && c != '_', "_");
    Some(format!("mcp__{}__{}", plain(server), plain(tool)))
}
