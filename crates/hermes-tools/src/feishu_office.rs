//! What the tools for Feishu share: the app, the tokens of files, the way to ask.

use hermes_media::chat_services::feishu::Feishu;
use hermes_media::chat_services::{PlatformCall, is_plain_id};
use hermes_tool::{Availability, ToolContext, ToolError, Vars};
use serde_json::Value;

/// Whether there is an app.
pub(crate) fn has_app(vars: &Vars) -> Availability {
    Availability::needs_env(vars, &["FEISHU_APP_ID", "FEISHU_APP_SECRET"])
}

/// The token of a file or comment: given bare, or as the address a browser shows.
pub(crate) fn token(given: &str, what: &str) -> Result<String, ToolError> {
    let given = given.trim();
    let bare = match given.split_once("://") {
        Some((_, rest)) => {
            let path = rest.split(['?', '#']).next().unwrap_or_default();
            path.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
        }
        None => given,
    };
    match is_plain_id(bare) {
        true => Ok(bare.to_owned()),
        false => Err(failed(&format!("{what} {given:?} is no token of Feishu"))),
    }
}

/// Asks Feishu; gives what it answered.
pub(crate) async fn ask(call: &PlatformCall, cx: &ToolContext) -> Result<Value, ToolError> {
    let feishu = Feishu::open(cx.config(), cx.vars()).ok_or_else(|| {
        failed("there is no app: set FEISHU_APP_ID and FEISHU_APP_SECRET in .env of the home")
    })?;
    let answer = feishu.ask(call, cx.cancellation()).await;
    answer.map_err(|error| ToolError::from(error).with("success", false))
}

fn failed(text: &str) -> ToolError {
    ToolError::answer(text.to_owned()).with("success", false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_by_token_or_address() {
        for given in ["doxcn1", " doxcn1 ", "https://x.feishu.cn/docx/doxcn1?from=a#b"] {
            assert_eq!(token(given, "doc_token").unwrap(), "doxcn1");
        }
        for given in ["", "../x", "a b", "https://x.feishu.cn/docx/a%2Fb"] {
            assert!(token(given, "doc_token").is_err(), "{given}");
        }
    }
}
