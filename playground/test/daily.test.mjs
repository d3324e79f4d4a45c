// Tests the daily tasks of staff in the playground, against the service in LABS_TEST_BASE or else against the mock. The
// service may contain nothing but its staff and its jobs.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { complaints } from './browser.mjs';
import { answerTo, execute, openAndRun, openQuestion, run, signedIn, startService, write } from './house.mjs';

const REFUSED = [400, 403, 401].map((status) => ({ path: '/playground/graphql', status }));

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

const JOBS = 'query jobs { admin_jobs_list { data { code state purpose } } }';
const RUN_JOB = 'mutation tidy { admin_jobs_run(job_code: TIDYING) { uuid state } }';

const badge = (page) => page.locator('.answer .badge').first();

test('response and audit record belong to their tab', async () => {
  const page = await staff.open();
  const good = await openAndRun(page, 'Latest audit records', 'audit_latest');
  await page.getByText('200', { exact: true }).waitFor();

  await page.getByRole('button', { name: 'New tab' }).click();
  await page.locator('.answer .line').first().waitFor({ state: 'detached' });
  await write(page, 'query wrong { no_such_field }');
  const bad = await run(page, 'wrong');
  await badge(page).getByText('422').waitFor();
  assert.equal(await page.getByTestId('request-id').textContent(), bad.requestId);

  await page.getByRole('tab', { name: 'audit_latest' }).click();
  await badge(page).getByText('200').waitFor();
  assert.equal(await page.getByTestId('request-id').textContent(), good.requestId);
  assert.equal(await page.locator('.answer .refusal').count(), 0);
  const finding = answerTo(page, 'audit_of_a_request');
  await page.getByRole('button', { name: 'Find its audit record' }).click();
  const found = await finding;
  assert.deepEqual(new Set(found.body.data.admin_audit_records_list.data.map(({ request_id }) => request_id)), new Set([good.requestId]));
  assert.deepEqual(complaints(staff.watch, service.base, REFUSED), []);
  await page.close();
});

test('late response is shown in the tab of its query', async () => {
  const page = await staff.open();
  const [arrived, release] = [deferred(), deferred()];
  await page.route('**/playground/graphql', async (route) => {
    if (route.request().postDataJSON().query !== JOBS) return route.continue();
    arrived.resolve();
    await release.promise;
    return route.continue();
  });
  await write(page, JOBS);
  await execute(page);
  await arrived.promise;
  await page.getByRole('button', { name: 'New tab' }).click();
  const answered = answerTo(page, 'jobs');
  release.resolve();
  await answered;
  // The active tab does not show the other tab's response, and can run its own query.
  await write(page, 'query me { system_me_get { principal_type } }');
  await run(page, 'me');
  await page.locator('.graphiql-response').getByText('system_me_get').waitFor();
  assert.equal(await page.locator('.graphiql-response').getByText('admin_jobs_list').count(), 0);

  await page.getByRole('tab', { name: 'jobs' }).click();
  await page.locator('.graphiql-response').getByText('admin_jobs_list').waitFor();
  await badge(page).getByText('200').waitFor();
  await page.close();
});

function deferred() {
  const made = {};
  made.promise = new Promise((resolve) => (made.resolve = resolve));
  return made;
}

test('errors show detail, position and only permitted names', async () => {
  const page = await staff.open();
  await write(page, 'query broken {\n  admin_jobs_list( { data { code } }\n}');
  await execute(page);
  const refusal = page.locator('.answer .refusal');
  await refusal.getByText('Syntax error').waitFor();
  await refusal.getByText('Expected Name, found "{".').waitFor();
  await refusal.getByRole('button', { name: 'line 2, column 20' }).click();
  await page.keyboard.insertText('limit: 1');
  await page.locator('.graphiql-query-editor .view-lines').getByText('admin_jobs_list( limit: 1{').waitFor();

  await write(page, 'query near { admin_audit_record_list { data { uuid } } }');
  await execute(page);
  await refusal.getByText('The schema has no root field `admin_audit_record_list`. Did you mean "admin_audit_records_list"?').waitFor();
  await page.close();

  const other = await limited.open();
  await write(other, 'query near { admin_audit_record_list { data { uuid } } }');
  await execute(other);
  await other.locator('.answer .refusal').getByText('The schema has no root field `admin_audit_record_list`.').waitFor();
  assert.doesNotMatch(await other.locator('.answer .refusal').innerText(), /Did you mean|records/);
  await other.close();
});

