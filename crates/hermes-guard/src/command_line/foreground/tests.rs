use super::*;

#[track_caller]
fn refuses(rule: ForegroundRule, lines: &[&str]) {
    for line in lines {
        assert_eq!(refusal(line).map(|refusal| refusal.rule), Some(rule), "{line}");
    }
}

#[track_caller]
fn allows(lines: &[&str]) {
    for line in lines {
        assert_eq!(refusal(line), None, "{line}");
    }
}

#[test]
fn refuses_what_detaches() {
    refuses(
        ForegroundRule::Detaches,
        &[
            "nohup ls",
            "nohup ls &",
            "a; disown",
            "a && setsid b",
            "sudo nohup a",
            "/usr/bin/nohup a",
            "A=1 nohup a",
            "if a; then setsid b; fi",
            "(nohup a)",
            "echo $(setsid a)",
            "a &\ndisown",
            "timeout 5 nohup a",
            "a | nohup b",
            "'nohup' a",
        ],
    );
}

#[test]
fn the_names_of_detachers_are_only_words_elsewhere() {
    allows(&[
        "which nohup",
        "command -v setsid",
        "man nohup",
        "echo nohup",
        "echo 'nohup a'",
        "grep -r nohup .",
        "apt install nohup",
        "cat nohup.out",
        "# nohup a",
        "echo \"a; nohup b\"",
        "echo `nohup a`",
        "echo \"$(nohup a)\"",
        "cat <<E\nnohup a\nE",
        "bash -c 'nohup a'",
    ]);
}

#[test]
fn refuses_jobs_that_stay_behind() {
    refuses(
        ForegroundRule::LeavesJob,
        &[
            "a &",
            "a&",
            "a & b",
            "a &b",
            "a & # note",
            "a &# note",
            "a &\nb",
            "a && b &",
            "a | b &",
            "(a &)",
            "{ a & }",
            "if a; then b & fi",
            "for x in y; do a & done",
            "a & wait & b",
            "wait; a &",
            "(a &); wait",
            "a & (wait)",
            "a & wait | b",
            "f() { a & }; f",
            "x=$(a &)",
            "a & echo wait",
            "sleep 1 & kill $!",
            "{ (a &) } & wait",
        ],
    );
}

#[test]
fn jobs_that_are_waited_for_are_fine() {
    allows(&[
        "for x in 1 2; do a $x & done; wait",
        "for x in 1 2; do a $x & done\nwait\necho done",
        "while read x; do a & done < f; wait",
        "for x in 1 2; do a & wait $!; done",
        "a & b & wait",
        "a & wait $!",
        "(a & wait)",
        "f() { a & }; f; wait",
        "a & b && wait || c",
    ]);
}

#[test]
fn an_ampersand_elsewhere_is_fine() {
    allows(&[
        "",
        "a && b",
        "a 2>&1",
        "a &> f",
        "a &>> f",
        "a >& f",
        "a <&3",
        "echo 'a &'",
        "echo \"a & b\"",
        "echo a \\& b",
        "curl 'http://x/?a=1&b=2'",
        "echo `a &`",
        "# a &",
        "a |& b",
        "(( x & 1 ))",
        "echo $((x & 1))",
        "[[ a && b ]]",
        "cat <<E\na &\nE",
        "case x in a) b;& c) d;; esac",
    ]);
}

#[test]
fn refuses_servers() {
    for manager in ["npm", "pnpm", "yarn", "bun"] {
        for script in ["dev", "start", "serve", "watch"] {
            let both = [format!("{manager} {script}"), format!("{manager} run {script}")];
            refuses(ForegroundRule::RunsForever, &[&both[0], &both[1]]);
        }
    }
    refuses(
        ForegroundRule::RunsForever,
        &[
            "docker compose up",
            "docker-compose up",
            "docker compose -f x.yml up --build web",
            "docker --context x compose up",
            "next dev",
            "next",
            "vite",
            "vite dev",
            "vite preview",
            "vite --port 3000",
            "vite build --watch",
            "nodemon app.js",
            "uvicorn app:app --reload",
            "gunicorn app:app",
            "python -m http.server",
            "python3 -m http.server 8000",
            "python3.12 -u -m http.server",
        ],
    );
}

