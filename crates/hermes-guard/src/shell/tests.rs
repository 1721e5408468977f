use proptest::prelude::*;

use super::*;

/// Each simple command as its words, without quotes where that is possible.
fn commands(text: &str) -> Vec<Vec<String>> {
    let script = parse(text);
    assert_eq!(script.error, None, "{text}");
    let words = |command: &SimpleCommand<'_>| {
        command
            .words
            .iter()
            .map(|word| word.literal().map_or_else(|| word.text.to_owned(), |text| text.into()))
            .collect()
    };
    script.simple_commands().iter().map(|place| words(place.command)).collect()
}

/// The first words only.
fn programs(text: &str) -> Vec<String> {
    let first = |words: Vec<String>| words.into_iter().next();
    commands(text).into_iter().filter_map(first).collect()
}

fn error(text: &str) -> Option<Error> {
    parse(text).error
}

#[test]
fn splits_words_at_blanks_outside_quotes() {
    assert_eq!(commands("a  b\tc"), [["a", "b", "c"]]);
    assert_eq!(commands(r#"a 'b  c' "d e" f\ g"#), [["a", "b  c", "d e", "f g"]]);
    assert_eq!(commands("r''m r\"\"m r\\m"), [["rm", "rm", "rm"]]);
    assert_eq!(commands(r#"a "" ''"#), [["a", "", ""]]);
}

#[test]
fn separates_commands() {
    let names = ["a", "b", "c", "d", "e", "f", "g"];
    assert_eq!(programs("a; b & c && d || e | f |& g"), names);
    assert_eq!(programs("a\nb\r\nc # d; e\nf"), ["a", "b", "c", "f"]);
    assert_eq!(programs("a \\\n b\nc \\\r\n d"), ["a", "c"]);
}

#[test]
fn comments_begin_only_at_words() {
    assert_eq!(commands("echo a#b '#c' #d"), [["echo", "a#b", "#c"]]);
    let script = parse("a # one\nb # two");
    let comments: Vec<_> = script.comments.iter().map(|span| span.of(script.source)).collect();
    assert_eq!(comments, ["# one", "# two"]);
}

#[test]
fn decodes_ansi_quotes() {
    assert_eq!(commands(r"$'\x72\155' $'a\tb\'c' $'\u0072m'"), [["rm", "a\tb'c", "rm"]]);
    assert_eq!(commands(r#"$"rm" x"#), [["rm", "x"]]);
}

#[test]
fn double_quotes_keep_most_backslashes() {
    assert_eq!(commands(r#"a "\n \" \\ \$x \`""#), [["a", "\\n \" \\ $x `"]]);
}

#[test]
fn finds_commands_inside_substitutions() {
    assert_eq!(programs(r#"a "$(b "$(c)")" `d` <(e) >(f)"#), ["a", "b", "c", "d", "e", "f"]);
    assert_eq!(programs("a ${x:-$(b)} $((1 + $(c)))"), ["a", "b", "c"]);
    assert_eq!(programs("x=$(a) y=(`b` c)"), ["a", "b"]);
    assert_eq!(programs("a \"$(grep -o 'x)' f)\""), ["a", "grep"]);
    assert_eq!(programs("a $( (b); c ) $((b); c)"), ["a", "b", "c", "b", "c"]);
}

#[test]
fn single_quotes_hide_everything() {
    assert_eq!(programs("a '$(b) `c` ; d'"), ["a"]);
}

#[test]
fn reads_keywords_only_where_commands_begin() {
    let text = "if a; then b; elif c; then d; else e; fi";
    assert_eq!(programs(text), ["a", "b", "c", "d", "e"]);
    assert_eq!(programs("for x in 1 2; do a; done; echo done do if"), ["a", "echo"]);
    assert_eq!(programs("while a; do b; done; until c\ndo\nd\ndone"), ["a", "b", "c", "d"]);
    assert_eq!(programs("case $x in a|b) c;; (d) e ;& *) f; esac"), ["c", "e", "f"]);
    assert_eq!(
        programs("{ a; b; }; ( c ) ; ! d; time -p e; coproc f"),
        ["a", "b", "c", "d", "e", "f"]
    );
    assert_eq!(programs("f() { a; }; function g { b; }; function h() ( c )"), ["a", "b", "c"]);
    assert_eq!(
        programs("select x in a b; do c; done; for ((i=0; i<3; i++)); do d; done"),
        ["c", "d"]
    );
    assert_eq!(programs("[[ $x =~ ^(a|b)$ && -f y ]] && a; (( x > 1 )) || b"), ["a", "b"]);
    assert_eq!(programs("((a); b)"), ["a", "b"]);
    assert_eq!(programs(":(){ :|:& };:"), [":", ":", ":"]);
}

#[test]
fn heredocs_are_data() {
    let text = "cat <<EOF > f; b\n$(c) rm\nEOF\nd <<'X' <<-Y\n$(no)\nX\n\t`e`\n\tY\nf";
    assert_eq!(programs(text), ["cat", "b", "c", "d", "e", "f"]);
    let script = parse(text);
    let bodies: Vec<_> = script.heredocs.iter().map(|doc| doc.span.of(text)).collect();
    assert_eq!(bodies, ["$(c) rm\n", "$(no)\n", "\t`e`\n"]);
    assert_eq!(commands("cat <<< 'a b' c"), [["cat", "c"]]);
    assert_eq!(programs("x=$(cat <<'E'\nit's (fine\nE\n)\nb"), ["cat", "b"]);
}

#[test]
fn redirections_are_not_words() {
    let text = "a >b 2>>c <d &>e >|f 2>&1 <>g {fd}>h >&i 3<&- 2 > j";
    assert_eq!(commands(text), [["a", "2"]]);
    let script = parse(text);
    let places = script.simple_commands();
    let written: Vec<_> = places[0]
        .command
        .redirects
        .iter()
        .filter(|redirect| redirect.writes_file())
        .map(|redirect| redirect.target.text)
        .collect();
    assert_eq!(written, ["b", "c", "e", "f", "g", "h", "i", "j"]);
}

#[test]
fn assignments_stand_before_the_command() {
    let script = parse("x=1 y+='a b' z[0]=c w=(1 2) cmd v=3");
    let places = script.simple_commands();
    let names: Vec<_> = places[0].command.assignments.iter().map(|one| one.name).collect();
    assert_eq!(names, ["x", "y", "z", "w"]);
    assert_eq!(commands("x=1 cmd v=3"), [["cmd", "v=3"]]);
}

#[test]
fn knows_neighbours_and_background() {
    let script = parse("a | b && c & d");
    let places = script.simple_commands();
    let flags: Vec<_> = places.iter().map(|place| place.background).collect();
    assert_eq!(flags, [true, true, true, false]);
    assert_eq!(places[0].feeds().map(|next| next.span().of("a | b")), Some("b"));
    assert_eq!((places[0].stage, places[1].stage), (0, 1));
    assert_eq!((places[1].before, places[1].after), (Separator::Pipe, Separator::And));
    assert_eq!((places[2].before, places[2].after), (Separator::And, Separator::Background));
    let script = parse("f() { while (a $(b)); do c; done; }");
    let nesting: Vec<_> = script.simple_commands().iter().map(|place| place.nesting).collect();
    assert!(nesting.iter().all(|nesting| nesting.function && nesting.in_loop));
    assert_eq!(
        nesting.iter().map(|nesting| nesting.subshell).collect::<Vec<_>>(),
        [true, true, false]
    );
    assert!(nesting[1].substitution);
}

#[test]
fn spans_point_at_the_source() {
    let text = "x='1' sudo -n \"ls\" && { b & }";
    let script = parse(text);
    let first = &script.simple_commands()[0];
    assert_eq!(first.command.words[0].span.of(text), "sudo");
    assert_eq!(first.command.words[2].span.of(text), "\"ls\"");
    let quotes: Vec<_> = script.quotes.iter().map(|quoted| quoted.span.of(text)).collect();
    assert_eq!(quotes, ["'1'", "\"ls\""]);
    assert_eq!(script.root.items[0].chain.rest[0].1.of(text), "&&");
}

#[test]
fn reads_parameters() {
    let script = parse("a ${x:-w} ${y//a/b} ${z:1:2} ${#n} ${!m} ${l[@]} $1 ${p%%.*}");
    let places = script.simple_commands();
    let found: Vec<_> = places[0].command.words[1..]
        .iter()
        .filter_map(|word| match &word.parts[0].kind {
            PartKind::Parameter(parameter) => Some((parameter.name, parameter.operation)),
            _ => None,
        })
        .collect();
    use ParameterOperation as Op;
    assert_eq!(
        found,
        [
            ("x", Op::Default),
            ("y", Op::ReplaceAll),
            ("z", Op::Cut),
            ("n", Op::Length),
            ("m", Op::Value),
            ("l", Op::Value),
            ("1", Op::Value),
            ("p", Op::LongSuffix),
        ]
    );
}

#[test]
fn escaped_backticks_are_kept_as_text() {
    let script = parse(r"a `b \`c\` \$d`");
    let places = script.simple_commands();
    let PartKind::Substitution(inside) = &places[0].command.words[1].parts[0].kind else {
        panic!("no substitution");
    };
    assert_eq!(inside.escaped.as_deref(), Some("b `c` $d"));
}

#[test]
fn incomplete_text_is_an_error_that_keeps_complete_lines() {
    for text in [
        "a 'b",
        "a \"b",
        "a $(b",
        "a `b",
        "if a; then b",
        "{ a",
        "( a",
        "a |",
        "a && ",
        "case x in",
        "a ${b",
        "a >",
        ")",
        "fi",
        "a;;b",
        "for x in a; b",
        "[[ a",
    ] {
        assert!(error(text).is_some(), "{text}");
    }
    let script = parse("a; b\nc; 'd");
    assert_eq!(script.root.items.len(), 2);
    assert!(script.error.is_some());
}

#[test]
fn empty_text_is_fine() {
    for text in ["", " ", "\n\n", "# only a comment", "\\\n", "\r\n"] {
        assert_eq!(error(text), None, "{text:?}");
        assert!(parse(text).simple_commands().is_empty());
    }
}

#[test]
fn budgets_end_hostile_text() {
    for piece in ["$(", "((", "$((", "`", "{ ", "a $(( (", "\"$(", "${x:-", "if ", "(( $(("] {
        assert!(error(&piece.repeat(20_001)).is_some(), "{piece}");
    }
    let too_many = matches!(error(&"a;".repeat(60_000)), Some(Error::TooMuch { .. }));
    assert!(too_many);
}

proptest! {
    #[test]
    fn never_panics(text in "\\PC{0,60}") {
        let _ = parse(&text).simple_commands();
    }

    #[test]
    fn never_panics_on_shell_like_text(
        pieces in proptest::collection::vec(proptest::sample::select(vec![
            "a", " ", "\n", "'", "\"", "`", "$", "(", ")", "{", "}", "\\", ";", "&", "|", "<", ">",
            "#", "if", "then", "fi", "do", "done", "for", "in", "case", "esac", "((", "))", "$((",
            "${", ":-", "[[", "]]", "<<E", "E", "é", "=", "x=(", "\r\n", "function", "coproc", "!",
        ]), 0..40)
    ) {
        let text = pieces.concat();
        let script = parse(&text);
        for place in script.simple_commands() {
            for word in &place.command.words {
                prop_assert_eq!(word.span.of(&text), word.text);
            }
        }
    }
}
