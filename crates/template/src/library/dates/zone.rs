//! Time zones.

use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::tz::{TimeZone, TimeZoneDatabase};

/// The zones of the program itself: those of the machine may be missing or of another age.
static ZONES: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

/// A time zone.
#[derive(Clone, Debug)]
pub(super) enum Zone {
    /// UTC.
    Utc,
    /// The local zone, which is UTC, too.
    Local,
    /// A zone of the database.
    Named(TimeZone),
    /// A fixed offset in seconds with its abbreviation, which may be empty.
    Fixed(String, i32),
}

/// The offset from UTC that a zone has at a time.
pub(super) struct ZoneOffset {
    /// The seconds to the east.
    pub(super) seconds: i32,
    /// The abbreviation, such as `CET`.
    pub(super) abbreviation: String,
    /// True for daylight saving time.
    pub(super) is_saving: bool,
}

impl Zone {
    /// Returns the zone of a name, or UTC if there is none. The case of letters counts, as in names of files.
    pub(super) fn of_name(name: &str) -> Self {
        match name {
            "Local" => Self::Local,
            "" | "UTC" => Self::Utc,
            name => match ZONES.get(name) {
                Ok(zone) if zone.iana_name() == Some(name) => Self::Named(zone),
                _ => Self::Utc,
            },
        }
    }

    /// Returns the name, as `Location.String` gives it.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Utc | Self::Local => "UTC",
            Self::Named(zone) => zone.iana_name().unwrap_or_default(),
            Self::Fixed(name, _) => name,
        }
    }

    /// Returns the offset at a time in seconds since 1970.
    pub(super) fn offset(&self, seconds: i64) -> ZoneOffset {
        match self {
            Self::Utc | Self::Local => ZoneOffset { seconds: 0, abbreviation: "UTC".to_owned(), is_saving: false },
            Self::Fixed(name, seconds) => ZoneOffset { seconds: *seconds, abbreviation: name.clone(), is_saving: false },
            Self::Named(zone) => {
                let seconds = seconds.clamp(Timestamp::MIN.as_second(), Timestamp::MAX.as_second());
                let info = zone.to_offset_info(Timestamp::from_second(seconds).unwrap_or_default());
                ZoneOffset {
                    seconds: info.offset().seconds(),
                    abbreviation: info.abbreviation().to_owned(),
                    is_saving: info.dst().is_dst(),
                }
            }
        }
    }
}
