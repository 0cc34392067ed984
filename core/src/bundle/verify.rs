//! Computes again what a bundle claims, from its own evidence. A bundle in which everything agrees is
//! *consistent*; whether it is *authentic* takes its root hash from elsewhere, or executing its programs again.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Bundle, Fault, HASHES, MANIFEST, ReadAt,
    format::{Attempt, Outcome},
    sha256,
};
use crate::{
    chamfer::{self, Options},
    glb, leaderboard,
    outcome::{MeshOutcome, Status},
    protocol::{CHAMFER_OFFICIAL, CHAMFER_UPRIGHT, Recomputable},
};

/// How a claimed value fared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Computed again, and the same to the last bit.
    Agrees,
    /// Computed again, and not the same.
    Differs,
    /// Can't be computed here; `reason` says what it takes.
    NotCheckable,
}

/// One number or hash of a bundle, and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// Which, such as `Chair_seed0/careful/0/0 chamfer/upright@1`.
    #[serde(rename = "where")]
    pub place: String,
    /// What the number means; null for hashes and counts.
    pub protocol: Option<String>,
    /// What the bundle says.
    pub claimed: Value,
    /// What came out here; null when nothing could.
    pub recomputed: Value,
    /// How it fared.
    pub verdict: Verdict,
    /// Why it is not checkable, or what made it differ.
    pub reason: Option<String>,
}

impl Check {
    fn of(place: impl Into<String>, protocol: Option<&str>, claimed: Value, recomputed: Value) -> Self {
        let verdict = if claimed == recomputed { Verdict::Agrees } else { Verdict::Differs };
        Self { place: place.into(), protocol: protocol.map(str::to_owned), claimed, recomputed, verdict, reason: None }
    }

    pub(super) fn agrees(place: String, protocol: &str, claimed: Value, recomputed: Value) -> Self {
        let verdict = Verdict::Agrees;
        Self { place, protocol: Some(protocol.to_owned()), claimed, recomputed, verdict, reason: None }
    }

    pub(super) fn differs_from(
        place: String,
        protocol: &str,
        claimed: Value,
        recomputed: Value,
        reason: String,
    ) -> Self {
        let verdict = Verdict::Differs;
        Self { place, protocol: Some(protocol.to_owned()), claimed, recomputed, verdict, reason: Some(reason) }
    }

    pub(super) fn not_checkable(place: String, protocol: &str, claimed: Value, reason: impl Into<String>) -> Self {
        Self {
            place,
            protocol: Some(protocol.to_owned()),
            claimed,
            recomputed: Value::Null,
            verdict: Verdict::NotCheckable,
            reason: Some(reason.into()),
        }
    }

    fn differs(place: String, protocol: Option<&str>, claimed: Value, reason: impl Into<String>) -> Self {
        Self {
            place,
            protocol: protocol.map(str::to_owned),
            claimed,
            recomputed: Value::Null,
            verdict: Verdict::Differs,
            reason: Some(reason.into()),
        }
    }
}

/// How many checks fared how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tally {
    /// The same.
    pub agree: u64,
    /// Not the same.
    pub differ: u64,
    /// Not to be computed here.
    pub not_checkable: u64,
}

/// A check that differs, for scripts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// Which.
    #[serde(rename = "where")]
    pub place: String,
    /// What the bundle says.
    pub claimed: Value,
    /// What came out here.
    pub recomputed: Value,
}

/// What `meshmark verify` prints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// The bundle's root hash.
    pub root: String,
    /// Totals over all checks.
    pub claims: Tally,
    /// Those that differ.
    pub differences: Vec<Difference>,
    /// All of them.
    pub checks: Vec<Check>,
}

impl Report {
    fn new(root: &str, checks: Vec<Check>) -> Self {
        let mut claims = Tally::default();
        for check in &checks {
            match check.verdict {
                Verdict::Agrees => claims.agree += 1,
                Verdict::Differs => claims.differ += 1,
                Verdict::NotCheckable => claims.not_checkable += 1,
            }
        }
        let differences = checks
            .iter()
            .filter(|check| check.verdict == Verdict::Differs)
            .map(|Check { place, claimed, recomputed, .. }| Difference {
                place: place.clone(),
                claimed: claimed.clone(),
                recomputed: recomputed.clone(),
            })
            .collect();
        Self { root: root.to_owned(), claims, differences, checks }
    }

