//! Times the Chamfer distance of stored cloud pairs: two trees, four yaws, both directions, one thread. Prints one line
//! of JSON: pair → the least milliseconds of `repeats`. Runs natively and as WebAssembly; called by
//! `benches/against_scipy.py`.

#![allow(clippy::disallowed_methods, reason = "a stopwatch, not a formula")]

use std::{collections::BTreeMap, hint::black_box, time::Instant};

use meshmark_core::{chamfer::per_yaw, cloud::Cloud};

const POINTS: usize = 8192;
const NAMES: [&str; 9] = ["bike_frame", "chair", "chair_yaw90", "gear", "lamp", "mug", "plant", "staircase", "table"];
const PAIRS: [(usize, usize); 6] = [(1, 1), (1, 2), (8, 5), (0, 1), (6, 7), (5, 4)];

fn main() {
    let repeats = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(5);
    let raw = include_bytes!("../goldens/chamfer/clouds_seed0.f32");
    let numbers: Vec<f64> = raw.as_chunks::<4>().0.iter().map(|b| f64::from(f32::from_le_bytes(*b))).collect();
    let clouds: Vec<Cloud> = numbers
        .chunks_exact(3 * POINTS)
        .map(|cloud| Cloud::new(cloud.as_chunks::<3>().0.to_vec()).and_then(|cloud| cloud.normalised()))
        .collect::<Result<_, _>>()
        .expect("stored clouds are finite");
    let mut least: BTreeMap<String, f64> = BTreeMap::new();
    for _ in 0..repeats {
        for (r, c) in PAIRS {
            let start = Instant::now();
            black_box(per_yaw(black_box(&clouds[2 * r]), black_box(&clouds[2 * c + 1])));
            let milliseconds = start.elapsed().as_secs_f64() * 1e3;
            let slot = least.entry(format!("{}/{}", NAMES[r], NAMES[c])).or_insert(f64::INFINITY);
            *slot = slot.min(milliseconds);
        }
    }
    println!("{}", serde_json::json!(least));
}
