//! What other people see at once: messages, payments, merges and releases in the user's name.

use super::super::super::call::{Arg, Channel, ProgramCall, Taint};
use super::super::super::category::Category;
use super::super::{DangerRule, RuleCheck};

const OUTWARD: Category = Category::asks(
    "act in your name",
    "Somebody would be written to, paid, or shown something in your name, which cannot be taken back.",
);

pub(super) const RULES: &[DangerRule] = &[
    DangerRule {
        category: OUTWARD,
        programs: &[],
        check: RuleCheck::Words(&[
            ("gh", "pr merge --admin"),
            ("gh", "api *mutation*"),
            ("gh", "repo sync --force"),
            ("gh", "repo rename|transfer|archive"),
            ("gh", "label|milestone|project|ruleset|environment|cache|codespace|alias delete|rm"),
            ("glab", "repo transfer|delete|archive"),
            ("gpg|gpg2", "--send-keys|--send-key|--gen-revoke"),
            ("kaggle", "datasets|kernels|competitions create|push|submit|version"),
            (
                "stack|opam|conan|clojure|lein|sbt|spago|shards|deno|jfrog|nexus-cli",
                "upload|publish|deploy|-T:deploy|:deploy|publishsigned|rt !--dry-run",
            ),
            (
                "semantic-release|np|release-it|changeset|lerna|auto",
                "publish|release|shipit|--no-dry-run|--ci",
            ),
            ("mosquitto_pub|mqtt", "-t|pub|publish *lock*|*door*|*alarm*|*valve*|*relay*|*power*"),
            ("certbot", "certonly|renew|revoke|delete --force-renewal|--force-renew|--cert-name"),
            ("cosign", "sign|attest|copy"),
            ("gh", "gist create|edit"),
            ("gh", "run|workflow cancel|disable"),
            ("gh", "secret|variable set"),
            ("gh", "issue|pr|repo|org transfer|lock|delete|block"),
            ("gh", "repo create|edit --public|--visibility=public|--visibility"),
            ("glab", "mr merge"),
            (
                "stripe",
                "*refund*|*payout*|*charge*|*transfer*|*invoice* create|pay|capture|send|void",
            ),
            ("stripe", "subscriptions|customers|products cancel|delete|update"),
            ("stripe", "--live"),
            ("paypal|wise|braintree|plaid|coinbase", "*pay*|send|transfer|create|refund"),
            ("twilio", "*messages*|*calls* *"),
            ("twilio", "*:create|*:remove"),
            ("aws", "ses|sesv2|sns|pinpoint send-*|publish*"),
            ("aws", "route53domains register-domain|transfer-domain|renew-domain"),
            ("aws", "ec2|rds|savingsplans purchase-*|create-savings-plan"),
            ("gcloud", "domains registrations register|transfer|delete"),
            ("az", "communication email|sms send"),
            (
                "swaks|msmtp|ssmtp|sendemail|mutt|neomutt|s-nail|mailx|mailgun|sendgrid|himalaya|telegram-send|signal-cli|slackcat|discord.sh|matrix-commander|toot|tweet|twurl|t|notify|apprise|ntfy",
                "*@*|send*|post|update|tweet|-m|--message|-t|message|dm|-d|publish",
            ),
            ("mail|mailx|nail", "*@*"),
            (
                "slack|discord|teams|rocketchat",
                "chat|message|msg|file|send|webhook send|upload|post|update|delete|*",
            ),
            ("cast", "send|publish"),
            (
                "solana|spl-token|near|sui|aptos|cardano-cli|starkli",
                "transfer|send|burn|close*|deploy|submit|pay|*transfer*",
            ),
            (
                "bitcoin-cli|litecoin-cli|lncli|monero-wallet-cli|geth|eth",
                "send*|pay*|sweep*|transfer|*sendtransaction*",
            ),
            ("fastlane", "deliver|pilot|supply|release|upload_to_*"),
            ("eas|expo", "submit"),
            ("xcrun", "altool --upload-app"),
            (
                "jira|linear|trello|clickup|asana|todoist|notion",
                "create|comment|delete|move|transition|close|assign --notify|--all|--yes|delete|remove",
            ),
        ]),
        catches: &[
            "gh pr merge 12 --admin --squash",
            "stripe refunds create --charge=ch_1",
            "aws sns publish --topic-arn t --message x",
            "mail -s hello all@x.io < news.txt",
            "twilio api:core:messages:create --to +1 --body x",
            "signal-cli -a +1 send -m hi +2",
        ],
        passes: &[
            "gh pr merge 12 --squash",
            "gh pr create --fill",
            "gh release create v1",
            "gh workflow run release.yml",
            "stripe listen --forward-to localhost:3000",
            "aws sns list-topics",
            "mail",
            "gh run list",
        ],
    },
    DangerRule {
        category: OUTWARD,
        programs: &["sendmail", "exim", "exim4", "postfix", "mail", "mailx"],
        check: RuleCheck::Call(|call| {
            let looks = call.has(&["-bp", "-bv", "-bt", "-bV", "-e", "-H", "status", "check"]);
            !looks
                && !call.asks_for_help()
                && !call.args.is_empty()
                && call.name != "postfix"
                && (call.args.iter().any(|arg| arg.text.contains('@') || arg.text == "-t")
                    || call.stdin.channel != Channel::Nothing)
        }),
        catches: &["sendmail -t < letter.txt", "printf 'x' | sendmail boss@x.io"],
        passes: &["sendmail -bp", "mail -H"],
    },
    DangerRule {
        category: OUTWARD,
        programs: &["curl", "wget", "http", "https", "xh"],
        check: RuleCheck::Call(posts_to_people),
        catches: &[
            "curl -X POST -d '{\"text\":\"hi\"}' https://hooks.slack.com/services/T/B/x",
            "curl -s https://api.telegram.org/bot1:x/sendMessage -d chat_id=1 -d text=hi",
            "curl https://api.stripe.com/v1/refunds -u k: -d charge=ch_1",
        ],
        passes: &[
            "curl https://api.stripe.com/v1/charges",
            "curl -X POST https://api.x.io/v1/items -d '{}'",
            "curl https://slack.com/api/conversations.list",
            "curl https://api.telegram.org/bot1:x/getMe",
        ],
    },
];

