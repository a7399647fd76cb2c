use super::*;

/// A part that logs each step of its start. Construction and the filling of caches take these numbers of seconds.
pub(super) struct Noted {
    pub(super) name: &'static str,
    pub(super) takes: [u64; 2],
    pub(super) log: Arc<Mutex<Vec<String>>>,
}

impl Noted {
    fn note(&self, what: &str) {
        self.log.lock().push(format!("{} {what}", self.name));
    }
}

#[async_trait]
impl Registration for Noted {
    fn name(&self) -> &str {
        self.name
    }

    fn declare(&self, _: &mut Declarations) {}

    async fn construct(self: Box<Self>, _: OperatorContext) -> Result<Box<dyn ConstructedPart>, BoxError> {
        self.note("begins");
        tokio::time::sleep(Duration::from_secs(self.takes[0])).await;
        self.note("is constructed");
        Ok(self)
    }
}

#[async_trait]
impl ConstructedPart for Noted {
    async fn synced(&mut self) -> Result<(), BoxError> {
        tokio::time::sleep(Duration::from_secs(self.takes[1])).await;
        self.note("is synced");
        Ok(())
    }

    fn run(self: Box<Self>) -> Vec<Runner> {
        self.note("runs");
        Vec::new()
    }
}

// PHA-4, PHA-1
#[tokio::test(start_paused = true)]
async fn parts_are_constructed_in_order_then_filled_together_and_then_run() {
    let log: Arc<Mutex<Vec<String>>> = Arc::default();
    let part = |name, takes| Box::new(Noted { name, takes, log: Arc::clone(&log) });
    let operator = operator(vec![]).register(part("first", [2, 3])).register(part("second", [1, 1]));
    let running = operator.start(World::default().client()).unwrap();
    running.working().await.unwrap();
    running.stop().await.unwrap();
    let expected = [
        "first begins",
        "first is constructed",
        "second begins",
        "second is constructed",
        "second is synced",
        "first is synced",
        "first runs",
        "second runs",
    ];
    assert_eq!(*log.lock(), expected);
}
