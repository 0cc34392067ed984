//! Primitives: vertices and triangles of one node's mesh, brought into the world.

use gltf::json::{
    Accessor, Index,
    accessor::{ComponentType, Type},
    mesh::{Mode, Primitive, Semantic},
    validation::Checked,
};

use crate::mesh::{Mesh, Part};

use super::{
    Limits, Refusal, RefusalKind, Warnings,
    accessor::{Accepts, Found, Source, out_of_reference},
    transform::{Affine, dot},
    tree::Placement,
};

const POSITIONS: Accepts = Accepts {
    types: &[Type::Vec3],
    components: &[ComponentType::F32, ComponentType::I8, ComponentType::U8, ComponentType::I16, ComponentType::U16],
    words: "VEC3 of FLOAT, or of (UNSIGNED_)BYTE or (UNSIGNED_)SHORT,",
};
const NORMALS: Accepts = Accepts {
    types: &[Type::Vec3],
    components: &[ComponentType::F32, ComponentType::I8, ComponentType::I16],
    words: "VEC3 of FLOAT, BYTE or SHORT",
};
const COLORS: Accepts = Accepts {
    types: &[Type::Vec3, Type::Vec4],
    components: &[ComponentType::F32, ComponentType::U8, ComponentType::U16],
    words: "VEC3 or VEC4 of FLOAT, UNSIGNED_BYTE or UNSIGNED_SHORT",
};
const INDICES: Accepts = Accepts {
    types: &[Type::Scalar],
    components: &[ComponentType::U8, ComponentType::U16, ComponentType::U32],
    words: "SCALAR of UNSIGNED_BYTE, UNSIGNED_SHORT or UNSIGNED_INT",
};

/// A mesh under construction.
pub(super) struct Builder<'a> {
    pub source: Source<'a>,
    pub limits: &'a Limits,
    pub mesh: Mesh,
    pub warnings: Warnings,
}

/// The accessors that give a primitive's vertices; primitives of one node that name the same ones share vertices.
type Attributes = [Option<usize>; 3];

impl<'a> Builder<'a> {
    /// Adds every primitive of the mesh that a node carries.
    pub(super) fn add(&mut self, placement: &Placement) -> Result<(), Refusal> {
        let document = self.source.document;
        let node = &document.nodes[placement.node];
        let Some(at) = node.mesh else { return Ok(()) };
        let mesh = document.meshes.get(at as usize).ok_or_else(|| {
            out_of_reference(&format!("nodes[{}].mesh", placement.node), "mesh", at as usize, document.meshes.len())
        })?;
        self.mesh.nodes_with_mesh += 1;
        self.warnings.skinned += usize::from(node.skin.is_some());
        self.warnings.morphed +=
            usize::from(mesh.primitives.iter().any(|p| p.targets.as_ref().is_some_and(|t| !t.is_empty())));
        let named = node.name.clone().filter(|name| !name.is_empty());
        let name = named.or_else(|| mesh.name.clone()).unwrap_or_else(|| format!("node {}", placement.node));
        let mut shared: Vec<(Attributes, u32, u32)> = Vec::new();
        for (i, primitive) in mesh.primitives.iter().enumerate() {
            let start = self.mesh.triangles.len();
            self.add_primitive(primitive, &format!("meshes[{at}].primitives[{i}]"), &placement.world, &mut shared)?;
            self.mesh.parts.push(Part { name: name.clone(), triangles: start..self.mesh.triangles.len() });
        }
        Ok(())
    }

    fn add_primitive(
        &mut self,
        primitive: &Primitive,
        place: &str,
        world: &Affine,
        shared: &mut Vec<(Attributes, u32, u32)>,
    ) -> Result<(), Refusal> {
        let mode = match primitive.mode {
            Checked::Valid(mode @ (Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan)) => mode,
            other => {
                let found = match other {
                    Checked::Valid(mode) => format!("{mode:?}"),
                    Checked::Invalid => "an unknown mode".to_owned(),
                };
                return Err(Refusal::new(
                    RefusalKind::UnsupportedMode,
                    format!("{place}.mode"),
                    format!("{found} is not a kind of triangles; export faces only, without loose points and edges"),
                ));
            }
        };
        let attribute = |semantic| primitive.attributes.get(&Checked::Valid(semantic)).copied();
        let Some(positions) = attribute(Semantic::Positions) else {
            self.warnings.without_positions += 1;
            return Ok(());
        };
        let (normals, colors) = (attribute(Semantic::Normals), attribute(Semantic::Colors(0)));
        let attributes = [Some(positions.value()), normals.map(|n| n.value()), colors.map(|c| c.value())];
        let (first, count) = match shared.iter().find(|(known, ..)| *known == attributes) {
            Some(&(_, first, count)) => (first, count),
            None => {
                let (first, count) = self.add_vertices(positions, normals, colors, place, world)?;
                shared.push((attributes, first, count));
                (first, count)
            }
        };
        self.add_triangles(primitive.indices, mode, first, count, world.mirrors(), place)
    }

