//! One verb for whatever another program lists, and one line for a console that can do anything.

use super::super::call::{Arg, Channel, ProgramCall, Taint, Via};
use super::super::category::Category;
use super::{DangerRule, RuleCheck};

const CONSOLE: Category = Category::asks(
    "console of an application",
    "A line of code would delete or change many records of an application at once.",
);
const KEYS: Category = Category::asks(
    "key overwritten",
    "A private key would be replaced by a new one, without a question.",
);

pub(super) const RULES: &[DangerRule] = &[
    DangerRule {
        category: CONSOLE,
        programs: &[
            "rails",
            "gitlab-rails",
            "rake",
            "manage.py",
            "django-admin",
            "python",
            "php",
            "artisan",
            "wp",
            "drush",
            "flask",
            "mix",
            "symfony",
            "console",
            "bin/console",
            "tinker",
            "discourse",
            "odoo",
            "bench",
            "airflow",
            "superset",
        ],
        check: RuleCheck::Call(changes_records),
        catches: &[
            "rails runner 'User.find_each(&:destroy)'",
            "gitlab-rails runner 'Project.delete_all'",
            "python manage.py shell -c 'User.objects.all().delete()'",
            "php artisan tinker --execute='User::truncate();'",
            "wp eval 'wp_delete_user(1);'",
        ],
        passes: &[
            "rails runner 'puts User.count'",
            "rails console",
            "python manage.py shell -c 'print(1)'",
            "php artisan tinker",
        ],
    },
    DangerRule {
        category: KEYS,
        programs: &["ssh-keygen", "age-keygen", "openssl", "gpg", "wg"],
        check: RuleCheck::Call(|call| {
            let names_key = call.args.iter().any(|arg| {
                let path = call.path(&arg.text);
                super::super::paths::below_home(&path).is_some_and(|rest| rest.starts_with(".ssh/"))
            });
            let says_yes = call
                .stdin
                .text
                .as_deref()
                .is_some_and(|text| text.trim_start().starts_with(['y', 'Y']))
                || call.stdin.channel == Channel::Pipe;
            call.name == "ssh-keygen"
                && names_key
                && says_yes
                && !call.has(&["-y", "-l", "-F", "-R"])
        }),
        catches: &[
            "ssh-keygen -t ed25519 -N '' -f ~/.ssh/id_ed25519 <<< y",
            "yes | ssh-keygen -f ~/.ssh/id_rsa",
        ],
        passes: &["ssh-keygen -t ed25519 -f ~/.ssh/id_new", "ssh-keygen -lf ~/.ssh/id_rsa.pub"],
    },
];

/// Code for the console of an application, with a word that loses records.
fn changes_records(call: &ProgramCall<'_>) -> bool {
    const WORDS: &[&str] = &[
        "delete",
        "destroy",
        "truncate",
        "drop",
        "update_all",
        "flush",
        "purge",
        "wipe",
        "remove_user",
        "reset_password",
    ];
    let runs = call.args.iter().any(|arg| {
        matches!(
            arg.as_str(),
            "runner"
                | "shell"
                | "shell_plus"
                | "eval"
                | "eval-file"
                | "php:eval"
                | "php-eval"
                | "tinker"
                | "run"
                | "-e"
                | "console"
        ) || arg.text.starts_with("--execute")
    });
    let is_manage =
        call.name != "python" || call.args.iter().any(|arg| arg.text.ends_with("manage.py"));
    let is_artisan =
        call.name != "php" || call.args.iter().any(|arg| arg.text.ends_with("artisan"));
    let is_console = call.args.iter().any(|arg| {
        matches!(
            arg.as_str(),
            "c" | "console" | "shell" | "shell_plus" | "tinker" | "dbshell" | "dbconsole" | "db"
        )
    });
    let says = |text: &str| {
        let text = text.to_ascii_lowercase();
        text.contains(['(', '.', ':', '&', ' ']) && WORDS.iter().any(|word| text.contains(word))
    };
    let typed = is_console && call.stdin.text.as_deref().is_some_and(says);
    typed && is_manage && is_artisan
        || runs
            && is_manage
            && is_artisan
            && call.args.iter().any(|arg| {
                let text = arg.text.to_ascii_lowercase();
                text.contains(['(', '.', ':', '&']) && WORDS.iter().any(|word| text.contains(word))
            })
}

/// Whether a tool is told to take away whatever another program lists.
pub(crate) fn takes_listed(call: &ProgramCall<'_>) -> bool {
    const VERBS: &[&str] = &[
        "del",
        "delete",
        "destroy",
        "uninstall",
        "terminate",
        "close",
        "drop",
        "purge",
        "unpublish",
        "revoke",
        "archive",
        "unlink",
        "deregister",
        "cancel",
        "rm",
        "remove",
        "rmi",
    ];
    let listed = call.via.has(Via::XARGS.and(Via::EACH))
        || call.args.iter().any(|arg| arg.taint.has(Taint::GENERATED) && arg.has_hole());
    listed
        && !matches!(call.name, "echo" | "printf" | "grep" | "git" | "rm" | "rmdir" | "sed" | "awk")
        && call
            .args
            .iter()
            .map(Arg::as_str)
            .take(4)
            .any(|text| VERBS.iter().any(|verb| text.eq_ignore_ascii_case(verb)))
}
