//! The same digits everywhere: this body runs natively and as WebAssembly, with and without vector instructions,
//! against one text of bits.

use std::fmt::Write as _;

use meshmark_core::{
    chamfer::{Options, compare},
    protocol::{CHAMFER_OFFICIAL, CHAMFER_UPRIGHT},
};

const PAIRS: [(&str, &[u8], &[u8]); 6] = [
    (
        "chair chair_yaw90",
        include_bytes!("../goldens/chamfer/chair.glb"),
        include_bytes!("../goldens/chamfer/chair_yaw90.glb"),
    ),
    ("table mug", include_bytes!("../goldens/chamfer/table.glb"), include_bytes!("../goldens/chamfer/mug.glb")),
    (
        "bike_frame chair",
        include_bytes!("../goldens/chamfer/bike_frame.glb"),
        include_bytes!("../goldens/chamfer/chair.glb"),
    ),
    ("mug lamp", include_bytes!("../goldens/chamfer/mug.glb"), include_bytes!("../goldens/chamfer/lamp.glb")),
    (
        "plant staircase",
        include_bytes!("../goldens/chamfer/plant.glb"),
        include_bytes!("../goldens/chamfer/staircase.glb"),
    ),
    ("Duck gear", include_bytes!("../goldens/glb/Duck.glb"), include_bytes!("../goldens/chamfer/gear.glb")),
];

fn digits() -> String {
    let mut text = String::new();
    for (names, reference, candidate) in PAIRS {
        for (protocol, seed) in [(CHAMFER_UPRIGHT, None), (CHAMFER_OFFICIAL, Some(7))] {
            let c = compare(reference, candidate, protocol, &Options { seed, points: None }).unwrap();
            write!(text, "{protocol} {names}").unwrap();
            for v in
                c.per_yaw.into_iter().chain([c.value, c.noise_floor, c.penalty, c.reference.area, c.candidate.area])
            {
                write!(text, " {:016x}", v.to_bits()).unwrap();
            }
            text.push('\n');
        }
    }
    text
}

#[test]
fn digits_are_the_committed_ones_to_the_bit() {
    let found = digits();
    assert_eq!(found, include_str!("../goldens/chamfer/digits.txt"), "digits.txt would be:\n{found}");
}
