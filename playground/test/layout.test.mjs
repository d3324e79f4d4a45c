// Tests what surrounds the queries: tables, columns, keyboard, tabs, sign-out in several tabs, and the password reset.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { complaints, openBrowser } from './browser.mjs';
import { editorReady, openAndRun, openQuestion, signedIn, startService, write } from './house.mjs';

let service;
let staff;
before(async () => {
  service = await startService();
  staff = await signedIn(service, service.staff);
});
after(async () => {
  await staff?.close();
  await service.close();
});

const table = (page) => page.getByRole('region', { name: 'Response as a table' });
async function headings(page) {
  await table(page).locator('thead th').first().waitFor();
  return table(page).locator('thead').last().locator('th').allTextContents();
}

test('chosen columns are remembered and decide about the CSV file', async () => {
  const page = await staff.open();
  await openAndRun(page, 'Latest audit records', 'audit_latest');
  await openAndRun(page, 'Latest audit records', 'audit_latest');
  const before = await headings(page);
  assert.ok(before.includes('operation') && before.includes('outcome'));
  await page.getByRole('button', { name: 'Columns' }).click();
  const dialog = page.getByRole('dialog', { name: 'Columns' });
  assert.ok(await dialog.getByRole('checkbox', { name: 'uuid', exact: true }).isDisabled(), 'the first column is always shown');
  await dialog.getByRole('checkbox', { name: 'outcome' }).uncheck();
  await page.keyboard.press('Escape');
  const after = before.filter((name) => name !== 'outcome');
  assert.deepEqual(await headings(page), after);

  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV' }).click();
  const csv = await readFile(await (await coming).path(), 'utf8');
  assert.equal(csv.split('\r\n')[0], after.join(','));

  await page.reload();
  await editorReady(page);
  await openAndRun(page, 'Latest audit records', 'audit_latest');
  assert.deepEqual(await headings(page), after);
  const stored = await page.evaluate(() => JSON.stringify(localStorage));
  assert.ok(stored.includes('admin_audit_records_list') && !stored.includes('SUCCEEDED'), 'names only');
  await page.getByRole('button', { name: 'Columns' }).click();
  await dialog.getByRole('button', { name: 'Show all' }).click();
  await page.keyboard.press('Escape');
  assert.deepEqual(await headings(page), before);
  await page.close();
});

test('rows are one line high and the first column stays in view', async () => {
  const page = await staff.open();
  await openAndRun(page, 'Latest audit records', 'audit_latest');
  await openAndRun(page, 'Latest audit records', 'audit_latest');
  const cells = table(page).locator('tbody tr').first().locator('td');
  await cells.first().waitFor();
  assert.ok((await cells.first().boundingBox()).height < 36);
  await page.setViewportSize({ width: 800, height: 800 });
  const left = (await cells.first().boundingBox()).x;
  await table(page).evaluate((region) => (region.scrollLeft = 300));
  assert.ok(await table(page).evaluate((region) => region.scrollLeft) > 50, 'the table is wider than the window');
  assert.equal((await cells.first().boundingBox()).x, left);
  await page.close();
});

test('query is folded, and a key shows it', async () => {
  const page = await staff.open();
  await openAndRun(page, 'Latest audit records', 'audit_latest');
  const editors = page.locator('.graphiql-editors');
  assert.ok(!(await editors.isVisible()));
  await page.locator('.query-line code').getByText('query audit_latest').waitFor();
  const narrow = (await page.locator('.graphiql-response').boundingBox()).width;
  await page.locator('.query-line button').focus();
  await page.keyboard.press('q');
  await editors.waitFor();
  assert.ok((await page.locator('.graphiql-response').boundingBox()).width < narrow, 'the response has the width of the folded query');
  await page.keyboard.press('q');
  await editors.waitFor({ state: 'hidden' });
  await page.close();
});

test('query that a link or a user has changed is not folded', async () => {
  const page = await staff.open();
  await openAndRun(page, 'Latest audit records', 'audit_latest');
  const text = await page.evaluate(() => globalThis.__MONACO.editor.getModels().find(({ uri }) => uri.path.endsWith('operation.graphql')).getValue());
  await write(page, text.replace('admin_audit_records_list(', 'other: admin_audit_records_list('));
  await page.locator('.graphiql-editors').waitFor();
  await page.close();
});

test('shortcuts are listed, work, and can be turned off', async () => {
  const page = await staff.open();
  await page.getByRole('button', { name: 'New tab' }).focus();
  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await sheet.getByText('Show or fold the query').waitFor();
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'detached' });
  await page.keyboard.press('s');
  await page.waitForFunction(() => document.activeElement.id === 'question-search');
  await page.keyboard.type('?');
  assert.equal(await page.locator('#question-search').inputValue(), '?', 'a key is text in a field');
  await page.locator('#question-search').fill('');

  await page.getByRole('button', { name: /^Keyboard shortcuts/ }).click();
  await sheet.getByRole('checkbox').uncheck();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'New tab' }).focus();
  await page.keyboard.press('?');
  assert.equal(await sheet.count(), 0);
  await page.getByRole('button', { name: /^Keyboard shortcuts/ }).click();
  await sheet.getByRole('checkbox').check();
  await page.keyboard.press('Escape');
  await page.close();
});

test('skip link leads to the task, and the active tab is in view', async () => {
  const page = await staff.open();
  await openQuestion(page, 'Claim a submission');
  await page.getByRole('link', { name: 'Skip to the task' }).focus();
  await page.keyboard.press('Enter');
  assert.ok(await page.locator('#task').evaluate((task) => task.contains(document.activeElement)));
  for (let count = 0; count < 12; count += 1) await page.getByRole('button', { name: 'New tab' }).click();
  const [tab, bar] = await Promise.all([page.getByRole('tab', { selected: true }).boundingBox(), page.locator('.graphiql-session-header').boundingBox()]);
  assert.ok(tab.x >= bar.x && tab.x + tab.width <= bar.x + bar.width, `the tab is at ${tab.x}, the bar ends at ${bar.x + bar.width}`);
  await page.close();
});

test('sign-out in one tab signs out the others', async () => {
  const browser = await signedIn(service, service.staff);
  try {
    const [one, other] = [await browser.open(), await browser.open()];
    await openQuestion(other, 'Claim a submission');
    await one.getByRole('button', { name: 'Sign out', exact: true }).click();
    await other.getByText('You have signed out in another tab').waitFor();
    assert.equal(await other.evaluate(() => sessionStorage.length), 0, 'its queries are deleted');
  } finally {
    await browser.close();
  }
});

test('forgotten password is reset without revealing whether the address exists', async () => {
  const { page, watch, close } = await openBrowser();
  try {
    await page.goto(`${service.base}/playground`);
    await page.getByLabel('E-mail').fill('nobody@labs.example');
    await page.getByRole('button', { name: 'Forgot your password?' }).click();
    assert.equal(await page.getByLabel('E-mail').inputValue(), 'nobody@labs.example');
    const sent = page.waitForRequest((request) => request.url().endsWith('/v1/auth/password-resets'));
    await page.getByRole('button', { name: 'Send the link' }).click();
    assert.deepEqual((await sent).postDataJSON(), { email: 'nobody@labs.example' });
    await page.getByText('If the address has an account').waitFor();
    await page.getByText('valid for 60 minutes').waitFor();
    await page.getByRole('button', { name: 'Back to sign-in' }).click();
    await page.getByLabel('Password').waitFor();
    assert.deepEqual(complaints(watch, service.base, [{ path: '/v1/auth/sessions:refresh', status: 401 }]), []);
  } finally {
    await close();
  }
});
