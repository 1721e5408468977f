#[allow(unused)]
fn nothing() {}
