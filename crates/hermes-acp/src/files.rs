//! Files through the editor: what stands in its windows, saved or not, is what the agent reads and changes.
//!
//! Only texts go this way. Names, searches and everything that is no text are the disk's, and so is a file that the editor
//! cannot give.

use std::io::Cursor;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use agent_client_protocol::Client;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    FileSystemCapabilities, ReadTextFileRequest, SessionId, WriteTextFileRequest,
};
use hermes_files::fs::{
    ContentQuery, FileSystem, FilesLocation, FsError, LocalFiles, NameQuery, OpenFile, ReadSeek,
    Resolved, SearchRoot, Stamp, Written,
};
use hermes_files::search::{ContentReply, FileReply, SearchError};
use hermes_tool::BoxFuture;

/// The files of an editor's session.
#[derive(Clone)]
pub(crate) struct EditorFiles {
    connection: ConnectionTo<Client>,
    session: Arc<OnceLock<SessionId>>,
    reads: bool,
    writes: bool,
}

impl EditorFiles {
    /// Through an editor that can do so; none if it cannot.
    pub(crate) fn of(
        connection: ConnectionTo<Client>,
        can: &FileSystemCapabilities,
    ) -> Option<Self> {
        let (reads, writes) = (can.read_text_file, can.write_text_file);
        let session = Arc::default();
        (reads || writes).then_some(Self { connection, session, reads, writes })
    }

    /// Names the session once it has an id.
    pub(crate) fn belongs_to(&self, session: SessionId) {
        let _ = self.session.set(session);
    }

    /// The text in the editor's window, or of the file as the editor reads it.
    async fn text(&self, path: PathBuf) -> Option<Vec<u8>> {
        let session = self.session.get().filter(|_| self.reads)?.clone();
        let asked = self.connection.send_request(ReadTextFileRequest::new(session, path));
        Some(asked.block_task().await.ok()?.content.into_bytes())
    }
}

/// A text that is in memory.
struct TextInMemory(Cursor<Vec<u8>>);

impl std::io::Read for TextInMemory {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0.read(buffer)
    }
}

impl std::io::Seek for TextInMemory {
    fn seek(&mut self, to: std::io::SeekFrom) -> std::io::Result<u64> {
        self.0.seek(to)
    }
}

impl ReadSeek for TextInMemory {}

impl FileSystem for EditorFiles {
    fn location(&self) -> FilesLocation {
        FilesLocation::Local
    }

    fn resolve(&self, path: PathBuf) -> BoxFuture<Result<Resolved, FsError>> {
        LocalFiles.resolve(path)
    }

    fn read(&self, canonical: PathBuf, most: u64) -> BoxFuture<Result<(Vec<u8>, Stamp), FsError>> {
        let this = self.clone();
        Box::pin(async move {
            // The disk says whether it may be read at all, and what state it is in.
            let (on_disk, stamp) = LocalFiles.read(canonical.clone(), most).await?;
            if std::str::from_utf8(&on_disk).is_err() {
                return Ok((on_disk, stamp));
            }
            match this.text(canonical.clone()).await {
                Some(text) if text.len() as u64 > most => {
                    Err(FsError::TooLarge { path: canonical, size: text.len() as u64, most })
                }
                Some(text) => Ok((text, stamp)),
                None => Ok((on_disk, stamp)),
            }
        })
    }

    fn open(&self, canonical: PathBuf) -> BoxFuture<Result<OpenFile, FsError>> {
        /// Larger files are read from the disk, piece by piece.
        const MOST: u64 = 4 * 1024 * 1024;
        let this = self.clone();
        Box::pin(async move {
            let opened = LocalFiles.open(canonical.clone()).await?;
            if opened.stamp.size > MOST {
                return Ok(opened);
            }
            match this.read(canonical, MOST).await {
                Ok((text, stamp)) => {
                    Ok(OpenFile { content: Box::new(TextInMemory(Cursor::new(text))), stamp })
                }
                Err(_) => Ok(opened),
            }
        })
    }

    fn names(&self, directory: PathBuf, most: usize) -> BoxFuture<Result<Vec<String>, FsError>> {
        LocalFiles.names(directory, most)
    }

    fn write(&self, canonical: PathBuf, content: Vec<u8>) -> BoxFuture<Result<Written, FsError>> {
        let this = self.clone();
        Box::pin(async move {
            let session = this.session.get().filter(|_| this.writes).cloned();
            let text = String::from_utf8(content.clone()).ok();
            if let (Some(session), Some(text)) = (session, text) {
                let request = WriteTextFileRequest::new(session, canonical.clone(), text);
                if this.connection.send_request(request).block_task().await.is_ok()
                    && let Some(stat) = LocalFiles.resolve(canonical.clone()).await?.stat
                    && stat.stamp.size == content.len() as u64
                {
                    let (bytes, stamp) = (stat.stamp.size, stat.stamp);
                    return Ok(Written { bytes, made_directories: false, stamp });
                }
            }
            // An editor that would not, or keeps it in its window alone: the disk has it in any case.
            LocalFiles.write(canonical, content).await
        })
    }

    fn remove(&self, canonical: PathBuf) -> BoxFuture<Result<(), FsError>> {
        LocalFiles.remove(canonical)
    }

    fn rename(&self, from: PathBuf, to: PathBuf) -> BoxFuture<Result<(), FsError>> {
        LocalFiles.rename(from, to)
    }

    fn keep(&self, canonical: PathBuf) -> BoxFuture<Result<PathBuf, FsError>> {
        LocalFiles.keep(canonical)
    }

    fn put_back(&self, kept: PathBuf, canonical: PathBuf) -> BoxFuture<Result<(), FsError>> {
        LocalFiles.put_back(kept, canonical)
    }

    fn search_content(
        &self,
        target: SearchRoot,
        query: ContentQuery,
    ) -> BoxFuture<Result<ContentReply, SearchError>> {
        LocalFiles.search_content(target, query)
    }

    fn search_names(
        &self,
        target: SearchRoot,
        query: NameQuery,
    ) -> BoxFuture<Result<FileReply, SearchError>> {
        LocalFiles.search_names(target, query)
    }
}
