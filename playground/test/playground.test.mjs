// Tests the playground in a real Chromium, against the service in LABS_TEST_BASE or else against the mock.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { complaints, openBrowser } from './browser.mjs';
import { answerTo, editorReady, enterCredentials, openAndRun, openQuestion, run, signIn, SIGN_IN_REFUSALS, startService } from './house.mjs';

let service;
before(async () => {
  service = await startService();
});
after(() => service.close());

test('staff member signs in, queries, finds the audit record, signs out', async () => {
  const { page, context, watch, close } = await openBrowser();
  const tokens = [];
  context.on('response', async (response) => {
    if (/:(verify-mfa|refresh)$/.test(response.url()) && response.ok()) tokens.push((await response.json()).access_token);
  });
  try {
    await signIn(page, service.base, service.staff);

    const first = await openAndRun(page, 'Latest audit records', 'audit_latest');
    assert.equal(first.status, 200);
    assert.equal(first.body.errors, undefined);
    assert.ok(Array.isArray(first.body.data.admin_audit_records_list.data));
    assert.ok(first.requestId);
    await page.locator('.graphiql-response').getByText('admin_audit_records_list').first().waitFor();
    assert.equal(await page.getByTestId('request-id').textContent(), first.requestId);

    const found = answerTo(page, 'audit_of_a_request');
    await page.getByRole('button', { name: 'Find its audit record' }).click();
    const second = await found;
    const records = second.body.data.admin_audit_records_list.data;
    const told = records.map(({ request_id, operation, outcome }) => ({ request_id, operation, outcome }));
    assert.deepEqual(told, [{ request_id: first.requestId, operation: 'admin_audit_records_list', outcome: 'SUCCEEDED' }]);

    await page.waitForTimeout(1000); // the editor writes its tabs down half a second late
    await page.reload();
    await editorReady(page);
    await page.getByRole('tab', { name: 'audit_of_a_request' }).waitFor();
    assert.ok(tokens.length >= 2, 'one token from the sign-in, one after the reload');
    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
    for (const token of tokens) assert.ok(!stored.includes(token), 'a token was stored');

    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByLabel('E-mail').waitFor();
    await page.reload();
    await page.getByLabel('E-mail').waitFor();
    assert.equal(await page.evaluate(() => sessionStorage.length), 0);
    assert.deepEqual(complaints(watch, service.base, SIGN_IN_REFUSALS), []);
  } finally {
    await close();
  }
});

test('sign-in ends on the start page, whose lists the service accepts', async () => {
  for (const person of [service.staff, service.limited]) {
    const { page, watch, close } = await openBrowser();
    try {
      await page.goto(`${service.base}/playground`);
      await enterCredentials(page, person);
      await page.getByRole('heading', { name: 'Start', exact: true }).waitFor();
      const isLoaded = () => page.waitForFunction(() => !document.querySelector('.view .loading'));
      await isLoaded();
      while (await page.getByRole('button', { name: 'Show entries' }).count()) await page.getByRole('button', { name: 'Show entries' }).first().click();
      await isLoaded();
      assert.deepEqual(await page.locator('.view .refusal').allTextContents(), []);
      assert.deepEqual(complaints(watch, service.base, SIGN_IN_REFUSALS), []);
    } finally {
      await close();
    }
  }
});

test('user without the audit scope sees the missing scope', async () => {
  const { page, watch, close } = await openBrowser();
  try {
    await signIn(page, service.base, service.limited);

    await openQuestion(page, 'Latest audit records');
    const { body } = await run(page, 'audit_latest');
    assert.equal(body.data?.admin_audit_records_list, undefined);
    const refusal = page.locator('.answer .refusal');
    await refusal.getByText('SCOPE_MISSING').waitFor();
    await refusal.getByText('labs.admin.audit', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Show Your scopes' }).click();
    await page.getByLabel(/^Search/).fill('labs.admin.audit');
    await page.getByText('Your token does not include labs.admin.audit.').waitFor();
    assert.deepEqual(complaints(watch, service.base, [...SIGN_IN_REFUSALS, { path: '/playground/graphql', status: 403 }]), []);
  } finally {
    await close();
  }
});
