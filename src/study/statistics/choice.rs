//! Which interval is used, and whether it can be trusted (docs/methods/statistics.md, sections 4 and 5).

use super::bootstrap::Entries;
use super::intervals::{self, Interval};
use super::sketch::Sketch;
use super::tail::{self, Doubt};
use super::tally::Moments;
use super::{Evidence, Settings};

/// Intervals of a probability.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChanceInterval {
    /// Of Clopper and Pearson with few hits or few misses, else of Wilson.
    Automatic,
    Wilson,
    ClopperPearson,
    Jeffreys,
}

/// Names in study files and summaries.
pub(crate) const CHANCE_INTERVALS: [(&str, ChanceInterval); 4] = [
    ("auto", ChanceInterval::Automatic),
    ("wilson", ChanceInterval::Wilson),
    ("clopper-pearson", ChanceInterval::ClopperPearson),
    ("jeffreys", ChanceInterval::Jeffreys),
];

/// Intervals of a mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MeanInterval {
    /// Of Hall where the skewness matters, else of Student.
    Automatic,
    Student,
    Hall,
    Bootstrap,
    Bca,
}

/// Names in study files and summaries.
pub(crate) const MEAN_INTERVALS: [(&str, MeanInterval); 5] = [
    ("auto", MeanInterval::Automatic),
    ("t", MeanInterval::Student),
    ("hall", MeanInterval::Hall),
    ("bootstrap", MeanInterval::Bootstrap),
    ("bca", MeanInterval::Bca),
];

/// The interval of Wilson covers rare events too seldom with fewer hits, or fewer misses, than this.
const FEW_HITS: u64 = 20;
/// Below this load of skewness the interval of Student covers the truth as often as that of Hall.
const NEARLY_SYMMETRIC: f64 = 0.005;

impl ChanceInterval {
    /// The one that is used for so many hits.
    fn chosen(self, hits: u64, trials: u64) -> Self {
        match self {
            Self::Automatic if hits.min(trials - hits) < FEW_HITS => Self::ClopperPearson,
            Self::Automatic => Self::Wilson,
            given => given,
        }
    }

    /// The interval of a probability, and the name of its method.
    pub(super) fn of(self, hits: u64, trials: u64, confidence: f64) -> (Interval, &'static str) {
        let chosen = self.chosen(hits, trials);
        let interval = match chosen {
            Self::ClopperPearson => intervals::clopper_pearson(hits, trials, confidence),
            Self::Jeffreys => intervals::jeffreys(hits, trials, confidence),
            Self::Wilson | Self::Automatic => intervals::wilson(hits, trials, confidence),
        };
        (interval, name_of(&chosen, &CHANCE_INTERVALS))
    }
}

impl MeanInterval {
    /// The one that is used for these samples.
    fn chosen(self, moments: &Moments) -> Self {
        match self {
            Self::Automatic if is_skewed(moments) => Self::Hall,
            Self::Automatic => Self::Student,
            given => given,
        }
    }

    /// The interval that needs the moments alone: that of a bootstrap is the automatic one.
    pub(super) fn of_moments(self, moments: &Moments, confidence: f64) -> Option<Interval> {
        let by_moments = match self {
            Self::Bootstrap | Self::Bca => Self::Automatic,
            given => given,
        };
        match by_moments.chosen(moments) {
            Self::Hall => {
                intervals::hall(moments, confidence).or_else(|| intervals::student(moments, confidence))
            }
            _ => intervals::student(moments, confidence),
        }
    }

    /// The interval of a mean, and the name of its method.
    pub(super) fn of(
        self,
        moments: &Moments,
        settings: &Settings,
        evidence: &Evidence<'_>,
    ) -> (Option<Interval>, &'static str) {
        let chosen = self.chosen(moments);
        let entries =
            || evidence.kept.map_or_else(|| Entries::of_blocks(&evidence.blocks), Entries::of_values);
        let interval = match chosen {
            Self::Bootstrap => entries().percentiles(settings.confidence),
            Self::Bca => entries().bca(moments, evidence.seed, settings.confidence),
            by_moments => by_moments.of_moments(moments, settings.confidence),
        };
        (interval, name_of(&chosen, &MEAN_INTERVALS))
    }
}

fn name_of<T: PartialEq>(method: &T, names: &[(&'static str, T)]) -> &'static str {
    names.iter().find(|(_, known)| known == method).map_or("", |(name, _)| name)
}

/// Whether there is enough skewness for Hall's interval.
fn is_skewed(moments: &Moments) -> bool {
    tail::skewness_load(moments).is_some_and(|load| load > NEARLY_SYMMETRIC)
}

/// Why no interval of the mean can be trusted, if there are too few samples for their skewness.
pub(super) fn doubt(moments: &Moments, sketch: Option<&Sketch>) -> Option<Doubt> {
    sketch.filter(|_| is_skewed(moments)).and_then(|sketch| tail::doubt(moments, sketch))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(count: u64, skewness: f64) -> Moments {
        let n = count as f64;
        Moments { count, mean: 5.0, squares: n, cubes: Some(skewness * n) }
    }

    #[test]
    fn few_hits_and_few_misses_get_the_careful_interval() {
        let method = |hits, trials| ChanceInterval::Automatic.of(hits, trials, 0.95).1;
        assert_eq!((method(19, 10_000), method(20, 10_000)), ("clopper-pearson", "wilson"));
        assert_eq!((method(9_981, 10_000), method(9_980, 10_000)), ("clopper-pearson", "wilson"));
        assert_eq!(ChanceInterval::Wilson.of(3, 100, 0.95).1, "wilson");
        assert_eq!(ChanceInterval::Jeffreys.of(30, 100, 0.95).1, "jeffreys");
    }

    #[test]
    fn skewness_chooses_the_interval_of_a_mean() {
        let chosen = |count, skewness| MeanInterval::Automatic.chosen(&moments(count, skewness));
        assert_eq!((chosen(1000, 2.0), chosen(1000, 2.5)), (MeanInterval::Student, MeanInterval::Hall));
        assert_eq!((chosen(1000, -2.5), chosen(2, 0.7)), (MeanInterval::Hall, MeanInterval::Student));
        let unknown = Moments { cubes: None, ..moments(1000, 9.0) };
        assert_eq!(MeanInterval::Automatic.chosen(&unknown), MeanInterval::Student);
        assert_eq!(
            MeanInterval::Hall.of_moments(&unknown, 0.95),
            MeanInterval::Student.of_moments(&unknown, 0.95)
        );
    }
}
