//! Draws a mesh of core with wgpu: a neutral grey surface under three soft lights, framed by its bounding sphere, so
//! that two objects of any size look alike. Builds natively as well as for browsers.
//!
//! - [`camera`]: where one looks from
//! - [`geometry`]: vertices as the shader takes them
//! - [`scene`]: pipeline, buffers and one frame
//! - [`pixels`]: a frame read back

pub mod camera;
pub mod geometry;
pub mod pixels;
pub mod scene;
