//! What is kept on disk.
//!
//! - [`RunFolder`]: a run under way or done, as a folder that survives being killed
//! - [`OnDisk`]: a bundle's file, read in parts
//! - [`Lines`]: a file of JSON lines that is only ever added to

mod lines;
mod on_disk;
mod run_folder;

pub use lines::{Lines, LinesError};
pub use on_disk::OnDisk;
pub use run_folder::{AttemptRecord, Plan, ReferenceRecord, RunFolder, StoreError, folder_of};
