//! A tool written outside Hermes.
//!
//! A crate like this needs `hermes-tool`, and `serde` and `schemars` for its arguments; nothing in
//! Hermes has to know of it. A program gets the tool by linking the crate:
//!
//! ```
//! use third_party_tool as _;
//!
//! let names: Vec<_> = hermes_tool::linked_tools()
//!     .iter()
//!     .map(|(_, tool)| tool.name().to_string())
//!     .collect();
//! assert_eq!(names, ["roman_numeral"]);
//! ```

mod roman;

use hermes_tool::{ToolError, tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the model passes: its doc comments become the schema.
#[derive(Deserialize, JsonSchema)]
struct Request {
    /// An integer from 1 to 3999, such as `1987`, or a Roman numeral, such as `MCMLXXXVII`.
    value: String,
}

/// What the model gets back, as JSON.
#[derive(Debug, PartialEq, Serialize)]
struct Reading {
    number: u16,
    roman: String,
}

/// Convert between integers and Roman numerals, in either direction.
///
/// Only the standard spelling is read: `IV`, not `IIII`.
#[tool(toolset = "numerals", emoji = "🏛️", effects(none))]
fn roman_numeral(args: Request) -> Result<Reading, ToolError> {
    let Request { value } = args;
    let value = value.trim();
    let number =
        value.parse::<i64>().ok().or_else(|| roman::read(value).map(i64::from)).ok_or_else(
            || ToolError::answer(format!("{value:?} is neither an integer nor a Roman numeral")),
        )?;
    u16::try_from(number)
        .ok()
        .and_then(|number| {
            let roman = roman::write(number)?;
            Some(Reading { number, roman })
        })
        .ok_or_else(|| {
            ToolError::answer(format!("{number} has no Roman numeral: use 1 to {}", roman::MAX))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn convert(value: &str) -> Result<Reading, ToolError> {
        roman_numeral(Request { value: value.to_owned() })
    }

    #[test]
    fn both_directions_give_the_same_reading() {
        let year = Reading { number: 1987, roman: "MCMLXXXVII".to_owned() };
        assert_eq!(convert("1987").as_ref(), Ok(&year));
        assert_eq!(convert(" mcmlxxxvii "), Ok(year));
    }

    #[test]
    fn what_cannot_be_converted_is_answered_with_the_reason() {
        for (value, reason) in [
            ("0", "use 1 to 3999"),
            ("-4", "use 1 to 3999"),
            ("70000", "use 1 to 3999"),
            ("", "neither"),
            ("IIII", "neither"),
        ] {
            let error = convert(value).unwrap_err();
            assert_eq!(error.kind(), None);
            assert!(error.message().contains(reason), "{value}: {error}");
        }
    }
}
