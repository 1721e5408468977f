//! Programs that parse and programs that do not, for every language.

/// File name and content; all of them are right.
pub(super) const VALID: &[(&str, &str)] = &[
    ("a.json", "{\"a\": [NaN, -Infinity], \"a\": 1}\n"),
    ("a.json", "\u{feff}{}"),
    ("tsconfig.json", "{\n  // strict\n  \"a\": [1, 2,],\n}\n"),
    ("a.yaml", ""),
    ("a.yml", "a:\n  b: \"first\nsecond\n\nthird\"\n  c: 'x\n y'\n"),
    ("a.yml", "b: \"v\"#c\n"),
    ("a.yaml", "a: 1\n---\nb: !Custom {c: !!set {x}}\n...\n---\n- &x 1\n- *x\n"),
    ("a.yaml", "Ref: !Sub '${A}'\nList: !GetAtt A.B\nalias: *undefined\n"),
    (
        "a.yml",
        "on: push\njobs:\n  a:\n    run: |\n      echo ${{ secrets.X }}\n    if: ${{ a == 'b' }}\n",
    ),
    (
        "a.yml",
        "%YAML 1.2\n---\nkey: >-\n  folded\n\n  text\nother: \"a\\\n  b\"\n? complex\n: value\n",
    ),
    (
        "a.toml",
        "a.b = 1\n[t]\nx = 1979-05-27T07:32:00Z\ny = { a = 1, b = [1, 2,] }\n[[arr]]\nz = '''\nraw'''\n",
    ),
    ("Cargo.lock", "version = 4\n[[package]]\nname = \"a\"\n"),
    ("a.py", ""),
    (
        "a.py",
        "match p:\n    case {'x': [a, *r], **k} if a:\n        pass\n    case A(b=1) | None:\n        pass\nmatch = 1\n",
    ),
    (
        "a.py",
        "x = f'{a!r:>{w}} {f\"{b['k']}\"} {'\\n'.join(c)} {d=}'\ny = f\"{'a' if \"b\" else f'{c}'}\"\n",
    ),
    (
        "a.py",
        "async def g():\n    async with a as b, c:\n        yield [x async for x in y if await z]\n    return\n",
    ),
    (
        "a.py",
        "def f[T: (int, str), *Ts, **P](a, /, b: T = 1, *c, d, **e) -> list[T]: ...\ntype A[T] = dict[str, T]\nclass C[T](B, metaclass=M): x: int\n",
    ),
    (
        "a.py",
        "try:\n    pass\nexcept* (A, B) as e:\n    raise X from e\nelse: ...\nwith (open(a) as f, open(b) as g,):\n    pass\n",
    ),
    (
        "a.py",
        "if (n := len(a)) > 1: print(a[1:, ...], *b, **c)\nlambda *a, k=1: (yield)\n@a.b[c](d)\ndef f(): global x; x = 0x_ff + 1_0.5e3j\n",
    ),
    ("a.py", "t = t'{x}'\ntry: pass\nexcept A, B: pass\n"),
    ("a.pyi", "from typing import overload\n@overload\ndef f(x: int) -> int: ...\n"),
    (
        "a.js",
        "#!/usr/bin/env node\n'use strict';\nconst a = b?.c?.[d]?.(e) ?? f ** 2;\na ||= 1_000n;\n",
    ),
    (
        "a.js",
        "if (process.argv.length < 3) return;\nmodule.exports = { async *[Symbol.iterator]() { yield* a } };\n",
    ),
    ("a.js", "with (a) { b = 010; }\nvar await = 1; var let_ = delete x;\n<!-- old comment\n"),
    (
        "a.js",
        "import a, { b as c, default as d } from 'x' with { type: 'json' };\nexport * as ns from 'y';\nawait import('z');\n",
    ),
    (
        "a.js",
        "class A extends (B, C) { #p = 1; static { this.q = #p in A; } get [x]() {} static async *m() {} accessor z = 1 }\n",
    ),
    (
        "a.js",
        "const r = /[/\\]]+/dgimsuy, t = tag`a${`b${c}`}d`, s = a / b / c;\nlabel: for (const [x, {y = 1, ...z}] of w) continue label;\n",
    ),
    ("a.js", "@dec class A { @dec() m() {} }\n"),
    ("a.js", "// @flow\ntype A = {| b: ?string |};\nfunction f(x: A): %checks { return !!x }\n"),
    ("a.mjs", "const x = await fetch(u);\nfor await (const c of x.body) {}\nusing f = open();\n"),
    ("a.cjs", "const a = require('a');\nreturn a;\n"),
    (
        "a.jsx",
        "export default () => <><A {...p} b='c' d={e => <f/>}>text &amp; {x /* c */}</A></>;\n",
    ),
    (
        "a.ts",
        "enum E { A = 1 << 2, B }\ndeclare module 'x' { export function f<T extends object = {}>(a: T): asserts a is T & { b: 1 } }\n",
    ),
    (
        "a.ts",
        "type F<T> = T extends (infer U extends string)[] ? `a${U}` : { readonly [K in keyof T as `x${K & string}`]-?: T[K] };\n",
    ),
    (
        "a.ts",
        "abstract class A<in out T> implements B { constructor(private readonly x?: number) { super() } abstract m(): void; declare y: string; override z!: T }\n",
    ),
    (
        "a.ts",
        "@Injectable({ a: [b] })\nexport class C { @Input() a = b as const satisfies D; f = <T,>(x: T) => x!; g<T>(this: C, @Inject() y: T) {} }\n",
    ),
    (
        "a.ts",
        "import type { A } from './a';\nimport b = require('b');\nexport = b;\nlet x = <any>y; function f(): x is string; function f() {}\n",
    ),
    (
        "a.ts",
        "function g<const T>(x: T): T;\nfunction g(x) { return x }\nlet u: unique symbol, t: [a: string, b?: number, ...c: X[]], n: abstract new () => void;\n",
    ),
    (
        "a.ts",
        "namespace A.B { export const c = 1 }\ndeclare global { interface Window { get x(): number; set x(v: string) } }\nexport {};\n",
    ),
    ("a.d.ts", "export declare const a: number;\nexport as namespace X;\n"),
    ("a.ts", "<?xml version=\"1.0\"?>\n<!DOCTYPE TS><TS/>\n"),
    (
        "a.tsx",
        "const C = <T extends unknown>({ a }: P<T>) => <A<T> b={a as T}>{a && <b key={1} />}</A>;\n",
    ),
    (
        "a.rs",
        "#!/usr/bin/env run\n#![allow(x)]\nfn main() { let Some(x) = y else { return }; if let A = b && let C = d {} }\n",
    ),
    (
        "a.rs",
        "async fn f<'a, const N: usize>(x: &'a mut [u8; N]) -> impl Future<Output = ()> + use<'a, N> { async move |y: u8| y.await?; }\n",
    ),
    (
        "a.rs",
        "trait T { type A<'a>: B where Self: 'a; const C: usize = { 1 + 2 }; fn f(self: Box<Self>) -> Self::A<'_>; }\nunsafe extern \"C\" { pub safe fn g(); static X: u8; }\n",
    ),
    (
        "a.rs",
        "macro_rules! m { ($($x:expr),* $(,)?) => { $( println!(\"{}\", $x); )* } }\nm!{ <anything> 'a }\nconst S: &CStr = c\"x\";\nlet_chains!();\n",
    ),
    (
        "a.rs",
        "fn f() { let x = match y { 0..=9 | 'a'.. if z => |a| -> u8 { a }, A { b: ref c @ Some(_), .. } => loop { break 'l r#type }, _ => 1.0e3_f64 as u8 }; }\n",
    ),
    ("a.rs", "type A = Box<Fn(u8) -> u8 + Send>;\n"),
    ("a.rs", "#!/usr/bin/env cargo\n---\n[dependencies]\n---\nfn main() {}\n"),
    (
        "a.go",
        "package main\n\nimport (\n\t\"fmt\"\n\t. \"a\"\n)\n\nfunc Map[T, U any](s []T, f func(T) U) (r []U) {\n\tfor i, v := range s {\n\t\t_, _ = i, v\n\t}\n\tfor range 10 {\n\t}\n\treturn\n}\n",
    ),
    (
        "a.go",
        "package a\n\ntype N interface{ ~int | ~float64; String() string }\ntype L[T any] struct {\n\tnext *L[T] `json:\"n\"`\n\tN\n}\nvar x = map[string][]int{\"a\": {1, 0x_1p-2}}\n",
    ),
    (
        "a.go",
        "package a\n\nfunc (l *L[T]) f(c <-chan int, v ...any) {\n\tselect {\n\tcase x, ok := <-c:\n\t\tgo func() { defer close(d) }()\n\tdefault:\n\t}\n\tswitch y := v[0].(type) {\n\tcase int, *string:\n\t\tfallthrough\n\tcase nil:\n\t}\nend:\n\tgoto end\n}\n",
    ),
    (
        "a.go",
        "package a\n\nvar p = new(structural{\"text\"})\nvar q = new(int64(-64))\n\nfunc (r *R) N[I int | uint](n I) I {\n\treturn *new(I) + *new([]I)[0]\n}\n",
    ),
    (
        "a.sh",
        "#!/bin/bash\nset -euo pipefail\narr=(a \"b c\" [5]=d); declare -A m=([k]=v)\necho \"${arr[@]:1:2}\" \"${#m[@]}\" \"${x:-${y//a/b}}\" ${z@Q} $'a\\'b'\n",
    ),
    (
        "a.sh",
        "cat <<EOF | grep a && cat <<-'X' > out\nhi $(date \"+%s\") `ls`\nEOF\n\t) \" '\n\tX\ndiff <(sort a) <(sort b) > >(tee c) 2>&1 |& cat <<< \"$d\"\n",
    ),
    (
        "a.sh",
        "if [[ $a =~ ^([a-z]+)$ && ! -f b ]]; then :; elif ((x++ < 3)); then true; else false; fi\nfor ((i=0; i<3; i++)); do continue; done\nfor f in *.txt; do echo; done < in\n",
    ),
    (
        "a.sh",
        "f() { local x; x=$((1 + 2 * (3))); return; }\nfunction g { select o in a b; do break; done; }\ncase $1 in a|b) ;; (c) echo;& *) ;;& esac\ncoproc X { cat; }\n! time ls &\n",
    ),
    (
        "a.sh",
        "for i\ndo\n  case $i in -*) ;; esac\ndone\nx=\"it's\n multi\" y='a\"b' cmd \\\n  --flag\nwhile read -r l; do echo \"$l\"; done < <(ls); until a; do b; done\n( cd /; ls ) || { echo; exit 1; }\n",
    ),
    ("a.sh", "#!/usr/bin/env zsh\nfor f (*.txt) { print $f }\n"),
    ("deploy.yaml", "{{- if .Values.on }}\nkind: A\nname: {{ .Values.name }}\n{{- end }}\n"),
    ("a.sh", "#!/bin/sh\n{% if x %}\nif {{ y }}; then\n{% endif %}\n"),
];

