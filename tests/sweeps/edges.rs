//! Edge sweep: every edge of the schema returns its data to a caller with the scope of the corresponding root field,
//! with that root field's audit record, and to no other caller. The schema determines the edges and the path to each.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::LazyLock;

use serde_json::{Value, json};

use super::Cast;
use super::questions::problem;
use super::stock::Stock;
use crate::harness::Harness;
use crate::harness::people::Person;

/// A field of an object, parsed from the schema text.
#[derive(Debug, PartialEq)]
struct Field {
    name: String,
    ty: String,
    /// Whether it has a required argument.
    demands: bool,
    /// Whether it has a `limit` argument.
    is_paged: bool,
    needs: Option<String>,
    /// The root fields that an edge corresponds to, each with the union member type that it reads.
    reads: Vec<(Option<String>, String)>,
}

/// The objects of the schema with their fields.
static OBJECTS: LazyLock<BTreeMap<String, Vec<Field>>> = LazyLock::new(|| {
    let schema = labs_schema::prepare_schema(labs_schema::engine::Descriptions::default()).unwrap();
    objects(schema.sdl())
});

fn objects(sdl: &str) -> BTreeMap<String, Vec<Field>> {
    let (mut objects, mut object, mut field, mut is_told) = (BTreeMap::new(), None::<String>, String::new(), false);
    for line in sdl.lines() {
        if line.trim().starts_with("\"\"\"") {
            is_told = !is_told && line.trim() == "\"\"\"";
            continue;
        }
        if is_told {
            continue;
        }
        if let Some(name) = line.strip_prefix("type ") {
            object = name.split(' ').next().map(str::to_owned);
        } else if line == "}" {
            object = None;
        } else if let Some(name) = &object {
            field.push_str(line.trim());
            field.push(' ');
            if line.starts_with('\t') && !line.starts_with("\t\t") && !line.trim_end().ends_with('(') {
                let read = self::field(&std::mem::take(&mut field));
                objects.entry(name.clone()).or_insert_with(Vec::new).push(read);
            }
        }
    }
    objects
}

/// Parses a field declaration on one line: `name(argument: Type!): Type @access(needs: "…")`.
fn field(text: &str) -> Field {
    let name: String = text.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
    let (arguments, behind) = match text[name.len()..].strip_prefix('(') {
        Some(rest) => rest.split_once(')').unwrap(),
        None => ("", &text[name.len()..]),
    };
    let ty = behind.trim_start_matches(": ").split(' ').next().unwrap();
    let list = |start: &str| behind.split_once(start).map(|(_, rest)| rest.split_once(')').unwrap().0);
    let reads = list("@edge(reads: ").unwrap_or_default().split('"').skip(1).step_by(2);
    let read = |read: &str| match read.split_once(": ") {
        Some((of, root)) => (Some(of.to_owned()), root.to_owned()),
        None => (None, read.to_owned()),
    };
    Field {
        name,
        ty: ty.trim_matches(['[', ']', '!']).to_owned(),
        demands: arguments.split(' ').any(|word| word.trim_end_matches(',').ends_with('!')),
        is_paged: arguments.contains("limit: Int"),
        needs: list("@access(needs: ").map(|needs| needs.trim_matches('"').to_owned()),
        reads: reads.map(read).collect(),
    }
}

fn field_of(object: &str, name: &str) -> &'static Field {
    OBJECTS[object].iter().find(|field| field.name == name).unwrap()
}

/// Returns the scope of a root field.
fn scope_of(root: &str) -> String {
    field_of("Query", root).needs.clone().unwrap()
}

/// Whether staff can have the scope of a root field.
fn is_staffs(root: &Field) -> bool {
    root.needs.as_deref().is_some_and(|needs| needs.starts_with("labs.admin"))
}

/// Returns the shortest path by which staff reach an object, from a root field without required arguments.
fn way_to(object: &str) -> Option<Vec<&'static Field>> {
    let open = |field: &&'static Field| !field.demands;
    let mut ways: VecDeque<Vec<&'static Field>> =
        OBJECTS["Query"].iter().filter(open).filter(|root| is_staffs(root)).map(|root| vec![root]).collect();
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop_front() {
        let at = way.last().unwrap();
        if at.ty == object {
            return Some(way);
        }
        if seen.insert(&at.ty) {
            let on = OBJECTS.get(&at.ty).into_iter().flatten().filter(open);
            ways.extend(on.map(|field| way.iter().copied().chain([field]).collect()));
        }
    }
    None
}

/// An edge and the path to it.
struct Edge {
    object: &'static str,
    field: &'static Field,
    way: Vec<&'static Field>,
}