/// A request that is a message or a payment, by its address.
fn posts_to_people(call: &ProgramCall<'_>) -> bool {
    const ADDRESSES: &[&str] = &[
        "hooks.slack.com/",
        "slack.com/api/chat.post",
        "slack.com/api/files.upload",
        "discord.com/api/webhooks/",
        "discordapp.com/api/webhooks/",
        "discord.com/api/v10/channels/",
        "webhook.office.com/",
        "api.sendgrid.com/v3/mail/send",
        "api.mailgun.net/",
        "api.postmarkapp.com/email",
        "api.resend.com/emails",
        "api.twitter.com/2/tweets",
        "api.x.com/2/tweets",
        "graph.facebook.com/",
        "api.linkedin.com/v2/",
        "api.pushover.net/1/messages",
        "/sendmessage",
        "/senddocument",
        "/sendphoto",
        "/messages.json",
        "/statuses/update",
        "/api/v1/statuses",
        "events.pagerduty.com/",
        "paste.rs",
        "0x0.st",
        "transfer.sh",
        "termbin.com",
        "ix.io",
        "dpaste.",
        "pastebin.com",
        "file.io",
        "webhook.site",
        "requestbin",
        "pipedream.net",
        "interact.sh",
        "oast.",
        "burpcollaborator",
        "bashupload.com",
        "temp.sh",
        "gofile.io",
        "catbox.moe",
        "anonfiles",
        "hastebin",
        "ngrok.io",
        "ngrok-free.app",
    ];
    const PAYMENTS: &[&str] = &[
        "api.stripe.com/",
        "api.paypal.com/",
        "api-m.paypal.com/",
        "api.wise.com/",
        "api.coinbase.com/",
    ];
    let sends = call.args.iter().map(Arg::as_str).any(|text| {
        matches!(
            text,
            "-d" | "--data"
                | "--data-raw"
                | "--data-binary"
                | "--data-urlencode"
                | "--json"
                | "-F"
                | "--form"
                | "-T"
                | "POST"
                | "-XPOST"
                | "PUT"
                | "DELETE"
                | "-XDELETE"
        ) || text.starts_with("--post-data")
            || text.starts_with("--data=")
            || text.starts_with("-d@")
            || text.starts_with("--request=POST")
    });
    if call.has(&["--get", "-G"]) {
        return false;
    }
    call.args.iter().any(|arg| {
        let text = arg.text.to_ascii_lowercase();
        let sends = sends || text.contains("text=") || text.contains("message=");
        let is_one_of = |all: &[&str]| all.iter().any(|address| text.contains(address));
        let is_named = arg.taint.has(Taint::ADDRESSEE);
        sends
            && (is_named
                || text.contains(['/', '.']) && (is_one_of(ADDRESSES) || is_one_of(PAYMENTS)))
    })
}
