//! Infrastructure, databases and published things that are deleted from afar.

use super::super::call::{Arg, ProgramCall};
use super::super::category::Category;
use super::super::options::{Opt, Spec, options};
use super::{DangerRule, RuleCheck};

pub(super) const INFRASTRUCTURE: Category = Category::asks(
    "infrastructure deletion",
    "Machines, clusters, buckets, databases or repositories would be deleted.",
);

pub(super) const RULES: &[DangerRule] = &[
    DangerRule {
        category: INFRASTRUCTURE,
        programs: &[
            "terraform",
            "terragrunt",
            "pulumi",
            "cdk",
            "cdktf",
            "serverless",
            "sls",
            "sst",
            "sam",
            "ansible",
            "helm",
            "kubectl",
            "oc",
            "eksctl",
            "kops",
            "argocd",
            "flux",
        ],
        check: RuleCheck::Call(tears_down),
        catches: &[
            "terraform destroy",
            "terraform -chdir=x destroy -auto-approve",
            "terraform apply -destroy",
            "pulumi destroy -y",
            "cdk destroy",
            "kubectl delete ns prod",
            "kubectl -n x delete deployment web",
            "kubectl delete pods --all",
            "helm uninstall x",
            "tofu destroy",
            "kubectl delete pvc data",
            "eksctl delete cluster x",
            "terraform state rm x",
            "kubectl drain node1",
        ],
        passes: &[
            "terraform plan",
            "terraform apply",
            "kubectl get ns",
            "kubectl delete pod web-1",
            "kubectl delete ns x --dry-run=client",
            "helm list",
            "kubectl describe ns x",
            "terraform plan -destroy",
            "kubectl logs delete",
        ],
    },
    DangerRule {
        category: INFRASTRUCTURE,
        programs: &[
            "aws",
            "gcloud",
            "gsutil",
            "az",
            "doctl",
            "linode-cli",
            "hcloud",
            "oci",
            "ibmcloud",
            "s3cmd",
            "mc",
            "rclone",
            "gh",
            "glab",
            "bq",
        ],
        check: RuleCheck::Call(deletes_in_cloud),
        catches: &[
            "aws s3 rm s3://b --recursive",
            "aws s3 rb s3://b --force",
            "aws ec2 terminate-instances --instance-ids i",
            "aws --profile p rds delete-db-instance x",
            "gcloud compute instances delete x",
            "gsutil rm -r gs://b",
            "gsutil -m rm -rf gs://b",
            "az group delete -n x",
            "gh repo delete o/r --yes",
            "gh api -X DELETE repos/o/r",
            "doctl compute droplet delete 1",
        ],
        passes: &[
            "aws s3 ls s3://b",
            "aws s3 rm s3://b/x.txt",
            "aws s3 cp x s3://b",
            "gcloud compute instances list",
            "gsutil ls gs://b",
            "az group list",
            "gh repo view o/r",
            "gh pr list",
            "gh api repos/o/r",
            "aws sts get-caller-identity",
            "gh issue list --search delete",
        ],
    },
    DangerRule {
        category: INFRASTRUCTURE,
        programs: &[
            "dropdb",
            "dropuser",
            "mysqladmin",
            "redis-cli",
            "mongo",
            "mongosh",
            "heroku",
            "fly",
            "flyctl",
            "vercel",
            "netlify",
            "firebase",
            "wrangler",
            "supabase",
            "railway",
            "vagrant",
            "virsh",
            "multipass",
            "lxc",
            "incus",
            "npm",
            "pnpm",
            "yarn",
            "prisma",
            "rails",
            "rake",
            "nomad",
            "consul",
            "vault",
            "etcdctl",
            "kafka-topics",
            "kafka-topics.sh",
            "rabbitmqctl",
            "influx",
            "curl",
        ],
        check: RuleCheck::Call(deletes_service),
        catches: &[
            "dropdb prod",
            "mysqladmin drop x",
            "redis-cli FLUSHALL",
            "redis-cli -h h flushdb",
            "heroku apps:destroy x",
            "flyctl apps destroy x",
            "vercel rm x --yes",
            "vagrant destroy -f",
            "npm unpublish x",
            "prisma migrate reset",
            "mongosh --eval 'db.dropDatabase()'",
            "npx prisma migrate reset --force",
            "bundle exec rails db:drop",
            "curl -X DELETE http://localhost:9200/_all",
        ],
        passes: &[
            "createdb x",
            "redis-cli ping",
            "heroku apps",
            "vercel ls",
            "npm publish --dry-run",
            "prisma migrate dev",
            "redis-cli del k",
            "rails db:migrate",
        ],
    },
];

