//! Files that are emptied, and a machine that is filled up.
//!
//! Nothing is deleted when a file is cut to nothing, and nothing is left of it either. Logs and files that
//! are only just made are emptied every day; a document, a program or a database is not.

use super::super::call::{Arg, ProgramCall, Via};
use super::super::category::Category;
use super::super::options::{Opt, Spec, options};
use super::super::paths;
use super::{DangerRule, RuleCheck};

pub(crate) const EMPTIED: Category =
    Category::asks("file emptied", "What is in a file would be lost, although the file stays.");
pub(crate) const FILLED: Category = Category::asks(
    "machine filled up",
    "Disk, memory or process table would be filled until nothing else works.",
);

/// Files with this much in them are no test data.
const HUGE: u64 = 50 << 30;

pub(super) const RULES: &[DangerRule] = &[
    DangerRule {
        category: EMPTIED,
        programs: &["shred", "wipe", "srm", "scrub"],
        check: RuleCheck::Call(|call| {
            call.operands().any(|arg| {
                let path = call.path(&arg.text);
                path.starts_with(['/', '~'])
                    && !is_of_project(call, &path)
                    && !path.starts_with("/tmp/")
                    && !path.starts_with("/dev/shm/")
            })
        }),
        catches: &["shred -u ~/Documents/tax.ods", "shred -n 3 /srv/data/x.bin"],
        passes: &["shred -u secret.txt", "shred -u /tmp/x"],
    },
    DangerRule {
        category: EMPTIED,
        programs: &["truncate", "cp", "install", "dd", "sed", "awk", "sponge", "ed", "ex"],
        check: RuleCheck::Call(|call| empties(call).iter().any(|path| is_worth(call, path))),
        catches: &[
            "truncate -s 0 ~/notes/a.md",
            "truncate --size=0 app.sqlite3",
            "cp /dev/null ~/thesis.tex",
            "cp /dev/null src/main.rs",
            "dd if=/dev/null of=data.db",
            "find . -name '*.sql' -exec truncate -s 0 {} +",
        ],
        passes: &[
            "truncate -s 0 app.log",
            "truncate -s 10M sparse.bin",
            "cp /dev/null /tmp/x",
            "cp /dev/null build.log",
            "dd if=/dev/zero of=test.img bs=1M count=10",
        ],
    },
    DangerRule {
        category: EMPTIED,
        programs: &[],
        check: RuleCheck::Structure,
        catches: &[": > src/main.rs", "cat /dev/null > app.sqlite", "> ~/Documents/thesis.tex"],
        passes: &["> app.log", ": > out.txt", "> notes.txt", "echo x > a.rs", "cat a > b.rs"],
    },
    DangerRule {
        category: FILLED,
        programs: &["dd", "head", "fallocate"],
        check: RuleCheck::Call(is_huge),
        catches: &[
            "dd if=/dev/zero of=fill bs=1G count=1000",
            "dd if=/dev/urandom of=x bs=1M",
            "fallocate -l 500G x",
        ],
        passes: &[
            "dd if=/dev/zero of=x bs=1M count=100",
            "dd if=/dev/sda of=disk.img bs=4M",
            "fallocate -l 1G swap",
            "head -c 1G /dev/zero",
        ],
    },
    DangerRule {
        category: FILLED,
        programs: &[],
        check: RuleCheck::Structure,
        catches: &[
            "yes > big",
            "cat /dev/urandom > f",
            "while true; do ./x & done",
            "while :; do sh -c 'sleep 99' & done",
        ],
        passes: &[
            "yes | head -5 > f",
            "yes | ./setup.sh",
            "head -c 32 /dev/urandom > key",
            "while true; do ./x & wait; done",
            "while true; do date; sleep 1; done",
            "while read -r f; do ./x \"$f\" & done",
        ],
    },
];

/// The files that a call cuts to nothing.
fn empties<'c>(call: &ProgramCall<'c>) -> Vec<&'c str> {
    let operands = |spec: &Spec| -> Vec<&'c str> {
        options(call.args, spec)
            .filter_map(|opt| match opt {
                Opt::Operand(arg, _) => Some(arg.as_str()),
                _ => None,
            })
            .collect()
    };
    match call.name {
        "truncate" => {
            const SPEC: Spec = Spec::with("sro", &["size", "reference"]);
            let to_nothing = options(call.args, &SPEC).any(|opt| {
                opt.is('s', "size")
                    && opt.value().is_some_and(|size| {
                        let size = size.trim();
                        size == "0" || size.starts_with(['-', '<'])
                    })
            });
            if to_nothing { operands(&SPEC) } else { Vec::new() }
        }
        "dd" => {
            let from = |source: &str| {
                call.args.iter().any(|arg| arg.text.strip_prefix("if=") == Some(source))
            };
            let into = |arg: &'c Arg<'c>| arg.as_str().strip_prefix("of=");
            let destroys = from("/dev/null")
                || (from("/dev/zero") || from("/dev/urandom")) && call.has(&["conv=notrunc"]);
            if destroys { call.args.iter().filter_map(into).collect() } else { Vec::new() }
        }
        "awk" => {
            // A condition that never holds prints nothing back.
            let in_place =
                call.args.windows(2).any(|two| two[0].text == "-i" && two[1].text == "inplace");
            match operands(&Spec::with("iFvf", &[])).as_slice() {
                ["FALSE" | "false" | "0" | "NR<0" | "!1" | "{}" | "", files @ ..] if in_place => {
                    files.to_vec()
                }
                _ => Vec::new(),
            }
        }
        "sponge" => match call.stdin.text.as_deref() {
            Some("") => operands(&Spec::FLAGS),
            _ => Vec::new(),
        },
        "ed" | "ex" => {
            let empties = call.stdin.text.as_deref().is_some_and(|text| {
                let has = |all: &[&str]| text.lines().any(|line| all.contains(&line.trim()));
                has(&[",d", "1,$d", "%d", "0,$d"]) && has(&["w", "wq", "x", "w!", "wq!"])
            });
            if empties { operands(&Spec::FLAGS) } else { Vec::new() }
        }
        "sed" => {
            const SPEC: Spec = Spec::with("efl", &["expression", "file", "line-length"]);
            let in_place = call.args.iter().any(|arg| arg.text.starts_with("-i"));
            match operands(&SPEC).as_slice() {
                ["d" | "1,$d" | "1,$ d" | "0,$d", files @ ..] if in_place => files.to_vec(),
                _ => Vec::new(),
            }
        }
        _ => match operands(&Spec::FLAGS).as_slice() {
            ["/dev/null", files @ ..] => files.to_vec(),
            _ => Vec::new(),
        },
    }
}

