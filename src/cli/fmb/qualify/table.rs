//! Ratios of times, class by class, in tables with the columns of the FMB paper.

use carom::FrameKind;

use super::super::cases::Case;
use super::super::columns::letter;

/// Classes of pairs by the kinds of their frames, after the total of all.
pub(super) const CLASSES: [&str; 5] = ["To", "CC", "CT", "TC", "TT"];

/// The number of the class of a pair.
pub(super) fn class(kinds: [FrameKind; 2]) -> usize {
    let name = kinds.map(letter).concat();
    CLASSES.iter().position(|class| *class == name).expect("every pair of kinds is a class")
}

/// Which test is measured against SAT.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Contender {
    /// The row-by-row elimination, as in the paper.
    Reference,
    /// The test of many pairs at once.
    Batch,
    /// The same together with checking and packing its frames.
    PreparedBatch,
}

impl Contender {
    pub(super) const ALL: [Self; 3] = [Self::Reference, Self::Batch, Self::PreparedBatch];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::Batch => "batch",
            Self::PreparedBatch => "batch with preparation",
        }
    }

    /// The end of names of files: the paper's own tables have none.
    fn suffix(self) -> &'static str {
        match self {
            Self::Reference => "",
            Self::Batch => "_batch",
            Self::PreparedBatch => "_prepared",
        }
    }
}

/// Least, mean and largest of some ratios.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Spread {
    pub(super) min: f64,
    pub(super) avg: f64,
    pub(super) max: f64,
}

/// The ratios of a class of pairs.
#[derive(Clone, Copy, Default)]
pub(super) struct Ratios {
    pub(super) pairs: u64,
    sum: f64,
    extremes: Option<[f64; 2]>,
}

impl Ratios {
    /// Adds the ratio of `pairs` pairs that were timed together.
    pub(super) fn add(&mut self, ratio: f64, pairs: u64) {
        self.merge(&Self { pairs, sum: ratio * pairs as f64, extremes: Some([ratio; 2]) });
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.pairs += other.pairs;
        self.sum += other.sum;
        self.extremes = match (self.extremes, other.extremes) {
            (Some([min, max]), Some([less, more])) => Some([min.min(less), max.max(more)]),
            (one, two) => one.or(two),
        };
    }

    /// `None` without pairs.
    pub(super) fn spread(&self) -> Option<Spread> {
        self.extremes.map(|[min, max]| Spread { min, avg: self.sum / self.pairs as f64, max })
    }
}

/// Ratios of misses and of hits.
pub(super) type ByOutcome = [Ratios; 2];

/// One line of a table: the pairs of one run, weighted as if this share of them were hits.
#[derive(Clone, Copy)]
pub(super) struct Row {
    pub(super) share: f64,
    pub(super) ratios: ByOutcome,
}

impl Row {
    pub(super) fn inter(&self) -> Option<Spread> {
        self.ratios[1].spread()
    }

    pub(super) fn no_inter(&self) -> Option<Spread> {
        self.ratios[0].spread()
    }

    /// Hits and misses together; `None` if there were only hits or only misses.
    pub(super) fn total(&self) -> Option<Spread> {
        let (hits, misses) = (self.inter()?, self.no_inter()?);
        Some(Spread {
            min: hits.min.min(misses.min),
            avg: self.share * hits.avg + (1.0 - self.share) * misses.avg,
            max: hits.max.max(misses.max),
        })
    }

    fn cells(&self) -> Vec<String> {
        let mut cells = vec![format!("{}", (self.share * 1e4).round() / 1e4)];
        cells.extend([self.ratios[1].pairs, self.ratios[0].pairs].map(|count| count.to_string()));
        for spread in [self.inter(), self.no_inter(), self.total()] {
            let numbers = spread.map(|Spread { min, avg, max }| [min, avg, max]);
            cells.extend(numbers.map_or_else(Default::default, |numbers| numbers.map(|x| format!("{x:.6}"))));
        }
        cells
    }
}

/// One table of a case.
pub(super) struct Table {
    pub(super) case: Case,
    pub(super) near: bool,
    pub(super) contender: Contender,
    pub(super) class: usize,
    pub(super) rows: Vec<Row>,
}

impl Table {
    /// The name of its file without extension: that of the paper, and for the batch test a mark.
    pub(super) fn name(&self) -> String {
        let class = CLASSES[self.class].trim_start_matches("To");
        let near = if self.near { "NearOnly" } else { "" };
        format!("qualification{}{class}{near}{}", self.case.tag(), self.contender.suffix())
    }

    /// Which pairs the table is about, in words.
    fn pairs(&self) -> String {
        let word = |kind: char| match (kind, self.case.dim) {
            ('C', 2) => "parallelogram",
            ('C', _) => "parallelepiped",
            (_, 2) => "triangle",
            _ => "tetrahedron",
        };
        match self.class {
            0 => "all pairs".into(),
            class => CLASSES[class].chars().map(word).collect::<Vec<_>>().join(" and "),
        }
    }

    pub(super) fn title(&self) -> String {
        let near = if self.near { ", overlapping boxes only" } else { "" };
        format!("{}{near}: {}, {} over SAT", self.case.title(), self.pairs(), self.contender.name())
    }

    pub(super) fn header(&self) -> Vec<String> {
        let class = CLASSES[self.class];
        let spread = |what: &str| ["min", "avg", "max"].map(|end| format!("{end}{what}{class}"));
        let mut names = vec!["percPairInter".to_owned()];
        names.extend(["countInter", "countNoInter"].map(|count| format!("{count}{class}")));
        names.extend(["Inter", "NoInter", "Total"].into_iter().flat_map(spread));
        names
    }

    pub(super) fn cells(&self) -> impl Iterator<Item = Vec<String>> {
        self.rows.iter().map(Row::cells)
    }

    pub(super) fn csv(&self) -> String {
        let lines = std::iter::once(self.header()).chain(self.cells());
        lines.map(|cells| cells.join(",") + "\n").collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_weigh_hits_and_misses_by_the_share() {
        let mut ratios = [Ratios::default(); 2];
        ratios[1].add(2.0, 1);
        ratios[1].add(5.0, 3);
        let row = Row { share: 0.1 + 0.8 * 2.0 / 8.0, ratios };
        assert_eq!(row.total(), None);
        assert_eq!(row.cells().join(","), "0.3,4,0,2.000000,4.250000,5.000000,,,,,,");
        ratios[0].add(1.0, 7);
        let total = Row { share: 0.25, ratios }.total().unwrap();
        assert_eq!(total, Spread { min: 1.0, avg: 0.25 * 4.25 + 0.75, max: 5.0 });
    }

    #[test]
    fn tables_have_the_names_and_columns_of_the_paper() {
        let case = Case { dim: 2, moving: true };
        let mut table = Table { case, near: false, contender: Contender::Reference, class: 0, rows: vec![] };
        assert_eq!(table.name(), "qualification2DTime");
        let header = "percPairInter,countInterTo,countNoInterTo,minInterTo,avgInterTo,maxInterTo,minNoInterTo,\
                      avgNoInterTo,maxNoInterTo,minTotalTo,avgTotalTo,maxTotalTo";
        assert_eq!(table.csv(), format!("{header}\n"));
        (table.class, table.near, table.contender) = (3, true, Contender::Batch);
        assert_eq!(table.name(), "qualification2DTimeTCNearOnly_batch");
        assert_eq!(table.csv(), format!("{}\n", header.replace("To,", "TC,").replace("TotalTo", "TotalTC")));
    }
}
