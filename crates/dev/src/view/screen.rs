//! The output device of the view.

use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Write};

use jiff::Timestamp;

use super::{ObjectSnapshot, ReplicaRow, lines, replicas, table};

/// Standard output: redrawn in place on a terminal, lines elsewhere.
pub(crate) struct Screen<W> {
    out: W,
    live: bool,
    /// A function that returns the number of lines of the terminal.
    height: fn() -> Option<u16>,
    /// The number of lines of the last drawing.
    drawn: usize,
    shown: BTreeMap<String, ObjectSnapshot>,
    replicas: Vec<ReplicaRow>,
    /// The line that lists the keys.
    help: Option<String>,
}

impl Screen<std::io::Stdout> {
    /// Creates a screen on the standard output.
    pub(crate) fn stdout(plain: bool) -> Self {
        let out = std::io::stdout();
        let live = !plain && out.is_terminal();
        Self::new(out, live, || crossterm::terminal::size().ok().map(|(_, height)| height).filter(|height| *height > 0))
    }
}

impl<W: Write> Screen<W> {
    pub(crate) fn new(out: W, live: bool, height: fn() -> Option<u16>) -> Self {
        Self { out, live, height, drawn: 0, shown: BTreeMap::new(), replicas: Vec::new(), help: None }
    }

    /// Returns the writer behind the screen.
    #[cfg(test)]
    pub(crate) fn out(&mut self) -> &mut W {
        &mut self.out
    }

    /// Returns true if the screen is redrawn in place, on a terminal.
    pub(crate) fn is_live(&self) -> bool {
        self.live
    }

    /// Sets the line below the replicas that lists the keys.
    pub(crate) fn tell_keys(&mut self, help: Option<String>) {
        self.help = help;
    }

    /// Shows the present state of the replicas.
    pub(crate) fn show_replicas(&mut self, rows: Vec<ReplicaRow>, now: Timestamp) -> std::io::Result<()> {
        let former = std::mem::replace(&mut self.replicas, rows);
        if self.live {
            return self.redraw(now);
        }
        for line in replicas::changes(&former, &self.replicas) {
            writeln!(self.out, "{line}")?;
        }
        self.out.flush()
    }

    /// Shows the present state of an object.
    pub(crate) fn show(&mut self, view: ObjectSnapshot, now: Timestamp) -> std::io::Result<()> {
        if self.live {
            self.shown.insert(view.title.clone(), view);
            return self.redraw(now);
        }
        for line in lines::changes(self.shown.get(&view.title), &view) {
            writeln!(self.out, "{line}")?;
        }
        self.shown.insert(view.title.clone(), view);
        self.out.flush()
    }

    /// Removes an object that is gone from the screen.
    pub(crate) fn remove(&mut self, title: &str, now: Timestamp) -> std::io::Result<()> {
        if self.shown.remove(title).is_none() {
            return Ok(());
        }
        if self.live {
            return self.redraw(now);
        }
        writeln!(self.out, "{title}: gone")?;
        self.out.flush()
    }

    /// Prints text above the redrawn part.
    pub(crate) fn say(&mut self, text: &str, now: Timestamp) -> std::io::Result<()> {
        self.clear()?;
        writeln!(self.out, "{text}")?;
        if self.live { self.redraw(now) } else { self.out.flush() }
    }

    /// Draws the tables again, with updated ages.
    pub(crate) fn redraw(&mut self, now: Timestamp) -> std::io::Result<()> {
        if !self.live {
            return Ok(());
        }
        self.clear()?;
        // Lines that scrolled off the top cannot be erased, and each redrawing would leave them behind, so the drawing is limited to the height.
        let lines = (self.height)().map_or(usize::MAX, |height| usize::from(height.max(2)) - 1);
        let (components, others): (Vec<&ObjectSnapshot>, Vec<&ObjectSnapshot>) =
            self.shown.values().partition(|view| view.component.is_some());
        let replicas = replicas::table(&self.replicas, self.help.as_deref(), None);
        let left = lines.saturating_sub(replicas.lines().count());
        let others = table::objects(&others, None, left / 2);
        let left = left.saturating_sub(others.lines().count());
        let room = (left / components.len().max(1)).saturating_sub(table::FRAME).max(1);
        let components = components.into_iter().filter_map(|view| view.component.as_ref());
        let components = components.map(|view| table::table(view, now, None, room) + "\n");
        let text: String = [replicas, others].into_iter().chain(components).collect();
        let text: String = text.split_inclusive('\n').take(lines).collect();
        self.drawn = text.lines().count();
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }

    fn clear(&mut self) -> std::io::Result<()> {
        if self.drawn > 0 {
            // The escape sequence moves up and clears to the end of the screen.
            write!(self.out, "\x1b[{}A\x1b[J", self.drawn)?;
            self.drawn = 0;
        }
        Ok(())
    }
}
