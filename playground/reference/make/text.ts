// Renders the same pages as Markdown, for programs.
import type { Code } from './codes';
import type { Concept } from './concepts';
import type { Term } from './glossary';
import { examplesOf, nameOf, withoutNull, type Contract, type Media, type Operation, type Schema } from './contract';
import { grouped } from './nav';
import { samplesOf } from './samples';
import { limitsOf } from './schema';
import { accessWords, AUDIENCE_ORDER, AUDIENCES, STATUS_WORDS, titled } from './words';

/** Number of nested levels of fields in the text. */
const DEEPEST = 4;
const oneLine = (text: string) => text.trim().replace(/\s*\n\s*/g, ' ');
const fenced = (text: string, language: string) => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;

export function operationText(contract: Contract, operation: Operation, codes: Map<string, Code>): string {
  const access = operation.access === 'scope' ? `Scope: \`${operation.scope}\`` : `Access: ${accessWords(operation)}`;
  const parts = [
    `# ${operation.title}`,
    `\`${operation.method} ${operation.path}\``,
    [`Operation: \`${operation.id}\``, access, `For: ${AUDIENCES[operation.audience].title}`, `Access of agents: [\`${operation.agentic}\`](/reference/concepts/agents.md#access)`, `Since: ${operation.since}`, ...(operation.deprecated ? ['Deprecated'] : [])].map((line) => `- ${line}`).join('\n'),
    operation.description.trim(),
    ...(operation.parameters.length > 0 ? ['## Parameters', parametersText(contract, operation)] : []),
    ...bodyText(contract, operation),
    '## Responses',
    ...operation.answers.flatMap(([status, answer]) => answerText(contract, status, answer, codes)),
    '## Samples',
    ...samplesOf(contract, operation).flatMap(({ name, language, code }) => [`### ${name}`, fenced(code, language)]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function parametersText(contract: Contract, { parameters }: Operation): string {
  return parameters.map(({ name, in: place, required, deprecated, schema, description, example }) => {
    const said = [`${typeText(contract, schema)} in ${place}`, required ? 'required' : 'optional', ...(deprecated ? ['deprecated'] : []), ...limitsOf(contract.resolve(schema)), ...valuesOf(contract, schema)];
    const shown = example === undefined ? '' : ` Example: \`${[example].flat().join(',')}\`.`;
    return `- \`${name}\` (${said.join('; ')}): ${oneLine(description)}${shown}`;
  }).join('\n');
}

function bodyText(contract: Contract, { body }: Operation): string[] {
  if (!body) return [];
  const types = Object.keys(body.content).map((type) => `\`${type}\``).join(' or ');
  return ['## Body', `${body.required ? 'Required' : 'Optional'}. Media type: ${types}.`, ...mediaText(contract, body.content)];
}

function answerText(contract: Contract, status: string, answer: Operation['answers'][number][1], codes: Map<string, Code>): string[] {
  const listed = (answer['x-codes'] ?? []).map((code) => `- [\`${code}\`](/reference/codes/${code}.md): ${codes.get(code)?.means ?? ''}`);
  const title = `### ${status} ${STATUS_WORDS[status] ?? ''}`.trim();
  if (answer.isShared && listed.length > 0) return [title, listed.join('\n')];
  const head = [title, answer.description.trim()];
  return listed.length > 0 ? [...head, listed.join('\n')] : [...head, ...(Number(status) < 400 ? mediaText(contract, answer.content ?? {}) : [])];
}

function mediaText(contract: Contract, content: Record<string, Media>): string[] {
  const [type, media] = Object.entries(content)[0] ?? [];
  if (!type || !media) return [];
  const fields = media.schema ? fieldsText(contract, media.schema, 0, []) : '';
  const [example] = examplesOf(media);
  const shown = example && (typeof example.value === 'string' && !type.includes('json') ? fenced(example.value, '') : fenced(JSON.stringify(example.value, null, 2), 'json'));
  return [...(fields ? [fields] : []), ...(shown ? [shown] : [])];
}

function typeText(contract: Contract, schema: Schema): string {
  const { schema: meant, nullable } = withoutNull(schema);
  const whole = contract.resolve(meant);
  const inner = withoutNull(whole);
  if (inner.nullable) return typeText(contract, whole);
  const bare = whole.type === 'array' ? `array of ${whole.items ? typeText(contract, whole.items) : 'any value'}` : (nameOf(meant) ?? [whole.type ?? 'any value'].flat().join(' or '));
  return nullable ? `${bare} or null` : bare;
}

function valuesOf(contract: Contract, schema: Schema): string[] {
  const whole = contract.resolve(withoutNull(schema).schema);
  const inner = whole.type === 'array' && whole.items ? contract.resolve(whole.items) : whole;
  return inner.enum ? [`one of ${inner.enum.map((value) => `\`${value}\``).join(', ')}`] : [];
}

function fieldsText(contract: Contract, schema: Schema, depth: number, seen: string[]): string {
  const { schema: meant } = withoutNull(schema);
  const name = nameOf(meant);
  if (depth >= DEEPEST || (name && seen.includes(name))) return '';
  const path = name ? [...seen, name] : seen;
  const whole = contract.resolve(meant);
  if (whole.type === 'array' && whole.items) return fieldsText(contract, whole.items, depth, path);
  const parts = [...(whole.allOf ?? []), ...(whole.oneOf ?? []), ...(whole.anyOf ?? [])].map((part) => fieldsText(contract, part, depth, path));
  const own = Object.entries(whole.properties ?? {}).map(([field, of]) => {
    const resolved = contract.resolve(withoutNull(of).schema);
    const said = [typeText(contract, of), ...(whole.required?.includes(field) ? ['required'] : []), ...(resolved.deprecated ? ['deprecated'] : []), ...limitsOf(resolved), ...valuesOf(contract, of)];
    const below = fieldsText(contract, of, depth + 1, path);
    return `${'  '.repeat(depth)}- \`${field}\` (${said.join('; ')}): ${oneLine(resolved.description ?? '')}${below && `\n${below}`}`;
  });
  return [...own, ...parts].filter((part) => part !== '').join('\n');
}

