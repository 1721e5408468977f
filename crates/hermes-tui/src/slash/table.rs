//! All slash commands.

use CommandGroup::{Program, Running, Session, Settings, Tools, Writing};
use CommandTiming::{Any, Idle};

use super::action::{HelpTopic, SlashAction};
use super::arguments::{
    busy, command_line, compress, count, export, goal, insights, model, nothing, optional, plan,
    quit, reasoning, required, review, rollback, save, stop, subgoal, verbose,
};
use super::{CommandGroup, CommandTiming, SlashCommand};

/// A command, one field a line where it is longer than a line.
macro_rules! command {
    ($group:ident, $when:ident, $name:literal $(| $alias:literal)*, $takes:literal, $words:expr, $help:literal, $read:expr) => {
        SlashCommand {
            name: $name,
            aliases: &[$($alias),*],
            takes: $takes,
            words: &$words,
            group: $group,
            help: $help,
            when: $when,
            read: $read,
        }
    };
}

/// Every command there is.
pub(crate) const COMMANDS: &[SlashCommand] = &[
    command!(Session, Idle, "new" | "reset", "[TITLE]", [], "begin an empty session", |text| {
        Ok(SlashAction::New(optional(text)))
    }),
    command!(
        Session,
        Idle,
        "clear",
        "",
        [],
        "clear the screen and begin an empty session",
        |text| { nothing(text, SlashAction::Clear) }
    ),
    command!(Session, Any, "history", "", [], "show what was said", |text| {
        nothing(text, SlashAction::History)
    }),
    command!(Session, Any, "save", "[FILE]", [], "write the conversation to a file", save),
    command!(
        Session,
        Any,
        "export",
        "[FILE.md|FILE.html]",
        [],
        "write the conversation with all tool calls to a file, secrets hidden",
        export
    ),
    command!(Session, Idle, "retry", "", [], "ask the last question again", |text| {
        nothing(text, SlashAction::Retry)
    }),
    command!(Session, Idle, "undo", "[N]", [], "take back the last N turns", |text| {
        count(text).map(SlashAction::Undo)
    }),
    command!(Session, Any, "title", "[TITLE]", [], "show or set the session's title", |text| {
        Ok(SlashAction::Title(optional(text)))
    }),
    command!(Session, Idle, "resume", "[ID|TITLE]", [], "go on with another session", |text| {
        Ok(SlashAction::Resume(optional(text)))
    }),
    command!(Session, Any, "sessions", "", [], "list the newest sessions", |text| {
        nothing(text, SlashAction::Sessions)
    }),
    command!(
        Session,
        Idle,
        "branch" | "fork",
        "[TITLE]",
        [],
        "go on with a copy of the session",
        |text| { Ok(SlashAction::Branch(optional(text))) }
    ),
    command!(
        Session,
        Idle,
        "compress" | "compact",
        "[TOPIC | here N | --preview]",
        ["here", "--preview"],
        "make the history shorter",
        compress
    ),
    command!(
        Running,
        Any,
        "stop",
        "[ID|all]",
        ["all"],
        "end the running turn, or something in the background",
        stop
    ),
    command!(
        Running,
        Any,
        "steer",
        "TEXT",
        [],
        "tell the agent something without stopping it",
        |text| { required(text, "what you want to say").map(SlashAction::Steer) }
    ),
    command!(
        Running,
        Any,
        "queue" | "q",
        "TEXT",
        [],
        "say something when the turn is over",
        |text| { required(text, "what you want to say").map(SlashAction::Queue) }
    ),
    command!(
        Running,
        Any,
        "busy",
        "[interrupt|queue|steer]",
        ["interrupt", "queue", "steer"],
        "what typing does while the agent works",
        busy
    ),
    command!(
        Running,
        Any,
        "plan",
        "[TEXT|accept|off]",
        ["accept", "off"],
        "look and plan first; tools that change something wait for your yes",
        plan
    ),
    command!(
        Running,
        Any,
        "review",
        "[staged | branch [BASE] | COMMIT]",
        ["staged", "branch", "commit"],
        "have a change looked over by an agent that can change nothing",
        review
    ),
    command!(
        Running,
        Any,
        "background" | "bg" | "btw",
        "PROMPT",
        [],
        "have something done in the background",
        |text| { required(text, "what is to be done").map(SlashAction::Background) }
    ),
    command!(Running, Any, "agents" | "tasks", "", [], "what works in the background", |text| {
        nothing(text, SlashAction::Tasks)
    }),
    command!(
        Settings,
        Idle,
        "model",
        "[NAME] [--provider P] [--global]",
        ["--provider", "--global"],
        "show or change the model",
        model
    ),
    command!(
        Settings,
        Idle,
        "reasoning",
        "[LEVEL|show|hide]",
        ["show", "hide", "none", "minimal", "low", "medium", "high", "xhigh", "max"],
        "how much the model thinks, and whether you see it",
        reasoning
    ),
    command!(
        Settings,
        Any,
        "verbose",
        "[off|new|all|verbose]",
        ["off", "new", "all", "verbose"],
        "how much is told about tools",
        verbose
    ),
    command!(
        Settings,
        Any,
        "yolo",
        "",
        [],
        "run flagged commands without asking, or ask again",
        |text| { nothing(text, SlashAction::Yolo) }
    ),
    command!(
        Settings,
        Any,
        "config",
        "[show|get|set|check|keys] …",
        ["show", "get", "set", "unset", "path", "check", "keys"],
        "see and change settings",
        |text| command_line("config", &["show"], text)
    ),
    command!(
        Settings,
        Any,
        "personality",
        "[NAME|none]",
        ["none"],
        "how the agent speaks, from the next session on",
        |text| Ok(SlashAction::Personality(optional(text)))
    ),
    command!(Settings, Idle, "fast", "", [], "think as little as possible, or as before", |text| {
        nothing(text, SlashAction::Fast)
    }),
    command!(
        Settings,
        Any,
        "theme",
        "[NAME]",
        ["dark", "light", "dark_colourblind", "light_colourblind"],
        "shades for the terminal's background and for changes",
        |text| Ok(SlashAction::Theme(optional(text)))
    ),
    command!(
        Settings,
        Any,
        "profile",
        "[list|show|use|create] …",
        ["list", "show", "use", "create"],
        "homes with settings, keys and sessions of their own",
        |text| match text {
            "" => Ok(SlashAction::PickProfile),
            text => command_line("profile", &["list"], text),
        }
    ),
    command!(
        Tools,
        Any,
        "tools",
        "[list|show|enable|disable] …",
        ["list", "show", "enable", "disable", "schema"],
        "see and choose tools; changes count from the next session",
        |text| match text {
            "" => Ok(SlashAction::PickTool),
            text => command_line("tools", &["list"], text),
        }
    ),
    command!(
        Tools,
        Any,
        "toolsets",
        "[list|show] …",
        ["list", "show", "resolve"],
        "see toolsets",
        |text| { command_line("toolsets", &["list"], text) }
    ),
    command!(
        Tools,
        Any,
        "memory",
        "[show|add|replace|remove|pending|approve|reject] …",
        ["show", "add", "replace", "remove", "pending", "approve", "reject", "path"],
        "what is remembered between sessions",
        |text| { command_line("memory", &["show"], text) }
    ),
    command!(
        Tools,
        Any,
        "rollback",
        "[CHECKPOINT]",
        [],
        "list checkpoints of the project, or go back to one",
        rollback
    ),
    command!(Tools, Any, "skills", "…", [], "what the agent has learnt to do", |text| {
        command_line("skills", &["list"], text)
    }),
    command!(
        Tools,
        Any,
        "cron",
        "[list|create|edit|pause|resume|run|remove|status|runs|next] …",
        [
            "list",
            "create",
            "edit",
            "pause",
            "resume",
            "run",
            "remove",
            "status",
            "runs",
            "next",
            "blueprint",
            "suggestions"
        ],
        "what is done at set times",
        |text| command_line("cron", &["list"], text)
    ),
    command!(
        Tools,
        Any,
        "blueprint",
        "[NAME] [SLOT=VALUE]…",
        [],
        "list ready-made jobs, or make one",
        |text| command_line("cron", &[], &format!("blueprint {text}"))
    ),
    command!(
        Tools,
        Any,
        "suggestions",
        "[accept N|dismiss N|catalog|clear]",
        ["accept", "dismiss", "catalog", "clear"],
        "jobs that you might want",
        |text| command_line("cron", &[], &format!("suggestions {text}"))
    ),
    command!(Tools, Any, "plugins", "…", [], "what plugins add", |text| {
        command_line("plugins", &["list"], text)
    }),
    command!(Tools, Any, "moa", "PROMPT", [], "ask several models, then answer", |text| {
        required(text, "what you want to ask").map(SlashAction::Moa)
    }),
    command!(
        Tools,
        Any,
        "goal",
        "[TEXT|status|pause|resume|clear]",
        ["status", "pause", "resume", "clear"],
        "what the agent works towards, turn after turn",
        goal
    ),
    command!(Tools, Any, "subgoal", "TEXT", [], "a step on the way to the goal", subgoal),
    command!(
        Tools,
        Any,
        "mcp",
        "[list|test|add|remove] …",
        ["list", "test", "add", "remove"],
        "see and test MCP servers",
        |text| match text {
            "" => Ok(SlashAction::PickServer),
            text => command_line("mcp", &["list"], text),
        }
    ),
    command!(Tools, Idle, "reload-mcp", "", [], "connect MCP servers anew", |text| {
        nothing(text, SlashAction::ReloadServers)
    }),
    command!(Tools, Idle, "reload-skills", "", [], "look for skills anew", |text| {
        nothing(text, SlashAction::ReloadSkills)
    }),
    command!(Tools, Any, "diff", "", [], "what was changed since the last commit", |text| {
        nothing(text, SlashAction::Diff)
    }),
    command!(Program, Any, "context", "", [], "what fills the model's window", |text| {
        nothing(text, SlashAction::Context)
    }),
    command!(Tools, Any, "expand", "[N]", [], "show a tool call whole (Ctrl-O)", |text| {
        match text {
            "" => Ok(SlashAction::Expand(None)),
            number => count(number).map(|number| SlashAction::Expand(Some(number))),
        }
    }),
    command!(Writing, Idle, "prompt" | "compose", "", [], "write in $EDITOR", |text| {
        nothing(text, SlashAction::Compose)
    }),
    command!(Writing, Any, "image", "PATH", [], "send an image with the next message", |text| {
        required(text, "the path of an image").map(|path| SlashAction::Image(path.into()))
    }),
    command!(Writing, Any, "paste", "", [], "take the image or text in the clipboard", |text| {
        nothing(text, SlashAction::Paste)
    }),
    command!(
        Writing,
        Any,
        "copy",
        "[N]",
        [],
        "copy the last answer, or the N-th from the end",
        |text| { count(text).map(SlashAction::Copy) }
    ),
    command!(Program, Any, "status", "", [], "model, session and context in use", |text| {
        nothing(text, SlashAction::Status)
    }),
    command!(Program, Any, "usage" | "cost", "", [], "tokens and cost of this session", |text| {
        nothing(text, SlashAction::Usage)
    }),
    command!(Program, Any, "insights", "[DAYS]", [], "how sessions were used", insights),
    command!(Program, Idle, "reload", "", [], "read settings and keys anew", |text| {
        nothing(text, SlashAction::Reload)
    }),
    command!(Program, Any, "debug", "", [], "what a report of a fault needs", |text| {
        nothing(text, SlashAction::Debug)
    }),
    command!(Program, Any, "version", "", [], "the program's version", |text| {
        nothing(text, SlashAction::Version)
    }),
    command!(Program, Any, "help" | "h", "[COMMAND|all]", ["all"], "what there is", |text| {
        let topic = match text.trim_start_matches('/') {
            "" => HelpTopic::Names,
            "all" => HelpTopic::All,
            name => HelpTopic::One(super::find(name)?.name),
        };
        Ok(SlashAction::Help(topic))
    }),
    command!(
        Program,
        Any,
        "quit" | "exit",
        "[--delete]",
        ["--delete"],
        "leave; --delete forgets the session",
        quit
    ),
];
