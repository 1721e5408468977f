//! How a tool wants its calls told: the line in a chat, and the line that is left of an old result.
//!
//! Who draws knows no tool by name. It asks the declaration for a word, for the arguments that say most, and for the end
//! that is cut where there is no room. Texts given here may hold anything a model wrote; whoever shows them takes control
//! sequences out.

use serde_json::{Map, Value};

/// What a line about an old call shows of one argument, in characters.
const SHOWN_CHARS: usize = 100;

/// A call, as far as a line tells of it.
#[derive(Clone, Copy, Debug)]
pub struct ShownCall<'a> {
    /// The arguments, as the model gave them.
    pub args: &'a Value,
    /// The result, once there is one that can be read.
    pub result: Option<&'a Value>,
}

impl ShownCall<'_> {
    /// An argument on one line; empty if it is absent.
    #[must_use]
    pub fn text(&self, key: &str) -> String {
        match self.args.get(key) {
            Some(Value::String(text)) => joined_lines(text),
            Some(Value::Null) | None => String::new(),
            Some(other) => other.to_string(),
        }
    }

    /// A whole number, also one in quotes.
    #[must_use]
    pub fn number(&self, key: &str) -> Option<u64> {
        let value = self.args.get(key)?;
        value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
    }

    /// The entries of a list; none if it is no list.
    #[must_use]
    pub fn list(&self, key: &str) -> &[Value] {
        self.args.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Whether an argument is there and not null.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        self.args.get(key).is_some_and(|value| !value.is_null())
    }

    /// These arguments, as far as they say something, with blanks between them.
    #[must_use]
    pub fn texts(&self, keys: &[&str]) -> String {
        let texts = keys.iter().map(|key| self.text(key)).filter(|text| !text.is_empty());
        texts.collect::<Vec<_>>().join(" ")
    }

    /// The first argument that usually says most about a call.
    #[must_use]
    pub fn best_guess(&self) -> String {
        const TELLING: [&str; 8] =
            ["query", "text", "command", "path", "name", "prompt", "code", "goal"];
        TELLING.iter().map(|key| self.text(key)).find(|text| !text.is_empty()).unwrap_or_default()
    }
}

/// The part of a detail that is cut where there is no room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CutAt {
    /// The end: commands, queries.
    #[default]
    End,
    /// The beginning: of a path the last part says most.
    Start,
}

/// What is shown of a result below the line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResultView {
    /// Nothing but what every result may have, such as a diff.
    #[default]
    Plain,
    /// `todos` as a list of steps, each with its state.
    Checklist,
    /// The last lines of `output`, which a program wrote.
    Output,
    /// The beginning of the argument `content`, which is now in a file.
    Written,
}

/// What calls are counted as that only look, so that several in a row are told in one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedAs {
    /// The word for one.
    pub one: &'static str,
    /// The word for several.
    pub many: &'static str,
}

/// How calls of a tool are told in a chat.
///
/// ```
/// use hermes_tool::{CallDisplay, CutAt, ShownCall};
/// use serde_json::json;
///
/// const DISPLAY: CallDisplay = CallDisplay::verb("fetch").args(&["url"]).cut_at(CutAt::Start);
/// let args = json!({"url": "https://a.org"});
/// let call = ShownCall { args: &args, result: None };
/// assert_eq!(DISPLAY.verb_of("get_page", &call), "fetch");
/// assert_eq!(DISPLAY.detail_of(&call), "https://a.org");
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct CallDisplay {
    verb: Verb,
    detail: Detail,
    cut_at: CutAt,
    view: ResultView,
    counted_as: Option<CountedAs>,
}

