// Renders the page of an operation as an HTML fragment.
import { examplesOf, type Answer, type Media, type Operation, type Parameter } from './contract';
import type { Code } from './codes';
import { formOf } from './form';
import { highlight } from './highlight';
import { html, type Html } from './html';
import { samplesOf } from './samples';
import { detailsOf, fieldsOf, typeOf, type Reader } from './schema';
import { AUDIENCES, STATUS_WORDS, titled } from './words';

/** Headers of every response. Only the first page describes them. */
const USUAL_HEADERS = /^X-(Request-Id|RateLimit-)/;

export function operationPage(reader: Reader, operation: Operation, codes: Map<string, Code>): Html {
  return html`<article class="operation" data-operation="${operation.id}" data-audience="${operation.audience}" data-scope="${operation.scope ?? ''}">
<header>
<p class="crumbs">${AUDIENCES[operation.audience].title} · ${titled(operation.group)} · ${titled(operation.resource)}</p>
<h1 tabindex="-1">${operation.title}</h1>
${operation.deprecated && html`<p class="warning">Deprecated. The changelog below names the replacement.</p>`}
<p class="address"><span class="method ${operation.method.toLowerCase()}">${operation.method}</span> <code>${pathOf(operation.path)}</code></p>
${factsOf(operation)}
${jumpsOf(operation)}
</header>
<div class="columns">
<div class="reading">
<div class="prose">${reader.markdown.block(operation.description, 3)}</div>
${parametersOf(reader, operation)}
${bodyOf(reader, operation)}
${answersOf(reader, operation, codes)}
<section class="changes" hidden aria-labelledby="changes"><h2 id="changes">Changelog</h2><ul data-live="changelog"></ul></section>
<p class="elsewhere">For programs: <a href="/reference/operations/${operation.id}.md" data-plain>this page as Markdown</a></p>
</div>
<div class="doing">
${samplesPart(reader, operation)}
${formOf(reader, operation)}
</div>
</div>
</article>`;
}

/** Links to the sections of the page, for screens that show the sections below each other. */
function jumpsOf({ parameters, body }: Operation): Html {
  const parts: [string, string, boolean][] = [
    ['samples', 'Samples', true], ['try', 'Try it', true], ['parameters', 'Parameters', parameters.length > 0],
    ['body', 'Body', body !== null], ['responses', 'Responses', true], ['errors', 'Errors', true],
  ];
  return html`<ul class="jumps">${parts.map(([id, title, isThere]) => isThere && html`<li><a href="#${id}">${title}</a></li>`)}</ul>`;
}

/** A path that may wrap before each segment on narrow screens. */
function pathOf(path: string): Html {
  return html`${path.split(/(?=[/:])/).map((part, at) => html`${at > 0 && html`<wbr>`}${part}`)}`;
}

function factsOf(operation: Operation): Html {
  const { access, scope } = operation;
  const brought = access === 'scope' ? html`<a href="/reference#/scopes/${scope}"><code>${scope}</code></a>`
    : access === 'any' ? 'Any valid token' : access === 'none' ? 'None, no token required'
    : access === 'cookie' ? html`The cookie <code>__Host-refresh</code>` : 'Client id and secret';
  const facts: [string, Html | string | false][] = [
    [access === 'scope' ? 'Scope' : 'Access', brought],
    ['Operation', html`<code>${operation.id}</code>`],
    ['Since', operation.since],
    ['Errors', codesFact(operation)],
    ['Budget', operation.hasOwnBudget && 'Separate lower budget for each network address and account'],
    ['Tier', operation.codes.includes('ENTITLEMENT_EXCEEDED') && html`Counts against a limit of the tier: <a href="#status-409">409</a>`],
    ['Secret', operation.isNeverStored && 'The response contains a secret. Do not store or log the response.'],
  ];
  return html`<dl class="facts">${facts.map(([name, value]) => value && html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}<div data-live="plan" hidden><dt>Feature of the tier</dt><dd></dd></div></dl>`;
}

function codesFact({ codes }: Operation): Html | false {
  if (codes.length === 0) return false;
  return html`<details><summary>${codes.length} error ${codes.length === 1 ? 'code' : 'codes'}</summary><p>${codes.map((code, at) => html`${at > 0 && ', '}<a href="/reference/codes/${code}"><code>${code}</code></a>`)}</p></details>`;
}

function parametersOf(reader: Reader, { parameters }: Operation): Html | null {
  if (parameters.length === 0) return null;
  const places: [Parameter['in'], string][] = [['path', 'In the path'], ['query', 'In the query'], ['header', 'In headers']];
  const parts = places.map(([place, title]) => {
    const here = parameters.filter((parameter) => parameter.in === place);
    return here.length > 0 && html`<h3>${title}</h3><ul class="fields">${here.map((parameter) => parameterOf(reader, parameter))}</ul>`;
  });
  return html`<section aria-labelledby="parameters"><h2 id="parameters">Parameters</h2>${parts}</section>`;
}

function parameterOf(reader: Reader, parameter: Parameter): Html {
  const { name, required, schema, description, example, deprecated } = parameter;
  return html`<li><p class="field"><code class="name">${name}</code> <span class="type">${typeOf(reader, schema)}</span>${
    required && html` <span class="required">required</span>`}${deprecated && html` <span class="deprecated">deprecated</span>`}</p>
<div class="about">${reader.markdown.block(description)}</div>${detailsOf(reader, schema)}${
    example !== undefined && html`<p class="limits">Example: <code>${[example].flat().join(', ')}</code></p>`}</li>
`;
}

