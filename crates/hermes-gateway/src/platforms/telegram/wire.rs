//! Requests to the Bot API, and what their answers mean.

use std::time::Duration;

use serde_json::Value;

use crate::adapter::{LinkError, Multipart, SendClass, SendError};

/// The Bot API with our token. Never shown: the token is part of every address.
pub(super) struct Wire {
    http: reqwest::Client,
    base: String,
    token: String,
}

impl Wire {
    pub(super) fn new(http: reqwest::Client, base: &str, token: &str) -> Self {
        Self { http, base: base.to_owned(), token: token.to_owned() }
    }

    fn address(&self, method: &str) -> String {
        format!("{}/bot{}/{method}", self.base, self.token)
    }

    /// Calls a method; gives its result.
    pub(super) async fn call(&self, method: &str, body: &Value) -> Result<Value, SendError> {
        answer(self.http.post(self.address(method)).json(body)).await
    }

    /// The same for a method that answers when something happens.
    pub(super) async fn wait(
        &self,
        method: &str,
        body: &Value,
        most: Duration,
    ) -> Result<Value, SendError> {
        answer(self.http.post(self.address(method)).timeout(most).json(body)).await
    }

    /// The same with a file.
    pub(super) async fn upload(&self, method: &str, form: Multipart) -> Result<Value, SendError> {
        let request = self.http.post(self.address(method)).timeout(Duration::from_secs(180));
        answer(form.into_request(request)).await
    }

    /// Gets a file, at most so many bytes of it.
    pub(super) async fn download(&self, path: &str, most: u64) -> Result<Vec<u8>, SendError> {
        let address = format!("{}/file/bot{}/{path}", self.base, self.token);
        crate::adapter::download(self.http.get(address), most).await
    }
}

async fn answer(request: reqwest::RequestBuilder) -> Result<Value, SendError> {
    let response = request.send().await.map_err(SendError::from_http)?;
    let status = response.status().as_u16();
    let bytes = response.bytes().await.map_err(SendError::from_http)?;
    let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    if body["ok"] == true {
        return Ok(body["result"].clone());
    }
    let code = body["error_code"].as_u64().map_or(status, |code| u16::try_from(code).unwrap_or(0));
    let said = body["description"].as_str().unwrap_or("no description");
    let said: String = said.chars().filter(|c| !c.is_control()).take(200).collect();
    let mut error = SendError::new(class_of(code, &said), format!("Telegram: {code} {said}"));
    error.retry_after = body["parameters"]["retry_after"].as_u64().map(Duration::from_secs);
    error.moved_to = body["parameters"]["migrate_to_chat_id"].as_i64().map(|chat| chat.to_string());
    Err(error)
}

fn class_of(code: u16, said: &str) -> SendClass {
    let said = said.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|words| said.contains(words));
    match code {
        400 if says(&["too long"]) => SendClass::TooLong,
        400 if says(&["thread not found", "topic_closed", "topic_deleted"]) => SendClass::NoThread,
        400 if says(&["chat not found", "message to edit not found", "can't be edited"]) => {
            SendClass::NotFound
        }
        400 if says(&["not enough rights", "have no rights"]) => SendClass::Forbidden,
        400 if says(&["entit", "parse"]) => SendClass::BadFormat,
        400 => SendClass::Unknown,
        _ => SendError::from_status(code, "").class,
    }
}

/// What a refusal means for the whole connection.
pub(super) fn refused(error: SendError) -> LinkError {
    match error.class {
        SendClass::Forbidden | SendClass::NotFound => LinkError::fatal(
            error.what,
            "Telegram does not know this token: get a new one from @BotFather and put it into \
             TELEGRAM_BOT_TOKEN.",
        ),
        _ => LinkError::Retry { what: error.what, after: error.retry_after },
    }
}

/// A chat as the Bot API wants it: numbers as numbers, names as text.
pub(super) fn chat_id(chat: &str) -> Value {
    chat.parse::<i64>().map_or_else(|_| Value::from(chat), Value::from)
}