    /// This report and more checks of the same bundle.
    #[must_use]
    pub fn with(self, more: Vec<Check>) -> Self {
        let Self { root, mut checks, .. } = self;
        checks.extend(more);
        Self::new(&root, checks)
    }

    /// Whether nothing that could be checked differs.
    #[must_use]
    pub const fn holds(&self) -> bool {
        self.claims.differ == 0
    }
}

/// Every check there is. `progress` is told how many of how many steps are done, and what comes next.
///
/// # Errors
/// When the bytes can't be fetched any more; a damaged entry is a check that differs.
pub fn all<S: ReadAt>(bundle: &mut Bundle<S>, mut progress: impl FnMut(usize, usize, &str)) -> Result<Report, Fault> {
    let attempts = bundle.attempts().len();
    let steps = attempts + 2;
    progress(0, steps, "hashes");
    let mut checks = hashes(bundle)?;
    for index in 0..attempts {
        progress(index + 1, steps, &bundle.attempts()[index].id.path());
        checks.extend(recompute_attempt(bundle, index)?);
    }
    progress(attempts + 1, steps, "aggregates");
    checks.extend(recompute_claims(bundle));
    progress(steps, steps, "");
    Ok(Report::new(bundle.root(), checks))
}

/// Compares every entry with the list of hashes, every blob with its name, and the manifest's counts with the lines.
///
/// # Errors
/// As [`all`].
pub fn hashes<S: ReadAt>(bundle: &mut Bundle<S>) -> Result<Vec<Check>, Fault> {
    let list = String::from_utf8_lossy(&bundle.entry(HASHES)?).into_owned();
    let mut listed = BTreeMap::new();
    for (number, line) in list.lines().enumerate() {
        match line.split_once("  ") {
            Some((hash, path)) => drop(listed.insert(path.to_owned(), hash.to_owned())),
            None => {
                let place = format!("{HASHES} line {}", number + 1);
                return Ok(vec![Check::differs(place, None, line.into(), "not a hash, two spaces and a path")]);
            }
        }
    }
    let mut checks = Vec::new();
    let paths: Vec<_> = bundle.entries().keys().filter(|path| *path != HASHES).cloned().collect();
    for path in paths {
        let claimed = listed.remove(&path);
        let found = match bundle.entry(&path) {
            Ok(bytes) => sha256(&bytes),
            Err(fault) => {
                checks.push(Check::differs(path, None, claimed.into(), fault.message));
                continue;
            }
        };
        let named = path.strip_prefix("blobs/").and_then(|name| name.split('.').next());
        if let Some(name) = named.filter(|name| *name != found) {
            checks.push(Check::of(format!("the name of {path}"), None, name.into(), found.as_str().into()));
        }
        checks.push(Check::of(path, None, claimed.into(), found.into()));
    }
    checks.extend(
        listed.into_iter().map(|(path, hash)| Check::differs(path, None, hash.into(), "it is not in the bundle")),
    );
    checks.push(counts(bundle));
    Ok(checks)
}

fn counts<S: ReadAt>(bundle: &Bundle<S>) -> Check {
    let ours = bundle.attempts().iter().filter(|attempt| is_ours(&attempt.outcome)).count();
    let blobs = bundle.entries().keys().filter(|path| path.starts_with("blobs/")).count();
    let found = serde_json::json!({
        "items": bundle.items().len(), "attempts": bundle.attempts().len(), "ours": ours, "blobs": blobs,
    });
    let counts = &bundle.manifest().counts;
    let claimed = serde_json::json!({
        "items": counts.items, "attempts": counts.attempts, "ours": counts.ours, "blobs": counts.blobs,
    });
    Check::of(format!("{MANIFEST} counts"), None, claimed, found)
}

const fn is_ours(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Ours(_) | Outcome::Mesh(MeshOutcome { status: Status::Ours, .. }))
}

