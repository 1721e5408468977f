//! Texts that are no answers: of `hermes send`, of jobs, of the tool that writes to people.
//!
//! Each platform that is set up is a [`DeliveryTarget`]: `hermes-cron` reads the targets people write, and asks the platform's
//! adapter about what stands behind the first colon, so ids with colons stay whole. Nothing is ever turned into something
//! else in silence: an unknown platform or place is an error.
//!
//! Adapters are made when they are first needed, so a program that sends nothing pays nothing.

use std::sync::{Arc, OnceLock};

use hermes_cron::{Deliveries, DeliveryFuture, DeliveryTarget};
use hermes_host::Host;
use hermes_tool::settings::Settings as _;

use crate::adapter::{AdapterSetup, Platform, SendClass, SendError, Target, platforms};
use crate::core::link_of;
use crate::link::Link;
use crate::media::{DeliveryRules, attachments};
use crate::settings::GatewaySettings;

/// Every platform that is set up in a home, as something that can be written to. Connects to nothing.
#[must_use]
pub fn deliveries(host: &Host) -> Deliveries {
    let settings = Arc::new(GatewaySettings::read(host.config().value(), host.vars()));
    let target = |platform: &'static Platform| {
        let setup = AdapterSetup::new(platform, host.config().value(), host.vars());
        let target = || ChatTarget::new(host, platform, setup.clone(), Arc::clone(&settings));
        setup.is_on_duty().then(|| Arc::new(target()) as Arc<dyn DeliveryTarget>)
    };
    Deliveries::new(platforms().into_iter().filter_map(target).collect())
}

/// One platform that can be written to.
struct ChatTarget {
    platform: &'static Platform,
    setup: AdapterSetup,
    settings: Arc<GatewaySettings>,
    host: Host,
    link: OnceLock<Result<Arc<Link>, String>>,
}

impl ChatTarget {
    fn new(
        host: &Host,
        platform: &'static Platform,
        setup: AdapterSetup,
        settings: Arc<GatewaySettings>,
    ) -> Self {
        Self { platform, setup, settings, host: host.clone(), link: OnceLock::new() }
    }

    fn link(&self) -> Result<Arc<Link>, String> {
        let open = || {
            let made = link_of(&self.host, &self.settings, self.platform, self.setup.clone());
            made.map(Arc::new).map_err(|problem| problem.to_string())
        };
        self.link.get_or_init(open).clone()
    }

    /// The place a text means; a name of a channel is looked up.
    async fn place(&self, link: &Link, place: &str) -> Result<Target, String> {
        let why = match link.adapter.parse_target(place) {
            Ok(target) => return Ok(target),
            Err(why) => why,
        };
        let Some(name) = place.strip_prefix('#') else { return Err(why) };
        let known = link.adapter.list_channels().await.map_err(|error| error.to_string())?;
        let is_it = |one: &str| one.trim_start_matches('#').eq_ignore_ascii_case(name);
        let found: Vec<_> = known.iter().filter(|channel| is_it(&channel.name)).collect();
        match found.as_slice() {
            [one] => Ok(Target::chat(&one.id)),
            [] => Err(format!("there is no channel `#{name}` that the bot can see")),
            several => {
                let ids: Vec<&str> = several.iter().map(|channel| channel.id.as_str()).collect();
                Err(format!("several channels are called `#{name}`: {}", ids.join(", ")))
            }
        }
    }
}

fn in_words(error: &SendError) -> String {
    match error.class {
        SendClass::Forbidden => format!("{error} (the bot may not write there)"),
        SendClass::NotFound => format!("{error} (no such chat, or the bot is not in it)"),
        _ => error.to_string(),
    }
}

impl DeliveryTarget for ChatTarget {
    fn platform(&self) -> &str {
        self.platform.name
    }

    fn home_chat(&self) -> Option<String> {
        let name = self.platform.home_variable();
        let home = self.setup.value("home_channel");
        let text = |key: &str| {
            let value = home.and_then(|home| home.get(key)).filter(|value| !value.is_null());
            value.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        };
        let chat = self.setup.variable(&name).or_else(|| text("chat_id"))?;
        let thread = self.host.vars().non_blank(&format!("{name}_THREAD_ID")).map(str::to_owned);
        Some(match thread.or_else(|| text("thread_id")) {
            Some(thread) => format!("{chat}:{thread}"),
            None => chat,
        })
    }

    fn check(&self, place: &str) -> Result<(), String> {
        let checked = self.link()?.adapter.parse_target(place).map(drop);
        // Whether there is a channel of that name is seen when it is written to.
        checked.or_else(|why| if place.starts_with('#') { Ok(()) } else { Err(why) })
    }

    fn deliver<'a>(&'a self, place: &'a str, text: &'a str) -> DeliveryFuture<'a, String> {
        Box::pin(async move {
            let link = self.link()?;
            let target = self.place(&link, place).await?;
            let (words, files) = attachments(text);
            let mut id = String::new();
            if !words.trim().is_empty() {
                let said = link.say(&target, words.trim(), Vec::new()).await;
                id = said.map_err(|error| in_words(&error))?;
            }
            if !files.paths.is_empty() {
                let rules = DeliveryRules::of(&self.host);
                let problems = link.send_files(&rules, &target, &files, None).await;
                if !problems.is_empty() {
                    return Err(problems.join(" "));
                }
            }
            Ok(id)
        })
    }

    fn react<'a>(
        &'a self,
        place: &'a str,
        message: &'a str,
        emoji: Option<&'a str>,
    ) -> DeliveryFuture<'a, ()> {
        Box::pin(async move {
            let link = self.link()?;
            let target = self.place(&link, place).await?;
            let done = link.adapter.react(&target, message, emoji).await;
            done.map_err(|error| in_words(&error))
        })
    }

    fn channels(&self) -> DeliveryFuture<'_, Vec<(String, String)>> {
        Box::pin(async move {
            let listed = self.link()?.adapter.list_channels().await;
            let listed = listed.map_err(|error| in_words(&error))?;
            Ok(listed.into_iter().map(|one| (one.id, one.name)).collect())
        })
    }
}
