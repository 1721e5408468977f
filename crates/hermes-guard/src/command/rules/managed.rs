//! Tools that manage what runs elsewhere: clouds, clusters, platforms, brokers, backups.
//!
//! Each has hundreds of verbs, and new ones every month, so the rules do not list what is dangerous
//! about each. For the large clouds, whose verbs follow a grammar, they know what only looks, makes or
//! delivers; everything else asks. For the others they know the verbs that take something away, stop it
//! or hand it over, which are the same everywhere. And for all of them: nothing is scaled to zero, and
//! no safety is taken off, without a question.

use super::super::call::{Arg, ProgramCall};
use super::super::category::Category;
use super::cloud::INFRASTRUCTURE;
use super::{DangerRule, RuleCheck};

const CHANGE: Category = Category::asks(
    "infrastructure change",
    "Something that runs elsewhere would be stopped, taken away, scaled down or opened.",
);

/// Tools of the shape `tool kind verb name`, for things that others rely on.
const PLATFORMS: &[&str] =
    &["doctl|hcloud|linode-cli|oci|ibmcloud|scw|exo|civo|vultr-cli|upctl|openstack|nova|cinder|\
    swift|yc|aliyun|tccli|stackit|fly|flyctl|heroku|vercel|netlify|railway|render|koyeb|\
    northflank|wrangler|supabase|neonctl|neon|pscale|turso|atlas|mongocli|firebase|cf|eb|copilot|\
    sam|cdk|sst|serverless|sls|amplify|pulumi|nomad|consul|vault|boundary|argocd|argo|flux|\
    istioctl|linkerd|velero|eksctl|kops|rancher|rke|tkn|kn|kubeadm|kubefed|clusterctl|talosctl|\
    k0sctl|microk8s|k3d|kind|ceph|rados|rbd|radosgw-admin|gluster|databricks|airflow|prefect|\
    dagster|temporal|tctl|confluent|rabbitmqadmin|rabbitmqctl|nats|pulsar-admin|influx|etcdctl|\
    cockroach|patronictl|repmgr|pgbackrest|barman|wal-g|restic|borg|kopia|duplicity|circleci|\
    buildkite-agent|sentry-cli|ldcli|auth0|okta|algolia|wp|drush|magento|occ|shopify|contentful|\
    sanity|hasura|bigip|cfcli|flarectl|dnscontrol|lego|certbot|step|keycloak|kcadm.sh|kcadm|ipa|\
    samba-tool|snowsql|snow|elastic|curator|curator_cli|elasticsearch-curator|solr|cbq|\
    couchbase-cli|mssqlctl|zbctl|tower-cli|awx|foreman|hammer|puppet|chef|knife|salt|juju|maas|\
    cloudctl|lxc|incus|virsh|qm|pct|pvesh|pveum|govc|esxcli|xe|vim-cmd|prlctl|vmrun|vboxmanage|\
    multipass|tailscale|netbird|zerotier-cli|headscale|grafana-cli|grafana|promtool|amtool|pdctl|\
    tiup|mc|s3cmd|s5cmd|b2|gdrive|dropbox|mega-rm|linode|packet|metal|equinix|ovhai|gandi|\
    namecheap|spaceship|porter|okteto|garden|devspace|tilt|qovery|humctl|score|acorn|waypoint|\
    nerdctl|crictl|ctr|podman-remote|kamal|dokku|caprover|coolify|gitea|tea|forgejo|cds|keto|\
    oathkeeper"];

