//! Every type that crosses a boundary, every formula and every file format of Meshmark.
//!
//! In the order of a trial:
//! [`task`] (what is asked) and [`answer`] (what the model said) → [`program`] (the code that [`reply`] finds in it) →
//! [`outcome`] (what running it gave; [`failure`] classifies) → [`glb`] → [`mesh`] → [`cloud`] → [`nearest`] →
//! [`chamfer`] → [`protocol`] (what a number means) → [`bundle`] (evidence on disk) → [`leaderboard`].
//!
//! A new formula gets a file of its own and an entry in [`protocol`]; a new file format a room under
//! [`bundle`]. Not here, ever: files, environment, clock, threads, randomness without a seed.

pub mod answer;
pub mod bundle;
pub mod chamfer;
pub mod cloud;
pub mod failure;
pub mod glb;
pub mod id;
pub mod leaderboard;
pub mod mesh;
pub mod nearest;
pub mod outcome;
pub mod program;
pub mod protocol;
pub mod reply;
pub mod task;