/// File name, content, and where the first error is (line, column).
pub(super) const INVALID: &[(&str, &str, (usize, usize))] = &[
    ("a.json", "{\"a\": 1,}", (1, 8)),
    ("package.json", "{\n  // no\n}", (2, 3)),
    ("tsconfig.json", "{\n  // yes\n  \"a\" 1\n}", (3, 7)),
    ("a.yaml", "a: [1, 2\nb: 3\n", (2, 2)),
    ("a.yaml", "a: 'x\n", (1, 4)),
    ("a.yaml", "a: \"x\nb: 1\nc: \"y\"\n", (3, 5)),
    ("a.yml", "a:\n  b: 1\n c: 2\n", (3, 2)),
    ("a.yml", "a: b: c\n", (1, 5)),
    ("a.yml", "a:\n\t- b\n", (2, 2)),
    ("a.yml", "run: ${{ x }}\nb: [\n", (2, 4)),
    ("a.toml", "a = \n", (1, 5)),
    ("a.toml", "a = 1\na = 2\n", (2, 1)),
    ("a.toml", "[t\nx = 1\n", (1, 3)),
    ("a.toml", "a = \"x\n", (1, 7)),
    ("a.py", "def f(:\n    pass\n", (1, 7)),
    ("a.py", "if x\n    y\n", (1, 5)),
    ("a.py", "x = (1,\n", (2, 1)),
    ("a.py", "def f():\npass\n", (2, 1)),
    ("a.py", "print 'x'\n", (1, 7)),
    ("a.py", "x = 'abc\n", (1, 5)),
    ("a.js", "const a = ;\n", (1, 11)),
    ("a.js", "function f() {\n  if (a) {\n}\n", (4, 1)),
    ("a.js", "let x = 'abc\n", (1, 9)),
    ("a.js", "const x: number = 1;\n", (1, 7)),
    ("a.mjs", "export { a b };\n", (1, 12)),
    ("a.jsx", "const a = <div><b></div>;\n", (1, 21)),
    ("a.ts", "interface A { b: ; }\n", (1, 18)),
    ("a.tsx", "const a = <div>;\n", (1, 16)),
    ("a.rs", "fn f( {\n}\n", (1, 5)),
    ("a.rs", "fn f() {\n    let x = 1\n    let y = 2;\n}\n", (3, 5)),
    ("a.rs", "fn f() { a( }\n", (1, 13)),
    ("a.rs", "struct A { b: u8 c: u8 }\n", (1, 18)),
    ("a.go", "package a\n\nfunc f() {\n\tx := := 1\n}\n", (4, 7)),
    ("a.go", "package a\n\nfunc f() {\n\tif x {\n}\n\nfunc g() {}\n", (7, 6)),
    ("a.go", "package a\n\nvar x = \"abc\n", (3, 9)),
    ("a.go", "package a\n\nfunc f( {\n}\n", (3, 8)),
    ("a.sh", "if true; then\n  echo\n", (3, 1)),
    ("a.sh", "echo \"abc\n", (1, 6)),
    ("a.sh", "for x in a; do\n  echo )\ndone\n", (2, 8)),
    ("a.sh", "f() {\n  echo\n", (3, 1)),
    ("a.sh", "cat <<EOF\nabc\n", (3, 1)),
    ("a.sh", "case x in\n  a) echo\n", (3, 1)),
];
