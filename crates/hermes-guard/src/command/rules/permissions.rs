//! Who may do what with files.

use super::super::call::{Arg, ProgramCall, Via};
use super::super::category::Category;
use super::super::facts::HOLE;
use super::super::options::{Opt, Spec, options};
use super::super::paths::Protected;
use super::{DangerRule, RuleCheck};

const WORLD: Category = Category::asks(
    "world/other-writable permissions",
    "Everybody on the machine could change the files.",
);
const SETUID: Category =
    Category::asks("setuid permissions", "Whoever runs the file would get its owner's rights.");
const CHOWN: Category = Category::asks(
    "recursive chown to root",
    "Folders would be given to root with everything in them.",
);
const SYSTEM: Category = Category::asks(
    "recursive permission change of system directory",
    "Owners or permissions of the system's own files would be changed.",
);

pub(super) const RULES: &[DangerRule] = &[
    DangerRule {
        category: WORLD,
        programs: &["chmod", "install", "mkdir"],
        check: RuleCheck::Call(|call| mode(call).is_some_and(opens_to_others)),
        catches: &[
            "chmod 777 x",
            "chmod -R 777 .",
            "chmod 0777 x",
            "chmod 666 x",
            "chmod o+w x",
            "chmod a+w x",
            "chmod 1777 x",
            "chmod ugo+w x",
            "chmod a=rwx x",
            "chmod u+x,o+w x",
            "chmod --recursive 777 x",
            "chmod 702 x",
            "chmod go+rw x",
            "chmod x 777",
            "chmod '777' x",
            "chmod o=w x",
            "install -m 777 a b",
            "mkdir -m 0777 x",
            "chmod 0o777 x",
            "chmod =777 x",
            "chmod +666 x",
        ],
        passes: &[
            "chmod +x x",
            "chmod 755 x",
            "chmod g+w x",
            "chmod o-w x",
            "chmod a+r x",
            "chmod 600 x",
            "chmod u+w x",
            "chmod +w x",
            "chmod 644 777.txt",
            "chmod -w x",
            "chmod o=r x",
            "chmod -R 775 x",
            "chmod =755 x",
            "chmod -022 x",
        ],
    },
    DangerRule {
        category: WORLD,
        programs: &["umask"],
        check: RuleCheck::Call(|call| matches!(call.arg(0), "0" | "00" | "000" | "0000" | "a=rwx")),
        catches: &["umask 000"],
        passes: &["umask", "umask 022", "umask 077"],
    },
    DangerRule {
        category: SYSTEM,
        programs: &["chmod"],
        check: RuleCheck::Call(|call| {
            let takes = call.args.iter().any(|arg| {
                matches!(
                    arg.as_str(),
                    "-x" | "a-x"
                        | "-r"
                        | "a-r"
                        | "000"
                        | "0"
                        | "0000"
                        | "a-rwx"
                        | "-rwx"
                        | "ugo-x"
                        | "u-x"
                )
            });
            takes
                && call.args.iter().any(|arg| {
                    arg.text.starts_with('/')
                        && super::super::paths::is_sensitive(&call.path(&arg.text))
                })
        }),
        catches: &["chmod -x /usr/bin/sudo", "chmod 000 /etc/passwd"],
        passes: &["chmod -x run.sh", "chmod 644 /etc/hosts"],
    },
    DangerRule {
        category: SYSTEM,
        programs: &["chmod"],
        check: RuleCheck::Call(|call| {
            let Some(mode) = mode(call) else { return false };
            let (opens, shuts) = (opens_secrets(mode), shuts_owner_out(mode));
            (opens || shuts)
                && call.operands().skip(1).any(|arg| {
                    let path = call.path(&arg.text);
                    let is_folder =
                        path.rsplit('/').next().is_some_and(|name| name.starts_with('.'));
                    super::super::paths::is_private_store(&path)
                        && (shuts
                            || super::super::paths::is_secret(&path) && !is_usual_in_ssh(&path))
                        && (shuts || !is_folder || !mode.ends_with('5'))
                })
        }),
        catches: &["chmod 644 ~/.ssh/id_rsa", "chmod 000 ~/.gnupg", "chmod a+r ~/.aws/credentials"],
        passes: &[
            "chmod 600 ~/.ssh/id_rsa",
            "chmod 700 ~/.ssh",
            "chmod 644 ~/.ssh/id_rsa.pub",
            "chmod 644 ~/.ssh/config",
            "chmod -R go-rwx ~/.gnupg",
        ],
    },
    DangerRule {
        category: SYSTEM,
        programs: &["chmod", "chown", "chgrp"],
        check: RuleCheck::Call(|call| {
            let copies = call.args.iter().any(|arg| arg.text.starts_with("--reference"));
            copies
                && call.operands().any(|arg| {
                    let path = call.path(&arg.text);
                    super::super::paths::is_sensitive(&path)
                        || super::super::paths::is_sensitive(&format!("{path}/"))
                })
        }),
        catches: &["chmod --reference=/tmp /etc/cron.d"],
        passes: &["chmod --reference=a b"],
    },
    DangerRule {
        category: SETUID,
        programs: &["chmod", "install", "mkdir"],
        check: RuleCheck::Call(|call| {
            // What a search finds for this is folders, whose files then belong to their group.
            let found = call.via.has(Via::FIND.and(Via::XARGS));
            let of_group =
                |mode: &str| mode == "g+s" || mode.trim_start_matches('0').starts_with('2');
            mode(call).is_some_and(|mode| sets_id(mode) && !(found && of_group(mode)))
        }),
        catches: &[
            "chmod u+s x",
            "chmod 4755 x",
            "chmod +s x",
            "chmod 06755 x",
            "chmod g+s x",
            "chmod =4755 x",
        ],
        passes: &["chmod 0755 x", "chmod 1755 x", "chmod u-s x", "chmod +x s"],
    },
    DangerRule {
        category: CHOWN,
        programs: &["chown"],
        check: RuleCheck::Call(|call| {
            let (recursive, operands) = change(call);
            recursive && operands.first().is_some_and(|owner| is_root(&owner.text))
        }),
        catches: &[
            "chown -R root x",
            "chown --recursive root:root x",
            "sudo chown -hR 0:0 x",
            "chown root:root -R .",
        ],
        passes: &[
            "chown -R me x",
            "chown root x",
            "chown -R www-data:www-data .",
            "chown -R me root",
        ],
    },
    DangerRule {
        category: SYSTEM,
        programs: &["chown", "chmod", "chgrp"],
        check: RuleCheck::Call(|call| {
            let (recursive, operands) = change(call);
            // Whatever a search finds there: the same, one by one.
            let found = call.via.has(Via::FIND);
            (recursive || found)
                && operands.iter().skip(1).any(|arg| {
                    let text = arg.text.as_ref();
                    let text = match text.strip_suffix(HOLE).and_then(|text| text.strip_suffix('/'))
                    {
                        Some("") if found => "/",
                        Some(start) if found => start,
                        _ => text,
                    };
                    let path = call.path(text);
                    let home = matches!(path.as_ref(), "/home" | "/root" | "/home/*");
                    let place = call.protects(text);
                    let shuts =
                        matches!(operands[0].as_str(), "000" | "0" | "0000" | "a-rwx" | "a=");
                    let owner = operands[0].as_str();
                    let name = owner.split([':', '.']).next().unwrap_or_default();
                    let own = call.facts.host.user == Some(name)
                        || arg.text.trim_end_matches('/').ends_with(name);
                    let given_away = call.name == "chown" && !own && !owner.contains(HOLE);
                    call.name == "chgrp" && matches!(path.as_ref(), "/root" | "/home")
                        || !home && given_away && place == Some(Protected::Home)
                        || !home && matches!(place, Some(Protected::Root | Protected::System))
                        || path.starts_with('/')
                            && !path.starts_with("/usr/lib/")
                            && super::super::paths::is_sensitive(&path)
                        || shuts && place.is_some()
                })
        }),
        catches: &[
            "chmod -R 000 /",
            "chown -R nobody /etc",
            "chmod -R 755 /usr",
            "sudo chown -R me /etc/nginx",
            "chgrp -R users /root",
            "find / -perm -4000 -exec chmod u-s {} +",
            "find /usr -user me -exec chown root {} \\;",
        ],
        passes: &[
            "find . -type d -exec chmod 755 {} +",
            "find /var/www -type f -exec chmod 644 {} +",
            "chown -R me /var/www",
            "chmod -R 755 public",
            "sudo chown -R me:me /home/me",
        ],
    },
];

