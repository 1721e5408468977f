//! Names that stand for functions and aliases, of this text or kept from earlier commands.

use std::rc::Rc;

use super::state::Definition;
use super::{Machine, RunSite};
use crate::command::call::{Arg, Taint, TextFlow};
use crate::command::category::UNPARSABLE;
use crate::command::kept::KeptDefinition;
use crate::command::rules::structure;

impl Machine<'_> {
    /// Remembers a function or an alias; one too many cannot be followed any more.
    pub(super) fn define(&mut self, kind: Definition, name: &str, body: &str, site: RunSite<'_>) {
        if !self.state.define(kind, name, body) {
            self.report(UNPARSABLE, site);
        }
        // The shell itself calls this one, for any name that it does not find.
        if kind == Definition::Function && name == "command_not_found_handle" {
            self.subshell_text(body, site, &TextFlow::default());
        }
    }

    /// Walks what a name stands for; `None` when it is a program. One that calls itself by its name
    /// means the program of that name, as `command` does.
    pub(super) fn defined(
        &mut self,
        name: &Arg<'_>,
        args: &[Arg<'_>],
        stdin: &TextFlow,
        site: RunSite<'_>,
    ) -> Option<TextFlow> {
        for kind in [Definition::Alias, Definition::Function] {
            let runs = |running: &(Definition, String)| running.0 == kind && running.1 == name.text;
            if self.state.running.iter().any(runs) {
                continue;
            }
            let Some(body) = self.body(kind, &name.text, site) else { continue };
            if !self.can_repeat() || !self.charge(body.len()) {
                self.report(structure::UNKNOWN, site);
                return Some(TextFlow::unknown(Taint::GENERATED));
            }
            self.state.running.push((kind, name.text.to_string()));
            let outer = self.state.positional.clone();
            self.set_positional(&name.text, args);
            // Without words behind it an alias is its text and nothing else.
            let text = match kind {
                Definition::Alias if args.is_empty() => {
                    body.strip_suffix(ALL_WORDS).unwrap_or(&body)
                }
                _ => &body,
            };
            let flow = self.text(text, site.via, stdin);
            self.state.positional = outer;
            self.state.running.pop();
            return Some(flow);
        }
        None
    }

    fn body(&mut self, kind: Definition, name: &str, site: RunSite<'_>) -> Option<Rc<str>> {
        if let Some(body) = self.state.definition(kind, name) {
            return Some(body);
        }
        let kept = self.facts.host.shell?;
        match kind {
            Definition::Alias => kept.alias(name).map(|text| Rc::from(alias_body(text))),
            Definition::Function => match kept.function(name)? {
                KeptDefinition::Function(body) => Some(Rc::from(body)),
                KeptDefinition::Unread => {
                    self.report(structure::UNKNOWN, site);
                    None
                }
            },
        }
    }
}

/// How the words that follow a name are spelled.
const ALL_WORDS: &str = " \"$@\"";

/// An alias as a function: its text with the words that follow its name.
pub(super) fn alias_body(text: &str) -> String {
    format!("{text}{ALL_WORDS}")
}
