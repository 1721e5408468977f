//! What happens in a conversation, as data.
//!
//! Most acts on the database are functions. The steps of a conversation are values instead: they can wait
//! in order while another program holds the database locked, be put into a file meanwhile, and be taken
//! from there by another process. For that a message must be nameable before it has a row:
//! [`MessageRef`].

use std::collections::HashMap;

use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use super::error::{Result, SessionsError};
use super::message::{self, NewMessage};
use super::session::{self, NewSession};
use super::usage::{self, Usage};
use super::{compaction, notes};

/// Stands for a recorded message, also before it has a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MessageRef {
    /// By its row in the database.
    Row(i64),
    /// By the order in which this process queued it.
    Queued(u64),
}

/// A step of one conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Change {
    Create(Box<NewSession>),
    Reopen,
    Append { message: Box<NewMessage>, number: u64 },
    SetApiContent { message: MessageRef, text: String },
    Compact { replaced: Vec<MessageRef>, new: Vec<NewMessage>, numbers: Vec<u64> },
    Rewind { turns: usize },
    AddUsage(Box<Usage>),
    SetSystemPrompt(String),
    SetGoal(Option<String>),
    End { reason: String, at: f64 },
}

/// A step, and the conversation it belongs to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SessionChange {
    pub(crate) session: String,
    pub(crate) change: Change,
}

/// The rows of messages that were queued by number: those known before, and those written now.
#[derive(Debug)]
pub(crate) struct Rows<'a> {
    known: &'a HashMap<u64, i64>,
    pub(crate) fresh: HashMap<u64, i64>,
}

impl<'a> Rows<'a> {
    pub(crate) fn new(known: &'a HashMap<u64, i64>) -> Self {
        Self { known, fresh: HashMap::new() }
    }

    fn row(&self, message: MessageRef) -> Option<i64> {
        match message {
            MessageRef::Row(row) => Some(row),
            MessageRef::Queued(number) => {
                self.fresh.get(&number).or_else(|| self.known.get(&number)).copied()
            }
        }
    }
}

impl SessionChange {
    /// Makes the change, inside a transaction of the caller. What it says about the session itself is
    /// checked before anything is written.
    pub(crate) fn apply(&self, connection: &Connection, rows: &mut Rows<'_>) -> Result<()> {
        let session = &*self.session;
        match &self.change {
            Change::Create(new) => session::insert(connection, new),
            Change::Reopen => session::reopen(connection, session),
            Change::Append { message, number } => {
                let written = message::append(connection, session, std::slice::from_ref(message))?;
                rows.fresh.extend(written.first().map(|row| (*number, *row)));
                Ok(())
            }
            Change::SetApiContent { message, text } => match rows.row(*message) {
                Some(row) => message::set_api_content(connection, row, text),
                None => Err(self.lost()),
            },
            Change::Compact { replaced, new, numbers } => {
                let replaced: Option<Vec<i64>> =
                    replaced.iter().map(|message| rows.row(*message)).collect();
                let replaced = replaced.ok_or_else(|| self.lost())?;
                let written = compaction::compact(connection, session, &replaced, new)?;
                rows.fresh.extend(numbers.iter().copied().zip(written));
                Ok(())
            }
            Change::Rewind { turns } => message::rewind(connection, session, *turns).map(drop),
            Change::AddUsage(usage) => usage::add(connection, session, usage),
            Change::SetSystemPrompt(prompt) => {
                session::set_system_prompt(connection, session, prompt)
            }
            Change::SetGoal(goal) => notes::keep_goal(connection, session, goal.as_deref()),
            Change::End { reason, at } => session::end(connection, session, reason, *at),
        }
    }

    /// The same change, with rows in the place of numbers that only this process knows.
    pub(crate) fn with_rows(&self, known: &HashMap<u64, i64>) -> Self {
        let rows = Rows::new(known);
        let known = |message: &mut MessageRef| {
            if let Some(row) = rows.row(*message) {
                *message = MessageRef::Row(row);
            }
        };
        let mut change = self.clone();
        match &mut change.change {
            Change::SetApiContent { message, .. } => known(message),
            Change::Compact { replaced, .. } => replaced.iter_mut().for_each(known),
            _ => {}
        }
        change
    }

    fn lost(&self) -> SessionsError {
        SessionsError::NoMessage { session: self.session.clone(), message: 0 }
    }
}
