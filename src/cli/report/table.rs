//! Estimates with their intervals, in tables.

use carom::study::{Estimate, Observable, ObservableKind, PointSummary, Reference, Summary};

use super::escape;
use super::number::{Format, count, percent, significant};

/// A table with a line for each observable: of a study without a sweep.
pub(super) fn of_point(summary: &Summary, point: &PointSummary) -> String {
    let columns = Columns::of(&point.estimates.iter().map(|estimate| (estimate, point)).collect::<Vec<_>>());
    let lines = summary.observables.iter().zip(&point.estimates).map(|(observable, estimate)| {
        let unit = if observable.unit.is_empty() { String::new() } else { format!(" ({})", observable.unit) };
        let name = format!("<strong>{}</strong>{}", escape(&observable.name), escape(&unit));
        let about = format!("{name}<small>{}</small>", escape(&observable.description));
        columns.line(&head(&about), observable, estimate, point)
    });
    let lines: String = lines.collect();
    table(
        &columns.header("<th scope=\"col\" class=\"text\">observable</th>", summary.study.confidence),
        &lines,
    )
}

/// A table of one observable with a line for each point of a sweep.
pub(super) fn of_sweep(summary: &Summary, index: usize) -> String {
    let estimates: Vec<(&Estimate, &PointSummary)> =
        summary.points.iter().map(|point| (&point.estimates[index], point)).collect();
    let columns = Columns::of(&estimates);
    let lines = estimates.iter().map(|(estimate, point)| {
        let parameters = point.parameters.iter().map(|value| head(&significant(*value, 6)));
        columns.line(&parameters.collect::<String>(), &summary.observables[index], estimate, point)
    });
    let lines: String = lines.collect();
    let axes = summary.axes.iter().map(|axis| format!("<th scope=\"col\">{}</th>", escape(&axis.name)));
    table(&columns.header(&axes.collect::<String>(), summary.study.confidence), &lines)
}

fn table(header: &str, lines: &str) -> String {
    format!(
        "<div class=\"wide\"><table>\n<thead><tr>{header}</tr></thead>\n<tbody>\n{lines}</tbody>\n</table></div>\n"
    )
}

fn head(content: &str) -> String {
    format!("<th scope=\"row\">{content}</th>")
}

fn cell(content: &str) -> String {
    format!("<td>{content}</td>")
}

/// Which columns a table needs.
struct Columns {
    hits: bool,
    reference: bool,
    /// Where all references come from, if from one source.
    source: Option<String>,
    /// How all intervals were found, if in one way.
    method: Option<String>,
    notes: bool,
}

impl Columns {
    fn of(lines: &[(&Estimate, &PointSummary)]) -> Self {
        let estimates: Vec<&Estimate> = lines.iter().map(|(estimate, _)| *estimate).collect();
        let mut methods: Vec<&str> = estimates.iter().map(|estimate| estimate.method.as_str()).collect();
        methods.dedup();
        let method = if let [method] = methods[..] { Some(escape(method)) } else { None };
        let has_notes = |(estimate, point): &(&Estimate, &PointSummary)| !notes(estimate, point).is_empty();
        let mut sources: Vec<&str> = estimates
            .iter()
            .filter_map(|estimate| Some(estimate.reference.as_ref()?.name.as_str()))
            .collect();
        sources.dedup();
        Self {
            hits: estimates.iter().any(|estimate| estimate.hits.is_some()),
            reference: !sources.is_empty(),
            source: if let [source] = sources[..] { Some(escape(source)) } else { None },
            notes: method.is_none() || lines.iter().any(has_notes),
            method,
        }
    }

    fn header(&self, first: &str, confidence: f64) -> String {
        let small = |text: &Option<String>| {
            text.as_ref().map_or_else(String::new, |text| format!("<small>{text}</small>"))
        };
        let interval = format!("{} interval{}", percent(confidence), small(&self.method));
        let mut names = vec!["estimate", interval.as_str(), "half width", "samples"];
        names.extend(self.hits.then_some("hits"));
        let reference =
            [format!("reference{}", small(&self.source)), "off by<small>half widths</small>".into()];
        names.extend(reference.iter().filter(|_| self.reference).map(String::as_str));
        let names = names.iter().map(|name| format!("<th scope=\"col\">{name}</th>"));
        let notes = if self.notes { "<th scope=\"col\" class=\"text\">notes</th>" } else { "" };
        format!("{first}{}{notes}", names.collect::<String>())
    }

