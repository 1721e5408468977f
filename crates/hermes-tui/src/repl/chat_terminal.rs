//! What a chat does with the terminal besides reading keys.

use std::io;
use std::sync::Arc;

use hermes_llm::model::BoxFuture;

use crate::clipboard::Clip;
use crate::display::Style;
use crate::terminal::DrawCommand;

/// Runs the words after `hermes` as the command line would, and gives what it prints.
pub type CommandLine = Arc<dyn Fn(&[String], &Style) -> Vec<String> + Send + Sync>;

/// The terminal of a chat.
pub(crate) trait ChatTerminal: Send {
    /// Has something drawn.
    fn order(&self, order: DrawCommand);

    /// Goes to the background and comes back when the shell says so.
    fn suspend(&mut self) -> io::Result<()>;

    /// Has the person write in an editor, beginning with this.
    fn compose(&mut self, text: &str) -> anyhow::Result<String>;

    /// Looks into the clipboard.
    fn clipboard(&self) -> BoxFuture<'static, anyhow::Result<Clip>>;

    /// What runs commands of the command line.
    fn command_line(&self) -> CommandLine;
}
