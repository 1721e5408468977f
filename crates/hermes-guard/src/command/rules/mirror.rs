//! Copies that delete what the source does not have.

use super::super::call::{Arg, ProgramCall};
use super::super::category::Category;
use super::super::options::{Opt, Spec, abbreviates, options};
use super::{DangerRule, RuleCheck};

const MIRROR: Category = Category::asks(
    "mirror that deletes",
    "Whatever the source does not have is deleted at the destination.",
);

pub(super) const RULES: &[DangerRule] = &[DangerRule {
    category: MIRROR,
    programs: &[
        "rsync", "aws", "gsutil", "gcloud", "rclone", "mc", "s3cmd", "azcopy", "lftp", "robocopy",
        "b2", "s5cmd", "unison", "az",
    ],
    check: RuleCheck::Call(deletes_elsewhere),
    catches: &[
        "rsync -a --delete a/ b/",
        "rsync -a --delete-after a/ host:b/",
        "rsync -a --del a/ b/",
        "rsync --remove-source-files a b",
        "aws s3 sync . s3://b --delete",
        "gsutil rsync -d a gs://b",
        "gsutil -m rsync -r -d a gs://b",
        "rclone sync a b:",
        "mc mirror --remove a b",
        "s3cmd sync --delete-removed a s3://b",
        "azcopy sync a b --delete-destination=true",
        "lftp -e 'mirror -R --delete a b' host",
        "robocopy a b /MIR",
    ],
    passes: &[
        "rsync -a a/ b/",
        "rsync -an --delete a/ b/",
        "rsync -a --dry-run --delete a/ b/",
        "aws s3 sync . s3://b",
        "aws s3 sync . s3://b --delete --dryrun",
        "gsutil rsync -r a gs://b",
        "rclone copy a b:",
        "rclone sync --dry-run a b:",
        "lftp -e 'mirror a b' host",
    ],
}];

fn deletes_elsewhere(call: &ProgramCall<'_>) -> bool {
    let has = |flags: &[&str]| {
        call.args.iter().any(|arg| {
            let name = arg.text.split_once('=').map_or(arg.as_str(), |(name, _)| name);
            flags.iter().any(|flag| name.eq_ignore_ascii_case(flag))
        })
    };
    if call.asks_for_help() || has(&["--dry-run", "--dryrun", "--dry_run", "/L"]) {
        return false;
    }
    match call.name {
        "rsync" => {
            const SPEC: Spec =
                Spec::with("efTBM", &["rsh", "exclude", "include", "filter", "files-from"]);
            let any =
                |check: fn(&Opt<'_>) -> bool| options(call.args, &SPEC).any(|opt| check(&opt));
            !any(|opt| opt.is('n', "dry-run") && !matches!(opt, Opt::Long("d", _)))
                && any(|opt| match opt {
                    Opt::Long(name, _) => {
                        name.starts_with("delete")
                            || (name.len() >= 3 && abbreviates(name, "delete"))
                            || (name.len() >= 4 && abbreviates(name, "remove-source-files"))
                    }
                    _ => false,
                })
        }
        "aws" | "gcloud" | "az" => {
            has(&["sync", "rsync"])
                && has(&[
                    "--delete",
                    "--delete-unmatched-destination-objects",
                    "--delete-destination",
                ])
        }
        "gsutil" => {
            has(&["rsync"])
                && call.args.iter().any(|arg| {
                    let letters = arg.text.strip_prefix('-').unwrap_or_default();
                    !letters.starts_with('-') && letters.contains('d') && !letters.contains('n')
                })
        }
        "rclone" => {
            matches!(call.operands().next().map(Arg::as_str), Some("sync" | "move" | "purge"))
        }
        "mc" => has(&["mirror"]) && has(&["--remove", "--overwrite"]),
        "s3cmd" => has(&["--delete-removed", "--delete-after"]),
        "s5cmd" => has(&["sync"]) && has(&["--delete"]),
        "b2" => has(&["sync"]) && has(&["--delete"]),
        "azcopy" => {
            call.args.iter().any(|arg| arg.text == "--delete-destination=true") || has(&["remove"])
        }
        "lftp" => call.args.iter().any(|arg| {
            arg.text.contains("mirror")
                && (arg.text.contains("--delete") || arg.text.contains(" -e"))
        }),
        "robocopy" => has(&["/MIR", "/PURGE"]),
        "unison" => has(&["-force", "-noconfirm"]),
        _ => false,
    }
}
