//! Slash commands in chats (those of the terminal: `hermes-tui`). Commands work while a turn runs; those that change what a turn builds on wait for its end.

use std::sync::Arc;
use std::time::Instant;

use hermes_agent::{Agent, AgentEvent, FrontEnd};
use hermes_approval::SessionYolo;
use hermes_llm::model::BoxFuture;
use hermes_protocol::text::nearest;
use hermes_sessions::{ListFilter, SessionsError, TitleError, new_session_id};
use hermes_store::clock::local_time;
use tokio_util::sync::CancellationToken;

use super::{Gateway, WaitingMessage, target_of};
use crate::adapter::{InboundMessage, Target};
use crate::link::Link;
use crate::settings::BusyInput;

/// A command of the chat.
#[derive(Clone, Copy)]
pub(super) struct ChatCommand {
    pub(super) name: &'static str,
    pub(super) aliases: &'static [&'static str],
    pub(super) about: &'static str,
    /// Not while a turn runs.
    needs_idle: bool,
    /// Only the owner.
    is_owners: bool,
}

const fn command(
    name: &'static str,
    aliases: &'static [&'static str],
    about: &'static str,
) -> ChatCommand {
    ChatCommand { name, aliases, about, needs_idle: false, is_owners: false }
}

const fn idle(command: ChatCommand) -> ChatCommand {
    ChatCommand { needs_idle: true, ..command }
}

const fn owners(command: ChatCommand) -> ChatCommand {
    ChatCommand { is_owners: true, ..command }
}

/// All of them, in the order of `/help`.
pub(super) const COMMANDS: &[ChatCommand] = &[
    command("help", &["commands", "start"], "What you can type here"),
    idle(command("new", &["reset", "clear"], "Begin a new session")),
    command("stop", &[], "Stop what I am doing, and forget what waits"),
    command("status", &[], "How this chat and I are"),
    command("queue", &["q"], "Say something for after the present task"),
    command("steer", &[], "Say something about the present task"),
    idle(command("retry", &[], "Answer the last message again")),
    idle(command("undo", &[], "Take back the last turns")),
    idle(command("compress", &["compact"], "Make the history shorter")),
    command("title", &[], "Name this session"),
    command("sessions", &[], "Your sessions"),
    idle(command("resume", &[], "Go on with another session of yours")),
    command("model", &[], "See or choose the model of this chat"),
    command("usage", &[], "What this session has used"),
    command("approve", &[], "Allow what waits for a decision"),
    command("deny", &[], "Refuse what waits for a decision"),
    command("whoami", &["id"], "Who you are to me"),
    owners(command("cron", &[], "What is done at set times: list, create, pause, run …")),
    owners(command("blueprint", &["blueprints"], "Ready-made jobs: list them, or make one")),
    owners(command("suggestions", &[], "Jobs you might want: accept N, dismiss N, catalog")),
    owners(command("yolo", &[], "Run flagged commands of this session without asking (on, off)")),
    owners(command("sethome", &["set-home"], "Send news of jobs to this chat")),
    owners(command("platform", &["platforms"], "How the platforms are; pause NAME, resume NAME")),
    owners(command("restart", &[], "Start the gateway anew")),
    command("version", &[], "Which version I am"),
];

/// The chat that asked for a restart, as a mark of its platform.
const RESTARTED_FROM: &str = "restarted_from";

/// The name and the rest of a message that is a command.
fn read(text: &str) -> Option<(String, String)> {
    let typed = text.trim().strip_prefix('/')?;
    let (name, rest) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
    let fits = name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    // Telephones turn two hyphens into a dash.
    let rest = rest.trim().replace('—', "--").replace('–', "-");
    fits.then(|| (name.to_lowercase().replace('_', "-"), rest))
}

/// Watches nothing.
struct Unseen;

impl FrontEnd for Unseen {
    fn on_event(&self, _: AgentEvent) {}

    fn clarify<'a>(&'a self, _: &'a str, _: &'a [String]) -> BoxFuture<'a, Option<String>> {
        Box::pin(std::future::ready(None))
    }
}

