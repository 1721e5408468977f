//! Deleting.

use super::super::call::{Arg, Call, HOLE, Via};
use super::super::category::Category;
use super::super::find::Find;
use super::super::glob;
use super::super::options::{Opt, Spec, options};
use super::super::paths::Protected;
use super::{Check, Rule};

const ROOT: Category =
    Category::never("recursive delete of root", "Everything on the machine would be deleted.");
const SYSTEM: Category = Category::never(
    "recursive delete of system directory",
    "A directory the system needs would be deleted with everything in it.",
);
const HOME: Category = Category::never(
    "recursive delete of home",
    "A home folder would be deleted with everything in it.",
);
const IN_ROOT: Category =
    Category::asks("delete in root path", "A file is deleted by its absolute path.");
const RECURSIVE: Category =
    Category::asks("recursive delete", "Folders are deleted with everything in them.");
const XARGS_RM: Category =
    Category::asks("xargs with rm", "Whatever another program lists is deleted.");
const FIND_RM: Category = Category::asks("find -exec rm", "Whatever a search finds is deleted.");
const FIND_DELETE: Category = Category::asks("find -delete", "Whatever a search finds is deleted.");

/// The category for losing a place.
pub(crate) fn lost(place: Protected) -> Category {
    match place {
        Protected::Root => ROOT,
        Protected::System => SYSTEM,
        Protected::Home => HOME,
    }
}

const RM: &[&str] = &["rm", "rimraf", "trash", "trash-put"];

pub(super) const RULES: &[Rule] = &[
    Rule {
        category: ROOT,
        programs: RM,
        check: Check::Call(|call| loses(call, Protected::Root)),
        catches: &[
            "rm -rf /",
            "rm -rf //",
            "rm -fr /.",
            "rm -r -f /..",
            "rm -rf /*",
            "rm -rf '/'",
            "rm -rf / *",
            "rm -rf --no-preserve-root /",
            "rm x / -rf",
            "rm --recursive /",
            "sudo rm -rf /",
            "/bin/rm -rf /",
            "r''m -rf /",
            "\\rm -rf /",
            "x=rm; $x -rf /",
            "$'\\x72m' -rf /",
            "{rm,-rf,/}",
            "rm${IFS}-rf${IFS}/",
            "cd / && rm -rf *",
            "bash -c 'rm -rf /'",
            "sh -c -x 'rm -rf /'",
            "env -i -u A rm -rf /",
            "env -S 'rm -rf /'",
            "if true; then rm -rf /; fi",
            "! rm -rf /",
            "echo $(rm -rf /)",
            "echo \"`rm -rf /`\"",
            "echo 'rm -rf /' | sh",
            "bash <<E\nrm -rf /\nE",
            "timeout 5 nice -n 3 rm -rf /",
            "find / -delete",
            "find / -exec rm -rf {} +",
            "echo / | xargs rm -rf",
            "eval 'rm -rf /'",
            "f() { rm -rf \"$1\"; }; f /",
            "for d in / /x; do rm -rf $d; done",
            "trap 'rm -rf /' EXIT",
            "su -c 'rm -rf /'",
            "busybox rm -rf /",
            "rm -rf /tmp/../",
            "$(which rm) -rf /",
            "rm -rf ${x:-/}",
            "coproc rm -rf /",
            "watch 'rm -rf /'",
            "parallel rm -rf ::: /",
            "a=(rm -rf /); \"${a[@]}\"",
            "r\u{1b}[0mm -rf /",
            "ｒｍ -rf /",
            "command -p rm -rf /",
        ],
        passes: &[
            "rm -rf /tmp",
            "rm -rf /...",
            "rm -rf /.ssh",
            "rm -rf /opt/x",
            "echo 'rm -rf /'",
            "grep -r 'rm -rf /' .",
            "git commit -m 'rm -rf /'",
            "# rm -rf /",
            "rm -rf ./",
            "cat <<E\nrm -rf /\nE",
            "rm -f /",
        ],
    },
    Rule {
        category: SYSTEM,
        programs: RM,
        check: Check::Call(|call| loses(call, Protected::System)),
        catches: &[
            "rm -rf /etc",
            "rm -rf /usr/",
            "rm -rf /var/*",
            "rm -rf /lib64",
            "rm -rf /usr/bin",
            "rm -rf /{bin,sbin}",
            "rm -rf /usr/../boot",
            "cd /etc; rm -rf .",
            "rm -r /e*",
        ],
        passes: &["rm -rf /home/u/scratch", "rm /etc", "rm -rf /var/tmp/x", "rm -rf etc"],
    },
    Rule {
        category: HOME,
        programs: RM,
        check: Check::Call(|call| loses(call, Protected::Home)),
        catches: &[
            "rm -rf ~",
            "rm -rf ~/",
            "rm -rf ~/*",
            "rm -rf $HOME",
            "rm -rf \"${HOME}\"/*",
            "rm -rf /home/me",
            "rm -rf ~root",
            "cd && rm -rf *",
        ],
        passes: &["rm -rf ~/Downloads/old", "rm -rf $HOME/.cache/x", "rm ~/x"],
    },
    Rule {
        category: IN_ROOT,
        programs: &["rm", "unlink"],
        check: Check::Call(|call| {
            !call.via.has(Via::CONTAINER)
                && !is_own_cleanup(call)
                && deletion(call)
                    .operands
                    .iter()
                    .any(|arg| call.path(&arg.text).starts_with('/') && arg.text.starts_with('/'))
        }),
        catches: &[
            "rm /tmp/x",
            "rm -f /opt/a b",
            "rm '/srv/x'",
            "rm -f /tmp/hermes-verify-1 /tmp/x",
        ],
        passes: &[
            "rm x",
            "rm -f ./x",
            "rm -f /tmp/hermes-verify-1.sh",
            "rm -f /tmp/hermes-ad-hoc-x",
            "rm ~/x",
        ],
    },
    Rule {
        category: RECURSIVE,
        programs: RM,
        check: Check::Call(|call| {
            let repeated = call.via.has(Via::FIND.and(Via::EACH));
            call.name == "rm" && (repeated || deletion(call).recursive)
                || deletion(call).operands.iter().any(|arg| call.protects(&arg.text).is_some())
        }),
        catches: &[
            "rm -r build",
            "rm -Rf x",
            "rm x -r",
            "rm --recursive x",
            "rm '-rf' x",
            "rm -f -r x",
            "find . -exec sh -c 'rm \"$1\"' _ {} \\;",
            "fd -e tmp -x rm",
            "parallel rm ::: a b",
        ],
        passes: &["rm readme", "rm -f x", "rm -- -r", "docker run --rm -it alpine ls", "npm rm x"],
    },
    Rule {
        category: XARGS_RM,
        programs: &["rm", "unlink", "shred", "rmdir"],
        check: Check::Call(|call| call.via.has(Via::XARGS)),
        catches: &[
            "ls | xargs rm",
            "git ls-files -z | xargs -0 -n1 /bin/rm -f",
            "ls | xargs -I{} rm {}",
        ],
        passes: &["ls | xargs grep rm", "ls | xargs echo rm"],
    },
    Rule {
        category: FIND_RM,
        programs: &["rm", "unlink", "shred", "rmdir"],
        check: Check::Call(|call| call.via.has(Via::FIND)),
        catches: &["find . -name '*.o' -exec rm {} \\;", "find . -execdir /bin/rm -f {} +"],
        passes: &["find . -print", "find . -exec grep rm {} +", "find . -name rm"],
    },
    Rule {
        category: FIND_DELETE,
        programs: &["find"],
        check: Check::Call(|call| Find::new(call.args).deletes),
        catches: &["find . -name '*.pyc' -delete"],
        passes: &["find . -name '*.pyc'", "grep -delete x", "find . -name '-delete' -print"],
    },
];

