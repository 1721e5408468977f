//! Programs that run until they are stopped.

use std::borrow::Cow;

use crate::command_line::call::{base_name, leading};

/// Scripts of a package that by custom never end.
const SCRIPTS: &[&str] = &["dev", "serve", "start", "watch"];
/// Parts of a script's name (`dev:build`) that tell it ends after all.
const BOUNDED: &[&str] = &["build", "check", "compile", "install", "lint", "setup", "stop", "test"];

type Words<'w, 'a> = &'w [Cow<'a, str>];

/// What words turn out to run.
enum Run<'w, 'a> {
    Forever,
    Bounded,
    /// Another program.
    Other(Words<'w, 'a>),
}

/// Whether words start a server or a watcher.
pub(super) fn runs_forever(words: Words<'_, '_>) -> bool {
    let mut words = words;
    while let Some((program, args)) = words.split_first() {
        match run(base_name(program), args) {
            Run::Forever => return true,
            Run::Bounded => return false,
            Run::Other(rest) => words = rest,
        }
    }
    false
}

fn run<'w, 'a>(program: &str, args: Words<'w, 'a>) -> Run<'w, 'a> {
    match program {
        "npm" | "pnpm" | "yarn" | "bun" => package_manager(program, args),
        "npx" | "bunx" | "pnpx" | "uvx" => {
            Run::Other(operands(args, "p", &["from", "package", "python", "with"]))
        }
        "conda" | "hatch" | "mamba" | "pdm" | "pipenv" | "poetry" | "rye" | "uv" => {
            match operands(args, "C", &["directory", "project"]) {
                [verb, rest @ ..] if verb == "run" => Run::Other(operands(
                    rest,
                    "np",
                    &["extra", "env-file", "group", "name", "prefix", "python", "with"],
                )),
                _ => Run::Bounded,
            }
        }
        "docker" | "podman" => {
            match operands(args, "cHl", &["config", "context", "host", "log-level"]) {
                [verb, rest @ ..] if verb == "compose" => compose(rest),
                _ => Run::Bounded,
            }
        }
        "docker-compose" | "podman-compose" => compose(args),
        "next" => match operands(args, "", &[]).first().map(AsRef::as_ref) {
            None | Some("dev" | "start") => Run::Forever,
            Some(_) => Run::Bounded,
        },
        "vite" => match operands(args, "clm", &["base", "config", "logLevel", "mode"]) {
            [verb, ..] if verb == "build" || verb == "optimize" => {
                forever_if(has(args, &["--watch", "-w"]))
            }
            _ => Run::Forever,
        },
        "nodemon" | "uvicorn" => Run::Forever,
        "gunicorn" => {
            forever_if(!has(args, &["-D", "--daemon", "--check-config", "--print-config"]))
        }
        _ if is_python(program) => python(args),
        _ => Run::Bounded,
    }
}

/// `npm run dev` and its relatives; `yarn vite` and `pnpm exec vite` run programs.
fn package_manager<'w, 'a>(program: &str, args: Words<'w, 'a>) -> Run<'w, 'a> {
    let operands = |args| operands(args, "CFw", &["cwd", "dir", "filter", "prefix", "workspace"]);
    let mut rest = operands(args);
    if let [verb, _, behind @ ..] = rest
        && verb == "workspace"
    {
        rest = operands(behind);
    }
    match rest {
        [verb, behind @ ..] if matches!(verb.as_ref(), "exec" | "dlx" | "x") => {
            return Run::Other(operands(behind));
        }
        [verb, behind @ ..] if matches!(verb.as_ref(), "run" | "run-script") => {
            rest = operands(behind);
        }
        _ => {}
    }
    match rest.first() {
        Some(script) if is_endless_script(script) => Run::Forever,
        // The others also run programs that packages bring along.
        Some(_) if program != "npm" => Run::Other(rest),
        _ => Run::Bounded,
    }
}

/// `dev`, also `dev:web`, but not `dev:build`.
fn is_endless_script(name: &str) -> bool {
    let mut parts = name.split(':');
    parts.next().is_some_and(|first| SCRIPTS.contains(&first))
        && !parts.any(|part| BOUNDED.contains(&part))
}

/// `up`, unless it goes to the background or starts nothing.
fn compose<'w, 'a>(args: Words<'w, 'a>) -> Run<'w, 'a> {
    const VALUES: &[&str] = &[
        "ansi",
        "env-file",
        "file",
        "parallel",
        "profile",
        "progress",
        "project-directory",
        "project-name",
    ];
    match operands(args, "fp", VALUES) {
        [verb, rest @ ..] if verb == "up" => {
            forever_if(!has(rest, &["-d", "--detach", "--wait", "--no-start", "--dry-run"]))
        }
        _ => Run::Bounded,
    }
}

/// `-m http.server`, or `-m` with a server that is also a program.
fn python<'w, 'a>(args: Words<'w, 'a>) -> Run<'w, 'a> {
    let mut at = 0;
    while let Some(option) = args.get(at).and_then(|arg| arg.strip_prefix('-')) {
        at += 1;
        match option {
            _ if option.ends_with('m') => break,
            "W" | "X" => at += 1,
            "" | "c" => return Run::Bounded,
            _ => {}
        }
    }
    let is_module = at > 0 && args[at - 1].ends_with('m');
    match args.get(at).map(AsRef::as_ref) {
        Some("http.server") if is_module => Run::Forever,
        Some("gunicorn" | "uvicorn") if is_module => Run::Other(&args[at..]),
        _ => Run::Bounded,
    }
}

/// `python`, `python3`, `python3.12`
fn is_python(program: &str) -> bool {
    program
        .strip_prefix("python")
        .is_some_and(|version| version.chars().all(|one| one.is_ascii_digit() || one == '.'))
}

/// What stands behind the leading options. `short` and `long` are those that take a value.
fn operands<'w, 'a>(args: Words<'w, 'a>, short: &str, long: &[&str]) -> Words<'w, 'a> {
    &args[leading(args, short, long).len..]
}

fn has(args: Words<'_, '_>, options: &[&str]) -> bool {
    args.iter().any(|arg| options.contains(&arg.as_ref()))
}

fn forever_if<'w, 'a>(condition: bool) -> Run<'w, 'a> {
    if condition { Run::Forever } else { Run::Bounded }
}
