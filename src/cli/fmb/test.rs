//! `carom fmb test`: which pairs of a table intersect, when and where.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use carom::fmb::{Intersections, Pairs, Request};
use carom::io::file::{WholeFile, write_whole};
use carom::{Context, Frames};

use super::example;
use super::source::{PIECE, PairReader, Source};
use super::{Failure, Outcome, Result, dimension, empty_set, positive};
use crate::cli::{interrupt, is_stream, quoted, say, warn, written};

const EXAMPLES: &str = "\
Examples:
  carom fmb test --example --out pairs.csv                           a table of pairs to start from
  carom fmb test --in pairs.csv                                      0 or 1 for each pair, printed
  carom fmb test --dim 2 --in pairs.csv --out results.csv --boxes
  carom fmb test --example --dim 3 --moving --out moving.csv
  carom fmb test --dim 3 --moving --duration 0.5 --times --in moving.csv --out times.csv
  cat pairs.csv | carom fmb test --in - > hits.csv                   from standard input

A table of pairs has a header and one pair per line. Its columns, in any order (2D, moving):
  a_type                    C or T: parallelogram or triangle (3D: parallelepiped, tetrahedron)
  a_o0,a_o1                 origin, in metres
  a_c00,a_c01,a_c10,a_c11   components, in metres: a_c01 is axis 1 of component 0
  a_v0,a_v1                 velocity, in metres per second; only with --moving
  b_type, ...               the same for the other frame
The results have a header and a line per pair, in the order of the input:
  hit                       1 if the frames intersect, 0 if not
  t_in,t_out                --times: first and last time of overlap, in seconds; 0 if they rest
  min0,min1,max0,max1       --boxes: smallest box around the overlap, over all times, in metres
  local_min0, ...           --local-boxes: the same in the coordinates of b, from 0 to 1
  normal0,normal1           --normals: unit vector from a to b, along which b is separated from a by
                            the smallest translation, or along which they first come into contact
  depth                     --normals: how far that translation goes, in metres
  point0,point1             --normals: a point of both frames, in metres, at t_in if they move
Cells of pairs that do not intersect are empty. A bad line ends the command with its number and
column, exit code 2, and nothing is written.";

/// Pairs in memory at once for each thread: enough to share, and so few that they stay in the caches.
const PAIRS_PER_THREAD: usize = 4 * PIECE;

/// How long frames move, in seconds, unless --duration says otherwise.
const DEFAULT_DURATION: f64 = 1.0;

/// Tests the pairs of frames of a CSV file
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The table of pairs; - for standard input
    #[arg(long = "in", value_name = "FILE", required_unless_present = "example")]
    input: Option<PathBuf>,
    /// Write a table of 16 pairs to start from, of dimension 2 unless --dim says otherwise
    #[arg(long, conflicts_with_all = ["input", "duration", "times", "boxes", "local_boxes", "normals"])]
    example: bool,
    /// Where the results go [default: standard output]
    #[arg(long = "out", value_name = "FILE")]
    output: Option<PathBuf>,
    /// Dimension of the frames, 2 or 3 [default: by the header]
    #[arg(long, value_name = "D", value_parser = dimension())]
    dim: Option<u8>,
    /// The frames move; the table has their velocities
    #[arg(long)]
    moving: bool,
    /// How long the frames move, in seconds [default: 1]
    #[arg(long, value_name = "T", requires = "moving", value_parser = positive, allow_negative_numbers = true)]
    duration: Option<f64>,
    /// Also the interval of time in which the frames overlap
    #[arg(long)]
    times: bool,
    /// Also the smallest axis-aligned box around the overlap
    #[arg(long)]
    boxes: bool,
    /// Also the smallest box around the overlap in the coordinates of frame b
    #[arg(long)]
    local_boxes: bool,
    /// Also the normal, the depth and a point of contact
    #[arg(long)]
    normals: bool,
    /// Number of threads, 0 for all cores; the results are the same to the bit
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
}

impl Arguments {
    fn request(&self) -> Request {
        let Self { times, boxes, local_boxes, normals, .. } = *self;
        let regions = Request::COUNT.with_times(times).with_boxes(boxes).with_local_boxes(local_boxes);
        regions.with_list(true).with_normals(normals)
    }

