//! Deleting.

use super::super::call::{Arg, Channel, ProgramCall, Taint, Via};
use super::super::category::Category;
use super::super::facts::{HOLE, NARROW};
use super::super::names::is_pattern;
use super::super::options::{Opt, Spec, options};
use super::super::paths::{self, Protected};
use super::{DangerRule, RuleCheck};

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
pub(crate) const RECURSIVE: Category =
    Category::asks("recursive delete", "Folders are deleted with everything in them.");
const XARGS_RM: Category =
    Category::asks("xargs with rm", "Whatever another program lists is deleted.");
const FIND_RM: Category = Category::asks("find -exec rm", "Whatever a search finds is deleted.");
pub(crate) const FIND_DELETE: Category =
    Category::asks("find -delete", "Whatever a search finds is deleted.");

/// The category for losing a place.
pub(crate) fn lost(place: Protected) -> Category {
    match place {
        Protected::Root => ROOT,
        Protected::System => SYSTEM,
        Protected::Home => HOME,
    }
}

const RM: &[&str] = &["rm", "rimraf", "del-cli", "trash", "trash-put"];

pub(super) const RULES: &[DangerRule] = &[
    DangerRule {
        category: ROOT,
        programs: RM,
        check: RuleCheck::Call(|call| loses(call, Protected::Root)),
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
    DangerRule {
        category: SYSTEM,
        programs: RM,
        check: RuleCheck::Call(|call| loses(call, Protected::System)),
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
    DangerRule {
        category: HOME,
        programs: RM,
        check: RuleCheck::Call(|call| loses(call, Protected::Home)),
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
    DangerRule {
        category: IN_ROOT,
        programs: &["rm", "unlink"],
        check: RuleCheck::Call(|call| {
            !call.via.has(Via::CONTAINER)
                && !is_own_cleanup(call)
                && deletion(call).operands.iter().any(|arg| {
                    let path = call.path(&arg.text);
                    path.starts_with('/')
                        && !is_narrow(&path)
                        && arg.text.starts_with('/')
                        && !is_below_temp(call, &path)
                })
        }),
        catches: &[
            "rm /opt/x",
            "rm -f /opt/a b",
            "rm '/srv/x'",
            "rm -f /tmp/../srv/x",
            "rm -f /tmp/*",
        ],
        passes: &[
            "rm x",
            "rm /tmp/x",
            "rm -f /tmp/a-* /tmp/b/c",
            "rm -f ./x",
            "rm -f /tmp/hermes-verify-1.sh",
            "rm -f /tmp/hermes-ad-hoc-x",
            "rm ~/x",
        ],
    },
    DangerRule {
        category: RECURSIVE,
        programs: RM,
        check: RuleCheck::Call(|call| {
            let repeated = call.via.has(Via::FIND.and(Via::EACH));
            let deletion = deletion(call);
            let disposes = !deletion.operands.is_empty()
                && deletion.operands.iter().all(|arg| {
                    is_disposable(call, &arg.text) || !deletion.recursive && is_narrow(&arg.text)
                });
            let deletes = matches!(call.name, "rm" | "rimraf" | "del-cli");
            deletes && (repeated || deletion.recursive) && !disposes
                || deletion.operands.iter().any(|arg| {
                    call.protects(&arg.text).is_some()
                        || call.name != "rm" && paths::is_personal(&call.path(&arg.text))
                })
        }),
        catches: &[
            "rimraf src",
            "trash ~/Documents",
            "rm -r notes",
            "rm --r notes",
            "rm -rf /tmp/*",
            "rm -rf /tmp/x/../..",
            "rm -rf /tmp/x src",
            "rm -Rf x",
            "rm x -r",
            "rm --recursive x",
            "rm '-rf' x",
            "rm -f -r x",
            "find . -exec sh -c 'rm \"$1\"' _ {} \\;",
            "fd -e tmp -x rm",
            "parallel rm ::: a b",
        ],
        passes: &[
            "rm -rf /tmp/x",
            "rm -rf /tmp/build-*",
            "d=$(mktemp -d); rm -rf \"$d\"",
            "rm readme",
            "rm -f x",
            "rm -- -r",
            "docker run --rm -it alpine ls",
            "npm rm x",
        ],
    },
    DangerRule {
        category: RECURSIVE,
        programs: &["tar", "bsdtar", "zip", "7z", "7za", "rar", "rsync", "cpio"],
        check: RuleCheck::Call(|call| {
            let packs_away = match call.name {
                "tar" | "bsdtar" => call.has(&["--remove-files"]),
                "zip" => call.args.iter().any(|arg| {
                    let letters = arg.text.strip_prefix('-').unwrap_or_default();
                    arg.text == "--move" || !letters.starts_with('-') && letters.contains('m')
                }),
                "7z" | "7za" => call.has(&["-sdel"]),
                "rar" => call.has(&["-df", "-dw"]) || call.arg(0).starts_with('m'),
                _ => false,
            };
            packs_away && !call.asks_for_help()
        }),
        catches: &[
            "tar czf x.tgz --remove-files docs",
            "zip -rm x.zip notes",
            "7z a x.7z notes -sdel",
        ],
        passes: &["tar czf x.tgz docs", "zip -r x.zip notes", "7z a x.7z notes"],
    },
    DangerRule {
        category: RECURSIVE,
        programs: &["shred", "srm", "wipe", "scrub"],
        check: RuleCheck::Call(|call| {
            let files: Vec<&Arg<'_>> =
                options(call.args, &Spec::with("ns", &["iterations", "size"]))
                    .filter_map(|opt| match opt {
                        Opt::Operand(arg, _) => Some(arg),
                        _ => None,
                    })
                    .collect();
            files
                .iter()
                .any(|arg| is_pattern(&arg.text) && !is_below_temp(call, &call.path(&arg.text)))
                || files.len() > 2
        }),
        catches: &["shred -u ~/Documents/*.pdf", "shred -uz -n 3 a b c"],
        passes: &["shred -u secret.txt", "shred -n 3 x", "shred -u /tmp/keys-*"],
    },
    DangerRule {
        category: RECURSIVE,
        programs: &["rm"],
        check: RuleCheck::Call(|call| {
            deletion(call).operands.iter().any(|arg| {
                let name = arg.text.rsplit('/').next().unwrap_or_default();
                let is_all = name.contains('*') && name.chars().all(|char| "*.?".contains(char));
                is_all && !is_disposable(call, &arg.text)
            })
        }),
        catches: &["rm *", "rm -f ./*", "rm -f ~/Documents/*", "rm -f -- *.*"],
        passes: &["rm *.o", "rm -f /tmp/x/*"],
    },
    DangerRule {
        category: XARGS_RM,
        programs: &["rm", "unlink", "shred"],
        check: RuleCheck::Call(|call| {
            let deletion = deletion(call);
            let narrow = call.name == "rm"
                && !deletion.recursive
                && !deletion.operands.is_empty()
                && deletion.operands.iter().all(|arg| is_narrow(&arg.text));
            let listed =
                |arg: &&Arg<'_>| arg.taint.has(Taint::GENERATED) && arg.text.starts_with(HOLE);
            let deletes_listed =
                call.stdin.channel == Channel::Pipe && deletion.operands.iter().any(listed);
            (call.via.has(Via::XARGS) || deletes_listed) && !narrow
        }),
        catches: &[
            "ls | xargs rm",
            "git ls-files -z | xargs -0 -n1 /bin/rm -f",
            "ls | xargs -I{} rm {}",
            "ls | while read -r f; do rm -f \"$f\"; done",
        ],
        passes: &["ls | xargs grep rm", "ls | xargs echo rm", "ls -d */ | xargs rmdir"],
    },
    DangerRule {
        category: FIND_RM,
        programs: &["rm", "unlink", "shred"],
        check: RuleCheck::Call(|call| {
            let deletion = deletion(call);
            let disposes = call.name == "rm"
                && !deletion.operands.is_empty()
                && deletion.operands.iter().all(|arg| {
                    is_disposable(call, &arg.text) || !deletion.recursive && is_narrow(&arg.text)
                });
            call.via.has(Via::FIND) && !disposes
        }),
        catches: &[
            "find . -type f -exec rm {} \\;",
            "find . -execdir /bin/rm -f {} +",
            "find ~ -name '*.o' -exec rm {} +",
            "find . -name '*.o' -exec rm -r {} +",
            "find . ! -name '*.o' -exec rm {} +",
            "find . -name node_modules -prune -o -type f -exec rm {} \\;",
            "find . \\( -name .git -o -name dist \\) -prune -o -type f -exec rm {} +",
        ],
        passes: &[
            "find . -path ./keep -prune -o -name '*.o' -exec rm {} +",
            "find . -name '*.o' -exec rm {} \\;",
            "find . -print",
            "find . -type d -exec rmdir {} +",
            "find . -exec grep rm {} +",
            "find . -name rm",
        ],
    },
    DangerRule {
        category: FIND_DELETE,
        programs: &["find"],
        check: RuleCheck::Structure,
        catches: &[
            "find . -type f -delete",
            "find / -name '*.pyc' -delete",
            "find . ! -name x.c -delete",
        ],
        passes: &[
            "find . -name '*.pyc'",
            "find . -name '*.pyc' -delete",
            "find src -empty -delete",
            "grep -delete x",
            "find . -name '-delete' -print",
        ],
    },
];

/// Whether a path is what a search for files of one kind finds.
fn is_narrow(text: &str) -> bool {
    text.ends_with(NARROW)
}

/// What an rm is told.
struct Deletion<'c> {
    recursive: bool,
    operands: Vec<&'c Arg<'c>>,
}

fn deletion<'c>(call: &ProgramCall<'c>) -> Deletion<'c> {
    let mut deletion = Deletion { recursive: call.name != "rm", operands: Vec::new() };
    for opt in options(call.args, &Spec::FLAGS) {
        match opt {
            Opt::Operand(arg, _) => deletion.operands.push(arg),
            // An unknown letter may be the one.
            Opt::Short('r' | 'R' | HOLE, _) => deletion.recursive = true,
            Opt::Long(name, _) => {
                let recursive = name == "no-preserve-root"
                    || (!name.is_empty() && "recursive".starts_with(name));
                deletion.recursive |= recursive;
            }
            Opt::Short(..) => {}
        }
    }
    deletion
}

