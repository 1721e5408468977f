//! Names on a command line that name nothing.

use std::error::Error;
use std::io;

use hermes_files::checkpoints::CheckpointError;
use hermes_sessions::SessionsError;
use hermes_skills::SkillRefusal;
use hermes_store::UnknownName;
use hermes_store::pending::PendingError;

/// Whether something failed only because a name names nothing, or several things: a session, a skill, a checkpoint, a change
/// that waits. Each part of Hermes has its own words for that; whoever makes an exit code of it asks here, so that the code
/// is the same for all.
#[must_use]
pub fn is_unknown_name(error: &anyhow::Error) -> bool {
    // An error that came in a box shows what is in it only to those who ask for the box.
    type Boxed = Box<dyn Error + Send + Sync>;
    let boxed = error.downcast_ref::<Boxed>().map(|boxed| &**boxed as &(dyn Error + 'static));
    error.chain().chain(boxed).any(|cause| {
        let session = matches!(
            cause.downcast_ref(),
            Some(SessionsError::NoSession { .. } | SessionsError::Ambiguous { .. })
        );
        let checkpoint = matches!(
            cause.downcast_ref(),
            Some(
                CheckpointError::InvalidHash { .. }
                    | CheckpointError::UnknownCheckpoint { .. }
                    | CheckpointError::AmbiguousHash { .. }
            )
        );
        let pending = matches!(
            cause.downcast_ref(),
            Some(PendingError::Unknown { .. } | PendingError::Ambiguous { .. })
        );
        let inside = cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        let refusal = cause.downcast_ref().or(inside.and_then(|inside| inside.downcast_ref()));
        let skill = refusal.is_some_and(|refusal: &SkillRefusal| refusal.kind == "not_found");
        session || checkpoint || pending || skill || UnknownName::is_in(cause)
    })
}
