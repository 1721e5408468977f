//! Containers.

use super::super::call::{Arg, ProgramCall};
use super::super::category::Category;
use super::super::options::{CONTAINER_VALUES, Opt, Spec, first_operand, options};
use super::{DangerRule, RuleCheck, managed};

const STOP: Category =
    Category::asks("stop or restart a container", "Containers that others may use are stopped.");
const VOLUMES: Category =
    Category::asks("delete container volumes", "Data kept in volumes or stacks would be deleted.");
const HOST: Category = Category::asks(
    "container with host access",
    "The container could change everything on the machine it runs on.",
);

const ENGINES: &[&str] = &["docker", "docker-compose", "podman-compose"];

const PUBLISH: Category = Category::asks(
    "image published",
    "An image would be pushed to the public registry, where everybody can fetch it.",
);

pub(super) const RULES: &[DangerRule] = &[
    DangerRule {
        category: PUBLISH,
        programs: &["docker"],
        check: RuleCheck::Call(|call| {
            let pushes = call.arg(0) == "push"
                || matches!(call.arg(0), "image" | "manifest") && call.arg(1) == "push";
            // Without the name of a machine it goes to the registry of everybody.
            let is_public = |text: &str| {
                let host = text.split('/').next().unwrap_or_default();
                text.contains('/')
                    && !text.contains("://")
                    && !text.starts_with(['.', '/', '-'])
                    && host != "localhost"
                    && !host.contains(['.', ':', '$', super::super::facts::HOLE])
            };
            pushes && call.operands().any(|arg| is_public(&arg.text))
        }),
        catches: &["docker push acme/api:latest", "docker image push acme/api"],
        passes: &[
            "docker push registry.example.com/app:1",
            "docker push localhost:5000/app",
            "docker push $IMAGE",
            "docker build -t acme/api .",
        ],
    },
    DangerRule {
        category: STOP,
        programs: ENGINES,
        check: RuleCheck::Call(|call| {
            let words = words(call);
            if call.asks_for_help() {
                return false;
            }
            match words.as_slice() {
                [Kind::Compose, rest @ ..] => {
                    matches!(rest, [Kind::Verb("restart" | "stop" | "kill" | "down"), ..])
                }
                [Kind::Verb("container" | "pod"), Kind::Verb(verb), ..]
                | [Kind::Verb(verb), ..] => {
                    matches!(*verb, "restart" | "stop" | "kill")
                }
                _ => false,
            }
        }),
        catches: &[
            "docker stop web",
            "docker restart web",
            "docker kill web",
            "docker compose down",
            "docker-compose stop",
            "podman stop x",
            "docker container stop x",
            "docker -H tcp://h stop x",
            "docker compose -f a.yml restart web",
            "docker --context x compose -p y kill",
            "sudo docker stop $(docker ps -q)",
        ],
        passes: &[
            "docker ps",
            "docker logs web",
            "docker compose up -d",
            "docker start web",
            "docker compose logs stop",
            "docker run --name stop alpine",
            "docker-compose ps",
            "docker exec web npm stop",
        ],
    },
    DangerRule {
        category: VOLUMES,
        programs: ENGINES,
        check: RuleCheck::Call(|call| {
            let words = words(call);
            let verbs = |first: &str, second: &[&str]| match words.as_slice() {
                [Kind::Verb(one), Kind::Verb(two), ..] => *one == first && second.contains(two),
                _ => false,
            };
            let prunes =
                matches!(words.as_slice(), [Kind::Verb("system"), Kind::Verb("prune"), ..]);
            let removes = matches!(words.as_slice(), [Kind::Compose, Kind::Verb("rm"), ..])
                && options(call.args, &Spec::FLAGS).any(|opt| opt.is('v', "volumes"));
            let all = call.args.iter().any(|arg| {
                let text = arg.as_str();
                text == "--all"
                    || !text.starts_with("--") && text.starts_with('-') && text.contains('a')
            });
            (prunes && (all || call.has(&["--volumes"])))
                || removes
                || verbs("volume", &["rm", "remove", "prune"])
                || verbs("stack", &["rm", "remove", "down"])
                || verbs("service", &["rm", "remove"])
                || (verbs("swarm", &["leave"]) && call.has(&["--force", "-f"]))
        }),
        catches: &[
            "docker system prune -a --volumes",
            "docker volume rm data",
            "docker volume prune -f",
            "podman volume rm -a",
        ],
        passes: &["docker system prune", "docker volume ls", "docker image prune", "docker rm web"],
    },
    DangerRule {
        category: HOST,
        programs: ENGINES,
        check: RuleCheck::Call(|call| {
            let verb = words(call)
                .iter()
                .any(|word| matches!(word, Kind::Verb("run" | "create" | "exec")));
            verb && reaches_host(call)
        }),
        catches: &[
            "docker run --privileged x",
            "docker run -v /:/host x",
            "docker run -v \"$HOME:/h\" x",
            "docker run --volume=/:/h:ro x",
            "docker run -v /var/run/docker.sock:/var/run/docker.sock x",
            "docker run --mount type=bind,source=/,target=/h x",
            "docker run --pid=host x",
            "docker run --cap-add=SYS_ADMIN x",
            "docker exec --privileged web sh",
            "docker run -it -v/:/h x",
        ],
        passes: &[
            "docker run -v $(pwd):/app x",
            "docker run -v /data:/data x",
            "docker run -v /etc/localtime:/etc/localtime:ro x",
            "docker run --network host x",
            "docker run --rm x",
            "docker run x --privileged",
        ],
    },
    DangerRule {
        category: HOST,
        programs: &["socat", "nc", "curl", "http", "xh", "python", "ncat", "websocat"],
        check: RuleCheck::Call(|call| {
            call.args.iter().any(|arg| {
                let text = arg.as_str();
                text.ends_with("/docker.sock")
                    || text.ends_with("/podman.sock")
                    || text.ends_with("/containerd.sock")
            })
        }),
        catches: &[
            "socat - UNIX-CONNECT:/var/run/docker.sock",
            "curl --unix-socket /var/run/docker.sock http://x/containers/json",
        ],
        passes: &["curl --unix-socket app.sock http://x/", "ls -l /var/run/docker.sock"],
    },
    DangerRule {
        category: HOST,
        programs: &["docker"],
        check: RuleCheck::Call(|call| {
            let far = call.args.windows(2).any(|two| {
                matches!(two[0].as_str(), "-H" | "--host" | "-c" | "--context")
                    && (two[1].text.contains("://") && !two[1].text.starts_with("unix:")
                        || managed::names_production(&two[1].text))
            });
            let looks = |word: &Kind<'_>| {
                matches!(
                    word,
                    Kind::Verb(
                        "ps" | "logs"
                            | "images"
                            | "inspect"
                            | "info"
                            | "version"
                            | "stats"
                            | "top"
                            | "ls"
                            | "events"
                            | "port"
                            | "diff"
                            | "history"
                            | "context"
                    )
                )
            };
            far && !words(call).iter().any(looks)
        }),
        catches: &["docker -H ssh://prod rm -f api", "docker --context prod run x"],
        passes: &["docker -H ssh://prod ps", "docker --context dev run x", "docker rm -f api"],
    },
];

