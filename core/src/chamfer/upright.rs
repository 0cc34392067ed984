//! `chamfer/upright@1`: the corrected Chamfer distance, without random numbers.

use crate::{
    cloud::{Cloud, Surface},
    mesh::Mesh,
    nearest::{Tree, Turn},
};

use super::{ChamferError, Side, distance, least, penalty, per_yaw_of_trees};

/// Points on each surface; part of the protocol's meaning.
pub const POINTS: usize = 8192;

/// A distance with what is needed to judge it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Upright {
    /// The least of `per_yaw`.
    pub value: f64,
    /// The candidate's yaw, degrees about +Y, that gives it; of equal ones the smallest.
    pub yaw_deg: u16,
    /// The distance at 0, 90, 180 and 270 degrees.
    pub per_yaw: [f64; 4],
    /// How far the reference is from itself cut into other triangles: smaller values mean nothing.
    pub noise_floor: f64,
    /// What a failed trial counts in a penalized mean, where a success counts `min(value, penalty)`.
    pub penalty: f64,
}

/// The reference's side of a comparison: what doesn't depend on the candidate.
#[derive(Debug, Clone)]
pub struct Reference {
    tree: Tree,
    noise_floor: f64,
    penalty: f64,
}

impl Reference {
    /// Samples a reference; worth keeping when it is compared with several candidates.
    ///
    /// # Errors
    /// [`ChamferError`] when it has no area or is too large.
    pub fn new(mesh: &Mesh) -> Result<Self, ChamferError> {
        let blame = Side::Reference.blame();
        let surface = Surface::canonical(mesh).map_err(&blame)?;
        let cloud = normalised(&surface).map_err(&blame)?;
        let halved = normalised(&surface.halved().map_err(&blame)?).map_err(&blame)?;
        let tree = Tree::new(&cloud);
        let noise_floor = distance(&tree, &Tree::new(&halved), Turn::Deg0);
        Ok(Self { tree, noise_floor, penalty: penalty(&cloud) })
    }

    /// The distance between this reference and a single point at its centre: what a failed trial is given.
    #[must_use]
    pub fn penalty(&self) -> f64 {
        self.penalty
    }

    /// How far the reference is from itself cut into other triangles.
    #[must_use]
    pub fn noise_floor(&self) -> f64 {
        self.noise_floor
    }

    /// The distance to a candidate; see [`between`].
    ///
    /// # Errors
    /// [`ChamferError`] when the candidate has no area or is too large.
    pub fn to(&self, candidate: &Mesh) -> Result<Upright, ChamferError> {
        let cloud =
            Surface::canonical(candidate).and_then(|surface| normalised(&surface)).map_err(Side::Candidate.blame())?;
        let per_yaw = per_yaw_of_trees(&self.tree, &Tree::new(&cloud));
        let (value, yaw_deg) = least(per_yaw);
        Ok(Upright { value, yaw_deg, per_yaw, noise_floor: self.noise_floor, penalty: self.penalty })
    }
}

fn normalised(surface: &Surface<'_>) -> Result<Cloud, crate::cloud::CloudError> {
    surface.quasi_random(POINTS)?.normalised()
}

/// Compares two surfaces under `chamfer/upright@1`.
///
/// Definition: 8,192 quasi-random points on each surface in canonical order ([`Surface::canonical`],
/// [`Surface::quasi_random`]); each cloud centred on its mean and scaled to radius 1 ([`Cloud::normalised`]); the
/// symmetric mean squared distance at four yaws of the candidate about +Y ([`super::per_yaw`]); the least of
/// them. Scale, position, quarter turns about up, winding and the file's order don't matter; tilting does.
///
/// Source: the Chamfer distance of 3DCodeBench's code, corrected in four points: yaw is about the file's up axis;
/// no random numbers; a penalty of its own for each reference; a noise floor beside the value.
///
/// Edge cases: triangles without area take no points; a mesh without area, or whose area or extent is beyond
/// `f64`, is an error that names its side. A shape against itself gives exactly 0.
///
/// Oracle: `goldens/chamfer/make_upright.py` (numpy and scipy, no mesh library), to 1e-6 relative.
///
/// # Errors
/// [`ChamferError`], the reference's first.
pub fn between(reference: &Mesh, candidate: &Mesh) -> Result<Upright, ChamferError> {
    Reference::new(reference)?.to(candidate)
}
