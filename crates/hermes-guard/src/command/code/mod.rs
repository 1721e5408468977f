//! Programs in other languages that are given as text: what stands out in them.
//!
//! `python -c`, `node -e` and their like are mostly one line of looking something up, and a question
//! about each of those teaches people to say yes. So the text is read: not as its interpreter would,
//! but word by word, for the few words with which a program runs others, changes files or hides what
//! it does. Commands and paths that stand there as plain text are handed on, to be judged like any
//! other command and path; what is there but cannot be read asks.

mod aliases;
mod languages;
#[cfg(test)]
mod tests;
mod tokens;

use super::facts::HOLE;
use aliases::NameAliases;
use languages::{
    DROPS, Language, MANAGERS, NETWORK, NODE, OTHER, PERL, PHP, POWERSHELL, PYTHON, RUBY,
    TAKES_AWAY,
};
use tokens::{Token, tokens};

/// What was found in a program.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct CodeReport {
    /// It does something that cannot be read from the text.
    pub(super) asks: bool,
    /// Commands it hands to a shell.
    pub(super) commands: Vec<String>,
    /// Commands it runs, word by word.
    pub(super) calls: Vec<Vec<String>>,
    /// Single files and empty folders it deletes.
    pub(super) deletes: Vec<String>,
    /// Folders it deletes with everything in them.
    pub(super) deletes_all: Vec<String>,
    /// Files it writes.
    pub(super) writes: Vec<String>,
    /// It sends or fetches something over a network.
    pub(super) network: bool,
    /// It reads all variables of its environment.
    pub(super) environment: bool,
    /// All its texts, in which paths may be named.
    pub(super) texts: Vec<String>,
    /// Files of its own language that it may run because it imports them, without their endings.
    pub(super) imports: Vec<String>,
}

/// Whether the words of a language are known only roughly.
pub(super) fn is_other(interpreter: &str) -> bool {
    matches!(
        interpreter,
        "racket"
            | "guile"
            | "scala"
            | "kotlin"
            | "clojure"
            | "clj"
            | "bb"
            | "jshell"
            | "dart"
            | "janet"
            | "elixir"
            | "groovy"
            | "swift"
            | "crystal"
            | "gjs"
            | "qjs"
            | "nu"
            | "julia"
    )
}

/// Reads a program in the language of an interpreter.
pub(super) fn read(interpreter: &str, code: &str) -> CodeReport {
    let mut report = CodeReport::default();
    if code.trim_start().starts_with(HOLE) {
        report.asks = true;
        return report;
    }
    if interpreter == "powershell" {
        let lower = code.to_ascii_lowercase();
        let is_word = |char: char| char.is_ascii_alphanumeric() || char == '-';
        report.asks = lower.ends_with(".ps1")
            || lower
                .split(|char| !is_word(char))
                .any(|word| POWERSHELL.contains(&word) || is_changing_cmdlet(word))
            || lower.contains(".delete(")
            || ["& $", "&$", "& (", "&("].iter().any(|call| lower.contains(call))
            || sends_all(&lower)
            || lower.contains("::") && lower.contains('[');
        return report;
    }
    let language = match interpreter {
        "python" | "pypy" | "ipython" => &PYTHON,
        "node" | "bun" | "deno" => &NODE,
        "ruby" => &RUBY,
        "perl" => &PERL,
        "php" => &PHP,
        _ => &OTHER,
    };
    // A line for the shell.
    if interpreter == "ipython" {
        let lines = code.lines().filter_map(|line| line.trim_start().strip_prefix(['!', '%']));
        report.commands.extend(lines.map(|line| line.trim_start_matches("sx ").to_owned()));
    }
    if interpreter == "tclsh" {
        report.asks |=
            code.contains("file delete") || code.contains("exec ") || code.contains("socket ");
    }
    let tokens = tokens(code, language);
    let uses_module = uses(&tokens, language.runs_of.0);
    let aliases = NameAliases::of(&tokens);
    report.imports = aliases::imports(&tokens);
    for at in 0..tokens.len() {
        look(language, uses_module, &aliases, &tokens, at, &mut report);
    }
    report
}

