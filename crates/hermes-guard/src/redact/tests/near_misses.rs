//! What must stay readable.

use super::*;

#[test]
fn names_that_only_resemble_secrets_stay() {
    all_stay(
        full,
        &[
            "MAX_TOKENS=4096",
            "TOKENS=1200",
            "max_tokens: 4096",
            "total_tokens=17",
            "TOKEN_LIMIT=100",
            "AUTHOR=Ada Lovelace",
            "GIT_AUTHOR_NAME=ada",
            "authors = x",
            "SSH_AUTH_SOCK=/tmp/agent.1",
            "XAUTHORITY=/home/ada/.Xauthority",
            "token_name=abc",
            "secret_count: 12",
            "auth_timeout=30",
            "password_file=/run/x",
            "TOKENIZERS_PARALLELISM=false",
            "tokenizer: bpe",
            "eos_token: </s>",
            "next_page_token: abcdef",
            "\"nextToken\": \"abcdef\"",
            "\"token_type\": \"Bearer\"",
            "\"password\": null",
            "\"password\": \"\"",
            "password: string;",
            "has_token=true",
            "PASSWORD=",
            "password:",
        ],
    );
}

#[test]
fn values_that_are_looked_up_or_left_open_stay() {
    all_stay(
        full,
        &[
            "API_KEY=os.getenv(\"API_KEY\")",
            "API_KEY = os.environ[\"X\"]",
            "API_KEY=process.env.API_KEY",
            "TOKEN=$ENV{TOKEN}",
            "TOKEN=$OTHER_TOKEN",
            "TOKEN=${TOKEN}",
            "TOKEN=$(cat file)",
            "API_KEY=<your-key>",
            "PASSWORD={{ password }}",
            "TOKEN=xxxx",
            "api_key = config.get(\"api_key\")",
            "before_tokens = response.usage.prompt_tokens",
            "token = settings.token",
            "token = tokens[ i ];",
            "password = utf8_to_utf16_dup(v);",
            "const token = await getToken();",
            "const secret = await fetchSecret();",
            "if TOKEN == other:",
            "password: !secret database",
            "Authorization: Bearer $TOKEN",
            "Authorization: Bearer <token>",
        ],
    );
}

#[test]
fn prose_and_names_in_it_stay() {
    all_stay(
        full,
        &[
            "the token is invalid, the password too short: try again",
            "a secret: nobody knows",
            "set password=... in https://example.com/settings",
            "Token: the smallest part of a text",
            "author: ada",
        ],
    );
}

#[test]
fn arithmetic_and_long_numbers_are_no_phone_numbers() {
    let texts = [
        "x+12345678",
        "2+12345678",
        "f(x)+12345678",
        "a[1]+12345678",
        "+12345",
        "+123456789012345678",
        "+1234567.89",
        "2024-01-01T00:00:00+01000000",
        "+1234567abc",
        "i++12345678",
        "+0123456789",
    ];
    all_stay(full, &texts);
    all_stay(code, &texts);
}

#[test]
fn source_code_stays_as_it_is() {
    all_stay(
        code,
        &[
            "def f(token: str, password: str = None) -> None:",
            "headers[\"Authorization\"] = f\"Bearer {token}\"",
            "headers = {\"Authorization\": \"Bearer \" + token, \"x-api-key\": settings.api_key}",
            "authorization: Option<HeaderValue>,",
            "pub authorization: HeaderValueString,",
            "req.Header.Set(\"Authorization\", \"Bearer \"+token)",
            "apikey: string;",
            "\"x-api-key\": getApiKey(),",
            "parser.add_argument(\"--password\", help=\"the password\")",
            "  --password string   the password to use",
            "use --token to log in, or --password-stdin",
            "  --api-key API_KEY  --token <token>",
            "cookie: document.cookie",
            "let cookie = jar.get(name);",
            "docker run -u 1000:1000 x -p 8080:80",
            "mkdir -p folder; mysql --port=3",
            "curl -u \"$USER:$PASSWORD\" https://example.com",
            "git push -u origin main",
            "sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJmaWxlIjoiIn0",
            "url = f\"https://{user}:{password}@{host}/\"",
            "12:30:45 10:20",
            "value = lib.sk_X509_value(sk_x509, i)",
            "\"Service::ApiKey\": \"a1b2c3d4e5\"",
            "the --username and --password options are not needed",
            "arn:aws:sns:us-west-2:111111111111:a-topic-with-a-very-long-name-here",
            "--next-token abc --starting-token a1b2c3",
            "ssh://git@example.com/x",
        ],
    );
}
