//! The edge directions and bounding coordinates of the two kinds of bodies, as tables known at compile time.

/// Most directions of edges of a body, rows that bound it, and systems of coordinates that are used.
pub(super) const DIRECTIONS: usize = 6;
pub(super) const ROWS: usize = 4;
pub(super) const SYSTEMS: usize = 3;

/// Writes a block out once for each number of a list that is below a bound known at compile time.
///
/// In a loop that is not unrolled every entry of a [`BodyLayout`] would be looked up at run time.
macro_rules! unrolled {
    ($index:ident in [$($value:literal),+] below $bound:expr => $body:block) => {
        $(if $value < $bound {
            let $index: usize = $value;
            $body
        })+
    };
}
pub(super) use unrolled;

/// The same for the rows that bound a body.
macro_rules! each_row {
    ($layout:expr, $index:ident => $body:block) => {
        unrolled!($index in [0, 1, 2, 3] below $layout.rows => $body)
    };
}
pub(super) use each_row;

/// The same for the directions of its edges.
macro_rules! each_direction {
    ($layout:expr, $index:ident => $body:block) => {
        unrolled!($index in [0, 1, 2, 3, 4, 5] below $layout.directions => $body)
    };
}
pub(super) use each_direction;

/// The same for the directions that are differences of two components, with the numbers of these.
macro_rules! each_difference {
    ($layout:expr, $dim:expr, $direction:ident, [$minus:ident, $plus:ident] => $body:block) => {
        unrolled!(difference in [0, 1, 2] below $layout.directions - $dim => {
            let $direction = if $dim == 2 { 2 } else { 3 + difference };
            let [$minus, $plus] = $layout.differences[$direction];
            $body
        })
    };
}
pub(super) use each_difference;

/// The rows and directions of one kind of body in one dimension.
///
/// A row is a coordinate X, and the last row of a tetrahedron is their sum; within the body each is from 0 to 1. As many
/// rows as there are dimensions are a system of coordinates: system 0 are the X, and system 1 + d of a tetrahedron has
/// the sum instead of X_d. If one coordinate of a system changes, the point moves along an edge of the body.
pub(super) struct BodyLayout {
    pub(super) is_tetrahedron: bool,
    pub(super) rows: usize,
    pub(super) directions: usize,
    /// Directions after the components are differences of them: minus the first, plus the second.
    pub(super) differences: [[usize; 2]; DIRECTIONS],
    /// For each direction a system of which one coordinate changes along it.
    pub(super) system: [usize; DIRECTIONS],
    /// The directions, with either sign, along which the other coordinates of that system change.
    pub(super) others: [[usize; 2]; DIRECTIONS],
    /// In 3D the two rows of that system that are constant along the direction.
    pub(super) constant_rows: [[usize; 2]; DIRECTIONS],
}

impl BodyLayout {
    pub(super) const fn new(dim: usize, is_tetrahedron: bool) -> Self {
        let cuboid = Self {
            is_tetrahedron,
            rows: dim,
            directions: dim,
            differences: [[0, 1], [0, 1], [0, 1], [0, 1], [0, 2], [1, 2]],
            system: [0; DIRECTIONS],
            others: [[1, 2], [2, 0], [0, 1], [0, 4], [0, 3], [1, 3]],
            constant_rows: [[1, 2], [2, 0], [0, 1], [2, 3], [1, 3], [0, 3]],
        };
        match (dim, is_tetrahedron) {
            (2, false) => Self { others: [[1, 1], [0, 0], [0, 0], [0; 2], [0; 2], [0; 2]], ..cuboid },
            (2, true) => Self {
                rows: 3,
                directions: 3,
                system: [0, 0, 1, 0, 0, 0],
                others: [[1, 1], [0, 0], [0, 0], [0; 2], [0; 2], [0; 2]],
                ..cuboid
            },
            (_, false) => cuboid,
            (_, true) => Self { rows: 4, directions: 6, system: [0, 0, 0, 1, 1, 2], ..cuboid },
        }
    }
}