/// Reads an attempt's mesh again and computes its measurements again.
///
/// # Errors
/// As [`all`].
///
/// # Panics
/// When there is no attempt of this number.
pub fn recompute_attempt<S: ReadAt>(bundle: &mut Bundle<S>, index: usize) -> Result<Vec<Check>, Fault> {
    let attempt = bundle.attempts()[index].clone();
    let item = bundle.items().iter().find(|item| item.id == attempt.id.item);
    let reference = item.and_then(|item| item.reference.mesh.clone());
    let mut checks = Vec::new();
    let candidate = match &attempt.mesh {
        Some(path) => Some(bundle.entry(path)?),
        None => None,
    };
    if let Outcome::Mesh(outcome) = &attempt.outcome {
        checks.push(mesh_facts(&attempt, outcome, candidate.as_deref()));
    }
    let reference = match reference {
        Some(path) => Some(bundle.entry(&path)?),
        None => None,
    };
    for measurement in &attempt.measurements {
        let (protocol, place) = (&measurement.protocol, format!("{} {}", attempt.id.path(), measurement.protocol));
        let claimed = Value::from(measurement.value);
        if measurement.recomputable != Recomputable::Browser
            || ![CHAMFER_UPRIGHT, CHAMFER_OFFICIAL].contains(&protocol.as_str())
        {
            checks.push(Check::not_checkable(
                place,
                protocol,
                claimed,
                "it takes Blender or a model to compute this again",
            ));
            continue;
        }
        let Some(reference) = &reference else {
            checks.push(Check::differs(
                place,
                Some(protocol),
                claimed,
                "the reference has no mesh, so there is no distance",
            ));
            continue;
        };
        let options = Options {
            seed: measurement.details.get("seed").and_then(Value::as_u64),
            points: measurement
                .details
                .get("points")
                .and_then(Value::as_u64)
                .and_then(|n| usize::try_from(n).ok())
                .filter(|_| protocol == CHAMFER_OFFICIAL),
        };
        // A failed attempt claims its task's penalty, which the reference alone gives.
        let other = candidate.as_ref().unwrap_or(reference);
        match chamfer::compare(reference, other, protocol, &options) {
            Ok(comparison) => {
                let value = candidate.is_some().then_some(comparison.value);
                checks.push(Check::of(place.clone(), Some(protocol), claimed, value.into()));
                if let Some(penalty) = measurement.details.get("penalty") {
                    let place = format!("{place} penalty");
                    checks.push(Check::of(place, Some(protocol), penalty.clone(), comparison.penalty.into()));
                }
            }
            Err(error) if measurement.value.is_none() && candidate.is_some() => {
                checks.push(Check::not_checkable(place, protocol, claimed, error.to_string()));
            }
            Err(error) => checks.push(Check::differs(place, Some(protocol), claimed, error.to_string())),
        }
    }
    Ok(checks)
}

/// An attempt is `OK` when its mesh has a triangle with area, and only then.
fn mesh_facts(attempt: &Attempt, outcome: &MeshOutcome, glb: Option<&[u8]>) -> Check {
    let mesh = glb.map(|bytes| glb::read(bytes, &glb::Limits::default()));
    let facts = |ok: bool, meshes: u64, triangles: u64| serde_json::json!({ "ok": ok, "n_meshes": meshes, "triangles": triangles });
    let found = match &mesh {
        Some(Ok(mesh)) => facts(mesh.has_area(), mesh.nodes_with_mesh as u64, mesh.triangles.len() as u64),
        Some(Err(_)) | None => facts(false, 0, 0),
    };
    let claimed = facts(outcome.status == Status::Ok, outcome.n_meshes, outcome.triangles);
    let mut check = Check::of(format!("{} outcome", attempt.id.path()), Some(&outcome.protocol), claimed, found);
    if let Some(Err(refusal)) = mesh {
        check.reason = Some(refusal.to_string());
    }
    check
}

/// Computes every aggregate again from the lines.
#[must_use]
pub fn recompute_claims<S: ReadAt>(bundle: &Bundle<S>) -> Vec<Check> {
    let key = |claim: &super::format::Claim| format!("{} {} {}", claim.table, claim.row, claim.column);
    let value =
        |claim: &super::format::Claim| serde_json::json!({ "value": claim.value, "n": claim.n, "ci95": claim.ci95 });
    let computed = leaderboard::claims(bundle.items(), bundle.attempts());
    let found: BTreeMap<_, _> = computed.iter().map(|claim| (key(claim), claim)).collect();
    let check = |claim: &super::format::Claim| match found.get(&key(claim)) {
        Some(again) if again.protocol == claim.protocol => {
            Check::of(key(claim), Some(&claim.protocol), value(claim), value(again))
        }
        _ => Check::not_checkable(
            key(claim),
            &claim.protocol,
            value(claim),
            "this Meshmark does not define such an aggregate",
        ),
    };
    bundle.claims().iter().map(check).collect()
}
