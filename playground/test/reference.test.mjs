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

test('an operation has an address of its own in the reference', async (t) => {
  if (service.mock) return t.skip('only the service has these addresses');
  const { page, watch, close } = await openBrowser();
  try {
    await page.goto(`${service.base}/reference/operations/marketplace_apps_list`);
    await page.getByText('/v1/marketplace/apps').first().waitFor();
    assert.equal(new URL(page.url()).hash, '#/operations/marketplace_apps_list');
    assert.deepEqual(complaints(watch, service.base), []);
  } finally {
    await close();
  }
});

for (const [path, heading, feed] of [['/changelog', 'Changelog', 'changelog'], ['/blog', 'Blog', 'blog']]) {
  test(`${path} is a page with a feed, and its form narrows it`, async (t) => {
    if (service.mock) return t.skip('only the service makes this page');
    const { page, watch, close } = await openBrowser();
    try {
      await page.goto(`${service.base}${path}`);
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
      const feeds = await page.locator('link[rel=alternate]').evaluateAll((links) => links.map((link) => new URL(link.href).pathname));
      assert.ok(feeds.includes(`/v1/publication/public/feeds/${feed}`), feeds.join());
      // Its style is there: the page is as narrow as it says.
      assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector('.list')).listStyleType), 'none');
      await page.getByLabel('Search').fill('nothing is called so');
      await page.getByRole('button', { name: 'Show' }).click();
      await page.getByText(/There is no such (entry|post)\./).waitFor();
      assert.equal(new URL(page.url()).searchParams.get('q'), 'nothing is called so');
      assert.deepEqual(complaints(watch, service.base), []);
    } finally {
      await close();
    }
  });
}
