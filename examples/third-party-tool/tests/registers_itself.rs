//! A program that links the crate has its tool.

use hermes_tool::{Effects, linked_tools};
use third_party_tool as _;

#[test]
fn linking_the_crate_registers_the_tool() {
    let tools = linked_tools();
    let [(module, tool)] = tools.as_slice() else { panic!("one tool, not {tools:?}") };
    assert_eq!(*module, "third_party_tool");
    assert_eq!(tool.name().as_ref(), "roman_numeral");
    assert_eq!(tool.toolset().as_ref(), "numerals");
    assert_eq!(tool.effects(), Effects::NONE);
    assert_eq!(tool.parameters()["required"][0], "value");
}
