use super::House;

#[test]
fn parameter_names_must_match_variables() {
    let house = House::new().apps("  $q: String\n", "");
    assert_eq!(
        house.difference(),
        "schema/marketplace/src/apps/resolvers.rs: marketplace_apps_list: the contract declares the parameter q, but the \
         root field does not take it: add the argument q"
    );
    let house = House::new().apps("$q: String\n", "$q: String\n  $colour: String\n");
    assert!(house.difference().contains("the root field takes $colour, which is not a parameter of the contract"));
    let house = House::new().apps("marketplace_apps_create($body: AppInput!)", "marketplace_apps_create");
    assert!(house.difference().contains("the operation has a body, but the root field does not take it"));
    let house = House::new()
        .apps("marketplace_apps_delete($app_uuid: UUID!)", "marketplace_apps_delete($app_uuid: UUID!, $body: JSON)");
    assert!(house.difference().contains("the operation has no body or a binary one"));
}

#[test]
fn parameter_types_must_match_variables() {
    let cases = [
        ("$q: String", "$q: Int", "$q: the contract declares a string (String), but the schema declares Int"),
        (
            "$category_uuid: [UUID!]",
            "$category_uuid: [String!]",
            "$category_uuid[]: the contract declares a uuid (UUID), but the schema declares String",
        ),
        ("$created_from: Time", "$created_from: String", "$created_from: the contract declares a time (Time)"),
        ("$limit: Int!", "$limit: Float!", "$limit: the contract declares a whole number (Int)"),
        ("$rating: Float", "$rating: Int", "$rating: the contract declares a number (Float)"),
        ("$archived: Boolean!", "$archived: String!", "$archived: the contract declares true or false (Boolean)"),
        ("$state: [AppState!]", "$state: [String!]", "$state[]: the contract declares an enumeration"),
        ("$state: [AppState!]", "$state: AppState", "$state is a list in the contract, but AppState is not a list"),
        (
            "$state: [AppState!]",
            "$state: [AppState]",
            "$state[] is required in the contract, but AppState is not: write `AppState!`",
        ),
        (
            "$sort: String!",
            "$sort: Method!",
            "$sort: the contract has the values CREATED_AT, CREATED_AT_DESC, the enum Method has GET, POST",
        ),
        ("$q: String", "$q: [String!]", "$q is [String!] in the schema, but not a list in the contract"),
        ("$q: String", "$q: Words", "$q: the schema has no type Words"),
    ];
    for (from, to, expected) in cases {
        let found = House::new().apps(from, to).difference();
        assert!(found.contains(expected), "{to}: {found}");
    }
}

#[test]
fn optional_parameters_must_be_nullable_and_required_non_null() {
    let found = House::new().apps("$q: String\n", "$q: String!\n").difference();
    assert!(found.contains("$q can be absent or null in the contract, but not in String!"), "{found}");
    let found = House::new().apps("$archived: Boolean!", "$archived: Boolean").differences();
    assert!(found.is_empty(), "the argument has a default, so both are right: {found:?}");
    let found = House::new().document("system/me.graphql", "$path: String!", "$path: String").difference();
    assert!(found.contains("$path is required in the contract, but String is not: write `String!`"), "{found}");
    let found = House::new().apps("$body: ArchiveInput)", "$body: ArchiveInput!)").difference();
    assert!(found.contains("$body can be absent"), "{found}");
}

#[test]
fn body_must_match_input_field_by_field() {
    let cases = [
        ("  seats: Int\n", "", "$body.seats is in the contract, but the input AppInput lacks it"),
        (
            "  seats: Int\n",
            "  seats: Int\n  size: Int\n",
            "$body.size is in the input AppInput, but the contract lacks it",
        ),
        ("  seats: Int\n", "  seats: Int!\n", "$body.seats can be absent or null in the contract"),
        (
            "input AppInput {\n  name: String!",
            "input AppInput {\n  name: String",
            "$body.name is required in the contract",
        ),
        ("  opens_at: Time\n", "  opens_at: String\n", "$body.opens_at: the contract declares a time (Time)"),
        ("  names: JSON\n", "  names: String\n", "$body.names: the contract declares anything (JSON)"),
        ("  either: JSON\n", "  either: Int\n", "$body.either: the contract declares one of several forms (JSON)"),
        ("  keywords: [String!]\n", "  keywords: [Int!]\n", "$body.keywords[]: the contract declares a string"),
        (
            "email: String url: String",
            "email: String",
            "$body.contact.url is in the contract, but the input EitherContact lacks it",
        ),
        ("email: String url: String", "email: String! url: String", "$body.contact.email can be absent or null"),
        ("input AppChange { name: String ", "input AppChange { name: String! ", "$body.name can be absent or null"),
        (
            "password: String! scope",
            "password: String scope",
            "auth_tokens_issue: $body.password is required in the contract",
        ),
    ];
    for (from, to, expected) in cases {
        let found = House::new().sdl(from, to).difference();
        assert!(found.contains(expected), "{to}: {found}");
    }
}

