//! Overwriting files that decide how the system, an account or a project works.

use super::super::call::{Arg, ProgramCall, Taint, Via};
use super::super::category::Category;
use super::super::find::Find;
use super::super::options::{Opt, Spec, options};
use super::super::paths::{self, Protected};
use super::{DangerRule, REDIRECTION, RuleCheck, structure};

pub(crate) const SYSTEM: Category = Category::asks(
    "overwrite system config",
    "A file of the system, a login script or stored credentials would be overwritten.",
);
const PROJECT: Category = Category::asks(
    "project env/config",
    "The live settings of a project (.env, config.yaml) would be overwritten.",
);
const COPY: Category = Category::asks(
    "copy/move into system or credential path",
    "A file would be put where the system or stored credentials are.",
);
const REMOVE: Category = Category::asks(
    "remove or move a protected file",
    "A file of the system, a login script or stored credentials would be gone from its place.",
);
const EDIT: Category = Category::asks(
    "in-place edit",
    "A file of the system, of an account or a project's settings would be edited in place.",
);

const WRITERS: &[&str] = &[
    REDIRECTION,
    "tee",
    "sponge",
    "dd",
    "truncate",
    "curl",
    "wget",
    "aria2c",
    "shred",
    "split",
    "find",
    "sed",
];
const COPIERS: &[&str] =
    &["tar", "unzip", "cp", "mv", "install", "ln", "rsync", "scp", "ditto", "gcp", "gmv"];
const EDITORS: &[&str] =
    &["sed", "perl", "ruby", "awk", "ed", "ex", "patch", "vim", "vi", "nvim", "emacs"];