function bodyOf(reader: Reader, { body }: Operation): Html | null {
  if (!body) return null;
  const media = Object.entries(body.content);
  const [first] = media;
  if (!first) return null;
  return html`<section aria-labelledby="body"><h2 id="body">Body</h2>
<p>${body.required ? 'Required' : 'Optional'}. Media type: ${media.map(([type], at) => html`${at > 0 && ' or '}<code>${type}</code>`)}.${first[1].schema && html` ${typeOf(reader, first[1].schema)}`}</p>
${first[1].schema && fieldsOf(reader, first[1].schema, 'sent')}${examplesPart(reader, first[0], first[1], true)}</section>`;
}

function answersOf(reader: Reader, { answers }: Operation, codes: Map<string, Code>): Html {
  const fine = answers.filter(([status]) => Number(status) < 400);
  const refusals = answers.filter(([status]) => Number(status) >= 400);
  return html`<section aria-labelledby="responses"><h2 id="responses">Responses</h2>${fine.map(([status, answer]) => html`
<section class="answer" aria-labelledby="status-${status}"><h3 id="status-${status}"><span class="status">${status}</span> ${STATUS_WORDS[status]}</h3>${answerOf(reader, answer)}</section>`)}</section>
<section aria-labelledby="errors"><h2 id="errors">Errors</h2><p>Every error is a <a href="/reference#/schemas/Problem">problem document</a>. Handle it by its <code>code</code>.</p>${refusals.map(([status, answer]) => html`
<section class="answer" aria-labelledby="status-${status}"><h3 id="status-${status}"><span class="status refused">${status}</span> ${STATUS_WORDS[status]}</h3>${refusalOf(reader, answer, codes)}</section>`)}</section>`;
}

function answerOf(reader: Reader, answer: Answer): Html {
  const media = Object.entries(answer.content ?? {});
  const headers = Object.entries(answer.headers ?? {}).filter(([name]) => !USUAL_HEADERS.test(name));
  return html`<div class="prose">${reader.markdown.block(answer.description, 4)}</div>${
    media.length > 0 && html`<p>Media type: ${media.map(([type], at) => html`${at > 0 && ' or '}<code>${type}</code>`)}.${media[0]?.[1].schema && html` ${typeOf(reader, media[0][1].schema)}`}</p>`}${
    media[0]?.[1].schema && fieldsOf(reader, media[0][1].schema, 'received')}${media[0] && examplesPart(reader, media[0][0], media[0][1], false)}${
    headers.length > 0 && html`<details><summary>Headers: ${headers.map(([name]) => name).join(', ')}</summary><dl class="headers">${headers.map(([name, header]) =>
      html`<dt><code>${name}</code></dt><dd>${reader.markdown.block(header.description)}</dd>`)}</dl></details>`}`;
}

function refusalOf(reader: Reader, answer: Answer, codes: Map<string, Code>): Html {
  const listed = (answer['x-codes'] ?? []).map((code) => html`<dt><a href="/reference/codes/${code}"><code>${code}</code></a></dt><dd>${reader.markdown.line(codes.get(code)?.means ?? '')}</dd>`);
  if (answer.isShared && listed.length > 0) return html`<dl class="codes">${listed}</dl>`;
  const [media] = Object.entries(answer.content ?? {});
  return html`<div class="prose">${reader.markdown.block(answer.description, 4)}</div><dl class="codes">${listed}</dl>${media && examplesPart(reader, media[0], media[1], false)}`;
}

function examplesPart(reader: Reader, type: string, media: Media, open: boolean): Html {
  return html`${examplesOf(media).map((example, at) => html`<details${open && at === 0 && html` open`}><summary>Example${example.summary && html`: ${reader.markdown.line(example.summary)}`}</summary><pre><code>${exampleText(type, example.value)}</code></pre></details>`)}`;
}

function exampleText(type: string, value: unknown): Html {
  if (typeof value === 'string' && !type.includes('json')) return html`${value}`;
  return highlight(JSON.stringify(value, null, 2), 'json');
}

function samplesPart(reader: Reader, operation: Operation): Html {
  const samples = samplesOf(reader.contract, operation);
  const variables = [...new Set(samples[0]?.code.match(/\bLABS_[A-Z_]+/g))];
  return html`<section class="samples" aria-labelledby="samples"><h2 id="samples">Samples</h2>
<div role="tablist" aria-labelledby="samples">${samples.map(({ name, language }, at) => html`<button type="button" role="tab" id="tab-${language}" aria-controls="panel-${language}" aria-selected="${at === 0 ? 'true' : 'false'}" tabindex="${at === 0 ? '0' : '-1'}">${name}</button>`)}</div>
${samples.map(({ name, language, code }, at) => html`<div role="tabpanel" id="panel-${language}" aria-labelledby="tab-${language}"${at > 0 && html` hidden`}><p class="language" aria-hidden="true">${name}</p><pre><code>${highlight(code, language)}</code></pre><button type="button" class="copy">Copy</button></div>`)}
<p class="hint">The samples read ${variables.map((name, at) => html`${at > 0 && (at === variables.length - 1 ? ' and ' : ', ')}<code>${name}</code>`)} from environment variables.${
    operation.parameters.some((parameter) => parameter.in === 'path') && ' Replace the example ids and names with your own.'}</p></section>`;
}