/// Whether PowerShell sends the environment, the clipboard or keys to somebody.
fn sends_all(lower: &str) -> bool {
    let posts = [
        "-method post",
        "-method put",
        "-infile",
        "-body",
        "uploadstring",
        "uploadfile",
        "uploaddata",
    ];
    let all = [
        "env:",
        "get-clipboard",
        ".ssh",
        ".aws",
        "get-credential",
        "gci env",
        "id_rsa",
        ".env",
        "history",
    ];
    posts.iter().any(|word| lower.contains(word)) && all.iter().any(|word| lower.contains(word))
}

/// Whether a word is a cmdlet, `verb-noun`, whose verb does more than look.
fn is_changing_cmdlet(word: &str) -> bool {
    const LOOKS: &[&str] = &[
        "get",
        "test",
        "measure",
        "select",
        "where",
        "foreach",
        "write",
        "format",
        "sort",
        "group",
        "convertto",
        "convertfrom",
        "out",
        "compare",
        "find",
        "resolve",
        "join",
        "split",
        "read",
        "show",
        "import",
        "wait",
        "tee",
        "trace",
        "use",
        "push",
        "pop",
        "search",
    ];
    const CHANGES: &[&str] = &[
        "remove",
        "stop",
        "clear",
        "disable",
        "uninstall",
        "reset",
        "restart",
        "set",
        "invoke",
        "unregister",
        "revoke",
        "dismount",
        "move",
        "rename",
        "new",
        "add",
        "suspend",
        "initialize",
        "repair",
        "restore",
        "enable",
        "register",
        "install",
        "start",
        "grant",
        "update",
        "mount",
        "limit",
        "block",
        "unblock",
        "debug",
        "enter",
    ];
    word.split_once('-').is_some_and(|(verb, noun)| {
        !LOOKS.contains(&verb)
            && CHANGES.contains(&verb)
            && noun.len() > 3
            && !matches!(
                noun,
                "location"
                    | "variable"
                    | "pester"
                    | "build"
                    | "psake"
                    | "scriptanalyzer"
                    | "formatter"
                    | "plaster"
            )
    })
}

