//! The columns of a table of pairs: `a_type`, `a_o0`, .., `a_c00`, `a_c01`, .., `a_v0`, .., and the same for b.

use std::fmt::Write as _;
use std::ops::Range;

use carom::{Frame, FrameKind};

/// Prefixes of the names of columns of the two frames of a pair.
pub(super) const SIDES: [&str; 2] = ["a", "b"];

/// Which columns there are, and in which order carom writes them.
#[derive(Clone, Copy)]
pub(super) struct Columns<const D: usize> {
    pub(super) moving: bool,
}

impl<const D: usize> Columns<D> {
    /// Columns of one frame.
    pub(super) fn per_frame(self) -> usize {
        1 + self.velocity().end
    }

    /// Which of the numbers of a frame are its origin.
    pub(super) fn origin(self) -> Range<usize> {
        0..D
    }

    /// Which of the numbers of a frame are its components.
    pub(super) fn components(self) -> Range<usize> {
        D..D + D * D
    }

    /// Which of the numbers of a frame are its velocity.
    pub(super) fn velocity(self) -> Range<usize> {
        let start = D + D * D;
        start..start + if self.moving { D } else { 0 }
    }

    /// All names, frame a first; in each frame the type and then the numbers.
    pub(super) fn names(self) -> Vec<String> {
        SIDES.iter().flat_map(|side| self.frame_names(side)).collect()
    }

    fn frame_names(self, side: &str) -> Vec<String> {
        let axes = |letter: &str| (0..D).map(|axis| format!("{side}_{letter}{axis}")).collect::<Vec<_>>();
        let components = (0..D).flat_map(|i| axes(&format!("c{i}")));
        let velocity = if self.moving { axes("v") } else { Vec::new() };
        [format!("{side}_type")].into_iter().chain(axes("o")).chain(components).chain(velocity).collect()
    }

    /// The frame with these numbers.
    pub(super) fn frame(self, kind: FrameKind, numbers: &[f64]) -> Frame<D> {
        let vector = |range: Range<usize>| std::array::from_fn(|axis| numbers[range.start + axis]);
        Frame {
            kind,
            origin: vector(self.origin()),
            components: std::array::from_fn(|i| vector(self.components().start + i * D..numbers.len())),
            velocity: if self.moving { vector(self.velocity()) } else { [0.0; D] },
        }
    }

    /// A pair as a line of the table.
    pub(super) fn line(self, pair: &[Frame<D>; 2]) -> String {
        pair.each_ref().map(|frame| self.cells(frame)).join(",")
    }

    fn cells(self, frame: &Frame<D>) -> String {
        let mut cells = String::from(letter(frame.kind));
        let velocity: &[f64] = if self.moving { &frame.velocity } else { &[] };
        for x in frame.origin.iter().chain(frame.components.as_flattened()).chain(velocity) {
            // Writing to a string cannot fail. This form reads back to the same bits.
            let _ = write!(cells, ",{x:?}");
        }
        cells
    }
}

/// The kind that a cell names.
pub(super) fn kind(cell: &[u8]) -> Option<FrameKind> {
    match cell {
        b"C" => Some(FrameKind::Cuboid),
        b"T" => Some(FrameKind::Tetrahedron),
        _ => None,
    }
}

/// The letter for a kind in a cell and in the name of a class of pairs.
pub(super) fn letter(kind: FrameKind) -> &'static str {
    match kind {
        FrameKind::Cuboid => "C",
        FrameKind::Tetrahedron => "T",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_lines_have_one_order() {
        let columns = Columns::<2> { moving: true };
        let names = columns.names();
        assert_eq!(
            names[..9],
            ["a_type", "a_o0", "a_o1", "a_c00", "a_c01", "a_c10", "a_c11", "a_v0", "a_v1"]
        );
        assert_eq!((names.len(), names[9].as_str()), (2 * columns.per_frame(), "b_type"));
        let numbers = [1.0, 2.0, 3.0, 4.0, 5.0, 6.5, 1e-300, -8.0];
        let frame = columns.frame(FrameKind::Tetrahedron, &numbers);
        assert_eq!(frame.components, [[3.0, 4.0], [5.0, 6.5]]);
        assert_eq!(frame.velocity, [1e-300, -8.0]);
        let one = "T,1.0,2.0,3.0,4.0,5.0,6.5,1e-300,-8.0";
        assert_eq!(columns.line(&[frame, frame]), format!("{one},{one}"));
        let resting = Columns::<2> { moving: false };
        assert_eq!(resting.names().len(), 2 * 7);
        assert_eq!(resting.line(&[frame, frame]).split(',').count(), 2 * 7);
    }
}
