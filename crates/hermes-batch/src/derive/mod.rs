//! What is made from the records: trajectories, statistics, exports. All of it may be deleted and made again.

mod dedup;
mod export;
mod merge;
mod parquet;
mod statistics;

pub use export::{ExportCut, ExportFormat, ExportOptions, ExportTotals, export};
pub use merge::{MergeTotals, merge};
pub use parquet::{ColumnKind, ParquetColumn, ParquetWriter};
pub use statistics::{RunStatistics, statistics};

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use hermes_store::atomic::TEMP_SUFFIX;

use crate::BatchError;

/// A file that replaces another one once it is whole.
pub(crate) struct NewFile {
    path: PathBuf,
    temporary: tempfile::NamedTempFile,
    writer: BufWriter<File>,
}

impl NewFile {
    pub(crate) fn beside(path: &Path) -> Result<Self, BatchError> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).map_err(BatchError::when("make", folder))?;
        let make = || {
            let temporary =
                tempfile::Builder::new().prefix(".new-").suffix(TEMP_SUFFIX).tempfile_in(folder)?;
            let writer = BufWriter::with_capacity(1 << 18, temporary.reopen()?);
            Ok((temporary, writer))
        };
        let (temporary, writer) = make().map_err(BatchError::when("write beside", path))?;
        Ok(Self { path: path.to_path_buf(), temporary, writer })
    }

    pub(crate) fn line(&mut self, value: &impl serde::Serialize) -> Result<(), BatchError> {
        let mut write = || {
            serde_json::to_writer(&mut self.writer, value)?;
            self.writer.write_all(b"\n")
        };
        write().map_err(BatchError::when("write", &self.path))
    }

    /// Where it will be.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn put(self) -> Result<(), BatchError> {
        let Self { path, temporary, writer } = self;
        let file = writer
            .into_inner()
            .map_err(|error| BatchError::when("write", &path)(error.into_error()))?;
        file.sync_all().map_err(BatchError::when("flush", &path))?;
        temporary
            .persist(&path)
            .map_err(|error| BatchError::when("replace", &path)(error.error))?;
        Ok(())
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.writer.flush()
    }
}
