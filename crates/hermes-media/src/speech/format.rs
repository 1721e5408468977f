//! The forms sound comes in.

use std::fmt;
use std::path::Path;

/// How sound is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AudioFormat {
    /// MPEG layer 3.
    Mp3,
    /// Opus in Ogg, as voice messages are sent.
    Ogg,
    /// Plain samples.
    Wav,
    /// Packed without loss.
    Flac,
}

impl AudioFormat {
    /// Every form, in the order in which errors list them.
    pub const ALL: [Self; 4] = [Self::Mp3, Self::Ogg, Self::Wav, Self::Flac];

    /// What services that follow OpenAI's wire call it: the codec, where that differs from the ending.
    pub(crate) const fn as_asked(self) -> &'static str {
        match self {
            Self::Ogg => "opus",
            other => other.extension(),
        }
    }

    /// The ending of file names.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Mp3 => "mp3",
            Self::Ogg => "ogg",
            Self::Wav => "wav",
            Self::Flac => "flac",
        }
    }

    /// The form a file's name asks for.
    #[must_use]
    pub fn of_path(path: &Path) -> Option<Self> {
        Self::parse(path.extension()?.to_str()?)
    }

    /// The form of a word or ending.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        match word.to_ascii_lowercase().as_str() {
            "mp3" => Some(Self::Mp3),
            "ogg" | "opus" | "oga" => Some(Self::Ogg),
            "wav" => Some(Self::Wav),
            "flac" => Some(Self::Flac),
            _ => None,
        }
    }

    /// Whether chat programs show it as a voice message.
    #[must_use]
    pub const fn is_voice(self) -> bool {
        matches!(self, Self::Ogg)
    }
}

impl fmt::Display for AudioFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.extension())
    }
}
