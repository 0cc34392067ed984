//! Two GLB files in, one number with its evidence out: the call behind `meshmark compare`, the pipeline and
//! the browser.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    glb::{self, Limits, Refusal},
    mesh::Mesh,
    protocol::{CHAMFER_OFFICIAL, CHAMFER_UPRIGHT},
};

use super::{ChamferError, Side, official, upright};

/// Settings that only some protocols have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Options {
    /// Where random numbers begin; 0 unless given.
    pub seed: Option<u64>,
    /// Points on each surface; 8,192 unless given.
    pub points: Option<usize>,
}

/// What `meshmark compare` prints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// What the numbers mean.
    pub protocol: String,
    /// The distance.
    pub value: f64,
    /// The candidate's yaw that gives it, degrees.
    pub yaw_deg: u16,
    /// The distance at 0, 90, 180 and 270 degrees.
    pub per_yaw: [f64; 4],
    /// The reference's distance to itself, sampled otherwise: smaller values mean nothing.
    pub noise_floor: f64,
    /// The reference's distance to a single point at its centre: what a failed trial counts.
    pub penalty: f64,
    /// Points on each surface.
    pub points: usize,
    /// Where random numbers began; absent from protocols without them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// What was asked for.
    pub reference: Shape,
    /// What was made.
    pub candidate: Shape,
}

/// The size of one of the meshes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Shape {
    /// Triangles, instances repeated.
    pub triangles: usize,
    /// Vertices as stored, once per node that uses them.
    pub vertices: usize,
    /// Square metres.
    pub area: f64,
    /// `[minimum, maximum]`, metres, Y up; null without triangles.
    pub bounds: Option<[[f64; 3]; 2]>,
}

impl From<&Mesh> for Shape {
    fn from(mesh: &Mesh) -> Self {
        Self {
            triangles: mesh.triangles.len(),
            vertices: mesh.positions.len(),
            area: mesh.area(),
            bounds: mesh.bounds(),
        }
    }
}

/// Why two files were not compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// No such protocol.
    #[error("{protocol:?} is no protocol that compares shapes; use {CHAMFER_UPRIGHT} or {CHAMFER_OFFICIAL}")]
    UnknownProtocol {
        /// What was asked for.
        protocol: String,
    },
    /// An option that the protocol doesn't have.
    #[error("{protocol} has no {option}: its definition fixes them; leave the option out, or use {CHAMFER_OFFICIAL}")]
    NoSuchOption {
        /// The protocol.
        protocol: &'static str,
        /// The option.
        option: &'static str,
    },
    /// Too few or too many points.
    #[error("{points} points; give between 1 and {}", official::MAX_POINTS)]
    Points {
        /// What was asked for.
        points: usize,
    },
    /// A file is not read.
    #[error("{side} is not read: {refusal}")]
    Refused {
        /// Which.
        side: Side,
        /// Why.
        refusal: Refusal,
    },
    /// A mesh has no distance to anything.
    #[error(transparent)]
    Chamfer(#[from] ChamferError),
}

/// Compares two GLB files.
///
/// # Errors
/// [`CompareError`]; the call is checked before the files, the reference before the candidate.
pub fn compare(
    reference: &[u8],
    candidate: &[u8],
    protocol: &str,
    options: &Options,
) -> Result<Comparison, CompareError> {
    let read =
        |bytes, side| glb::read(bytes, &Limits::default()).map_err(|refusal| CompareError::Refused { side, refusal });
    let both = || Ok::<_, CompareError>((read(reference, Side::Reference)?, read(candidate, Side::Candidate)?));
    match protocol {
        CHAMFER_UPRIGHT => {
            for (given, option) in [(options.seed.is_some(), "seed"), (options.points.is_some(), "number of points")] {
                if given {
                    return Err(CompareError::NoSuchOption { protocol: CHAMFER_UPRIGHT, option });
                }
            }
            let (reference, candidate) = both()?;
            let upright::Upright { value, yaw_deg, per_yaw, noise_floor, penalty } =
                upright::between(&reference, &candidate)?;
            Ok(Comparison {
                protocol: protocol.to_owned(),
                value,
                yaw_deg,
                per_yaw,
                noise_floor,
                penalty,
                points: upright::POINTS,
                seed: None,
                reference: (&reference).into(),
                candidate: (&candidate).into(),
            })
        }
        CHAMFER_OFFICIAL => {
            let (seed, points) = (options.seed.unwrap_or(0), options.points.unwrap_or(official::DEFAULT_POINTS));
            if !(1..=official::MAX_POINTS).contains(&points) {
                return Err(CompareError::Points { points });
            }
            let (reference, candidate) = both()?;
            let official::Official { value, yaw_deg, per_yaw, noise_floor, penalty } =
                official::between(&reference, &candidate, seed, points)?;
            Ok(Comparison {
                protocol: protocol.to_owned(),
                value,
                yaw_deg,
                per_yaw,
                noise_floor,
                penalty,
                points,
                seed: Some(seed),
                reference: (&reference).into(),
                candidate: (&candidate).into(),
            })
        }
        other => Err(CompareError::UnknownProtocol { protocol: other.to_owned() }),
    }
}