#[derive(Clone, Copy, Debug, Default)]
enum Verb {
    #[default]
    Name,
    Word(&'static str),
    Of(fn(&ShownCall<'_>) -> &'static str),
}

#[derive(Clone, Copy, Debug, Default)]
enum Detail {
    #[default]
    BestGuess,
    Args(&'static [&'static str]),
    Of(fn(&ShownCall<'_>) -> String),
}

impl CallDisplay {
    /// The tool's name, and the argument that usually says most.
    pub const DEFAULT: Self = Self {
        verb: Verb::Name,
        detail: Detail::BestGuess,
        cut_at: CutAt::End,
        view: ResultView::Plain,
        counted_as: None,
    };

    /// Calls are told by this word instead of the tool's name.
    #[must_use]
    pub const fn verb(word: &'static str) -> Self {
        Self { verb: Verb::Word(word), ..Self::DEFAULT }
    }

    /// Calls are told by a word that depends on the arguments.
    #[must_use]
    pub const fn verb_by(choose: fn(&ShownCall<'_>) -> &'static str) -> Self {
        Self { verb: Verb::Of(choose), ..Self::DEFAULT }
    }

    /// These arguments say most.
    #[must_use]
    pub const fn args(self, keys: &'static [&'static str]) -> Self {
        Self { detail: Detail::Args(keys), ..self }
    }

    /// This says most.
    #[must_use]
    pub const fn detail(self, tell: fn(&ShownCall<'_>) -> String) -> Self {
        Self { detail: Detail::Of(tell), ..self }
    }

    /// Where a detail is cut that is too long.
    #[must_use]
    pub const fn cut_at(self, cut_at: CutAt) -> Self {
        Self { cut_at, ..self }
    }

    /// What is shown of the result below the line.
    #[must_use]
    pub const fn view(self, view: ResultView) -> Self {
        Self { view, ..self }
    }

    /// Calls in a row that went well are told together, and counted in these words.
    #[must_use]
    pub const fn counted_as(self, one: &'static str, many: &'static str) -> Self {
        Self { counted_as: Some(CountedAs { one, many }), ..self }
    }

    /// The word for a call of the tool of this name.
    #[must_use]
    pub fn verb_of<'t>(&self, tool: &'t str, call: &ShownCall<'_>) -> &'t str {
        match self.verb {
            Verb::Name => tool,
            Verb::Word(word) => word,
            Verb::Of(choose) => choose(call),
        }
    }

    /// What says most about a call; may hold whatever the model wrote.
    #[must_use]
    pub fn detail_of(&self, call: &ShownCall<'_>) -> String {
        match self.detail {
            Detail::BestGuess => call.best_guess(),
            Detail::Args(keys) => call.texts(keys),
            Detail::Of(tell) => tell(call),
        }
    }

    /// Where its details are cut.
    #[must_use]
    pub const fn cuts_at(&self) -> CutAt {
        self.cut_at
    }

    /// What its results show below the line.
    #[must_use]
    pub const fn result_view(&self) -> ResultView {
        self.view
    }

    /// What its calls are counted as, if they may be told together.
    #[must_use]
    pub const fn counts_as(&self) -> Option<CountedAs> {
        self.counted_as
    }
}

/// A call with its result, so long ago that one line is left of them.
#[derive(Clone, Copy, Debug)]
pub struct PastCall<'a> {
    /// The arguments, as far as they could be read.
    pub args: &'a Map<String, Value>,
    /// The result as JSON; null if it is none.
    pub result: &'a Value,
    /// How many characters the result had.
    pub chars: usize,
}

impl PastCall<'_> {
    /// The beginning of an argument that is a text.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<String> {
        self.args.get(key)?.as_str().map(|text| clipped_line(text, SHOWN_CHARS))
    }

    /// The beginning of all arguments as JSON.
    #[must_use]
    pub fn arguments(&self) -> String {
        clipped_line(&Value::Object(self.args.clone()).to_string(), SHOWN_CHARS)
    }
}

/// Says in one line what an old call did, where there is something better to say than its arguments.
pub type Summary = fn(&PastCall<'_>) -> Option<String>;

/// A text on one line, and no longer than so many characters.
#[must_use]
pub fn clipped_line(text: &str, limit: usize) -> String {
    let line = joined_lines(text);
    match line.char_indices().nth(limit) {
        Some(_) => line.chars().take(limit - 1).chain(['…']).collect(),
        None => line,
    }
}

fn joined_lines(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tool_that_says_nothing_is_told_by_its_name_and_the_likeliest_argument() {
        let args = json!({"limit": 3, "path": "a\n b", "name": null});
        let call = ShownCall { args: &args, result: None };
        let display = CallDisplay::default();
        assert_eq!(display.verb_of("tool", &call), "tool");
        assert_eq!(display.detail_of(&call), "a b");
    }

    #[test]
    fn arguments_that_say_nothing_leave_no_gap() {
        let args = json!({"a": " ", "b": 7, "n": "12"});
        let call = ShownCall { args: &args, result: None };
        assert_eq!(call.texts(&["a", "b", "c", "n"]), "7 12");
        assert_eq!((call.number("n"), call.number("a")), (Some(12), None));
    }

    #[test]
    fn a_long_argument_is_clipped_to_its_beginning() {
        let args = Map::from_iter([("path".to_owned(), json!("é".repeat(300)))]);
        let call = PastCall { args: &args, result: &Value::Null, chars: 0 };
        assert_eq!(call.text("path").map(|text| text.chars().count()), Some(SHOWN_CHARS));
        assert_eq!(call.text("other"), None);
    }
}
