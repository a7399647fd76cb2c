//! The English names of months and of days of the week.

/// The months from January on.
pub(super) const MONTHS: [&str; 12] =
    ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];

/// The days of the week from Sunday on.
pub(super) const WEEKDAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// Returns the three letters by which layouts abbreviate a name.
pub(super) fn abbreviated(name: &str) -> &str {
    name.get(..3).unwrap_or(name)
}
