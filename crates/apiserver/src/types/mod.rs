//! The built-in types: the normal form, the defaults and the validation of their objects.
//!
//! The real server decodes a built-in object into a typed struct and encodes it again, so the stored object differs from the sent one: unknown
//! fields are gone, some empty fields too, and others appear. [`Builtin`] has the same effect on JSON values. It is driven by the
//! data in [`forms`](crate::forms).

mod builtin;
mod cron_schedule;
mod defaults;
mod edit;
mod normal;
mod prepare;
#[cfg(test)]
mod recorded;
mod validate;
mod warnings;

pub use builtin::Builtin;
pub(crate) use cron_schedule::CronSchedule;
pub(crate) use prepare::SERVICE_RANGE;
pub(crate) use validate::{AddressRange, address_problems};