pub(super) const RULES: &[DangerRule] = &[
    DangerRule {
        category: SYSTEM,
        programs: WRITERS,
        check: RuleCheck::Call(|call| targets(call).iter().any(|path| paths::is_sensitive(path))),
        catches: &[
            "echo x > /etc/hosts",
            "echo x >> ~/.bashrc",
            "echo x | sudo tee -a /etc/fstab",
            "cat k >> ~/.ssh/authorized_keys",
            "echo x >| /etc/x",
            "echo x > /tmp/../etc/x",
            "echo K=1 >> $HERMES_HOME/.env",
            "echo x > ~root/.profile",
            "echo x > /private/etc/x",
            "echo x > .git/hooks/pre-commit",
            "echo x > ~/.config/fish/config.fish",
            "curl -o ~/.netrc https://x.io/n",
            "truncate -s 0 /etc/passwd",
            "x=/etc; echo y > $x/z",
            "echo x &> \"$HOME/.aws/credentials\"",
            "cd /etc && echo x > hosts",
            "echo x > /var/spool/cron/root",
            "sed -n '1w /etc/profile.d/x.sh' f",
            "sed 's/a/b/w /etc/cron.d/x' f",
            "awk '{print > \"/etc/hosts\"}' f",
            "printf '1p\\nw /etc/hosts\\n' | ed f",
        ],
        passes: &[
            "cat /etc/hosts",
            "cat < ~/.bashrc",
            "echo x > /tmp/etc/x",
            "echo x > ~/.bashrc.bak",
            "echo x > .bashrc#x",
            "cat ~/.ssh/id.pub > key.txt",
            "grep x /etc/passwd > out",
            "echo '> /etc/hosts'",
            "git log > log.txt",
            "echo a 2>/dev/null",
            "split -b 10m /usr/bin/gcc",
            "split -l 100 /etc/services part-",
        ],
    },
    DangerRule {
        category: SYSTEM,
        programs: &[
            "gpg", "openssl", "sort", "jq", "yq", "go", "gcc", "clang", "pandoc", "age", "xz",
            "docker", "kubectl",
        ],
        check: RuleCheck::Call(|call| {
            let named = call.args.windows(2).filter_map(|two| {
                matches!(two[0].as_str(), "-o" | "--output" | "-out" | "--out")
                    .then_some(two[1].as_str())
            });
            let glued = call.args.iter().filter_map(|arg| {
                arg.text.strip_prefix("--output=").or_else(|| arg.text.strip_prefix("--out="))
            });
            named
                .chain(glued)
                .any(|path| path.contains('/') && paths::is_sensitive(&call.path(path)))
        }),
        catches: &["gpg --dearmor -o /etc/apt/keyrings/x.gpg", "sort x -o /etc/hosts"],
        passes: &["gpg --dearmor -o x.gpg", "kubectl get pods -o wide"],
    },
    DangerRule {
        category: PROJECT,
        programs: &[
            REDIRECTION,
            "tee",
            "sponge",
            "dd",
            "truncate",
            "curl",
            "wget",
            "aria2c",
            "cp",
            "mv",
            "install",
            "rsync",
            "scp",
        ],
        check: RuleCheck::Call(|call| {
            targets(call).iter().any(|path| paths::is_project_config(path))
                && !begins_settings(call)
        }),
        catches: &[
            "echo A=1 > .env",
            "echo A=1 >> app/.env.local # x",
            "cp .env.old .env",
            "mv .env.example .env",
            "mv x config.yaml",
            "echo x | tee deploy/config.yaml",
            "cat > .env <<E\nA=1\nE",
        ],
        passes: &[
            "cp .env /tmp/x",
            "cp .env /tmp/",
            "cp .env.example .env",
            "cp -n config/.env.sample app/.env.local",
            "cp config.example.yaml config.yaml",
            "echo x > config.yaml.bak",
            "echo x > .env#b",
            "cat .env",
            "cat config.yaml > x",
            "cp config.yaml config.yaml.bak",
            "echo x > .environment",
        ],
    },
    DangerRule {
        category: COPY,
        programs: COPIERS,
        check: RuleCheck::Call(|call| {
            let mut into = targets(call).into_iter().chain(inside_folder(call));
            let onto_home = matches!(call.name, "tar" | "unzip")
                && unpacked(call)
                    .iter()
                    .any(|path| paths::protected(path.trim_end_matches('/')).is_some());
            if onto_home || matches!(call.name, "rsync" | "cp") && pours_into_home(call) {
                return true;
            }
            let fetched = call.name == "tar" && call.stdin.taint.has(Taint::NETWORK);
            let is_programs = |path: &str| {
                ["/usr/", "/opt/", "/lib/", "/bin/"].iter().any(|place| path.starts_with(place))
            };
            into.any(|path| is_system(&path) || fetched && is_programs(&path))
                || (call.name == "mv" && moves_system(call))
        }),
        catches: &[
            "cp x /etc/nginx/nginx.conf",
            "mv k ~/.ssh/",
            "sudo install -m 644 x /etc/cron.d/x",
            "cp -t /etc x",
            "ln -sf x ~/.bashrc",
            "cp .bashrc ~/",
            "rsync -a x/ /etc/",
            "mv /etc /tmp/e",
            "rsync -a --delete empty/ /",
            "tar xf dotfiles.tar -C ~",
            "tar xzf x.tgz -C /etc",
            "curl -L https://x.io/m.tgz | tar xz -C /usr/local",
            "unzip x -d ~/.ssh",
            "rsync -a ./dotfiles/ ~/",
            "cp -r skel/. $HOME",
        ],
        passes: &[
            "tar xzf x -C /opt",
            "tar czf x.tgz -C /etc .",
            "tar czf x.tgz /etc/nginx",
            "tar -cf x.tar /etc /boot",
            "cp -R \"$1\" \"$2\"",
            "cp /etc/hosts .",
            "cp ~/.bashrc ~/backup/",
            "scp ~/.bashrc host:x",
            "cp a b",
            "mv ~/x /tmp",
        ],
    },
    DangerRule {
        category: REMOVE,
        programs: &["rm", "unlink", "shred", "mv", "trash", "trash-put", "gmv", "rimraf", "srm"],
        check: RuleCheck::Call(|call| {
            let given: Vec<&Arg<'_>> = call.operands().collect();
            let moved = matches!(call.name, "mv" | "gmv") && !call.has(&["-t"]);
            let given =
                if moved { given.split_last().map_or(&[][..], |(_, all)| all) } else { &given };
            given.iter().any(|arg| {
                let path = call.path(&arg.text);
                paths::is_sensitive(&path)
                    || paths::is_sensitive(&format!("{path}/"))
                    || paths::is_private_store(&path)
            })
        }),
        catches: &[
            "unlink ~/.local/share/keyrings/login.keyring",
            "rm ~/.ssh/id_rsa",
            "shred -u ~/.aws/credentials",
            "mv /etc/passwd /tmp/p",
            "unlink /etc/resolv.conf",
            "rm -f ~/.bashrc",
            "mv ~/.ssh /tmp",
            "cd ~/.ssh && rm known_hosts",
            "mv ~/.zshrc ~/.gitconfig /tmp",
            "sudo rm /boot/vmlinuz",
            "rm .git/hooks/pre-commit",
        ],
        passes: &[
            "rm ~/notes.txt",
            "mv a ~/b",
            "shred -u secret.txt",
            "rm ~/.bashrc.bak",
            "mv x.conf y.conf",
        ],
    },
    DangerRule {
        category: EDIT,
        programs: EDITORS,
        check: RuleCheck::Call(|call| {
            if matches!(call.name, "vim" | "vi" | "nvim" | "emacs") {
                // Told what to do, not opened for somebody.
                let is_told = call.args.iter().any(|arg| {
                    arg.text.starts_with('+') && arg.text.len() > 2
                        || matches!(arg.as_str(), "-c" | "-es" | "-s" | "--batch" | "--eval")
                });
                let saves = call.args.iter().any(|arg| {
                    ["wq", "x", "write", "w", "wq!", "save-buffer"]
                        .iter()
                        .any(|word| arg.text.trim_start_matches(['+', ':']).starts_with(word))
                });
                return is_told
                    && saves
                    && call.operands().any(|arg| paths::is_sensitive(&call.path(&arg.text)));
            }
            let touched =
                |path: &String| paths::is_sensitive(path) || paths::is_project_config(path);
            edited(call).iter().any(touched)
        }),
        catches: &[
            "sed -i 's/a/b/' /etc/hosts",
            "sed --in-place=.bak s/a/b/ ~/.zshrc",
            "perl -pi -e 's/a/b/' .env",
            "sed -i.bak -e s/a/b/ config.yaml",
            "ruby -i -pe '$_' /etc/x",
            "sed -Ei s/a/b/ ~/.ssh/config",
        ],
        passes: &[
            "sed s/a/b/ /etc/hosts",
            "sed -n 5p .env",
            "sed -i s/a/b/ src/x.rs",
            "sed -i s/.env/x/ README.md",
        ],
    },
    DangerRule {
        category: COPY,
        programs: &[
            "7z|7za|7zz|patch|csplit|stow|unrar|unar|pax|ar|dpkg-deb|bsdtar|rename|prename|tar|cp|chezmoi",
        ],
        check: RuleCheck::Call(lands_in_system),
        catches: &[
            "7z x -y -o/etc conf.7z",
            "patch -d / -p1 < sys.patch",
            "stow -t ~ --adopt zsh",
            "tar -xPf a.tar",
            "cp -a skel/. ~/",
            "rename -f 's/.*/x/' ~/docs/*",
        ],
        passes: &[
            "7z x a.7z -oout",
            "patch -p1 < x.patch",
            "patch -d src -p1 < x.patch",
            "tar cPf a.tar x",
            "cp -a a/. b/",
            "rename 's/a/b/' *.txt",
            "cp notes.txt ~/",
        ],
    },
];