/// Words that are no options, without the values of those that take one.
fn words<'c>(call: &ProgramCall<'c>, spec: &Spec) -> Vec<&'c str> {
    options(call.args, spec)
        .filter_map(|opt| match opt {
            Opt::Operand(arg, _) => Some(Arg::as_str(arg)),
            _ => None,
        })
        .collect()
}

fn rehearses(call: &ProgramCall<'_>) -> bool {
    call.args.iter().any(|arg| {
        let text = arg.as_str();
        matches!(text, "--dryrun" | "--dry-run" | "--help" | "-help")
            || text.starts_with("--dry-run=") && !text.ends_with("none")
    })
}

fn tears_down(call: &ProgramCall<'_>) -> bool {
    if rehearses(call) {
        return false;
    }
    let spec = match call.name {
        "kubectl" | "oc" | "helm" => Spec::with(
            "nlfs",
            &[
                "namespace",
                "context",
                "kubeconfig",
                "cluster",
                "user",
                "selector",
                "kube-context",
                "filename",
                "server",
                "token",
                "field-selector",
            ],
        ),
        _ => Spec::with("Cs", &["cwd", "stack", "profile", "region", "stage", "app"]),
    };
    let mut words = words(call, &spec).into_iter();
    let verb = words.next().unwrap_or_default();
    match call.name {
        "terraform" | "terragrunt" => {
            // One dash: these are no bundles of letters.
            let verb = call
                .args
                .iter()
                .map(Arg::as_str)
                .find(|text| !text.starts_with('-'))
                .unwrap_or_default();
            let second =
                call.args.iter().map(Arg::as_str).filter(|text| !text.starts_with('-')).nth(1);
            let saves = |arg: &Arg<'_>| {
                (arg.text.starts_with("-out") || arg.text.starts_with("--out"))
                    && !arg.text.ends_with("=/dev/null")
            };
            verb == "destroy"
                // A rehearsal that is kept is there to be carried out.
                || (verb == "plan"
                    && call.has(&["-destroy", "--destroy"])
                    && call.args.iter().any(saves))
                || (verb == "apply" && call.has(&["-destroy", "--destroy"]))
                || (verb == "state" && matches!(second, Some("rm")))
                || (verb == "workspace" && second == Some("delete"))
                || (verb == "run-all" && second == Some("destroy"))
        }
        "pulumi" => verb == "destroy" || (verb == "stack" && words.next() == Some("rm")),
        "cdk" | "cdktf" => verb == "destroy",
        "serverless" | "sls" | "sst" => verb == "remove",
        "sam" => verb == "delete",
        "helm" => matches!(verb, "uninstall" | "delete" | "del" | "un"),
        "eksctl" | "kops" => verb == "delete",
        "argocd" => words.next() == Some("delete"),
        "flux" => matches!(verb, "uninstall" | "delete"),
        "kubectl" | "oc" => match verb {
            "delete" => deletes_lasting(call, words.next()),
            "drain" => true,
            _ => false,
        },
        _ => false,
    }
}

/// Pods and jobs come back by themselves or were meant to end; everything else stays gone.
fn deletes_lasting(call: &ProgramCall<'_>, kind: Option<&str>) -> bool {
    let all = call
        .args
        .iter()
        .any(|arg| matches!(arg.as_str(), "--all" | "-A" | "--all-namespaces" | "--all=true"));
    let kind = kind.unwrap_or_default().split('/').next().unwrap_or_default().to_ascii_lowercase();
    let passing = matches!(
        kind.as_str(),
        "pod"
            | "pods"
            | "po"
            | "job"
            | "jobs"
            | "event"
            | "events"
            | "rs"
            | "replicaset"
            | "replicasets"
            | "lease"
            | "leases"
    );
    all || !passing
}

