//! Points on a surface, spread by area.

use std::{borrow::Cow, fmt};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::mesh::{self, Mesh};

/// The plastic number, the real root of x³ = x + 1: its powers give the additive sequence that fills a square
/// most evenly (M. Roberts, "The Unreasonable Effectiveness of Quasirandom Sequences", 2018).
const PLASTIC: f64 = 1.324_717_957_244_746;

/// The grid of [`canonical`], as a share of the largest side of the bounding box, before the factor [`PLASTIC`].
const KEY_STEP: f64 = 1e-6;

/// Radii below this are left as they are by [`Cloud::normalised`].
const MIN_RADIUS: f64 = 1e-9;

/// `(n, 3)` points, at least one, all finite.
#[derive(Debug, Clone, PartialEq)]
pub struct Cloud(Vec<[f64; 3]>);

/// Why there is no cloud.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CloudError {
    /// No triangle has an area above zero.
    #[error("no triangle has an area, so there is no surface to measure")]
    NoArea,
    /// The area, a side of the bounding box or a distance is beyond `f64`.
    #[error("the shape is too large to measure: its area is beyond all numbers; scale it down")]
    TooLarge,
    /// No points were asked for, or given.
    #[error("a cloud needs at least one point")]
    Empty,
    /// A point that was given is not finite.
    #[error("point {0} has a coordinate that is not a finite number")]
    NonFinite(usize),
}

impl Cloud {
    /// A cloud of given points.
    ///
    /// # Errors
    /// [`CloudError::Empty`] or [`CloudError::NonFinite`].
    pub fn new(points: Vec<[f64; 3]>) -> Result<Self, CloudError> {
        if points.is_empty() {
            return Err(CloudError::Empty);
        }
        match points.iter().position(|p| p.iter().any(|v| !v.is_finite())) {
            Some(bad) => Err(CloudError::NonFinite(bad)),
            None => Ok(Self(points)),
        }
    }

    /// The points.
    #[must_use]
    pub fn points(&self) -> &[[f64; 3]] {
        &self.0
    }

    /// Centred on the mean of its points and divided by the largest distance from it, unless that is below
    /// 1e-9 (metres, as all lengths before).
    ///
    /// # Errors
    /// [`CloudError::TooLarge`] when a sum or a square is beyond `f64`.
    pub fn normalised(&self) -> Result<Self, CloudError> {
        let n = self.0.len() as f64;
        let sum = self.0.iter().fold([0.0; 3], |sum: [f64; 3], p| std::array::from_fn(|k| sum[k] + p[k]));
        let mean = sum.map(|s| s / n);
        let centred: Vec<[f64; 3]> = self.0.iter().map(|p| std::array::from_fn(|k| p[k] - mean[k])).collect();
        let largest = centred.iter().map(square).fold(0.0, f64::max);
        let radius = largest.sqrt();
        if !radius.is_finite() {
            return Err(CloudError::TooLarge);
        }
        let scaled =
            if radius < MIN_RADIUS { centred } else { centred.iter().map(|p| p.map(|v| v / radius)).collect() };
        Self::new(scaled)
    }

    /// The same points with their axes renamed: axis `k` is what axis `from[k]` was.
    #[must_use]
    pub(crate) fn with_axes(&self, from: [usize; 3]) -> Self {
        Self(self.0.iter().map(|p| from.map(|k| p[k])).collect())
    }
}

pub(crate) fn square(p: &[f64; 3]) -> f64 {
    (p[0] * p[0] + p[2] * p[2]) + p[1] * p[1]
}

/// A surface in canonical order, ready to be sampled: which triangles there are counts, not how a file orders
/// them.
#[derive(Clone)]
pub struct Surface<'a> {
    positions: Cow<'a, [[f64; 3]]>,
    triangles: Vec<[u32; 3]>,
    /// Areas summed in order, up to and with each triangle.
    cumulative: Vec<f64>,
}

impl fmt::Debug for Surface<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Surface").field("triangles", &self.triangles.len()).finish_non_exhaustive()
    }
}

impl<'a> Surface<'a> {
    /// The mesh's triangles in canonical order: every coordinate becomes a whole number of steps
    /// (1e-6 × plastic number × the bounding box's largest side) from the box's minimum, rounded half up; corners
    /// within a triangle are sorted by their three numbers, triangles by their nine; equal ones keep the file's
    /// order. So neither the order in the file, nor winding, nor the last bits of a transform matter.
    ///
    /// # Errors
    /// [`CloudError::NoArea`] or [`CloudError::TooLarge`].
    pub fn canonical(mesh: &'a Mesh) -> Result<Self, CloudError> {
        Self::ordered(Cow::Borrowed(&mesh.positions), &mesh.triangles)
    }

    fn ordered(positions: Cow<'a, [[f64; 3]]>, triangles: &[[u32; 3]]) -> Result<Self, CloudError> {
        let mut used = triangles.iter().flatten().map(|&i| positions[i as usize]);
        let first = used.next().ok_or(CloudError::NoArea)?;
        let (low, high) = used.fold((first, first), |(low, high), p| {
            (std::array::from_fn(|k| low[k].min(p[k])), std::array::from_fn(|k| high[k].max(p[k])))
        });
        let extent = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
        if !extent.is_finite() {
            return Err(CloudError::TooLarge);
        }
        let step = extent * KEY_STEP * PLASTIC;
        // Each number is at most 1e6 / PLASTIC + 1, so 20 bits; three make one word that sorts as they do.
        let key = |i: u32| {
            let p = positions[i as usize];
            (0..3).fold(0u64, |key, k| key << 20 | ((p[k] - low[k]) / step + 0.5).floor() as u64)
        };
        let mut keyed: Vec<([u64; 3], u32, [u32; 3])> = (0u32..)
            .zip(triangles)
            .map(|(t, corners)| {
                let mut corners = corners.map(|i| (key(i), i));
                corners.sort_by_key(|(key, _)| *key);
                (corners.map(|(key, _)| key), t, corners.map(|(_, i)| i))
            })
            .collect();
        keyed.sort_unstable_by_key(|(key, t, _)| (*key, *t));
        let triangles: Vec<[u32; 3]> = keyed.into_iter().map(|(_, _, corners)| corners).collect();
        Self::summed(positions, triangles)
    }

