// The reference and the front page in a real Chromium, against the service or the stand-in.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { complaints, openBrowser } from './browser.mjs';
import { startService } from './house.mjs';

let service;
before(async () => {
  service = await startService();
});
after(() => service.close());

test('the reference draws an operation, and tries it out', async () => {
  const { page, watch, close } = await openBrowser();
  try {
    await page.goto(`${service.base}/reference#/operations/system_health_get`);
    await page.getByText('/v1/system/health').first().waitFor();
    await page.getByRole('heading', { name: 'Responses' }).waitFor();

    const answered = page.waitForResponse((response) => response.url() === `${service.base}/v1/system/health`);
    await page.getByRole('button', { name: 'Send API Request' }).click();
    assert.equal((await answered).status(), 200);
    await page.getByText('200 OK').waitFor();
    assert.deepEqual(complaints(watch, service.base), []);
  } finally {
    await close();
  }
});

test('a token that is typed into the reference is not kept', async () => {
  const { page, watch, close } = await openBrowser();
  try {
    await page.goto(`${service.base}/reference#/operations/marketplace_apps_list`);
    await page.getByLabel('Token').fill('Bearer not-to-be-kept');
    await page.getByText('Bearer not-to-be-kept').first().waitFor(); // in the sample beside it
    await page.goto(`${service.base}/`);
    assert.equal(await page.evaluate(() => localStorage.length + sessionStorage.length), 0);
    assert.deepEqual(complaints(watch, service.base), []);
  } finally {
    await close();
  }
});

test('every link of the front page leads somewhere', async () => {
  const { page, watch, close } = await openBrowser();
  try {
    await page.goto(`${service.base}/`);
    const links = await page.locator('a').evaluateAll((anchors) => anchors.map((anchor) => anchor.href));
    assert.ok(links.length >= 5);
    for (const link of links) assert.equal((await page.request.get(link)).status(), 200, link);
    assert.deepEqual(complaints(watch, service.base), []);
  } finally {
    await close();
  }
});