fn deletes_in_cloud(call: &ProgramCall<'_>) -> bool {
    if rehearses(call) {
        return false;
    }
    let spec = match call.name {
        "aws" => Spec::with(
            "",
            &["profile", "region", "output", "endpoint-url", "query", "cli-input-json", "filters"],
        ),
        "gh" | "glab" => Spec::with(
            "XHFfqtRSLAalsBbBm",
            &[
                "method",
                "header",
                "jq",
                "repo",
                "search",
                "field",
                "raw-field",
                "template",
                "title",
                "body",
                "label",
                "author",
                "json",
            ],
        ),
        "gcloud" => Spec::with("", &["project", "zone", "region", "account", "format", "filter"]),
        "gsutil" => Spec::with("oh", &[]),
        _ => Spec::with("ngs", &["name", "resource-group", "subscription", "context", "config"]),
    };
    let words = words(call, &spec);
    let recursive = |letters: &[char]| {
        call.args.iter().any(|arg| {
            let text = arg.as_str();
            matches!(text, "--recursive" | "--force")
                || (text.starts_with('-') && !text.starts_with("--") && text.contains(letters))
        })
    };
    match (call.name, words.as_slice()) {
        ("aws", ["s3", "rm", ..]) => recursive(&[]),
        ("aws", ["s3", "rb", ..]) => true,
        ("aws", [_, verb, ..]) => {
            ["delete-", "terminate-", "remove-", "purge-", "deregister-", "disable-"]
                .iter()
                .any(|start| verb.starts_with(start))
                || matches!(*verb, "delete" | "schedule-key-deletion")
        }
        ("gsutil", [verb, ..]) => (*verb == "rm" && recursive(&['r', 'R'])) || *verb == "rb",
        ("gcloud", words) => match words {
            ["storage", "rm", ..] => recursive(&['r', 'R']),
            words => words
                .iter()
                .take(5)
                .any(|word| matches!(*word, "delete" | "destroy" | "remove-iam-policy-binding")),
        },
        ("gh" | "glab", ["api", ..]) => {
            call.args.windows(2).any(|two| {
                matches!(two[0].as_str(), "-X" | "--method")
                    && two[1].text.eq_ignore_ascii_case("delete")
            }) || call.args.iter().any(|arg| {
                let text = arg.text.to_ascii_uppercase();
                text == "-XDELETE" || text == "--METHOD=DELETE"
            })
        }
        ("gh" | "glab", [_, verb, ..]) => {
            matches!(*verb, "delete" | "delete-asset" | "remove")
                || (*verb == "archive" && words[0] == "repo")
        }
        ("rclone", [verb, ..]) => matches!(*verb, "purge" | "delete"),
        ("s3cmd", [verb, ..]) => {
            matches!(*verb, "rb") || (matches!(*verb, "del" | "rm") && recursive(&['r']))
        }
        ("mc", [verb, ..]) => *verb == "rb" || (*verb == "rm" && recursive(&['r'])),
        ("bq", [verb, ..]) => *verb == "rm",
        (_, words) => words
            .iter()
            .take(4)
            .any(|word| matches!(*word, "delete" | "destroy" | "purge" | "terminate")),
    }
}

