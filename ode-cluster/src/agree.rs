//! Ranks make sure that they solve the same, before they wait for each other.

use crate::error::ClusterError;
use crate::mpi::World;
use crate::plan::{self, Plan};

/// What this rank has, if all ranks have theirs and the same plan.
///
/// # Errors
/// This rank's own error; that of another rank; or [`ClusterError::Disagree`], on all ranks.
pub(crate) fn on<V>(
    world: &World,
    plan: &Plan,
    mine: Result<V, ClusterError>,
) -> Result<V, ClusterError> {
    let said = match &mine {
        Ok(_) => plan.hash.to_string(),
        Err(error) => format!("{FAILED}{error}"),
    };
    let said = world.gather(said.as_bytes());
    let mine = mine?;
    let said: Vec<_> = said.iter().map(|text| String::from_utf8_lossy(text)).collect();
    let failed = |text: &str| text.strip_prefix(FAILED).map(str::to_owned);
    if let Some((rank, message)) =
        said.iter().enumerate().find_map(|(rank, text)| Some((rank, failed(text)?)))
    {
        return Err(ClusterError::Rank { rank, message });
    }
    let Some(rank) = said.iter().position(|text| *text != said[0]) else { return Ok(mine) };
    // All ranks are here, and get both plans.
    let [ours, theirs] = [0, rank].map(|root| {
        let mut text = plan.text().into_bytes();
        world.broadcast(root, &mut text);
        String::from_utf8_lossy(&text).into_owned()
    });
    let difference = plan::difference(&ours, &theirs);
    let [key, theirs, ours] = difference.ok().flatten().unwrap_or_default();
    Err(ClusterError::Disagree { rank, key, theirs, ours })
}

const FAILED: &str = "failed: ";
