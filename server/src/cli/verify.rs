//! `meshmark verify`: does a bundle hold what it says?

use std::{fs::File, io, path::PathBuf, str::FromStr};

use meshmark_core::bundle::{
    Bundle, Fault, Limits,
    verify::{Report, Verdict as Fared, all},
};

use super::{Failure, Verdict, screen::Screen};
use crate::{config::Config, pipeline::rerun, store::OnDisk};

/// Check the hashes of a bundle and compute again every claim that can be
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  meshmark verify overnight.run.zip --json\n  meshmark verify overnight.run.zip --rerun 20"
)]
pub(super) struct Args {
    /// What `meshmark bundle` wrote
    #[arg(value_name = "FILE.run.zip")]
    file: PathBuf,

    /// Execute programs again, this many chosen at random or `all`, and compare what they build within tolerance
    #[arg(long, value_name = "N|all")]
    rerun: Option<Rerun>,
}

/// How many differences people are shown; scripts get them all.
const MAX_SHOWN: usize = 20;

/// How many programs are executed again.
#[derive(Debug, Clone, Copy)]
enum Rerun {
    All,
    Some(usize),
}

impl FromStr for Rerun {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.parse()) {
            ("all", _) => Ok(Self::All),
            (_, Ok(count)) => Ok(Self::Some(count)),
            _ => Err("give a number, or `all`".to_owned()),
        }
    }
}

pub(super) fn run(args: &Args, config: &Config, screen: &Screen) -> Result<Verdict, Failure> {
    let wrong = |error: io::Error| Failure::Call(format!("{} can't be read: {error}", args.file.display()));
    let file = File::open(&args.file).map_err(wrong)?;
    let facts = file.metadata().map_err(wrong)?;
    if !facts.is_file() {
        return Err(Failure::Call(format!("{} is not a file", args.file.display())));
    }
    let mut bundle = match Bundle::open(OnDisk::new(file, facts.len()), &Limits::default()) {
        Ok(bundle) => bundle,
        Err(fault) => return refused(args, &fault, screen),
    };
    let mut report = match all(&mut bundle, |_, _, _| ()) {
        Ok(report) => report,
        Err(fault) => return refused(args, &fault, screen),
    };
    if let Some(rerun) = args.rerun {
        let most = match rerun {
            Rerun::All => usize::MAX,
            Rerun::Some(count) => count,
        };
        report = report.with(super::in_runtime(async { Ok(rerun::check(&mut bundle, config, most).await?) })?);
    }
    screen.result(&report, |screen| lines(&report, args.rerun.is_some(), screen))?;
    Ok(if report.holds() { Verdict::Done } else { Verdict::DoesNotHold })
}

fn refused(args: &Args, fault: &Fault, screen: &Screen) -> Result<Verdict, Failure> {
    let document = serde_json::json!({ "refused": fault });
    screen.result(&document, |_| {
        format!("{} is not read\n  {}\n  {}", args.file.display(), fault.place, fault.message)
    })?;
    Ok(Verdict::DoesNotHold)
}

fn lines(report: &Report, rerun: bool, screen: &Screen) -> String {
    let counts = &report.claims;
    let head = if report.holds() { "consistent: it agrees with itself" } else { "NOT consistent" };
    let mut text = format!("{}\n", screen.strong(head));
    text += &format!("{} {}\n", screen.faint("root hash     "), report.root);
    text += &format!(
        "{} {} agree, {} differ, {} can't be computed here\n",
        screen.faint("checks        "),
        counts.agree,
        counts.differ,
        counts.not_checkable
    );
    if rerun {
        let of = |verdict| report.checks.iter().filter(|c| c.place.ends_with(" rerun") && c.verdict == verdict).count();
        text += &format!(
            "{} {} gave the same, {} did not, {} could not be run\n",
            screen.faint("executed again"),
            of(Fared::Agrees),
            of(Fared::Differs),
            of(Fared::NotCheckable)
        );
    }
    let differing = report.checks.iter().filter(|check| check.verdict == Fared::Differs);
    for check in differing.take(MAX_SHOWN) {
        text += &format!(
            "\n{}\n  claimed     {}\n  recomputed  {}\n",
            screen.strong(&check.place),
            check.claimed,
            check.recomputed
        );
        if let Some(reason) = &check.reason {
            text += &format!("  {reason}\n");
        }
    }
    if report.differences.len() > MAX_SHOWN {
        text += &format!("\nand {} more; --json has them all\n", report.differences.len() - MAX_SHOWN);
    }
    if report.holds() {
        text += &screen.faint(
            "Whoever can rewrite evidence can rewrite hashes: compare the root hash with one from a place you trust.\n",
        );
    }
    text
}
