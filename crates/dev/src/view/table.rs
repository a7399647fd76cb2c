//! The tables of the view.

use comfy_table::{ContentArrangement, Table, presets};
use jiff::Timestamp;

use super::{ComponentSnapshot, DependentRow, ObjectSnapshot};

/// The number of lines of a table besides its rows: title, header, and the lines after it.
pub(super) const FRAME: usize = 5;

/// The assumed width of a terminal that reports zero columns, as some containers and scripts do.
const UNSIZED: u16 = 80;

/// Returns the view as text, one line per dependent. If there is no room for all, finished dependents are left out first.
pub(super) fn table(view: &ComponentSnapshot, now: Timestamp, width: Option<u16>, room: usize) -> String {
    let (rows, more) = fitting(&view.rows, room);
    let (mut table, width) = sized(width);
    table.set_header(["OBJECT", "WAVE", "ACTION", "HEALTH", "AGE"]);
    for row in rows {
        table.add_row(cells(row, now));
    }
    let head = if view.message.is_empty() {
        format!("{}: {}", view.title, view.state)
    } else {
        format!("{}: {} ({})", view.title, view.state, view.message)
    };
    format!("{}\n\n{table}\n{more}", fit(&head, width))
}

/// Returns the table of objects without dependents, one line each. If there is no room for all, ready objects are left out first.
pub(super) fn objects(views: &[&ObjectSnapshot], width: Option<u16>, room: usize) -> String {
    if views.is_empty() {
        return String::new();
    }
    let (mut table, width) = sized(width);
    table.set_header(["OBJECT", "READY", "REASON", "MESSAGE"]);
    // Room for the header and the lines below.
    let room = room.saturating_sub(3).max(1);
    let waiting = views.iter().filter(|view| !view.is_ready).count();
    let mut ready = room.saturating_sub(waiting);
    let mut fits = |view: &ObjectSnapshot| {
        let place = ready;
        ready = ready.saturating_sub(usize::from(view.is_ready));
        !view.is_ready || place > 0
    };
    let shown: Vec<&&ObjectSnapshot> = views.iter().filter(|view| fits(view)).take(room).collect();
    let more = views.len() - shown.len();
    for view in shown {
        table.add_row([&view.title, &view.ready, &view.reason, &view.message]);
        if let Some(row) = table.row_mut(table.row_count() - 1) {
            row.max_height(1);
        }
    }
    let more = if more > 0 { format!("... {more} more\n") } else { String::new() };
    let text = table.to_string().lines().map(|line| fit(line, width) + "\n").collect::<String>();
    format!("{text}{more}\n")
}

/// Returns a table of this width, or else of that of the terminal.
pub(super) fn sized(width: Option<u16>) -> (Table, Option<u16>) {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    let width = width.or_else(|| table.width()).map(|width| if width == 0 { UNSIZED } else { width });
    if let Some(width) = width {
        table.set_width(width);
    }
    (table, width)
}

/// Returns the rows that fit, in order, and a line about the others.
fn fitting(rows: &[DependentRow], room: usize) -> (Vec<&DependentRow>, String) {
    if rows.len() <= room {
        return (rows.iter().collect(), String::new());
    }
    let busy = rows.iter().filter(|row| !row.is_done()).count();
    let mut done = room.saturating_sub(busy);
    let mut fits = |row: &DependentRow| {
        let place = done;
        done = done.saturating_sub(usize::from(row.is_done()));
        !row.is_done() || place > 0
    };
    let shown: Vec<&DependentRow> = rows.iter().filter(|row| fits(row)).take(room).collect();
    let all_done = if busy <= room { ", all done" } else { "" };
    let more = format!("... {} more{all_done}\n", rows.len() - shown.len());
    (shown, more)
}

/// Truncates a line to the width of the terminal, because a wrapped line would break the redrawing.
pub(super) fn fit(line: &str, width: Option<u16>) -> String {
    let Some(width) = width.map(usize::from).filter(|width| line.chars().count() > *width) else { return line.to_owned() };
    line.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

fn cells(row: &DependentRow, now: Timestamp) -> [String; 5] {
    let age = row.applied.map(|applied| age(now, applied)).unwrap_or_default();
    [row.object.clone(), row.wave.to_string(), row.action.to_owned(), row.health.clone(), age]
}

/// Formats an age in the short form of kubectl.
fn age(now: Timestamp, then: Timestamp) -> String {
    let seconds = now.duration_since(then).as_secs().max(0);
    match seconds {
        0..120 => format!("{seconds}s"),
        120..7200 => format!("{}m", seconds / 60),
        7200..172_800 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86_400),
    }
}