fn loses(call: &ProgramCall<'_>, place: Protected) -> bool {
    let deletion = deletion(call);
    deletion.recursive
        && deletion.operands.iter().any(|arg| call.protects(&arg.text) == Some(place))
}

/// Folders that the next build makes again.
pub(crate) const BUILD_FOLDERS: &[&str] = &[
    "target",
    "node_modules",
    "dist",
    "build",
    "out",
    ".venv",
    "venv",
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".next",
    ".nuxt",
    ".turbo",
    "coverage",
    ".gradle",
    ".tox",
    ".nox",
    "htmlcov",
    ".eggs",
    ".parcel-cache",
    ".svelte-kit",
    ".output",
    ".nyc_output",
    "cmake-build-debug",
    "cmake-build-release",
    "_build",
    ".angular",
    "storybook-static",
    ".dart_tool",
    "zig-out",
    "zig-cache",
    ".zig-cache",
    ".stack-work",
    "dist-newstyle",
    "elm-stuff",
    "bower_components",
    ".serverless",
    ".vite",
    ".hypothesis",
    ".ipynb_checkpoints",
    ".sass-cache",
    ".docusaurus",
    ".vercel",
    ".expo",
    "_site",
    "test-results",
    "playwright-report",
    "reports",
    ".terraform",
    "vendor",
    "Pods",
    "DerivedData",
    "esm",
    "cjs",
    "apidocs",
    "_book",
    ".pnpm-store",
    ".nx",
    ".swc",
    ".astro",
    ".wrangler",
    ".aws-sam",
    "CMakeFiles",
    "deps",
    ".deps",
];