    fn duration(&self) -> Option<f64> {
        self.moving.then(|| self.duration.unwrap_or(DEFAULT_DURATION))
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let Some(input) = &arguments.input else { return write_example(arguments) };
    refuse_to_replace_input(arguments, input)?;
    let context = Context::with_threads(arguments.threads)?;
    let source = Source::open(input).map_err(|failure| missing(input, failure))?;
    match arguments.dim.unwrap_or_else(|| source.dim()) {
        2 => test(arguments, &context, source.pairs::<2>(arguments.duration())?),
        _ => test(arguments, &context, source.pairs::<3>(arguments.duration())?),
    }
}

fn write_example(arguments: &Arguments) -> Result<Outcome> {
    let text = example::table(arguments.dim.unwrap_or(2), arguments.moving);
    match &arguments.output {
        None => say(&text)?,
        Some(path) if path.exists() => {
            return Err(Failure(format!("{} already exists: choose another --out", path.display())));
        }
        Some(path) => {
            write_whole(path, |out| out.write_all(text.as_bytes()))?;
            let moving = if arguments.moving { " --moving" } else { "" };
            say(&format!(
                "{}: to test its pairs: carom fmb test --in {}{moving}\n",
                path.display(),
                quoted(path)
            ))?;
        }
    }
    Ok(Outcome::Success)
}

/// Says how to get a table, if there is none.
fn missing(input: &Path, Failure(message): Failure) -> Failure {
    let has_folder = input.parent().is_none_or(|folder| folder.as_os_str().is_empty() || folder.is_dir());
    if is_stream(input) || input.exists() || !has_folder {
        return Failure(message);
    }
    let command = format!("carom fmb test --example --out {}", quoted(input));
    Failure(format!("{message}; to write a table to start from: {command}"))
}

/// The results must not replace the pairs.
fn refuse_to_replace_input(arguments: &Arguments, input: &Path) -> Result<()> {
    let Some(output) = &arguments.output else { return Ok(()) };
    let file = |path: &Path| fs::canonicalize(path).ok().filter(|path| path.is_file());
    if file(output).is_none_or(|results| file(input) != Some(results)) {
        return Ok(());
    }
    Err(Failure(format!("{}: this is the table of pairs; choose another --out", output.display())))
}

fn test<const D: usize>(
    arguments: &Arguments,
    context: &Context,
    mut source: PairReader<D>,
) -> Result<Outcome> {
    let mut sink = Sink::open(arguments.output.as_deref())?;
    let names = [vec!["hit".into()], extras::<D>(arguments.request())].concat();
    sink.add(format!("{}\n", names.join(",")).as_bytes())?;
    let mut chunk = Chunk::new(arguments)?;
    let (mut tested, mut hits) = (0, 0);
    while chunk.read(context, &mut source)? {
        if interrupt::is_requested() {
            warn("interrupted; nothing is written");
            return Ok(Outcome::Interrupted);
        }
        sink.add(chunk.test(context)?)?;
        (tested, hits) = (tested + chunk.found.tested(), hits + chunk.found.hits());
    }
    if let Some(path) = sink.finish()? {
        say(&format!("{hits} of {tested} pairs intersect; see {}\n", path.display()))?;
    }
    Ok(Outcome::Success)
}

/// Pairs that are in memory at once, and their results.
struct Chunk<const D: usize> {
    sets: [Frames<D>; 2],
    found: Intersections<D>,
    lines: Vec<u8>,
}

impl<const D: usize> Chunk<D> {
    fn new(arguments: &Arguments) -> Result<Self> {
        Ok(Self {
            sets: [empty_set(arguments.duration())?, empty_set(arguments.duration())?],
            found: Intersections::new(arguments.request()),
            lines: Vec::new(),
        })
    }

    /// Reads the next pairs; false if there are none.
    fn read(&mut self, context: &Context, source: &mut PairReader<D>) -> Result<bool> {
        source.read(context, &mut self.sets, PAIRS_PER_THREAD * context.threads())?;
        Ok(!self.sets[0].is_empty())
    }