#[test]
fn schema_default_makes_field_optional() {
    assert_eq!(House::new().sdl("  seats: Int\n", "  seats: Int! = 1\n").differences(), Vec::<String>::new());
}

#[test]
fn declared_fields_and_selected_fields_must_match() {
    let path = "system/me.graphql";
    let found = House::new().document(path, "  scopes\n", "").difference();
    assert_eq!(
        found,
        "contract/paths/system/me.yaml: system_me_get: scopes is in the contract, but the document does not select it: \
         run `make accept`"
    );
    let found = House::new().document(path, "  scopes\n", "  scopes\n  secret\n").difference();
    assert!(found.contains("secret: Me.secret is an edge or takes arguments"), "{found}");
    let found = House::new().document(path, "  scopes\n", "  scopes\n  names: scopes\n").difference();
    assert!(found.contains("names: Me.scopes is returned, but the contract does not declare it"), "{found}");
    let found = House::new().document(path, "  verdict\n", "  verdict: words\n").difference();
    assert!(found.contains("verdict: the type Verdict has no field words"), "{found}");
    House::new().document("types.graphql", "on Category {\n  uuid\n", "on Category {\n").differs(&[
        "marketplace_apps_list: data[].categories[].uuid is in the contract",
        "marketplace_apps_get: categories[].uuid is in the contract",
        "marketplace_apps_create: categories[].uuid",
        "marketplace_apps_update: categories[].uuid",
        "marketplace_apps_archive: categories[].uuid",
        "marketplace_listings_get: categories[].uuid",
        "marketplace_media_upload: uuid",
    ]);
}

#[test]
fn undeclared_plain_field_is_reported_as_leak() {
    let expected = "contract/paths/system/me.yaml: system_me_get: secret: Me.secret is returned, but the contract does \
                    not declare it: declare it, or mark it @edge";
    let leaks = || House::new().sdl("secret: String! @edge", "secret: String!");
    assert_eq!(leaks().difference(), expected);
    assert_eq!(leaks().accepted().difference(), expected);
    let found = House::new().sdl("limit_per_second: Int! }", "limit_per_second: Int! spent: Int }").difference();
    assert!(found.contains("system_me_get: rate_limit.spent: RateLimit.spent is returned"), "{found}");
}

#[test]
fn declared_field_missing_in_schema_is_reported() {
    let found = House::new().sdl("scopes: [String!]! ", "").accepted().difference();
    assert!(found.contains("system_me_get: scopes is in the contract, but Me has no such field"), "{found}");
    let edge = House::new().sdl("scopes: [String!]! ", "scopes: [String!]! @edge ").accepted().difference();
    assert!(edge.contains("scopes is in the contract, but Me.scopes is an edge"), "{edge}");
    // An optional field is part of the contract too.
    let found = House::new()
        .contract("      - scopes\n      - rate_limit\n", "      - rate_limit\n")
        .document("system/me.graphql", "  scopes\n", "")
        .difference();
    assert!(found.contains("scopes is in the contract, but the document does not select it"), "{found}");
}

#[test]
fn recursive_fields_must_be_selected_to_last_level() {
    let last = "      children {\n        uuid\n        name\n      }\n";
    let cut = House::new().document("types.graphql", last, "").differences();
    assert_eq!(cut.len(), 7, "{cut:#?}");
    let told = "children[].children[].children is in the contract, but the document does not select it";
    assert!(cut.iter().all(|cut| cut.contains(told)), "{cut:#?}");
    let category = "    Category:\n      type: object\n      required:\n";
    let endless = House::new().contract(category, &format!("{category}      - children\n")).accepted().differences();
    assert_eq!(endless, [""; 0], "the answer holds every level, also unselected ones");
}

