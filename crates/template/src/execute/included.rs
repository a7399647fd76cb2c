//! Kept outputs of `include`. Charts ask for the same names and labels many times with the same data.
//!
//! An output is kept if it followed from the template and its data alone: no function asked the host or is unrepeatable, nothing looked at a value that is
//! another one for each template, and no map that was there before has changed. It is forgotten when a map changes on which it may depend.

use std::collections::HashMap;
use std::sync::Arc;

use crate::syntax::Tree;
use crate::value::{GoString, GoValue, are_alike, likeness_hash, looks, next_observation, observe, oldest_change};

/// The number of outputs that are kept at most.
const MOST_OUTPUTS: usize = 1024;

/// The size of all kept outputs and of their data, in bytes.
const MOST_BYTES: usize = 4 << 20;

/// The set and the template of an output, and a hash of its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct OutputKey {
    set: u64,
    tree: usize,
    data: u64,
}

impl OutputKey {
    pub(super) fn new(set: u64, tree: &Arc<Tree>, data: &GoValue) -> Self {
        Self { set, tree: Arc::as_ptr(tree) as usize, data: likeness_hash(data) }
    }
}

/// The kept outputs of an execution, or of several that share a usage.
#[derive(Debug)]
pub(super) struct IncludedOutputs {
    /// The number under which changes are asked for.
    observer: u64,
    outputs: HashMap<OutputKey, Vec<IncludedOutput>, foldhash::fast::RandomState>,
    /// The number of kept outputs.
    count: usize,
    /// The size of the kept outputs and of their data.
    bytes: usize,
    /// The templates that are being executed, from the outermost on.
    running: Vec<RunningInclude>,
    /// The number of results so far that do not follow from arguments alone.
    unrepeatable: u64,
}

/// A kept output.
#[derive(Debug)]
pub(super) struct IncludedOutput {
    /// The template, which is held so that no other one gets its address.
    pub(super) _tree: Arc<Tree>,
    pub(super) data: GoValue,
    pub(super) text: GoString,
    /// The observation of the maps in the data.
    pub(super) observation: DataObservation,
    pub(super) cost: IncludeCost,
}

impl IncludedOutput {
    /// Returns the size in bytes of what is held because the output is kept.
    fn size(&self) -> usize {
        self.text.len() + self.observation.size
    }
}

/// The observation of the maps in the data of a template.
#[derive(Clone, Copy, Debug)]
pub(super) struct DataObservation {
    number: u64,
    /// The size in bytes of the data, without what was observed before.
    size: usize,
}

/// A template that is being executed.
#[derive(Debug)]
struct RunningInclude {
    observation: DataObservation,
    unrepeatable: u64,
    looks: u64,
    /// True if a map that was there before has changed.
    is_spoiled: bool,
}

/// The use of the limits by an execution.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct IncludeCost {
    pub(super) steps: u64,
    pub(super) output: usize,
    pub(super) values: usize,
    /// The number of templates inside each other.
    pub(super) depth: usize,
}

impl Default for IncludedOutputs {
    fn default() -> Self {
        let (outputs, running) = (HashMap::default(), Vec::new());
        Self { observer: next_observation(), outputs, count: 0, bytes: 0, running, unrepeatable: 0 }
    }
}

impl IncludedOutputs {
    /// Forgets what changes of maps concern.
    fn settle(&mut self) {
        let Some(oldest) = oldest_change(self.observer) else { return };
        // Executions inside others have later observations.
        for running in self.running.iter_mut().rev().take_while(|running| running.observation.number >= oldest) {
            running.is_spoiled = true;
        }
        self.outputs.retain(|_, outputs| {
            outputs.retain(|output| {
                let is_kept = output.observation.number < oldest;
                if !is_kept {
                    self.count -= 1;
                    self.bytes -= output.size();
                }
                is_kept
            });
            !outputs.is_empty()
        });
    }

    /// Returns the kept output of a template with this data, and the cost of its execution.
    pub(super) fn find(&mut self, key: &OutputKey, data: &GoValue) -> Option<(GoString, IncludeCost)> {
        self.settle();
        let outputs = self.outputs.get(key)?;
        let output = outputs.iter().rev().find(|output| are_alike(&output.data, data))?;
        Some((output.text.clone(), output.cost))
    }

    /// Notes that the execution of a template with some data begins.
    pub(super) fn begin(&mut self, data: &GoValue) {
        let number = next_observation();
        let observation = DataObservation { number, size: observe(data, number) };
        self.running.push(RunningInclude { observation, unrepeatable: self.unrepeatable, looks: looks(), is_spoiled: false });
    }

    /// Notes that the execution has ended. Returns the observation of its data if its output may be kept.
    pub(super) fn end(&mut self) -> Option<DataObservation> {
        self.settle();
        let run = self.running.pop()?;
        let is_repeatable = !run.is_spoiled && run.unrepeatable == self.unrepeatable && run.looks == looks();
        is_repeatable.then_some(run.observation)
    }

    /// Keeps an output.
    pub(super) fn keep(&mut self, key: OutputKey, output: IncludedOutput) {
        let size = output.size();
        if size > MOST_BYTES {
            return;
        }
        if self.count == MOST_OUTPUTS || self.bytes + size > MOST_BYTES {
            self.outputs.clear();
            (self.count, self.bytes) = (0, 0);
        }
        self.count += 1;
        self.bytes += size;
        self.outputs.entry(key).or_default().push(output);
    }

    /// Notes a result that does not follow from arguments alone.
    pub(super) const fn note_unrepeatable(&mut self) {
        self.unrepeatable += 1;
    }
}
