//! Changes and revisions that would be lost.

use super::super::super::call::Taint;
use super::super::super::category::Category;
use super::super::{DangerRule, RuleCheck};

const CHANGES: Category = Category::asks(
    "changes lost",
    "Changes, revisions or whatever a search finds would be thrown away.",
);

pub(super) const RULES: &[DangerRule] = &[
    DangerRule {
        category: CHANGES,
        programs: &[],
        check: RuleCheck::Words(&[
            ("jj", "abandon|op|restore|util *"),
            ("hg", "strip|purge|rollback|histedit|prune"),
            ("hg", "update|up|checkout -C|--clean"),
            ("hg", "revert -a|--all|--no-backup"),
            ("svn", "revert -R|--recursive|--depth*"),
            ("svn", "delete|rm|del|remove http*|svn:*|svn+ssh*|^/*"),
            ("p4", "revert|obliterate|delete|sync //...|...|-f"),
            ("git", "submodule deinit -f|--force|--all"),
            ("git", "read-tree --reset|-u"),
            ("git", "lfs prune|migrate"),
            ("git", "-c clean.requireforce=false|clean.requireForce=false clean"),
            ("git", "^prune"),
            ("git", "branch -f|--force"),
            ("git", "fast-import --force"),
            ("git", "daemon --enable=receive-pack|--enable=*"),
            ("git", "reset --merge|--keep head~*|HEAD~*|orig_head|ORIG_HEAD|*"),
            ("git", "replace -f|--force"),
            ("git", "update-ref HEAD|refs/heads/* *"),
            ("git", "replace --edit|-d|--graft"),
            ("git", "sparse-checkout|worktree prune|remove --force|-f"),
            ("fossil", "revert|purge|scrub"),
            ("darcs", "obliterate|revert|unpull"),
            ("bfg", "--delete-*|--strip-*|--replace-text"),
            ("repo", "forall|sync -c|--force-sync|--force-remove-dirty"),
        ]),
        catches: &[
            "jj abandon 'all()'",
            "hg strip -r 0",
            "svn revert -R .",
            "git submodule deinit -f --all",
        ],
        passes: &["jj log", "hg status", "svn update", "git submodule update --init"],
    },
    DangerRule {
        category: CHANGES,
        programs: &["docker"],
        check: RuleCheck::Call(|call| {
            let force = call.has(&["-f", "--force", "-fv", "-vf"]);
            let removes =
                matches!(call.arg(0), "rm" | "rmi" | "container" | "image" | "volume" | "network");
            removes && force && call.args.iter().any(|arg| arg.taint.has(Taint::GENERATED))
        }),
        catches: &["docker rm -f $(docker ps -aq)", "docker rmi -f $(docker images -q)"],
        passes: &["docker rm -f web", "docker rm $(docker ps -aq)", "docker run -f $(cat x)"],
    },
];
