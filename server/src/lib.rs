//! The server room: everything that touches the world.
//!
//! [`sandbox`] keeps programs in; `runner` drives Blender in it; `answers` and `tasks` read what is on disk;
//! `pipeline` takes a trial through all of it and owns the events of a run; `store` is the run folder;
//! `api` and `cli` only show what pipeline says.

pub mod sandbox;
