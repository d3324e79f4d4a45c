// Generates a TypeScript sample, which also runs as JavaScript.
import { literal, type Dialect } from './literal';
import type { Plan, PlannedBody, Value } from './plan';

const string = (text: string) => `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
const DIALECT: Dialect = { words: { true: 'true', false: 'false', null: 'null' }, string, key: (name) => (/^[a-z_]\w*$/i.test(name) ? name : string(name)) };
const variable = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

export function typescript(plan: Plan): string {
  const address = `\${process.env.LABS_BASE}${plan.path.replace(/\{(\w+)\}/g, (_, name: string) => `\${${variable(name)}}`)}`;
  const hasHeaders = plan.auth !== 'none';
  const headers = headersOf(plan);
  const options = [
    ...(plan.method === 'GET' ? [] : [`  method: '${plan.method}',`]),
    ...(headers.length > 0 ? [`  headers: { ${[...(hasHeaders ? ['...headers'] : []), ...headers].join(', ')} },`] : hasHeaders ? ['  headers,'] : []),
    ...(plan.body ? [`  ${bodyOf(plan.body)},`] : []),
  ];
  const call = options.length > 0 ? `, {\n${options.join('\n')}\n}` : '';
  return [
    ...importsOf(plan),
    ...plan.values.map(({ name, value }) => `const ${variable(name)} = ${string(value)};`),
    ...authOf(plan),
    ...formOf(plan.body),
    ...(plan.readsFirst ? [`const read = await fetch(\`${address}\`, { headers });`] : []),
    `const response = await fetch(\`${address}${plan.query}\`${call});`,
    'if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);',
    answerOf(plan),
    '',
  ].join('\n');
}

function importsOf({ body, answer }: Plan): string[] {
  const reads = body?.kind === 'parts' || body?.kind === 'bytes';
  const lines = [
    ...(reads ? ["import { openAsBlob } from 'node:fs';"] : []),
    ...(answer === 'file' ? ["import { writeFile } from 'node:fs/promises';"] : []),
  ];
  return lines.length > 0 ? [...lines, ''] : [];
}

function authOf({ auth }: Plan): string[] {
  if (auth === 'bearer') return ['const headers = { Authorization: `Bearer ${process.env.LABS_TOKEN}` };'];
  return auth === 'cookie' ? ['const headers = { Cookie: `__Host-refresh=${process.env.LABS_REFRESH}` };'] : [];
}

function headersOf(plan: Plan): string[] {
  const { body } = plan;
  return [
    ...(body?.kind === 'json' || body?.kind === 'bytes' ? [`'Content-Type': '${body.type}'`] : []),
    ...(plan.readsFirst ? ["'If-Match': String(read.headers.get('ETag'))"] : []),
    ...(plan.isKeyed ? ["'Idempotency-Key': crypto.randomUUID()"] : []),
  ];
}

function formOf(body: PlannedBody | null): string[] {
  if (body?.kind !== 'parts') return [];
  const parts = body.parts.map((part) =>
    'file' in part
      ? `form.set('${part.name}', await openAsBlob('${part.file}', { type: '${part.type}' }), '${part.file}');`
      : `form.set('${part.name}', ${valueOf(part.value)});`,
  );
  return ['const form = new FormData();', ...parts];
}

function bodyOf(body: PlannedBody): string {
  switch (body.kind) {
    case 'json': return `body: JSON.stringify(${literal(body.value, DIALECT, '  ', '  ')})`;
    case 'form': return `body: new URLSearchParams({ ${body.fields.map(({ name, value }) => `${name}: ${valueOf(value)}`).join(', ')} })`;
    case 'parts': return 'body: form';
    case 'bytes': return `body: await openAsBlob('${body.file}')`;
  }
}

function valueOf(value: Value): string {
  return 'env' in value ? `String(process.env.${value.env})` : string(value.text);
}

function answerOf({ answer }: Plan): string {
  switch (answer) {
    case 'json': return 'console.log(await response.json());';
    case 'text': return 'console.log(await response.text());';
    case 'file': return "await writeFile('download', new Uint8Array(await response.arrayBuffer()));";
    case 'nothing': return 'console.log(response.status);';
  }
}
