//! The execution of a tree: actions, pipelines, fields, calls; and the functions that belong to the language.
