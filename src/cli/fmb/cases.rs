//! The four cases, 2D and 3D, resting and moving, and random pairs of frames for them.

use carom::Frame;
use carom::frames::random::{Orientation, RandomFrames};
use clap::ValueEnum;

use super::dimension;

/// How long random frames move, in seconds.
const DURATION: f64 = 1.0;

/// Dimension and motion of the frames of a table or a run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Case {
    pub(super) dim: u8,
    pub(super) moving: bool,
}

impl Case {
    const ALL: [Self; 4] = [
        Self { dim: 2, moving: false },
        Self { dim: 2, moving: true },
        Self { dim: 3, moving: false },
        Self { dim: 3, moving: true },
    ];

    /// In words, as a title.
    pub(super) fn title(self) -> String {
        format!("{}D {}", self.dim, if self.moving { "dynamic" } else { "static" })
    }

    /// In short, as a part of names of files.
    pub(super) fn tag(self) -> String {
        format!("{}D{}", self.dim, if self.moving { "Time" } else { "" })
    }

    /// How long the frames move, in seconds.
    pub(super) fn duration(self) -> Option<f64> {
        self.moving.then_some(DURATION)
    }

    /// Whether the bounding boxes of two frames overlap.
    pub(super) fn are_near<const D: usize>(self, pair: &[Frame<D>; 2]) -> bool {
        let [a, b] = pair.map(|frame| frame.bounds(self.duration().unwrap_or(0.0)));
        a.overlaps(&b)
    }

    /// A number of its own, which selects its random streams.
    pub(super) fn number(self) -> u64 {
        u64::from(self.dim) * 2 + u64::from(self.moving)
    }
}

/// Which of the four cases; all of them unless options say otherwise.
#[derive(clap::Args)]
pub(super) struct Selection {
    /// Only frames of this dimension, 2 or 3 [default: both]
    #[arg(long, value_name = "D", value_parser = dimension())]
    dim: Option<u8>,
    /// Only frames that move, for 1 s [default: moving and resting]
    #[arg(long, conflicts_with = "resting")]
    moving: bool,
    /// Only frames at rest
    #[arg(long)]
    resting: bool,
}

impl Selection {
    pub(super) fn cases(&self) -> Vec<Case> {
        let chosen = |case: &Case| {
            self.dim.is_none_or(|dim| dim == case.dim)
                && (!self.moving || case.moving)
                && (!self.resting || !case.moving)
        };
        Case::ALL.into_iter().filter(chosen).collect()
    }
}

/// How random frames are turned, as an option.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Turned {
    /// components in any direction, as in the FMB paper
    Random,
    /// at right angles, each frame with a rotation of its own
    Tilted,
    /// at right angles, turned about the vertical only; in 2D along the axes
    Upright,
    /// at right angles, all frames turned alike
    Aligned,
    /// cells of one lattice, of which neighbours touch
    Lattice,
}

impl Turned {
    pub(super) fn orientation(self) -> Orientation {
        match self {
            Self::Random => Orientation::Random,
            Self::Tilted => Orientation::Tilted,
            Self::Upright => Orientation::Upright,
            Self::Aligned => Orientation::Aligned,
            Self::Lattice => Orientation::Lattice,
        }
    }

    /// Its name on the command line.
    pub(super) fn name(self) -> String {
        self.to_possible_value().expect("no value is hidden").get_name().to_owned()
    }

    /// What a title says of it: nothing of the usual orientation.
    pub(super) fn remark(self) -> String {
        if self == Self::Random { String::new() } else { format!(", {}", self.name()) }
    }

    /// Whether pairs touch exactly, which the reference does not decide.
    pub(super) fn touches(self) -> bool {
        self == Self::Lattice
    }
}

/// A random pair of frames; their bounding boxes overlap if `near`.
///
/// Kinds are drawn with the rest, as in the paper: more cuboids than tetrahedra are near.
pub(super) fn draw_pair<const D: usize>(random: &mut RandomFrames, case: Case, near: bool) -> [Frame<D>; 2] {
    loop {
        let pair = random.pair(case.moving);
        if !near || case.are_near(&pair) {
            return pair;
        }
    }
}

/// A random stream of its own for each part of a run, so that the parts can be drawn in any order.
pub(super) fn stream(seed: u64, parts: &[u64], turned: Turned) -> RandomFrames {
    let seed = parts.iter().fold(seed, |state, part| scatter(state ^ scatter(*part)));
    RandomFrames::new(seed).with_orientation(turned.orientation())
}

/// The increment of the state of SplitMix64.
pub(super) const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The output function of SplitMix64, which maps close numbers to distant ones.
pub(super) fn scatter(number: u64) -> u64 {
    let mut z = number.wrapping_add(GOLDEN);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
