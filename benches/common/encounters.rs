//! Studies of encounters that several benchmarks run.

/// A conjunction with certain velocities: the probability is known.
pub(crate) const CONJUNCTION: &str = r#"
kind = "encounter"
measure = ["hit"]
[encounter]
duration = 10
[encounter.a]
radius = 5
position = { normal = { mean = [0, 0, 0], covariance = [[400, 50, 0], [50, 900, 30], [0, 30, 200]] } }
velocity = [0, 7500, 0]
[encounter.b]
radius = 15
position = { normal = { mean = [-37500, 10, 20], sd = [20, 30, 25] } }
velocity = [7500, 7500, 0]
"#;

/// Two boxes in any orientation.
pub(crate) const BOXES: &str = r#"
kind = "encounter"
measure = ["hit"]
[encounter]
duration = 10
[encounter.a]
frame = { sides = [10, 4, 2], rotation = "random" }
position = { normal = { mean = [0, 0, 0], sd = 5 } }
[encounter.b]
frame = { sides = [3, 3, 8], rotation = "random" }
position = { normal = { mean = [-500, 1, 2], sd = 5 } }
velocity = [100, 0, 0]
"#;
