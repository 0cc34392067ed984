//! `meshmark verify`: does a bundle hold what it says?

use std::{fs::File, io, os::unix::fs::FileExt, path::PathBuf};

use meshmark_core::bundle::{
    Bundle, Limits, ReadAt,
    verify::{Report, Verdict as Fared, all},
};

use super::{Failure, Verdict, screen::Screen};

/// Check the hashes of a bundle and compute again every claim that can be
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  meshmark verify overnight.run.zip --json")]
pub(super) struct Args {
    /// What `meshmark bundle` wrote
    #[arg(value_name = "FILE.run.zip")]
    file: PathBuf,
}

/// How many differences people are shown; scripts get them all.
const MAX_SHOWN: usize = 20;

/// A file of which only what is asked for is read.
struct OnDisk {
    file: File,
    bytes: u64,
}

impl ReadAt for OnDisk {
    fn size(&self) -> u64 {
        self.bytes
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(buffer, offset)
    }
}

pub(super) fn run(args: &Args, screen: &Screen) -> Result<Verdict, Failure> {
    let wrong = |error: io::Error| Failure::Call(format!("{} can't be read: {error}", args.file.display()));
    let file = File::open(&args.file).map_err(wrong)?;
    let facts = file.metadata().map_err(wrong)?;
    if !facts.is_file() {
        return Err(Failure::Call(format!("{} is not a file", args.file.display())));
    }
    let source = OnDisk { file, bytes: facts.len() };
    let result = Bundle::open(source, &Limits::default()).and_then(|mut bundle| all(&mut bundle, |_, _, _| ()));
    match result {
        Ok(report) => {
            screen.result(&report, |screen| lines(&report, screen))?;
            Ok(if report.holds() { Verdict::Done } else { Verdict::DoesNotHold })
        }
        Err(fault) => {
            let document = serde_json::json!({ "refused": fault });
            let text = || format!("{} is not read\n  {}\n  {}", args.file.display(), fault.place, fault.message);
            screen.result(&document, |_| text())?;
            Ok(Verdict::DoesNotHold)
        }
    }
}

fn lines(report: &Report, screen: &Screen) -> String {
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
