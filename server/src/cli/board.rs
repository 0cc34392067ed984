//! `meshmark board`: leaderboard tables, computed from the bundles' lines.

use std::{collections::BTreeMap, fs::File, path::PathBuf};

use meshmark_core::{
    bundle::{
        Bundle, Limits, ReadAt,
        format::{Attempt, Claim, Outcome},
    },
    leaderboard,
    outcome::Status,
};
use serde::Serialize;

use super::{Failure, Verdict, screen::Screen};
use crate::store::OnDisk;

/// Leaderboard tables of one or more bundles
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  meshmark board overnight.run.zip\n  meshmark board *.run.zip --format csv --by category"
)]
pub(super) struct Args {
    /// What `meshmark bundle` wrote
    #[arg(value_name = "BUNDLE", required = true)]
    bundles: Vec<PathBuf>,

    /// How the table is written
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "table")]
    format: Format,

    /// A table for each of these
    #[arg(long, value_enum, value_name = "WHAT")]
    by: Option<By>,

    /// Only measures that rest on this protocol
    #[arg(long, value_name = "ID")]
    protocol: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Columns for people
    Table,
    Csv,
    /// Markdown
    Md,
    Latex,
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum By {
    Category,
    /// Counts of how attempts ended
    Outcome,
    Turn,
}

/// One number of a leaderboard.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Row {
    /// `category:Chair`, `turn:1`; absent from the leaderboard itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<String>,
    source: String,
    measure: String,
    protocol: String,
    value: Option<f64>,
    n: u64,
    ci95: Option<[f64; 2]>,
}

impl Row {
    /// Whether it is of the leaderboard itself.
    pub(super) const fn is_overall(&self) -> bool {
        self.group.is_none()
    }
}

pub(super) fn run(args: &Args, screen: &Screen) -> Result<Verdict, Failure> {
    let mut rows = Vec::new();
    for path in &args.bundles {
        let wrong = |why: String| Failure::Call(format!("{}: {why}", path.display()));
        let file = File::open(path).map_err(|error| wrong(error.to_string()))?;
        let bytes = file.metadata().map_err(|error| wrong(error.to_string()))?.len();
        let bundle = Bundle::open(OnDisk::new(file, bytes), &Limits::default())
            .map_err(|fault| wrong(format!("{}: {}", fault.place, fault.message)))?;
        let mut of_bundle = match args.by {
            Some(By::Outcome) => outcomes(bundle.attempts()),
            Some(By::Turn) => turns(&bundle),
            by => rows_of(&leaderboard::claims(bundle.items(), bundle.attempts()))
                .into_iter()
                .filter(|row| row.group.is_some() == (by == Some(By::Category)))
                .collect(),
        };
        if args.bundles.len() > 1 {
            let run = &bundle.manifest().run;
            of_bundle.iter_mut().for_each(|row| row.source = format!("{} ({run})", row.source));
        }
        rows.extend(of_bundle);
    }
    if let Some(protocol) = &args.protocol {
        rows.retain(|row| row.protocol.split('+').any(|id| id == protocol));
    }
    let json = serde_json::json!({ "rows": rows });
    screen.result(&json, |screen| match args.format {
        Format::Table => table(&rows, screen),
        Format::Csv => csv(&rows),
        Format::Md => markdown(&rows),
        Format::Latex => latex(&rows),
        Format::Json => serde_json::to_string_pretty(&json).unwrap_or_default(),
    })?;
    Ok(Verdict::Done)
}

/// The claims of a run as rows.
pub(super) fn rows_of(claims: &[Claim]) -> Vec<Row> {
    let row = |claim: &Claim| Row {
        group: (claim.table != "leaderboard").then(|| claim.table.clone()),
        source: claim.row.clone(),
        measure: claim.column.clone(),
        protocol: claim.protocol.clone(),
        value: claim.value,
        n: claim.n,
        ci95: claim.ci95,
    };
    claims.iter().map(row).collect()
}

fn outcomes(attempts: &[Attempt]) -> Vec<Row> {
    let mut counts: BTreeMap<(String, Status), u64> = BTreeMap::new();
    let mut totals: BTreeMap<String, u64> = BTreeMap::new();
    let mut protocol = String::new();
    for attempt in attempts {
        let status = match &attempt.outcome {
            Outcome::Mesh(outcome) => {
                protocol.clone_from(&outcome.protocol);
                outcome.status
            }
            Outcome::Ours(_) => Status::Ours,
        };
        *counts.entry((attempt.id.source.to_string(), status)).or_default() += 1;
        *totals.entry(attempt.id.source.to_string()).or_default() += 1;
    }
    #[expect(clippy::cast_precision_loss, reason = "counts of attempts are far below 2^53")]
    let row = |((source, status), count): ((String, Status), u64)| Row {
        group: None,
        n: totals[&source],
        source,
        measure: status.as_str().to_owned(),
        protocol: protocol.clone(),
        value: Some(count as f64),
        ci95: None,
    };
    counts.into_iter().map(row).collect()
}

fn turns<S: ReadAt>(bundle: &Bundle<S>) -> Vec<Row> {
    let mut by_turn: BTreeMap<u32, Vec<Attempt>> = BTreeMap::new();
    for attempt in bundle.attempts() {
        by_turn.entry(attempt.id.turn).or_default().push(attempt.clone());
    }
    let rows = |(turn, attempts): (u32, Vec<Attempt>)| {
        let claims = leaderboard::claims(bundle.items(), &attempts);
        let rows = rows_of(&claims).into_iter().filter(|row| row.group.is_none());
        rows.map(|row| Row { group: Some(format!("turn:{turn}")), ..row }).collect::<Vec<_>>()
    };
    by_turn.into_iter().flat_map(rows).collect()
}

