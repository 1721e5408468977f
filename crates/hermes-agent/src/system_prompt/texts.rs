//! The fixed texts of a prompt.

use super::settings::Enforcement;

pub(super) const IDENTITY: &str = "You are Hermes, an assistant that gets work done with tools on the \
user's machine. Find out instead of guessing: look at the files, run the command, read the page. Be exact \
about what you did and what you saw, and say plainly what failed or is not known. Do what was asked and \
nothing beyond it; what cannot be undone, do only if it was asked for. Answer briefly, in the user's language.";

/// For models with a small window, which read it before every answer and take it literally.
pub(super) const BRIEF_IDENTITY: &str = "You are Hermes. You do tasks on the user's computer by calling tools. Call a \
tool instead of guessing or explaining; make one call at a time and look at its result. When the task is done, \
answer in one short sentence.";

pub(super) const HELP: &str =
    "Questions about Hermes itself: `hermes --help` and `hermes doctor` answer them; do not guess.";

pub(super) const FINISH: &str = "Carry a task to its end: do not stop at a plan or a first attempt. When \
something fails, find out why and try another way. Before you say that it is done, check it by running it or \
looking at it; report results only if a tool showed them.";

pub(super) const BATCH: &str =
    "Make independent tool calls together in one answer; they run side by side.";

const ACT: &str = "Act instead of announcing: if you say that you will do something, call the tool in the \
same answer. End your turn only with a result or a question that only the user can answer.";

/// Families that are prone to announce work instead of doing it.
const ANNOUNCING: &[&str] = &["gpt", "codex", "gemini", "gemma", "grok", "glm", "qwen", "deepseek"];

/// What some families need to be told besides.
const EXTRAS: &[(&[&str], &str)] = &[
    (
        &["gpt", "codex"],
        "Do not ask whether to go on; go on. Look facts up even if you think you know them.",
    ),
    (
        &["gemini", "gemma"],
        "Read a file before you change it, use absolute paths, and check that a library is there before you use it.",
    ),
];

/// The insistence on using tools, for models that need it or where the user wants it
/// (`agent.tool_use_enforcement`: `auto`, true, false, or parts of model names).
pub(super) fn enforcement(model: &str, setting: &Enforcement) -> Option<String> {
    let model = model.to_lowercase();
    let wanted = match setting {
        Enforcement::Always => true,
        Enforcement::Never => false,
        Enforcement::Named(names) => names.iter().any(|name| model.contains(name)),
        Enforcement::Auto => ANNOUNCING.iter().any(|family| model.contains(family)),
    };
    if !wanted {
        return None;
    }
    let extras = EXTRAS
        .iter()
        .filter(|(families, _)| families.iter().any(|family| model.contains(family)))
        .map(|(_, text)| *text);
    Some(std::iter::once(ACT).chain(extras).collect::<Vec<_>>().join(" "))
}

/// How to write where the person reads.
pub(super) fn platform(name: &str) -> Option<&'static str> {
    Some(match name {
        "cli" => {
            "The user reads your answers in a terminal: light Markdown, no HTML, no wide tables."
        }
        "cron" => {
            "You run as a scheduled job and nobody is there: ask nothing, decide sensibly, and put \
             all that matters into your final answer, which is delivered by itself."
        }
        "acp" => {
            "The user reads your answers in a code editor: Markdown; name files by their path."
        }
        "api_server" | "api-server" | "webhook" => {
            "A program reads your answer: say only what was asked for."
        }
        "telegram" | "discord" | "slack" | "whatsapp" | "signal" | "matrix" | "mattermost" => {
            "The user reads your answers in a chat: short messages, simple Markdown, no tables."
        }
        "sms" | "email" | "bluebubbles" | "weixin" | "wecom" => {
            "The user reads your answers as a plain message: short, without Markdown."
        }
        _ => return None,
    })
}