/// A word that decides what is done.
enum Kind<'c> {
    /// `compose`, or a program that is nothing else.
    Compose,
    Verb(&'c str),
}

fn words<'c>(call: &ProgramCall<'c>) -> Vec<Kind<'c>> {
    const SPEC: Spec = Spec::leading(
        "HlcfpD",
        &[
            "host",
            "context",
            "config",
            "log-level",
            "file",
            "project-name",
            "project-directory",
            "env-file",
            "profile",
            "ansi",
            "progress",
            "parallel",
            "connection",
            "url",
            "root",
            "namespace",
        ],
    );
    let mut words = Vec::new();
    if call.name != "docker" {
        words.push(Kind::Compose);
    }
    let mut args = call.args;
    while words.len() < 3 {
        let at = first_operand(args, &SPEC);
        let Some(arg) = args.get(at) else { break };
        words.push(match (words.is_empty(), arg.as_str()) {
            (true, "compose") => Kind::Compose,
            (_, verb) => Kind::Verb(verb),
        });
        args = &args[at + 1..];
    }
    words
}

/// Whether the options before the image open the way to the host.
fn reaches_host(call: &ProgramCall<'_>) -> bool {
    const SPEC: Spec = Spec::leading("vepuwhmnlac", CONTAINER_VALUES);
    let verb = |arg: &Arg<'_>| matches!(arg.as_str(), "run" | "create" | "exec");
    let Some(at) = call.args.iter().position(verb) else { return false };
    options(&call.args[at + 1..], &SPEC).take_while(|opt| !matches!(opt, Opt::Operand(..))).any(
        |opt| match opt {
            Opt::Long("privileged", value) => value != Some("false"),
            Opt::Long("volume", Some(mount)) | Opt::Short('v', mount) => {
                mounts_host(mount.split(':').next())
            }
            Opt::Long("mount", Some(mount)) => {
                let source = mount.split(',').find_map(|pair| {
                    pair.strip_prefix("source=").or_else(|| pair.strip_prefix("src="))
                });
                mounts_host(source)
            }
            Opt::Long("pid" | "ipc" | "userns" | "uts", Some("host")) => true,
            Opt::Long("cap-add", Some(capability)) => {
                let capability = capability.to_ascii_uppercase();
                matches!(
                    capability.trim_start_matches("CAP_"),
                    "ALL" | "SYS_ADMIN" | "SYS_PTRACE" | "SYS_MODULE"
                )
            }
            Opt::Long("security-opt", Some(value)) => value.ends_with("unconfined"),
            Opt::Long("device", Some(device)) => {
                super::super::paths::is_disk(device.split(':').next().unwrap_or_default())
            }
            _ => false,
        },
    )
}

fn mounts_host(source: Option<&str>) -> bool {
    if matches!(source, Some("~" | "~/")) {
        return true;
    }
    let Some(source) = source.filter(|source| source.starts_with('/')) else { return false };
    let trimmed = source.trim_end_matches('/');
    matches!(
        trimmed,
        "" | "/etc"
            | "/root"
            | "/boot"
            | "/proc"
            | "/sys"
            | "/dev"
            | "/usr"
            | "/var"
            | "/var/run"
            | "/run"
    ) || trimmed.ends_with("/docker.sock")
        || trimmed.ends_with("/podman.sock")
        || trimmed.ends_with("/containerd.sock")
}