/// Whether a program names a module.
fn uses(tokens: &[Token<'_>], module: &str) -> bool {
    !module.is_empty()
        && tokens.iter().any(|token| match token {
            Token::Name(name) => name.split(['.', ':']).any(|part| part == module),
            Token::Text(Some(text)) => text.rsplit(':').next() == Some(module),
            _ => false,
        })
}

fn look(
    language: &Language,
    uses_module: bool,
    aliases: &NameAliases<'_>,
    tokens: &[Token<'_>],
    at: usize,
    report: &mut CodeReport,
) {
    let resolved;
    let name = match &tokens[at] {
        Token::Text(Some(text)) => {
            // `require('child_process')` and `open('|rm x')` name what they use as text.
            report.asks |= text.starts_with('|') && text.len() > 1 && language.backquotes;
            // `array_map("unlink", …)` names a function as text.
            let is_given = at > 0 && matches!(tokens[at - 1], Token::Sign('(' | ','));
            report.asks |= is_given
                && language.backquotes
                && matches!(tokens.get(at + 1), Some(Token::Sign(',')))
                && language.runs.iter().chain(language.deletes).any(|known| known == text);
            let pipes_to_shell =
                ["|sh", "| sh", "|bash", "| bash"].iter().any(|end| text.contains(end));
            let is_required = at > 1 && matches!(tokens[at - 2], Token::Name("require" | "import"));
            report.asks |= is_required
                && matches!(
                    text.rsplit(':').next(),
                    Some("net" | "dgram" | "tls" | "vm" | "worker_threads")
                );
            report.asks |= pipes_to_shell || text.contains("os.system(");
            report.texts.push(text.clone());
            return;
        }
        Token::Backquoted(text) => {
            report.commands.push(text.clone());
            return;
        }
        Token::Name(name) => {
            resolved = aliases.name_at(at, name);
            resolved.as_ref()
        }
        Token::Text(None) | Token::Sign(_) => return,
    };
    let is = |known: &&str| {
        name == *known
            || name.strip_suffix(known).is_some_and(|before| before.ends_with(['.', ':', '>']))
                && !(*known == "system" && name == "platform.system")
    };
    let is_defined = at > 0 && matches!(tokens[at - 1], Token::Name("def" | "function" | "sub"));
    if is_defined {
        return;
    }
    report.network |= NETWORK.iter().any(|known| {
        is(known) || name.strip_prefix(known).is_some_and(|rest| rest.starts_with('.'))
    });
    // `Command::new("rm").arg("-rf")`: the words come one by one.
    if language.comment == OTHER.comment && name.ends_with("Command::new") {
        report.calls.push(chained(&tokens[at + 1..]));
        return;
    }
    let of_module = language.runs_of.1;
    let is_called = matches!(tokens.get(at + 1), Some(Token::Sign('(')))
        || matches!(tokens.get(at + 1..at + 3), Some([Token::Sign('!'), Token::Sign('(')]))
        // Some languages need no bracket.
        || (language.backquotes
            && matches!(tokens.get(at + 1), Some(Token::Text(_) | Token::Name(_) | Token::Sign('@'))));
    if is_called && (language.runs.iter().any(is) || uses_module && of_module.iter().any(is)) {
        return match arguments(&tokens[at + 1..]) {
            Some(words) if words.len() == 1 && !words[0].is_list => {
                report.commands.push(words[0].texts.concat());
            }
            Some(words) if !words.is_empty() => {
                let all = words.iter().flat_map(|word| word.texts.iter().cloned());
                report.calls.push(all.collect());
            }
            _ => report.asks = true,
        };
    }
    report.asks |= !is_called && is_handed_on(language, tokens, at, name);
    let first = || arguments(&tokens[at + 1..]).and_then(|words| words.into_iter().next());
    let deleted =
        [(language.deletes_all, &mut report.deletes_all), (language.deletes, &mut report.deletes)];
    for (words, into) in deleted {
        if is_called && words.iter().any(is) {
            match first() {
                Some(path) => into.extend(path.texts),
                None => report.asks = true,
            }
            return;
        }
    }
    // Without a path these take whatever is looked at.
    let is_bare = language.backquotes
        && matches!(tokens.get(at + 1), Some(Token::Sign(';' | '}' | ':' | ')')) | None);
    report.asks |= is_bare && matches!(name, "unlink" | "rmdir" | "rmtree");
    // All variables at once, on their way to somebody.
    let is_whole = !matches!(tokens.get(at + 1), Some(Token::Sign('[' | '{')));
    report.environment |= is_whole
        && matches!(name, "os.environ" | "process.env" | "ENV" | "Deno.env.toObject")
        || matches!(name, "os.environ.items" | "os.environ.copy" | "ENV.to_h" | "_ENV" | "$_ENV")
        || name == "getenv"
            && matches!(&tokens[at + 1..], [Token::Sign('('), Token::Sign(')'), ..]);
    report.asks |= is_called && DROPS.iter().any(is);
    // `source("https://…")`, `include(download("https://…"))`
    report.asks |= is_called
        && matches!(name, "source" | "include" | "load" | "download" | "sys.source")
        && language.comment == "#"
        && texts_of_call(&tokens[at + 1..]).iter().any(|text| text.starts_with("http"));
    // `from os import *`: any name may be anything then.
    report.asks |= name == "import"
        && matches!(tokens.get(at + 1), Some(Token::Sign('*')))
        && at > 0
        && matches!(tokens[at - 1], Token::Name("os" | "shutil" | "subprocess" | "pathlib"));
    // `unlink <*>`
    report.asks |= language.backquotes
        && matches!(tokens.get(at + 1), Some(Token::Sign('<')))
        && language.deletes.iter().any(is);
    let last = name.rsplit('.').next().unwrap_or(name);
    report.asks |= is_called
        && TAKES_AWAY.contains(&last)
        && MANAGERS.iter().any(|module| uses(tokens, module));
    if is_called && language.writes.iter().any(is) {
        match first() {
            Some(path) => report.writes.extend(path.texts),
            None => report.writes.extend(texts_of_call(&tokens[at + 1..])),
        }
        return;
    }
    if is_called && (name == "open" || name.ends_with(".open")) {
        if let Some([path, mode]) =
            arguments(&tokens[at + 1..]).as_deref().and_then(|all| all.get(..2))
        {
            let (path, mode) = (path.texts.concat(), mode.texts.concat());
            if mode.len() <= 3 && mode.contains(['w', 'a', 'x', '+', '>']) {
                report.writes.push(path);
            }
        } else {
            // A path that is put together: any text in it may name the file.
            let texts = texts_of_call(&tokens[at + 1..]);
            let is_mode = |text: &String| {
                text.len() <= 3 && text.contains(['w', 'a', 'x', '+']) && !text.contains('/')
            };
            if texts.iter().any(is_mode) {
                report.writes.extend(texts.into_iter().filter(|text| !is_mode(text)));
            }
        }
        return;
    }
    // `from os import system as s` has no bracket behind it.
    let is_imported = tokens[..at]
        .iter()
        .rev()
        .take(6)
        .any(|token| matches!(token, Token::Name("import" | "from" | "require")));
    let runs_when_imported =
        || {
            language.runs.iter().chain(of_module).any(|known| {
                known.rsplit('.').next() == Some(name) && name != "run" && name != "call"
            })
        };
    // `TCPSocket.new`, `IO::Socket::INET`
    let of_class = |known: &&str| {
        known.contains(|char: char| char.is_ascii_uppercase())
            && known.contains("Socket")
            && name.strip_prefix(known).is_some_and(|rest| rest.starts_with(['.', ':']))
    };
    report.asks |= language.asks.iter().any(of_class) || name.starts_with("process.mainModule.");
    // `exec$_`, `$f("…")`: what runs is in a variable.
    let runs_variable = language.backquotes
        && name.find('$').is_some_and(|at| at > 0 && language.runs.contains(&&name[..at]));
    let is_variable_call = language.comment == "//"
        && language.backquotes
        && name.starts_with('$')
        && matches!(tokens.get(at + 1), Some(Token::Sign('(')));
    report.asks |= is_variable_call || runs_variable;
    let is_object = at > 0 && matches!(tokens[at - 1], Token::Sign('.'));
    report.asks |=
        language.asks.iter().any(|known| is(known) && !(is_object && *known == "compile"))
            && !matches!(name, "re.compile" | "re.eval" | "regex.compile")
            && (is_called || is_imported || name.contains('_') || !known_as_word(name));
    report.asks |= is_imported && runs_when_imported();
}

/// Whether a function that runs or deletes something is given to another one, which will call it:
/// `map(os.remove, names)`, `Thread(target=os.system, …)`.
fn is_handed_on(language: &Language, tokens: &[Token<'_>], at: usize, name: &str) -> bool {
    let is_own = ["self.", "cls.", "this."].iter().any(|own| name.starts_with(own));
    let is_argument = matches!(tokens.get(at + 1), Some(Token::Sign(',' | ')' | ']')))
        && at > 0
        && matches!(tokens[at - 1], Token::Sign('(' | ',' | '=' | '['));
    let is = |known: &&str| {
        name == *known || name.strip_suffix(known).is_some_and(|before| before.ends_with('.'))
    };
    let of_module = language.runs_of.1.iter();
    let ends_so = of_module.map(|function| format!("{}.{function}", language.runs_of.0));
    is_argument
        && !is_own
        && name.contains('.')
        && (language.runs.iter().chain(language.deletes).chain(language.deletes_all).any(is)
            || ends_so.into_iter().any(|known| known == name))
}

/// The words of a command that is put together by calls of `arg` and `args`; what is no plain text is
/// unknown.
fn chained(tokens: &[Token<'_>]) -> Vec<String> {
    let mut words = Vec::new();
    let mut depth = 0_i32;
    let mut takes = true;
    for (at, token) in tokens.iter().enumerate().take(MAX_LIST) {
        match token {
            Token::Sign('(') => depth += 1,
            Token::Sign(')') => depth -= 1,
            Token::Name(name) if depth == 0 => takes = matches!(*name, "arg" | "args" | "raw_arg"),
            Token::Text(Some(text)) if takes && depth > 0 => words.push(text.clone()),
            // A conversion of a text that was just taken is none of its own.
            Token::Name(_) | Token::Text(None)
                if takes
                    && depth > 0
                    && !matches!(tokens.get(at.wrapping_sub(1)), Some(Token::Sign('.'))) =>
            {
                words.push(HOLE.to_string());
            }
            Token::Sign(';' | '}') if depth <= 0 => break,
            _ => {}
        }
    }
    words
}

/// The plain texts between the brackets of a call, up to a few.
fn texts_of_call(tokens: &[Token<'_>]) -> Vec<String> {
    let mut depth = 0_i32;
    let mut texts = Vec::new();
    for token in tokens.iter().take(MAX_CALL) {
        match token {
            Token::Sign('(') => depth += 1,
            Token::Sign(')') => depth -= 1,
            Token::Text(Some(text)) => texts.push(text.clone()),
            _ => {}
        }
        if depth <= 0 {
            break;
        }
    }
    texts
}

/// So many pieces of a call are looked at for texts.
const MAX_CALL: usize = 24;

/// Words that also stand in programs as ordinary names.
fn known_as_word(name: &str) -> bool {
    matches!(name, "compile" | "send" | "method" | "load" | "do" | "parse" | "link" | "code")
}

/// A longer list of words is no command that anybody could judge.
const MAX_LIST: usize = 256;

/// One argument of a call.
struct Given {
    texts: Vec<String>,
    is_list: bool,
}

/// The leading arguments of a call that are plain texts or lists of them; `None` when the first is
/// neither.
fn arguments(tokens: &[Token<'_>]) -> Option<Vec<Given>> {
    let tokens = match tokens.first()? {
        Token::Sign('(') => &tokens[1..],
        _ => tokens,
    };
    let mut given: Vec<Given> = Vec::new();
    let mut rest = tokens;
    loop {
        let (one, behind) = match rest {
            [Token::Text(Some(text)), behind @ ..] => {
                (Given { texts: vec![text.clone()], is_list: false }, behind)
            }
            [Token::Sign('['), inside @ ..] => {
                let end =
                    inside.iter().take(MAX_LIST).position(|token| *token == Token::Sign(']'))?;
                let mut texts = Vec::new();
                for token in &inside[..end] {
                    match token {
                        Token::Text(Some(text)) => texts.push(text.clone()),
                        Token::Sign(',') => {}
                        _ => return None,
                    }
                }
                (Given { texts, is_list: true }, &inside[end + 1..])
            }
            _ if given.is_empty() => return None,
            _ => return Some(given),
        };
        given.push(one);
        match behind {
            [Token::Sign(','), behind @ ..] => rest = behind,
            [Token::Sign(')' | ';' | '}'), ..] | [] => return Some(given),
            // Something is done to the text before it is used.
            _ => return None,
        }
    }
}
