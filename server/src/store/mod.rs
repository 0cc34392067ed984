//! What is kept on disk.
//!
//! - [`RunFolder`]: a run under way or done, as a folder that survives being killed
//! - [`OnDisk`]: a bundle's file, read in parts
//! - [`Bundles`]: a folder of bundles; [`TrialFolder`]: trials that were submitted
//! - [`Lines`]: a file of JSON lines that is only ever added to

mod bundles;
mod lines;
mod on_disk;
mod run_folder;
mod trial_folder;

pub use bundles::{Bundles, Listed};
pub use lines::{Lines, LinesError};
pub use on_disk::OnDisk;
pub use run_folder::{AttemptRecord, Plan, ReferenceRecord, RunFolder, StoreError, folder_of};
pub use trial_folder::TrialFolder;