/// Whether anything worth keeping may be in a file: one outside of the project and the temporary
/// folder, or one of a kind that people make by hand.
pub(crate) fn is_worth(call: &ProgramCall<'_>, file: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "db", "sqlite", "sqlite3", "mdb", "kdbx", "rs", "py", "js", "ts", "tsx", "jsx", "go",
        "java", "kt", "c", "cc", "cpp", "h", "hpp", "rb", "php", "swift", "scala", "sql", "img",
        "qcow2", "vmdk", "vdi", "pem", "key", "docx", "xlsx", "pptx", "odt", "ods", "tex", "ipynb",
        "psd", "parquet", "rdb", "dump", "bak", "pdf",
    ];
    let path = call.path(file);
    let name = path.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_log = name.contains("log") || name.contains("history") || path.contains("/logs/");
    if is_log || path.starts_with("/dev/") || path.starts_with("/proc/") || path.contains("/cache/")
    {
        return false;
    }
    // What services and others keep.
    const KEPT: &[&str] =
        &["/var/lib/", "/var/www/", "/srv/", "/opt/", "/data/", "/mnt/", "/media/", "/usr/"];
    if KEPT.iter().any(|folder| path.starts_with(folder)) {
        return true;
    }
    let is_pattern = super::super::names::is_pattern(name);
    let is_document =
        matches!(ending, "md" | "txt" | "csv" | "json" | "yaml" | "yml" | "html" | "org");
    let elsewhere = path.starts_with('~') && !is_of_project(call, &path);
    // Whatever a search finds.
    let found = call.via.has(Via::FIND.and(Via::XARGS).and(Via::EACH));
    ENDINGS.contains(&ending)
        || is_pattern && is_document
        || elsewhere
            && (is_document
                || paths::is_personal(path.rsplit_once('/').map_or("", |(folder, _)| folder)))
        || found
            && (name == super::super::facts::NARROW || name.contains(super::super::facts::HOLE))
}

fn is_of_project(call: &ProgramCall<'_>, path: &str) -> bool {
    let project = call.facts.host.cwd.map(|cwd| call.facts.path(cwd));
    project.is_some_and(|project| path.starts_with(project.as_ref()))
}

/// Whether more is written than any disk of the user's has to spare.
fn is_huge(call: &ProgramCall<'_>) -> bool {
    let value = |name: &str| call.args.iter().find_map(|arg| arg.text.strip_prefix(name));
    match call.name {
        "dd" => {
            let endless =
                matches!(value("if="), Some("/dev/zero" | "/dev/urandom" | "/dev/random"));
            let to_file = value("of=").is_some_and(|file| !file.starts_with("/dev/"));
            let block = value("bs=").and_then(bytes).unwrap_or(512);
            match value("count=").map(bytes) {
                None => endless && to_file,
                Some(count) => {
                    endless && to_file && count.unwrap_or(0).saturating_mul(block) >= HUGE
                }
            }
        }
        _ => call.args.iter().enumerate().any(|(at, arg)| {
            let next = || call.args.get(at + 1).map(Arg::as_str);
            let size = match arg.text.split_once('=') {
                Some(("--bytes" | "--length", size)) => Some(size),
                _ if matches!(arg.as_str(), "-c" | "-l" | "--bytes" | "--length") => next(),
                _ => None,
            };
            size.and_then(bytes).is_some_and(|size| size >= HUGE)
        }),
    }
}

/// `10`, `4K`, `1GiB`
fn bytes(size: &str) -> Option<u64> {
    let end = size.find(|char: char| !char.is_ascii_digit()).unwrap_or(size.len());
    let (number, unit) = size.split_at(end);
    let shift = match unit.bytes().next().map(|byte| byte.to_ascii_uppercase()) {
        None | Some(b'B' | b'C') => 0,
        Some(b'K') => 10,
        Some(b'M') => 20,
        Some(b'G') => 30,
        Some(b'T') => 40,
        Some(_) => 50,
    };
    Some(number.parse::<u64>().ok()?.saturating_mul(1 << shift))
}
