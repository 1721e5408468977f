//! Programs with a language of their own in which a line may start a shell, load code or pipe into a program.

use super::{Machine, RunSite};
use crate::command::call::{Arg, ProgramCall, TextFlow, Via};
use crate::command::rules::{indirect, loaders};

/// Programs, and what a line begins with that hands the rest to a shell.
const ESCAPES: &[(&str, &[&str])] = &[
    ("psql", &["\\!", "\\o |", "\\g |", "\\w |"]),
    ("pgcli", &["\\!"]),
    ("mysql", &["\\!", "system ", "\\P ", "pager "]),
    ("mycli", &["system "]),
    ("mysqlsh", &["\\system", "\\!"]),
    ("sqlite3", &[".shell", ".system", ".output |", ".once |", ".import |"]),
    ("litecli", &[".shell", ".system"]),
    ("duckdb", &[".shell", ".system", ".output |"]),
    ("sqlplus", &["host ", "!", "HOST "]),
    ("sqlcl", &["host ", "!"]),
    ("isql", &["!"]),
    ("db2", &["!"]),
    ("hive", &["!"]),
    ("beeline", &["!sh "]),
    ("impala-shell", &["!", "shell "]),
    ("ftp", &["!"]),
    ("sftp", &["!"]),
    ("lftp", &["!", "shell "]),
    ("ncftp", &["!"]),
    ("smbclient", &["!"]),
    ("telnet", &["!"]),
    ("tftp", &["!"]),
    ("gdb", &["shell ", "!", "pipe ", "make "]),
    ("lldb", &["platform shell ", "shell ", "pl shell "]),
    ("dc", &["!"]),
    ("gnuplot", &["!", "system "]),
    ("octave", &["!"]),
    ("ghci", &[":!"]),
    ("mail", &["~!", "~|"]),
    ("mailx", &["~!", "~|"]),
    ("mutt", &["!"]),
    ("nmap", &["!"]),
    ("jdb", &["!"]),
    ("zkCli", &["!"]),
    ("vtysh", &["shell"]),
    ("tclsh", &["exec "]),
    ("expect", &["spawn ", "exec "]),
];

/// Lines that load code into a client.
const LOADS: &[(&str, &[&str])] = &[
    ("sqlite3", &[".load"]),
    ("gdb", &["source /tmp", "python "]),
    ("lldb", &["command script import", "script "]),
    ("redis-cli", &["module load", "MODULE LOAD"]),
    ("mysql", &["install plugin", "INSTALL PLUGIN"]),
    ("duckdb", &["INSTALL 'http", "LOAD '"]),
];

/// Words of a client's language that run a program.
const RUNS: &[(&str, &[&str])] = &[
    ("redis-cli", &["os.execute(", "io.popen(", "package.loadlib("]),
    ("mongosh", &["runProgram(", "child_process", "shellHelper.run"]),
    ("mongo", &["runProgram(", "shellHelper.run"]),
    ("sqlcmd", &["xp_cmdshell", "sp_OACreate"]),
    ("cypher-shell", &["apoc.load", "LOAD CSV FROM 'http"]),
    ("gnuplot", &["system("]),
    ("bc", &[]),
];

/// What one looks at from inside another program.
const LOOKS: &[&str] = &["ls", "pwd", "date", "clear", "echo", "cat", "whoami", "head", "true"];

