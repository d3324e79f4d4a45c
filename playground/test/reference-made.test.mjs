// Tests the output that the build generates from the contract, without a browser.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';
import { readTexts } from '../reference/texts.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const load = async (path) => (await runnerImport(here(path), { configFile: false, logLevel: 'error' })).module;
const [made, codes, samples] = await Promise.all(['../reference/make/index.ts', '../reference/make/codes.ts', '../reference/make/samples/index.ts'].map(load));

const texts = await readTexts();
const { contract: contractText, codes: codesText, glossary: glossaryText } = texts;
const contract = made.readContract(contractText);
const site = made.makeSite(texts);
const pages = site.pages(readFileSync(here('../reference/index.html'), 'utf8'));
const file = (name) => site.files.get(name) ?? site.files.get(`${site.pieces.slice(1)}${name}`);
const json = (name) => JSON.parse(file(name));

// The same build with one deprecated operation whose texts look like HTML.
const changed = made.makeSite({
  ...texts,
  contract: contractText
    .replace('operationId: marketplace_apps_create\n', 'operationId: marketplace_apps_create\n      deprecated: true\n')
    .replace('summary: Create an app', 'summary: Create <img src=x> an app')
    .replace('Creates a new app in state `DRAFT`.', 'Creates <script>alert(1)</script> a new app.'),
});
const altered = (name) => changed.files.get(`${changed.pieces.slice(1)}${name}`);
const count = Number(/^ +total: (\d+)$/m.exec(contractText)[1]);

test('every operation has page, link, index entry and Markdown', () => {
  assert.equal(contract.operations.length, count);
  const listed = new Set(json('index.json').operations.map(([id]) => id));
  for (const { id, path, method } of contract.operations) {
    assert.ok(json(`operations/${id}.json`).html.includes(`data-operation="${id}"`), id);
    assert.ok(site.navigation.includes(`href="/reference/operations/${id}"`), id);
    assert.ok(listed.has(id), id);
    assert.ok(file(`reference/operations/${id}.md`).includes(`\`${method} ${path}\``), id);
    assert.ok(file('llms.txt').includes(`(/reference/operations/${id}.md)`), id);
  }
});

test('every operation, code and concept has a complete page', () => {
  const { codes: known, operations } = contract;
  assert.equal(pages.size, operations.length + known.length + texts.concepts.size + 2, 'and the first page and the one of unknown addresses');
  for (const { id, path, title } of operations) {
    const page = pages.get(`reference/operations/${id}.html`);
    assert.ok(page.includes(`<title>${title.replaceAll("'", '&#39;')} · Labs API reference</title>`), id);
    assert.ok(page.includes(`data-place="operations/${id}"`) && page.includes(`data-path="${path}"`), id);
    assert.ok(page.includes(`href="/reference/operations/${id}"`), 'the navigation has its group');
    assert.ok(!/%(title|description|place|pieces|navigation|content)%/.test(page), id);
    assert.ok(page.length < 600_000, id);
  }
  assert.ok(pages.get('reference/codes/NOT_FOUND.html').includes('What to do'));
  assert.ok(pages.get('reference/missing.html').includes('data-nearest'));
});

test('Markdown of an operation has all samples', () => {
  for (const { id } of contract.operations) {
    const text = file(`reference/operations/${id}.md`);
    for (const part of ['### curl\n\n```bash\n', '### TypeScript\n\n```typescript\n', '### Python\n\n```python\n']) assert.ok(text.includes(part), `${id}: ${part}`);
  }
});

