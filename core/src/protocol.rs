//! The one registry of protocol ids: what a number means. Nothing else spells an id.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a number means and where it comes from. The id is `name/variant@version`; numbers of one id never
/// move: a change of definition makes a new id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Protocol {
    /// `name/variant@version`.
    pub id: &'static str,
    /// For people, a few words.
    pub title: &'static str,
    /// What is computed, in one to four sentences.
    pub definition: &'static str,
    /// Where the definition comes from.
    pub source: &'static str,
    /// Which way is better.
    pub better: Better,
    /// Who can compute it again from the evidence.
    pub recomputable: Recomputable,
}

/// Which way a number improves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// A smaller value is better.
    Less,
    /// A larger value is better.
    More,
    /// Not a measure of quality.
    Neither,
}

/// Who can compute a measurement again from a bundle's evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Recomputable {
    /// Anyone with a browser.
    Browser,
    /// Needs Blender, weights or the sandbox.
    Server,
    /// Can't be repeated: a person's vote, a paid reply.
    Never,
}

/// Execution as Meshmark does it.
pub const EXEC_MESHMARK: &str = "exec/meshmark@1";
/// Execution as the official code does it.
pub const EXEC_OFFICIAL: &str = "exec/official@1";
/// Corrected Chamfer distance.
pub const CHAMFER_UPRIGHT: &str = "chamfer/upright@1";
/// Chamfer distance as the official code computes it.
pub const CHAMFER_OFFICIAL: &str = "chamfer/official@1";
/// Cycles, 64 samples, the official lights and cameras.
pub const VIEWS_OFFICIAL: &str = "views/official@1";
/// Cycles, 32 samples, denoised, independent of size.
pub const VIEWS_MESHMARK: &str = "views/meshmark@1";
/// Workbench, for looking only.
pub const VIEWS_QUICK: &str = "views/quick@1";