/// Whether what a call unpacks, patches or renames is a home or a place of the system.
fn lands_in_system(call: &ProgramCall<'_>) -> bool {
    let is_place = |text: &str| {
        let path = call.path(text);
        paths::protected(&path).is_some()
            || paths::is_sensitive(&format!("{}/", path.trim_end_matches('/')))
    };
    let behind = |flags: &[&str]| {
        call.args.windows(2).any(|two| flags.contains(&two[0].as_str()) && is_place(&two[1].text))
            || call.args.iter().any(|arg| {
                flags.iter().any(|flag| {
                    let value =
                        arg.text.strip_prefix(flag).map(|value| value.trim_start_matches('='));
                    value.is_some_and(|value| value.starts_with(['/', '~']) && is_place(value))
                })
            })
    };
    match call.name {
        "7z" | "7za" | "7zz" => behind(&["-o"]),
        "patch" => behind(&["-d", "--directory"]),
        "csplit" => call
            .args
            .windows(2)
            .any(|two| two[0].text == "-f" && paths::is_sensitive(&call.path(&two[1].text))),
        "stow" => behind(&["-t", "--target"]) && call.has(&["--adopt", "-D", "-R"]),
        "chezmoi" => call.has(&["--force"]),
        "rename" | "prename" => call
            .operands()
            .skip(1)
            .any(|arg| arg.text.starts_with(['~', '/']) && arg.text.contains('*')),
        "tar" => {
            let unpacks = call.arg(0).trim_start_matches('-').starts_with('x')
                || call.has(&["-x", "--extract"]);
            unpacks
                && call.args.iter().any(|arg| {
                    arg.text == "--absolute-names"
                        || !arg.text.starts_with("--")
                            && arg.text.contains('P')
                            && !arg.text.contains(['/', '.'])
                })
        }
        "cp" => {
            let all =
                call.operands().any(|arg| arg.text.ends_with("/.") || arg.text.ends_with("/.*"));
            all && call.operands().last().is_some_and(|arg| call.protects(&arg.text).is_some())
        }
        _ => behind(&["-C", "-d", "-x"]),
    }
}

