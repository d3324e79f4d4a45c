// Walks every saved query: as a staff member with its scopes, and as a staff member without them. Against a real service,
// only queries that need no value run.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';
import { complaints } from './browser.mjs';
import { answerTo, openQuestion, signedIn, startService, write } from './house.mjs';

const { QUESTIONS } = (await runnerImport(fileURLToPath(new URL('../page/src/questions.ts', import.meta.url)), { configFile: false, logLevel: 'error' })).module;
const REFUSED = [{ path: '/playground/graphql', status: 403 }];
const isReal = Boolean(process.env.LABS_TEST_BASE);
/** Steps of a task: open it, choose each value, run it. Typing a text is not a step. A record page knows more of the values. */
const MOST_STEPS = 5;

let service;
let staff;
let limited;
before(async () => {
  service = await startService();
  staff = await signedIn(service, service.staff);
  limited = await signedIn(service, service.limited);
});
after(async () => {
  await staff?.close();
  await limited?.close();
  await service.close();
});

const runsAlone = ({ operation, variables }) =>
  operation.kind === 'query' && operation.variables.every(({ name, isRequired }) => !isRequired || JSON.parse(variables || '{}')[name]);

test('every task runs for a user with its scopes', async (context) => {
  const page = await staff.open();
  for (const question of QUESTIONS.filter((one) => !isReal || runsAlone(one))) {
    await context.test(question.title, async (inner) => {
      await write(page, '');
      const answered = answerTo(page, question.name);
      await openQuestion(page, question.title);
      const steps = runsAlone(question) ? 1 : await fillIn(page, question);
      const { status, body } = await answered;
      assert.deepEqual([status, body.errors], [200, undefined]);
      await page.locator('.answer .badge.good').waitFor();
      inner.diagnostic(`${steps} steps`);
      assert.ok(steps <= MOST_STEPS, `${steps} steps`);
    });
  }
  assert.deepEqual(complaints(staff.watch, service.base).filter((one) => !/\/media\//.test(one)), []);
  await page.close();
});

/**
 * Fills in the required fields as a user does, and runs. A query runs when its last value is chosen from a list. Returns the number
 * of steps.
 */
async function fillIn(page, { operation }) {
  const form = page.getByRole('form', { name: 'Variables' });
  const adder = form.getByRole('button', { name: 'Add finding' });
  if (await adder.isVisible()) await adder.click();
  const fields = form.locator('[aria-required="true"]');
  let steps = 1;
  for (let index = 0; index < await fields.count(); index += 1) steps += await fillField(page, fields.nth(index));
  const isChosenLast = (await fields.last().getAttribute('role')) === 'combobox';
  if (operation.kind === 'query' && isChosenLast) return steps;
  await form.getByRole('button', { name: 'Run' }).click();
  if (operation.kind === 'mutation') await page.getByRole('dialog', { name: 'Run this mutation?' }).getByRole('button', { name: 'Run' }).click();
  return steps + 1;
}

/** Returns 1 if the user chooses the value, 0 if the user types it or if it is filled in. */
async function fillField(page, field) {
  const [tag, type, role] = await field.evaluate((one) => [one.tagName, one.type, one.getAttribute('role')]);
  if (await field.inputValue() !== '') return 0;
  if (role === 'combobox') {
    await field.click();
    await page.locator('.popup').getByRole('option').first().click();
    await page.locator('.popup').waitFor({ state: 'detached' });
    return 1;
  }
  if (tag === 'SELECT') {
    await field.selectOption({ index: 1 });
    return 1;
  }
  await field.fill({ 'datetime-local': '2027-03-01T10:00', date: '2026-11-20', number: '5' }[type] ?? 'Sample 1.0');
  return /date/.test(type) ? 1 : 0;
}

test('every task that a user cannot run says why and sends nothing', { skip: isReal && 'the roles of the service decide' }, async (context) => {
  const page = await limited.open();
  const sent = [];
  page.on('request', (request) => request.url().endsWith('/playground/graphql') && sent.push(request.postDataJSON().query));
  const { scopes } = service.limited;
  for (const question of QUESTIONS.filter(({ operation }) => !/marketplace_(submissions_(list|get)|categories)/.test(operation.roots.join()))) {
    await context.test(question.title, async () => {
      await write(page, '');
      await openQuestion(page, question.title);
      await page.locator('.task h2').getByText(question.title, { exact: true }).waitFor();
      await page.locator('.task .closed').getByText('You cannot run this query.').waitFor();
    });
  }
  assert.deepEqual(sent.filter((query) => QUESTIONS.some(({ text }) => text === query)), [], `with ${scopes}`);
  assert.deepEqual(complaints(limited.watch, service.base, REFUSED), []);
  await page.close();
});

test('several findings are picked from the differences, and a broken rule is shown at its field', { skip: isReal && 'needs a claimed submission' }, async () => {
  const page = await staff.open();
  await openQuestion(page, 'Request changes to a submission');
  await page.getByRole('combobox', { name: 'Submission' }).click();
  await page.getByRole('option', { name: /^Minibar Stock/ }).click();
  const picks = page.getByRole('group', { name: 'Differences of the submission' });
  await picks.getByRole('checkbox').nth(1).waitFor();
  for (const box of await picks.getByRole('checkbox').all()) await box.check();
  const first = page.getByRole('group', { name: 'Finding 1' });
  assert.equal(await first.getByRole('combobox', { name: 'Place' }).inputValue(), '/texts/en/tagline · Orders at the table');

  await page.getByRole('form').getByRole('button', { name: 'Run' }).click();
  await first.getByText('Required.').first().waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-invalid')), 'true', 'the first missing field has the focus');

  for (const group of [first, page.getByRole('group', { name: 'Finding 2' })]) {
    await group.getByRole('combobox', { name: 'Requirement' }).click();
    await page.getByRole('option', { name: /^REQ-06/ }).click();
    await group.getByLabel(/^Observed/).fill('The tagline is in another language.');
    await group.getByLabel(/^Text/).fill('No');
  }
  await page.getByRole('form').getByRole('button', { name: 'Run' }).click();
  const answered = answerTo(page, 'submission_request_changes');
  await page.getByRole('dialog').getByRole('button', { name: 'Run' }).click();
  const { body } = await answered;
  assert.deepEqual(body.errors[0].extensions.errors.map(({ pointer }) => pointer), ['/findings/0/text', '/findings/1/text']);
  const box = page.locator('.answer .refusal');
  await box.getByRole('button', { name: 'Findings 2 Text' }).click();
  const text = page.getByRole('group', { name: 'Finding 2' }).getByLabel(/^Text/);
  assert.ok(await text.evaluate((one) => one === document.activeElement));
  assert.equal(await text.getAttribute('aria-invalid'), 'true');
  assert.match(await text.evaluate((one) => document.getElementById(one.getAttribute('aria-describedby').split(' ').at(-1)).textContent), /Send 5 to 2000 characters/);
  await text.fill('Translate the tagline.');
  assert.equal(await text.getAttribute('aria-invalid'), null, 'the message goes when the value changes');
  await page.close();
});

test('form and variables show the same values', async () => {
  const page = await staff.open();
  await write(page, 'query q($state: [JobState!], $limit: Int) { admin_jobs_list(filter: {state: $state}, limit: $limit) { data { code } } }');
  await page.getByLabel('Entries per page').fill('5');
  await page.getByRole('checkbox', { name: 'paused' }).check();
  const variables = () => page.evaluate(() => globalThis.__MONACO.editor.getModels().find(({ uri }) => uri.path.endsWith('variables.json')).getValue());
  assert.deepEqual(JSON.parse(await variables()), { limit: 5, state: ['PAUSED'] });
  await write(page, '{"limit": 7}', 'variables.json');
  await page.waitForFunction(() => document.getElementById('field-limit').value === '7');
  assert.ok(!(await page.getByRole('checkbox', { name: 'paused' }).isChecked()));
  await write(page, '{"limit": ', 'variables.json');
  await page.getByText('The variables are not a JSON object.').waitFor();
  await page.close();
});

test('entry of a list that no query reads offers the tasks for it', { skip: isReal && 'needs an open report' }, async () => {
  const page = await staff.open();
  await openQuestion(page, 'Open reports on the board');
  const table = page.getByRole('region', { name: 'Response as a table' });
  await table.locator('tbody .thing-link').first().click();
  await page.getByRole('dialog', { name: 'Tasks: report' }).getByRole('button', { name: 'Resolve a report' }).click();
  assert.notEqual(await page.getByRole('combobox', { name: 'Report' }).inputValue(), '');
  await page.close();
});