impl Gateway {
    /// Does what a message commands; whether it was a command, and is dealt with.
    pub(super) async fn command(
        self: &Arc<Self>,
        link: &Arc<Link>,
        key: &str,
        message: &InboundMessage,
        row: i64,
    ) -> bool {
        let Some((name, rest)) = read(&message.text) else { return false };
        let known =
            COMMANDS.iter().find(|one| one.name == name || one.aliases.contains(&name.as_str()));
        let is_owner = link.policy.is_owner(&message.source, &self.pairing);
        let mut is_restart = false;
        let said = match known {
            None if self.calls_skill(link, &message.text) => return false,
            None => {
                let near = nearest(&name, COMMANDS.iter().map(|one| one.name));
                let near = near.map(|near| format!(" Did you mean /{near}?")).unwrap_or_default();
                format!("There is no command /{name}.{near} /help lists them all.")
            }
            Some(one) if one.is_owners && !is_owner => format!("/{name} is for the owner."),
            Some(one) if !link.policy.may_command(&message.source, one.name) => {
                format!("/{name} is not for you here.")
            }
            Some(one) if one.needs_idle && self.is_busy(key) => {
                format!("I am busy; /stop first, then /{name}.")
            }
            Some(one) => match (one.name, rest.as_str()) {
                ("queue" | "steer", "") => format!("Say what, behind /{name}."),
                ("queue" | "steer", _) => {
                    let mode =
                        if one.name == "queue" { BusyInput::Queue } else { BusyInput::Steer };
                    let message = InboundMessage { text: rest, ..message.clone() };
                    let arrived = Instant::now();
                    let waiting = WaitingMessage { row, message, arrived, interrupted: None };
                    self.push_as(link, key, waiting, mode).await;
                    return true;
                }
                ("retry", _) => match self.undo(link, key, message, 1).await {
                    Ok(Some(text)) => {
                        let message = InboundMessage { text, ..message.clone() };
                        let arrived = Instant::now();
                        let waiting = WaitingMessage { row, message, arrived, interrupted: None };
                        self.push(link, key, waiting).await;
                        return true;
                    }
                    Ok(None) => "There is nothing to answer again.".to_owned(),
                    Err(error) => error,
                },
                (command, rest) => {
                    is_restart = command == "restart";
                    self.obey(link, key, message, command, rest, is_owner).await
                }
            },
        };
        if !said.is_empty()
            && let Err(error) = link.say(&target_of(&message.source), &said, Vec::new()).await
        {
            tracing::warn!(%error, "a command was not answered");
        }
        self.done(&[row]).await;
        if is_restart {
            // Only now: a wish that was still in the inbox would be granted again after each start.
            self.restart.cancel();
        }
        true
    }

    async fn obey(
        self: &Arc<Self>,
        link: &Arc<Link>,
        key: &str,
        message: &InboundMessage,
        command: &str,
        rest: &str,
        is_owner: bool,
    ) -> String {
        let source = &message.source;
        match command {
            "help" => help(is_owner),
            "new" => self.begin_anew(key).await,
            "stop" => match self.stop_lane(key).await {
                (false, 0) => "I am doing nothing.".to_owned(),
                (true, 0) => "Stopped.".to_owned(),
                (_, waiting) => format!("Stopped; {waiting} waiting messages are forgotten."),
            },
            "status" => self.status_text(key).await,
            "undo" => {
                let turns = rest.parse().unwrap_or(1);
                match self.undo(link, key, message, turns).await {
                    Ok(Some(text)) => {
                        let begin: String = text.chars().take(60).collect();
                        format!("Taken back: “{begin}”")
                    }
                    Ok(None) => "There is nothing to take back.".to_owned(),
                    Err(error) => error,
                }
            }
            "compress" => self.compress(link, key, message, rest).await,
            "title" => self.title(key, rest).await,
            "sessions" => self.sessions_text(link, message, is_owner && rest == "--all").await,
            "resume" => self.resume(key, message, rest, is_owner).await,
            "model" => self.model(key, rest).await,
            "usage" => self.usage(key).await,
            "approve" => self.decide_by_command(link, key, source, true, rest).await,
            "deny" => self.decide_by_command(link, key, source, false, rest).await,
            "whoami" => {
                let user = source.user_id.as_deref().unwrap_or("unknown");
                let role = if is_owner { "the owner" } else { "somebody who may talk" };
                format!(
                    "You are `{user}` on {}, {role}. This chat is `{}`.",
                    link.platform.label, source.chat_id
                )
            }
            "cron" => self.schedule(link, source, "", rest).await,
            "blueprint" | "suggestions" => self.schedule(link, source, command, rest).await,
            "yolo" => self.yolo(key, rest).await,
            "sethome" => self.set_home(link, message),
            "platform" if rest.starts_with("pause") || rest.starts_with("resume") => {
                self.rest_platform(link, rest)
            }
            "platform" => {
                let lines = self.links.values().map(|link| {
                    let health = link.health();
                    let why =
                        health.error_message.map(|why| format!(": {why}")).unwrap_or_default();
                    format!("- {} {}{why}", link.platform.label, health.state)
                });
                lines.collect::<Vec<_>>().join("\n")
            }
            "restart" => {
                let place = serde_json::to_string(&target_of(source)).unwrap_or_default();
                self.set_mark(link.platform.name, RESTARTED_FROM, place).await;
                "I start anew once what runs has ended; I am back in a moment.".to_owned()
            }
            "version" => format!("hermes {}", env!("CARGO_PKG_VERSION")),
            _ => String::new(),
        }
    }

