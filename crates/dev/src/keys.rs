//! The keys that the user presses.

use std::io::{self, IsTerminal as _};

use tokio::sync::mpsc;

/// The command of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyCommand {
    /// Kill the replica of this number, from 0, or start it again.
    Toggle(usize),
    /// End everything in order.
    End,
}

impl KeyCommand {
    /// The command of a key where there are so many replicas.
    fn of(key: u8, replicas: usize) -> Option<Self> {
        match key {
            b'q' | b'Q' => Some(Self::End),
            b'1'..=b'9' => Some(usize::from(key - b'1')).filter(|number| *number < replicas).map(Self::Toggle),
            _ => None,
        }
    }
}

/// The keys of a terminal, one by one and unseen. Ctrl-C is a signal all the same.
pub(crate) struct Keys {
    replicas: usize,
    /// None without a terminal.
    pressed: Option<mpsc::UnboundedReceiver<u8>>,
    reader: Option<tokio::task::JoinHandle<()>>,
}

impl Keys {
    /// No keys at all.
    pub(crate) fn none() -> Self {
        Self { replicas: 0, pressed: None, reader: None }
    }

    /// The keys of the standard input where it is a terminal, for so many replicas.
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

    /// No keys: they are read without waiting for the end of a line on Unix only.
    #[cfg(not(unix))]
    pub(crate) fn listen(_: usize) -> io::Result<Self> {
        Ok(Self::none())
    }

    /// A line that tells which keys there are, if there are any.
    pub(crate) fn help(&self) -> Option<String> {
        self.pressed.as_ref().map(|_| format!("1 to {}: kill this replica, or start it again; q: end", self.replicas))
    }

    /// The command of the next key that has one; never without keys. Safe to cancel.
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

    /// Gives the terminal back as it was.
    pub(crate) async fn end(mut self) {
        self.pressed = None;
        if let Some(reader) = self.reader.take() {
            // A reader that panicked gave the terminal back when its stack went.
            let _ = reader.await;
        }
    }
}

#[cfg(unix)]
mod terminal {
    use std::io;

    use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};

    /// How long a read waits for a key, in tenths of a second.
    const READ_TIME: u8 = 1;

    /// The standard input without buffering of lines and without echo. Signals and output stay as they are; raw mode would change them.
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

        /// The next key; none when none was pressed for a while.
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
            // A terminal that is gone needs nothing.
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
