// Generates a Python sample with the requests library.
import { literal, type Dialect } from './literal';
import type { Plan, PlannedBody, Value } from './plan';

/** A JSON string, including its escapes, is a valid Python string. */
const string = (text: string) => JSON.stringify(text);
const DIALECT: Dialect = { words: { true: 'True', false: 'False', null: 'None' }, string, key: string };
const env = (name: string) => `os.environ["${name}"]`;

export function python(plan: Plan): string {
  const address = `f"{base}${plan.path}`;
  const headers = headersOf(plan);
  const hasHeaders = plan.auth !== 'none';
  const given = [...(hasHeaders ? ['**headers'] : []), ...headers].join(', ');
  const options = [
    ...(headers.length > 0 ? [`headers={${given}},`] : hasHeaders ? ['headers=headers,'] : []),
    ...(plan.body ? bodyOf(plan.body) : []),
    'timeout=30,',
  ];
  return [
    'import os',
    ...(plan.isKeyed ? ['import uuid'] : []),
    '',
    'import requests',
    '',
    `base = ${env('LABS_BASE')}`,
    ...plan.values.map(({ name, value }) => `${name} = ${string(value)}`),
    ...authOf(plan),
    ...(plan.readsFirst ? [`read = requests.get(${address}", headers=headers, timeout=30)`] : []),
    `response = requests.${plan.method.toLowerCase()}(`,
    `    ${address}${plan.query}",`,
    ...options.map((option) => `    ${option}`),
    ')',
    'if not response.ok:',
    '    raise SystemExit(response.text)',
    ...answerOf(plan),
    '',
  ].join('\n');
}

function authOf({ auth }: Plan): string[] {
  if (auth === 'bearer') return [`headers = {"Authorization": "Bearer " + ${env('LABS_TOKEN')}}`];
  return auth === 'cookie' ? [`headers = {"Cookie": "__Host-refresh=" + ${env('LABS_REFRESH')}}`] : [];
}

function headersOf(plan: Plan): string[] {
  const { body } = plan;
  const type = body?.kind === 'bytes' || (body?.kind === 'json' && body.type !== 'application/json') ? body.type : null;
  return [
    ...(type ? [`"Content-Type": "${type}"`] : []),
    ...(plan.readsFirst ? ['"If-Match": read.headers["ETag"]'] : []),
    ...(plan.isKeyed ? ['"Idempotency-Key": str(uuid.uuid4())'] : []),
  ];
}

function bodyOf(body: PlannedBody): string[] {
  switch (body.kind) {
    case 'json': return [`json=${literal(body.value, DIALECT, '    ', '    ')},`];
    case 'form': return [`data={${body.fields.map(({ name, value }) => `"${name}": ${valueOf(value)}`).join(', ')}},`];
    case 'bytes': return [`data=open("${body.file}", "rb"),`];
    case 'parts': {
      const files = body.parts.flatMap((part) => ('file' in part ? [`"${part.name}": ("${part.file}", open("${part.file}", "rb"), "${part.type}")`] : []));
      const texts = body.parts.flatMap((part) => ('file' in part ? [] : [`"${part.name}": ${valueOf(part.value)}`]));
      return [`files={${files.join(', ')}},`, ...(texts.length > 0 ? [`data={${texts.join(', ')}},`] : [])];
    }
  }
}

function valueOf(value: Value): string {
  return 'env' in value ? env(value.env) : string(value.text);
}

function answerOf({ answer }: Plan): string[] {
  switch (answer) {
    case 'json': return ['print(response.json())'];
    case 'text': return ['print(response.text)'];
    case 'file': return ['with open("download", "wb") as file:', '    file.write(response.content)'];
    case 'nothing': return ['print(response.status_code)'];
  }
}
