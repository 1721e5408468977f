//! The platforms there are, one file each in `platforms/`. A new file is found by the build script and registers itself
//! with [`register_platform!`](crate::register_platform); nothing else is edited.

include!(concat!(env!("OUT_DIR"), "/platforms.rs"));

platforms!();
