// Renders the other pages: the first page, codes, scopes, schemas, changes.
import { reaches } from '../../page/src/scopes';
import type { Code } from './codes';
import { headingsOf, type Concept } from './concepts';
import { fieldsOf, detailsOf, typeOf, type Reader } from './schema';
import type { Term } from './glossary';
import { examplesOf, type Operation, type Schema } from './contract';
import { highlight } from './highlight';
import { html, type Html } from './html';
import { grouped } from './nav';
import { AUDIENCE_ORDER, AUDIENCES, STATUS_WORDS, titled } from './words';

export function firstPage({ contract, markdown }: Reader, concepts: Concept[]): Html {
  const counts = AUDIENCE_ORDER.map((audience) => {
    const number = contract.operations.filter((operation) => operation.audience === audience).length;
    return html`<li><button type="button" data-show="${audience}">${AUDIENCES[audience].title}</button> <span>${number} operations. ${AUDIENCES[audience].about}</span></li>`;
  });
  return html`<article class="first"><h1 tabindex="-1">API reference</h1><p class="lead">${contract.summary}</p>
<ul class="cards">${counts}</ul>
<h2 id="concepts">Concepts</h2><ul class="concepts">${concepts.map(({ name, title, summary }) => html`<li><a href="/reference/concepts/${name}">${title}</a> <span>${summary}</span></li>`)}</ul>
<h2 id="overview">Overview</h2>
<p>Press <kbd>/</kbd> to search for concepts, operations, fields, codes, statuses and scopes. The <a href="/reference#/glossary">glossary</a> defines the terms. For programs: <a href="/v1/publication/public/api-reference" data-plain>the contract</a>, version ${contract.version}, and <a href="/llms.txt" data-plain>an index in Markdown</a>.</p>
<div class="prose">${markdown.block(contract.description)}</div></article>`;
}

/** A concept: its sections are linked at the top, and the pages before and after it at the end. */
export function conceptPage({ markdown }: Reader, concept: Concept, before?: Concept, after?: Concept): Html {
  const { name, title, summary, text } = concept;
  const step = (to: Concept | undefined, word: string, kind: string) => to && html`<a class="${kind}" rel="${kind}" href="/reference/concepts/${to.name}"><span>${word}</span> ${to.title}</a>`;
  return html`<article class="concept"><header><p class="crumbs"><a href="/reference#concepts">Concepts</a></p><h1 tabindex="-1">${title}</h1>
<p class="lead">${summary}</p>
<ul class="contents">${headingsOf(concept).map(([id, heading]) => html`<li><a href="#${id}">${markdown.line(heading)}</a></li>`)}</ul></header>
<div class="prose">${markdown.block(text)}</div>
<nav class="steps" aria-label="Other concepts">${step(before, 'Previous', 'prev')}${step(after, 'Next', 'next')}</nav>
<p class="elsewhere">For programs: <a href="/reference/concepts/${name}.md" data-plain>this page as Markdown</a></p></article>`;
}

/** A list of links to operations, grouped by audience. */
export function operationList(operations: Operation[]): Html {
  return html`${grouped(operations, (operation) => operation.audience).map(([audience, members]) => html`<h3>${AUDIENCES[audience as keyof typeof AUDIENCES].title} <span class="count">${members.length}</span></h3>
<ul class="operations">${members.map((operation) => html`<li><a href="/reference/operations/${operation.id}"><span class="method ${operation.method.toLowerCase()}">${operation.method}</span> <span>${operation.title}</span></a></li>`)}</ul>`)}`;
}

export function codesPage({ markdown }: Reader, codes: Code[]): Html {
  const byStatus = grouped([...codes].sort((a, b) => (a.statuses.at(-1) ?? '').localeCompare(b.statuses.at(-1) ?? '')), (code) => code.statuses.at(-1) ?? '');
  return html`<article><h1 tabindex="-1">Error codes</h1><p class="lead">Every error response has one of these codes. Select a code to read what to do.</p>
${byStatus.map(([status, members]) => html`<section aria-labelledby="status-${status}"><h2 id="status-${status}"><span class="status refused">${status}</span> ${STATUS_WORDS[status]}</h2>
<dl class="codes">${members.map((code) => html`<dt><a href="/reference/codes/${code.code}"><code>${code.code}</code></a></dt><dd>${markdown.line(code.means)}</dd>`)}</dl></section>`)}</article>`;
}

export function codePage({ markdown }: Reader, code: Code, example: unknown): Html {
  return html`<article><header><p class="crumbs"><a href="/reference#/codes">Error codes</a></p><h1 tabindex="-1"><code>${code.code}</code></h1>
<p class="lead">${code.title}</p></header>
<dl class="facts"><div><dt>Status</dt><dd>${code.statuses.map((status, at) => html`${at > 0 && ', '}${status} ${STATUS_WORDS[status]}`)}</dd></div></dl>
<h2>Meaning</h2><p>${markdown.line(code.means)}</p><h2>What to do</h2><p>${markdown.line(code.do)}</p>
${example !== undefined && html`<h2>Example</h2><pre><code>${highlight(JSON.stringify(example, null, 2), 'json')}</code></pre>`}
<h2>Operations that return it</h2>
${code.operations.length === 0 ? html`<p>Every path can return this code.</p>` : html`<details${code.operations.length <= 40 && html` open`}><summary>${code.operations.length} operations</summary>${operationList(code.operations)}</details>`}
<p class="elsewhere">For programs: <a href="/reference/codes/${code.code}.md" data-plain>this page as Markdown</a></p></article>`;
}

