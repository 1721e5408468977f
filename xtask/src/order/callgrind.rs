//! Reads which functions callgrind saw: lines `fn=(12) name` under lines `ob=(3) file`, where a number alone repeats
//! what it stood for before; `cfn` and `cob` are the same for what is called.

use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Functions of the program in the order in which they were first seen.
#[derive(Debug, Default)]
pub(super) struct Names {
    seen: HashSet<String>,
    ordered: Vec<String>,
}

impl Names {
    /// Adds what one run used of the program; what its libraries did is left out.
    pub(super) fn add(&mut self, counted: &str, program: &Path) {
        let program = program.to_string_lossy();
        let (mut objects, mut functions) = (HashMap::new(), HashMap::new());
        let (mut here, mut there) = (String::new(), None);
        for line in counted.lines() {
            let Some((key, value)) = line.split_once('=') else { continue };
            match key {
                "ob" => here = resolve(&mut objects, value),
                "cob" => there = Some(resolve(&mut objects, value)),
                "fn" | "cfn" => {
                    let name = resolve(&mut functions, value);
                    // An object is named before a call only where it is not the caller's own.
                    let object = if key == "cfn" {
                        there.take().unwrap_or_else(|| here.clone())
                    } else {
                        here.clone()
                    };
                    if object == program {
                        self.push(&name);
                    }
                }
                _ => {}
            }
        }
    }

    fn push(&mut self, name: &str) {
        // Recursion levels are told apart by a mark at the end.
        let name = name.split_once('\'').map_or(name, |(name, _)| name);
        if !name.starts_with("0x") && self.seen.insert(name.to_owned()) {
            self.ordered.push(name.to_owned());
        }
    }

    pub(super) fn len(&self) -> usize {
        self.ordered.len()
    }

    /// The file for the linker: a name a line.
    pub(super) fn lines(&self) -> String {
        self.ordered.iter().map(|name| format!("{name}\n")).collect()
    }
}

/// What `(12) name` or a bare `(12)` stands for.
fn resolve(known: &mut HashMap<String, String>, value: &str) -> String {
    match value.split_once(") ") {
        Some((number, name)) => {
            known.insert(format!("{number})"), name.to_owned());
            name.to_owned()
        }
        None => known.get(value).cloned().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_the_program_come_in_order_and_once() {
        let counted = "ob=(1) /bin/program\nfn=(1) main\n12 3\ncfn=(2) helper\ncalls=1 4\ncob=(2) /lib/libc.so\n\
                       cfn=(3) malloc\ncalls=1 9\ncfn=(1)\nob=(2)\nfn=(3)\nob=(1)\nfn=(4) helper'2\nfn=(5) last\nfn=(6) 0x1234\n";
        let mut names = Names::default();
        names.add(counted, Path::new("/bin/program"));
        assert_eq!(names.lines(), "main\nhelper\nlast\n");
    }
}