/// Moving a directory of the system away is deleting it from where it is needed.
fn moves_system(call: &ProgramCall<'_>) -> bool {
    let operands: Vec<&Arg<'_>> = call.operands().collect();
    operands.split_last().is_some_and(|(_, sources)| {
        sources.iter().any(|source| {
            call.protects(&source.text).is_some()
                || !call.via.has(Via::XARGS)
                    && source.text.contains(['/', '~'])
                    && paths::is_personal(&call.path(&source.text))
        })
    })
}

/// A sensitive file, or the system's own directories.
fn is_system(path: &str) -> bool {
    let place = match paths::protected(path) {
        Some(Protected::Root) => true,
        Some(Protected::System) => !path.starts_with("/home") && !path.starts_with("/root"),
        _ => false,
    };
    place || paths::is_sensitive(path)
}

/// The files that a call writes, resolved.
pub(super) fn targets(call: &ProgramCall<'_>) -> Vec<String> {
    let resolve = |path: &str| call.path(path).into_owned();
    match call.name {
        REDIRECTION | "shred" => call.operands().map(|arg| resolve(&arg.text)).collect(),
        "tee" | "sponge" => call.operands().map(|arg| resolve(&arg.text)).collect(),
        "dd" | "dcfldd" | "dc3dd" => {
            let output = |arg: &'_ Arg<'_>| arg.text.strip_prefix("of=").map(resolve);
            call.args.iter().filter_map(output).collect()
        }
        "sed" => super::sed::writes(call).into_iter().map(resolve).collect(),
        "find" => Find::new(call.args).writes.iter().map(|arg| resolve(&arg.text)).collect(),
        "split" => {
            let spec = Spec::with(
                "abClnt",
                &["bytes", "lines", "number", "suffix-length", "filter", "additional-suffix"],
            );
            operands(call, &spec).into_iter().skip(1).collect()
        }
        "ddrescue" => call.operands().skip(1).map(|arg| resolve(&arg.text)).collect(),
        "truncate" => operands(call, &Spec::with("sro", &["size", "reference"])),
        "tar" | "unzip" => unpacked(call),
        "pv" => options(call.args, &Spec::with("osLBNwHD", &["output"]))
            .filter(|opt| opt.is('o', "output"))
            .filter_map(|opt| opt.value().map(resolve))
            .collect(),
        "curl" | "wget" | "aria2c" => {
            let files = structure::downloads(call.name, call.args).unwrap_or_default();
            files.iter().map(|file| resolve(file)).collect()
        }
        "cp" | "mv" | "install" | "ln" | "rsync" | "scp" | "ditto" | "gcp" | "gmv" => copied(call),
        _ => Vec::new(),
    }
}

/// `rsync dotfiles/ ~/`: whatever is in a folder goes over what is at home.
fn pours_into_home(call: &ProgramCall<'_>) -> bool {
    copy(call).is_some_and(|copy| {
        let to = call.path(copy.destination);
        to.as_ref() == "~"
            && copy.sources.iter().any(|from| {
                ["/", "/.", "/*", "/.*"].iter().any(|end| from.ends_with(end))
                    && !from.contains(':')
            })
    })
}

/// `cp .env.example .env`: how everybody begins with a project, as its own manual says.
fn begins_settings(call: &ProgramCall<'_>) -> bool {
    const WORDS: &[&str] = &["example", "sample", "template", "dist", "defaults", "skel"];
    let is_example = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        !path.starts_with(['/', '~'])
            && !path.contains("..")
            && name.split(['.', '-', '_']).any(|part| WORDS.contains(&part))
    };
    matches!(call.name, "cp" | "install")
        && copy(call).is_some_and(|copy| {
            !copy.sources.is_empty() && copy.sources.iter().all(|path| is_example(path))
        })
}

/// Where an archive is unpacked.
fn unpacked(call: &ProgramCall<'_>) -> Vec<String> {
    let unpacks = |arg: &Arg<'_>| {
        let text = arg.as_str();
        text == "--extract"
            || (text.starts_with('-') && !text.starts_with("--") && text.contains('x'))
    };
    let into: &[&str] = match call.name {
        "unzip" => &["-d"],
        // `tar xzf`: the first word needs no dash.
        _ if call.arg(0).starts_with('x') || call.args.iter().any(unpacks) => {
            &["-C", "--directory"]
        }
        _ => return Vec::new(),
    };
    let folders = call.args.windows(2).filter(|pair| into.contains(&pair[0].as_str()));
    folders.map(|pair| format!("{}/", call.path(&pair[1].text).trim_end_matches('/'))).collect()
}