impl Edge {
    /// Returns all edges, once for each root field that they correspond to. An object that can only be read by id has
    /// the same edges as its list entry.
    fn all() -> impl Iterator<Item = (Self, Option<&'static str>, &'static str)> {
        let (listed, alone): (Vec<_>, Vec<_>) = OBJECTS.iter().partition(|(object, _)| way_to(object).is_some());
        let edges = |fields: &'static [Field]| fields.iter().filter(|field| !field.reads.is_empty());
        for (object, fields) in alone {
            let has = |field: &Field| listed.iter().any(|(_, fields)| fields.contains(field));
            assert!(edges(fields).all(has), "no query leads to {object}");
        }
        let every =
            listed.into_iter().flat_map(move |(object, fields)| edges(fields).map(move |field| (object, field)));
        every.flat_map(|(object, field)| {
            field.reads.iter().map(move |(of, root)| {
                let way = way_to(object).unwrap_or_default();
                (Self { object, field, way }, of.as_deref(), root.as_str())
            })
        })
    }

    fn name(&self) -> String {
        format!("{}.{}", self.object, self.field.name)
    }

    /// Returns the scopes of all fields on the path before it.
    fn scopes_before(&self) -> Vec<String> {
        let root = self.way[0].needs.clone();
        let edges = self.way.iter().flat_map(|field| field.reads.iter().map(|(_, root)| scope_of(root)));
        root.into_iter().filter(|scope| scope.contains('.')).chain(edges).collect()
    }

    fn query(&self, of: Option<&str>) -> String {
        let asked = of.map_or_else(|| "__typename".to_owned(), |of| format!("... on {of} {{ __typename }}"));
        let edge = format!("{} {{ {asked} }}", self.field.name);
        let ask = |beneath: String, field: &&Field| {
            let all = if field.is_paged && field.reads.is_empty() { "(limit: 100)" } else { "" };
            format!("{}{all} {{ {beneath} }}", field.name)
        };
        let beneath = self.way.iter().rev().fold(edge, ask);
        format!("{{ {beneath} }}")
    }

    /// Returns the number of objects that the edge returned.
    fn found(&self, told: &Value) -> usize {
        fn count(value: &Value, names: &[&str]) -> usize {
            match (value, names) {
                (Value::Array(each), _) => each.iter().map(|one| count(one, names)).sum(),
                (Value::Object(_), [name, rest @ ..]) => count(&value[*name], rest),
                (Value::Object(fields), []) => usize::from(!fields.is_empty()),
                _ => 0,
            }
        }
        let names: Vec<&str> = self.way.iter().copied().chain([self.field]).map(|field| field.name.as_str()).collect();
        count(&told["data"], &names)
    }
}

/// Returns the number of audit records of a user for an operation with this outcome.
async fn records(harness: &Harness, person: &Person, operation: &str, outcome: &str) -> i64 {
    let kept = format!(
        "select count(*) from audit_log where actor_uuid = '{}' and channel = 'PLAYGROUND'
            and operation = '{operation}' and outcome = '{outcome}'",
        person.uuid
    );
    harness.number(&kept).await
}

async fn create_apps(cast: &Cast, owner: &Person, number: usize) {
    for number in 0..number {
        let app = json!({ "default_locale": "en", "name": format!("Sample {number} of {}", owner.uuid) });
        cast.harness.call("marketplace_apps_create").token(&owner.token).json(&app).expect(201).await;
    }
}

async fn ask(cast: &Cast, person: &Person, query: &str) -> Value {
    cast.at_the_door(&person.token, query, &json!({})).await.json().await.unwrap()
}

/// Creates an audit record about one resource of each kind that is read individually.
async fn read_one_of_each(cast: &Cast) {
    for (list, get, place) in [
        ("admin_apps_list", "admin_apps_get", "app_uuid"),
        ("admin_machine_clients_list", "admin_machine_clients_get", "client_uuid"),
        ("engagement_moderation_list_feature_requests", "engagement_moderation_get_feature_request", "request_uuid"),
        ("marketplace_categories_list", "marketplace_categories_get", "category_uuid"),
        ("marketplace_submissions_list", "marketplace_submissions_get", "submission_uuid"),
        ("partner_support_desk_list", "partner_support_desk_get", "ticket_uuid"),
    ] {
        let listed = cast.harness.call(list).token(&cast.staff.token).expect(200).await.json;
        let call = cast.harness.call(get).token(&cast.staff.token);
        call.path(place, listed["data"][0]["uuid"].as_str().unwrap()).expect(200).await;
    }
    let person = cast.harness.call("admin_users_get").token(&cast.staff.token);
    person.path("user_uuid", cast.administrator.uuid.to_string()).expect(200).await;
}