pub(super) const RULES: &[DangerRule] = &[
    DangerRule {
        category: CHANGE,
        programs: &["aws", "awslocal"],
        check: RuleCheck::Call(changes_aws),
        catches: &[
            "aws kms disable-key --key-id k",
            "aws --profile p ec2 modify-instance-attribute --instance-id i --no-disable-api-termination",
            "aws ecs update-service --cluster c --service s --desired-count 0",
            "aws s3api put-bucket-versioning --bucket b --versioning-configuration Status=Suspended",
            "aws s3 mv s3://a s3://b --recursive",
        ],
        passes: &[
            "aws ec2 describe-instances",
            "aws s3 sync dist s3://b",
            "aws --region eu-west-1 ecr get-login-password",
            "aws ecs update-service --cluster c --service s --force-new-deployment",
            "aws lambda invoke --function-name f out.json",
            "aws cloudformation deploy --template-file t.yaml --stack-name s",
            "aws configure set region eu-west-1",
            "aws sso login",
            "aws ec2 help",
        ],
    },
    DangerRule {
        category: CHANGE,
        programs: &["gcloud", "az", "bq", "gsutil"],
        check: RuleCheck::Call(|call| {
            !rehearses(call)
                && (operands(call, 6).any(|word| {
                    is_verb(word, DESTROYS) || is_verb(word, STOPS) || is_verb(word, CLOUD_VERBS)
                }) && !sets_up_itself(call)
                    || scales_to_zero(call)
                    || takes_off_safety(call))
        }),
        catches: &[
            "gcloud compute instances stop vm1",
            "gcloud sql instances patch x --no-deletion-protection",
            "az webapp restart -n x -g y",
            "gcloud container clusters resize c --num-nodes=0",
            "az sql db restore -n x",
        ],
        passes: &[
            "gcloud config set project x",
            "gcloud config unset project",
            "gcloud run deploy x --source .",
            "az group list",
            "az account set -s x",
            "gcloud components update",
            "gcloud auth login",
        ],
    },
    DangerRule {
        category: INFRASTRUCTURE,
        programs: PLATFORMS,
        check: RuleCheck::Call(|call| {
            !rehearses(call)
                && !removes_one_object(call)
                && operands(call, 4).any(|word| is_verb(word, DESTROYS))
        }),
        catches: &[
            "doctl databases delete x -f",
            "scw instance server terminate 1",
            "ceph osd pool delete p p --yes-i-really-really-mean-it",
        ],
        passes: &["doctl databases list", "fly apps list", "ceph status", "mc rm store/a.txt"],
    },
    DangerRule {
        category: CHANGE,
        programs: PLATFORMS,
        check: RuleCheck::Call(|call| {
            !rehearses(call)
                && !removes_one_object(call)
                && (operands(call, 4).any(|word| is_verb(word, STOPS))
                    || scales_to_zero(call)
                    || takes_off_safety(call))
        }),
        catches: &[
            "heroku config:unset SECRET_KEY",
            "fly scale count 0",
            "ceph osd out 3 --force-destroy",
            "hcloud server rebuild --image debian-12 web",
            "vercel env rm DATABASE_URL production",
        ],
        passes: &["fly deploy", "heroku logs --tail", "hcloud server list", "fly scale count 2"],
    },
    DangerRule {
        category: CHANGE,
        programs: &["kubectl", "oc", "k", "k3s", "helm", "helmfile", "docker", "nomad"],
        check: RuleCheck::Call(|call| {
            !rehearses(call)
                && (scales_to_zero(call)
                    || call.name != "docker" && operands(call, 2).any(|word| word == "cordon"))
        }),
        catches: &[
            "kubectl patch deployment web -p '{\"spec\":{\"replicas\":0}}'",
            "docker service scale web=0",
            "kubectl cordon node-1",
        ],
        passes: &[
            "kubectl patch deployment web -p '{\"spec\":{\"replicas\":2}}'",
            "kubectl get pods",
            "docker run -e A=0 x",
            "kubectl logs web --tail=0",
        ],
    },
    DangerRule {
        category: CHANGE,
        programs: &[
            "ansible-playbook",
            "ansible",
            "kubectl",
            "oc",
            "k",
            "helm",
            "helmfile",
            "terraform",
            "terragrunt",
            "pulumi",
        ],
        check: RuleCheck::Call(|call| !rehearses(call) && changes_production(call)),
        catches: &[
            "ansible-playbook -i prod site.yml",
            "kubectl --context prod apply -f x.yaml",
            "helm upgrade web ./chart -n production",
        ],
        passes: &[
            "ansible-playbook -i prod site.yml --check",
            "kubectl --context prod get pods",
            "helm upgrade web ./chart -n dev",
            "kubectl -n prod rollout status deploy/web",
        ],
    },
];

