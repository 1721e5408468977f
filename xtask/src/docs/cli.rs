//! `cli.md`: every command, from the same description that parses the command line.

use clap::{Arg, Command};

use super::markdown::{Table, anchor, block, code, codes, finish, prose, push, sentence};

pub(super) fn page() -> String {
    // No terminal, no wrapping: the page does not depend on where it is made.
    let mut hermes = hermes_cli::command().term_width(0);
    hermes.build();
    render(&mut hermes)
}

fn render(program: &mut Command) -> String {
    let mut page = String::new();
    push(&mut page, &format!("# The `{}` command line", program.get_name()));
    push(&mut page, &sentence(&about(program)));
    push(&mut page, &usage(program));
    push(
        &mut page,
        "Data goes to stdout, everything else to stderr. `--help` after any command prints what \
         is written here.",
    );

    let mut names = Table::new(["command", "what it does"]);
    list(program, &mut names);
    push(&mut page, &names.finish());

    push(&mut page, "## Options of every command");
    push(&mut page, &options(program.get_arguments()));
    if let Some(after) = program.get_after_help() {
        push(&mut page, &closing_text(&after.to_string(), Title::Heading));
    }
    for command in shown(program) {
        section(command, 2, &mut page);
    }
    finish(&page)
}

/// Subcommands that are ours; clap adds `help` to each.
fn shown(command: &mut Command) -> impl Iterator<Item = &mut Command> {
    command.get_subcommands_mut().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help")
}

/// One row for each command that does something.
fn list(command: &mut Command, table: &mut Table) {
    for sub in shown(command) {
        if shown(sub).next().is_some() {
            list(sub, table);
        } else {
            let name = full_name(sub);
            table.row([format!("[{}](#{})", code(&name), anchor(&name)), prose(&about(sub))]);
        }
    }
}

fn section(command: &mut Command, level: usize, page: &mut String) {
    push(page, &format!("{} {}", "#".repeat(level), full_name(command)));
    push(page, &sentence(&about(command)));
    let aliases: Vec<_> = command.get_visible_aliases().collect();
    if !aliases.is_empty() {
        push(page, &format!("Also: {}.", codes(aliases)));
    }
    if shown(command).next().is_some() {
        for sub in shown(command) {
            section(sub, level + 1, page);
        }
        return;
    }
    push(page, &usage(command));
    let own: Vec<&Arg> = command.get_arguments().filter(|arg| !arg.is_global_set()).collect();
    if own.iter().any(|arg| is_shown(arg)) {
        push(page, &options(own));
    }
    if let Some(after) = command.get_after_help() {
        push(page, &closing_text(&after.to_string(), Title::Bold));
    }
}

fn full_name(command: &Command) -> String {
    command.get_bin_name().unwrap_or(command.get_name()).to_owned()
}

fn about(command: &Command) -> String {
    let about = command.get_long_about().or(command.get_about());
    about.map(ToString::to_string).unwrap_or_default()
}

fn usage(command: &mut Command) -> String {
    let usage = command.render_usage().to_string();
    block("text", usage.trim_start_matches("Usage:").trim())
}

fn is_shown(arg: &Arg) -> bool {
    !arg.is_hide_set() && !matches!(arg.get_id().as_str(), "help" | "version")
}

fn options<'a>(args: impl IntoIterator<Item = &'a Arg>) -> String {
    let mut table = Table::new(["argument", "meaning"]);
    for arg in args.into_iter().filter(|arg| is_shown(arg)) {
        table.row([code(&spelling(arg)), meaning(arg)]);
    }
    table.finish()
}

/// The way an argument is typed: `-a, --arg <KEY=VALUE>`, `[JSON]`, `<NAMES>...`.
fn spelling(arg: &Arg) -> String {
    // clap shows the long name alone where there are two.
    match (arg.get_short(), arg.get_long()) {
        (Some(short), Some(_)) => format!("-{short}, {arg}"),
        _ => arg.to_string(),
    }
}

fn meaning(arg: &Arg) -> String {
    let help = arg.get_long_help().or(arg.get_help());
    let mut parts = vec![sentence(&help.map(ToString::to_string).unwrap_or_default())];
    // A flag that is not given is `false` to clap; that says nothing.
    if arg.get_action().takes_values() {
        let values: Vec<_> = arg
            .get_possible_values()
            .iter()
            .filter(|value| !value.is_hide_set())
            .map(|value| value.get_name().to_owned())
            .collect();
        if !values.is_empty() {
            parts.push(format!("One of {}.", codes(values)));
        }
        let defaults: Vec<_> =
            arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
        if !defaults.is_empty() {
            parts.push(format!("Default: {}.", codes(defaults)));
        }
    }
    if let Some(variable) = arg.get_env() {
        parts.push(format!("Also read from {}.", code(&variable.to_string_lossy())));
    }
    parts.join(" ")
}

/// How the title of a closing text is set.
#[derive(Clone, Copy)]
enum Title {
    Heading,
    Bold,
}

/// What help texts end with, such as `Examples:` and lines below it: a title and a block.
fn closing_text(text: &str, title_as: Title) -> String {
    let Some((title, rest)) = text.split_once(":\n") else { return sentence(text) };
    let indent = rest
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start().len())
        .min()
        .unwrap_or(0);
    let lines: Vec<&str> = rest.lines().map(|line| line.get(indent..).unwrap_or("")).collect();
    let title = match title_as {
        Title::Heading => format!("## {title}"),
        Title::Bold => format!("**{title}**"),
    };
    format!("{title}\n\n{}", block("text", &lines.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered() -> String {
        let sub = Command::new("send")
            .about("Send <something>")
            .visible_alias("s")
            .after_help("Examples:\n  post send a\n    post send b")
            .arg(Arg::new("what").required(true).help("The thing"))
            .arg(Arg::new("how").long("how").short('H').default_value("fast").help("How | when"))
            .arg(Arg::new("secret").long("secret").hide(true));
        let mut program = Command::new("post").about("Post things").subcommand(sub);
        program.build();
        render(&mut program)
    }

    #[test]
    fn a_command_has_usage_arguments_defaults_and_examples() {
        let page = rendered();
        for part in [
            "| [`post send`](#post-send) | Send &lt;something> |",
            "## post send\n\nSend &lt;something>.\n\nAlso: `s`.",
            "```text\npost send [OPTIONS] <what>\n```",
            "| `<what>` | The thing. |",
            r"| `-H, --how <how>` | How \| when. Default: `fast`. |",
            "**Examples**\n\n```text\npost send a\n  post send b\n```",
        ] {
            assert!(page.contains(part), "{part}\n---\n{page}");
        }
        assert!(!page.contains("secret"), "{page}");
        assert!(!page.contains("post help"), "{page}");
    }

    #[test]
    fn every_command_of_hermes_has_a_section_and_says_what_it_does() {
        let page = page();
        for command in ["tools list", "toolsets resolve", "config check", "doctor"] {
            assert!(page.contains(&format!(" hermes {command}\n\n")), "{command}\n{page}");
        }
        assert!(page.contains("## Exit codes"), "{page}");
        assert!(!page.contains("|  |"), "something has no help text\n{page}");
    }
}
