//! The waiting time of a write while many keys are queued or fail.

use bench_reconciler::Wish;

use crate::args::Args;
use crate::contestant::Process;
use crate::latency::Latency;
use crate::objects::Objects;
use crate::server::Running;
use crate::target::Target;

/// The number of keys of a resync. `FAILURES` is the number of failing keys.
const RESYNC: u32 = 50_000;
const FAILURES: u32 = 1000;
/// The number of writes of each part.
const WRITES: u32 = 1000;
/// The limit of the 99th percentile of each part, in milliseconds.
const P99: f64 = 10.0;

/// The measurement of the Kubewright reconciler under disturbances.
pub(crate) struct Fairness<'a> {
    pub(crate) server: &'a Running,
    pub(crate) objects: &'a mut Objects,
    pub(crate) args: &'a Args,
}

impl Fairness<'_> {
    pub(crate) async fn measure(mut self) -> Vec<Target> {
        let half = self.args.objects / 2;
        let (resync, failures) = (half.min(RESYNC), half.min(FAILURES));
        let mut process = Process::start_ours("disturbed", self.server, self.args);
        process.told("listed").await;
        process.quiet().await;
        let calm = self.write(&mut process).await;
        println!("{:<48} {calm}", "ours, p50 and p99 of a write in ms");

        // The object with this number requests a resync of as many keys.
        self.objects.wish(Wish::Resync, resync, 1).await;
        let during = self.write(&mut process).await;
        let took = process.told("resynced").await;
        println!("{:<48} {during}", format!("during a resync of {resync} keys in {took} ms"));
        self.objects.wish(Wish::Nothing, resync, 1).await;
        process.quiet().await;

        self.objects.wish(Wish::Failure, 0, failures).await;
        let failing = self.write(&mut process).await;
        println!("{:<48} {failing}", format!("while {failures} keys fail"));
        drop(process);
        self.objects.wish(Wish::Nothing, 0, failures).await;
        vec![
            Target::new(format!("p99 during a resync of {resync} keys"), during.p99, P99, "ms"),
            Target::new(format!("p99 while {failures} keys fail"), failing.p99, P99, "ms"),
        ]
    }

    /// Measures writes to objects that are neither resynced nor fail.
    async fn write(&mut self, process: &mut Process) -> Latency {
        let from = self.args.objects / 2 + 1;
        let writes = WRITES.min(self.args.objects - from);
        let batch = self.objects.write(from, writes, Some(self.args.rate)).await;
        Latency::parse(&process.told(&format!("batch {batch}")).await)
    }
}
