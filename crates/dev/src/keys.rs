//! The keys that the user presses.

use std::io::{self, IsTerminal as _};

use tokio::sync::mpsc;

/// The command that a key triggers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyCommand {
    /// Kills the replica of this number, counted from 0, or starts it again.
    Toggle(usize),
    /// Ends `dev` in order.
    End,
}

impl KeyCommand {
    /// Returns the command of a key, with this number of replicas.
    fn of(key: u8, replicas: usize) -> Option<Self> {
        match key {
            b'q' | b'Q' => Some(Self::End),
            b'1'..=b'9' => Some(usize::from(key - b'1')).filter(|number| *number < replicas).map(Self::Toggle),
            _ => None,
        }
    }
}

/// The keys of a terminal, read one by one and without echo. Ctrl-C still sends its signal.
pub(crate) struct Keys {
    replicas: usize,
    /// The receiver of pressed keys. `None` without a terminal.
    pressed: Option<mpsc::UnboundedReceiver<u8>>,
    reader: Option<tokio::task::JoinHandle<()>>,
}

impl Keys {
    /// Returns a source without keys.
    pub(crate) fn none() -> Self {
        Self { replicas: 0, pressed: None, reader: None }
    }

    /// Reads the keys of the standard input if it is a terminal, for this number of replicas.
    #[cfg(unix)]
    pub(crate) fn listen(replicas: usize) -> io::Result<Self> {
        if !io::stdin().is_terminal() {
            return Ok(Self::none());
        }
        let terminal = terminal::UnbufferedTerminal::of_stdin()?;
        let (send, pressed) = mpsc::unbounded_channel();
        let reader = tokio::task::spawn_blocking(move || {
            while !send.is_closed() {
                match terminal.read() {
                    Ok(Some(key)) => _ = send.send(key),
                    Ok(None) => {}
                    Err(error) => {
                        tracing::warn!(%error, "keys are not read any more");
                        return;
                    }
                }
            }
        });
        Ok(Self { replicas, pressed: Some(pressed), reader: Some(reader) })
    }

    /// Returns a source without keys: they can be read without waiting for the end of a line on Unix only.
    #[cfg(not(unix))]
    pub(crate) fn listen(_: usize) -> io::Result<Self> {
        Ok(Self::none())
    }

    /// Returns a line that lists the keys, if keys are read.
    pub(crate) fn help(&self) -> Option<String> {
        self.pressed.as_ref().map(|_| format!("1 to {}: kill this replica, or start it again; q: end", self.replicas))
    }

    /// Waits for the next key that has a command. Never returns without keys. Cancel safe.
    pub(crate) async fn next(&mut self) -> KeyCommand {
        while let Some(pressed) = &mut self.pressed {
            match pressed.recv().await.map(|key| KeyCommand::of(key, self.replicas)) {
                Some(Some(command)) => return command,
                Some(None) => {}
                None => self.pressed = None,
            }
        }
        std::future::pending().await
    }

    /// Restores the terminal.
    pub(crate) async fn end(mut self) {
        self.pressed = None;
        if let Some(reader) = self.reader.take() {
            // If the reader panicked, the terminal was restored while its stack was unwound.
            let _ = reader.await;
        }
    }
}

#[cfg(unix)]
mod terminal {
    use std::io;

    use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};

    /// The time that a read waits for a key, in tenths of a second.
    const READ_TIME: u8 = 1;

    /// The standard input without line buffering and without echo. Signals and output are left unchanged; raw mode would change them.
    pub(super) struct UnbufferedTerminal {
        input: io::Stdin,
        former: Termios,
    }

    impl UnbufferedTerminal {
        pub(super) fn of_stdin() -> io::Result<Self> {
            let input = io::stdin();
            let former = tcgetattr(&input)?;
            let mut unbuffered = former.clone();
            unbuffered.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
            unbuffered.special_codes[SpecialCodeIndex::VMIN] = 0;
            unbuffered.special_codes[SpecialCodeIndex::VTIME] = READ_TIME;
            tcsetattr(&input, OptionalActions::Now, &unbuffered)?;
            Ok(Self { input, former })
        }

        /// Returns the next key, or `None` if none was pressed for a while.
        pub(super) fn read(&self) -> io::Result<Option<u8>> {
            let mut key = [0];
            match rustix::io::read(&self.input, &mut key) {
                Ok(0) | Err(rustix::io::Errno::INTR) => Ok(None),
                Ok(_) => Ok(Some(key[0])),
                Err(error) => Err(error.into()),
            }
        }
    }

    impl Drop for UnbufferedTerminal {
        fn drop(&mut self) {
            // A terminal that is gone need not be restored.
            let _ = tcsetattr(&self.input, OptionalActions::Now, &self.former);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // CMD-2a
    #[test]
    fn digits_are_replicas_and_q_ends() {
        assert_eq!(KeyCommand::of(b'1', 3), Some(KeyCommand::Toggle(0)));
        assert_eq!(KeyCommand::of(b'3', 3), Some(KeyCommand::Toggle(2)));
        assert_eq!(KeyCommand::of(b'4', 3), None);
        assert_eq!(KeyCommand::of(b'0', 3), None);
        assert_eq!(KeyCommand::of(b'q', 3), Some(KeyCommand::End));
        assert_eq!(KeyCommand::of(b'x', 3), None);
    }

    // CMD-2a
    #[tokio::test]
    async fn without_a_terminal_no_key_is_ever_pressed() {
        let mut keys = Keys::none();
        assert_eq!(keys.help(), None);
        assert_eq!(futures::poll!(std::pin::pin!(keys.next())), std::task::Poll::Pending);
    }
}
