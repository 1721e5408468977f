//! `hermes auth`, `login`, `logout`, `fallback` and `webhook`: everything is done by `hermes-homes`. Without a verb, they list.

use hermes_homes::entries::{AuthVerb, FallbackVerb, WebhookVerb};

use super::setup::TerminalPrompter;
use crate::exit::Exit;
use crate::host::{self, Host};
use crate::ui::Ui;

/// Does what one of the verbs of keys says.
pub(crate) fn auth(verb: Option<&AuthVerb>, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host::warn_about_files(host, ui)?;
    let verb = verb.unwrap_or(&AuthVerb::List { json: false });
    super::skills::print(verb.run(host, &mut TerminalPrompter)?, ui)
}

/// Does what one of the verbs of models that stand in says.
pub(crate) fn fallback(
    verb: Option<&FallbackVerb>,
    host: &Host,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    host::warn_about_files(host, ui)?;
    super::skills::print(verb.unwrap_or(&FallbackVerb::List { json: false }).run(host)?, ui)
}

/// Does what one of the verbs of routes says.
pub(crate) fn webhook(
    verb: Option<&WebhookVerb>,
    host: &Host,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    host::warn_about_files(host, ui)?;
    super::skills::print(verb.unwrap_or(&WebhookVerb::List { json: false }).run(host)?, ui)
}
