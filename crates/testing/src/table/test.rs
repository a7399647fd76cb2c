use std::collections::BTreeSet;
use std::fmt;

use kubewright_runtime::inject::Constructor;
use kubewright_runtime::operator::Operator;
use kubewright_runtime::reconcile::{Controller, Reconcile, Registered};
use serde::Serialize;
use serde_json::Value;

use super::expected::json;
use super::run::run;
use super::{RowEnd, RowReport, TableReport, TableRow};
use crate::each;

/// The name of the operator, unless the test gives another one.
const OPERATOR: &str = "table-test";

/// A table of rows, each one pass of the same controller.
#[must_use = "a table checks nothing until `run` or `report` is awaited"]
pub struct TableTest<R: Reconcile> {
    pub(super) controller: Box<dyn Fn() -> Controller<R> + Send + Sync>,
    pub(super) operator: Box<dyn Fn() -> Operator + Send + Sync>,
    pub(super) definitions: Vec<Value>,
    rows: Vec<TableRow<R>>,
}

impl<R: Reconcile> TableTest<R> {
    /// Returns a table for the controller of a reconciler with this constructor.
    pub fn of<M>(constructor: impl Constructor<R, M> + Clone) -> Self
    where
        R: Registered,
    {
        Self::of_controller(move || R::configure(Controller::new(constructor.clone())))
    }

    /// Returns a table for a controller that is built by hand; each row builds its own.
    pub fn of_controller(controller: impl Fn() -> Controller<R> + Send + Sync + 'static) -> Self {
        Self {
            controller: Box::new(controller),
            operator: Box::new(|| Operator::new(OPERATOR)),
            definitions: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// Sets the operator around the controller, for its name and values. By default its name is `table-test`.
    pub fn operator(mut self, operator: impl Fn() -> Operator + Send + Sync + 'static) -> Self {
        self.operator = Box::new(operator);
        self
    }

    /// Adds a CRD besides that of the controller.
    #[track_caller]
    pub fn crd(mut self, definition: impl Serialize) -> Self {
        self.definitions.push(json(definition));
        self
    }

    /// Adds a row.
    pub fn row(mut self, row: TableRow<R>) -> Self {
        self.rows.push(row);
        self
    }

    /// Adds rows.
    pub fn rows(mut self, rows: impl IntoIterator<Item = TableRow<R>>) -> Self {
        self.rows.extend(rows);
        self
    }

    /// Runs all rows, as many at a time as the machine has processors. Panics with all differences if a row failed.
    #[allow(clippy::unused_async)] // rows have runtimes of their own; tests are async
    pub async fn run(self) {
        let report = self.report().await;
        for row in report.rows() {
            if let RowEnd::Skipped(reason) = &row.end {
                #[allow(clippy::print_stdout)] // as tests do
                {
                    println!("skipped row {:?}: {reason}", row.name);
                }
            }
        }
        if report.has_failed() {
            crate::cluster::fail(&report.to_string());
        }
    }

    /// Runs all rows, and returns their results.
    #[allow(clippy::unused_async)] // as `run`
    pub async fn report(self) -> TableReport {
        let ends = each(&self.rows, async |row| run(&self, row).await);
        let mut names = BTreeSet::new();
        let rows = self.rows.iter().zip(ends).map(|(row, end)| {
            let mut end = end.unwrap_or_else(|panic| RowEnd::Failed(vec![format!("it panicked: {panic}")]));
            if !names.insert(row.name()) {
                let text = format!("another row has the name {:?} too; names of rows are unique", row.name());
                match &mut end {
                    RowEnd::Failed(differences) => differences.push(text),
                    other => *other = RowEnd::Failed(vec![text]),
                }
            }
            RowReport { name: row.name().to_owned(), end }
        });
        TableReport { rows: rows.collect() }
    }
}

impl<R: Reconcile> fmt::Debug for TableTest<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableTest").field("rows", &self.rows).finish_non_exhaustive()
    }
}