export function codeText(code: Code): string {
  const operations = code.operations.map((operation) => `- [${operation.title}](/reference/operations/${operation.id}.md)`);
  const parts = [
    `# ${code.code}`,
    `${code.title}. HTTP status ${code.statuses.join(' or ')}.`,
    `## Meaning\n\n${code.means}`,
    `## What to do\n\n${code.do}`,
    ...(operations.length > 0 ? [`## Operations that return it\n\n${operations.join('\n')}`] : []),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** A concept. Its links to other concepts and to pages of the reference go to their Markdown. */
export function conceptText({ title, summary, text }: Concept): string {
  const linked = text.replace(/\]\(\/reference\/(concepts|codes|operations)\/([\w-]+)(#[\w-]+)?\)/g, '](/reference/$1/$2.md$3)');
  return `# ${title}\n\n${summary}\n\n${linked}\n`;
}

/** The first page, which llms.txt links to. */
export function firstText(contract: Contract): string {
  return `# Labs, API reference\n\n${contract.summary} Version ${contract.version}.\n\n${contract.description.trim()}\n`;
}

/** The terms with their definitions, one per line. */
export function glossaryText(terms: Term[]): string {
  const lines = terms.map(({ term, definition, names }) => `- **${term}**: ${definition}${names.length > 0 ? ` (${names.map((name) => `\`${name}\``).join(', ')})` : ''}`);
  return `# Glossary\n\nThe terms that the contract, the documentation and the pages use, with names of the contract in brackets. \`*\` represents any text.\n\n${lines.join('\n')}\n`;
}

/** An index of everything in Markdown, as llmstxt.org describes it. */
export function indexText(contract: Contract, codes: Code[], concepts: Concept[]): string {
  const sections = AUDIENCE_ORDER.flatMap((audience) => {
    const here = contract.operations.filter((operation) => operation.audience === audience);
    return grouped(here, (operation) => operation.group).map(([group, members]) => `## ${AUDIENCES[audience].title}: ${titled(group)}\n\n${members.map(indexLine).join('\n')}`);
  });
  return `${[
    '# Labs',
    `> ${contract.summary}`,
    `A REST API with JSON bodies and OAuth 2.0 bearer tokens, version ${contract.version}. Every concept, operation and error code has a Markdown page, listed here. The same address without \`.md\` is the HTML page. An operation has its method and path, the scope that it requires, and the [access of agents](/reference/concepts/agents.md#access).`,
    '## Start here\n\n- [How the API works](/reference/index.md): first calls, tokens, scopes, errors, lists, versions\n- [Glossary](/reference/glossary.md): terms and the names that the contract has for them\n- [The contract](/v1/publication/public/api-reference): OpenAPI 3.1 in YAML\n- [Changelog](/changelog): changes of the API by release. Append `.md` to the address of an entry for Markdown\n- [Skill for agents](/.well-known/agent-skills/labs-api/SKILL.md): how an agent uses the API\n- [Blog](/blog): posts for developers. Append `.md` to the address of a post for Markdown',
    `## Concepts\n\n${concepts.map(({ name, title, summary }) => `- [${title}](/reference/concepts/${name}.md): ${summary}`).join('\n')}`,
    ...sections,
    `## Error codes\n\n${codes.map((code) => `- [${code.code}](/reference/codes/${code.code}.md): ${code.title}`).join('\n')}`,
  ].join('\n\n')}\n`;
}

function indexLine(operation: Operation): string {
  return `- [${operation.title}](/reference/operations/${operation.id}.md): \`${operation.method} ${operation.path}\`, ${accessWords(operation)}, \`${operation.agentic}\``;
}