    /// The mesh's triangles in the file's order.
    ///
    /// # Errors
    /// [`CloudError::NoArea`] or [`CloudError::TooLarge`].
    pub fn as_stored(mesh: &'a Mesh) -> Result<Self, CloudError> {
        Self::summed(Cow::Borrowed(&mesh.positions), mesh.triangles.clone())
    }

    fn summed(positions: Cow<'a, [[f64; 3]]>, triangles: Vec<[u32; 3]>) -> Result<Self, CloudError> {
        let mut total = 0.0;
        let cumulative: Vec<f64> = triangles
            .iter()
            .map(|t| {
                total += mesh::area(t.map(|i| positions[i as usize]));
                total
            })
            .collect();
        if !total.is_finite() {
            return Err(CloudError::TooLarge);
        }
        if total <= 0.0 {
            return Err(CloudError::NoArea);
        }
        Ok(Self { positions, triangles, cumulative })
    }

    /// The same surface cut into other triangles: each halved at the middle of its longest edge (of equal ones
    /// the first of bc, ac, ab), and put in canonical order again.
    ///
    /// # Errors
    /// As [`Self::canonical`].
    pub fn halved(&self) -> Result<Surface<'static>, CloudError> {
        let mut positions = self.positions.to_vec();
        let mut triangles = Vec::with_capacity(2 * self.triangles.len());
        for &[a, b, c] in &self.triangles {
            let [pa, pb, pc] = [a, b, c].map(|i| self.positions[i as usize]);
            let edges = [(pb, pc), (pa, pc), (pa, pb)];
            let lengths = edges.map(|(p, q)| {
                let d: [f64; 3] = std::array::from_fn(|k| p[k] - q[k]);
                d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
            });
            let longest = (1..3).fold(0, |best, k| if lengths[k] > lengths[best] { k } else { best });
            let (p, q) = edges[longest];
            let m = u32::try_from(positions.len()).map_err(|_| CloudError::TooLarge)?;
            positions.push(std::array::from_fn(|k| (p[k] + q[k]) / 2.0));
            triangles.extend(match longest {
                0 => [[a, b, m], [a, m, c]],
                1 => [[a, b, m], [m, b, c]],
                _ => [[a, m, c], [m, b, c]],
            });
        }
        Surface::ordered(Cow::Owned(positions), &triangles)
    }

    /// `n` points without random numbers: point `i` lies on the first triangle whose cumulative area exceeds
    /// (i + ½) / n of the whole, at the place that the fractional parts of ½ + i/g and ½ + i/g² give (g = the
    /// plastic number), the square mapped to the triangle by a square root so that area is kept.
    ///
    /// # Errors
    /// [`CloudError::Empty`] when `n` is 0.
    pub fn quasi_random(&self, n: usize) -> Result<Cloud, CloudError> {
        let total = self.cumulative[self.cumulative.len() - 1];
        let mut face = 0;
        let points = (0..n).map(|i| {
            let target = (i as f64 + 0.5) / n as f64 * total;
            while face + 1 < self.cumulative.len() && self.cumulative[face] <= target {
                face += 1;
            }
            let fraction = |x: f64| x - x.floor();
            let (u1, u2) = (fraction(0.5 + i as f64 / PLASTIC), fraction(0.5 + i as f64 / (PLASTIC * PLASTIC)));
            let s = u1.sqrt();
            let [a, b, c] = self.corners(face);
            std::array::from_fn(|k| (1.0 - s) * a[k] + (s * (1.0 - u2)) * b[k] + (s * u2) * c[k])
        });
        Cloud::new(points.collect())
    }

    /// `n` uniformly random points, after trimesh's `sample_surface`: first `n` numbers choose triangles by
    /// cumulative area, then two numbers each give a place in a parallelogram that is folded onto the triangle.
    /// The numbers are ChaCha8's under `seed`, on `stream`, 53 bits each; trimesh's own generator is numpy's, so
    /// clouds agree in distribution only.
    ///
    /// # Errors
    /// [`CloudError::Empty`] when `n` is 0.
    pub fn random(&self, n: usize, seed: u64, stream: u64) -> Result<Cloud, CloudError> {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        let mut generator = ChaCha8Rng::from_seed(key);
        generator.set_stream(stream);
        let mut uniform = || (generator.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64);
        let total = self.cumulative[self.cumulative.len() - 1];
        let faces: Vec<usize> = (0..n)
            .map(|_| {
                let target = uniform() * total;
                self.cumulative.partition_point(|&sum| sum < target).min(self.cumulative.len() - 1)
            })
            .collect();
        let points = faces.into_iter().map(|face| {
            let (mut u, mut v) = (uniform(), uniform());
            if u + v > 1.0 {
                (u, v) = (1.0 - u, 1.0 - v);
            }
            let [a, b, c] = self.corners(face);
            std::array::from_fn(|k| a[k] + u * (b[k] - a[k]) + v * (c[k] - a[k]))
        });
        Cloud::new(points.collect())
    }

    fn corners(&self, face: usize) -> [[f64; 3]; 3] {
        self.triangles[face].map(|i| self.positions[i as usize])
    }
}