test('editor suggests only permitted names', { skip: process.env.LABS_TEST_BASE ? false : 'the mock does not show the schema to the limited user' }, async () => {
  const page = await limited.open();
  await write(page, 'query near { admin_audit_record_list { data { uuid } } marketplace_submission_list { data { uuid } } }');
  await page.locator('.graphiql-query-editor .squiggly-error').nth(1).waitFor();
  await page.waitForFunction(() => globalThis.__MONACO.editor.getModelMarkers({ owner: 'graphql' }).some(({ message }) => /"marketplace_submissions_list"/.test(message)));
  const messages = await page.evaluate(() => globalThis.__MONACO.editor.getModelMarkers({ owner: 'graphql' }).map(({ message }) => message));
  assert.ok(messages.every((message) => !message.includes('admin_audit_records')), messages.join('\n'));
  await page.close();
});

test('queries without permission show the missing scope', async () => {
  const page = await limited.open();
  const entry = (title) => page.locator('.questions').getByRole('button', { name: title });
  await page.locator('.beyond > summary').click();
  await entry('Latest audit records').getByText('Missing scope: labs.admin.audit').waitFor();
  assert.equal(await entry('Submissions waiting for review').getByText(/Missing scope/).count(), 0);
  await entry('Latest audit records').click();
  await page.getByText('You cannot run this query.').waitFor();
  await page.locator('.task').getByText('labs.admin.audit').waitFor();
  await page.close();

  const all = await staff.open();
  await all.locator('.questions').first().waitFor();
  assert.equal(await all.locator('.questions .needs').count(), 0, 'an administrator can run every one');
  await all.close();
});

test('response is shown as table and file, and ids are links', async () => {
  const page = await staff.open();
  await openAndRun(page, 'Latest audit records', 'audit_latest');
  const { body } = await run(page, 'audit_latest');
  const rows = body.data.admin_audit_records_list.data;
  await page.getByRole('button', { name: 'Table', exact: true }).click();
  const table = page.getByRole('region', { name: 'Response as a table' });
  assert.equal(await table.locator('tbody tr').count(), rows.length);
  assert.deepEqual((await table.locator('thead th').allTextContents()).slice(0, 5), ['uuid', 'recorded_at', 'operation', 'outcome', 'actor.kind']);
  assert.ok(!(await page.locator('.result-window').isVisible()));

  const csv = await saved(page, 'Download CSV');
  assert.equal(csv.name, 'audit_latest.csv');
  const lines = csv.text.split('\r\n');
  assert.equal(lines.length, rows.length + 2, 'names, rows, and an end');
  assert.ok(lines[1].startsWith(`${rows[0].uuid},${rows[0].recorded_at},`));
  const json = await saved(page, 'Download JSON');
  assert.deepEqual(JSON.parse(json.text), body);

  const actor = rows[0].actor.uuid;
  const opened = answerTo(page, 'admin_staff_get');
  await table.getByTitle(`Open ${actor}`).first().click();
  assert.equal((await opened).body.data.admin_staff_get.uuid, actor);
  await page.getByRole('tab', { name: 'admin_staff_get' }).waitFor();
  assert.deepEqual(complaints(staff.watch, service.base, REFUSED), []);
  await page.close();
});

async function saved(page, button) {
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: button }).click();
  const download = await coming;
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
}

test('ids in the JSON are links', async () => {
  const page = await staff.open();
  await openAndRun(page, 'Latest audit records', 'audit_latest');
  const { body } = await run(page, 'audit_latest');
  await page.getByRole('button', { name: 'JSON', exact: true }).click();
  const { request_id } = body.data.admin_audit_records_list.data[0];
  const link = page.locator('.graphiql-response .detected-link').filter({ hasText: request_id }).first();
  const opened = answerTo(page, 'audit_of_a_request');
  // The editor recomputes its links after the text changes. A click on a link that is about to be replaced has no
  // effect.
  const tab = page.getByRole('tab', { name: 'audit_of_a_request' });
  while (!await tab.isVisible()) {
    await link.click({ modifiers: ['ControlOrMeta'] });
    await tab.waitFor({ timeout: 2000 }).catch(() => {});
  }
  const records = (await opened).body.data.admin_audit_records_list.data;
  assert.ok(records.length > 0 && records.every((record) => record.request_id === request_id));
  await page.close();
});

