//! Programs that run programs given as text.

use super::call::Arg;
use super::options::{Opt, Spec, options};

/// Where an interpreter gets its program from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Interpreter<'c> {
    /// From an argument; what follows are the program's own arguments.
    Text { text: &'c str, rest: &'c [Arg<'c>] },
    /// From a file.
    File(&'c Arg<'c>),
    /// From what comes in.
    Input,
    /// There is none: help, a version, a module.
    None,
}

const SHELLS: &[&str] =
    &["sh", "bash", "zsh", "ksh", "dash", "ash", "fish", "mksh", "pdksh", "yash", "csh", "tcsh"];

pub(super) fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name)
}

/// What a shell runs. Options may be bundled and may follow `-c`; the program is the first operand.
pub(super) fn shell_program<'c>(name: &str, args: &'c [Arg<'c>]) -> Interpreter<'c> {
    let fish = name == "fish";
    let mut command = false;
    let mut stdin = false;
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        let text = arg.text.as_ref();
        match text {
            "--help" | "--version" => return Interpreter::None,
            "--rcfile" | "--init-file" | "--init-command" => at += 1,
            "--command" if fish => command = true,
            "--" | "-" => {
                at += 1;
                break;
            }
            _ if text.starts_with("--command=") && fish => {
                let text = &text["--command=".len()..];
                return Interpreter::Text { text, rest: &args[at + 1..] };
            }
            _ if text.starts_with("--") => {}
            _ if text.len() > 1 && text.starts_with(['-', '+']) => {
                let letters = &text[1..];
                command |= text.starts_with('-') && letters.contains('c');
                stdin |= letters.contains('s');
                // `-o name` and `-O name` take the next word.
                if letters.ends_with(['o', 'O']) {
                    at += 1;
                }
                if fish && letters.ends_with(['C', 'd', 'D', 'f']) {
                    at += 1;
                }
            }
            _ => break,
        }
        at += 1;
    }
    match (command, args.get(at)) {
        (true, Some(arg)) => Interpreter::Text { text: &arg.text, rest: &args[at + 1..] },
        (true, None) => Interpreter::None,
        (false, Some(_)) if stdin => Interpreter::Input,
        (false, Some(arg)) => match arg.text.as_ref() {
            "/dev/stdin" | "/proc/self/fd/0" | "/dev/fd/0" => Interpreter::Input,
            _ => Interpreter::File(arg),
        },
        (false, None) => Interpreter::Input,
    }
}

/// The interpreter that the first line of a script names: `python` of `#!/usr/bin/env python3`.
pub(super) fn named_in_first_line(script: &str) -> Option<String> {
    let line = script.strip_prefix("#!")?.lines().next()?;
    let program = line
        .split_whitespace()
        .find(|word| !word.ends_with("/env") && !word.starts_with('-') && !word.contains('='))?;
    Some(super::names::canonical(program).into_owned())
}

/// How an interpreter is told its program.
struct Dialect {
    spec: Spec,
    /// Letters and names whose value is a program.
    code: &'static str,
    code_long: &'static [&'static str],
    /// Options after which everything belongs to a module.
    module: &'static str,
    /// Options after which there is nothing to run, or nothing more to look at.
    none: &'static [&'static str],
}

const fn dialect(short: &'static str, code: &'static str) -> Dialect {
    let spec = Spec::leading(short, &[]);
    Dialect { spec, code, code_long: &[], module: "", none: &["version", "help"] }
}

fn dialect_of(name: &str) -> Option<Dialect> {
    Some(match name {
        "python" | "pypy" | "ipython" => Dialect { module: "m", ..dialect("cmWXQ", "c") },
        "node" => Dialect {
            spec: Spec::leading(
                "repC",
                &["require", "eval", "print", "import", "loader", "env-file", "conditions"],
            ),
            code_long: &["eval", "print"],
            none: &["version", "help", "test", "check", "run"],
            ..dialect("", "ep")
        },
        "bun" => Dialect {
            spec: Spec::leading("ep", &["eval", "print", "cwd", "preload"]),
            code_long: &["eval", "print"],
            ..dialect("", "ep")
        },
        "ruby" => dialect("eIrEC", "e"),
        "php" => Dialect { code_long: &["run"], ..dialect("dczrfBRFES", "rBRE") },
        "lua" => dialect("el", "e"),
        "rscript" | "r" => dialect("e", "e"),
        "julia" => Dialect { code_long: &["eval"], ..dialect("eELp", "eE") },
        "osascript" => dialect("els", "e"),
        "elixir" => Dialect { code_long: &["eval"], ..dialect("er", "e") },
        "groovy" | "scala" | "tclsh" | "racket" | "swift" | "kotlin" | "crystal" | "clojure"
        | "clj" | "bb" | "jshell" | "dart" | "janet" | "gjs" | "qjs" | "nu" => dialect("e", "e"),
        "guile" => dialect("ec", "ec"),
        "ghc" | "runghc" => dialect("eiXo", "e"),
        "octave" | "erl" | "sbcl" | "clisp" | "ecl" | "gst" | "iex-shell" => Dialect {
            spec: Spec::leading("", &["eval", "load", "noshell-x"]),
            code_long: &["eval"],
            none: &["version", "help"],
            ..dialect("", "")
        },
        _ => return None,
    })
}