impl Machine<'_> {
    /// Lines for a client that leave its language.
    pub(super) fn prompt_lines(
        &mut self,
        name: &str,
        args: &[Arg<'_>],
        stdin: &TextFlow,
        site: RunSite<'_>,
    ) {
        let of = |table: &'static [(&str, &[&'static str])]| {
            table.iter().find(|(program, _)| *program == name).map_or(&[][..], |(_, all)| *all)
        };
        let (escapes, loads, runs) = (of(ESCAPES), of(LOADS), of(RUNS));
        if escapes.is_empty() && loads.is_empty() && runs.is_empty() {
            return;
        }
        let given = args.iter().map(|arg| match arg.text.split_once('=') {
            Some((option, value)) if option.starts_with("--") => value.to_owned(),
            _ => arg.text.to_string(),
        });
        let input = stdin.text.as_deref().map(str::to_owned);
        let texts: Vec<String> = given.chain(input).collect();
        for text in texts {
            if !self.charge(text.len()) {
                return;
            }
            if runs.iter().any(|word| text.contains(word)) {
                self.report(indirect::INDIRECT, site);
            }
            for line in text.split(['\n', ';']).map(str::trim_start) {
                if loads.iter().any(|begin| line.starts_with(begin)) {
                    self.report(indirect::INDIRECT, site);
                }
                let Some(rest) = escapes.iter().find_map(|begin| line.strip_prefix(begin)) else {
                    continue;
                };
                let command = rest.trim().trim_matches(['"', '\'']).to_owned();
                let first = command.split_whitespace().next().unwrap_or_default();
                // `!=` and `!x` of a language are no calls.
                if first.starts_with(['=', '(', '~']) {
                    continue;
                }
                if !LOOKS.contains(&first) && !first.is_empty() {
                    self.report(indirect::INDIRECT, site);
                }
                self.subshell_text(&command, site, &TextFlow::default());
            }
        }
    }

    /// `ip l s eth0 do`: words that are cut short, written out.
    fn short_ip(&mut self, args: &[Arg<'_>], site: RunSite<'_>) {
        const OBJECTS: &[&str] = &["link", "address", "route", "rule", "neigh", "netns", "tunnel"];
        const VERBS: &[&str] =
            &["set", "delete", "flush", "add", "replace", "change", "show", "list"];
        let mut operands = args.iter().filter(|arg| !arg.text.starts_with('-'));
        let whole = |arg: Option<&Arg<'_>>, all: &[&'static str]| {
            let text = arg?.text.to_string();
            all.iter().find(|full| full.starts_with(&text) && full.len() > text.len()).copied()
        };
        let (first, second) = (operands.next(), operands.next());
        let (object, verb) = (whole(first, OBJECTS), whole(second, VERBS));
        if object.is_none() && verb.is_none() {
            return;
        }
        let text = |given: Option<&Arg<'_>>, full: Option<&'static str>| {
            full.map(str::to_owned)
                .or_else(|| given.map(|arg| arg.text.to_string()))
                .unwrap_or_default()
        };
        let mut words = vec![Arg::new(text(first, object)), Arg::new(text(second, verb))];
        for arg in operands {
            let is_down = arg.text.len() > 1 && "down".starts_with(arg.as_str());
            words.push(Arg::new(if is_down { "down".to_owned() } else { arg.text.to_string() }));
        }
        self.check("ip", &words, &TextFlow::default(), site);
    }

    /// `*(e:'text':)`: zsh runs a text for each file that a pattern finds.
    pub(super) fn glob_code(&mut self, name: &str, text: &str, site: RunSite<'_>) {
        if name != "zsh" {
            return;
        }
        let found = text.split("(e").skip(1).filter_map(|rest| {
            let sign = rest.chars().next().filter(|sign| sign.is_ascii_punctuation())?;
            rest[1..].split(sign).next().map(|inside| inside.trim_matches(['"', '\'']).to_owned())
        });
        let found: Vec<String> = found.take(4).collect();
        for command in found {
            self.subshell_text(&command, site, &TextFlow::default());
        }
    }

    /// Texts that an option of the program hands to a shell.
    pub(super) fn option_commands(
        &mut self,
        name: &str,
        args: &[Arg<'_>],
        stdin: &TextFlow,
        site: RunSite<'_>,
    ) {
        let call = ProgramCall { name, args, stdin, via: site.via, facts: &self.facts };
        let given = loaders::command_values(&call).into_iter().map(str::to_owned);
        let given: Vec<String> = given.collect();
        // By the names of options alone nobody knows where the text would run.
        let named: Vec<String> =
            indirect::named_texts(&call).into_iter().map(str::to_owned).collect();
        for text in given {
            self.subshell_text(&text, site, &TextFlow::default());
        }
        for text in named {
            self.subshell_text(&text, site.also(Via::REMOTE), &TextFlow::default());
        }
    }

    /// `strace -o '|program'`, `mail -s x '|program'`: a file that is a program.
    pub(super) fn piped_file(&mut self, name: &str, args: &[Arg<'_>], site: RunSite<'_>) {
        if name == "ip" {
            self.short_ip(args, site);
        }
        if !matches!(
            name,
            "strace" | "ltrace" | "ftp" | "sendmail" | "xfsdump" | "dump" | "gnuplot"
        ) {
            return;
        }
        for arg in args {
            let Some(command) = arg.text.strip_prefix(['|', '!']).filter(|text| text.len() > 1)
            else {
                continue;
            };
            self.report(indirect::INDIRECT, site);
            let command = command.to_owned();
            self.subshell_text(&command, site, &TextFlow::default());
        }
    }
}