    async fn set_mark(&self, platform: &str, name: &str, value: String) {
        let (platform, marks) = (platform.to_owned(), vec![(name.to_owned(), value)]);
        let set = self.store.write(move |database| database.gateway_accept(&platform, &[], &marks));
        if let Err(error) = set.await {
            tracing::debug!(%error, "a mark was not stored");
        }
    }

    /// Tells the chat that wanted a restart that it has happened.
    pub(super) async fn say_back(&self, link: &Link) {
        let name = link.platform.name;
        let asked =
            self.store.read(move |database| database.gateway_mark(name, RESTARTED_FROM)).await;
        let asked = asked.ok().flatten().filter(|place| !place.is_empty());
        let Some(place) = asked.and_then(|place| serde_json::from_str::<Target>(&place).ok())
        else {
            return;
        };
        self.set_mark(name, RESTARTED_FROM, String::new()).await;
        let _ = link.say(&place, "I am back.", Vec::new()).await;
    }

    /// `/platform pause NAME` and `/platform resume NAME`.
    fn rest_platform(&self, here: &Link, rest: &str) -> String {
        let (word, name) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let Some(link) = self.links.get(name.trim().to_lowercase().as_str()) else {
            let names: Vec<&str> = self.links.keys().copied().collect();
            return format!("Say which: {}.", names.join(", "));
        };
        let rests = word == "pause";
        if rests && link.platform.name == here.platform.name {
            return "From here I could not be woken again; pause it from another platform."
                .to_owned();
        }
        link.resting.send_replace(rests);
        match rests {
            true => format!(
                "{} rests. `/platform resume {}` wakes it.",
                link.platform.label, link.platform.name
            ),
            false => format!("{} is being connected.", link.platform.label),
        }
    }

    async fn begin_anew(&self, key: &str) -> String {
        let Some(mut entry) = self.route(key).await else {
            return "A new session begins with your next message.".to_owned();
        };
        let old = std::mem::replace(&mut entry.session_id, new_session_id());
        self.factory.tools().approvals().reset_session(&old);
        entry.created_at = hermes_store::clock::now();
        self.set_route(key, &entry).await;
        format!("A new session begins. `/resume {old}` goes back to the last one.")
    }

    /// An agent of the chat's session, to change the session with.
    async fn agent_of(
        &self,
        link: &Link,
        key: &str,
        message: &InboundMessage,
    ) -> Result<Agent, String> {
        let entry = self.route(key).await.ok_or("There is no session yet.")?;
        let wanted = self.agent_request(link, key, &message.source, &entry);
        let made = self.factory.agent(&self.host, &wanted, Arc::new(Unseen)).await;
        made.map_err(|_| "The model is not set up; I cannot open the session.".to_owned())
    }

