//! The server room: everything that touches the world.
//!
//! - [`cli`]: the commands of `meshmark`, one file each; a new command is a file there and a line in its list
//! - [`config`]: the configuration file, and what follows from it
//! - [`pipeline`]: what a trial goes through
//! - [`program_files`]: programs on disk
//! - [`runner`]: runs a Blender program, and decides from outside how it ended
//! - [`sandbox`]: keeps strangers' programs in
//!
//! Not here, ever: a formula. Numbers come from `meshmark-core`.

pub mod cli;
pub mod config;
pub mod pipeline;
pub mod program_files;
pub mod runner;
pub mod sandbox;

/// Whether a program of this name could be started.
fn is_on_path(program: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}
