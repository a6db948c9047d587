//! A plot with its caption.

use carom::study::{Axis, Observable, ObservableKind};

use super::escape;

/// An observable as the title of an axis, in words.
pub(super) fn words(observable: &Observable) -> String {
    let name = observable.name.replace('_', " ");
    match observable.kind {
        ObservableKind::Chance => format!("probability of {name}"),
        _ => name,
    }
}

/// A swept parameter as the title of an axis, in words; its path if nothing else is known.
pub(super) fn words_of_axis(axis: &Axis) -> &str {
    if axis.title.is_empty() { &axis.name } else { &axis.title }
}

/// What a colour means.
pub(super) struct Key {
    /// The class of its sample in the style sheet.
    pub(super) class: &'static str,
    pub(super) text: String,
}

/// A plot and what is said below it.
pub(super) struct Figure {
    pub(super) svg: String,
    pub(super) title: String,
    pub(super) keys: Vec<Key>,
    pub(super) note: String,
}

impl Figure {
    pub(super) fn html(&self) -> String {
        let key = |key: &Key| {
            format!("<span class=\"key\"><i class=\"{}\"></i>{}</span>", key.class, escape(&key.text))
        };
        let keys: String = self.keys.iter().map(key).collect::<Vec<_>>().join(" ");
        let note =
            if self.note.is_empty() { String::new() } else { format!("<p>{}</p>", escape(&self.note)) };
        let title = escape(&self.title);
        format!(
            "<figure>\n<h4>{title}</h4>\n{}<figcaption><p>{keys}</p>{note}</figcaption>\n</figure>\n",
            self.svg
        )
    }
}

/// Figures side by side, as many as there is room for.
pub(super) fn grid(figures: &[Figure]) -> String {
    let figures: String = figures.iter().map(Figure::html).collect();
    format!("<div class=\"figures\">\n{figures}</div>\n")
}