#[tokio::test]
async fn relation_requires_scope_of_its_target_and_is_audited() {
    let stock = Stock::new().await;
    let cast = &stock.cast;
    let above = cast.harness.call("marketplace_categories_list").token(&cast.staff.token).expect(200).await.json;
    let beneath = json!({ "names": { "en": "Beneath" }, "parent_uuid": above["data"][0]["uuid"] });
    cast.harness.call("marketplace_categories_create").token(&cast.staff.token).json(&beneath).expect(201).await;
    let (mut led, mut nowhere) = (0, Vec::new());
    for (number, (edge, of, root)) in Edge::all().enumerate() {
        if edge.object.starts_with("Audit") {
            read_one_of_each(cast).await;
        }
        let (name, query, scope) = (edge.name(), edge.query(of), scope_of(root));
        let before: Vec<String> = edge.scopes_before();
        let with: Vec<&str> = before.iter().chain([&scope]).map(String::as_str).collect();
        let holder = cast.harness.staff(&format!("Holder {number}"), &with).await;
        let told = ask(cast, &holder, &query).await;
        assert!(told.get("errors").is_none() && told["data"].is_object(), "{name}: {query}: {told}");
        let found = edge.found(&told);
        let recorded = records(&cast.harness, &holder, root, "SUCCEEDED").await;
        let is_root_too = edge.way.iter().any(|field| field.name == root);
        if !is_root_too && found > 0 {
            assert!(recorded == 1, "{name} of {of:?} led to {found} and left {recorded} records of {root}");
        }
        if found == 0 {
            nowhere.push((name.clone(), of));
        } else {
            led += 1;
        }
        if before.contains(&scope) {
            continue;
        }
        let without: Vec<&str> = before.iter().map(String::as_str).collect();
        let outsider = cast.harness.staff(&format!("Outsider {number}"), &without).await;
        let refused = ask(cast, &outsider, &query).await;
        let told = (&problem(&refused)["code"], &problem(&refused)["required_scope"]);
        assert_eq!(told, (&json!("SCOPE_MISSING"), &json!(scope)), "{name}: {refused}");
        assert!(refused.get("data").is_none(), "{name}: {refused}");
        assert_eq!(records(&cast.harness, &outsider, root, "REFUSED").await, 1, "{name}");
    }
    assert!(led > 25 && led > 4 * nowhere.len(), "{led} edges led somewhere, and these nowhere: {nowhere:?}");
}

#[tokio::test]
async fn relation_is_loaded_by_one_statement_for_many_parents() {
    let stock = Stock::new().await;
    let cast = &stock.cast;
    for name in ["Ostsee Kassen", "Alpen Kassen", "Rhein Kassen"] {
        let owner = cast.harness.partner(name).await;
        create_apps(cast, &owner, 1).await;
    }
    // The row-level security policy makes PostgreSQL evaluate the sequence once per statement, which counts the
    // statements.
    cast.harness
        .sql(
            "create sequence counted;
             grant usage on sequence counted to public;
             alter table app enable row level security;
             create policy counted on app using ((select nextval('counted') > 0))",
        )
        .await;
    let statements = async |query: &str| {
        let before = cast.harness.number("select nextval('counted')").await;
        let told = ask(cast, &cast.staff, query).await;
        assert!(told.get("errors").is_none(), "{told}");
        (cast.harness.number("select nextval('counted')").await - before - 1, told)
    };
    let (alone, _) = statements("{ admin_partners_list { data { uuid } } }").await;
    let (with_apps, told) = statements("{ admin_partners_list { data { uuid apps(limit: 3) { uuid slug } } } }").await;
    let partners = told["data"]["admin_partners_list"]["data"].as_array().unwrap();
    assert!(partners.iter().filter(|partner| partner["apps"][0]["uuid"].is_string()).count() > 3, "{told}");
    assert_eq!(with_apps - alone, 1, "{told}");
    let (back, _) =
        statements("{ admin_partners_list { data { apps { partner { apps(limit: 100) { slug } } } } } }").await;
    assert_eq!(back - alone, 2, "each query of apps is one statement");
}

