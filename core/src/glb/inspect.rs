//! Facts and faults of a GLB, for people and scripts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Limits, Refusal, read_with_warnings};
use crate::mesh::Mesh;

/// What `meshmark inspect` prints: facts, or why there are none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Inspection {
    /// The file is not read.
    Refused {
        /// Why.
        refused: Refusal,
    },
    /// The file is read.
    Facts(Facts),
}

/// What a mesh is made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Facts {
    /// Triangles, instances repeated, those without area included.
    pub triangles: usize,
    /// Vertices as stored in the accessors, once per node that uses them.
    pub vertices: usize,
    /// Square metres, both sides counted once.
    pub area: f64,
    /// `[minimum, maximum]` over all vertices that a triangle uses, metres, Y up; null without triangles.
    pub bounds: Option<[[f64; 3]; 2]>,
    /// Nodes of the default scene that carry a mesh.
    pub nodes_with_mesh: usize,
    /// Connected components, as [`Mesh::components`] defines them.
    pub components: usize,
    /// What was passed over, and what is odd.
    pub warnings: Vec<String>,
}

/// Reads a GLB and tells what is in it.
#[must_use]
pub fn inspect(bytes: &[u8], limits: &Limits) -> Inspection {
    match read_with_warnings(bytes, limits) {
        Ok((mesh, warnings)) => Inspection::Facts(facts(&mesh, warnings)),
        Err(refused) => Inspection::Refused { refused },
    }
}

fn facts(mesh: &Mesh, mut warnings: Vec<String>) -> Facts {
    let flat = (0..mesh.triangles.len()).filter(|&t| mesh.triangle_area(t) <= 0.0).count();
    if mesh.triangles.is_empty() {
        warnings.push("the default scene has no triangles".to_owned());
    } else if flat > 0 {
        warnings.push(format!("{flat} of {} triangles have no area", mesh.triangles.len()));
    }
    Facts {
        triangles: mesh.triangles.len(),
        vertices: mesh.positions.len(),
        area: mesh.area(),
        bounds: mesh.bounds(),
        nodes_with_mesh: mesh.nodes_with_mesh,
        components: mesh.components(),
        warnings,
    }
}
