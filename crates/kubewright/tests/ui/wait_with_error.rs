//! A wait with a delay that is an error, too (HALT-1, RES-07).

use kubewright::prelude::*;

fn both(error: BoxError) -> Flow {
    Err(Halt::Wait(Wait::after(Delay::secs::<30>(), "Creating"), error))
}

fn in_turn(error: BoxError) -> Flow {
    Wait::after(Delay::secs::<30>(), "Creating").source(error).into()
}

fn as_a_pair(error: std::io::Error) -> Flow {
    Err((Wait::after(Delay::secs::<30>(), "Creating"), error).into())
}

fn main() {}
