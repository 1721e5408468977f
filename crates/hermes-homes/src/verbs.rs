//! State folders as words: `hermes profile …`, `backup`, `import`, `status`, `dump`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use hermes_host::Host;
use hermes_skills::report::{ReportTable, VerbReport, VerbStatus};

use crate::contents::CopyFor;
use crate::logs::{self, LogsArgs};
use crate::moving::MigrateArgs;
use crate::profiles::{Beginning, Profiles};
use crate::{backup, status};

/// The commands of the program that are about state folders.
#[derive(Clone, Debug, Subcommand)]
pub enum HomesVerb {
    /// Further homes with settings, keys, notes and sessions of their own
    #[command(subcommand)]
    Profile(ProfileVerb),
    /// Copy this home with its profiles into one file, also while it is in use; keys are left out
    Backup(BackupArgs),
    /// Bring a home back from a backup; what is there is kept
    Import(ImportArgs),
    /// Move in from the Python program: what comes along, what does not, and why
    Migrate(MigrateArgs),
    /// How things stand: model, gateway, jobs, sessions, disk
    Status {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Print a report without secrets, to attach to a bug
    Dump,
    /// What was written down: lines of the log files, by level, component and time
    Logs(LogsArgs),
}

/// What can be done with profiles.
#[derive(Clone, Debug, Subcommand)]
pub enum ProfileVerb {
    /// The profiles there are; the one in use is marked
    List {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Where a profile is, and whether its gateway runs
    Show {
        /// Its name; without one, the one in use
        name: Option<String>,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Use a profile wherever none is named; `default` goes back
    Use {
        /// Its name
        name: String,
    },
    /// Make a profile
    Create(CreateArgs),
    /// Give a profile another name
    Rename {
        /// The name it has
        name: String,
        /// The name it gets
        new_name: String,
    },
    /// Put a profile into the trash, where it stays for 30 days
    Delete {
        /// Its name
        name: String,
        /// Do not ask
        #[arg(short, long)]
        yes: bool,
    },
    /// Pack a profile's settings and know-how for another machine; no keys, and no history unless asked
    Export {
        /// Its name
        name: String,
        /// The file; NAME.tar.gz by default
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        /// The history, too: sessions, and who may talk with the agent
        #[arg(long)]
        with_history: bool,
    },
    /// Make a profile of what was packed
    Import {
        /// The file
        file: PathBuf,
        /// Its name, if not that of the file
        #[arg(long)]
        name: Option<String>,
    },
}

/// What a new profile is told.
#[derive(Clone, Debug, Args)]
pub struct CreateArgs {
    /// Its name: letters, digits, `-` and `_`
    name: String,
    /// Take over settings, keys, identity and skills of the profile in use
    #[arg(long, conflicts_with_all = ["clone_all", "clone_from"])]
    clone: bool,
    /// Take over everything but history, logs and caches
    #[arg(long, conflicts_with = "clone_from")]
    clone_all: bool,
    /// As --clone, from this profile
    #[arg(long, value_name = "PROFILE")]
    clone_from: Option<String>,
    /// Take over the notes, too
    #[arg(long)]
    with_memory: bool,
    /// Take over no skills
    #[arg(long)]
    no_skills: bool,
    /// Make no command of its name in ~/.local/bin
    #[arg(long)]
    no_alias: bool,
    /// What it is for
    #[arg(long)]
    description: Option<String>,
}

/// Where a backup goes.
#[derive(Clone, Debug, Args)]
pub struct BackupArgs {
    /// A file, or a folder to put it in; `backups` of the home by default
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// A word on what it is of
    #[arg(short, long)]
    label: Option<String>,
    /// Print JSON for programs
    #[arg(long)]
    json: bool,
}

/// What is brought back.
#[derive(Clone, Debug, Args)]
pub struct ImportArgs {
    /// The backup: ours, or one of the Python program
    file: PathBuf,
    /// Also where a home is in use
    #[arg(short, long)]
    force: bool,
    /// Look at it and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Print JSON for programs
    #[arg(long)]
    json: bool,
}

impl HomesVerb {
    /// What of the rules it changes, so that a model may not do it through a command.
    #[must_use]
    pub fn changes(&self) -> Option<&'static str> {
        match self {
            Self::Status { .. }
            | Self::Dump
            | Self::Logs(_)
            | Self::Profile(ProfileVerb::List { .. } | ProfileVerb::Show { .. }) => None,
            Self::Migrate(args) if args.only_looks() => None,
            Self::Migrate(_) => Some("replace the whole state"),
            Self::Profile(_) => Some("change profiles"),
            Self::Backup(_) => Some("copy the whole state"),
            Self::Import(_) => Some("replace the whole state"),
        }
    }
}

/// Who is at the other end of a verb.
pub trait HomesPrompter {
    /// Shows a line of data at once, before the report.
    ///
    /// # Errors
    /// If nobody reads any more.
    fn line(&mut self, line: &str) -> std::io::Result<()>;

