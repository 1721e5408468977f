//! `hermes batch gc`.

use hermes_host::Host;
use hermes_skills::report::VerbReport;

use super::{BatchEnd, BatchReport};
use crate::BatchError;
use crate::run::RunLeftovers;
use crate::store::{FetchedImages, RunFolder, RunLock};

/// Removes what starts that are over left behind. Whoever has the lock knows that none of them lives.
pub(super) async fn gc(
    host: &Host,
    folder: &RunFolder,
    prune_images: bool,
) -> Result<BatchReport, BatchError> {
    let manifest = folder.manifest()?;
    let _lock = RunLock::take(folder, &manifest.name)?;
    let epoch = folder.next_epoch()?;
    let removed = folder.clear_sandboxes(epoch);
    let mut lines = vec![format!("{removed} working folders of earlier starts were removed")];
    let mut trouble = Vec::new();
    for backend in manifest.backends() {
        match RunLeftovers::of(host, &manifest.id, backend).end_before(epoch).await {
            Ok(None) => {}
            Ok(Some(count)) => lines
                .push(format!("{count} containers or sandboxes of earlier starts were removed")),
            Err(why) => trouble.push(format!("containers or sandboxes may be left: {why}")),
        }
    }
    if prune_images {
        // Only docker fetches images.
        let leftovers = RunLeftovers::of(host, &manifest.id, Some("docker"));
        let images = FetchedImages(folder);
        let (mut gone, mut used) = (Vec::new(), Vec::new());
        for image in images.here() {
            match leftovers.remove_image(&image).await {
                Ok(true) => gone.push(image),
                Ok(false) => used.push(image),
                Err(why) => trouble.push(format!("the image {image} stays: {why}")),
            }
        }
        lines.push(format!("{} images that were fetched for the run were removed", gone.len()));
        if !used.is_empty() {
            lines.push(format!("in use or gone already: {}", used.join(", ")));
        }
        if !gone.is_empty() {
            images.forget(&gone)?;
        }
    }
    let end = if trouble.is_empty() { BatchEnd::Done } else { BatchEnd::Failed };
    Ok(BatchReport { said: VerbReport::text(lines.join("\n")).warned(trouble), end })
}