/// Files that tools write for themselves, which people name beside such folders.
const LOCK_FILES: &[&str] = &[
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lockb",
    "Cargo.lock",
    "poetry.lock",
    "uv.lock",
    "Gemfile.lock",
    "composer.lock",
    ".coverage",
    ".DS_Store",
    "*.egg-info",
    "*.pyc",
    "*.log",
    "*.o",
    "*.tmp",
    ".eslintcache",
    "coverage.xml",
    "*.tsbuildinfo",
    "*.tgz",
];

/// What the deletion of a call relies on: places that may go because of where they are, as long as
/// no link leads elsewhere.
pub(crate) fn disposables(call: &ProgramCall<'_>) -> Vec<String> {
    if call.name != "rm" || call.via.has(Via::CONTAINER.and(Via::REMOTE)) {
        return Vec::new();
    }
    let operands = deletion(call).operands;
    let places = operands.iter().map(|arg| call.path(&arg.text).into_owned());
    places.filter(|path| path.contains('/') && is_disposable(call, path)).collect()
}

/// A build folder of the project, something in one, or something below the temporary folder.
fn is_disposable(call: &ProgramCall<'_>, text: &str) -> bool {
    let path = call.path(text);
    if path.contains(HOLE) {
        return false;
    }
    if is_below_temp(call, &path) {
        return true;
    }
    let Some(project) = call.facts.host.cwd.map(|cwd| call.facts.path(cwd)) else { return false };
    let is_project = paths::protected(&project).is_none() && !project.starts_with("~/.hermes");
    let Some(below) = path.strip_prefix(project.as_ref()).and_then(|rest| rest.strip_prefix('/'))
    else {
        return false;
    };
    if !is_project || below.contains("..") {
        return false;
    }
    let mut parts = below.split('/');
    let last = below.rsplit('/').next().unwrap_or_default();
    // Whoever has gone into a build folder of a project is still in it.
    let mut around = project.split('/').skip(2);
    around.any(|name| BUILD_FOLDERS.contains(&name)) && project.starts_with("~/")
        || parts.any(is_generated)
        || LOCK_FILES.contains(&last)
        || is_plain_file(last)
}

