//! `hermes gateway setup PLATFORM`: from a token to a first answered message.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hermes_host::Host;
use hermes_host::setup::SetupPrompter;
use hermes_store::dotenv;

use crate::adapter::{
    AdapterFuture, AdapterSetup, ChatSource, InboundEvent, Inbox, InboxError, Intake, LinkError,
    Platform, platform, platforms,
};
use crate::service::{Service, ServiceScope};

/// How long a first message is waited for.
const FIRST_MESSAGE: Duration = Duration::from_secs(120);

/// Asks for what a platform needs, tries it, learns who the owner is, and offers to run.
///
/// # Errors
/// In words.
pub(crate) async fn set_up(
    host: &Host,
    name: Option<&str>,
    prompter: &mut dyn SetupPrompter,
) -> anyhow::Result<String> {
    let name = match name {
        Some(name) => name.to_owned(),
        None => {
            let names: Vec<&str> = platforms().iter().map(|platform| platform.name).collect();
            prompter.ask(&format!("Which platform ({})? ", names.join(", ")))?.unwrap_or_default()
        }
    };
    if name.trim().is_empty() {
        return Ok("Nothing was changed.".to_owned());
    }
    let Some(platform) = platform(name.trim()) else {
        let text = format!("there is no platform `{name}`; `hermes gateway list` shows them all");
        return Err(hermes_store::UnknownName(text).into());
    };
    let mut given = Vec::new();
    for variable in platform.required {
        if host.vars().non_blank(variable.name).is_some() {
            prompter.say(&format!("{} is set already.", variable.name))?;
            continue;
        }
        let from =
            if variable.url.is_empty() { String::new() } else { format!(" ({})", variable.url) };
        let question = format!("{}{from}: ", variable.prompt);
        let typed = match variable.is_secret {
            true => prompter.ask_secret(&question)?,
            false => prompter.ask(&question)?,
        };
        let typed = typed.map(|typed| typed.trim().to_owned()).filter(|typed| !typed.is_empty());
        let Some(typed) = typed else { return Ok("Nothing was changed.".to_owned()) };
        given.push((variable.name.to_owned(), typed));
    }
    let vars = host.vars().overlaid(given.iter().cloned());
    let setup = AdapterSetup::new(platform, host.config().value(), &vars);
    let adapter = (platform.open)(setup)?;
    match adapter.probe().await {
        Ok(who) => prompter.say(&format!("That works: {who}."))?,
        Err(error) if error.class == crate::adapter::SendClass::Unsupported => {}
        Err(error) => anyhow::bail!("that does not work: {error}. Nothing was stored"),
    }
    let file = host.home().env_file();
    for (name, value) in &given {
        dotenv::set(&file, name, value)?;
    }
    if vars.non_blank(&platform.variable("ALLOWED_USERS")).is_none() && !platform.vouches_for_all {
        learn_owner(host, platform, adapter.as_ref(), prompter).await?;
    }
    offer_service(host, prompter).await
}

/// Learns who writes first, and takes nothing: the platform is told that it could not be stored, so that the gateway gets it
/// when it runs.
#[derive(Default)]
struct FirstWords(OnceLock<ChatSource>);

impl Intake for FirstWords {
    fn accept<'a>(
        &'a self,
        _: &'a str,
        events: Vec<InboundEvent>,
        _: Vec<(String, String)>,
    ) -> AdapterFuture<'a, Result<(), InboxError>> {
        let said = events.iter().find_map(|event| match event {
            InboundEvent::Message(message) => Some(&message.source),
            _ => None,
        });
        let taken = match said {
            Some(source) => {
                let _ = self.0.set(source.clone());
                Err(InboxError { what: "it is kept for the gateway".to_owned() })
            }
            None => Ok(()),
        };
        Box::pin(std::future::ready(taken))
    }

    fn mark<'a>(&'a self, _: &'a str, _: &'a str) -> AdapterFuture<'a, Option<String>> {
        Box::pin(std::future::ready(None))
    }
}

/// Whoever writes first, and says yes here, owns the bot; their chat is its home.
async fn learn_owner(
    host: &Host,
    platform: &'static Platform,
    adapter: &dyn crate::adapter::Adapter,
    prompter: &mut dyn SetupPrompter,
) -> anyhow::Result<()> {
    prompter.say(&format!(
        "Now write something to the bot on {}, so that it knows you. I wait for two minutes.",
        platform.label
    ))?;
    let kept = Arc::new(FirstWords::default());
    let inbox = Inbox::new(platform.name, Arc::clone(&kept) as Arc<dyn Intake>);
    let heard = async {
        let receiving = adapter.connect(inbox).await?;
        Ok::<_, LinkError>(tokio::time::timeout(FIRST_MESSAGE, receiving).await)
    };
    let ended = heard.await;
    let source = match (kept.0.get(), ended) {
        (Some(source), _) => source.clone(),
        (None, Ok(Err(_))) => {
            prompter.say("Nobody wrote. Whoever writes later gets a code, which `hermes pairing approve` lets in.")?;
            return Ok(());
        }
        (None, Ok(Ok(error)) | Err(error)) => {
            anyhow::bail!("the platform cannot be listened to: {error}")
        }
    };
    let user = source.user_id.clone().unwrap_or_default();
    let name = source.user_name.as_deref().map(crate::key::harmless).unwrap_or_default();
    let asked = prompter.ask(&format!("{name} ({user}) wrote. Is that you, the owner? [Y/n] "))?;
    if !is_yes(asked.as_deref()) {
        prompter.say("Then nobody is let in for now; `hermes pairing approve` does it later.")?;
        return Ok(());
    }
    let file = host.home().env_file();
    dotenv::set(&file, &platform.variable("ALLOWED_USERS"), &user)?;
    let asked = prompter.ask("Shall news of jobs and restarts go to that chat? [Y/n] ")?;
    if is_yes(asked.as_deref()) {
        dotenv::set(&file, &platform.home_variable(), &source.chat_id)?;
    }
    Ok(())
}

async fn offer_service(host: &Host, prompter: &mut dyn SetupPrompter) -> anyhow::Result<String> {
    let by_hand = "Start it with `hermes gateway run`; it answers what you wrote.";
    let Ok(service) = Service::of(host, ServiceScope::default()) else {
        return Ok(by_hand.to_owned());
    };
    let asked = prompter.ask("Shall it run as a service, now and after each login? [y/N] ")?;
    if !matches!(asked.as_deref().map(str::trim), Some("y" | "Y" | "yes")) {
        return Ok(by_hand.to_owned());
    }
    match service.install(false, true).await {
        Ok(said) => Ok(format!("{said} It answers what you wrote.")),
        Err(problem) => Ok(format!("{problem}\n{by_hand}")),
    }
}

fn is_yes(answer: Option<&str>) -> bool {
    answer.is_some_and(|answer| matches!(answer.trim().to_lowercase().as_str(), "" | "y" | "yes"))
}
