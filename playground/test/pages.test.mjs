// Tests the front page, the changelog and the blog in a real Chromium, against the service or the mock.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { complaints, openBrowser } from './browser.mjs';
import { startService } from './house.mjs';

let service;
before(async () => {
  service = await startService();
});
after(() => service.close());

for (const start of ['/', '/reference']) {
  test(`every link of ${start} returns a page`, async () => {
    const { page, watch, close } = await openBrowser();
    try {
      await page.goto(`${service.base}${start}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      const links = await page.locator('main a').evaluateAll((anchors) => [...new Set(anchors.map((anchor) => anchor.href.replace(/#.*/, '')))]);
      assert.ok(links.length >= 5);
      for (const link of links) assert.equal((await page.request.get(link)).status(), 200, link);
      assert.deepEqual(complaints(watch, service.base), []);
    } finally {
      await close();
    }
  });
}

for (const [path, heading, feed] of [['/changelog', 'Changelog', 'changelog'], ['/blog', 'Blog', 'blog']]) {
  test(`${path} has a feed and a search form`, async (t) => {
    if (service.mock) return t.skip('only the service makes this page');
    const { page, watch, close } = await openBrowser();
    try {
      await page.goto(`${service.base}${path}`);
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
      const feeds = await page.locator('link[rel=alternate]').evaluateAll((links) => links.map((link) => new URL(link.href).pathname));
      assert.ok(feeds.includes(`/v1/publication/public/feeds/${feed}`), feeds.join());
      // The stylesheet has loaded: the list has no bullets.
      assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector('.list')).listStyleType), 'none');
      await page.getByLabel('Search').fill('nothing is called so');
      await page.getByRole('button', { name: 'Show' }).click();
      await page.getByText(/No (entries|posts) found\./).waitFor();
      assert.equal(new URL(page.url()).searchParams.get('q'), 'nothing is called so');
      assert.deepEqual(complaints(watch, service.base), []);
    } finally {
      await close();
    }
  });
}