fn operands(call: &ProgramCall<'_>, spec: &Spec) -> Vec<String> {
    options(call.args, spec)
        .filter_map(|opt| match opt {
            Opt::Operand(arg, _) => Some(call.path(&arg.text).into_owned()),
            _ => None,
        })
        .collect()
}

/// Where a copy goes, and what goes there.
struct Copy<'c> {
    destination: &'c str,
    sources: Vec<&'c str>,
}

fn copy<'c>(call: &ProgramCall<'c>) -> Option<Copy<'c>> {
    let spec = match call.name {
        "install" => Spec::with("gmotS", &["group", "mode", "owner", "target-directory", "suffix"]),
        "rsync" => Spec::with(
            "efTBM",
            &["rsh", "exclude", "include", "filter", "files-from", "exclude-from"],
        ),
        "scp" => Spec::with("cFiJloPSDX", &[]),
        "cp" | "mv" | "ln" | "ditto" | "gcp" | "gmv" => {
            Spec::with("tS", &["target-directory", "suffix"])
        }
        _ => return None,
    };
    let mut destination = None;
    let mut sources = Vec::new();
    for opt in options(call.args, &spec) {
        match opt {
            Opt::Operand(arg, _) if arg.text.is_empty() => {}
            Opt::Operand(arg, _) => sources.push(arg.as_str()),
            opt if call.name != "rsync" && opt.is('t', "target-directory") => {
                destination = opt.value();
            }
            _ => {}
        }
    }
    if destination.is_none() && sources.len() > 1 {
        destination = sources.pop();
    }
    let destination = destination?;
    // `host:path` is on another machine.
    let remote = matches!(call.name, "rsync" | "scp") && is_remote(destination);
    (!remote).then_some(Copy { destination, sources })
}

/// The destination, as a file and as a folder.
fn copied(call: &ProgramCall<'_>) -> Vec<String> {
    if call.name == "install" && call.has(&["-d", "--directory"]) {
        return operands(call, &Spec::with("gmo", &["group", "mode", "owner"]));
    }
    let Some(copy) = copy(call) else { return Vec::new() };
    let place = call.path(copy.destination);
    vec![format!("{place}/"), place.into_owned()]
}

/// The files a copy makes when its destination is a folder.
pub(super) fn inside_folder(call: &ProgramCall<'_>) -> Vec<String> {
    let Some(copy) = copy(call) else { return Vec::new() };
    let file = |source: &&str| {
        let name = source.trim_end_matches('/');
        let name = name.rsplit_once('/').map_or(name, |(_, name)| name);
        call.path(&format!("{}/{name}", copy.destination)).into_owned()
    };
    copy.sources.iter().map(file).collect()
}

/// `host:path`
pub(super) fn is_remote(path: &str) -> bool {
    path.split_once(':').is_some_and(|(host, _)| !host.is_empty() && !host.contains('/'))
}

/// The files that are edited in place, resolved.
pub(super) fn edited(call: &ProgramCall<'_>) -> Vec<String> {
    let in_place = |arg: &Arg<'_>| {
        let text = arg.text.as_ref();
        match call.name {
            "ed" | "ex" | "patch" => true,
            "sed" => text.starts_with("--in-place") || is_bundle_with(text, 'i', "nrEszulbi"),
            "awk" => text == "inplace",
            _ => is_bundle_with(text, 'i', "pnlawWs0123456789Ti"),
        }
    };
    if !call.args.iter().any(in_place) && !matches!(call.name, "ed" | "ex" | "patch") {
        return Vec::new();
    }
    let spec = match call.name {
        "sed" => Spec::with("efl", &["expression", "file", "line-length"]),
        "perl" | "ruby" => Spec::with("eEIMm", &[]),
        _ => Spec::FLAGS,
    };
    operands(call, &spec)
}

/// Whether a letter is among options that are written together, before one that takes the rest.
fn is_bundle_with(text: &str, letter: char, flags: &str) -> bool {
    let Some(letters) = text.strip_prefix('-').filter(|rest| !rest.starts_with('-')) else {
        return false;
    };
    letters.chars().take_while(|char| flags.contains(*char)).any(|char| char == letter)
}
