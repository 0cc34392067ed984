//! Chamfer distances between surfaces, by protocol: [`upright`] is ours, [`official`] the benchmark's.

pub mod compare;
pub mod official;
pub mod upright;

pub use compare::{CompareError, Comparison, Options, compare};

use std::fmt;

use crate::{
    cloud::{Cloud, CloudError, square},
    nearest::{Tree, Turn},
};

/// One of the two shapes that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// What was asked for.
    Reference,
    /// What was made.
    Candidate,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reference => "the reference",
            Self::Candidate => "the candidate",
        })
    }
}

/// Why there is no distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{side} can't be measured: {source}")]
pub struct ChamferError {
    /// Whose fault it is.
    pub side: Side,
    /// What is wrong with it.
    pub source: CloudError,
}

impl Side {
    fn blame(self) -> impl Fn(CloudError) -> ChamferError {
        move |source| ChamferError { side: self, source }
    }
}

/// The symmetric Chamfer distance at four yaws: the mean squared distance from each point of the reference to the
/// nearest of the candidate turned about +Y by 0, 90, 180 and 270 degrees, plus the same the other way round.
///
/// Source: Fan, Su and Guibas, "A Point Set Generation Network for 3D Object Reconstruction from a Single
/// Image", 2017, section 4.2, with means for sums, as the benchmark's code has it. Clouds of different sizes
/// are fine. Oracle: scipy's `cKDTree` on stored clouds.
#[must_use]
pub fn per_yaw(reference: &Cloud, candidate: &Cloud) -> [f64; 4] {
    per_yaw_of_trees(&Tree::new(reference), &Tree::new(candidate))
}

fn per_yaw_of_trees(reference: &Tree, candidate: &Tree) -> [f64; 4] {
    Turn::ALL.map(|turn| distance(reference, candidate, turn))
}

/// Turning the reference back instead of the candidate gives the same digits; see [`crate::nearest`].
fn distance(reference: &Tree, candidate: &Tree, turn: Turn) -> f64 {
    candidate.mean_squared_distance(reference, turn.inverse()) + reference.mean_squared_distance(candidate, turn)
}

/// The least of four values and its yaw; of equal ones the smaller angle.
fn least(per_yaw: [f64; 4]) -> (f64, u16) {
    let best = (1..4).fold(0, |best, k| if per_yaw[k] < per_yaw[best] { k } else { best });
    (per_yaw[best], Turn::ALL[best].degrees())
}

/// The distance between a normalised reference and a single point at the origin: what a failed trial is given.
fn penalty(reference: &Cloud) -> f64 {
    let squares = || reference.points().iter().map(square);
    squares().fold(0.0, |sum, d| sum + d) / reference.points().len() as f64 + squares().fold(f64::INFINITY, f64::min)
}
