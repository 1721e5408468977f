//! The session that the flags of `hermes` ask for.

use hermes_agent::system_prompt::ProjectRules;
use hermes_host::{Continue, SessionOptions};
use hermes_protocol::Planning;

use crate::args::TalkFlags;

/// What `-m`, `-t`, `--resume` and the like mean for the session.
pub(crate) fn session_options(flags: &TalkFlags) -> SessionOptions {
    SessionOptions {
        model: flags.model.clone(),
        provider: flags.provider.clone(),
        toolsets: flags.toolsets.clone(),
        skills: flags.skills.clone(),
        session: match (&flags.resume, &flags.go_on) {
            (Some(which), _) | (None, Some(Some(which))) => Continue::Named(which.clone()),
            (None, Some(None)) => Continue::Latest,
            (None, None) => Continue::New,
        },
        max_turns: flags.max_turns,
        rules: if flags.ignore_rules { ProjectRules::Ignore } else { ProjectRules::Load },
        tell_session_id: flags.pass_session_id,
        source: flags.source.clone(),
        planning: if flags.plan { Planning::On } else { Planning::Off },
        ..SessionOptions::default()
    }
}