    /// Adds vertices; returns the number of the first and how many.
    fn add_vertices(
        &mut self,
        positions: Index<Accessor>,
        normals: Option<Index<Accessor>>,
        colors: Option<Index<Accessor>>,
        place: &str,
        world: &Affine,
    ) -> Result<(u32, u32), Refusal> {
        let place_of = |name: &str| format!("{place}.attributes.{name}");
        let place = place_of("POSITION");
        let found = self.source.find(positions, &POSITIONS, &place)?;
        let first = self.mesh.positions.len();
        let limit = self.limits.max_vertices.min(u64::from(u32::MAX));
        let total = found.count().saturating_add(first as u64);
        if total > limit {
            return Err(Refusal::limit(place, total, limit, "vertices", "max_vertices"));
        }
        let (source, mesh) = (&self.source, &mut self.mesh);
        mesh.positions.reserve(found.count() as usize);
        source.floats(&found, found.normalized(), &place, |p| mesh.positions.push(world.point(p)))?;
        if let Some(bad) = mesh.positions[first..].iter().position(|p| p.iter().any(|v| !v.is_finite())) {
            return Err(Refusal::new(
                RefusalKind::NonFinite,
                place,
                format!("vertex {bad} has a coordinate that is not a finite number; remove it from the model"),
            ));
        }
        let same_count = |other: &Found<'_>, place: &str| {
            if other.count() == found.count() {
                return Ok(());
            }
            Err(Refusal::new(
                RefusalKind::CountMismatch,
                place,
                format!("{} elements for {} positions; export it again", other.count(), found.count()),
            ))
        };
        if let Some(normals) = normals {
            let place = place_of("NORMAL");
            let found = source.find(normals, &NORMALS, &place)?;
            same_count(&found, &place)?;
            let map = world.normal_map();
            let all = mesh.normals.get_or_insert_default();
            all.resize(first, [0.0; 3]);
            source.floats(&found, true, &place, |n| all.push(unit(map.map(|row| dot(row, n)))))?;
        }
        if let Some(colors) = colors {
            let place = place_of("COLOR_0");
            let found = source.find(colors, &COLORS, &place)?;
            same_count(&found, &place)?;
            let all = mesh.colors.get_or_insert_default();
            all.resize(first, [1.0; 4]);
            source.floats(&found, true, &place, |c: [f64; 4]| all.push(c.map(|v| v as f32)))?;
        }
        Ok((first as u32, found.count() as u32))
    }

    fn add_triangles(
        &mut self,
        indices: Option<Index<Accessor>>,
        mode: Mode,
        first: u32,
        count: u32,
        mirrored: bool,
        place: &str,
    ) -> Result<(), Refusal> {
        let place = format!("{place}.indices");
        let found = indices.map(|indices| self.source.find(indices, &INDICES, &place)).transpose()?;
        let corners = found.map_or(u64::from(count), |found| found.count());
        let new = match mode {
            Mode::Triangles if corners % 3 == 0 => corners / 3,
            Mode::TriangleStrip | Mode::TriangleFan if corners == 0 || corners >= 3 => corners.saturating_sub(2),
            _ => {
                return Err(Refusal::new(
                    RefusalKind::IncompleteTriangles,
                    place,
                    format!("{corners} corners do not make whole triangles ({mode:?}); export it again"),
                ));
            }
        };
        let total = new.saturating_add(self.mesh.triangles.len() as u64);
        if total > self.limits.max_triangles {
            return Err(Refusal::limit(place, total, self.limits.max_triangles, "triangles", "max_triangles"));
        }
        let listed = found.map(|found| self.source.indices(&found, &place)).transpose()?;
        if let Some((i, &bad)) = listed.iter().flatten().enumerate().find(|(_, index)| **index >= count) {
            return Err(Refusal::new(
                RefusalKind::IndexOutOfRange,
                place,
                format!("index {i} names vertex {bad}, and there are {count} vertices; export it again"),
            ));
        }
        // Every number stays below count, and first + count is within u32: add_vertices has seen to it.
        let corner = |i: usize| first + listed.as_ref().map_or(i as u32, |listed| listed[i]);
        self.mesh.triangles.extend((0..new as usize).map(|t| {
            let [a, b, c] = match mode {
                Mode::TriangleStrip => [t, t + 1 + t % 2, t + 2 - t % 2],
                Mode::TriangleFan => [t + 1, t + 2, 0],
                _ => [3 * t, 3 * t + 1, 3 * t + 2],
            }
            .map(corner);
            if mirrored { [a, c, b] } else { [a, b, c] }
        }));
        Ok(())
    }
}

fn unit(n: [f64; 3]) -> [f32; 3] {
    let length = dot(n, n).sqrt();
    if length > 0.0 && length.is_finite() { n.map(|v| (v / length) as f32) } else { [0.0; 3] }
}
