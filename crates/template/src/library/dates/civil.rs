//! Dates of the Gregorian calendar for all seconds that an `int64` counts, which is more than jiff has.

const SECONDS_OF_DAY: i64 = 86_400;
/// The days of 400 years, after which the calendar repeats.
const DAYS_OF_CYCLE: i64 = 146_097;

/// A date with the time of the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CivilTime {
    /// The year.
    pub(super) year: i64,
    /// The month, from 1.
    pub(super) month: i64,
    /// The day of the month, from 1.
    pub(super) day: i64,
    /// The hour of the day.
    pub(super) hour: i64,
    /// The minute of the hour.
    pub(super) minute: i64,
    /// The second of the minute.
    pub(super) second: i64,
}

impl CivilTime {
    /// Returns the date and time of seconds since 1970.
    pub(super) fn of_seconds(seconds: i64) -> Self {
        let (days, rest) = (seconds.div_euclid(SECONDS_OF_DAY), seconds.rem_euclid(SECONDS_OF_DAY));
        // Years from March on, so that the leap day is the last one of a year.
        let days = days + days_before_1970();
        let (cycle, day_of_cycle) = (days.div_euclid(DAYS_OF_CYCLE), days.rem_euclid(DAYS_OF_CYCLE));
        let year_of_cycle = (day_of_cycle - day_of_cycle / 1460 + day_of_cycle / 36_524 - day_of_cycle / 146_096) / 365;
        let day_of_year = day_of_cycle - (365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100);
        let shifted_month = (5 * day_of_year + 2) / 153;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
        Self {
            year: cycle * 400 + year_of_cycle + i64::from(month <= 2),
            month,
            day: day_of_year - (153 * shifted_month + 2) / 5 + 1,
            hour: rest / 3600,
            minute: rest / 60 % 60,
            second: rest % 60,
        }
    }

    /// Returns the seconds since 1970. Months and days out of their range count on into the next or back into the former year and month.
    pub(super) fn seconds(&self) -> i64 {
        let months = self.month - 1;
        let year = self.year.saturating_add(months.div_euclid(12));
        let days = days_of(year, months.rem_euclid(12) + 1).saturating_add(self.day - 1);
        days.saturating_mul(SECONDS_OF_DAY).saturating_add(self.hour * 3600 + self.minute * 60 + self.second)
    }

    /// Returns the day of the week, from Sunday as 0.
    pub(super) fn weekday(&self) -> i64 {
        // The first of January 1970 was a Thursday.
        (days_of(self.year, self.month) + self.day + 3).rem_euclid(7)
    }

    /// Returns the day of the year, from 1.
    pub(super) fn day_of_year(&self) -> i64 {
        days_of(self.year, self.month) - days_of(self.year, 1) + self.day
    }
}

/// Returns the number of days of a month.
pub(super) fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns true for years with a 29th of February.
pub(super) const fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Returns the days from 1970 to the first day of a month.
fn days_of(year: i64, month: i64) -> i64 {
    // Years beyond this are beyond the seconds of an `int64`.
    const FARTHEST: i64 = 300_000_000_000;
    let year = year.clamp(-FARTHEST, FARTHEST) - i64::from(month <= 2);
    let (cycle, year_of_cycle) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5;
    cycle * DAYS_OF_CYCLE + 365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100 + day_of_year - days_before_1970()
}

/// Returns the days from the first of March of the year 0 to 1970.
const fn days_before_1970() -> i64 {
    719_468
}
