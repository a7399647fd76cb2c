//! The end of both programs: their output and their exit status.

use std::borrow::Cow;
use std::io::{self, BufWriter, Write as _};
use std::process::ExitCode;

/// Prints the pieces of a text, or an error, which completes the sentence "failed to". Returns the exit status of the program.
pub fn finish(rendered: Result<Vec<Cow<'_, str>>, String>) -> ExitCode {
    match rendered {
        Ok(pieces) => printed(&pieces),
        Err(message) => failed(&message),
    }
}

fn printed(pieces: &[Cow<'_, str>]) -> ExitCode {
    match print(pieces) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader closed the pipe because it has read enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => failed(&format!("write to the output: {error}")),
    }
}

/// Writes the pieces of a text one after another: the whole text would need as much memory again.
fn print(pieces: &[Cow<'_, str>]) -> io::Result<()> {
    let mut output = BufWriter::with_capacity(64 << 10, io::stdout().lock());
    pieces.iter().try_for_each(|piece| output.write_all(piece.as_bytes()))?;
    output.flush()
}

fn failed(message: &str) -> ExitCode {
    // If the output is closed, there is no reader left.
    let _ = writeln!(io::stderr(), "error: failed to {message}");
    ExitCode::FAILURE
}
