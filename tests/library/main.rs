//! The library from Rust. All in one program: linking it takes longer than running it.

mod broad_phase;
mod cloud;
mod collision_times;
mod directory;
mod exact_shapes;
mod files;
mod fmb_figures;
mod fmb_rivals;
mod frame_pairs;
mod frames_contacts;
mod frames_exact;
mod frames_invariance;
mod fuzz_check;
mod fuzz_corpus;
mod kernels;
mod overlap_regions;
mod particles;
mod pbphys_figures;
mod random;
mod rational;
mod stepping;
