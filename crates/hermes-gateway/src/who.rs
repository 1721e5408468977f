//! Who may talk, and who owns the bot.

use hermes_tool::Vars;

use crate::adapter::{AdapterSetup, ChatSource, Platform};
use crate::pairing::{Pairing, is_same_id};
use crate::settings::StrangerBehavior;

/// The rules of one platform.
pub(crate) struct Policy {
    platform: &'static Platform,
    allowed: Vec<String>,
    group_allowed: Vec<String>,
    group_chats: Vec<String>,
    everywhere: Vec<String>,
    allow_all: bool,
    allow_all_everywhere: bool,
    bots: bool,
    admins: Vec<String>,
    /// Who may command what, in direct chats and in groups.
    commands: CommandRights,
    group_commands: CommandRights,
    stranger: StrangerBehavior,
}

/// Who may use which commands.
#[derive(Clone, Debug, Default)]
struct CommandRights {
    /// They may use all; without any, everybody may.
    admins: Vec<String>,
    /// Everybody may use these.
    open: Vec<String>,
}

impl CommandRights {
    fn read(setup: &AdapterSetup, admins: &str, open: &str) -> Self {
        let bare = |name: &String| name.trim_start_matches('/').to_lowercase();
        Self { admins: setup.list(admins), open: setup.list(open).iter().map(bare).collect() }
    }

    fn or(&self, other: &Self) -> Self {
        if self.admins.is_empty() { other.clone() } else { self.clone() }
    }
}

/// What becomes of somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Welcome,
    /// Unknown, and told nothing.
    Ignored,
    /// Unknown, and offered a code.
    Offered,
}

fn list(vars: &Vars, name: &str) -> Vec<String> {
    let value = vars.get(name).unwrap_or_default();
    value.split(',').map(str::trim).filter(|one| !one.is_empty()).map(str::to_owned).collect()
}

impl Policy {
    pub(crate) fn read(
        platform: &'static Platform,
        setup: &AdapterSetup,
        vars: &Vars,
        stranger: StrangerBehavior,
    ) -> Self {
        let own = setup.variable("unauthorized_dm_behavior");
        let group_commands =
            CommandRights::read(setup, "group_allow_admin_from", "group_user_allowed_commands");
        let own_commands = CommandRights::read(setup, "allow_admin_from", "user_allowed_commands");
        let admins = own_commands.admins.clone();
        let mut allowed = list(vars, &platform.variable("ALLOWED_USERS"));
        allowed.extend(setup.list("allow_from"));
        Self {
            platform,
            allowed,
            group_allowed: list(vars, &platform.variable("GROUP_ALLOWED_USERS")),
            group_chats: list(vars, &platform.variable("GROUP_ALLOWED_CHATS")),
            everywhere: list(vars, "GATEWAY_ALLOWED_USERS"),
            allow_all: vars.is_on(&platform.variable("ALLOW_ALL_USERS")),
            allow_all_everywhere: vars.is_on("GATEWAY_ALLOW_ALL_USERS"),
            bots: matches!(
                setup.variable(&platform.variable("ALLOW_BOTS")).as_deref(),
                Some("mentions" | "all")
            ),
            admins,
            // Where there is no list of its own, that of the other kind of chat counts.
            commands: own_commands.or(&group_commands),
            group_commands: group_commands.or(&own_commands),
            stranger: match own.as_deref() {
                Some("ignore") => StrangerBehavior::Ignore,
                Some("pair") => StrangerBehavior::Pair,
                _ => stranger,
            },
        }
    }

    /// The first rule that applies decides.
    pub(crate) fn judge(
        &self,
        source: &ChatSource,
        is_vouched: bool,
        pairing: &Pairing,
    ) -> Verdict {
        if self.is_welcome(source, is_vouched, pairing) {
            return Verdict::Welcome;
        }
        let has_list = !(self.allowed.is_empty() && self.everywhere.is_empty());
        let ignores = source.kind.is_shared()
            || source.user_id.is_none()
            || source.is_bot
            || has_list
            || self.platform.ignores_strangers
            || self.stranger == StrangerBehavior::Ignore;
        if ignores { Verdict::Ignored } else { Verdict::Offered }
    }

