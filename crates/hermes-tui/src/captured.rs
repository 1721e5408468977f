//! Output that ends in memory, for commands whose words somebody else shows.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// What was printed into memory.
#[derive(Clone, Debug, Default)]
pub struct PrintedText(Arc<Mutex<Vec<u8>>>);

impl PrintedText {
    /// What was printed so far, colours included.
    #[must_use]
    pub fn text(&self) -> String {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Write for PrintedText {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
