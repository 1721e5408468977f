//! Feishu's (and Lark's) open API: asked as an app of a company, with a token that the app's secret buys.

use hermes_tool::Vars;
use hermes_tool::settings::Settings;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::PlatformCall;
use crate::service::{Service, ServiceCall, ServiceError};

const FEISHU: &str = "https://open.feishu.cn";
const LARK: &str = "https://open.larksuite.com";
/// Most bytes of an answer.
const MAX_ANSWER: usize = 4 << 20;

/// Where the adapter of the platform is told another address.
#[derive(Settings)]
#[settings(path = "platforms.feishu.extra", open)]
struct FeishuEndpoint {
    /// Another address than Feishu's own, for proxies and tests.
    #[setting(hidden)]
    base_url: Option<String>,
}

/// The address of a company's Feishu: China's, or Lark's for the rest of the world (`FEISHU_DOMAIN=lark`).
#[must_use]
pub fn usual_address(domain: Option<&str>) -> &'static str {
    match domain.map(str::trim) {
        Some(domain) if domain.eq_ignore_ascii_case("lark") => LARK,
        _ => FEISHU,
    }
}

/// Feishu, as one app.
#[derive(Debug)]
pub struct Feishu {
    service: Service,
    app: String,
    secret: String,
}

impl Feishu {
    /// With the app of the variables; none without.
    #[must_use]
    pub fn open(config: &Value, vars: &Vars) -> Option<Self> {
        let app = vars.non_blank("FEISHU_APP_ID")?.trim().to_owned();
        let secret = vars.non_blank("FEISHU_APP_SECRET")?.trim().to_owned();
        let base = FeishuEndpoint::read(config, vars).base_url;
        let usual = usual_address(vars.non_blank("FEISHU_DOMAIN"));
        let service = Service::new("Feishu", base.as_deref().unwrap_or(usual), vars);
        Some(Self { service, app, secret })
    }

    /// Asks; gives what is under `data` of an answer.
    ///
    /// # Errors
    /// See [`ServiceError`]; an answer whose `code` is not 0 is a failure, whatever its status.
    pub async fn ask(
        &self,
        call: &PlatformCall,
        cancel: &CancellationToken,
    ) -> Result<Value, ServiceError> {
        let login = json!({"app_id": self.app, "app_secret": self.secret});
        let login =
            PlatformCall::post("/open-apis/auth/v3/tenant_access_token/internal").body(login);
        let hide = |call: ServiceCall| call.hiding(&self.secret).bytes(MAX_ANSWER);
        let told = self.accepted(&login, hide, cancel).await?;
        let key = told["tenant_access_token"].as_str().unwrap_or_default().to_owned();
        if key.is_empty() {
            return Err(ServiceError::Unreadable {
                service: self.service.name().to_owned(),
                what: "a sign-in without a token".to_owned(),
            });
        }
        let sign = |call: ServiceCall| hide(call).bearer(&key);
        let answer = self.accepted(call, sign, cancel).await?;
        Ok(answer.get("data").cloned().unwrap_or_else(|| json!({})))
    }

    async fn accepted(
        &self,
        call: &PlatformCall,
        sign: impl Fn(ServiceCall) -> ServiceCall,
        cancel: &CancellationToken,
    ) -> Result<Value, ServiceError> {
        let answer = call.send(&self.service, sign, cancel).await?.json()?;
        match answer["code"].as_i64() {
            Some(0) => Ok(answer),
            code => {
                let said = answer["msg"].as_str().unwrap_or("an answer without a code");
                let said: String = said.chars().filter(|c| !c.is_control()).take(200).collect();
                let code = code.map(|code| format!(" (code {code})")).unwrap_or_default();
                let words = said.replace(&self.secret, "***") + &code;
                Err(ServiceError::Failed { service: self.service.name().to_owned(), words })
            }
        }
    }
}