/// A name that says that a tool made it: a build folder, or one with such a word in its name.
fn is_generated(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "build",
        "builds",
        "built",
        "dist",
        "out",
        "output",
        "outputs",
        "tmp",
        "temp",
        "cache",
        "caches",
        "generated",
        "gen",
        "autogen",
        "coverage",
        "cov",
        "covdir",
        "artifacts",
        "artefacts",
        "obj",
        "wheelhouse",
        "docset",
        "dsym",
        "autom4te",
        "scratch",
        "mocks",
        "mlruns",
        "testdir",
        "templates_out",
    ];
    const ENDINGS: &[&str] =
        &[".dSYM", ".egg-info", ".docset", ".xcarchive", ".dist-info", ".app.zip"];
    if BUILD_FOLDERS.contains(&name) || ENDINGS.iter().any(|ending| name.ends_with(ending)) {
        return true;
    }
    let is_word = |part: &str| WORDS.iter().any(|word| part.eq_ignore_ascii_case(word));
    !paths::is_project_config(name) && name.split(['-', '_', '.']).any(is_word)
}

/// A name with the ending of a file: removing it with `-r` is no more than without.
fn is_plain_file(name: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "md", "txt", "html", "css", "js", "map", "json", "xml", "gif", "png", "jpg", "svg", "pdf",
        "zip", "gz", "tgz", "tar", "xz", "bz2", "whl", "jar", "log", "o", "a", "so", "dylib",
        "dll", "exe", "pyc", "class", "tmp", "bak", "orig", "rej", "swp", "deb", "rpm", "crate",
        "gem", "profraw", "gcda", "gcno", "hpp~", "h~", "c~", "py~", "lock", "pid", "sock", "img",
        "iso", "dmg", "msi", "apk", "wasm",
    ];
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    let says_something = |char: char| char.is_alphanumeric();
    ENDINGS.contains(&ending)
        && (stem.contains(says_something)
            || matches!(ending, "o" | "a" | "so" | "pyc" | "log" | "tmp"))
}

/// Strictly below the folder for temporary files, and not everything there. Who works in a folder
/// down there has a project like any other.
fn is_below_temp(call: &ProgramCall<'_>, path: &str) -> bool {
    let temp = call.facts.path(call.facts.host.temp_dir.unwrap_or("/tmp"));
    let rest = path.strip_prefix(temp.as_ref()).and_then(|rest| rest.strip_prefix('/'));
    let Some(first) = rest.and_then(|rest| rest.split('/').next()) else { return false };
    let project = call.facts.host.cwd.map(|cwd| call.facts.path(cwd));
    let is_of_project = project.is_some_and(|project| {
        path.strip_prefix(project.as_ref())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    });
    if is_of_project {
        return false;
    }
    temp.len() > 1
        && !path.contains(HOLE)
        && first.chars().any(|char| char.is_alphanumeric())
        && paths::protected(&temp).is_none()
}

/// `rm -f <tmp>/hermes-verify-…`: the agent cleaning up one file of its own.
fn is_own_cleanup(call: &ProgramCall<'_>) -> bool {
    let [flag, file] = call.args else { return false };
    if flag.text != "-f" || file.text.contains(['\n', HOLE]) {
        return false;
    }
    let temp = call.facts.host.temp_dir.unwrap_or("/tmp").trim_end_matches('/');
    let name = file.text.strip_prefix(temp).and_then(|rest| rest.strip_prefix('/'));
    name.is_some_and(|name| {
        (name.starts_with("hermes-verify-") || name.starts_with("hermes-ad-hoc-"))
            && !name.contains('/')
            && !is_pattern(name)
    })
}
