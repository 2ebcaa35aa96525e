//! Checks that all ranks make the same solve, before they wait for each other.
//!
//! Ranks with different solves would wait for each other forever. So they compare their manifests
//! first, and then hashes of all inputs.

use std::collections::HashMap;

use ode_core::SolveError;
use ode_core::persist::{self, Difference};

use crate::error::ClusterError;
use crate::mpi::World;

/// Returns `mine` if all ranks succeeded and have the same `text`, for example a manifest.
///
/// # Errors
/// This rank's own error; the error of another rank; or [`ClusterError::Disagree`], on all ranks.
pub(crate) fn on<V>(
    world: &World,
    text: &str,
    mine: Result<V, SolveError>,
) -> Result<V, SolveError> {
    let said = match &mine {
        Ok(_) => blake3::hash(text.as_bytes()).to_string(),
        Err(error) => format!("{FAILED}{error}"),
    };
    let said = world.gather(said.as_bytes());
    let mine = mine?;
    let said: Vec<_> = said.iter().map(|text| String::from_utf8_lossy(text)).collect();
    let failed = |text: &str| text.strip_prefix(FAILED).map(str::to_owned);
    if let Some((rank, message)) =
        said.iter().enumerate().find_map(|(rank, text)| Some((rank, failed(text)?)))
    {
        return Err(ClusterError::Rank { rank, message }.into());
    }
    let Some(rank) = said.iter().position(|text| *text != said[0]) else { return Ok(mine) };
    // All ranks reach this line, and all receive both texts.
    let [ours, theirs] = [0, rank].map(|root| {
        let mut text = text.as_bytes().to_vec();
        world.broadcast(root, &mut text);
        String::from_utf8_lossy(&text).into_owned()
    });
    let Difference { name: key, theirs, ours } =
        persist::difference(&ours, &theirs).unwrap_or_default();
    Err(ClusterError::Disagree { rank, key, theirs, ours }.into())
}

/// Compares the entries of `text` that both this rank and rank 0 have.
///
/// # Errors
/// [`ClusterError::Disagree`], on all ranks, if a rank has another value than rank 0.
pub(crate) fn each(world: &World, text: &str) -> Result<(), SolveError> {
    let texts = world.gather(text.as_bytes());
    let texts: Vec<_> = texts.iter().map(|text| String::from_utf8_lossy(text)).collect();
    let first: HashMap<&str, &str> =
        texts.first().into_iter().flat_map(|text| persist::entries(text)).collect();
    for (rank, text) in texts.iter().enumerate() {
        let other = persist::entries(text).find_map(|(key, theirs)| {
            let ours = first.get(key).filter(|ours| **ours != theirs)?;
            Some([key, theirs, ours].map(str::to_owned))
        });
        if let Some([key, theirs, ours]) = other {
            return Err(ClusterError::Disagree { rank, key, theirs, ours }.into());
        }
    }
    Ok(())
}

/// Returns the bytes of all ranks, in order.
///
/// # Errors
/// This rank's own error, or the error of another rank, on all ranks.
pub(crate) fn gathered(
    world: &World,
    mine: Result<Vec<u8>, SolveError>,
) -> Result<Vec<Vec<u8>>, SolveError> {
    // The last byte is the kind of the others: large arrays are not moved for it.
    let (mut said, kind, error) = match mine {
        Ok(bytes) => (bytes, 0, None),
        Err(error) => (error.to_string().into_bytes(), 1, Some(error)),
    };
    said.push(kind);
    let mut said = world.gather(&said);
    if let Some(error) = error {
        return Err(error);
    }
    for (rank, said) in said.iter_mut().enumerate() {
        if said.pop() != Some(0) {
            let message = String::from_utf8_lossy(said).into_owned();
            return Err(ClusterError::Rank { rank, message }.into());
        }
    }
    Ok(said)
}

/// Concatenates the numbers of all ranks, if all ranks have the same `at`.
///
/// # Errors
/// This rank's own error; the error of another rank; or [`ClusterError::Disagree`], on all ranks.
pub(crate) fn at(
    world: &World,
    at: &[f64],
    mine: Result<Vec<f64>, SolveError>,
) -> Result<Vec<f64>, SolveError> {
    let bytes = mine.map(|numbers| {
        let numbers: Vec<f64> = at.iter().chain(&numbers).copied().collect();
        bytemuck::cast_slice(&numbers).to_vec()
    });
    let (mut all, mut first) = (Vec::new(), None);
    for (rank, said) in gathered(world, bytes)?.iter().enumerate() {
        let numbers: Vec<f64> = bytemuck::allocation::pod_collect_to_vec(said);
        let (at, numbers) = numbers.split_at_checked(at.len()).unwrap_or((&numbers, &[]));
        let first = first.get_or_insert_with(|| at.to_vec());
        if !at.iter().map(|x| x.to_bits()).eq(first.iter().map(|x| x.to_bits())) {
            let (key, theirs, ours) = ("theta".to_owned(), format!("{at:?}"), format!("{first:?}"));
            return Err(ClusterError::Disagree { rank, key, theirs, ours }.into());
        }
        all.extend_from_slice(numbers);
    }
    Ok(all)
}

const FAILED: &str = "failed: ";