/// The mode: an option of `install` and `mkdir`; for `chmod` the first operand, or a later one when files were named first by mistake.
fn mode<'c>(call: &ProgramCall<'c>) -> Option<&'c str> {
    if call.name != "chmod" {
        let found = options(call.args, &Spec::with("mgotS", &["mode", "group", "owner"]))
            .filter(|opt| opt.is('m', "mode"))
            .find_map(|opt| opt.value());
        return found.filter(|mode| is_mode(mode));
    }
    let operands = call.args.iter().map(|arg| arg.text.as_ref()).filter(|text| !is_option(text));
    let words: Vec<&str> = operands.collect();
    let first = words.first().copied()?;
    match is_mode(first) {
        true => Some(first),
        false => words.iter().copied().find(|word| is_mode(word)),
    }
}

fn is_option(text: &str) -> bool {
    text.starts_with("--")
        || (text.starts_with('-')
            && text.len() > 1
            && text[1..].chars().all(|char| "Rvcfh".contains(char)))
}

fn is_mode(text: &str) -> bool {
    let digits = text.strip_prefix("0o").unwrap_or(text);
    let octal =
        (3..=5).contains(&digits.len()) && digits.bytes().all(|byte| (b'0'..=b'7').contains(&byte));
    octal || (text.contains(['+', '-', '=']) && text.split(',').all(is_clause))
}

