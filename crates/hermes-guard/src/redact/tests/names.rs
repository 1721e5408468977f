//! Values that are hidden because of their names.

use super::*;

#[test]
fn environment_variables_are_hidden_by_name() {
    all_become(
        full,
        &[
            ("OPENAI_API_KEY=abcdef", "OPENAI_API_KEY=***"),
            ("MY_APIKEY = abcdef", "MY_APIKEY = ***"),
            ("export SECRET_TOKEN=mypassword", "export SECRET_TOKEN=***"),
            ("A_PASSWORD=\"two words\"", "A_PASSWORD=\"***\""),
            ("A_PASSWD='abcdef'", "A_PASSWD='***'"),
            ("X_CREDENTIAL=abcdef", "X_CREDENTIAL=***"),
            ("BASIC_AUTH=ada:pw", "BASIC_AUTH=***"),
            ("DB_PASS=abcdef", "DB_PASS=***"),
            ("run with TOKEN=abcdefghijklmnopqrstuvwx now", "run with TOKEN=abcdef...uvwx now"),
            ("TOKEN=abcdef; next", "TOKEN=***; next"),
            ("PASSWORD=12345678", "PASSWORD=***"),
            ("PASSWORD=$ecret123", "PASSWORD=***"),
            ("AWS_SECRET_ACCESS_KEY=abc/def", "AWS_SECRET_ACCESS_KEY=***"),
            ("A=b\0GITHUB_TOKEN=abc\0C=d", "A=b\0GITHUB_TOKEN=***\0C=d"),
            ("{\"env\":\"API_TOKEN=abc\",\"n\":1}", "{\"env\":\"API_TOKEN=***\",\"n\":1}"),
            ("TOKEN=abc\\nNAME=x", "TOKEN=***\\nNAME=x"),
            ("GREEK_TOKEN=αβγδεζηθικλμνξοπρστ", "GREEK_TOKEN=αβγδεζ...πρστ"),
        ],
    );
}

#[test]
fn settings_are_hidden_by_name() {
    all_become(
        full,
        &[
            ("spring.datasource.password=hunter2", "spring.datasource.password=***"),
            ("see a.api-key=abcdef&b=c", "see a.api-key=***&b=c"),
            ("password=hunter2", "password=***"),
            ("  export token=abcdef", "  export token=***"),
            ("aws_secret_access_key = abcdef", "aws_secret_access_key = ***"),
            ("line\nauth=abcdef\nline", "line\nauth=***\nline"),
            ("3|password = hunter2", "3|password = ***"),
            (
                "host=db user=ada password=hunter2 dbname=x",
                "host=db user=ada password=*** dbname=x",
            ),
            ("Server=x;Password=hunter2;", "Server=x;Password=***;"),
        ],
    );
}

#[test]
fn fields_of_objects_are_hidden_by_name() {
    for name in [
        "apiKey",
        "api_key",
        "token",
        "secret",
        "password",
        "access_token",
        "refresh_token",
        "auth_token",
        "bearer",
        "secret_value",
        "raw_secret",
        "secret_input",
        "key_material",
        "client_secret",
        "private_key",
        "secretAccessKey",
        "dbPassword",
        "clientSecret",
        "idToken",
    ] {
        for (text, wanted) in [
            (format!("{{\"{name}\": \"abcdef\"}}"), format!("{{\"{name}\": \"***\"}}")),
            (
                format!("{{\"{name}\":\"abc def\",\"a\":1}}"),
                format!("{{\"{name}\":\"***\",\"a\":1}}"),
            ),
            (format!("{{'{name}': 'abcdef'}}"), format!("{{'{name}': '***'}}")),
            (
                format!("\"{{\\\"{name}\\\":\\\"abcdef\\\"}}\""),
                format!("\"{{\\\"{name}\\\":\\\"***\\\"}}\""),
            ),
            (format!("{{ {name}: \"abcdef\" }}"), format!("{{ {name}: \"***\" }}")),
            (format!("'{name}' => 'abcdef'"), format!("'{name}' => '***'")),
            (format!("\"{name}\": \"with \\\" quote\""), format!("\"{name}\": \"***\"")),
            (format!("\"{name}\": \"cut-off"), format!("\"{name}\": \"***")),
        ] {
            assert_eq!(full(&text), wanted);
            assert_eq!(full(&wanted), wanted);
            assert_eq!(code(&text), text);
        }
    }
}

#[test]
fn values_in_lists_of_settings_are_hidden_by_name() {
    all_become(
        full,
        &[
            ("password: hunter2", "password: ***"),
            (
                "a:\n  db_password: correct horse battery\n  b: c",
                "a:\n  db_password: correc...tery\n  b: c",
            ),
            ("- token: abcdef # why", "- token: *** # why"),
            ("api_key: \"abcdef\"", "api_key: \"***\""),
            ("X_SECRET: abcdef", "X_SECRET: ***"),
        ],
    );
}

#[test]
fn storage_registry_and_login_secrets_are_hidden_in_code_too() {
    let secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
    let connection =
        format!("DefaultEndpointsProtocol=https;AccountName=a;AccountKey={RANDOM}==;E=x");
    for redact in [full, code] {
        all_become(
            redact,
            &[
                ("//registry.example/:_authToken=abcdef", "//registry.example/:_authToken=***"),
                ("_auth = YWRhOnB3", "_auth = ***"),
                ("machine h login ada password hunter2", "machine h login ada password ***"),
                (
                    "machine h\n  login ada\n  password hunter2\n",
                    "machine h\n  login ada\n  password ***\n",
                ),
                (
                    &format!("aws_secret_access_key = {secret}"),
                    "aws_secret_access_key = wJalrX...EKEY",
                ),
                (
                    &format!("\"SecretAccessKey\": \"{secret}\""),
                    "\"SecretAccessKey\": \"wJalrX...EKEY\"",
                ),
            ],
        );
        assert!(!redact(&connection).contains(&RANDOM[8..]), "{}", redact(&connection));
        assert!(redact(&connection).ends_with(";E=x"));
    }
    all_stay(
        code,
        &["login with your password please", "_authToken=${NPM_TOKEN}", "AccountKey=name"],
    );
}
