//! What a trial goes through, from an answer to its record. Terminal, server and pages only show what happens here.
//!
//! - [`blender`]: the runner as the configuration wants it
//! - [`trial`]: one program from its answer to its evidence; [`measure`]: what is measured on a result
//! - [`run`]: many trials, in a folder that survives being killed; [`rerun`]: a bundle's programs once more

pub mod measure;
pub mod rerun;
pub mod run;
pub mod trial;

use std::sync::Arc;

use anyhow::Result;

use crate::{
    config::Config,
    runner::{Blender, Runner},
    sandbox::Bubblewrap,
};

/// The runner as the configuration wants it.
///
/// # Errors
/// When Blender or a layer of the sandbox is missing; the message says which, and how to get it.
pub async fn blender(config: &Config) -> Result<Arc<dyn Runner>> {
    let sandbox = Bubblewrap::new(config.without()?).await?;
    Ok(Arc::new(Blender::new(&config.backend()?, config.runner_limits()?, Arc::new(sandbox))?))
}
