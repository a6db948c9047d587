//! The kinds of studies.

mod encounter;
mod event_engine;
mod frame_pairs;
mod frames;
mod gas;
mod parameter;
mod scene;
mod sequential;
mod stepped;

#[cfg(test)]
mod simulation_tests;
mod vary;

use std::cell::RefCell;
use std::path::Path;

use super::model::{Model, Observable};
use crate::document::units::Units;
use crate::document::{Fields, Value};
use crate::error::{Error, Result};

/// Reads the table of a kind: the table of the whole file, and what all kinds have in common.
type Reader = fn(&Fields<'_>, &Common<'_>) -> Result<Box<dyn Model>>;

/// The kinds by the names that study files use.
const KINDS: [(&str, Reader); 5] = [
    ("gas", gas::read),
    ("scene", scene::read),
    ("stepped", stepped::read),
    ("frames", frames::read),
    ("encounter", encounter::read),
];

/// The model of a study file.
pub(crate) fn read(fields: &Fields<'_>, common: &Common<'_>) -> Result<Box<dyn Model>> {
    let kind = fields.need("kind")?;
    let reader = kind.choice(&KINDS)?;
    let name = kind.text()?;
    for (other, _) in KINDS {
        if let Some(value) = fields.get(other).filter(|_| other != name) {
            return Err(value.error(format!("does not belong to a study of the kind {name}")));
        }
    }
    match fields.get("vary") {
        Some(vary) if !["scene", "stepped"].contains(&name) => Err(vary.error(
            "is for scenes and stepped worlds: here any number can be a distribution where it stands",
        )),
        _ => reader(fields, common),
    }
}

/// What all kinds take from the study file.
pub(crate) struct Common<'a> {
    /// The units of the numbers in the file.
    pub(crate) units: Units,
    /// The observables that were asked for, by name.
    pub(crate) measure: Option<Value<'a>>,
    /// Replicas in a batch, if the file says so.
    pub(crate) batch: Option<u64>,
    /// Where the study file is: paths in it start here.
    pub(crate) directory: Option<&'a Path>,
    /// Names and texts of the files that the study file names: they are part of what the study is.
    pub(crate) included: RefCell<Vec<(String, String)>>,
}

impl Common<'_> {
    /// What is asked for of `all` that can be measured, in the order asked; the first `usual` if the file does not say.
    pub(crate) fn choose<M: Copy>(
        &self,
        all: &[(M, Observable)],
        usual: usize,
    ) -> Result<(Vec<M>, Vec<Observable>)> {
        let names: Vec<&str> = all.iter().map(|(_, observable)| observable.name.as_str()).collect();
        let chosen = self.select(&names, usual)?;
        Ok(chosen.iter().map(|&number| all[number].clone()).unzip())
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
        let text = std::fs::read_to_string(&path)
            .map_err(|error| Error::Io { path: path.display().to_string(), message: error.to_string() })?;
        self.included.borrow_mut().push((name.to_owned(), text.clone()));
        Ok(text)
    }
}