    /// Tests the pairs and returns the lines of the results.
    fn test(&mut self, context: &Context) -> Result<&[u8]> {
        self.found.test(context, &self.sets[0], &self.sets[1], Pairs::Paired)?;
        self.lines.clear();
        add_lines(&mut self.lines, &self.found).map_err(|error| Failure(error.to_string()))?;
        Ok(&self.lines)
    }
}

/// The columns of the results, after `hit`.
fn extras<const D: usize>(request: Request) -> Vec<String> {
    let ends = |prefix: &str| -> Vec<String> {
        let corner = |end: &str| (0..D).map(|axis| format!("{prefix}{end}{axis}")).collect::<Vec<_>>();
        [corner("min"), corner("max")].concat()
    };
    let times = if request.times { vec!["t_in".into(), "t_out".into()] } else { Vec::new() };
    let boxes = if request.boxes { ends("") } else { Vec::new() };
    let local_boxes = if request.local_boxes { ends("local_") } else { Vec::new() };
    let vector = |name: &str| (0..D).map(|axis| format!("{name}{axis}")).collect::<Vec<_>>();
    let contact = || [vector("normal"), vec!["depth".into()], vector("point")].concat();
    let normals = if request.normals { contact() } else { Vec::new() };
    [times, boxes, local_boxes, normals].concat()
}

/// One line for each pair of a test.
fn add_lines<const D: usize>(lines: &mut Vec<u8>, found: &Intersections<D>) -> io::Result<()> {
    let miss = "0".to_owned() + &",".repeat(extras::<D>(found.request()).len());
    let mut hits = found.list().iter().enumerate().peekable();
    for pair in 0..found.tested() {
        match hits.next_if(|(_, hit)| **hit as usize == pair) {
            Some((entry, _)) => add_hit(lines, found, entry)?,
            None => lines.write_all(miss.as_bytes())?,
        }
        lines.push(b'\n');
    }
    Ok(())
}

fn add_hit<const D: usize>(lines: &mut Vec<u8>, found: &Intersections<D>, entry: usize) -> io::Result<()> {
    lines.push(b'1');
    let times = found.times().get(entry).into_iter().flatten();
    let boxes = [found.boxes(), found.local_boxes()].into_iter().filter_map(|boxes| boxes.get(entry));
    let corners = boxes.flat_map(|aabb| aabb.min.iter().chain(&aabb.max));
    let contact = found.normals().get(entry).into_iter();
    let contact =
        contact.flat_map(|contact| contact.normal.iter().chain([&contact.depth]).chain(&contact.point));
    for number in times.chain(corners).chain(contact) {
        // This form reads back to the same bits.
        write!(lines, ",{number:?}")?;
    }
    Ok(())
}

/// Where results go: a file that appears when all is done, or memory until the end, because standard output cannot be undone.
enum Sink {
    File(PathBuf, WholeFile),
    Held(Option<PathBuf>, Vec<u8>),
}

impl Sink {
    fn open(path: Option<&Path>) -> Result<Self> {
        match path.filter(|path| !is_stream(path)) {
            None => Ok(Self::Held(None, Vec::new())),
            Some(path) if fs::metadata(path).is_ok_and(|old| !old.is_file() && !old.is_dir()) => {
                Ok(Self::Held(Some(path.to_owned()), Vec::new()))
            }
            Some(path) => {
                // From here on there is a temporary file to remove on Ctrl-C.
                interrupt::watch()?;
                Ok(Self::File(path.to_owned(), WholeFile::create(path)?))
            }
        }
    }

    fn add(&mut self, bytes: &[u8]) -> Result<()> {
        match self {
            Self::File(path, file) => add_to_file(path, file, bytes),
            Self::Held(_, held) => {
                held.extend_from_slice(bytes);
                Ok(())
            }
        }
    }

    /// Writes out what is left. Returns the file of the results, if there is one.
    fn finish(self) -> Result<Option<PathBuf>> {
        match self {
            Self::File(path, file) => {
                file.commit()?;
                return Ok(Some(path));
            }
            Self::Held(Some(path), bytes) => {
                let mut device = WholeFile::create(&path)?;
                add_to_file(&path, &mut device, &bytes)?;
                device.commit()?;
            }
            Self::Held(None, bytes) => {
                let mut out = io::stdout().lock();
                written(out.write_all(&bytes).and_then(|()| out.flush()))?;
            }
        }
        Ok(None)
    }
}

fn add_to_file(path: &Path, file: &mut WholeFile, bytes: &[u8]) -> Result<()> {
    file.write_all(bytes).map_err(|error| Failure(format!("{}: {error}", path.display())))
}
