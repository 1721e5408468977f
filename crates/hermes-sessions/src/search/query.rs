//! What a person or a model typed, taken apart into terms.
//!
//! Words are all wanted. `"a phrase"` is wanted as it stands, `pre*` as a beginning; `OR`, `AND` and
//! `NOT` in capitals mean what they say. Everything else is punctuation: it parts words (`a,b`) or
//! joins them to a phrase (`don't`, `read_file`, `a.b`, `x/y`), and is never an error. Operators
//! without something to work on are dropped; what only says `NOT` wants nothing and finds nothing.
//!
//! What never happens here: typed text reaches a statement or the index's own query language other
//! than inside a quoted term.

use super::super::fts::is_unspaced;
use super::stop_words::is_stop_word;

/// Longest query, in characters; what is longer is cut between words.
pub const MAX_QUERY: usize = 2_048;
/// So many terms are looked at.
const MAX_TERMS: usize = 64;
/// With so many words and nothing found, any of them will do.
const WORDS_FOR_ANY: usize = 3;
/// Characters an entry of the trigram index has.
const TRIGRAM: usize = 3;

/// A word, a phrase, or the beginning of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) text: String,
    is_prefix: bool,
}

impl Term {
    /// As a string of the index's query language.
    pub(super) fn quoted(&self) -> String {
        // In the other index everything is part of something anyway.
        let star = if self.is_prefix() { "*" } else { "" };
        format!("\"{}\"{star}", self.text.replace('"', "\"\""))
    }

    /// Whether it is the beginning of a word.
    pub(super) fn is_prefix(&self) -> bool {
        self.is_prefix && self.unspaced() == 0
    }

    /// Whether it may be several entries of an index in a row.
    pub(super) fn is_phrase(&self) -> bool {
        match self.unspaced() {
            0 => self.text.chars().any(|c| !c.is_alphanumeric()),
            _ => self.text.chars().count() > TRIGRAM,
        }
    }

    fn unspaced(&self) -> usize {
        self.text.chars().filter(|c| is_unspaced(*c)).count()
    }

    /// How entries of the trigram index begin that this term is in: its first characters of a
    /// script without spaces.
    pub(super) fn trigram_start(&self) -> Option<String> {
        let start: String = self
            .text
            .chars()
            .skip_while(|c| !is_unspaced(*c))
            .take_while(|c| is_unspaced(*c))
            .take(TRIGRAM)
            .collect();
        (!start.is_empty()).then_some(start)
    }
}

/// Terms that must be there and terms that must not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) must: Vec<Term>,
    pub(super) not: Vec<Term>,
}

impl Group {
    pub(super) fn expression(&self) -> String {
        let join = |terms: &[Term], word: &str| {
            terms.iter().map(Term::quoted).collect::<Vec<_>>().join(word)
        };
        let must = join(&self.must, " AND ");
        match self.not.is_empty() {
            true => format!("({must})"),
            false => format!("(({must}) NOT ({}))", join(&self.not, " OR ")),
        }
    }
}

/// What is looked for: any of these groups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Query {
    pub(super) groups: Vec<Group>,
    has_operators: bool,
}

/// How a query is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    /// It wants nothing.
    Nothing,
    /// By the index of words.
    Words,
    /// By the index of three characters in a row.
    Trigrams,
    /// By looking at each message that may hold the terms.
    Substrings,
}

enum Token {
    Or,
    And,
    Not,
    Term(Term),
}

impl Query {
    /// Takes a text apart.
    pub(super) fn parse(text: &str) -> Self {
        let mut query = Self { groups: vec![Group::default()], has_operators: false };
        let mut is_negated = false;
        for token in tokens(cut(text)).into_iter().take(MAX_TERMS) {
            query.has_operators |= !matches!(token, Token::Term(_));
            match token {
                Token::Or => {
                    query.groups.push(Group::default());
                    is_negated = false;
                }
                Token::And => {}
                Token::Not => is_negated = true,
                Token::Term(term) => {
                    if let Some(group) = query.groups.last_mut() {
                        if is_negated { &mut group.not } else { &mut group.must }.push(term);
                    }
                    is_negated = false;
                }
            }
        }
        query.groups.retain(|group| !group.must.is_empty());
        query
    }

    fn terms(&self) -> impl Iterator<Item = &Term> {
        self.groups.iter().flat_map(|group| group.must.iter().chain(&group.not))
    }

    /// Whether beginnings of words are looked for.
    pub(super) fn has_prefixes(&self) -> bool {
        self.terms().any(Term::is_prefix)
    }

    /// What is wanted, for showing where it was found.
    pub(super) fn wanted(&self) -> impl Iterator<Item = &str> {
        self.groups.iter().flat_map(|group| &group.must).map(|term| term.text.as_str())
    }

    /// In the index's query language.
    pub(super) fn expression(&self) -> String {
        self.groups.iter().map(Group::expression).collect::<Vec<_>>().join(" OR ")
    }

    pub(super) fn plan(&self) -> Plan {
        if self.groups.is_empty() {
            Plan::Nothing
        } else if self.terms().all(|term| term.unspaced() == 0) {
            Plan::Words
        } else if self.terms().all(|term| term.unspaced() >= TRIGRAM) {
            Plan::Trigrams
        } else {
            Plan::Substrings
        }
    }