test('links between pages have targets', () => {
  const [folder, broken] = [site.pieces.slice(1), new Set()];
  for (const [name, text] of site.files) {
    if (!name.endsWith('.json') || /\/(index|fields|texts)\.json$/.test(name)) continue;
    for (const [, kind, to] of JSON.parse(text).html.matchAll(/href="\/reference[/#]+(concepts|operations|codes|scopes|schemas)\/([^"#]+)(?:#[^"]*)?"/g)) {
      const piece = to.endsWith('.md') ? `reference/${kind}/${to}` : `${folder}${kind}/${to.replace(':', '-')}.json`;
      if (!site.files.has(piece)) broken.add(`${name}: ${to}`);
    }
  }
  assert.deepEqual([...broken], []);
});

test('same contract gives the same bytes', () => {
  const { pages: _, ...again } = made.makeSite(texts);
  const { pages: __, ...once } = site;
  assert.deepEqual(again, once);
});

test('build fails for a code without description', () => {
  for (const code of contract.codes) {
    assert.match(json(`codes/${code}.json`).html, /Meaning.*What to do/s, code);
    assert.match(file(`reference/codes/${code}.md`), /## Meaning\n\n.+\n\n## What to do\n\n.+/, code);
  }
  const read = (text) => () => codes.readCodes(text, contract);
  assert.throws(read(codesText.replace(/^NOT_FOUND:\n(?:  .*\n)+/m, '')), /NOT_FOUND has no description/);
  assert.throws(read(codesText.replace(/^(NOT_FOUND:\n  title: .*\n)  means: .*\n/m, '$1')), /NOT_FOUND needs a sentence in means/);
  assert.throws(read(`${codesText}NO_SUCH:\n  title: None\n  means: None.\n  do: Nothing.\n`), /NO_SUCH is not a code/);
});

test('glossary has all terms and only names of the contract', () => {
  const { html } = json('pages/glossary.json');
  const terms = [...glossaryText.matchAll(/^\| (?!term \|)([^|]+) \|/gm)].map(([, term]) => term);
  assert.ok(terms.length > 50);
  for (const term of terms) {
    assert.ok(html.includes(`>${term}</dt>`), term);
    assert.ok(file('reference/glossary.md').includes(`- **${term}**: `), term);
  }
  assert.match(html, /<a href="\/reference\/operations\/auth_sessions_create">/);
  assert.match(html, /<code>X-RateLimit-Daily-\*<\/code>/);
  assert.doesNotMatch(html, /<code>[^<]*(\.rs|\.yaml|app_version)/);
  assert.ok(site.navigation.includes('href="/reference#/glossary"') && file('llms.txt').includes('(/reference/glossary.md)'));
  assert.throws(() => made.makeSite({ ...texts, glossary: '| one | cell\n' }), /a row needs three cells/);
});

test('operations are grouped by audience', () => {
  const audiences = new Map(contract.operations.map(({ id, audience }) => [id, audience]));
  const expected = { marketplace_apps_create: 'partner', system_me_get: 'partner', marketplace_listings_search: 'storefront', admin_partners_list: 'staff', marketplace_submissions_get: 'staff', auth_sessions_refresh: 'public', system_health_get: 'public' };
  for (const [id, audience] of Object.entries(expected)) assert.equal(audiences.get(id), audience, id);
  const lists = site.navigation.split('<div data-audience=').slice(1);
  const of = Object.fromEntries(lists.map((list) => [/^"(\w+)"/.exec(list)[1], [...list.matchAll(/operations\/(\w+)"/g)].map(([, id]) => id)]));
  assert.equal(Object.values(of).flat().length, count, 'each once');
  for (const [id, audience] of audiences) assert.ok(of[audience].includes(id), id);
});

test('HTML in the contract is shown as text', () => {
  const { html } = JSON.parse(altered('operations/marketplace_apps_create.json'));
  assert.ok(html.includes('&lt;script&gt;alert(1)') && html.includes('Create &lt;img src=x&gt;'));
  assert.doesNotMatch(html + changed.navigation, /<script|<img|style=/);
});

test('deprecated operation is marked everywhere', () => {
  assert.match(JSON.parse(altered('operations/marketplace_apps_create.json')).html, /class="warning">Deprecated/);
  assert.match(JSON.parse(altered('pages/changes.json')).html, /Deprecated<\/h2>.*marketplace_apps_create.*Added<\/h2>/s);
  assert.doesNotMatch(json('pages/changes.json').html, /Deprecated<\/h2>.*marketplace_apps_create.*Added<\/h2>/s);
  assert.match(changed.files.get('reference/operations/marketplace_apps_create.md'), /^- Deprecated$/m);
});

test('every sample is valid and has a new idempotency key', () => {
  const folder = mkdtempSync(join(tmpdir(), 'labs-samples-'));
  try {
    for (const operation of contract.operations) {
      const [curl, typescript, python] = samples.samplesOf(contract, operation).map(({ code }) => code);
      writeFileSync(join(folder, `${operation.id}.sh`), curl);
      writeFileSync(join(folder, `${operation.id}.ts`), typescript);
      writeFileSync(join(folder, `${operation.id}.py`), python);
      if (!operation.parameters.some(({ name }) => name === 'Idempotency-Key')) continue;
      assert.match(curl, /^key=\$\(uuidgen .*\)$/m, operation.id);
      assert.match(typescript, /'Idempotency-Key': crypto\.randomUUID\(\)/, operation.id);
      assert.match(python, /"Idempotency-Key": str\(uuid\.uuid4\(\)\)/, operation.id);
    }
    execFileSync('bash', ['-c', 'for file in *.sh; do bash -n "$file" || exit 1; done'], { cwd: folder });
    execFileSync('python3', ['-c', 'import glob\nfor name in glob.glob("*.py"): compile(open(name).read(), name, "exec")'], { cwd: folder });
    const compilerOptions = { target: 'ES2022', module: 'ESNext', moduleResolution: 'bundler', moduleDetection: 'force', lib: ['ES2022', 'DOM'], types: ['node'], typeRoots: [here('../node_modules/@types')], strict: true, noEmit: true, skipLibCheck: true };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    execFileSync(here('../node_modules/.bin/tsc'), ['-p', folder], { stdio: ['ignore', 'inherit', 'inherit'] });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