    fn line(
        &self,
        first: &str,
        observable: &Observable,
        estimate: &Estimate,
        point: &PointSummary,
    ) -> String {
        let [value, interval, relative] = measured(observable, estimate);
        let mut cells = vec![value, interval, relative, count(estimate.samples)];
        if self.hits {
            cells.push(estimate.hits.map_or_else(String::new, count));
        }
        if self.reference {
            let reference = estimate.reference.as_ref();
            cells.push(reference.map_or_else(String::new, |reference| self.known(reference, estimate)));
            cells.push(reference.and_then(|reference| distance(reference, estimate)).unwrap_or_default());
        }
        let cells: String = cells.iter().map(|content| cell(content)).collect();
        let mut said = notes(estimate, point);
        if self.method.is_none() {
            said.push(format!("<small>{}</small>", escape(&estimate.method)));
        }
        let said =
            if self.notes { format!("<td class=\"text\">{}</td>", said.join("; ")) } else { String::new() };
        format!("<tr>{first}{cells}{said}</tr>\n")
    }

    /// The value that is known, to one more digit than the estimate.
    fn known(&self, reference: &Reference, estimate: &Estimate) -> String {
        let number = match (estimate.low, estimate.high) {
            (Some(low), Some(high)) if high > low => {
                let Format { exponent, decimals } = Format::of_interval(low, high);
                Format { exponent, decimals: decimals + 1 }.write(reference.value)
            }
            _ => significant(reference.value, 6),
        };
        match self.source {
            Some(_) => number,
            None => format!("{number}<small>{}</small>", escape(&reference.name)),
        }
    }
}

/// The estimate, its interval and the half of its width, in percent of the estimate.
fn measured(observable: &Observable, estimate: &Estimate) -> [String; 3] {
    let Some(value) = estimate.value else { return ["no estimate".into(), String::new(), String::new()] };
    let (Some(low), Some(high)) = (estimate.low, estimate.high) else {
        return [significant(value, 6), String::new(), String::new()];
    };
    let format = Format::of_interval(low, high);
    let relative = (high - low) / 2.0 / value.abs();
    let is_bound = estimate.hits == Some(0) && observable.kind == ObservableKind::Chance;
    let interval = match is_bound {
        true => format!("below {}", format.write(high)),
        false => format!("{} to {}", format.write(low), format.write(high)),
    };
    let relative = if relative.is_finite() { percent(relative) } else { String::new() };
    [format.write(value), interval, relative]
}

/// How many half widths of the interval, on the side of the reference, lie between the two; more than 1 is outside.
pub(super) fn half_widths(reference: f64, estimate: &Estimate) -> Option<f64> {
    let (value, low, high) = (estimate.value?, estimate.low?, estimate.high?);
    let half = if reference > value { high - value } else { value - low };
    let distance = (value - reference) / half;
    if value == reference { Some(0.0) } else { Some(distance).filter(|distance| distance.is_finite()) }
}

fn distance(reference: &Reference, estimate: &Estimate) -> Option<String> {
    let distance = half_widths(reference.value, estimate)?;
    let text = super::number::minus(&format!("{distance:.2}"));
    Some(match distance.abs() > 1.0 {
        true => format!("<b class=\"off\">{text}<small>outside</small></b>"),
        false => text,
    })
}

/// What the reader must know.
fn notes(estimate: &Estimate, point: &PointSummary) -> Vec<String> {
    let said = |note: &String| match estimate.trusted {
        true => escape(note),
        false => format!("<b class=\"off\">{}</b>", escape(note)),
    };
    let mut notes: Vec<String> = estimate.note.iter().map(said).collect();
    if point.precise == Some(false) {
        notes.push("precision not reached".into());
    }
    if point.failed > 0 {
        notes.push(format!("{} of {} replicas failed", count(point.failed), count(point.replicas)));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(low: f64, value: f64, high: f64) -> Estimate {
        Estimate {
            samples: 100,
            hits: None,
            value: Some(value),
            low: Some(low),
            high: Some(high),
            method: "t".into(),
            trusted: true,
            note: None,
            spread: None,
            reference: None,
            convergence: Vec::new(),
        }
    }

    #[test]
    fn distances_are_counted_on_the_side_of_the_reference() {
        let skew = estimate(1.0, 2.0, 5.0);
        assert_eq!(half_widths(3.5, &skew), Some(-0.5));
        assert_eq!(half_widths(0.0, &skew), Some(2.0));
        assert_eq!(half_widths(2.0, &estimate(2.0, 2.0, 2.0)), Some(0.0));
        assert_eq!(half_widths(3.0, &estimate(2.0, 2.0, 2.0)), None);
        assert_eq!(half_widths(1.0, &Estimate { value: None, ..skew }), None);
    }
}