    /// The same with any of its words enough, if it is a plain row of several words. Small words are not.
    pub(super) fn any(&self) -> Option<Self> {
        let [group] = self.groups.as_slice() else { return None };
        if self.has_operators || group.must.len() < WORDS_FOR_ANY {
            return None;
        }
        let single = |term: &Term| Group { must: vec![term.clone()], not: Vec::new() };
        let telling = group.must.iter().filter(|term| !is_stop_word(&term.text));
        let groups: Vec<Group> = telling.map(single).collect();
        (!groups.is_empty()).then_some(Self { groups, has_operators: true })
    }
}

/// At most [`MAX_QUERY`] characters, ending with a whole word if there is one.
fn cut(text: &str) -> &str {
    let Some((end, next)) = text.char_indices().nth(MAX_QUERY) else { return text };
    let kept = text.get(..end).unwrap_or_default();
    if next.is_whitespace() {
        return kept;
    }
    kept.rfind(char::is_whitespace).and_then(|space| kept.get(..space)).unwrap_or(kept)
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    // Between every other pair of quotes is a phrase; one that is never closed ends with the text.
    for (index, piece) in text.split(['"', '\u{201c}', '\u{201d}']).enumerate() {
        if index % 2 == 1 {
            let phrase: String =
                piece.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            tokens.extend(term(&phrase, false));
            continue;
        }
        for word in piece.split(|c: char| c.is_whitespace() || c.is_control()) {
            match word {
                "OR" => tokens.push(Token::Or),
                "AND" => tokens.push(Token::And),
                "NOT" => tokens.push(Token::Not),
                word => {
                    for part in word.split_inclusive(parts_words) {
                        let is_prefix = part.ends_with('*');
                        tokens.extend(term(part, is_prefix));
                    }
                }
            }
        }
    }
    tokens
}

fn parts_words(character: char) -> bool {
    matches!(
        character,
        ',' | ';'
            | '|'
            | '&'
            | '='
            | '~'
            | '<'
            | '>'
            | '!'
            | '?'
            | '('
            | ')'
            | '['
            | ']'
            | '{'
            | '}'
            | '^'
            | '*'
            | '、'
            | '。'
            | '，'
            | '！'
            | '？'
            | '（'
            | '）'
            | '「'
            | '」'
            | '：'
            | '；'
    )
}

/// A term, if there is a letter or a digit in it.
fn term(text: &str, is_prefix: bool) -> Option<Token> {
    let text = text.trim_matches(|c: char| !c.is_alphanumeric());
    (!text.is_empty()).then(|| Token::Term(Term { text: text.to_owned(), is_prefix }))
}

/// What a query is taken for, as text: for looking at it from outside.
#[must_use]
pub fn explain_query(text: &str) -> String {
    let query = Query::parse(text);
    let expression = query.expression();
    match query.plan() {
        Plan::Nothing => "nothing".to_owned(),
        Plan::Words => format!("words: {expression}"),
        Plan::Trigrams => format!("characters: {expression}"),
        Plan::Substrings => format!("substrings: {expression}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_mean_what_they_look_like() {
        let cases = [
            ("zebra crossing", r#"words: ("zebra" AND "crossing")"#),
            (r#""zebra crossing" now"#, r#"words: ("zebra crossing" AND "now")"#),
            ("a OR b c", r#"words: ("a") OR ("b" AND "c")"#),
            ("a NOT b", r#"words: (("a") NOT ("b"))"#),
            ("a AND NOT b NOT c d", r#"words: (("a" AND "d") NOT ("b" OR "c"))"#),
            ("zeb*", r#"words: ("zeb"*)"#),
            ("don't", r#"words: ("don't")"#),
            ("read_file src/lib.rs a-b", r#"words: ("read_file" AND "src/lib.rs" AND "a-b")"#),
            ("what is a,b?", r#"words: ("what" AND "is" AND "a" AND "b")"#),
            (
                "-leading $x @me #3 50% C++",
                r#"words: ("leading" AND "x" AND "me" AND "3" AND "50" AND "C")"#,
            ),
            ("a OR OR AND b", r#"words: ("a") OR ("b")"#),
            ("OR a AND", r#"words: ("a")"#),
            ("or and not", r#"words: ("or" AND "and" AND "not")"#),
            (r#"an "open phrase"#, r#"words: ("an" AND "open phrase")"#),
            ("NOT x", "nothing"),
            ("a OR NOT b", r#"words: ("a")"#),
            ("?! -- * \"\"", "nothing"),
            ("", "nothing"),
            ("日本語", r#"characters: ("日本語")"#),
            ("日本語 データベース", r#"characters: ("日本語" AND "データベース")"#),
            ("日本 語", r#"substrings: ("日本" AND "語")"#),
            ("日本語 rust", r#"substrings: ("日本語" AND "rust")"#),
        ];
        for (text, meaning) in cases {
            assert_eq!(explain_query(text), meaning, "{text}");
        }
    }

    #[test]
    fn a_long_query_is_cut_between_words() {
        let text = "word ".repeat(1_000);
        assert!(cut(&text).chars().count() <= MAX_QUERY && cut(&text).ends_with("word"));
        assert_eq!(cut(&"x".repeat(3_000)).len(), MAX_QUERY);
    }

    #[test]
    fn only_a_plain_row_of_words_is_loosened() {
        let any = |text| Query::parse(text).any().map(|query| query.expression());
        assert_eq!(any("x b c").as_deref(), Some(r#"("x") OR ("b") OR ("c")"#));
        assert_eq!((any("x b"), any("x b NOT c d"), any("x OR b OR c")), (None, None, None));
        assert_eq!(
            any("Where is the invoice from Lisbon").as_deref(),
            Some(r#"("invoice") OR ("Lisbon")"#)
        );
        assert_eq!(any("what was it"), None);
    }
}