/// What an rm is told.
struct Deletion<'c> {
    recursive: bool,
    operands: Vec<&'c Arg<'c>>,
}

fn deletion<'c>(call: &Call<'c>) -> Deletion<'c> {
    let mut deletion = Deletion { recursive: call.name != "rm", operands: Vec::new() };
    for opt in options(call.args, &Spec::FLAGS) {
        match opt {
            Opt::Operand(arg, _) => deletion.operands.push(arg),
            // An unknown letter may be the one.
            Opt::Short('r' | 'R' | HOLE, _) => deletion.recursive = true,
            Opt::Long(name, _) => {
                let recursive = name == "no-preserve-root"
                    || (name.len() >= 3 && "recursive".starts_with(name));
                deletion.recursive |= recursive;
            }
            Opt::Short(..) => {}
        }
    }
    deletion
}

fn loses(call: &Call<'_>, place: Protected) -> bool {
    let deletion = deletion(call);
    deletion.recursive
        && deletion.operands.iter().any(|arg| call.protects(&arg.text) == Some(place))
}

/// `rm -f <tmp>/hermes-verify-…`: the agent cleaning up one file of its own.
fn is_own_cleanup(call: &Call<'_>) -> bool {
    let [flag, file] = call.args else { return false };
    if flag.text != "-f" || file.text.contains(['\n', HOLE]) {
        return false;
    }
    let temp = call.facts.around.temp_dir.unwrap_or("/tmp").trim_end_matches('/');
    let name = file.text.strip_prefix(temp).and_then(|rest| rest.strip_prefix('/'));
    name.is_some_and(|name| {
        (name.starts_with("hermes-verify-") || name.starts_with("hermes-ad-hoc-"))
            && !name.contains('/')
            && !glob::is_pattern(name)
    })
}
