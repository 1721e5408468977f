//! Much output, and output that is no text.

use crate::backends::Rig;

pub(crate) async fn much_is_cut_in_the_middle(rig: &Rig) {
    let result =
        rig.terminal("echo first; head -c 100000000 /dev/zero | tr '\\0' x; echo; echo last").await;
    let output = result["output"].as_str().unwrap_or_else(|| panic!("{result}"));
    assert!(output.starts_with("first\nxxx") && output.ends_with("xxx\nlast"), "{}", output.len());
    assert!(output.chars().count() <= 50_000, "{}", output.chars().count());
    assert!(output.contains("OUTPUT TRUNCATED") && output.contains("out of 100,000,0"));
    assert_eq!(rig.output("echo fine").await, "fine");
}

pub(crate) async fn bytes_that_are_no_text_are_replaced(rig: &Rig) {
    let output = rig.output("printf 'a\\377b\\033[31mred\\033[0m'").await;
    assert_eq!(output, "a\u{fffd}bred");
    let result = rig.terminal("head -c 100000 /dev/urandom").await;
    assert_eq!(result["exit_code"], 0);
}
