//! Every aggregate of a run: the one definition that writers, `verify`, `board` and the pages use.

use std::collections::BTreeMap;

use crate::{
    bundle::format::{Attempt, Claim, Item, Measurement, Outcome},
    outcome::Status,
    protocol::{CHAMFER_UPRIGHT, EXEC_MESHMARK, EXECUTED_RATE, MEAN_CONDITIONAL, MEAN_PENALIZED},
};

/// The quantile of the normal distribution for a 95 % interval.
const Z95: f64 = 1.959_963_984_540_054;

/// The aggregates of a run, sorted by table, row and column. Tables are `leaderboard` and `category:<name>`; rows are
/// sources; attempts that we failed to run are in no denominator.
///
/// - `executed`: the share of attempts whose status is `OK`, with Wilson's interval.
/// - `chamfer_conditional`: the mean of `chamfer/upright@1` over the attempts that have a value.
/// - `chamfer_penalized`: the mean over these and over the failed attempts whose measurement has no value but a
///   `penalty` in its details (the distance between the reference and a single point): writers put it there, so
///   that the evidence for the number is in the bundle. An attempt whose reference has no mesh has no such
///   measurement and is in neither mean.
///
/// Sums go in the order of the attempts. A mean of nothing is null, with `n` 0.
#[must_use]
pub fn claims(items: &[Item], attempts: &[Attempt]) -> Vec<Claim> {
    let categories: BTreeMap<_, _> = items.iter().map(|item| (&item.id, item.category.as_str())).collect();
    let mut tallies: BTreeMap<(String, String), Tally> = BTreeMap::new();
    for attempt in attempts {
        let Outcome::Mesh(outcome) = &attempt.outcome else { continue };
        if outcome.status == Status::Ours {
            continue;
        }
        let category = categories.get(&attempt.id.item).map(|category| format!("category:{category}"));
        for table in std::iter::once("leaderboard".to_owned()).chain(category) {
            let tally = tallies.entry((table, attempt.id.source.to_string())).or_default();
            tally.add(outcome.status == Status::Ok, &attempt.measurements);
        }
    }
    tallies.iter().flat_map(|((table, row), tally)| tally.claims(table, row)).collect()
}

#[derive(Default)]
struct Tally {
    attempts: u64,
    executed: u64,
    measured: Mean,
    penalized: Mean,
}

/// A mean in the making.
#[derive(Default)]
struct Mean {
    sum: f64,
    n: u64,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.n += 1;
    }

    fn value(&self) -> Option<f64> {
        (self.n > 0).then(|| self.sum / self.n as f64)
    }
}

impl Tally {
    fn add(&mut self, executed: bool, measurements: &[Measurement]) {
        self.attempts += 1;
        self.executed += u64::from(executed);
        let Some(chamfer) = measurements.iter().find(|measurement| measurement.protocol == CHAMFER_UPRIGHT) else {
            return;
        };
        let penalty = || chamfer.details.get("penalty").and_then(serde_json::Value::as_f64);
        if let Some(value) = chamfer.value {
            self.measured.add(value);
            self.penalized.add(value);
        } else if let Some(penalty) = penalty() {
            self.penalized.add(penalty);
        }
    }

    fn claims(&self, table: &str, row: &str) -> [Claim; 3] {
        let claim = |column: &str, value, protocol: &str, below: &str, n, ci95| Claim {
            table: table.to_owned(),
            row: row.to_owned(),
            column: column.to_owned(),
            value,
            protocol: format!("{protocol}+{below}"),
            n,
            ci95,
        };
        let rate = (self.attempts > 0).then(|| self.executed as f64 / self.attempts as f64);
        let mean = |column, mean: &Mean, protocol| claim(column, mean.value(), protocol, CHAMFER_UPRIGHT, mean.n, None);
        [
            mean("chamfer_conditional", &self.measured, MEAN_CONDITIONAL),
            mean("chamfer_penalized", &self.penalized, MEAN_PENALIZED),
            claim(
                "executed",
                rate,
                EXECUTED_RATE,
                EXEC_MESHMARK,
                self.attempts,
                wilson95(self.executed, self.attempts),
            ),
        ]
    }
}

/// Wilson's score interval for a proportion at 95 %; `None` without trials.
///
/// Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927, without
/// continuity correction. At 0 and at `n` successes one end is exactly 0 or 1. Oracle: scipy's
/// `binomtest(k, n).proportion_ci(method="wilson")`.
#[must_use]
pub fn wilson95(successes: u64, n: u64) -> Option<[f64; 2]> {
    if n == 0 {
        return None;
    }
    let (count, p, z2) = (n as f64, successes as f64 / n as f64, Z95 * Z95);
    let centre = p + z2 / (2.0 * count);
    let reach = Z95 * libm::sqrt(p * (1.0 - p) / count + z2 / (4.0 * count * count));
    let scale = 1.0 + z2 / count;
    let low = if successes == 0 { 0.0 } else { (centre - reach) / scale };
    let high = if successes == n { 1.0 } else { (centre + reach) / scale };
    Some([low, high])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// scipy 1.17.1: `binomtest(k, n).proportion_ci(confidence_level=0.95, method="wilson")`.
    #[test]
    fn intervals_are_those_of_scipy() {
        for (successes, n, low, high) in [
            (0, 1, 0.0, 0.7934506856227626),
            (1, 1, 0.20654931437723745, 1.0),
            (0, 10, 0.0, 0.27753279986288926),
            (10, 10, 0.7224672001371109, 1.0),
            (1, 3, 0.06149194472039626, 0.7923403991979523),
            (7, 12, 0.31951131254954973, 0.8067396863412435),
            (149, 212, 0.6381446458618967, 0.7602959524822923),
            (211, 212, 0.9737694936398168, 0.9991668511541331),
        ] {
            let [l, h] = wilson95(successes, n).unwrap();
            assert!((l - low).abs() < 1e-12 && (h - high).abs() < 1e-12, "{successes} of {n}: [{l}, {h}]");
        }
        assert_eq!(wilson95(0, 0), None);
    }
}
