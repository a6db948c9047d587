//! The page: what was run, tables, plots, failures.

use carom::study::{Estimate, Observable, PointSummary, Summary};

use super::figure::{Figure, grid};
use super::number::{count, duration, percent, significant};
use super::{convergence, curve, escape, heat, histogram, table};
use crate::cli::Result;
use crate::cli::run::results::unfinished;

const STYLE: &str = include_str!("style.css");

/// Tables with more lines than that are folded up.
const MOST_LINES: usize = 40;
/// Plots of single points in each section, about.
const MOST_PLOTS: usize = 12;

pub(super) fn html(summary: &Summary, resume: Option<&str>) -> Result<String> {
    let name = escape(&summary.study.name);
    let body = [
        header(summary, resume),
        results(summary)?,
        distributions(summary)?,
        convergence_of(summary)?,
        failures(summary),
        study_file(summary),
        reading(summary),
    ]
    .concat();
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{name}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    ))
}

fn header(summary: &Summary, resume: Option<&str>) -> String {
    let study = &summary.study;
    let description = match study.description.as_str() {
        "" => String::new(),
        text => format!("<p class=\"lead\">{}</p>\n", escape(text)),
    };
    let warning = unfinished(summary).map_or_else(String::new, |what| {
        let goes_on =
            resume.map_or_else(String::new, |command| format!(" <code>{}</code> goes on.", escape(command)));
        format!(
            "<p class=\"warning\"><strong>{}</strong>: this is what they say.{goes_on}</p>\n",
            escape(&what)
        )
    });
    let facts: String = facts(summary)
        .into_iter()
        .map(|(name, value)| format!("<div><dt>{name}</dt><dd>{}</dd></div>\n", escape(&value)))
        .collect();
    format!(
        "<header>\n<h1>{}</h1>\n{description}{warning}<dl>\n{facts}</dl>\n</header>\n",
        escape(&study.name)
    )
}

/// What was run, where and how long.
fn facts(summary: &Summary) -> Vec<(&'static str, String)> {
    let (study, run) = (&summary.study, &summary.run);
    let total = |of: fn(&PointSummary) -> u64| summary.points.iter().map(of).sum::<u64>();
    let failed = total(|point| point.failed);
    let threads = match run.processes {
        0 | 1 => format!("{} threads", run.threads),
        processes => format!("{processes} processes of {} threads", run.threads),
    };
    let resumed = if run.resumed > 0 { format!(", resumed {} times", run.resumed) } else { String::new() };
    let revision = summary.revision.as_ref().map_or_else(String::new, |revision| format!(" ({revision})"));
    let mut facts = vec![
        ("kind", study.kind.clone()),
        ("replicas", format!("{} in all, {} failed", count(total(|point| point.replicas)), count(failed))),
        ("asked for", format!("{} at each point", count(study.replicas))),
        ("seed", study.seed.to_string()),
        ("confidence", percent(study.confidence)),
        ("started", run.started.clone()),
        ("took", format!("{}{resumed}", duration(run.seconds))),
        ("machine", format!("{}: {}, {}, {threads}", run.machine, run.processor, run.cpu_level)),
        ("carom", format!("{}{revision}", summary.carom_version)),
    ];
    if let Some(precision) = &study.precision {
        facts.insert(3, ("precision", precision.clone()));
    }
    if summary.axes.is_empty() {
        facts.retain(|(name, _)| *name != "asked for");
        facts[1].1 = format!(
            "{} of {}, {} failed",
            count(total(|point| point.replicas)),
            count(study.replicas),
            count(failed)
        );
    } else {
        let axes: Vec<String> = summary
            .axes
            .iter()
            .map(|axis| format!("{} values of {}", axis.values.len(), axis.name))
            .collect();
        facts.insert(
            1,
            ("sweep", format!("{} points: {}", count(summary.points.len() as u64), axes.join(" by "))),
        );
    }
    facts
}

/// Numbers first; of a sweep each observable with its plot.
fn results(summary: &Summary) -> Result<String> {
    let mut section = String::from("<section>\n<h2>Results</h2>\n");
    section += &warnings(summary);
    match (summary.points.as_slice(), summary.axes.as_slice()) {
        ([point], []) => section += &table::of_point(summary, point),
        _ => {
            for index in 0..summary.observables.len() {
                section += &sweep_of(summary, index)?;
            }
        }
    }
    Ok(section + "</section>\n")
}

/// What is to be known about whole points.
fn warnings(summary: &Summary) -> String {
    let of_point = |point: &PointSummary| {
        let place = place(summary, point);
        let line = |text: &String| format!("<p class=\"warning\">{}{}</p>\n", escape(text), escape(&place));
        point.warnings.iter().map(line).collect::<String>()
    };
    summary.points.iter().map(of_point).collect()
}

