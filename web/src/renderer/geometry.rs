//! A mesh as the shader takes it: relative to its bounding sphere, three vertices a triangle, so that a triangle
//! without normals of its own is flat.

use meshmark_core::mesh::Mesh;

/// A corner of a triangle.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Corner {
    /// Radii from the sphere's centre.
    pub position: [f32; 3],
    /// Of unit length; zero on a triangle without area.
    pub normal: [f32; 3],
}

/// As many triangles as are drawn: two buffers of half a GiB are what every adapter gives.
pub const MAX_TRIANGLES: usize = 6_000_000;

/// Why a mesh is not drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{triangles} triangles, {MAX_TRIANGLES} are drawn; look at the stored pictures instead")]
pub struct TooLarge {
    /// How many it has.
    pub triangles: usize,
}

/// The corners of a mesh's triangles.
///
/// # Errors
/// [`TooLarge`].
pub fn corners(mesh: &Mesh) -> Result<Vec<Corner>, TooLarge> {
    if mesh.triangles.len() > MAX_TRIANGLES {
        return Err(TooLarge { triangles: mesh.triangles.len() });
    }
    let Some([low, high]) = mesh.bounds() else { return Ok(Vec::new()) };
    let centre: [f64; 3] = std::array::from_fn(|k| f64::midpoint(low[k], high[k]));
    let local = |vertex: u32| -> [f64; 3] {
        let position = mesh.positions[vertex as usize];
        std::array::from_fn(|k| position[k] - centre[k])
    };
    let radius = mesh.triangles.iter().flatten().map(|&vertex| length(local(vertex))).fold(0.0, f64::max);
    let scale = if radius > 0.0 { 1.0 / radius } else { 0.0 };
    let mut corners = Vec::with_capacity(3 * mesh.triangles.len());
    for triangle in &mesh.triangles {
        let at = triangle.map(|vertex| local(vertex).map(|x| x * scale));
        let flat = unit(cross(minus(at[1], at[0]), minus(at[2], at[0])));
        for (vertex, position) in triangle.iter().zip(at) {
            let own =
                mesh.normals.as_ref().map(|normals| normals[*vertex as usize]).filter(|normal| *normal != [0.0; 3]);
            corners.push(Corner { position: position.map(|x| x as f32), normal: own.unwrap_or(flat) });
        }
    }
    Ok(corners)
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| a[k] - b[k])
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3])
}

fn length(a: [f64; 3]) -> f64 {
    a.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn unit(a: [f64; 3]) -> [f32; 3] {
    let length = length(a);
    if length > 0.0 { a.map(|x| (x / length) as f32) } else { [0.0; 3] }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A right triangle in the plane of x and y, `size` across, far from the origin.
    fn triangle(size: f64) -> Mesh {
        Mesh {
            positions: vec![[7.0 * size, 0.0, 0.0], [8.0 * size, 0.0, 0.0], [7.0 * size, size, 0.0]],
            triangles: vec![[0, 1, 2]],
            nodes_with_mesh: 1,
            ..Mesh::default()
        }
    }

    #[test]
    fn size_and_place_do_not_matter() {
        let seen = corners(&triangle(1.0)).unwrap();
        for size in [1e-6, 0.1, 100.0, 1e9] {
            for (a, b) in seen.iter().zip(corners(&triangle(size)).unwrap()) {
                assert!(a.position.iter().zip(b.position).all(|(a, b)| (a - b).abs() < 1e-6), "{size}");
                assert_eq!(a.normal, b.normal, "{size}");
            }
        }
    }

    #[test]
    fn a_triangle_without_normals_is_flat_and_one_without_area_is_no_nan() {
        assert!(corners(&triangle(1.0)).unwrap().iter().all(|corner| corner.normal == [0.0, 0.0, 1.0]));
        assert!(corners(&triangle(0.0)).unwrap().iter().all(|corner| corner.normal == [0.0; 3]));
        assert_eq!(corners(&Mesh::default()), Ok(Vec::new()));
    }
}
