//! What a trial goes through, from an answer to its record. Terminal, server and pages only show what happens here.
//!
//! - [`blender`]: the runner as the configuration wants it
//! - [`trial`]: one program from its answer to its evidence; [`measure`]: what is measured on a result
//! - [`trials`]: trials that come one by one, through a queue
//! - [`run`]: many trials, in a folder that survives being killed; [`rerun`]: a bundle's programs once more

pub mod measure;
pub mod rerun;
pub mod run;
pub mod trial;
pub mod trials;

use std::sync::Arc;

use anyhow::Result;
use clap::ValueEnum;
use meshmark_core::protocol::{EXEC_MESHMARK, EXEC_OFFICIAL};

use crate::{
    config::Config,
    runner::{Blender, Execution, Runner, Views},
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

/// What two names mean together.
///
/// # Errors
/// A sentence that says which names there are.
pub fn execution_and_views(protocol: &str, views: &str) -> Result<(Execution, Views), String> {
    let execution = match protocol {
        EXEC_MESHMARK => Execution::Meshmark,
        EXEC_OFFICIAL => Execution::Official,
        _ => {
            return Err(format!(
                "{protocol:?} is no way to run programs; there are {EXEC_MESHMARK} and {EXEC_OFFICIAL}"
            ));
        }
    };
    let views = Views::from_str(views, false)
        .map_err(|_| format!("{views:?} are no views; there are none, quick, meshmark and official"))?;
    if execution == Execution::Official && !matches!(views, Views::Official | Views::None) {
        return Err(format!("{EXEC_OFFICIAL} draws in the program's own scene: its views are official or none"));
    }
    Ok((execution, views))
}
