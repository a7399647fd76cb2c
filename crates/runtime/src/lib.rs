//! What every controller needs, with I/O: clients, watches, runner, events, admin server, the operator itself.