fn deletes_service(call: &ProgramCall<'_>) -> bool {
    if rehearses(call) {
        return false;
    }
    let spec = match call.name {
        "redis-cli" => Spec::with("hpanu", &["user", "pass"]),
        "mysqladmin" => Spec::with("uhP", &["user", "host", "port"]),
        _ => Spec::with("a", &["app", "schema", "eval"]),
    };
    let words = words(call, &spec);
    let verb = words.first().copied().unwrap_or_default();
    let second = words.get(1).copied().unwrap_or_default();
    match call.name {
        "dropdb" | "dropuser" => !call.args.is_empty(),
        "mysqladmin" => words.contains(&"drop"),
        "redis-cli" => {
            let flush = |text: &str| {
                text.eq_ignore_ascii_case("flushall") || text.eq_ignore_ascii_case("flushdb")
            };
            let evaluates = |arg: &Arg<'_>| {
                let text = arg.text.to_ascii_lowercase();
                text.contains("flushall") || text.contains("flushdb")
            };
            flush(verb)
                || call.args.iter().any(evaluates)
                || call.stdin.text.as_deref().is_some_and(|text| text.split_whitespace().any(flush))
        }
        "mongo" | "mongosh" => {
            let drops = |text: &str| {
                text.contains("dropDatabase(")
                    || text.contains(".drop(")
                    || text.contains("deleteMany({})")
                    || text.contains(".remove({})")
                    || text.contains("updateMany({}")
                    || text.contains("dropUser(")
                    || text.contains("dropIndexes(")
                    || text.contains("shutdownServer(")
                    || text.contains("shutdown:")
                    || text.contains("dropRole(")
                    || text.contains("rs.remove(")
                    || text.contains("removeShard")
            };
            call.args.iter().any(|arg| drops(&arg.text))
                || call.stdin.text.as_deref().is_some_and(drops)
        }
        "heroku" => {
            verb.ends_with(":destroy")
                || matches!(verb, "pg:reset" | "apps:delete")
                || verb.ends_with(":delete")
        }
        "fly" | "flyctl" => matches!(verb, "destroy") || matches!(second, "destroy" | "delete"),
        "vercel" => {
            matches!(verb, "rm" | "remove")
                || (matches!(second, "rm" | "remove") && !matches!(verb, "env"))
        }
        "netlify" | "firebase" => verb.ends_with(":delete") || verb.ends_with(":disable"),
        "wrangler" => verb == "delete" || second == "delete" || verb.ends_with(":delete"),
        "supabase" => (verb == "db" && second == "reset") || second == "delete",
        "railway" => matches!(verb, "down" | "delete"),
        "vagrant" | "virsh" => matches!(verb, "destroy" | "undefine" | "vol-delete"),
        "multipass" | "lxc" | "incus" => matches!(verb, "delete" | "purge"),
        "npm" | "pnpm" | "yarn" => verb == "unpublish" || (verb == "npm" && second == "unpublish"),
        "prisma" => {
            matches!((verb, second), ("migrate", "reset"))
                || (verb == "db" && call.has(&["--force-reset"]))
        }
        "rails" | "rake" => words
            .iter()
            .any(|word| matches!(*word, "db:drop" | "db:reset" | "db:purge" | "db:drop:all")),
        "nomad" | "consul" | "vault" => {
            matches!((verb, second), ("job", "stop") | ("kv", "delete" | "destroy"))
                || verb == "delete"
        }
        "etcdctl" => {
            verb == "del"
                && call.args.iter().any(|arg| {
                    arg.text.is_empty()
                        || arg.text.starts_with("--prefix")
                        || arg.text.starts_with("--from-key")
                })
        }
        "kafka-topics" | "kafka-topics.sh" => call.has(&["--delete"]),
        "rabbitmqctl" => verb == "reset" || verb == "force_reset" || verb.starts_with("delete"),
        "influx" => {
            call.args.iter().any(|arg| arg.text.to_ascii_lowercase().contains("drop database"))
        }
        "curl" => sends_delete(call),
        _ => false,
    }
}

/// A DELETE of everything at once.
fn sends_delete(call: &ProgramCall<'_>) -> bool {
    let delete = call.args.windows(2).any(|two| {
        matches!(two[0].as_str(), "-X" | "--request" | "-sX" | "-XDELETE")
            && two[1].text.eq_ignore_ascii_case("delete")
    }) || call.has(&["-XDELETE", "--request=DELETE"]);
    delete && call.args.iter().any(|arg| arg.text.ends_with("/_all") || arg.text.ends_with("/*"))
}