    /// Whether somebody was turned out while the gateway runs, whatever the lists said when it began.
    pub(crate) fn is_revoked(&self, source: &ChatSource, pairing: &Pairing) -> bool {
        let ids = [source.user_id.as_deref(), source.user_id_alt.as_deref()];
        ids.into_iter().flatten().any(|id| pairing.is_revoked(self.platform.name, id))
    }

    fn is_welcome(&self, source: &ChatSource, is_vouched: bool, pairing: &Pairing) -> bool {
        if self.platform.vouches_for_all {
            return true;
        }
        if self.is_revoked(source, pairing) {
            return false;
        }
        let is_group = source.kind.is_shared();
        if is_group && contains(&self.group_chats, &source.chat_id) {
            return true;
        }
        if source.is_bot {
            return self.bots;
        }
        let Some(user) = &source.user_id else { return false };
        let ids: Vec<&str> =
            std::iter::once(user.as_str()).chain(source.user_id_alt.as_deref()).collect();
        if self.allow_all || is_vouched {
            return true;
        }
        if ids.iter().any(|id| pairing.is_approved(self.platform.name, id)) {
            return true;
        }
        let groups = if is_group { self.group_allowed.as_slice() } else { &[] };
        let has_list =
            !(self.allowed.is_empty() && groups.is_empty() && self.everywhere.is_empty());
        if has_list {
            let lists = [self.allowed.as_slice(), groups, self.everywhere.as_slice()];
            return ids.iter().any(|id| lists.iter().any(|list| contains(list, id)));
        }
        self.allow_all_everywhere
    }

    /// Whether somebody owns the bot: the first admin, else the first on the list, else the first who was paired.
    pub(crate) fn is_owner(&self, source: &ChatSource, pairing: &Pairing) -> bool {
        let first = |list: &[String]| list.iter().find(|id| *id != "*").cloned();
        let owner = first(&self.admins)
            .or_else(|| first(&self.allowed))
            .or_else(|| first(&self.everywhere))
            .or_else(|| pairing.first_approved(self.platform.name));
        let ids = [source.user_id.as_deref(), source.user_id_alt.as_deref()];
        owner.is_some_and(|owner| ids.into_iter().flatten().any(|id| is_same_id(&owner, id)))
    }

    /// Whether somebody may use a command, by the list of admins. Who may decide a question is another matter.
    pub(crate) fn may_command(&self, source: &ChatSource, command: &str) -> bool {
        let rights = if source.kind.is_shared() { &self.group_commands } else { &self.commands };
        let is_open = matches!(command, "help" | "whoami" | "approve" | "deny")
            || rights.open.iter().any(|name| name == command);
        let ids = [source.user_id.as_deref(), source.user_id_alt.as_deref()];
        rights.admins.is_empty()
            || is_open
            || ids.into_iter().flatten().any(|user| contains(&rights.admins, user))
    }
}