/// What an interpreter other than a shell runs; `None` for programs that are no interpreters.
pub(super) fn program<'c>(name: &str, args: &'c [Arg<'c>]) -> Option<Interpreter<'c>> {
    match name {
        "perl" => return Some(perl(args)),
        "deno" => {
            let eval = args.first().is_some_and(|arg| arg.text == "eval");
            let text = args[1.min(args.len())..].iter().find(|arg| !arg.text.starts_with('-'));
            return Some(match (eval, text) {
                (true, Some(arg)) => Interpreter::Text { text: &arg.text, rest: &[] },
                _ => Interpreter::None,
            });
        }
        "powershell" => return Some(powershell(args)),
        _ => {}
    }
    let dialect = dialect_of(name)?;
    // `php -- words`: the words are for the program that comes in.
    if name == "php" && args.first().is_some_and(|arg| arg.text == "--") {
        return Some(Interpreter::Input);
    }
    for opt in options(args, &dialect.spec) {
        match opt {
            Opt::Short(letter, text) if dialect.code.contains(letter) => {
                return Some(Interpreter::Text { text, rest: &[] });
            }
            Opt::Short(letter, _) if dialect.module.contains(letter) => {
                return Some(Interpreter::None);
            }
            Opt::Short('v' | 'V' | 'h', _) if args.len() == 1 => return Some(Interpreter::None),
            Opt::Short(..) => {}
            Opt::Long(long, value) if dialect.code_long.contains(&long) => {
                return Some(Interpreter::Text { text: value.unwrap_or_default(), rest: &[] });
            }
            Opt::Long(long, _) if dialect.none.contains(&long) => return Some(Interpreter::None),
            Opt::Long(..) => {}
            Opt::Operand(arg, _) => {
                return Some(match arg.text.as_ref() {
                    "-" | "/dev/stdin" => Interpreter::Input,
                    _ if name == "bun" => Interpreter::None,
                    _ => Interpreter::File(arg),
                });
            }
        }
    }
    Some(if name == "bun" { Interpreter::None } else { Interpreter::Input })
}

/// Perl's options run into each other: `-lane`, `-i.bak`, `-0777`, `-Mstrict`.
fn perl<'c>(args: &'c [Arg<'c>]) -> Interpreter<'c> {
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        let text = arg.text.as_ref();
        if matches!(text, "--version" | "--help" | "-v" | "-V" | "-h") {
            return Interpreter::None;
        }
        if text == "--" {
            at += 1;
            break;
        }
        let Some(letters) = text.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
            break;
        };
        for (index, letter) in letters.char_indices() {
            let last = index + letter.len_utf8() == letters.len();
            match letter {
                'e' | 'E' => {
                    let code = args.get(at + 1).map_or("", |arg| arg.text.as_ref());
                    let code = if last { code } else { &letters[index + 1..] };
                    return Interpreter::Text { text: code, rest: &[] };
                }
                'I' | 'F' if last => at += 1,
                'i' | 'I' | 'M' | 'm' | 'F' | 'D' | 'C' | 'x' | 'd' | 'V' => break,
                _ => {}
            }
        }
        at += 1;
    }
    match args.get(at) {
        Some(arg) if arg.text == "-" || arg.text == "/dev/stdin" => Interpreter::Input,
        Some(arg) => Interpreter::File(arg),
        None => Interpreter::Input,
    }
}

/// PowerShell takes any beginning of an option's name, with one dash.
fn powershell<'c>(args: &'c [Arg<'c>]) -> Interpreter<'c> {
    let mut skip = false;
    for (at, arg) in args.iter().enumerate() {
        if std::mem::take(&mut skip) {
            continue;
        }
        let text = arg.text.to_ascii_lowercase();
        let Some(name) = text.strip_prefix(['-', '/']) else {
            // Without an option the words are a command, except for a script's name.
            return match text.ends_with(".ps1") {
                true => Interpreter::File(arg),
                false => Interpreter::Text { text: &arg.text, rest: &args[at + 1..] },
            };
        };
        let begins = |full: &str| !name.is_empty() && full.starts_with(name);
        if begins("file") {
            return args.get(at + 1).map_or(Interpreter::None, Interpreter::File);
        }
        if begins("command") || begins("encodedcommand") || name == "ec" {
            let text = args.get(at + 1).map_or("", |arg| arg.text.as_ref());
            if text == "-" {
                return Interpreter::Input;
            }
            return Interpreter::Text { text, rest: args.get(at + 2..).unwrap_or_default() };
        }
        if begins("version") || begins("help") || name == "?" {
            return Interpreter::None;
        }
        let takes_value =
            ["windowstyle", "executionpolicy", "workingdirectory", "outputformat", "inputformat"]
                .iter()
                .any(|full| begins(full))
                || matches!(name, "ep" | "ex" | "wd" | "w");
        skip = takes_value;
    }
    Interpreter::Input
}
