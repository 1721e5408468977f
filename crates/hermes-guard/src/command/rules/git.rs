//! Losing work in git.

use super::super::call::{Arg, ProgramCall};
use super::super::category::Category;
use super::super::options::{Opt, ParsedOptions, Spec, abbreviates, first_operand, options};
use super::{DangerRule, RuleCheck};

const RESET: Category =
    Category::asks("git reset --hard", "Changes that were not committed would be lost.");
pub(crate) const PUSH: Category =
    Category::asks("git force push", "History on the remote would be rewritten or deleted.");
const CLEAN: Category =
    Category::asks("git clean", "Files that git does not know would be deleted.");
const BRANCH: Category =
    Category::asks("git branch delete", "A branch would be deleted though it is not merged.");
const DISCARD: Category = Category::asks(
    "git discard changes",
    "Changes in the whole working tree would be thrown away.",
);
const HISTORY: Category =
    Category::asks("git rewrite history", "Commits or stashes would be lost for good.");

const GIT: &[&str] = &["git", "hub"];

pub(super) const RULES: &[DangerRule] = &[
    DangerRule {
        category: RESET,
        programs: GIT,
        check: RuleCheck::Call(|call| {
            on(call, "reset", |rest| {
                flags(rest).any(|opt| matches!(opt, Opt::Long(name, _) if !name.is_empty() && "hard".starts_with(name)))
            })
        }),
        catches: &[
            "git reset --hard",
            "git -C x reset --hard HEAD~1",
            "git -c a=b reset HEAD --har",
            "git reset --h",
            "git --no-pager reset -q --hard",
        ],
        passes: &[
            "git reset --soft HEAD~1",
            "git reset",
            "git log --grep 'reset --hard'",
            "git commit -m 'reset --hard'",
        ],
    },
    DangerRule {
        category: PUSH,
        programs: GIT,
        check: RuleCheck::Call(|call| {
            on(call, "push", forces)
                || on(call, "remote", |rest| {
                    is_word(rest, 0, "set-url") && rest.iter().any(|arg| arg.text == "--push")
                })
        }),
        catches: &[
            "git push mirror --all",
            "git remote set-url --push origin https://x.io/r.git",
            "git push --force",
            "git push -f origin main",
            "git push origin main --force-with-lease",
            "git push origin +main",
            "git push origin :old",
            "git push --delete origin x",
            "git push --mirror",
            "git push -uf origin x",
            "git push -d origin x",
        ],
        passes: &[
            "git push",
            "git push origin main",
            "git push -u origin feature-f",
            "git push origin HEAD:main",
            "git push --tags",
            "git push --follow-tags",
        ],
    },
    DangerRule {
        category: CLEAN,
        programs: GIT,
        check: RuleCheck::Call(|call| {
            on(call, "clean", |rest| {
                let spec = Spec::with("e", &["exclude"]);
                let dry = options(rest, &spec).any(|opt| opt.is('n', "dry-run"));
                !dry && options(rest, &spec).any(|opt| opt.is('f', "force"))
            })
        }),
        catches: &["git clean -fd", "git clean -xdf", "git clean -d --force", "git clean -f -e x"],
        passes: &["git clean -n", "git clean -nfd", "git clean"],
    },
    DangerRule {
        category: BRANCH,
        programs: GIT,
        check: RuleCheck::Call(|call| {
            on(call, "branch", |rest| {
                let has = |letter, name| flags(rest).any(|opt: Opt<'_>| opt.is(letter, name));
                has('D', "\0") || (has('d', "delete") && has('f', "force"))
            })
        }),
        catches: &[
            "git branch -D x",
            "git branch -d -f x",
            "git branch --delete --force x",
            "git branch -fd x",
            "git branch x -D",
        ],
        passes: &[
            "git branch -d x",
            "git branch",
            "git branch -a",
            "git branch new-D",
            "git branch -f x HEAD",
        ],
    },
    DangerRule {
        category: DISCARD,
        programs: GIT,
        check: RuleCheck::Call(|call| {
            on(call, "checkout", checks_out_all)
                || on(call, "restore", restores_all)
                || on(call, "switch", |rest| {
                    flags(rest).any(|opt| opt.is('f', "force") || opt.is('\0', "discard-changes"))
                })
                || on(call, "rm", |rest| {
                    let has = |letter, name| flags(rest).any(|opt: Opt<'_>| opt.is(letter, name));
                    has('r', "\0") && !has('\0', "cached") && !has('n', "dry-run")
                })
                || on(call, "worktree", |rest| {
                    is_word(rest, 0, "remove") && flags(rest).any(|opt| opt.is('f', "force"))
                })
        }),
        catches: &[
            "git checkout .",
            "git checkout -- .",
            "git checkout -f main",
            "git restore .",
            "git switch -f main",
            "git rm -r src",
            "git rm -rf .",
            "git checkout HEAD -- .",
            "git restore --staged --worktree .",
        ],
        passes: &[
            "git checkout main",
            "git checkout -b x",
            "git restore --staged .",
            "git rm -r --cached node_modules",
            "git rm x.rs",
            "git restore x.rs",
            "git switch -c x",
            "git checkout -- x.rs",
        ],
    },
    DangerRule {
        category: HISTORY,
        programs: GIT,
        check: RuleCheck::Call(|call| {
            on(call, "stash", |rest| is_word(rest, 0, "clear") || is_word(rest, 0, "drop"))
                || on(call, "gc", |rest| {
                    rest.iter().any(|arg| matches!(arg.as_str(), "--prune=now" | "--prune=all"))
                })
                || on(call, "reflog", |rest| {
                    is_word(rest, 0, "expire") || is_word(rest, 0, "delete")
                })
                || on(call, "fetch", |rest| {
                    rest.iter().any(|arg| {
                        arg.text.starts_with("+refs/*:")
                            || arg.text.starts_with("+refs/heads/*:refs/heads/*")
                    })
                })
                || on(call, "filter-branch", |_| true)
                || on(call, "filter-repo", |rest| !rest.iter().any(|arg| arg.text == "--analyze"))
                || on(call, "update-ref", |rest| flags(rest).any(|opt| opt.is('d', "delete")))
        }),
        catches: &[
            "git stash clear",
            "git stash drop",
            "git stash drop stash@{2}",
            "git gc --prune=now",
            "git reflog expire --expire=now --all",
            "git filter-branch --tree-filter x",
            "git filter-repo --path x",
            "git update-ref -d HEAD",
        ],
        passes: &[
            "git stash",
            "git stash pop",
            "git stash list",
            "git reflog",
            "git update-ref refs/x HEAD",
        ],
    },
    DangerRule {
        category: HISTORY,
        programs: &["git-filter-repo", "bfg"],
        check: RuleCheck::Call(|call| !call.asks_for_help() && !call.has(&["--analyze"])),
        catches: &["git-filter-repo --path x"],
        passes: &["git-filter-repo --analyze"],
    },
];

/// Whether the call is this subcommand and a check holds for what follows it.
fn on<'c>(call: &ProgramCall<'c>, subcommand: &str, check: fn(&'c [Arg<'c>]) -> bool) -> bool {
    const GLOBAL: Spec = Spec::leading(
        "Cc",
        &["git-dir", "work-tree", "namespace", "exec-path", "super-prefix", "config-env"],
    );
    let at = first_operand(call.args, &GLOBAL);
    call.args.get(at).is_some_and(|arg| arg.text == subcommand)
        && !call.has(&["--help"])
        && check(&call.args[at + 1..])
}

