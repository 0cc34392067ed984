//! The server room: everything that touches the world.
//!
//! - [`cli`]: the commands of `meshmark`, one file each; a new command is a file there and a line in its list
//! - [`runner`]: runs a Blender program, and decides from outside how it ended
//! - [`sandbox`]: keeps strangers' programs in
//!
//! Not here, ever: a formula. Numbers come from `meshmark-core`.

pub mod cli;
pub mod runner;
pub mod sandbox;
