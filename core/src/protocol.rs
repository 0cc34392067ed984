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
/// Share of attempts that gave a mesh.
pub const EXECUTED_RATE: &str = "executed/rate@1";
/// Mean over the attempts that gave a mesh.
pub const MEAN_CONDITIONAL: &str = "mean/conditional@1";
/// Mean over all attempts, a failed one counting its task's penalty.
pub const MEAN_PENALIZED: &str = "mean/penalized@1";

/// Every protocol, sorted by id.
#[must_use]
pub const fn all() -> &'static [Protocol] {
    ALL
}

/// The protocol of this id; for a joined id (`a+b`), the first, which is what the number is.
#[must_use]
pub fn find(id: &str) -> Option<&'static Protocol> {
    let first = id.split('+').next().unwrap_or_default();
    ALL.iter().find(|protocol| protocol.id == first)
}

const OFFICIAL_CODE: &str = "the code of 3DCodeBench, llada60/3dcodebench at bcb2f5a";
const OURS: &str = "Meshmark";

const ALL: &[Protocol] = &[
    Protocol {
        id: CHAMFER_OFFICIAL,
        title: "Chamfer distance, official",
        definition: "8,192 random points on each surface, each cloud centred and scaled as the benchmark's code does; the mean \
                     squared distance to the nearest point of the other cloud, both ways added; the least of four yaws. The \
                     random numbers are ours, so it agrees with the published code in distribution only.",
        source: OFFICIAL_CODE,
        better: Better::Less,
        recomputable: Recomputable::Browser,
    },
    Protocol {
        id: CHAMFER_UPRIGHT,
        title: "Chamfer distance, upright",
        definition: "As the official distance, with 8,192 evenly spread points in place of random ones, and the candidate turned \
                     about the axis that is up. The same meshes give the same digits everywhere.",
        source: OURS,
        better: Better::Less,
        recomputable: Recomputable::Browser,
    },
    Protocol {
        id: EXEC_MESHMARK,
        title: "Execution",
        definition: "The program runs once in a sandbox, from an empty scene; what it leaves is exported. Program, export and \
                     pictures have time limits of their own, and pictures are made from the exported mesh.",
        source: OURS,
        better: Better::Neither,
        recomputable: Recomputable::Server,
    },
    Protocol {
        id: EXEC_OFFICIAL,
        title: "Execution, official",
        definition: "The program runs in the scene that the official code prepares, and pictures are made in the program's own \
                     scene; 240 seconds for all of it.",
        source: OFFICIAL_CODE,
        better: Better::Neither,
        recomputable: Recomputable::Server,
    },
    Protocol {
        id: EXECUTED_RATE,
        title: "Executed",
        definition: "The share of attempts that ended with a mesh. Attempts that we failed to run are left out. The interval is \
                     Wilson's, at 95 %.",
        source: "Wilson 1927, Probable inference, the law of succession, and statistical inference",
        better: Better::More,
        recomputable: Recomputable::Browser,
    },
    Protocol {
        id: MEAN_CONDITIONAL,
        title: "Mean over what executed",
        definition: "The mean over the attempts that ended with a mesh and whose task has a reference mesh. It says nothing \
                     about how many those are.",
        source: OFFICIAL_CODE,
        better: Better::Neither,
        recomputable: Recomputable::Browser,
    },
    Protocol {
        id: MEAN_PENALIZED,
        title: "Mean with failures",
        definition: "The mean over all attempts whose task has a reference mesh, where one that ended without a mesh counts the \
                     distance between its reference and a single point. Attempts that we failed to run are left out.",
        source: OURS,
        better: Better::Neither,
        recomputable: Recomputable::Browser,
    },
    Protocol {
        id: VIEWS_MESHMARK,
        title: "Views",
        definition: "Four pictures by Cycles, 32 samples, denoised, of the exported mesh; light and framing follow its size.",
        source: OURS,
        better: Better::Neither,
        recomputable: Recomputable::Server,
    },
    Protocol {
        id: VIEWS_OFFICIAL,
        title: "Views, official",
        definition: "Four pictures by Cycles, 64 samples, with the lights and cameras of the official code, in metres.",
        source: OFFICIAL_CODE,
        better: Better::Neither,
        recomputable: Recomputable::Server,
    },
    Protocol {
        id: VIEWS_QUICK,
        title: "Views, quick",
        definition: "Four pictures by Workbench, for looking only.",
        source: OURS,
        better: Better::Neither,
        recomputable: Recomputable::Server,
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_sorted_unique_and_well_formed() {
        assert!(ALL.is_sorted_by(|a, b| a.id < b.id));
        for Protocol { id, definition, .. } in ALL {
            let (name, rest) = id.split_once('/').expect(id);
            let (variant, version) = rest.split_once('@').expect(id);
            assert!(!name.is_empty() && !variant.is_empty() && version.parse::<u32>().is_ok(), "{id}");
            assert!(!definition.contains("  "), "{id}");
        }
    }

    #[test]
    fn a_joined_id_is_found_by_its_first_part() {
        assert_eq!(find("mean/penalized@1+chamfer/upright@1").map(|found| found.id), Some(MEAN_PENALIZED));
        assert_eq!(find("chamfer/upright@2"), None);
    }
}
