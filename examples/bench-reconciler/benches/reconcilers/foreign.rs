//! The cost of objects that no store selects.

use crate::args::{Args, BenchPart};
use crate::contestant::Process;
use crate::objects::Objects;
use crate::server::Running;
use crate::target::Target;

/// The stores, and the way in which each excludes the objects.
const STORES: [(&str, &str); 3] =
    [("typed", "typed, other labels"), ("metadata", "metadata only, other labels"), ("scoped", "typed, another namespace")];
/// The number of writes to the objects while the operator runs.
const WRITES: u32 = 1000;
/// The limit of the difference between the peak with the objects and that in an empty cluster, in MiB.
const MOST: f64 = 2.0;

/// Operators whose stores select none of the objects.
pub(crate) struct Foreign<'a> {
    args: &'a Args,
    /// The peaks in an empty cluster, in MiB.
    without: Vec<f64>,
}

impl<'a> Foreign<'a> {
    pub(crate) fn new(args: &'a Args) -> Self {
        Self { args, without: Vec::new() }
    }

    /// Measures the peaks before there are objects.
    pub(crate) async fn measure_without(&mut self, server: &Running) {
        for (store, _) in self.stores() {
            let process = Process::start_ours(store, server, self.args);
            process.quiet().await;
            self.without.push(process.usage.peak().unwrap());
        }
    }

    /// Measures the peaks with objects, of which some change.
    pub(crate) async fn measure_with(self, server: &Running, objects: &mut Objects) -> Vec<Target> {
        let mut targets = Vec::new();
        for ((store, how), without) in self.stores().iter().zip(&self.without) {
            let process = Process::start_ours(store, server, self.args);
            process.quiet().await;
            objects.write_next(WRITES.min(self.args.objects), None).await;
            process.quiet().await;
            let with = process.usage.peak().unwrap();
            println!("{how}: {with:.1} MiB beside {} objects, {without:.1} without", self.args.objects);
            targets.push(Target::new(format!("more memory beside foreign objects: {how}"), with - without, MOST, "MiB"));
        }
        targets
    }

    fn stores(&self) -> &'static [(&'static str, &'static str)] {
        if self.args.has(BenchPart::Memory) { &STORES } else { &[] }
    }
}