#[test]
fn response_types_must_match_and_nulls_be_declared() {
    let cases = [
        (
            "limit_per_second: Int!",
            "limit_per_second: Float!",
            "rate_limit.limit_per_second: the contract declares a whole number",
        ),
        (
            "limit_per_second: Int!",
            "limit_per_second: Int",
            "rate_limit.limit_per_second can be null in the schema (Int)",
        ),
        ("scopes: [String!]!", "scopes: [String]!", "scopes[] can be null in the schema"),
        ("scopes: [String!]!", "scopes: String!", "scopes is a list in the contract, but String! is not a list"),
        (
            "rate_limit: RateLimit!",
            "rate_limit: [RateLimit!]!",
            "rate_limit is [RateLimit!]! in the schema, but not a list in the contract",
        ),
        (
            "rate_limit: RateLimit!",
            "rate_limit: JSON!",
            "rate_limit: the contract declares an object with named fields, but the schema declares JSON",
        ),
        (
            "PARTNER_USER MACHINE_CLIENT",
            "PARTNER_USER",
            "principal_type: the contract has the values MACHINE_CLIENT, which the enum PrincipalType lacks",
        ),
        (
            "PARTNER_USER MACHINE_CLIENT",
            "ROBOT PARTNER_USER MACHINE_CLIENT",
            "the enum PrincipalType has the values ROBOT, which the contract lacks",
        ),
        ("principal_type: PrincipalType!", "principal_type: RateLimit!", "principal_type is an object (RateLimit)"),
        (
            "difference: JSON }",
            "difference: Page }",
            "data[].difference is an object (Page), but not an object with named fields",
        ),
    ];
    for (from, to, expected) in cases {
        let found = House::new().sdl(from, to).difference();
        assert!(found.contains(expected), "{to}: {found}");
    }
}

#[test]
fn declared_null_is_accepted() {
    assert_eq!(
        House::new().sdl("website: String\n  created_at", "website: String!\n  created_at").differences(),
        Vec::<String>::new()
    );
    let house = House::new().contract(
        "website:\n          type:\n          - string\n          - 'null'\n          format: uri\n        created_at",
        "website:\n          type: string\n        created_at",
    );
    let found = house.differences();
    assert!(
        found.len() == 6 && found.iter().all(|found| found.contains("website can be null in the schema (String)")),
        "{found:#?}"
    );
}

#[test]
fn fragments_and_directives_are_resolved() {
    let listings = "marketplace/listings.graphql";
    let house = House::new().document(listings, "...AppFields", "... on App { ...AppFields }");
    assert_eq!(house.differences(), Vec::<String>::new());
    let house = House::new().document(listings, "...AppFields", "...AppFields ... on Me { secret }");
    assert_eq!(house.differences(), Vec::<String>::new());
    let house = House::new().document(listings, "...AppFields", "...AppFields @skip(if: true)");
    assert!(house.difference().contains("line 5: a document must not depend on directives; remove the directive"));
}

#[test]
fn union_matches_one_of() {
    let forms = "oneOf:\n              - type: object\n                required: [kind, email]\n                properties:\n                  kind: {type: string}\n                  email: {type: string}\n              - type: object\n                required: [kind, phone]\n                properties:\n                  kind: {type: string}\n                  phone: {type: string}\n";
    let house = || {
        House::new()
            .contract("              schema:\n                type: object\n                required:\n                - verdict\n                properties:\n                  verdict:\n                    type: string\n                    maxLength: 100\n              example:\n                verdict: allowed\n", &format!("              schema:\n                {}", forms.replace("\n  ", "\n    ")))
            .sdl("type Verdict { verdict: String! }", "type Mail { kind: String! email: String! }\ntype Phone { kind: String! phone: String! }\nunion Verdict = Mail | Phone")
            .accepted()
    };
    assert_eq!(house().differences(), Vec::<String>::new());
    let found = house().document("system/me.graphql", "  kind\n  phone\n", "  kind\n").difference();
    assert!(found.contains("Phone matches none of the contract's forms"), "{found}");
}

#[test]
fn multipart_fields_are_compared_but_files_are_not() {
    let media = |to: &str| {
        House::new().sdl("input UploadInput { kind: MediaKind! alt_text: String position: Int }", to).difference()
    };
    let found = media("input UploadInput { kind: MediaKind! alt_text: String position: Int file: String }");
    assert!(found.contains("$body.file is in the input UploadInput, but the contract lacks it"), "{found}");
    let found = media("input UploadInput { kind: String! alt_text: String position: Int }");
    assert!(found.contains("$body.kind: the contract declares an enumeration"), "{found}");
    let found = media("input UploadInput { kind: MediaKind! alt_text: String }");
    assert!(found.contains("$body.position is in the contract"), "{found}");
}

#[test]
fn single_value_enum_matches_string() {
    let agrees = House::new().sdl("verdict: String!", "verdict: String!").contract(
        "                  verdict:\n                    type: string\n                    maxLength: 100\n",
        "                  verdict:\n                    type: string\n                    enum: [ALLOWED]\n",
    );
    assert_eq!(agrees.differences(), Vec::<String>::new());
}
