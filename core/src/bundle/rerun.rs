//! Whether executing a program again gave what a bundle says it gave. Programs repeat themselves only nearly: some
//! reorder triangles, some drift by a few ten-thousandths of their area, so shapes are compared and not bytes.

use serde_json::{Value, json};

use super::{format::Outcome, verify::Check};
use crate::{chamfer::upright, glb, mesh::Mesh, protocol::EXEC_MESHMARK};

/// How far apart corners of the bounding boxes may be, relative to the longest side.
pub const BOUNDS_TOLERANCE: f64 = 0.005;
/// How far apart the areas may be, relative to the claimed one.
pub const AREA_TOLERANCE: f64 = 0.01;
/// How far apart the surfaces may be: this many times the noise of the measure itself.
pub const NOISE_FLOORS: f64 = 2.0;

/// What running a program gave.
#[derive(Debug, Clone, Copy)]
pub struct Gave<'a> {
    /// How it ended.
    pub outcome: &'a Outcome,
    /// The GLB.
    pub mesh: Option<&'a [u8]>,
}

/// Compares what a bundle claims of a program with what running it again gave: status, and the shape within tolerance.
///
/// The shapes agree when the corners of their bounding boxes, their areas, and their surfaces (the distance of
/// `chamfer/upright@1` without a turn) do, by [`BOUNDS_TOLERANCE`], [`AREA_TOLERANCE`] and [`NOISE_FLOORS`].
#[must_use]
pub fn check(place: &str, claimed: Gave<'_>, again: Gave<'_>) -> Check {
    let place = format!("{place} rerun");
    let (status, status_again) = match (claimed.outcome, again.outcome) {
        (_, Outcome::Ours(ours)) => {
            let reason = format!("it could not be run here: {}", ours.message);
            return Check::not_checkable(place, EXEC_MESHMARK, Value::Null, reason);
        }
        (Outcome::Ours(_), _) => {
            let reason = "the run claims nothing here: it failed to execute it".to_owned();
            return Check::not_checkable(place, EXEC_MESHMARK, Value::Null, reason);
        }
        (Outcome::Mesh(claimed), Outcome::Mesh(again)) => (claimed.status, again.status),
    };
    let facts = |status, mesh: Option<&Mesh>| {
        let area = mesh.map(Mesh::area);
        json!({ "status": status, "area": area, "bounds": mesh.and_then(Mesh::bounds) })
    };
    let read = |mesh: Option<&[u8]>| mesh.and_then(|bytes| glb::read(bytes, &glb::Limits::default()).ok());
    let (mesh, mesh_again) = (read(claimed.mesh), read(again.mesh));
    let fault = if status == status_again {
        match (&mesh, &mesh_again) {
            (Some(mesh), Some(again)) => different_shape(mesh, again),
            (None, None) => None,
            _ => Some("one run gave a mesh and the other none".to_owned()),
        }
    } else {
        Some("it ended otherwise".to_owned())
    };
    let (claimed, found) = (facts(status, mesh.as_ref()), facts(status_again, mesh_again.as_ref()));
    match fault {
        None => Check::agrees(place, EXEC_MESHMARK, claimed, found),
        Some(reason) => Check::differs_from(place, EXEC_MESHMARK, claimed, found, reason),
    }
}

/// Why two meshes are not one shape.
fn different_shape(claimed: &Mesh, again: &Mesh) -> Option<String> {
    let (Some(bounds), Some(bounds_again)) = (claimed.bounds(), again.bounds()) else {
        return (claimed.bounds() != again.bounds()).then(|| "one has no triangle".to_owned());
    };
    let extent = (0..3).map(|k| bounds[1][k] - bounds[0][k]).fold(0.0, f64::max);
    let apart =
        bounds.iter().flatten().zip(bounds_again.iter().flatten()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    if apart > BOUNDS_TOLERANCE * extent {
        return Some(format!("the bounding boxes are {apart:.6} m apart, {extent:.6} m is the longest side"));
    }
    let (area, area_again) = (claimed.area(), again.area());
    if (area - area_again).abs() > AREA_TOLERANCE * area {
        return Some(format!("the areas are {area:.6} and {area_again:.6} m²"));
    }
    let between = upright::between(claimed, again);
    let Ok(upright::Upright { per_yaw: [distance, ..], noise_floor, .. }) = between else {
        return between.err().map(|error| error.to_string());
    };
    (distance > NOISE_FLOORS * noise_floor)
        .then(|| format!("the surfaces are {distance:.6} apart, and {noise_floor:.6} is the measure's own noise"))
}
