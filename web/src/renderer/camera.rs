//! A camera that orbits a target. Distances are in radii of the object's bounding sphere, so that one camera fits
//! objects of any size.

use glam::{
    Mat4, Vec3,
    camera::rh::{proj::directx::perspective, view::look_at_mat4},
};

/// Field of view from bottom to top, degrees.
const FOV_DEG: f32 = 35.0;
/// As near and as far as the camera goes, radii.
const DISTANCES: std::ops::RangeInclusive<f32> = 0.2..=20.0;
/// Straight up and down the picture's upright is lost.
const MAX_ELEVATION_DEG: f32 = 89.0;

/// Where one looks from and to, in the glTF frame (Y up), relative to the bounding sphere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// About +Y from +Z towards +X, degrees.
    pub azimuth_deg: f32,
    /// Above the horizon, degrees.
    pub elevation_deg: f32,
    /// From the target, radii.
    pub distance: f32,
    /// From the sphere's centre, radii.
    pub target: Vec3,
}

impl Default for Camera {
    fn default() -> Self {
        Self { azimuth_deg: 35.0, elevation_deg: 20.0, distance: 3.6, target: Vec3::ZERO }
    }
}

impl Camera {
    /// The nearest camera that can be: finite, not inside out, not upside down.
    #[must_use]
    pub fn allowed(self) -> Self {
        let finite = |value: f32, otherwise: f32| if value.is_finite() { value } else { otherwise };
        let default = Self::default();
        Self {
            azimuth_deg: finite(self.azimuth_deg, default.azimuth_deg).rem_euclid(360.0),
            elevation_deg: finite(self.elevation_deg, default.elevation_deg)
                .clamp(-MAX_ELEVATION_DEG, MAX_ELEVATION_DEG),
            distance: finite(self.distance, default.distance).clamp(*DISTANCES.start(), *DISTANCES.end()),
            target: if self.target.is_finite() { self.target.clamp_length_max(5.0) } else { default.target },
        }
    }

    /// Turned about the target, degrees.
    #[must_use]
    pub fn orbited(self, azimuth_deg: f32, elevation_deg: f32) -> Self {
        Self { azimuth_deg: self.azimuth_deg + azimuth_deg, elevation_deg: self.elevation_deg + elevation_deg, ..self }
            .allowed()
    }

    /// Moved sideways, in parts of the picture's height.
    #[must_use]
    pub fn panned(self, right: f32, up: f32) -> Self {
        let height = 2.0 * self.distance * (FOV_DEG.to_radians() / 2.0).tan();
        let back = self.back();
        let side = Vec3::Y.cross(back).normalize();
        let target = self.target - (side * right + back.cross(side) * up) * height;
        Self { target, ..self }.allowed()
    }

    /// Nearer for factors above 1.
    #[must_use]
    pub fn zoomed(self, factor: f32) -> Self {
        Self { distance: self.distance / factor, ..self }.allowed()
    }

    /// From the target to the eye.
    fn back(&self) -> Vec3 {
        let (azimuth, elevation) = (self.azimuth_deg.to_radians(), self.elevation_deg.to_radians());
        Vec3::new(azimuth.sin() * elevation.cos(), elevation.sin(), azimuth.cos() * elevation.cos())
    }

    /// The eye, in radii from the sphere's centre.
    #[must_use]
    pub fn eye(&self) -> Vec3 {
        self.target + self.back() * self.distance
    }

    /// From sphere coordinates (radii from the centre) to view coordinates.
    #[must_use]
    pub fn view_from_sphere(&self) -> Mat4 {
        look_at_mat4(self.eye(), self.target, Vec3::Y)
    }

    /// From view coordinates to the clip volume of WebGPU.
    #[must_use]
    pub fn clip_from_view(&self, aspect: f32) -> Mat4 {
        // A narrow picture shows as much of the object's width as a square one.
        let fov = FOV_DEG.to_radians();
        let fov_y = if aspect < 1.0 { 2.0 * ((fov / 2.0).tan() / aspect).atan() } else { fov };
        perspective(fov_y, aspect, 0.01, self.distance + 20.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cameras_stay_within_their_limits() {
        for (camera, why) in [
            (Camera { distance: f32::NAN, ..Camera::default() }, "no number"),
            (Camera { elevation_deg: 500.0, ..Camera::default() }, "upside down"),
            (Camera { azimuth_deg: -1e6, ..Camera::default() }, "many turns"),
            (Camera { target: Vec3::splat(1e30), ..Camera::default() }, "far away"),
            (Camera::default().zoomed(1e9), "inside"),
            (Camera::default().zoomed(0.0), "infinitely far"),
        ] {
            let allowed = camera.allowed();
            assert!((0.0..360.0).contains(&allowed.azimuth_deg), "{why}: {allowed:?}");
            assert!(allowed.elevation_deg.abs() <= MAX_ELEVATION_DEG, "{why}: {allowed:?}");
            assert!(DISTANCES.contains(&allowed.distance), "{why}: {allowed:?}");
            assert!(allowed.view_from_sphere().is_finite(), "{why}: {allowed:?}");
        }
    }

    #[test]
    fn panning_moves_the_object_with_the_pointer() {
        let camera = Camera { azimuth_deg: 0.0, elevation_deg: 0.0, ..Camera::default() };
        let clip = |camera: Camera| camera.clip_from_view(1.0) * camera.view_from_sphere();
        let seen = clip(camera.panned(0.25, 0.25)).project_point3(Vec3::ZERO);
        // A quarter of the picture is half a unit of clip space.
        assert!((seen.x - 0.5).abs() < 1e-3 && (seen.y - 0.5).abs() < 1e-3, "{seen}");
    }
}
