//! The kinds of studies, in one list.
//!
//! A new kind is a module with a constant `KIND`, declared and listed here, and a section in `docs/studies.md`. Study
//! files, sweeps, `carom new` and its help read [`KINDS`].

mod encounter;
mod event_engine;
mod frame_pairs;
mod frames;
mod gas;
mod parameter;
pub(super) mod parameters;
mod scene;
mod sequential;
#[cfg(test)]
mod simulation_tests;
mod stepped;
mod vary;

pub use self::gas::GasTheory;

use std::cell::RefCell;
use std::fmt;
use std::path::Path;

use super::inputs::Inputs;
use super::model::{Declaration, Model, Observable};
use crate::document::units::Units;
use crate::document::{Fields, Value};
use crate::error::Result;
use crate::input;

/// All kinds of studies.
pub static KINDS: &[Kind] = &[gas::KIND, scene::KIND, stepped::KIND, frames::KIND, encounter::KIND];

/// A kind of study, such as `gas`.
pub struct Kind {
    /// Its name in study files. The table of its parameters has the same name.
    pub name: &'static str,
    /// What is studied, in a line.
    pub description: &'static str,
    /// A commented study file, without what [`COMMON_TEMPLATE`] has.
    template: &'static str,
    /// A number of the template that may be swept.
    swept: &'static str,
    /// The keys of its table.
    keys: fn() -> Vec<&'static str>,
    /// All that it can measure.
    observables: fn() -> Vec<Observable>,
    /// Whether the table `[vary]` belongs to it.
    has_vary: bool,
    /// The model that its table describes.
    read: fn(&Fields<'_>, &Common<'_>) -> Result<Box<dyn Model>>,
}

/// What the templates of all kinds end with.
const COMMON_TEMPLATE: &str = include_str!("templates/common.toml");

impl Kind {
    /// A commented study file to start from.
    #[must_use]
    pub fn template(&self) -> String {
        let observables = self.observables();
        let common = COMMON_TEMPLATE.replace("SWEPT", self.swept).replace("OBSERVABLE", &observables[0].name);
        [self.template, &common].concat()
    }

    /// The keys of its table in a study file.
    #[must_use]
    pub fn keys(&self) -> Vec<&'static str> {
        (self.keys)()
    }

    /// All that it can measure, in three dimensions where units depend on them.
    #[must_use]
    pub fn observables(&self) -> Vec<Observable> {
        (self.observables)()
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kind").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The tables of a study file that say what a replica is: one for each kind, and `vary`.
pub(super) fn tables() -> Vec<&'static str> {
    KINDS.iter().map(|kind| kind.name).chain(["vary"]).collect()
}

/// The model of a study file.
pub(super) fn read(fields: &Fields<'_>, common: &Common<'_>) -> Result<Box<dyn Model>> {
    let names: Vec<(&str, &Kind)> = KINDS.iter().map(|kind| (kind.name, kind)).collect();
    let kind = fields.need("kind")?.choice(&names)?;
    let other = KINDS.iter().filter(|other| other.name != kind.name).find_map(|other| fields.get(other.name));
    if let Some(table) = other {
        return Err(table.error(format!("does not belong to a study of the kind {}", kind.name)));
    }
    if let Some(vary) = common.vary.as_ref().filter(|_| !kind.has_vary) {
        return Err(vary.error(
            "is for scenes and stepped worlds: here any number can be a distribution where it stands",
        ));
    }
    (kind.read)(&fields.need(kind.name)?.fields(&kind.keys())?, common)
}

/// What all kinds take from the study file.
pub(crate) struct Common<'a> {
    /// The units of the numbers in the file.
    pub(crate) units: Units,
    /// The observables to measure, by name.
    pub(crate) measure: Option<Value<'a>>,
    /// Replicas in a batch, if the file says so.
    pub(crate) batch: Option<u64>,
    /// The table `[vary]`.
    pub(crate) vary: Option<Value<'a>>,
    /// The directory of the study file: paths in it start here.
    pub(crate) directory: Option<&'a Path>,
    /// Names and texts of the files that the study file names: they are part of what the study is.
    pub(crate) included: RefCell<Vec<(String, String)>>,
}

impl Common<'_> {
    /// The declaration of a model: the observables that the file names out of `all`, in its order, or the first
    /// `usual`; these inputs; and batches of the size in the file, or of this one. Also gives what to measure.
    pub(crate) fn declare<M: Copy>(
        &self,
        all: &[(M, Observable)],
        usual: usize,
        inputs: Inputs,
        batch: u64,
    ) -> Result<(Vec<M>, Declaration)> {
        let names: Vec<&str> = all.iter().map(|(_, observable)| observable.name.as_str()).collect();
        let chosen = self.select(&names, usual)?;
        let (measures, observables) = chosen.iter().map(|&number| all[number].clone()).unzip();
        Ok((measures, Declaration { observables, inputs, batch: self.batch.unwrap_or(batch) }))
    }

    fn select(&self, all: &[&str], usual: usize) -> Result<Vec<usize>> {
        let Some(value) = &self.measure else { return Ok((0..usual).collect()) };
        let names: Vec<(&str, usize)> =
            all.iter().enumerate().map(|(number, name)| (*name, number)).collect();
        let mut chosen = Vec::new();
        for item in value.items()? {
            let number = item.choice(&names)?;
            if chosen.contains(&number) {
                return Err(item.error("is there twice"));
            }
            chosen.push(number);
        }
        if chosen.is_empty() {
            Err(value.error("is empty: name at least one observable"))
        } else {
            Ok(chosen)
        }
    }

    /// The text of a file that the study file names, relative to where that is; read once.
    pub(crate) fn include(&self, name: &str) -> Result<String> {
        if let Some((_, text)) = self.included.borrow().iter().find(|(known, _)| known == name) {
            return Ok(text.clone());
        }
        let path =
            self.directory.map_or_else(|| Path::new(name).to_owned(), |directory| directory.join(name));
        let text = input::read_text_file(&path, input::text)?;
        self.included.borrow_mut().push((name.to_owned(), text.clone()));
        Ok(text)
    }
}
