//! Files about people, by their names.

/// A file about people, by its name: `customers.csv`, `payroll-2024.xlsx`.
pub(crate) fn is_records(path: &str) -> bool {
    const PEOPLE: &[&str] = &[
        "customers",
        "customer",
        "clients",
        "patients",
        "patient",
        "payroll",
        "salaries",
        "salary",
        "employees",
        "contracts",
        "personal",
        "confidential",
        "ssn",
        "passports",
        "passport",
        "medical",
        "members",
        "subscribers",
        "donors",
        "students",
        "kyc",
        "users",
        "emails",
        "contacts",
        "pii",
    ];
    const ENDINGS: &[&str] = &[
        ".csv", ".tsv", ".xlsx", ".xls", ".sql", ".dump", ".db", ".sqlite", ".json", ".zip",
        ".tgz", ".gz", ".parquet", ".bak", ".pdf", ".7z", ".ods",
    ];
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    name.len() < 128
        && ENDINGS.iter().any(|ending| name.ends_with(ending))
        && name.split(['-', '_', '.', ' ']).any(|part| PEOPLE.contains(&part))
}