    async fn undo(
        &self,
        link: &Link,
        key: &str,
        message: &InboundMessage,
        turns: usize,
    ) -> Result<Option<String>, String> {
        let mut agent = self.agent_of(link, key, message).await?;
        let said = agent.undo(turns.clamp(1, 100));
        let _ = agent.conversation_mut().recorded().await;
        Ok(said)
    }

    async fn compress(
        &self,
        link: &Link,
        key: &str,
        message: &InboundMessage,
        focus: &str,
    ) -> String {
        let mut agent = match self.agent_of(link, key, message).await {
            Ok(agent) => agent,
            Err(error) => return error,
        };
        let focus = Some(focus).filter(|focus| !focus.is_empty());
        let done = agent.compact_now(focus, None, &CancellationToken::new()).await;
        let session = agent.conversation().id().to_owned();
        if let Some(mut entry) = self.route(key).await {
            entry.session_id = session;
            self.set_route(key, &entry).await;
        }
        done.unwrap_or_else(|error| error)
    }

    async fn session(&self, key: &str) -> Option<String> {
        self.route(key).await.map(|entry| entry.session_id).filter(|id| !id.is_empty())
    }

    async fn title(&self, key: &str, title: &str) -> String {
        let Some(session) = self.session(key).await else {
            return "There is no session yet.".to_owned();
        };
        if title.is_empty() {
            let row = self.store.read(move |database| database.get(&session)).await.ok().flatten();
            let title = row.and_then(|row| row.title);
            return title
                .map_or("This session has no title.".to_owned(), |title| format!("“{title}”"));
        }
        let title = title.to_owned();
        match self.store.write(move |database| database.set_title(&session, &title)).await {
            Ok(kept) => format!("This session is called “{kept}”."),
            // Whose session has it is nobody's business.
            Err(SessionsError::Title(TitleError::Taken { .. })) => {
                "It cannot be called that: the title is taken. Choose another one.".to_owned()
            }
            Err(SessionsError::Title(problem)) => {
                format!("It cannot be called that: {problem}.")
            }
            Err(error) => {
                tracing::warn!(%error, "a title was not stored");
                "I could not store that.".to_owned()
            }
        }
    }

    /// Only sessions of the same person on the same platform are seen, unless the owner wants all.
    async fn sessions_text(&self, link: &Link, message: &InboundMessage, all: bool) -> String {
        let source = (!all).then(|| link.platform.name.to_owned());
        let user = message.source.user_id.clone();
        let listed = self.store.read(move |database| {
            let filter = ListFilter { source, limit: Some(200), ..ListFilter::default() };
            let mut found = Vec::new();
            for session in database.list(&filter)? {
                let peer = database.gateway_peer(&session.id)?;
                if all || peer.is_some_and(|(_, owner)| owner.is_some() && owner == user) {
                    found.push(session);
                }
            }
            Ok(found)
        });
        let found = listed.await.unwrap_or_default();
        if found.is_empty() {
            return "You have no sessions here yet.".to_owned();
        }
        let line = |session: &hermes_sessions::SessionSummary| {
            let title = session.title.clone().unwrap_or_else(|| session.preview.clone());
            format!(
                "- `{}` {} ({})",
                session.id,
                crate::key::harmless(&title),
                local_time(session.last_active)
            )
        };
        found.iter().take(10).map(line).collect::<Vec<_>>().join("\n")
    }

    async fn resume(
        &self,
        key: &str,
        message: &InboundMessage,
        which: &str,
        is_owner: bool,
    ) -> String {
        let all = is_owner && which.contains("--all");
        let which = which.replace("--all", "").trim().to_owned();
        if which.is_empty() {
            return "Say which: /sessions lists yours.".to_owned();
        }
        let (user, name) = (message.source.user_id.clone(), key.to_owned());
        let platform = message.source.platform.clone();
        let found = self.store.read(move |database| {
            let row = database.find_tip(&which)?;
            let peer = database.gateway_peer(&row.id)?.unwrap_or_default();
            let is_own = row.source == platform
                && (peer.0.as_deref() == Some(name.as_str())
                    || (peer.1.is_some() && peer.1 == user));
            Ok((all || is_own).then_some(row))
        });
        match found.await {
            Ok(Some(row)) => {
                let Some(mut entry) = self.route(key).await else {
                    return "Say something first; then I know this chat.".to_owned();
                };
                entry.session_id.clone_from(&row.id);
                self.set_route(key, &entry).await;
                format!("We go on with `{}`.", row.id)
            }
            // Whether others have one by that name is nobody's business.
            Ok(None) | Err(_) => "You have no such session. /sessions lists yours.".to_owned(),
        }
    }