/// What cannot be taken back.
const DESTROYS: &str = "delete destroy terminate purge wipe erase nuke drop decommission deprovision obliterate \
    teardown undefine del";

/// What others notice at once.
const STOPS: &str = "remove rm stop kill reset restart reboot shutdown poweroff suspend disable detach revoke \
    cancel deregister unregister unset rollback revert restore failover switchover evict drain \
    fence abort truncate flush clear prune expire rotate regenerate transfer downgrade resize \
    rebuild reinstall reimage recreate redeploy unlink deactivate archive deallocate \
    disassociate unseal seal rekey forget uninstall unpublish demote rmi rmp rmsession undo \
    abandon repair compact unlock quarantine reclaim";

/// Verbs of the large clouds with rights and lasting settings behind them.
const CLOUD_VERBS: &str = "authorize reject renew swap regenerate invoke-rc";

/// What only looks, makes or delivers.
const AWS_USUAL: &str = "describe list get head ls wait help lookup search query scan filter validate test simulate \
    estimate preview check view tail select detect decode encode download batch create tag start \
    run invoke register send publish deploy package upload cp sync mb mv rm presign login logout \
    configure import export copy push pull initiate complete generate verify receive assume set \
    website install build local show new init admin recognize translate synthesize retry \
    continue signal rerun discover compare evaluate resume subscribe confirm";

/// Updates and puts that are part of everyday work.
const AWS_UPDATES: &str = "update-kubeconfig update-service update-stack put-object put-item put-record put-records \
    put-events put-metric-data put-image put-log-events update-item put-parameter \
    put-metric-alarm put-object-tagging update-table-replica-auto-scaling put-targets put-rule \
    update-environment add-tags add-tags-to-resource update-function-configuration update-secret \
    put-secret-value update-pipeline";

fn changes_aws(call: &ProgramCall<'_>) -> bool {
    const VALUES: &[&str] = &[
        "--profile",
        "--region",
        "--output",
        "--endpoint-url",
        "--query",
        "--ca-bundle",
        "--color",
        "--cli-read-timeout",
        "--cli-connect-timeout",
    ];
    if rehearses(call) {
        return false;
    }
    let mut args = call.args.iter().map(Arg::as_str);
    let mut words = Vec::new();
    while let Some(text) = args.next() {
        if VALUES.contains(&text) {
            args.next();
        } else if !text.starts_with('-') {
            words.push(text);
        }
        if words.len() == 2 {
            break;
        }
    }
    let [service, verb] = words.as_slice() else { return false };
    // These have no verbs, or words of their own.
    if matches!(*service, "configure" | "sso" | "help" | "history" | "sts") || verb.contains('/') {
        return false;
    }
    let mut parts = verb.split('-');
    let first = match parts.next() {
        Some("batch") => parts.next().unwrap_or_default(),
        first => first.unwrap_or(verb),
    };
    let usual = is_one_of(AWS_USUAL, first) || is_one_of(AWS_UPDATES, verb);
    let moves_all = *verb == "mv" && call.has(&["--recursive"]);
    !usual || moves_all || scales_to_zero(call) || takes_off_safety(call)
}

/// `mc rm store/file`, `s3cmd del s3://b/file`: one object, as one removes a file.
fn removes_one_object(call: &ProgramCall<'_>) -> bool {
    let is_object = |text: &str| text.contains('/') && !text.ends_with(['/', '*']);
    matches!(call.name, "mc" | "s3cmd" | "s5cmd" | "b2" | "ldapdelete")
        && matches!(call.arg(0), "rm" | "del")
        && call.args.iter().skip(1).all(|arg| is_object(&arg.text))
}