fn sweep_of(summary: &Summary, index: usize) -> Result<String> {
    let observable = &summary.observables[index];
    let confidence = summary.study.confidence;
    let figure = match summary.axes.as_slice() {
        [axis] => curve::figure(axis, observable, &summary.points, index, confidence)?,
        [one, two] => heat::figure(&[one.clone(), two.clone()], observable, &summary.points, index)?,
        _ => None,
    };
    let plot = figure.map_or_else(
        || "<p class=\"muted\">No point has an estimate: there is nothing to draw.</p>\n".to_owned(),
        |figure| format!("<div class=\"single\">\n{}</div>\n", figure.html()),
    );
    let lines = summary.points.len();
    let open = if lines <= MOST_LINES { " open" } else { "" };
    Ok(format!(
        "<h3>{}{}</h3>\n<p>{}</p>\n{plot}<details{open}><summary>{} points as numbers</summary>\n{}</details>\n",
        escape(&observable.name),
        escape(&unit(observable)),
        escape(&observable.description),
        count(lines as u64),
        table::of_sweep(summary, index)
    ))
}

fn unit(observable: &Observable) -> String {
    if observable.unit.is_empty() { String::new() } else { format!(" ({})", observable.unit) }
}

fn distributions(summary: &Summary) -> Result<String> {
    plots(summary, "Distributions", |observable, estimate, place| {
        histogram::figure(observable, estimate, place)
    })
}

fn convergence_of(summary: &Summary) -> Result<String> {
    let confidence = summary.study.confidence;
    plots(summary, "Convergence", |observable, estimate, place| {
        convergence::figure(observable, estimate, confidence, place)
    })
}

/// A section with a plot of each observable, at some points.
fn plots(
    summary: &Summary,
    title: &str,
    draw: impl Fn(&Observable, &Estimate, &str) -> Result<Option<Figure>>,
) -> Result<String> {
    let chosen = chosen(summary);
    let mut figures = Vec::new();
    for (index, observable) in summary.observables.iter().enumerate() {
        for number in &chosen {
            let point = &summary.points[*number];
            figures.extend(draw(observable, &point.estimates[index], &place(summary, point))?);
        }
    }
    if figures.is_empty() {
        return Ok(String::new());
    }
    let choice = match summary.points.len() {
        all if all == chosen.len() => String::new(),
        all => format!(
            "<p class=\"muted\">Of {} points {} {} drawn here; summary.json has all.</p>\n",
            count(all as u64),
            chosen.len(),
            if chosen.len() == 1 { "is" } else { "are" }
        ),
    };
    Ok(format!("<section>\n<h2>{title}</h2>\n{choice}{}</section>\n", grid(&figures)))
}

/// The first, the middle and the last point, or as many of them as there is room for plots.
fn chosen(summary: &Summary) -> Vec<usize> {
    let points = summary.points.len();
    let room = (MOST_PLOTS / summary.observables.len().max(1)).max(1);
    if points <= room.min(3) {
        return (0..points).collect();
    }
    match room {
        1 => vec![points / 2],
        2 => vec![0, points - 1],
        _ => vec![0, points / 2, points - 1],
    }
}

/// Where a point of a sweep lies; nothing without a sweep.
fn place(summary: &Summary, point: &PointSummary) -> String {
    let places = summary.axes.iter().zip(&point.parameters);
    let places: Vec<String> =
        places.map(|(axis, value)| format!("{} = {}", axis.name, significant(*value, 4))).collect();
    if places.is_empty() { String::new() } else { format!(", {}", places.join(", ")) }
}

fn failures(summary: &Summary) -> String {
    if summary.failures.is_empty() {
        return String::new();
    }
    let failed: u64 = summary.points.iter().map(|point| point.failed).sum();
    let lines: String = summary
        .failures
        .iter()
        .map(|failure| {
            let point =
                if summary.axes.is_empty() { String::new() } else { format!("<td>{}</td>", failure.point) };
            format!(
                "<tr>{point}<td>{}</td><td class=\"text\">{}</td></tr>\n",
                failure.replica,
                escape(&failure.message)
            )
        })
        .collect();
    let point = if summary.axes.is_empty() { "" } else { "<th scope=\"col\">point</th>" };
    let listed = summary.failures.len() as u64;
    let which = if listed < failed {
        format!("{} replicas failed, the first {} of them:", count(failed), count(listed))
    } else {
        format!("{} replicas failed:", count(failed))
    };
    format!(
        "<section>\n<h2>Failures</h2>\n<p>{which}</p>\n<div class=\"wide\"><table>\n<thead><tr>{point}<th scope=\"col\">\
         replica</th><th scope=\"col\" class=\"text\">reason</th></tr></thead>\n<tbody>\n{lines}</tbody>\n</table></div>\n\
         </section>\n"
    )
}

fn study_file(summary: &Summary) -> String {
    format!(
        "<section>\n<h2>Study file</h2>\n<details><summary>What was asked for, word for word</summary>\n<pre>{}</pre>\n\
         </details>\n</section>\n",
        escape(&summary.study.text)
    )
}

/// What the numbers mean.
fn reading(summary: &Summary) -> String {
    let confidence = percent(summary.study.confidence);
    format!(
        "<footer>\n<p>Intervals: repeated with other seeds, {confidence} of such studies would have an interval that \
         holds the true value; of many intervals some miss it. The half width is that of the interval, in percent of \
         the estimate. <em>Off by</em> is the distance from the reference in half widths: beyond 1 the reference is \
         outside of the interval. Samples are the replicas that say something about the observable.</p>\n</footer>\n"
    )
}