    async fn model(&self, key: &str, name: &str) -> String {
        let Some(mut entry) = self.route(key).await else {
            return "Say something first; then I know this chat.".to_owned();
        };
        match name {
            "" => {
                entry.model_override.map_or("The configured model answers.".to_owned(), |model| {
                    format!(
                        "`{model}` answers here. `/model default` goes back to the configured one."
                    )
                })
            }
            "default" => {
                entry.model_override = None;
                self.set_route(key, &entry).await;
                "The configured model answers from now on.".to_owned()
            }
            name => {
                entry.model_override = Some(name.to_owned());
                self.set_route(key, &entry).await;
                format!("`{name}` answers here from now on.")
            }
        }
    }

    async fn usage(&self, key: &str) -> String {
        let Some(session) = self.session(key).await else {
            return "There is no session yet.".to_owned();
        };
        let row = self.store.read(move |database| database.get(&session)).await.ok().flatten();
        row.map_or("Nothing is used yet.".to_owned(), |row| {
            format!(
                "{} messages, {} calls to the model, {} tokens in, {} out.",
                row.message_count, row.api_call_count, row.input_tokens, row.output_tokens
            )
        })
    }

    async fn status_text(&self, key: &str) -> String {
        let (running, waiting) = self.load();
        let session = self.session(key).await.unwrap_or_else(|| "none yet".to_owned());
        let doing = if self.is_busy(key) { "working" } else { "idle" };
        format!(
            "This chat: {doing}, session `{session}`.\nAll chats: {running} working, {waiting} messages waiting."
        )
    }

    async fn yolo(&self, key: &str, word: &str) -> String {
        let Some(session) = self.session(key).await else {
            return "There is no session yet.".to_owned();
        };
        let approvals = self.factory.tools().approvals();
        match word {
            "on" => {
                approvals.set_yolo(&session, SessionYolo::On);
                "Flagged commands of this session run without asking. `/yolo off` ends that."
                    .to_owned()
            }
            "off" => {
                approvals.set_yolo(&session, SessionYolo::Off);
                "I ask again.".to_owned()
            }
            _ => "Say `/yolo on` or `/yolo off`.".to_owned(),
        }
    }

    fn set_home(&self, link: &Link, message: &InboundMessage) -> String {
        let file = self.host.home().env_file();
        let name = link.platform.home_variable();
        let set = hermes_store::dotenv::set(&file, &name, &message.source.chat_id).and_then(|_| {
            match &message.source.thread_id {
                Some(thread) => {
                    hermes_store::dotenv::set(&file, &format!("{name}_THREAD_ID"), thread).map(drop)
                }
                None => Ok(()),
            }
        });
        match set {
            Ok(()) => format!(
                "This is the home chat of {} now; it counts after a restart.",
                link.platform.label
            ),
            Err(error) => {
                tracing::warn!(%error, "the home chat was not stored");
                "I could not store that.".to_owned()
            }
        }
    }
}

fn help(is_owner: bool) -> String {
    let shown = COMMANDS.iter().filter(|one| is_owner || !one.is_owners);
    let lines: Vec<String> = shown.map(|one| format!("/{} — {}", one.name, one.about)).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_told_from_paths_and_words() {
        assert_eq!(read("/New "), Some(("new".into(), String::new())));
        assert_eq!(read("/resume —all x"), Some(("resume".into(), "--all x".into())));
        assert_eq!(read("/set_home"), Some(("set-home".into(), String::new())));
        for words in ["/etc/hosts is a file", "hello /new", "// note", "/", "/9"] {
            assert_eq!(read(words), None, "{words}");
        }
    }

    #[test]
    fn no_name_is_given_twice() {
        let mut names: Vec<&str> = COMMANDS
            .iter()
            .flat_map(|one| std::iter::once(one.name).chain(one.aliases.iter().copied()))
            .collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
