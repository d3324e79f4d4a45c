//! Developer resources: files that the service generates from the contract that it serves.

/// A public, generated resource. The editor released it.
pub(in crate::sample) struct ResourceData {
    pub(in crate::sample) slug: &'static str,
    pub(in crate::sample) title: &'static str,
    pub(in crate::sample) summary: &'static str,
    pub(in crate::sample) body: &'static str,
    pub(in crate::sample) tags: &'static [&'static str],
    /// Kind of the generated file.
    pub(in crate::sample) generated: &'static str,
}

/// Days since the release of all resources.
pub(in crate::sample) const RELEASED: u32 = 18;

/// All resources.
pub(in crate::sample) const RESOURCES: [ResourceData; 7] = [
    ResourceData {
        slug: "openapi-yaml",
        title: "The contract as YAML",
        summary: "Every operation, parameter and schema, as OpenAPI 3.1.",
        body: "The same bytes as [the contract](op:system_contract_get) that the service answers, to be kept beside your code. \
               What changed from one version to the next, [the changelog](op:publication_public_changelog_list) tells.",
        tags: &["contract", "openapi"],
        generated: "OPENAPI_YAML",
    },
    ResourceData {
        slug: "openapi-json",
        title: "The contract as JSON",
        summary: "The same contract for programs that read no YAML.",
        body: "Nothing but the notation differs from the YAML.",
        tags: &["contract", "openapi"],
        generated: "OPENAPI_JSON",
    },
    ResourceData {
        slug: "postman-collection",
        title: "A collection for Postman",
        summary: "Every operation as a request with an example, in folders by group.",
        body: "Import the file, and set the variables `client_id` and `client_secret` of the collection: it \
               [asks for a token](op:auth_tokens_issue) by itself. A person enters a token of theirs as `access_token`.\n\n\
               Optional parameters are there and switched off. Importing a newer file replaces the requests of this one.",
        tags: &["postman"],
        generated: "POSTMAN_COLLECTION",
    },
    ResourceData {
        slug: "insomnia-export",
        title: "A collection for Insomnia",
        summary: "Every operation as a request with an example, in folders by group.",
        body: "Import the file, and enter `client_id` and `client_secret` in its environment: Insomnia asks for a token by itself. \
               Importing a newer file replaces the requests of this one.",
        tags: &["insomnia"],
        generated: "INSOMNIA_EXPORT",
    },
    ResourceData {
        slug: "typescript-types",
        title: "Types for TypeScript",
        summary: "The types of all requests and answers, in the shape that openapi-typescript gives them.",
        body: "With `openapi-fetch` it is a client:\n\n```ts\nimport createClient from \"openapi-fetch\";\n\
               import type { paths } from \"./labs.js\";\n\nconst labs = createClient<paths>({ baseUrl });\n\
               const { data } = await labs.GET(\"/v1/system/me\");\n```",
        tags: &["typescript"],
        generated: "TYPESCRIPT_TYPES",
    },
    ResourceData {
        slug: "workflows",
        title: "Workflows of several calls",
        summary: "From registration to a published app, an appeal, a change of tier and more, as Arazzo 1.0.1.",
        body: "Each file is one way of several calls, with what goes in, what comes out, and what has to hold after each. Run them \
               with a tool that reads Arazzo, or read them as recipes; the contract that they call is in the archive.",
        tags: &["arazzo", "contract"],
        generated: "ARAZZO_WORKFLOWS",
    },
    ResourceData {
        slug: "llms-txt",
        title: "An index for programs that read",
        summary: "Every operation and every code of a refusal, with the address of its page in Markdown.",
        body: "Give it to a program that writes code: each line leads to one operation or code, and their pages are short. The \
               changelog's entries and the blog's posts are Markdown too, at their address with `.md` behind it.",
        tags: &["contract"],
        generated: "LLMS_TEXT",
    },
];
