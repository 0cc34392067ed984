//! The server room: everything that touches the world.
//!
//! - [`cli`]: the commands of `meshmark`, one file each; a new command is a file there and a line in its list
//! - [`sandbox`]: keeps strangers' programs in
//!
//! Not here, ever: a formula. Numbers come from `meshmark-core`.

pub mod cli;
pub mod sandbox;
