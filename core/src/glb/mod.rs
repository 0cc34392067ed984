//! Reading GLB (binary glTF 2.0) into a [`Mesh`]: triangles of the default scene, in world coordinates.
//!
//! A file gives a right mesh or a typed [`Refusal`], never a wrong mesh and never a panic. In the order of
//! reading: `container` (chunks), `document` (JSON), `tree` (nodes and transforms), `primitive` (vertices and
//! triangles, through `accessor`), and [`inspect`] on top.
//!
//! Read are: triangles, strips and fans, with and without indices; strided, sparse, integer and normalized
//! accessors; node matrices and translation, rotation, scale; instances; normals and `COLOR_0`. Mirroring
//! transforms keep triangles counter-clockwise from outside. Skins and morph targets are not applied: the mesh
//! is read as modelled, with a warning. Points and lines, compression and buffers elsewhere are refused.

mod accessor;
mod container;
mod document;
mod inspect;
mod limits;
mod primitive;
mod refusal;
mod transform;
mod tree;

pub use inspect::{Facts, Inspection, inspect};
pub use limits::Limits;
pub use refusal::{Refusal, RefusalKind};

use crate::mesh::Mesh;

/// Reads a GLB.
///
/// A file without triangles gives an empty mesh: that is no fault of the file.
///
/// # Errors
/// [`Refusal`] with kind, place and remedy.
pub fn read(bytes: &[u8], limits: &Limits) -> Result<Mesh, Refusal> {
    read_with_warnings(bytes, limits).map(|(mesh, _)| mesh)
}

/// [`read`], with what a reader of the mesh should know.
///
/// # Errors
/// As [`read`].
pub fn read_with_warnings(bytes: &[u8], limits: &Limits) -> Result<(Mesh, Vec<String>), Refusal> {
    let container = container::open(bytes, limits)?;
    let document = document::parse(container.json, limits)?;
    if let (Some(buffer), Some(bin)) = (document.buffers.first(), container.bin)
        && buffer.uri.is_none()
        && buffer.byte_length.0 > bin.len() as u64
    {
        return Err(Refusal::new(
            RefusalKind::Truncated,
            "buffers[0].byteLength",
            format!("{} bytes, and the BIN chunk has {}; export it again", buffer.byte_length.0, bin.len()),
        ));
    }
    let placements = tree::placements(&document, limits)?;
    let mut builder = primitive::Builder {
        source: accessor::Source { document: &document, bin: container.bin },
        limits,
        mesh: Mesh::default(),
        warnings: Warnings { scenes: document.scenes.len(), ..Warnings::default() },
    };
    for placement in &placements {
        builder.add(placement)?;
    }
    let primitive::Builder { mut mesh, warnings, .. } = builder;
    let vertices = mesh.positions.len();
    if let Some(normals) = &mut mesh.normals {
        normals.resize(vertices, [0.0; 3]);
    }
    if let Some(colors) = &mut mesh.colors {
        colors.resize(vertices, [1.0; 4]);
    }
    Ok((mesh, warnings.sentences()))
}

/// What was passed over, counted while reading.
#[derive(Default)]
struct Warnings {
    scenes: usize,
    skinned: usize,
    morphed: usize,
    without_positions: usize,
}

impl Warnings {
    fn sentences(&self) -> Vec<String> {
        let mut out = Vec::new();
        if self.scenes == 0 {
            out.push("the file has no scene; all its nodes are read".to_owned());
        }
        if self.scenes > 1 {
            out.push(format!("the file has {} scenes; only the default one is read", self.scenes));
        }
        for (count, what) in [
            (self.skinned, "mesh nodes are skinned; they are read as modelled, without their skeleton's pose"),
            (self.morphed, "mesh nodes have morph targets; they are read as modelled, without them"),
            (self.without_positions, "primitives have no positions and are passed over"),
        ] {
            if count > 0 {
                out.push(format!("{count} {what}"));
            }
        }
        out
    }
}