    /// Asks a person; the answer in lower case, none if nobody is there.
    fn ask(&mut self, question: &str) -> Option<String>;
}

/// Does what the words say. `commands` are the names that a profile's own command must not take.
///
/// # Errors
/// A sentence for a person.
pub fn run(
    verb: &HomesVerb,
    host: &Host,
    commands: &[String],
    out: &mut dyn HomesPrompter,
) -> anyhow::Result<VerbReport> {
    match verb {
        HomesVerb::Profile(verb) => profile(verb, host, commands),
        HomesVerb::Backup(args) => {
            let made = backup::make(host.home(), args.output.as_deref(), args.label.as_deref())?;
            if args.json {
                return Ok(VerbReport::json(&made));
            }
            let mut line =
                format!("{} ({} files, {} bytes)", made.file.display(), made.files, made.bytes);
            if !made.profiles.is_empty() {
                line.push_str(&format!("\nwith the profiles {}", made.profiles.join(", ")));
            }
            Ok(noted(VerbReport::text(line), made.notes))
        }
        HomesVerb::Import(args) => {
            let done = backup::restore(host.home(), &args.file, args.force, args.dry_run)?;
            if args.json {
                return Ok(VerbReport::json(&done));
            }
            let line = match (args.dry_run, &done.before) {
                (true, _) => {
                    format!("{} files would be brought back; nothing was changed.", done.files)
                }
                (false, None) => format!("{} files are back.", done.files),
                (false, Some(before)) => {
                    format!(
                        "{} files are back; what was there is in {}.",
                        done.files,
                        before.display()
                    )
                }
            };
            Ok(noted(VerbReport::text(line), done.notes))
        }
        HomesVerb::Migrate(args) => args.run(host),
        HomesVerb::Status { json: true } => Ok(VerbReport::json(&status::status(host))),
        HomesVerb::Status { json: false } => {
            Ok(VerbReport::text(status::as_text(&status::status(host))))
        }
        HomesVerb::Logs(args) => {
            logs::print(args, host, &mut |line| out.line(line))?;
            Ok(VerbReport::ended(VerbStatus::Done))
        }
        HomesVerb::Dump => Ok(VerbReport::text(status::report(host))),
    }
}

fn noted(mut report: VerbReport, notes: Vec<String>) -> VerbReport {
    report.notes.extend(notes.into_iter().map(|note| format!("({note})")));
    report
}

fn profile(verb: &ProfileVerb, host: &Host, commands: &[String]) -> anyhow::Result<VerbReport> {
    let profiles = Profiles::around(host.home());
    let user = host.vars().non_blank("HOME").map(PathBuf::from);
    Ok(match verb {
        ProfileVerb::List { json: true } => VerbReport::json(&profiles.list()),
        ProfileVerb::List { json: false } => {
            let mut table = ReportTable::new(["profile", "in use", "gateway", "about"]);
            for one in profiles.list() {
                let gateway =
                    one.gateway_pid.map_or("stopped".to_owned(), |pid| format!("runs ({pid})"));
                let mark = if one.is_active { "*" } else { "" };
                table.row([
                    one.name,
                    mark.to_owned(),
                    gateway,
                    one.description.unwrap_or_default(),
                ]);
            }
            VerbReport::table(table)
        }
        ProfileVerb::Show { name, json } => {
            let name = name.clone().unwrap_or_else(|| profiles.current().to_owned());
            let home = profiles.home(&name)?;
            let all = profiles.list();
            let Some(one) = all.into_iter().find(|one| one.home == home) else {
                anyhow::bail!("there is no profile `{name}`");
            };
            match json {
                true => VerbReport::json(&one),
                false => VerbReport::text(format!(
                    "{}\n  home     {}\n  in use   {}\n  gateway  {}\n  about    {}",
                    one.name,
                    one.home.display(),
                    if one.is_active { "yes" } else { "no" },
                    one.gateway_pid.map_or("stopped".to_owned(), |pid| format!("runs ({pid})")),
                    one.description.unwrap_or_default()
                )),
            }
        }
        ProfileVerb::Use { name } => {
            VerbReport::text(format!("In use: {}.", profiles.use_profile(name)?))
        }
        ProfileVerb::Create(args) => return create(args, &profiles, user, commands),
        ProfileVerb::Rename { name, new_name } => {
            let new = profiles.rename(name, new_name)?;
            if let Some(user) = user {
                Profiles::remove_alias(name, &user);
                drop(Profiles::alias(&new, &user, commands));
            }
            VerbReport::text(format!("`{name}` is called `{new}` now."))
        }
        ProfileVerb::Delete { name, yes: false } => {
            profiles.home(name)?;
            VerbReport::ended(VerbStatus::Usage).warned([format!(
                "nothing was deleted; `hermes profile delete {name} --yes` does it"
            )])
        }
        ProfileVerb::Delete { name, yes: true } => {
            let place = profiles.delete(name)?;
            if let Some(user) = user {
                Profiles::remove_alias(name, &user);
            }
            VerbReport::text(format!("`{name}` is in {} for 30 days.", place.display()))
        }
        ProfileVerb::Export { name, output, with_history } => {
            let file = output.clone().unwrap_or_else(|| PathBuf::from(format!("{name}.tar.gz")));
            let purpose = if *with_history { CopyFor::Backup } else { CopyFor::Export };
            let notes = profiles.export(name, &file, purpose, host.redactor())?;
            noted(VerbReport::text(format!("{}", file.display())), notes)
        }
        ProfileVerb::Import { file, name } => {
            let stem = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let stem = stem.split('.').next().unwrap_or_default();
            let name = name.clone().unwrap_or_else(|| stem.to_owned());
            let (place, count) = profiles.import(file, &name)?;
            VerbReport::text(format!(
                "`{name}`: {count} files in {}. Its keys belong into {}.",
                place.display(),
                place.join(".env").display()
            ))
        }
    })
}

fn create(
    args: &CreateArgs,
    profiles: &Profiles,
    user: Option<PathBuf>,
    commands: &[String],
) -> anyhow::Result<VerbReport> {
    let from = match (&args.clone_from, args.clone || args.clone_all) {
        (Some(from), _) => Some(from.clone()),
        (None, true) => Some(profiles.current().to_owned()),
        (None, false) => None,
    };
    let begin = Beginning {
        from,
        everything: args.clone_all,
        with_memory: args.with_memory,
        without_skills: args.no_skills,
        description: args.description.clone(),
    };
    let (place, mut notes) = profiles.create(&args.name, &begin)?;
    let name = Profiles::name(&args.name)?;
    let mut lines =
        vec![format!("`{name}` is in {}; `hermes -p {name}` uses it.", place.display())];
    if let Some(user) = user.filter(|_| !args.no_alias) {
        match Profiles::alias(&name, &user, commands) {
            Ok(file) => lines.push(format!("So does the command {}.", file.display())),
            Err(problem) => notes.push(format!("no command was made: {problem}")),
        }
    }
    Ok(noted(VerbReport::text(lines.join("\n")), notes))
}