/// The words of these tools that set up the tool itself.
fn sets_up_itself(call: &ProgramCall<'_>) -> bool {
    let first = operands(call, 1).next().unwrap_or_default();
    match call.name {
        "gcloud" => matches!(first, "config" | "components" | "auth" | "init" | "help"),
        "az" => {
            matches!(first, "account" | "configure" | "config" | "login" | "extension" | "cache")
        }
        "gsutil" => true,
        _ => first == "help",
    }
}

/// The first words that are neither options nor values of long ones.
fn operands<'c>(call: &ProgramCall<'c>, most: usize) -> impl Iterator<Item = &'c str> {
    let args = call.args;
    let is_value = |at: usize| {
        at > 0 && {
            let before = args[at - 1].as_str();
            before.starts_with('-') && !before.contains('=') && before.len() > 1
        }
    };
    let word = move |(at, arg): (usize, &'c Arg<'c>)| {
        let text = arg.as_str();
        // The word behind an option is its value, unless it is the first there is.
        (!text.starts_with('-') && (at < 2 || !is_value(at))).then_some(text)
    };
    args.iter().enumerate().filter_map(word).take(most)
}

/// Whether a word is among others, in any case.
fn is_one_of(words: &str, word: &str) -> bool {
    words.split(' ').any(|one| one.eq_ignore_ascii_case(word))
}

/// Whether a word is one of these verbs, alone or with what it is about: `rm`, `apps:destroy`,
/// `stop-all`, `volume_delete`.
fn is_verb(word: &str, verbs: &str) -> bool {
    if word.len() > 64 || word.contains(['/', '=', ' ', '@']) {
        return false;
    }
    let mut parts = word.split([':', '.']);
    let last = parts.next_back().unwrap_or(word);
    let first = last.split(['-', '_']).next().unwrap_or(last);
    let ends = || last.rsplit(['-', '_']).next().unwrap_or(last);
    let is = |part: &str| is_one_of(verbs, part);
    is(first) || last.contains(['-', '_']) && is(ends())
}

pub(super) fn rehearses(call: &ProgramCall<'_>) -> bool {
    call.args.iter().any(|arg| {
        let text = arg.as_str();
        matches!(
            text,
            "--dryrun" | "--dry-run" | "--help" | "-h" | "--simulate" | "--what-if" | "help"
        ) || text.starts_with("--dry-run=") && !text.ends_with("none")
    })
}

/// Whether a number of things that run is set to none.
fn scales_to_zero(call: &ProgramCall<'_>) -> bool {
    const COUNTS: &[&str] = &[
        "replicas",
        "desired-count",
        "desired-capacity",
        "num-nodes",
        "node-count",
        "instance-count",
        "reserved-concurrent-executions",
        "capacity",
        "count",
        "nodes",
        "workers",
        "desired",
        "max-instances",
        "max-replicas",
        "max-size",
        "machine-count",
        "number-of-workers",
    ];
    let is_count = |name: &str| {
        let name = name.trim_start_matches('-').to_ascii_lowercase();
        COUNTS.contains(&name.as_str())
    };
    let scales = call.args.iter().take(4).any(|arg| {
        let text = arg.as_str();
        text == "scale" || text.ends_with(":scale") || text == "resize"
    });
    call.args.iter().enumerate().any(|(at, arg)| {
        let text = arg.as_str();
        let next_is_zero = || call.args.get(at + 1).is_some_and(|next| next.text == "0");
        match text.split_once('=') {
            Some((name, "0")) => name.starts_with("--") && is_count(name) || scales,
            Some(_) | None if text.starts_with("--") => is_count(text) && next_is_zero(),
            _ => {
                scales && is_count(text) && next_is_zero()
                    || text.contains("\"replicas\"") && zero_behind(text, "\"replicas\"")
                    || text.contains("DesiredCapacity=0")
            }
        }
    })
}

