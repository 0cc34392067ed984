//! Brings a machine with Rust, Node and Python to where everything runs. Each step looks first, says what it
//! does, and costs almost nothing when there is nothing to do.

mod blender;
mod node;
mod rust;
mod system;

use anyhow::Result;

use crate::screen;

/// What a command is going to need.
#[derive(Debug, Clone, Copy, Default)]
pub struct Needs {
    /// Rust's wasm targets and the tools that `cargo verify` calls.
    pub wasm: bool,
    /// The packages of the pages.
    pub node: bool,
    /// Blender in a Python environment, and what keeps its programs in.
    pub blender: bool,
    /// Chromium, and a software Vulkan driver.
    pub browser: bool,
}

impl Needs {
    /// What either needs.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            wasm: self.wasm || other.wasm,
            node: self.node || other.node,
            blender: self.blender || other.blender,
            browser: self.browser || other.browser,
        }
    }
}

/// Makes sure of everything in `needs`.
///
/// # Errors
/// The first step that could not be done; its message says what to do by hand.
pub fn make_sure_of(needs: Needs) -> Result<()> {
    screen::heading("Set-up");
    let mut missing = Vec::new();
    if needs.blender {
        missing.extend(system::missing(system::SANDBOX));
        missing.extend(system::missing(system::BLENDER));
    }
    if needs.browser {
        missing.extend(system::missing(system::BROWSER));
    }
    system::install(&missing)?;
    if needs.wasm {
        rust::targets()?;
    }
    if needs.node {
        node::packages()?;
    }
    if needs.blender {
        blender::environment()?;
    }
    screen::say("everything is there");
    Ok(())
}