test('next page works with and without a cursor variable', async () => {
  const page = await staff.open();
  await openAndRun(page, 'Latest audit records', 'audit_latest');
  for (let count = 0; count < 3; count += 1) await run(page, 'audit_latest');
  await write(page, '{"limit": 1}', 'variables.json');
  const first = (await run(page, 'audit_latest')).body.data.admin_audit_records_list;
  const turned = answerTo(page, 'audit_latest');
  await page.getByRole('button', { name: 'Next page' }).click();
  const second = (await turned).body.data.admin_audit_records_list;
  assert.ok(first.page.has_more);
  assert.notEqual(second.data[0].uuid, first.data[0].uuid);
  assert.ok(second.data[0].recorded_at <= first.data[0].recorded_at);

  await write(page, 'query plain { admin_audit_records_list(limit: 1) { data { uuid } page { next_cursor has_more } } }');
  const one = (await run(page, 'plain')).body.data.admin_audit_records_list;
  const again = answerTo(page, 'plain');
  await page.getByRole('button', { name: 'Next page' }).click();
  assert.notEqual((await again).body.data.admin_audit_records_list.data[0].uuid, one.data[0].uuid);
  await page.close();
});

test('finder fills in the value of a variable and runs the query', async () => {
  const page = await staff.open();
  await openQuestion(page, 'Failed runs of a job');
  const sent = page.waitForRequest((request) => request.postData()?.includes('query job_failures'));
  const answered = answerTo(page, 'job_failures');
  await page.getByRole('combobox', { name: 'Job' }).fill('tidying');
  await page.getByRole('option', { name: /^TIDYING · / }).click();
  assert.deepEqual((await sent).postDataJSON().variables, { limit: 20, job_code: 'TIDYING' });
  assert.equal((await answered).body.errors, undefined);
  assert.match(await page.getByRole('combobox', { name: 'Job' }).inputValue(), /^TIDYING · /);
  assert.deepEqual(complaints(staff.watch, service.base, REFUSED), []);
  await page.close();
});

test('link opens a query without running it, and mutations ask for confirmation', async () => {
  const from = await staff.open();
  await write(from, RUN_JOB);
  await from.getByRole('button', { name: 'Link to this query' }).click();
  const link = await from.getByLabel('Link', { exact: true }).inputValue();
  await from.close();
  assert.equal(new URL(link).pathname, '/playground');
  assert.equal(new URL(link).search, '', 'nothing of the question reaches a server');

  const page = await staff.open(new URL(link).hash);
  const sent = [];
  page.on('request', (request) => request.postData()?.includes('admin_jobs_run(') && sent.push(request));
  await page.getByRole('tab', { name: 'tidy' }).waitFor();
  assert.equal(new URL(page.url()).hash, '#/queries', 'a reload does not hand it over again');
  await page.locator('.graphiql-query-editor .monaco-editor').click();
  await page.keyboard.press('ControlOrMeta+Enter');
  const asking = page.getByRole('dialog', { name: 'Run this mutation?' });
  await asking.getByText('admin_jobs_run', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await asking.waitFor({ state: 'detached' });
  await page.locator('.graphiql-response').getByText('Not run.').waitFor();
  assert.equal(sent.length, 0);

  await execute(page);
  await asking.waitFor();
  const answered = answerTo(page, 'tidy');
  await page.keyboard.press('Enter');
  assert.ok((await answered).body.data.admin_jobs_run.uuid);
  assert.equal(sent.length, 1);
  assert.deepEqual(complaints(staff.watch, service.base, REFUSED), []);
  await page.close();
});

test('link opens a new tab in an open page', async () => {
  const page = await staff.open();
  await write(page, JOBS);
  await page.evaluate((query) => (location.hash = new URLSearchParams({ query, variables: '{"a": 1}' }).toString()), 'query handed($a: Int) { admin_jobs_list(limit: $a) { data { code } } }');
  await page.getByRole('tab', { name: 'handed' }).waitFor();
  await page.getByRole('tab', { name: 'jobs' }).waitFor();
  await page.locator('.graphiql-editor-tool').getByText('"a"').waitFor();
  await page.close();
});