fn contains(list: &[String], id: &str) -> bool {
    list.iter().any(|one| one == "*" || is_same_id(one, id))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::adapter::ChatKind;

    static PIGEON: Platform = Platform::named("pigeon", "PIGEON", "hermes-cli");

    fn policy(vars: &[(&str, &str)]) -> (Policy, Pairing, tempfile::TempDir) {
        let vars: Vars =
            vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let setup = AdapterSetup::new(&PIGEON, &Value::Null, &vars);
        let folder = tempfile::tempdir().unwrap();
        let pairing = Pairing::at(folder.path());
        (Policy::read(&PIGEON, &setup, &vars, StrangerBehavior::Pair), pairing, folder)
    }

    fn of(user: &str, kind: ChatKind) -> ChatSource {
        ChatSource {
            platform: "pigeon".into(),
            chat_id: "c".into(),
            kind,
            user_id: Some(user.into()),
            ..ChatSource::default()
        }
    }

    #[test]
    fn the_first_rule_that_applies_decides() {
        type Case = (&'static [(&'static str, &'static str)], &'static str, ChatKind, Verdict);
        let cases: &[Case] = &[
            (&[], "9", ChatKind::Dm, Verdict::Offered),
            (&[], "9", ChatKind::Group, Verdict::Ignored),
            (&[("PIGEON_ALLOWED_USERS", "7, 9")], "9", ChatKind::Group, Verdict::Welcome),
            (&[("PIGEON_ALLOWED_USERS", "7")], "9", ChatKind::Dm, Verdict::Ignored),
            // A list beats the general yes.
            (
                &[("PIGEON_ALLOWED_USERS", "7"), ("GATEWAY_ALLOW_ALL_USERS", "1")],
                "9",
                ChatKind::Dm,
                Verdict::Ignored,
            ),
            (&[("GATEWAY_ALLOW_ALL_USERS", "on")], "9", ChatKind::Dm, Verdict::Welcome),
            (&[("PIGEON_ALLOW_ALL_USERS", "true")], "9", ChatKind::Dm, Verdict::Welcome),
            (&[("PIGEON_GROUP_ALLOWED_CHATS", "c")], "9", ChatKind::Group, Verdict::Welcome),
            (&[("PIGEON_GROUP_ALLOWED_CHATS", "c")], "9", ChatKind::Dm, Verdict::Offered),
            (&[("PIGEON_ALLOWED_USERS", "ann")], "ann@anywhere", ChatKind::Dm, Verdict::Ignored),
            (&[("PIGEON_ALLOWED_USERS", "Ann@x.org")], "ann@X.org", ChatKind::Dm, Verdict::Welcome),
            (&[("PIGEON_ALLOWED_USERS", "+4917")], "4917", ChatKind::Dm, Verdict::Welcome),
            (&[("GATEWAY_ALLOWED_USERS", "*")], "9", ChatKind::Dm, Verdict::Welcome),
        ];
        for (vars, user, kind, expected) in cases {
            let (policy, pairing, _folder) = policy(vars);
            assert_eq!(
                policy.judge(&of(user, *kind), false, &pairing),
                *expected,
                "{vars:?} {user}"
            );
        }
    }

    #[test]
    fn with_admins_others_use_what_is_listed_in_each_kind_of_chat() {
        let may = |keys: &[(&str, &str)], user: &str, kind: ChatKind, command: &str| {
            policy(keys).0.may_command(&of(user, kind), command)
        };
        let both = [
            ("allow_admin_from", "7"),
            ("user_allowed_commands", "/New, status"),
            ("group_allow_admin_from", "8"),
        ];
        for (user, kind, command, expected) in [
            ("7", ChatKind::Dm, "restart", true),
            ("7", ChatKind::Group, "restart", false),
            ("8", ChatKind::Group, "restart", true),
            ("9", ChatKind::Dm, "new", true),
            ("9", ChatKind::Dm, "undo", false),
            ("9", ChatKind::Group, "new", false),
            ("9", ChatKind::Group, "help", true),
        ] {
            assert_eq!(may(&both, user, kind, command), expected, "{user} {kind:?} {command}");
        }
        assert!(may(&[], "9", ChatKind::Group, "undo"), "without admins everybody may");
        // One list for both kinds of chat.
        for keys in [[("allow_admin_from", "7")], [("group_allow_admin_from", "7")]] {
            for kind in [ChatKind::Dm, ChatKind::Group] {
                assert!(may(&keys, "7", kind, "undo") && !may(&keys, "9", kind, "undo"));
            }
        }
    }

    #[test]
    fn bots_and_people_without_an_id_are_nobody() {
        let (policy, pairing, _folder) = policy(&[("PIGEON_ALLOWED_USERS", "9")]);
        let bot = ChatSource { is_bot: true, ..of("9", ChatKind::Dm) };
        assert_eq!(policy.judge(&bot, false, &pairing), Verdict::Ignored);
        let nobody = ChatSource { user_id: None, ..of("9", ChatKind::Dm) };
        assert_eq!(policy.judge(&nobody, false, &pairing), Verdict::Ignored);
        assert!(policy.is_owner(&of("9", ChatKind::Dm), &pairing));
    }
}