fn is_clause(clause: &str) -> bool {
    let who = clause.trim_start_matches(['u', 'g', 'o', 'a']);
    who.starts_with(['+', '-', '='])
        && (who[1..].chars().all(|char| "rwxXstugo+-=".contains(char))
            || who[1..].bytes().all(|byte| (b'0'..=b'7').contains(&byte)))
}

/// The permissions a mode gives, clause by clause: who, and what.
fn given(mode: &str) -> impl Iterator<Item = (&str, &str)> {
    mode.split(',').filter_map(|clause| {
        let at = clause.find(['+', '='])?;
        Some((&clause[..at], &clause[at + 1..]))
    })
}

fn opens_to_others(mode: &str) -> bool {
    if mode.bytes().last().is_some_and(|byte| byte.is_ascii_digit()) {
        // Bits may also be taken away.
        return !mode.starts_with('-')
            && mode.bytes().last().is_some_and(|digit| (digit - b'0') & 2 == 2);
    }
    given(mode).any(|(who, what)| who.contains(['o', 'a']) && what.contains('w'))
}

/// Whether a mode lets anybody but the owner at a file.
fn opens_secrets(mode: &str) -> bool {
    match mode.bytes().all(|byte| byte.is_ascii_digit()) {
        true => mode.len() >= 3 && !mode.ends_with("00"),
        false => given(mode).any(|(who, what)| {
            (who.is_empty() || who.contains(['g', 'o', 'a'])) && what.contains(['r', 'w'])
        }),
    }
}

/// Whether not even the owner can read what has this mode.
fn shuts_owner_out(mode: &str) -> bool {
    matches!(mode, "000" | "0000" | "a-rwx" | "u-rwx" | "a=" | "ugo-rwx" | "u-r" | "a-r" | "-rwx")
}

fn is_usual_in_ssh(path: &str) -> bool {
    path.ends_with("/.ssh/config") || path.ends_with("/authorized_keys")
}

fn sets_id(mode: &str) -> bool {
    let digits = mode.strip_prefix("0o").unwrap_or(mode).trim_start_matches(['=', '+']);
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let special = digits.len().checked_sub(4).map(|at| digits.as_bytes()[at]);
        return special.is_some_and(|digit| (digit - b'0') & 6 != 0);
    }
    given(mode).any(|(_, what)| what.contains('s'))
}

fn change<'c>(call: &ProgramCall<'c>) -> (bool, Vec<&'c Arg<'c>>) {
    let mut recursive = false;
    let mut operands = Vec::new();
    for opt in options(call.args, &Spec::FLAGS) {
        match opt {
            Opt::Operand(arg, _) => operands.push(arg),
            opt => recursive |= opt.is('R', "recursive"),
        }
    }
    (recursive, operands)
}

fn is_root(owner: &str) -> bool {
    matches!(owner.split([':', '.']).next(), Some("root" | "0" | "nobody" | "65534"))
}
