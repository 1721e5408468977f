//! Programs that run another one for each of many things: find, fd, xargs, parallel.

use super::{Machine, RunSite};
use crate::command::call::{Arg, Channel, ProgramCall, Taint, TextFlow, Via};
use crate::command::facts::{HOLE, NARROW};
use crate::command::find::{Find, LEFTOVER};
use crate::command::options::{Opt, Spec, first_operand, options};
use crate::command::rules::{self, delete, structure, worded};
use crate::command::{interpreters, names, paths};

impl Machine<'_> {
    pub(super) fn find_files(
        &mut self,
        args: &[Arg<'_>],
        stdin: &TextFlow,
        site: RunSite<'_>,
    ) -> TextFlow {
        let find = Find::new(args);
        let nothing = TextFlow::default();
        let own = {
            let call = ProgramCall { name: "find", args, stdin, via: site.via, facts: &self.facts };
            rules::own_search::taint(&call)
        };
        // Another program answers its questions.
        // So does nobody for a text that a shell would run.
        let is_shell = |action: &&[Arg<'_>]| {
            action
                .first()
                .is_some_and(|first| interpreters::is_shell(&names::canonical(&first.text)))
        };
        let answered = stdin.channel == Channel::Pipe || find.asked.iter().any(is_shell);
        let asked = if answered { &find.asked[..] } else { &[] };
        let is_wide = find
            .starts
            .iter()
            .any(|start| paths::protected(&self.facts.path(&start.text)).is_some());
        if is_wide && !find.actions.is_empty() && find.looked_for().any(worded::names_secret) {
            self.report(worded::SHOWN, site);
        }
        // Everything of a kind at home, each sent to somebody.
        let sends = |action: &&[Arg<'_>]| {
            action.first().is_some_and(|first| rules::is_sender(&names::canonical(&first.text)))
        };
        if is_wide && find.actions.iter().any(sends) {
            self.report(rules::UPLOAD, site);
        }
        // A shell that nobody has given anything to do: somebody is to type in it.
        let is_bare_shell = |action: &&[Arg<'_>]| matches!(*action, [shell] if interpreters::is_shell(&names::canonical(&shell.text)));
        if find.actions.iter().any(is_bare_shell) {
            self.report(structure::UNKNOWN, site);
        }
        // Whatever is among one's keys, or is called like one, is shown or packed.
        let is_store = |start: &&Arg<'_>| {
            start.text.contains(['/', '~'])
                && paths::is_private_store(&self.facts.path(&start.text))
        };
        let shows = |action: &&[Arg<'_>]| {
            action.first().is_some_and(|first| worded::shows_named(&names::canonical(&first.text)))
        };
        if find.actions.iter().any(shows)
            && (find.starts.iter().any(is_store) || find.looked_for().any(worded::names_key))
        {
            self.report(worded::SHOWN, site);
        }
        for action in find.actions.iter().chain(asked) {
            // Whatever is found is run.
            if action.first().is_some_and(|first| first.text == "{}") {
                self.report(structure::UNKNOWN, site);
            }
            // What is deleted is the starting point itself when nothing narrows the search.
            let each = match (find.narrowed, find.starts.as_slice()) {
                (false, []) => vec![Arg::new(".")],
                (false, starts) => starts.iter().map(|start| (*start).clone()).collect(),
                (true, starts) => {
                    let start = starts.first().map_or(".", |start| start.as_str());
                    let is_rebuilt =
                        |name: &&str| delete::BUILD_FOLDERS.contains(name) || *name == LEFTOVER;
                    match find.names.as_slice() {
                        names if !names.is_empty() && names.iter().all(is_rebuilt) => names
                            .iter()
                            .map(|name| Arg::new(format!("{start}/found/{name}")))
                            .collect(),
                        _ if self.is_narrow_here(&find) => {
                            vec![Arg::new(format!("{start}/{NARROW}"))]
                        }
                        _ => vec![Arg::new(format!("{start}/{HOLE}"))],
                    }
                }
            };
            let each: Vec<Arg<'_>> =
                each.into_iter().map(|arg| Arg { taint: arg.taint.and(own), ..arg }).collect();
            let command = filled(action, "{}", &each);
            self.call(&command, &nothing, site.also(Via::FIND));
            let program = command.first().map_or("", |arg| arg.text.as_ref());
            let program = names::canonical(program);
            let deletes = matches!(program.as_ref(), "rm" | "unlink" | "shred" | "rmdir");
            if deletes && !find.narrowed {
                self.report_lost(&each, site);
            }
        }
        if find.deletes && !self.is_narrow_here(&find) {
            self.report(delete::FIND_DELETE, site);
        }
        if find.deletes && !find.narrowed {
            let here = [Arg::new(".")];
            let starts: Vec<Arg<'_>> = find.starts.iter().map(|start| (*start).clone()).collect();
            self.report_lost(if starts.is_empty() { &here } else { &starts }, site);
        }
        if find.looked_for().any(worded::names_key) {
            return TextFlow::unknown(Taint::GENERATED.and(Taint::SECRET));
        }
        let is_rebuilt = |name: &&str| delete::BUILD_FOLDERS.contains(name) || *name == LEFTOVER;
        if !find.names.is_empty() && find.names.iter().all(is_rebuilt) && self.is_narrow_here(&find)
        {
            let start = find.starts.first().map_or(".", |start| start.as_str());
            let lines = find.names.iter().map(|name| format!("{start}/found/{name}\n"));
            return TextFlow::known(lines.collect::<String>()).tainted(Taint::GENERATED);
        }
        if self.is_narrow_here(&find) {
            let start = find.starts.first().map_or(".", |start| start.as_str());
            return TextFlow::known(format!("{start}/{NARROW}\n")).tainted(Taint::GENERATED);
        }
        // A search for keys and logins finds them.
        let is_secret =
            |name: &&str| crate::command::paths::is_secret(name.trim_start_matches('*'));
        if find.looked_for().any(|name| is_secret(&name)) {
            return TextFlow::unknown(Taint::GENERATED.and(Taint::SECRET));
        }
        // Everything is listed, beginning with the place itself.
        let whole = |start: &&&Arg<'_>| {
            crate::command::paths::protected(&self.facts.path(&start.text)).is_some()
        };
        match find.starts.iter().find(whole) {
            Some(start) if !find.narrowed => {
                TextFlow::known(format!("{}\n", start.text)).tainted(Taint::GENERATED)
            }
            _ => TextFlow::unknown(Taint::GENERATED),
        }
    }

    /// Whether a search finds only things of a kind, in the project or among temporary files.
    fn is_narrow_here(&self, find: &Find<'_>) -> bool {
        let host = self.facts.host;
        let project = host.cwd.map(|cwd| self.facts.path(cwd).into_owned());
        let temp = self.facts.path(host.temp_dir.unwrap_or("/tmp")).into_owned();
        let is_project = project.as_deref().is_none_or(|project| {
            crate::command::paths::protected(project).is_none() && !project.starts_with("~/.hermes")
        });
        let is_inside = |path: &str, place: &str| {
            path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let is_temporary = |start: &str| {
            let path = self.facts.path(start);
            [temp.as_str(), "/tmp", "/var/tmp"].iter().any(|temp| is_inside(&path, temp))
                && !path.contains(HOLE)
                && !project.as_deref().is_some_and(|project| is_inside(&path, project))
        };
        let is_here = |start: &str| {
            let path = self.facts.path(start);
            is_project
                && !path.contains(HOLE)
                && match &project {
                    Some(project) => is_inside(&path, project),
                    None => !path.starts_with(['/', '~']) && !path.contains(".."),
                }
        };
        let starts: Vec<&str> = match find.starts.as_slice() {
            [] => vec!["."],
            starts => starts.iter().map(|start| start.as_str()).collect(),
        };
        find.is_limited() && starts.iter().all(|start| is_temporary(start))
            || find.is_narrow() && starts.iter().all(|start| is_here(start) || is_temporary(start))
    }

    fn report_lost(&mut self, places: &[Arg<'_>], site: RunSite<'_>) {
        for place in places {
            let path = self.facts.path(&place.text);
            let category = crate::command::paths::protected(&path).map(delete::lost);
            if let Some(category) = category {
                self.report(category, site);
            }
        }
    }

    /// `fd … -x rm`, `fd … -X rm`
    pub(super) fn fd(&mut self, args: &[Arg<'_>], stdin: &TextFlow, site: RunSite<'_>) -> TextFlow {
        let exec = args
            .iter()
            .position(|arg| matches!(arg.text.as_ref(), "-x" | "-X" | "--exec" | "--exec-batch"));
        if let Some(at) = exec {
            let own = {
                let found = &args[..at];
                let via = site.via;
                let call = ProgramCall { name: "fd", args: found, stdin, via, facts: &self.facts };
                rules::own_search::taint(&call)
            };
            let taint = looked_for(&args[..at]).and(own);
            let each = [Arg { taint, ..Arg::new(HOLE.to_string()) }];
            let command = filled(&args[at + 1..], "{}", &each);
            self.call(&command, stdin, site.also(Via::EACH));
        }
        TextFlow::unknown(Taint::GENERATED.and(looked_for(args)))
    }

    pub(super) fn xargs(
        &mut self,
        args: &[Arg<'_>],
        stdin: &TextFlow,
        site: RunSite<'_>,
    ) -> TextFlow {
        const SPEC: Spec = Spec::leading(
            "IdEnLPsa",
            &["replace", "delimiter", "max-args", "max-procs", "max-chars", "arg-file"],
        );
        let mut placeholder = None;
        let mut split = Split::Words;
        for opt in options(args, &SPEC) {
            match opt {
                Opt::Operand(..) => break,
                opt if opt.is('I', "replace") => placeholder = opt.value().or(Some("{}")),
                Opt::Short('i', _) => placeholder = Some("{}"),
                opt if opt.is('0', "null") || opt.is('d', "delimiter") => split = Split::Lines,
                _ => {}
            }
        }
        let listed =
            options(args, &SPEC).find(|opt| opt.is('a', "arg-file")).and_then(|opt| opt.value());
        let file = listed.map(|file| self.read_file(&Arg::new(file)));
        let stdin = file.as_ref().unwrap_or(stdin);
        let command = &args[first_operand(args, &SPEC)..];
        if command.is_empty() {
            // What comes in is printed.
            return TextFlow::unknown(Taint::GENERATED.and(stdin.taint));
        }
        // A word of a manual for the program that belongs there.
        if matches!(command, [word] if word.text.eq_ignore_ascii_case("command")) {
            return TextFlow::unknown(Taint::GENERATED.and(stdin.taint));
        }
        let site = site.also(Via::XARGS);
        let nothing = TextFlow::default();
        let Some(placeholder) = placeholder else {
            let words = self.items_of(stdin, split);
            let command: Vec<Arg<'_>> = command.iter().cloned().chain(words).collect();
            return self.call(&command, &nothing, site).tainted(stdin.taint);
        };
        let mut output = TextFlow::known("");
        for item in self.items_of(stdin, Split::Lines).into_iter().take(MAX_ITEMS) {
            let command = filled(command, placeholder, std::slice::from_ref(&item));
            let more = self.call(&command, &nothing, site);
            output = self.join(output, more);
        }
        output.tainted(stdin.taint)
    }

    pub(super) fn parallel(
        &mut self,
        args: &[Arg<'_>],
        stdin: &TextFlow,
        site: RunSite<'_>,
    ) -> TextFlow {
        const SPEC: Spec = Spec::leading("jIaNnPSd", &["jobs", "colsep", "arg-file", "delay"]);
        let separator = |arg: &Arg<'_>| arg.text.starts_with(":::");
        let inputs = args.iter().position(separator).unwrap_or(args.len());
        let command = &args[first_operand(&args[..inputs], &SPEC)..inputs];
        let each: Vec<Arg<'_>> = match args.get(inputs + 1..) {
            Some(given) => given.iter().filter(|arg| !separator(arg)).cloned().collect(),
            None => self.items_of(stdin, Split::Lines),
        };
        let texts: Vec<&str> = command.iter().map(Arg::as_str).collect();
        let text = texts.join(" ");
        let site = site.also(Via::EACH);
        if text.is_empty() {
            // Without a command the inputs are the commands.
            for one in each.iter().take(MAX_ITEMS) {
                self.subshell_text(&one.text, site, &TextFlow::default());
            }
            return TextFlow::unknown(Taint::GENERATED);
        }
        let words: Vec<&str> = each.iter().map(Arg::as_str).collect();
        let words = words.join(" ");
        let text = match text.contains("{}") {
            true => text.replace("{}", &words),
            false => format!("{text} {words}"),
        };
        if self.charge(text.len()) {
            self.subshell_text(&text, site, &TextFlow::default());
        }
        TextFlow::unknown(Taint::GENERATED.and(stdin.taint))
    }

    /// The items of a text that comes in; one unknown item when nobody knows it.
    fn items_of(&mut self, stdin: &TextFlow, split: Split) -> Vec<Arg<'static>> {
        let separators: &[char] = match split {
            Split::Words => &[' ', '\t', '\n', '\0'],
            Split::Lines => &['\n', '\0'],
        };
        let item = |text: &str| {
            let text = match split {
                Split::Words => text.trim_matches(['\'', '"']),
                Split::Lines => text.trim(),
            };
            Arg { taint: stdin.taint, ..Arg::new(text.to_owned()) }
        };
        match &stdin.text {
            Some(text) if self.charge(text.len()) => {
                text.split(separators).filter(|text| !text.is_empty()).map(item).collect()
            }
            _ => vec![Arg { taint: stdin.taint, ..Arg::new(HOLE.to_string()) }],
        }
    }
}

/// Whether a search is for keys, by the names it is given.
pub(super) fn looked_for(args: &[Arg<'_>]) -> Taint {
    let names = args.iter().any(|arg| {
        let text = arg.text.trim_start_matches(['^', '\\', '*', '/']).trim_end_matches(['$', '*']);
        worded::names_key(text) || worded::names_key(&arg.text)
    });
    if names { Taint::SECRET } else { Taint::NONE }
}

/// What the items of a text are.
#[derive(Clone, Copy)]
enum Split {
    Words,
    Lines,
}

/// A program that is run once for each item is looked at for so many of them.
const MAX_ITEMS: usize = 8;

/// A command with its placeholder replaced; appended when there is none.
fn filled<'t>(command: &[Arg<'t>], placeholder: &str, values: &[Arg<'_>]) -> Vec<Arg<'t>> {
    let mut filled: Vec<Arg<'t>> = Vec::with_capacity(command.len() + values.len());
    let mut used = false;
    for arg in command {
        if arg.text == placeholder {
            filled.extend(values.iter().map(|value| Arg {
                text: value.text.clone().into_owned().into(),
                taint: value.taint,
                pipe: None,
            }));
            used = true;
        } else if arg.text.contains(placeholder) {
            let first = values.first().map_or("", |value| value.text.as_ref());
            let text = arg.text.replace(placeholder, first);
            let taint = values.iter().fold(arg.taint, |taint, value| taint.and(value.taint));
            filled.push(Arg { text: text.into(), taint, ..arg.clone() });
            used = true;
        } else {
            filled.push(arg.clone());
        }
    }
    if !used && placeholder == "{}" && !filled.is_empty() {
        filled.extend(values.iter().map(|value| Arg {
            text: value.text.clone().into_owned().into(),
            taint: value.taint,
            pipe: None,
        }));
    }
    filled
}