fn flags<'c>(args: &'c [Arg<'c>]) -> ParsedOptions<'c> {
    options(args, &Spec::FLAGS)
}

fn is_word(args: &[Arg<'_>], at: usize, word: &str) -> bool {
    args.get(at).is_some_and(|arg| arg.text == word)
}

fn forces(rest: &[Arg<'_>]) -> bool {
    const SPEC: Spec = Spec::with("o", &["push-option", "repo", "receive-pack", "exec"]);
    let to = rest.iter().map(Arg::as_str).find(|text| !text.starts_with('-'));
    // An address instead of a name: nobody has agreed on it.
    if to.is_some_and(|to| to.contains("://") && !to.contains(super::super::facts::HOLE)) {
        return true;
    }
    let elsewhere = to.is_some_and(|to| !matches!(to, "origin" | "upstream"));
    if elsewhere && rest.iter().any(|arg| arg.text == "--all" || arg.text == "--branches") {
        return true;
    }
    let dry = options(rest, &SPEC).any(|opt| opt.is('n', "dry-run"));
    !dry && options(rest, &SPEC).any(|opt| match opt {
        Opt::Short(letter, _) => matches!(letter, 'f' | 'd'),
        Opt::Long(name, _) => {
            name.starts_with("force")
                || (name.len() >= 3
                    && ["force-with-lease", "delete", "mirror", "prune"]
                        .iter()
                        .any(|full| abbreviates(name, full)))
        }
        Opt::Operand(arg, _) => {
            let text = arg.text.as_ref();
            (text.starts_with('+') || text.starts_with(':')) && text.len() > 1
        }
    })
}

/// A path that is the whole tree.
fn is_all(text: &str) -> bool {
    matches!(text, "." | "./" | ":/" | "*" | ":(top)" | ":/." | ":" | ":/*")
}

fn checks_out_all(rest: &[Arg<'_>]) -> bool {
    let spec = Spec::with("bB", &["orphan", "conflict"]);
    let forced = options(rest, &spec).any(|opt| opt.is('f', "force"));
    forced || rest.iter().any(|arg| is_all(&arg.text))
}

fn restores_all(rest: &[Arg<'_>]) -> bool {
    let spec = Spec::with("s", &["source"]);
    let has = |letter, name| options(rest, &spec).any(|opt| opt.is(letter, name));
    let tree = !has('S', "staged") || has('W', "worktree");
    tree && rest.iter().any(|arg| is_all(&arg.text))
}
