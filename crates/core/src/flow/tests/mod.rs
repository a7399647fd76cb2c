mod classify;
mod conclude;
mod ext;
mod halt;
mod join;
