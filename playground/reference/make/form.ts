// Renders the form to try out an operation as an HTML fragment. The page's script sends its content.
import { examplesOf, type Media, type Operation, type Parameter, type Schema } from './contract';
import { html, idOf, type Html } from './html';
import type { Reader } from './schema';
import { accessWords } from './words';

export function formOf(reader: Reader, operation: Operation): Html {
  const needsToken = operation.access === 'scope' || operation.access === 'any';
  const isClient = operation.access === 'client' || operation.id === 'auth_tokens_issue';
  return html`<section class="try" aria-labelledby="try"><h2 id="try">Try it</h2>
<p class="without-script">Sending requests from this page needs JavaScript. Use one of the samples.</p>
<form data-method="${operation.method}" data-path="${operation.path}"${operation.usesCookie && html` data-cookie`}${needsToken && html` data-token`}>
${needsToken && html`<div class="input"><label for="try-token">Access token</label><input id="try-token" type="password" data-in="token" autocomplete="off" spellcheck="false"><p class="hint">Required${operation.access === 'scope' && ' scope'}: ${accessWords(operation)}. The page keeps the token only in memory, until you leave it.</p></div>`}
${isClient && html`<p class="hint">Enter the id and the secret of your machine client in the body.</p>`}
${operation.parameters.map((parameter) => inputOf(reader, parameter))}
${operation.body && bodyOf(reader, operation.body.content)}
<p><button type="submit">Send ${operation.method}</button></p>
</form>
<div class="result" aria-live="polite"></div></section>`;
}

function inputOf(reader: Reader, parameter: Parameter): Html {
  const { name, required, example } = parameter;
  const id = `try-${parameter.in}-${idOf(name)}`;
  const schema = reader.contract.resolve(parameter.schema);
  const isMany = schema.type === 'array';
  const values = schema.enum ?? (schema.type === 'boolean' ? [true, false] : null);
  const filled = required && parameter.in === 'path' ? String(example ?? '') : '';
  const hint = name === 'Idempotency-Key' ? 'a new key for each request' : example === undefined ? '' : [example].flat().join(',');
  const field = values
    ? html`<select id="${id}" data-in="${parameter.in}" name="${name}"${required && html` required`}>${!required && html`<option value=""></option>`}${values.map((value) => html`<option>${String(value)}</option>`)}</select>`
    : html`<input id="${id}" data-in="${parameter.in}" name="${name}"${isMany && html` data-many`}${required && html` required`} value="${filled}" placeholder="${hint}" autocomplete="off" spellcheck="false">`;
  return html`<div class="input"><label for="${id}"><code>${name}</code>${required && html` <span class="required">required</span>`}${isMany && ' (several values, separated by commas)'}</label>${field}</div>
`;
}

function bodyOf(reader: Reader, content: Record<string, Media>): Html | null {
  const [type, media] = Object.entries(content)[0] ?? [];
  if (!type || !media) return null;
  if (type.includes('json')) return jsonBody(type, media);
  if (type === 'application/octet-stream') return html`<div class="input" data-body="${type}"><label for="try-file">File</label><input id="try-file" type="file" data-in="bytes" required></div>`;
  const schema = reader.contract.resolve(media.schema ?? {});
  const example = (examplesOf(media)[0]?.value ?? {}) as Record<string, unknown>;
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) =>
    partOf(name, reader.contract.resolve(field), schema.required?.includes(name) === true, example[name], media.encoding?.[name]?.contentType));
  return html`<fieldset data-body="${type}"><legend>Body</legend>${fields}</fieldset>`;
}

function jsonBody(type: string, media: Media): Html {
  const text = JSON.stringify(examplesOf(media)[0]?.value ?? {}, null, 2);
  const rows = Math.min(18, Math.max(3, text.split('\n').length + 1));
  return html`<div class="input" data-body="${type}"><label for="try-body">Body, ${type}</label><textarea id="try-body" data-in="json" rows="${rows}" spellcheck="false" autocomplete="off">
${text}</textarea></div>`;
}

function partOf(name: string, schema: Schema, required: boolean, example: unknown, accept: string | undefined): Html {
  const id = `try-body-${idOf(name)}`;
  const mark = required && html` <span class="required">required</span>`;
  const label = html`<label for="${id}"><code>${name}</code>${mark}</label>`;
  const needed = required && html` required`;
  if (schema.format === 'binary') return html`<div class="input">${label}<input id="${id}" type="file" data-in="file" name="${name}"${accept && html` accept="${accept}"`}${needed}></div>`;
  const values = schema.enum;
  if (values) return html`<div class="input">${label}<select id="${id}" data-in="part" name="${name}"${needed}>${!required && html`<option value=""></option>`}${values.map((value) => html`<option>${String(value)}</option>`)}</select></div>`;
  const secret = name === 'client_secret' || name === 'password';
  return html`<div class="input">${label}<input id="${id}" data-in="part" name="${name}"${needed} placeholder="${secret || example === undefined ? '' : String(example)}"${secret && html` type="password"`} autocomplete="off" spellcheck="false"></div>`;
}
