// Tests how the reference is read: concept pages, unknown addresses, without JavaScript, on paper, and by keyboard search.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { allFaults } from './axe.mjs';
import { complaints, openBrowser } from './browser.mjs';
import { startService } from './house.mjs';

const CONCEPTS = ['authentication', 'errors', 'pagination', 'idempotency', 'concurrency', 'rate-limits', 'versioning', 'files', 'webhooks-and-events', 'publishing', 'publishing-from-ci', 'testing', 'oauth', 'agents', 'client-generators'];

let service;
before(async () => {
  service = await startService();
});
after(() => service.close());

async function browse(steps, options) {
  const { page, watch, close } = await openBrowser(options);
  const expected = [];
  try {
    await steps(page, (path, status) => expected.push({ path, status }));
    assert.deepEqual(complaints(watch, service.base, expected), []);
  } finally {
    await close();
  }
}

const open = async (page, path) => {
  await page.goto(service.base + path);
  await page.locator('main[aria-busy=false] h1').first().waitFor();
  await page.locator('nav#nav .audiences').waitFor({ state: 'attached' });
};
const search = async (page, text) => {
  await page.getByRole('combobox', { name: /Search/ }).fill(text);
  await page.getByRole('option').first().waitFor();
};

test('concept pages exist and are linked', async () => {
  await browse(async (page) => {
    await open(page, '/reference');
    const linked = async (within) => (await page.locator(`${within} a[href^="/reference/concepts/"]`).evaluateAll((links) => links.map((link) => link.pathname.split('/').pop())));
    assert.deepEqual(await linked('main ul.concepts'), CONCEPTS);
    assert.deepEqual(await linked('nav#nav'), CONCEPTS);
    for (const name of CONCEPTS) {
      await page.locator('nav#nav').locator(`a[href="/reference/concepts/${name}"]`).click();
      await page.locator(`nav#nav a[href="/reference/concepts/${name}"][aria-current]`).waitFor();
      assert.equal(new URL(page.url()).pathname, `/reference/concepts/${name}`);
      assert.ok(await page.locator('main .block .copy').count(), `${name} has an example to copy`);
      // Every section is linked at the top, and the link goes there.
      const sections = await page.locator('.contents a').evaluateAll((links) => links.map((link) => document.getElementById(link.hash.slice(1))?.tagName));
      assert.ok(sections.length > 2 && sections.every((tag) => tag === 'H2'), `${name}: ${sections}`);
    }
    await page.getByRole('link', { name: /Previous/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Agents (MCP)' }).waitFor();
  });
});

test('search leads to concepts, statuses and corrected words', async () => {
  await browse(async (page) => {
    await open(page, '/reference');
    for (const [text, title] of [['pagination', 'Pagination'], ['how do I publish', 'Publish an app'], ['sandbox', 'Test without a sandbox'], ['429', '429 Too Many Requests']]) {
      await search(page, text);
      assert.equal(await page.getByRole('option').first().locator('.hit').innerText(), title);
    }
    await page.keyboard.press('Enter');
    await page.locator('h2#status-429:focus').waitFor();
    assert.equal(new URL(page.url()).hash, '#/codes/429');
    await search(page, 'webhok');
    await page.getByText('Results for “webhook”').first().waitFor();
    assert.match(await page.getByRole('status').innerText(), /Results for “webhook”\. \d+ results?\./);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Following changes without webhooks' }).waitFor();
    await search(page, 'megapixels');
    await page.getByRole('option').locator('mark').first().getByText('megapixels').waitFor();
  });
});

test('unknown address shows the nearest names', async () => {
  await browse(async (page, expect) => {
    for (const [path, near] of [['/reference/operations/marketplace_app_create', 'Create an app'], ['/reference/codes/NOT_FOND', 'NOT_FOUND'], ['/reference/concepts/paginate', 'Pagination']]) {
      expect(path, 404);
      const answer = await page.goto(service.base + path);
      assert.equal(answer.status(), 404, path);
      await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
      await page.locator('[data-nearest] li').first().getByText(near).first().waitFor();
      assert.deepEqual(await allFaults(page), [], path);
    }
    await page.locator('[data-nearest] a').first().click();
    await page.getByRole('heading', { level: 1, name: 'Pagination' }).waitFor();
    expect('/reference/nothing', 404);
    assert.equal((await page.goto(`${service.base}/reference/nothing`)).status(), 404);
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
  });
});

test('pages have their text without JavaScript', async () => {
  const { context, close } = await openBrowser();
  try {
    const page = await (await context.browser().newContext({ javaScriptEnabled: false })).newPage();
    await page.goto(`${service.base}/reference/operations/marketplace_apps_create`);
    await page.getByRole('heading', { level: 1, name: 'Create an app' }).waitFor();
    for (const text of ['curl --fail-with-body', 'await fetch(', 'requests.post(']) assert.ok(await page.locator('pre').filter({ hasText: text }).first().isVisible(), text);
    for (const hidden of ['.search', '#theme', '#menu', '.try form', '[role=tablist]']) assert.ok(await page.locator(hidden).isHidden(), hidden);
    assert.ok(await page.getByText('Sending requests from this page needs JavaScript.').isVisible());
    assert.ok(await page.locator('nav#nav').getByText('List apps').first().isVisible(), 'the navigation has the group');
    await page.locator('nav#nav').getByRole('link', { name: 'Pagination' }).click();
    await page.getByRole('heading', { level: 1, name: 'Pagination' }).waitFor();
    assert.ok(await page.getByText('A cursor is opaque and encrypted').isVisible());
    await page.goto(`${service.base}/reference`);
    assert.ok(await page.locator('nav#nav summary').filter({ hasText: 'Marketplace' }).nth(1).isVisible(), 'all audiences are visible');
  } finally {
    await close();
  }
});

test('operation prints its text and all samples', async () => {
  await browse(async (page) => {
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await open(page, '/reference/operations/marketplace_apps_create');
    for (const hidden of ['.top', 'nav#nav', '.try', '.jumps', '.copy >> nth=0']) assert.ok(await page.locator(hidden).isHidden(), hidden);
    for (const language of ['curl', 'TypeScript', 'Python']) assert.ok(await page.locator('.language').getByText(language, { exact: true }).isVisible(), language);
    assert.ok(await page.locator('.answer details:not([open]) pre').first().isVisible(), 'folded details are visible');
    const ground = await page.locator('pre').first().evaluate((pre) => getComputedStyle(pre).color);
    assert.equal(ground, 'rgb(28, 37, 48)', 'dark text on paper, also in the dark theme');
    assert.ok((await page.pdf({ format: 'A4' })).length > 20_000);
  });
});

for (const colorScheme of ['light', 'dark']) {
  test(`pages have no findings of axe and fit a phone, ${colorScheme}`, async () => {
    await browse(async (page) => {
      for (const path of ['/reference', '/reference/operations/marketplace_media_upload', ...CONCEPTS.map((name) => `/reference/concepts/${name}`)]) {
        await page.setViewportSize({ width: 1280, height: 900 });
        await open(page, path);
        assert.deepEqual(await allFaults(page), [], path);
        await page.setViewportSize({ width: 390, height: 844 });
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, path);
        assert.deepEqual(await allFaults(page), [], `${path}, phone`);
      }
    }, { colorScheme });
  });
}
