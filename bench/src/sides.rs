//! Measures both sides in turns, round by round, so that a slow spell of the machine
//! meets both.

use std::path::Path;

use anyhow::{Context, Result};

use crate::measurements::{Cold, Hot, Measured, Measurements};
use crate::process::Sandbox;
use crate::reference::Reference;

/// The two sides, and where they run.
pub(crate) struct Sides<'a> {
    /// The surroundings of both.
    pub(crate) sandbox: &'a Sandbox,
    /// The program that measures ours when asked with `--measure`.
    pub(crate) ours: &'a Path,
    /// The other side, unless left out.
    pub(crate) reference: Option<&'a Reference>,
}

impl Sides<'_> {
    /// All numbers of ours, and of the reference unless left out.
    pub(crate) fn measure(&self) -> Result<(Measurements, Option<Measurements>)> {
        let (our_cold, their_cold) = self.rounds::<Cold>()?;
        let (our_hot, their_hot) = self.rounds::<Hot>()?;
        let ours = Measurements { cold: our_cold, hot: our_hot };
        let theirs = their_cold.zip(their_hot).map(|(cold, hot)| Measurements { cold, hot });
        Ok((ours, theirs))
    }

    fn rounds<T: Measured>(&self) -> Result<(T, Option<T>)> {
        let (mut ours, mut theirs) = (None, None);
        for _ in 0..T::ROUNDS {
            if let Some(reference) = self.reference {
                theirs = better(theirs, self.measure_reference::<T>(reference)?);
            }
            ours = better(ours, self.measure_ours::<T>()?);
        }
        Ok((ours.context("no round was measured")?, theirs))
    }

    fn measure_ours<T: Measured>(&self) -> Result<T> {
        self.sandbox.read_json(self.ours, &["--measure", T::PHASE.word()]).context("measuring ours")
    }

    fn measure_reference<T: Measured>(&self, reference: &Reference) -> Result<T> {
        let script = reference.script.to_str().context("the path of reference.py is not UTF-8")?;
        self.sandbox
            .read_json(&reference.python(), &[script, T::PHASE.word()])
            .context("measuring the reference")
    }
}

fn better<T: Measured>(best: Option<T>, round: T) -> Option<T> {
    Some(match best {
        Some(best) => best.best(round),
        None => round,
    })
}
