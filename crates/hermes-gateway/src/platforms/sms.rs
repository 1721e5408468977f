//! Text messages through Twilio: it calls us for those that come in, and is asked to send.

use std::sync::Arc;

use base64::Engine as _;
use ring::hmac;

use crate::adapter::{
    Adapter, AdapterFuture, AdapterSetup, ChatSource, InboundEvent, InboundMedia, InboundMessage,
    Inbox, LengthUnit, LinkError, ListenAt, MessageLimit, Outgoing, Pace, Platform, Receiving,
    SendClass, SendError, SetupError, Target, Variable, WebhookRequest, WebhookResponse, exchange,
    receive_calls, same_secret, signed,
};

static SMS: Platform = Platform {
    label: "SMS",
    emoji: "📱",
    required: &[
        Variable::open("TWILIO_ACCOUNT_SID", "Account SID").from("https://console.twilio.com"),
        Variable::secret("TWILIO_AUTH_TOKEN", "Auth token").from("https://console.twilio.com"),
        Variable::open("TWILIO_PHONE_NUMBER", "Number to send from (+15551234567)"),
    ],
    optional: &[
        Variable::open("SMS_WEBHOOK_URL", "Address that Twilio calls, as it is entered there"),
        Variable::open("SMS_WEBHOOK_HOST", "Where to listen (127.0.0.1)"),
        Variable::open("SMS_WEBHOOK_PORT", "The port (8080)"),
    ],
    limit: MessageLimit { length: 1_600, unit: LengthUnit::Characters },
    pace: Pace { per_chat: 0.5, ..Pace::UNHURRIED },
    binds_port: true,
    open: |setup| Ok(Arc::new(Sms::new(&setup)?)),
    ..Platform::named("sms", "SMS", "hermes-sms")
};
crate::register_platform!(&SMS);

const MAX_BODY: usize = 64 * 1024;
/// Words that carriers answer themselves.
const CARRIER_WORDS: [&str; 9] =
    ["stop", "stopall", "unsubscribe", "cancel", "end", "quit", "help", "start", "info"];

struct Account {
    http: reqwest::Client,
    base: String,
    sid: String,
    token: String,
    number: String,
    /// As it is entered at Twilio; nothing is checked without one, on the loopback only.
    url: Option<String>,
}

struct Sms {
    account: Arc<Account>,
    at: ListenAt,
    insecure: bool,
}

impl Sms {
    fn new(setup: &AdapterSetup) -> Result<Self, SetupError> {
        let base = setup.base_url("https://api.twilio.com");
        let account = Account {
            http: setup.http(&base)?,
            base,
            sid: setup.required("TWILIO_ACCOUNT_SID")?,
            token: setup.required("TWILIO_AUTH_TOKEN")?,
            number: setup.required("TWILIO_PHONE_NUMBER")?,
            url: setup.variable("SMS_WEBHOOK_URL"),
        };
        let at = ListenAt::read(setup, "SMS_WEBHOOK", 8_080)?;
        let insecure = setup.is_on("SMS_INSECURE_NO_SIGNATURE", false) && at.is_loopback();
        Ok(Self { account: Arc::new(account), at, insecure })
    }
}

/// What Twilio signs: the address, then names and values in order.
fn signature(token: &str, url: &str, fields: &[(String, String)]) -> String {
    let mut fields: Vec<&(String, String)> = fields.iter().collect();
    fields.sort();
    let mut parts = vec![url.as_bytes()];
    parts.extend(fields.iter().flat_map(|(name, value)| [name.as_bytes(), value.as_bytes()]));
    let tag = signed(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, token.as_bytes(), &parts);
    base64::engine::general_purpose::STANDARD.encode(tag)
}

/// Twilio signs with or without the usual port.
fn spellings(url: &str) -> Vec<String> {
    let mut all = vec![url.to_owned()];
    if let Ok(parsed) = url::Url::parse(url)
        && parsed.port().is_none()
        && let (Some(host), Some(port)) = (parsed.host_str(), parsed.port_or_known_default())
    {
        all.push(url.replacen(host, &format!("{host}:{port}"), 1));
    }
    all
}

impl Account {
    async fn answer(&self, call: &WebhookRequest, inbox: &Inbox) -> WebhookResponse {
        if call.method != "POST" {
            return WebhookResponse::status(405);
        }
        let fields: Vec<(String, String)> =
            url::form_urlencoded::parse(&call.body).into_owned().collect();
        if let Some(url) = &self.url {
            let given = call.header("x-twilio-signature").unwrap_or_default();
            let is_right = spellings(url)
                .iter()
                .any(|url| same_secret(&signature(&self.token, url, &fields), given));
            if !is_right {
                return WebhookResponse::status(403);
            }
        }
        let field = |name: &str| {
            fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
        };
        let events = message_of(&field).map(|said| InboundEvent::Message(Box::new(said)));
        match inbox.accept(events.into_iter().collect(), &[]).await {
            Ok(()) => WebhookResponse {
                status: 200,
                content_type: "application/xml",
                body: "<Response/>".to_owned(),
            },
            Err(_) => WebhookResponse::status(503),
        }
    }
}

