//! Real HTTP against the scripted model: both wires, good answers and every way of going wrong.

mod answers;
mod clocks;
mod documented;
mod failures;
mod streams;
mod support;
