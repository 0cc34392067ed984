//! The server room: everything that touches the world.
//!
//! - [`api`]: HTTP, over pipeline and store
//! - [`answers`]: where answers come from
//! - [`cli`]: the commands of `meshmark`, one file each; a new command is a file there and a line in its list
//! - [`config`]: the configuration file, and what follows from it
//! - [`pipeline`]: what a trial goes through
//! - [`program_files`]: programs on disk
//! - [`runner`]: runs a Blender program, and decides from outside how it ended
//! - [`store`]: what is kept on disk
//! - [`sandbox`]: keeps strangers' programs in
//! - [`tasks`]: tasks on disk
//!
//! Not here, ever: a formula. Numbers come from `meshmark-core`.

pub mod answers;
pub mod api;
pub mod cli;
pub mod config;
pub mod pipeline;
pub mod program_files;
pub mod runner;
pub mod sandbox;
pub mod store;
pub mod tasks;

/// Whether a program of this name could be started.
fn is_on_path(program: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}
