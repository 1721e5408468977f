//! What a bridge and its other end say to each other: a kind, a length, bytes.

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

/// From the bridge: input of the command.
pub(super) const INPUT: u8 = 0;
/// From the bridge: the input is at its end.
pub(super) const INPUT_END: u8 = 1;
/// To the bridge: output of the command.
pub(super) const OUT: u8 = 2;
/// To the bridge: what the command, or we ourselves, say beside it.
pub(super) const WORDS: u8 = 3;
/// To the bridge: the command's code. The last frame.
pub(super) const CODE: u8 = 4;

/// No frame is longer.
pub(super) const LONGEST: usize = 4 << 20;

/// Writes one.
pub(super) async fn write(
    stream: &mut (impl AsyncWrite + Unpin),
    kind: u8,
    bytes: &[u8],
) -> std::io::Result<()> {
    for part in bytes.chunks(LONGEST).chain(bytes.is_empty().then_some(bytes)) {
        let length = u32::try_from(part.len()).unwrap_or_default().to_be_bytes();
        stream.write_all(&[kind, length[0], length[1], length[2], length[3]]).await?;
        stream.write_all(part).await?;
    }
    stream.flush().await
}

/// Reads one; nothing when the other side is gone.
pub(super) async fn read(stream: &mut (impl AsyncRead + Unpin)) -> Option<(u8, Vec<u8>)> {
    let mut head = [0; 5];
    stream.read_exact(&mut head).await.ok()?;
    let [kind, length @ ..] = head;
    let length = u32::from_be_bytes(length) as usize;
    let mut bytes = vec![0; (length <= LONGEST).then_some(length)?];
    stream.read_exact(&mut bytes).await.ok()?;
    Some((kind, bytes))
}