fn message_of<'a>(field: &impl Fn(&str) -> Option<&'a str>) -> Option<InboundMessage> {
    let (from, id) = (field("From")?, field("MessageSid")?);
    let text = field("Body").unwrap_or_default().trim();
    if CARRIER_WORDS.contains(&text.to_lowercase().as_str()) {
        return None;
    }
    let count = field("NumMedia").and_then(|count| count.parse::<usize>().ok()).unwrap_or(0);
    let media = (0..count.min(10)).filter_map(|at| {
        Some(InboundMedia {
            handle: field(&format!("MediaUrl{at}"))?.to_owned(),
            mime: field(&format!("MediaContentType{at}")).map(str::to_owned),
            ..InboundMedia::default()
        })
    });
    Some(InboundMessage {
        source: ChatSource {
            platform: SMS.name.to_owned(),
            chat_id: from.to_owned(),
            user_id: Some(from.to_owned()),
            message_id: Some(id.to_owned()),
            ..ChatSource::default()
        },
        message_id: id.to_owned(),
        text: text.to_owned(),
        media: media.collect(),
        ..InboundMessage::default()
    })
}

impl Adapter for Sms {
    fn connect(&self, inbox: Inbox) -> AdapterFuture<'_, Result<Receiving, LinkError>> {
        Box::pin(async move {
            if self.account.url.is_none() && !self.insecure {
                return Err(LinkError::fatal(
                    "SMS_WEBHOOK_URL is not set, so nobody can tell whether Twilio calls",
                    "Set it to the address that is entered at Twilio. Sending works without.",
                ));
            }
            let account = Arc::clone(&self.account);
            receive_calls(&self.at, MAX_BODY, account, inbox, |account, call, inbox| {
                Box::pin(account.answer(call, inbox))
            })
            .await
        })
    }

    fn send<'a>(&'a self, message: &'a Outgoing) -> AdapterFuture<'a, Result<String, SendError>> {
        Box::pin(async move {
            let account = &self.account;
            let body = url::form_urlencoded::Serializer::new(String::new())
                .append_pair("From", &account.number)
                .append_pair("To", &message.target.chat_id)
                .append_pair("Body", &message.content.text)
                .finish();
            let path =
                format!("{}/2010-04-01/Accounts/{}/Messages.json", account.base, account.sid);
            let request = account.http.post(path).basic_auth(&account.sid, Some(&account.token));
            let request = request.header("content-type", "application/x-www-form-urlencoded");
            let sent = exchange(request.body(body)).await?.accepted("Twilio", &["message"])?;
            Ok(sent["sid"].as_str().unwrap_or_default().to_owned())
        })
    }

    fn fetch<'a>(
        &'a self,
        media: &'a InboundMedia,
        most: u64,
    ) -> AdapterFuture<'a, Result<Vec<u8>, SendError>> {
        Box::pin(async move {
            let account = &self.account;
            if !crate::adapter::is_on_host(&media.handle, &[".twilio.com"], &account.base) {
                return Err(SendError::new(SendClass::Forbidden, "the file is not at Twilio"));
            }
            let request = account.http.get(&media.handle);
            let request = request.basic_auth(&account.sid, Some(&account.token));
            crate::adapter::download(request, most).await
        })
    }

    fn probe(&self) -> AdapterFuture<'_, Result<String, SendError>> {
        Box::pin(async move {
            let account = &self.account;
            let path = format!("{}/2010-04-01/Accounts/{}.json", account.base, account.sid);
            let request = account.http.get(path).basic_auth(&account.sid, Some(&account.token));
            let found = exchange(request).await?.accepted("Twilio", &["message"])?;
            let name = found["friendly_name"].as_str().unwrap_or_default();
            Ok(format!("{name}, {}", account.number))
        })
    }

    fn parse_target(&self, text: &str) -> Result<Target, String> {
        let digits = text.trim().strip_prefix('+').unwrap_or_default();
        match (7..=15).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit()) {
            true => Ok(Target::chat(text.trim())),
            false => Err(format!("`{text}` is no telephone number: write +15551234567")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of Twilio's documentation.
    #[test]
    fn signatures_are_those_of_twilio() {
        let fields = [
            ("CallSid", "CA1234567890ABCDE"),
            ("Caller", "+14158675309"),
            ("Digits", "1234"),
            ("From", "+14158675309"),
            ("To", "+18005551212"),
        ];
        let fields: Vec<(String, String)> =
            fields.iter().rev().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        let url = "https://mycompany.com/myapp.php?foo=1&bar=2";
        assert_eq!(signature("12345", url, &fields), "RSOYDt4T1cUTdK1PDd93/VVr8B8=");
        assert_eq!(spellings("https://e.org/x"), ["https://e.org/x", "https://e.org:443/x"]);
    }

    #[test]
    fn words_for_the_carrier_are_not_for_us() {
        let said = |body: &'static str| {
            let field = move |name: &str| match name {
                "From" => Some("+15550001111"),
                "MessageSid" => Some("SM1"),
                "Body" => Some(body),
                _ => None,
            };
            message_of(&field)
        };
        assert!(said("STOP").is_none() && said(" Help ").is_none());
        assert_eq!(said("stop the backup").unwrap().text, "stop the backup");
    }
}
