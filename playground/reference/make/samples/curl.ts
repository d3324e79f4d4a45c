// Generates a shell sample with curl.
import type { Plan, PlannedBody, Value } from './plan';

export function curl(plan: Plan): string {
  const address = `"$LABS_BASE${plan.path.replace(/\{(\w+)\}/g, '${$1}')}`;
  const before = [
    ...plan.values.map(({ name, value }) => `${name}=${quoted(value)}`),
    ...(plan.isKeyed ? ['key=$(uuidgen || cat /proc/sys/kernel/random/uuid)'] : []),
    ...(plan.readsFirst ? [`etag=$(curl -fsS -o /dev/null -w '%header{etag}' ${address}" \\`, `  -H "Authorization: Bearer $LABS_TOKEN")`] : []),
  ];
  const options = [
    ...(plan.auth === 'bearer' ? ['-H "Authorization: Bearer $LABS_TOKEN"'] : []),
    ...(plan.auth === 'cookie' ? ['-H "Cookie: __Host-refresh=$LABS_REFRESH"'] : []),
    ...(plan.readsFirst ? ['-H "If-Match: $etag"'] : []),
    ...(plan.isKeyed ? ['-H "Idempotency-Key: $key"'] : []),
    ...(plan.body ? bodyOf(plan.body) : []),
    ...(plan.answer === 'file' ? ['-o download'] : []),
  ];
  const method = plan.method === 'GET' ? '' : ` -X ${plan.method}`;
  const call = [`curl --fail-with-body -sS${method} ${address}${plan.query}"`, ...options].join(' \\\n  ');
  return [...before, ...(before.length > 0 ? [''] : []), call, ''].join('\n');
}

function bodyOf(body: PlannedBody): string[] {
  switch (body.kind) {
    case 'json': return [`-H 'Content-Type: ${body.type}'`, `-d ${quoted(JSON.stringify(body.value, null, 2))}`];
    case 'form': return body.fields.map(({ name, value }) => `--data-urlencode ${joined(name, value)}`);
    case 'bytes': return [`-H 'Content-Type: ${body.type}'`, `--data-binary @${body.file}`];
    case 'parts': return body.parts.map((part) => ('file' in part ? `-F '${part.name}=@${part.file};type=${part.type}'` : `--form-string ${joined(part.name, part.value)}`));
  }
}

function joined(name: string, value: Value): string {
  return 'env' in value ? `"${name}=$${value.env}"` : quoted(`${name}=${value.text}`);
}

function quoted(text: string): string {
  return /^[\w.:-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
