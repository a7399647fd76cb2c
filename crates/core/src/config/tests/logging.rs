use super::data;
use crate::config::{LogLevel, LogLevels};

// LOG-3
#[test]
fn levels_are_read_for_the_operator_and_its_controllers() {
    let entries = data([
        ("loglevel.shop", " debug "),
        ("loglevel.shop.orders", "trace"),
        ("loglevel.shop.stock", ""),
        ("loglevel.shop.", "trace"),
        ("loglevel.shopkeeper", "nonsense"),
        ("zap-logger-config", "{}"),
        ("_example", "loglevel.shop: error"),
    ]);
    let (levels, errors) = LogLevels::from_data("shop", &entries);
    assert_eq!(errors, None);
    assert_eq!(levels.operator(), Some(LogLevel::Debug));
    assert_eq!(levels.controllers().collect::<Vec<_>>(), [("orders", LogLevel::Trace)]);
    assert_eq!((levels.controller("orders"), levels.controller("stock")), (Some(LogLevel::Trace), Some(LogLevel::Debug)));
}

// LOG-3
#[test]
fn severe_levels_mean_error() {
    for (text, level) in [
        ("trace", LogLevel::Trace),
        ("debug", LogLevel::Debug),
        ("info", LogLevel::Info),
        ("warn", LogLevel::Warn),
        ("error", LogLevel::Error),
        ("dpanic", LogLevel::Error),
        ("panic", LogLevel::Error),
        ("fatal", LogLevel::Error),
        ("INFO", LogLevel::Info),
    ] {
        assert_eq!(LogLevels::from_data("shop", &data([("loglevel.shop", text)])).0.operator(), Some(level), "{text}");
    }
}

// LOG-3
#[test]
fn an_invalid_level_keeps_the_former_one_and_is_reported() {
    let (before, _) = LogLevels::from_data("shop", &data([("loglevel.shop", "warn"), ("loglevel.shop.orders", "debug")]));
    let (after, errors) = before.updated(
        "shop",
        &data([("loglevel.shop", "loud"), ("loglevel.shop.orders", "louder"), ("loglevel.shop.stock", "error")]),
    );
    assert_eq!((after.operator(), after.controller("orders")), (Some(LogLevel::Warn), Some(LogLevel::Debug)));
    assert_eq!(after.controller("stock"), Some(LogLevel::Error));
    let allowed = "must be one of trace, debug, info, warn, error, dpanic, panic, fatal, but is";
    assert_eq!(
        errors.unwrap().to_string(),
        format!(
            "failed to parse \"loglevel.shop\": {allowed} \"loud\"\nfailed to parse \"loglevel.shop.orders\": {allowed} \"louder\""
        )
    );
}

// LOG-3
#[test]
fn a_key_that_is_gone_or_empty_has_no_level() {
    let (before, _) = LogLevels::from_data("shop", &data([("loglevel.shop", "warn"), ("loglevel.shop.orders", "debug")]));
    assert_eq!(before.updated("shop", &data([])), (LogLevels::default(), None));
    let (after, _) = before.updated("shop", &data([("loglevel.shop", " "), ("loglevel.shop.orders", "")]));
    assert_eq!(after, LogLevels::default());
}
