//! The only background task, which exists only while a delayed action is planned (SARC-5).

use std::time::Duration;

use super::schedule::ControllerSchedule;

impl ControllerSchedule {
    /// Plans the next run of the controllers at the time at which the first of them is due.
    pub(super) fn schedule(&self) {
        let Some(due) = self.next_due() else { return };
        let mut timer = self.timer.lock();
        if timer.is_some_and(|planned| planned <= due) {
            return;
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        *timer = Some(due);
        drop(timer);
        let (weak, clock) = (self.weak.clone(), self.api.clock.clone());
        runtime.spawn(async move {
            clock.sleep_until(due).await;
            if let Some(schedule) = weak.upgrade() {
                schedule.wake(due).await;
            }
        });
    }

    async fn wake(&self, due: Duration) {
        {
            let mut timer = self.timer.lock();
            // An earlier deadline was planned since; the task of that deadline does the work and plans the next one.
            if *timer != Some(due) {
                return;
            }
            *timer = None;
        }
        Box::pin(self.run(true)).await;
    }
}