#[tokio::test]
async fn related_rows_are_ordered_and_limited() {
    let stock = Stock::new().await;
    let cast = &stock.cast;
    let partner = cast.administrator.partner_uuid.unwrap();
    create_apps(cast, &cast.administrator, 30).await;
    let query = format!(
        "{{ admin_partners_get(partner_uuid: \"{partner}\") {{
            usual: apps {{ uuid created_at }} three: apps(limit: 3) {{ uuid }} most: apps(limit: 100) {{ uuid }} }} }}"
    );
    let told = ask(cast, &cast.staff, &query).await;
    let found = &told["data"]["admin_partners_get"];
    let rest = cast
        .harness
        .call("admin_apps_list_of_partner")
        .token(&cast.staff.token)
        .path("partner_uuid", partner.to_string());
    let listed = rest.query("limit", 100).expect(200).await.json;
    let uuids =
        |rows: &Value| -> Vec<Value> { rows.as_array().unwrap().iter().map(|row| row["uuid"].clone()).collect() };
    let all = uuids(&listed["data"]);
    assert!(all.len() > 30, "{listed}");
    assert_eq!((uuids(&found["most"]), uuids(&found["usual"])), (all.clone(), all[..20].to_vec()));
    assert_eq!(uuids(&found["three"]), all[..3]);
    for limit in ["0", "101", "-1"] {
        let query = format!("{{ admin_partners_list {{ data {{ apps(limit: {limit}) {{ uuid }} }} }} }}");
        let refused = ask(cast, &cast.staff, &query).await;
        assert_eq!(problem(&refused)["code"], "VALIDATION_FAILED", "{refused}");
        assert!(refused.to_string().contains("from 1 to 100"), "{refused}");
    }
    // The maximum result size of edges counts like the maximum of lists.
    let wide = "{ admin_partners_list(limit: 100) { data { apps(limit: 100) { versions(limit: 100) { number } } } } }";
    let refused = ask(cast, &cast.staff, wide).await;
    assert!(refused.to_string().contains("could return"), "{refused}");
}

#[tokio::test]
async fn audit_record_of_relation_names_all_read_targets() {
    let cast = Cast::new().await;
    let ask_team = "{ admin_partners_list { data { uuid team { name } } } }";
    let own = cast.administrator.partner_uuid.unwrap();
    let told = ask(&cast, &cast.staff, ask_team).await;
    assert!(told["data"]["admin_partners_list"]["data"][0]["team"][0]["name"].is_string(), "{told}");
    let kept = async |condition: &str| {
        let of_team = "select count(*) from audit_log where operation = 'admin_users_list' and";
        cast.harness.number(&format!("{of_team} {condition}")).await
    };
    let alone = format!("partner_uuid = '{own}' and parameters = '{{\"partner_uuid\": [\"{own}\"]}}'");
    assert_eq!(kept(&alone).await, 1);
    let other = cast.harness.partner("Ostsee Kassen").await.partner_uuid.unwrap();
    ask(&cast, &cast.staff, ask_team).await;
    let both = format!("partner_uuid is null and parameters -> 'partner_uuid' @> '[\"{own}\", \"{other}\"]'");
    assert_eq!((kept(&alone).await, kept(&both).await), (1, 1));
    // An edge of an empty list creates no audit record.
    ask(&cast, &cast.staff, "{ admin_partners_list(filter: {q: \"nobody\"}) { data { team { name } } } }").await;
    assert_eq!(kept("true").await, 2);
}

#[tokio::test]
async fn field_description_ends_with_required_scope() {
    let cast = Cast::new().await;
    let query = "{ root: __type(name: \"Query\") { fields { name description } }
                   write: __type(name: \"Mutation\") { fields { name description } }
                   partner: __type(name: \"AdminPartner\") { fields { name description } }
                   actor: __type(name: \"AuditActor\") { fields { name description } } }";
    let told = ask(&cast, &cast.staff, query).await;
    let of = |ty: &str, name: &str| {
        let fields = told["data"][ty]["fields"].as_array().unwrap();
        fields.iter().find(|field| field["name"] == name).unwrap()["description"].as_str().unwrap().to_owned()
    };
    for (ty, object) in [("root", "Query"), ("write", "Mutation")] {
        for field in told["data"][ty]["fields"].as_array().unwrap() {
            let name = field["name"].as_str().unwrap();
            let needs = field_of(object, name).needs.as_deref().unwrap();
            let end = field["description"].as_str().unwrap().rsplit("\n\n").next().unwrap();
            let is_scope = needs.contains('.') || !["public", "any", "cookie", "client"].contains(&needs);
            let expected = if is_scope { format!("Requires the scope `{needs}`.") } else { "Requires a".to_owned() };
            assert!(end == expected || (!is_scope && end.starts_with("Requires ")), "{name}: {end}");
        }
    }
    assert!(of("partner", "team").ends_with("\n\nRequires the scope `labs.admin.users`."));
    assert!(of("actor", "account").contains("`labs.admin.staff` for `StaffMember`"));
    assert!(!of("partner", "slug").contains("Requires"));
}
