//! Node transforms: glTF's column-major matrices and translation, rotation, scale; all in `f64`.

use super::{Refusal, RefusalKind, document::Node};

/// An affine map: rows of the linear part, then the translation. The last row of a glTF matrix is 0 0 0 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Affine {
    rows: [[f64; 3]; 3],
    translation: [f64; 3],
}

/// How far a quaternion's length may be from 1 before it is brought to it: more than the rounding of `f32`
/// components, less than any rotation that would be seen.
const QUATERNION_TOLERANCE: f64 = 1e-6;

impl Affine {
    pub(super) const IDENTITY: Self =
        Self { rows: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], translation: [0.0; 3] };

    /// A node's own transform: its matrix, else translation · rotation · scale.
    pub(super) fn of_node(node: &Node, place: &str) -> Result<Self, Refusal> {
        if let Some(m) = node.matrix {
            if [m[3], m[7], m[11], m[15]] != [0.0, 0.0, 0.0, 1.0] {
                return Err(Refusal::new(
                    RefusalKind::InvalidDocument,
                    format!("{place}.matrix"),
                    "the last row of a node's matrix is 0 0 0 1, and here it isn't; apply the transform and export again",
                ));
            }
            return Ok(Self {
                rows: std::array::from_fn(|r| [m[r], m[4 + r], m[8 + r]]),
                translation: [m[12], m[13], m[14]],
            });
        }
        let [x, y, z, w] = unit(node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]), place)?;
        let scale = node.scale.unwrap_or([1.0; 3]);
        let rotation = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
            [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
            [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
        ];
        Ok(Self {
            rows: rotation.map(|row| std::array::from_fn(|c| row[c] * scale[c])),
            translation: node.translation.unwrap_or([0.0; 3]),
        })
    }

    /// `self` after `inner`.
    pub(super) fn after(&self, inner: &Self) -> Self {
        Self {
            rows: std::array::from_fn(|r| {
                std::array::from_fn(|c| dot(self.rows[r], [inner.rows[0][c], inner.rows[1][c], inner.rows[2][c]]))
            }),
            translation: self.point(inner.translation),
        }
    }

    pub(super) fn point(&self, p: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|r| dot(self.rows[r], p) + self.translation[r])
    }

    /// Whether it turns counter-clockwise into clockwise.
    pub(super) fn mirrors(&self) -> bool {
        dot(self.rows[0], cross(self.rows[1], self.rows[2])) < 0.0
    }

    /// The map for normals, up to length: the inverse transpose times the size of the determinant, which exists
    /// for flattening maps too.
    pub(super) fn normal_map(&self) -> [[f64; 3]; 3] {
        let [a, b, c] = self.rows;
        let sign = if self.mirrors() { -1.0 } else { 1.0 };
        [cross(b, c), cross(c, a), cross(a, b)].map(|row| row.map(|v| v * sign))
    }
}

pub(super) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(q: [f64; 4], place: &str) -> Result<[f64; 4], Refusal> {
    let length = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
    if (length - 1.0).abs() <= QUATERNION_TOLERANCE {
        return Ok(q);
    }
    if length > 0.0 && length.is_finite() {
        return Ok(q.map(|v| v / length));
    }
    Err(Refusal::new(
        RefusalKind::InvalidDocument,
        format!("{place}.rotation"),
        "a rotation of length zero (or beyond all numbers) turns nothing; apply the transform and export again",
    ))
}