/// A table: its group, its head, and a line for each source.
struct Grid {
    group: Option<String>,
    lines: Vec<Vec<String>>,
}

/// Sources down, measures across; one such table for each group.
fn grids(rows: &[Row]) -> Vec<Grid> {
    let mut groups: BTreeMap<Option<&String>, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        groups.entry(row.group.as_ref()).or_default().push(row);
    }
    let grid = |(group, rows): (Option<&String>, Vec<&Row>)| {
        let mut measures: Vec<_> = rows.iter().map(|row| row.measure.as_str()).collect();
        measures.sort_unstable_by_key(|measure| (*measure != EXECUTED, *measure));
        measures.dedup();
        let mut sources: BTreeMap<&str, BTreeMap<&str, &Row>> = BTreeMap::new();
        for row in rows {
            sources.entry(&row.source).or_default().insert(&row.measure, row);
        }
        let mut sources: Vec<_> = sources.into_iter().collect();
        // Who executes most comes first; equal ones keep the order of their names.
        let executed = |cells: &BTreeMap<&str, &Row>| cells.get(EXECUTED).and_then(|row| row.value).unwrap_or(-1.0);
        sources.sort_by(|(_, a), (_, b)| executed(b).total_cmp(&executed(a)));
        let head = std::iter::once("source").chain(measures.iter().copied()).map(str::to_owned).collect();
        let line = |(source, cells): (&str, BTreeMap<&str, &Row>)| {
            let cells =
                measures.iter().map(|measure| cells.get(measure).map_or_else(|| "-".to_owned(), |row| cell(row)));
            std::iter::once(source.to_owned()).chain(cells).collect()
        };
        let lines = std::iter::once(head).chain(sources.into_iter().map(line)).collect();
        Grid { group: group.cloned(), lines }
    };
    groups.into_iter().map(grid).collect()
}

/// The share of attempts that gave a mesh.
const EXECUTED: &str = "executed";

/// A number with its interval, rates in per cent.
fn cell(row: &Row) -> String {
    let Some(value) = row.value else { return format!("- (n {})", row.n) };
    match row.ci95 {
        Some([low, high]) if row.measure == EXECUTED => {
            format!("{:.1} % [{:.0}, {:.0}] (n {})", 100.0 * value, 100.0 * low, 100.0 * high, row.n)
        }
        Some([low, high]) => format!("{value:.5} [{low:.5}, {high:.5}] (n {})", row.n),
        // A count of attempts, not a mean over them.
        None if row.protocol.starts_with("exec/") => format!("{value}"),
        None => format!("{value:.5} (n {})", row.n),
    }
}

/// For people: columns in line.
pub(super) fn table(rows: &[Row], screen: &Screen) -> String {
    let mut text = String::new();
    for Grid { group, lines } in grids(rows) {
        if let Some(group) = group {
            text += &format!("{}\n", screen.strong(&group));
        }
        let width = |k: usize| lines.iter().map(|line| line[k].chars().count()).max().unwrap_or(0);
        for (number, line) in lines.iter().enumerate() {
            let pad = |(k, cell): (usize, &String)| {
                let width = width(k);
                if k == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            };
            let joined = line.iter().enumerate().map(pad).collect::<Vec<_>>().join("   ");
            text += &format!("{}\n", if number == 0 { screen.faint(&joined) } else { joined });
        }
        text.push('\n');
    }
    text.trim_end().to_owned() + "\n"
}

fn markdown(rows: &[Row]) -> String {
    let mut text = String::new();
    for Grid { group, lines } in grids(rows) {
        text += &group.map_or_else(String::new, |group| format!("### {group}\n\n"));
        for (number, line) in lines.iter().enumerate() {
            text +=
                &format!("| {} |\n", line.iter().map(|cell| cell.replace('|', "\\|")).collect::<Vec<_>>().join(" | "));
            if number == 0 {
                text += &format!("|{}\n", " --- |".repeat(line.len()));
            }
        }
        text.push('\n');
    }
    text
}

fn latex(rows: &[Row]) -> String {
    let escaped = |cell: &String| {
        let mut text = String::new();
        for character in cell.chars() {
            if "&%$#_{}".contains(character) {
                text.push('\\');
            }
            text.push(character);
        }
        text
    };
    let mut text = String::new();
    for Grid { group, lines } in grids(rows) {
        text += &group.map_or_else(String::new, |group| format!("% {group}\n"));
        let columns = lines.first().map_or(1, Vec::len);
        text += &format!("\\begin{{tabular}}{{l{}}}\n\\hline\n", "r".repeat(columns - 1));
        for (number, line) in lines.iter().enumerate() {
            text += &format!("{} \\\\\n", line.iter().map(escaped).collect::<Vec<_>>().join(" & "));
            text += if number == 0 { "\\hline\n" } else { "" };
        }
        text += "\\hline\n\\end{tabular}\n\n";
    }
    text
}

/// A line for each number, as in JSON.
fn csv(rows: &[Row]) -> String {
    let quoted = |cell: &str| {
        if cell.contains([',', '"', '\n']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
    };
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let mut text = "group,source,measure,protocol,value,n,ci95_low,ci95_high\n".to_owned();
    for row in rows {
        let [low, high] = row.ci95.map_or([None; 2], |ci95| ci95.map(Some));
        let cells = [
            quoted(row.group.as_deref().unwrap_or_default()),
            quoted(&row.source),
            quoted(&row.measure),
            quoted(&row.protocol),
            number(row.value),
            row.n.to_string(),
            number(low),
            number(high),
        ];
        text += &format!("{}\n", cells.join(","));
    }
    text
}