export function scopesPage({ contract, markdown }: Reader): Html {
  return html`<article><h1 tabindex="-1">Scopes</h1><p class="lead">A scope includes all scopes below it. <code>:write</code> includes read access.</p>
<dl class="codes">${Object.entries(contract.scopes).map(([scope, about]) => html`<dt><a href="/reference#/scopes/${scope}"><code>${scope}</code></a></dt><dd>${markdown.line(about)}</dd>`)}</dl></article>`;
}

export function scopePage({ contract, markdown }: Reader, scope: string): Html {
  const needing = contract.operations.filter((operation) => operation.scope === scope);
  const further = contract.operations.filter((operation) => operation.scope && operation.scope !== scope && reaches([scope], operation.scope));
  return html`<article><p class="crumbs"><a href="/reference#/scopes">Scopes</a></p><h1 tabindex="-1"><code>${scope}</code></h1>
<p class="lead">${markdown.line(contract.scopes[scope] ?? '')}</p>
<h2>Operations that require it</h2>${needing.length > 0 ? operationList(needing) : html`<p>No operation requires exactly this scope.</p>`}
${further.length > 0 && html`<h2>Other operations that it allows</h2><details><summary>${further.length} operations</summary>${operationList(further)}</details>`}</article>`;
}

export function schemaPage(reader: Reader, name: string, schema: Schema, users: Operation[]): Html {
  const examples = examplesOf({ examples: Object.fromEntries((schema.examples ?? []).map((value, at) => [String(at), { value }])) });
  return html`<article><p class="crumbs">Schema</p><h1 tabindex="-1"><code>${name}</code></h1>
${schema.description && html`<div class="prose lead">${reader.markdown.block(schema.description)}</div>`}
${fieldsOf(reader, { $ref: `#/components/schemas/${name}` }, 'sent') ?? html`<p>${typeOf(reader, schema)}</p>`}${detailsOf(reader, schema)}
${examples.map(({ value }) => html`<h2>Example</h2><pre><code>${highlight(JSON.stringify(value, null, 2), 'json')}</code></pre>`)}
<h2>Operations that use it</h2>${users.length > 0 ? html`<details${users.length <= 20 && html` open`}><summary>${users.length} operations</summary>${operationList(users)}</details>` : html`<p>Only other schemas use it.</p>`}</article>`;
}

/** The terms with their definitions. The search links to the `id` of a term. */
export function glossaryPage({ contract, markdown }: Reader, terms: Term[]): Html {
  const ids = new Set(contract.operations.map(({ id }) => id));
  const nameOf = (name: string) => (ids.has(name) ? html`<a href="/reference/operations/${name}"><code>${name}</code></a>` : html`<code>${name}</code>`);
  return html`<article><h1 tabindex="-1">Glossary</h1><p class="lead">The terms that the contract, the documentation and the pages use. Below a definition are names of the contract that use the term; <code>*</code> represents any text.</p>
<dl class="codes">${terms.map(({ id, term, definition, names }) => html`<dt id="${id}">${term}</dt><dd>${markdown.line(definition)}${names.length > 0 && html`<p class="limits">${names.map((name, at) => html`${at > 0 && ', '}${nameOf(name)}`)}</p>`}</dd>
`)}</dl><p class="elsewhere">For programs: <a href="/reference/glossary.md" data-plain>this page as Markdown</a></p></article>`;
}

export function changesPage({ contract, markdown }: Reader): Html {
  const versions = grouped(contract.operations, (operation) => operation.since).sort(([a], [b]) => b.localeCompare(a, 'en', { numeric: true }));
  const deprecated = contract.operations.filter((operation) => operation.deprecated);
  const parts = contract.operations.flatMap((operation) => operation.parameters.filter((one) => one.deprecated).map((one) => ({ operation, name: one.name })));
  const schemas = Object.entries(contract.schemas).flatMap(([name, schema]) => Object.entries(schema.properties ?? {}).filter(([, field]) => field.deprecated).map(([field]) => ({ name, field })));
  const hasNone = deprecated.length + parts.length + schemas.length === 0;
  return html`<article><h1 tabindex="-1">Changes</h1><p class="lead">Deprecated elements, and the operations that each version of the contract added. The <a href="/changelog" data-plain>changelog</a> describes every release.</p>
<h2>Deprecated</h2>${hasNone && html`<p>Nothing is deprecated in version ${contract.version}.</p>`}${deprecated.length > 0 && operationList(deprecated)}${parts.length + schemas.length > 0 && html`<ul>${
    parts.map(({ operation, name }) => html`<li>Parameter <code>${name}</code> of <a href="/reference/operations/${operation.id}">${operation.title}</a></li>`)}${
    schemas.map(({ name, field }) => html`<li>Field <code>${field}</code> of <a href="/reference#/schemas/${name}">${name}</a></li>`)}</ul>`}
<section data-live="deprecations" hidden><h3>In the changelog</h3><ul></ul></section>
<h2>Added</h2>${versions.map(([version, operations]) => html`<h3>${markdown.line(version)} <span class="count">${operations.length} operations</span></h3><ul>${
    grouped(operations, (operation) => operation.group).map(([group, members]) => html`<li><details><summary>${titled(group)} <span class="count">${members.length}</span></summary><ul class="operations">${
      members.map((operation) => html`<li><a href="/reference/operations/${operation.id}"><span class="method ${operation.method.toLowerCase()}">${operation.method}</span> <span>${operation.title}</span></a></li>`)}</ul></details></li>`)}</ul>`)}</article>`;
}