#[test]
fn finds_servers_behind_whatever_starts_them() {
    refuses(
        ForegroundRule::RunsForever,
        &[
            "cd web && npm run dev",
            "A=1 npm start",
            "sudo npm start",
            "env A=1 vite",
            "npx vite",
            "npx --yes next dev",
            "yarn vite",
            "pnpm exec vite",
            "bun x vite",
            "pnpm --filter web dev",
            "npm --prefix web run dev",
            "yarn workspace web dev",
            "yarn --cwd web start",
            "poetry run uvicorn a:b",
            "uv run --with x uvicorn a:b",
            "python -m uvicorn a:b",
            "./node_modules/.bin/vite",
            "(npm start)",
            "if a; then npm start; fi",
            "npm start | tee f",
            "time npm start",
            "exec gunicorn a:b",
            "npm run dev:web",
            "echo $(npm start)",
            "npm run start -- --port 1",
            "npm start > f 2>&1",
        ],
    );
}

#[test]
fn bounded_commands_of_servers_are_fine() {
    allows(&[
        "npm run build",
        "npm test",
        "npm run dev:build",
        "npm run",
        "vite build",
        "vite optimize",
        "npx vite build",
        "yarn vite build",
        "next build",
        "next lint",
        "docker compose up -d",
        "docker compose up --detach web",
        "docker-compose up -d",
        "docker compose up --wait",
        "docker compose up --no-start",
        "docker compose down",
        "docker compose build",
        "docker compose logs",
        "docker ps",
        "gunicorn --check-config a:b",
        "gunicorn -D a:b",
        "python -m pytest",
        "python -m pip install uvicorn",
        "python http.server",
        "python -c 'import http.server'",
        "timeout 5 npm run dev",
        "poetry install",
        "uv pip list",
    ]);
}

#[test]
fn installing_locating_printing_and_searching_is_fine() {
    allows(&[
        "npm install vite",
        "npm i -D nodemon",
        "pnpm add vite",
        "yarn add next dev",
        "npm create vite",
        "pip install uvicorn gunicorn",
        "which vite",
        "command -v nodemon",
        "type uvicorn",
        "echo vite",
        "echo npm run dev",
        "printf 'npm start'",
        "grep -r 'npm run dev' .",
        "rg vite",
        "cat vite.config.ts",
        "ls node_modules/vite",
        "pkill nodemon",
        "git commit -m 'npm start'",
        "cd vite",
        "npm ls next dev",
        "man docker compose up",
        "yarn why vite",
        "cat package.json | jq .scripts.dev",
    ]);
}

#[test]
fn asking_for_help_is_fine() {
    allows(&[
        "npm start --help",
        "vite --help",
        "vite --version",
        "vite -h",
        "vite -v",
        "nodemon -v",
        "uvicorn --version",
        "nohup --help",
        "setsid --version",
        "docker compose up --help",
        "gunicorn --version &",
    ]);
    refuses(ForegroundRule::RunsForever, &["ls --help; npm start", "nodemon -v app.js"]);
    refuses(ForegroundRule::LeavesJob, &["ls --help; sleep 9 &"]);
}

#[test]
fn says_what_is_refused_and_what_to_do() {
    let found = refusal("cd x; npm  run\tdev | tee f").unwrap();
    assert_eq!(found.words, "npm run dev");
    assert_eq!(found.advice, ForegroundRule::RunsForever.advice());
    let text = found.to_string();
    assert!(text.starts_with("`npm run dev` runs until it is stopped. "), "{text}");
    assert_eq!(refusal("a; b && c & d").unwrap().words, "b && c &");
    assert_eq!(refusal("a; sudo nohup b").unwrap().words, "sudo nohup b");
}

#[test]
fn a_long_chain_of_runners_is_read_without_recursion() {
    allows(&[&"npx ".repeat(2_000)]);
    refuses(ForegroundRule::RunsForever, &[&format!("{} vite", "npx ".repeat(2_000))]);
}
