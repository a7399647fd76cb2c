mod classify;
mod conclude;
mod confidential;
mod denial;
mod ext;
mod halt;
mod join;
mod matchers;
