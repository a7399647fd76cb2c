//! Values as Go's `fmt` prints them: `print`, `println`, `printf` and the output of actions.
