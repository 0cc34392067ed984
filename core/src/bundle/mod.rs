//! The run bundle: one zip that holds a run's evidence.
//!
//! [`format`] is what stands in the files.

pub mod format;