fn zero_behind(text: &str, key: &str) -> bool {
    text.split(key).skip(1).any(|rest| {
        let rest = rest.trim_start_matches([' ', ':']);
        rest.starts_with('0') && !rest[1..].starts_with(|char: char| char.is_ascii_digit())
    })
}

/// Whether a word names what customers use: `prod`, `prod-eu`, `my-production`.
pub(super) fn names_production(text: &str) -> bool {
    text.len() < 128
        && text
            .split(|char: char| !char.is_ascii_alphanumeric())
            .any(|part| matches!(part, "prod" | "production" | "prd" | "PROD" | "Production"))
}

/// Whether something is changed where customers use it, by the words of the call.
fn changes_production(call: &ProgramCall<'_>) -> bool {
    let words: Vec<&str> = operands(call, 3).collect();
    let rehearsed =
        ["--check", "--syntax-check", "--list-hosts", "--list-tasks", "-C", "--diff-only"];
    let writes = match call.name {
        "ansible-playbook" | "ansible" => !call.has(&rehearsed),
        "helm" | "helmfile" => {
            words.iter().any(|word| matches!(*word, "upgrade" | "install" | "apply" | "sync"))
        }
        "terraform" | "terragrunt" => {
            words.iter().any(|word| matches!(*word, "apply" | "import" | "refresh"))
        }
        "pulumi" => words.iter().any(|word| matches!(*word, "up" | "update")),
        _ => {
            words.iter().any(|word| {
                matches!(
                    *word,
                    "apply"
                        | "create"
                        | "replace"
                        | "patch"
                        | "scale"
                        | "set"
                        | "edit"
                        | "delete"
                        | "rollout"
                        | "run"
                        | "expose"
                        | "annotate"
                        | "label"
                        | "cp"
                )
            }) && !call.has(&["status", "history"])
        }
    };
    writes && call.args.iter().any(|arg| names_production(&arg.text))
}

/// Whether an option takes off what keeps things from being lost.
pub(super) fn takes_off_safety(call: &ProgramCall<'_>) -> bool {
    call.args.iter().any(|arg| {
        let Some(name) = arg.text.strip_prefix("--") else { return false };
        let (name, value) = name.split_once('=').unwrap_or((name, ""));
        let off = name.starts_with("no-")
            || name.starts_with("disable-")
            || name.starts_with("skip-")
            || value.eq_ignore_ascii_case("false");
        let keeps = [
            "deletion-protection",
            "termination-protection",
            "final-snapshot",
            "api-termination",
            "final-backup",
            "purge-protection",
            "soft-delete",
            "point-in-time-recovery",
            "retain",
        ];
        let ends = [
            "accept-data-loss",
            "allow-data-loss",
            "force-destroy",
            "force-delete",
            "force-reset",
            "delete-all",
            "remove-all",
            "destroy-all",
            "purge-all",
            "wipe-all",
            "drop-all",
            "wipe-data",
            "delete-data",
            "delete-volumes",
            "remove-all-storage",
            "factory-reset",
            "wipe-disk",
            "force-delete-without-recovery",
            "delete-automated-backups",
            "i-know-what-i-am-doing",
        ];
        off && keeps.iter().any(|word| name.contains(word))
            || ends.contains(&name) && !value.eq_ignore_ascii_case("false")
            || matches!(
                name,
                "no-auth"
                    | "no-authentication"
                    | "disable-auth"
                    | "allow-anonymous"
                    | "without-password"
            )
            || name == "role"
                && matches!(value, "administrator" | "admin" | "owner" | "superuser" | "root")
            || name.starts_with("yes-i-")
            || name.starts_with("i-really")
    })
}
