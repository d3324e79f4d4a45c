// Tests the reference and the front page in a real Chromium, against the service or the mock.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { allFaults } from './axe.mjs';
import { complaints, openBrowser } from './browser.mjs';
import { startService } from './house.mjs';

const APP = '019bb17b-dcc3-7651-a69e-0d37f2a74de4';
/** Maximum number of transferred bytes until the page is usable. */
const MOST_BYTES = 150_000;

let service;
before(async () => {
  service = await startService();
});
after(() => service.close());

/** Runs steps in a separate browser, and fails on unexpected console errors. A test declares expected errors with `expect`. */
async function browse(steps, options) {
  const { page, watch, close } = await openBrowser(options);
  const expected = [];
  const open = async (path) => {
    await page.goto(`${service.base}${path}`);
    await ready(page);
  };
  try {
    await steps(page, open, (path, status) => expected.push({ path, status }));
    assert.deepEqual(complaints(watch, service.base, expected), []);
  } finally {
    await close();
  }
}

/** Waits until the page has its content, its script runs, and its navigation is complete. */
const ready = async (page) => {
  await page.locator('main[aria-busy=false] h1').first().waitFor();
  await page.locator('nav#nav .audiences').waitFor({ state: 'attached' });
};
const heading = (page, name) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
const focused = (page) => page.evaluate(() => document.activeElement?.textContent?.trim());

test('operation is reached and left by keyboard', async () => {
  await browse(async (page, open) => {
    await open('/reference');
    await page.keyboard.press('Tab');
    assert.equal(await focused(page), 'Skip to the content');
    await page.keyboard.press('/');
    await page.keyboard.type('marketplace_apps_create');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await heading(page, 'Create an app');
    assert.equal(new URL(page.url()).pathname, '/reference/operations/marketplace_apps_create');
    assert.equal(await focused(page), 'Create an app', 'the heading has the focus');

    // Selects samples by arrow keys; the tabs have a single tab stop.
    await page.getByRole('tab', { name: 'curl' }).focus();
    await page.keyboard.press('ArrowRight');
    assert.equal(await focused(page), 'TypeScript');
    assert.ok(await page.getByRole('tabpanel', { name: 'TypeScript' }).isVisible());

    // Uses the navigation: audience, group, operation.
    await page.getByRole('button', { name: 'Staff' }).first().focus();
    await page.keyboard.press('Enter');
    const group = page.locator('nav div[data-audience=staff] summary').filter({ hasText: 'Marketplace' });
    await group.focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    const next = page.locator('nav a:focus');
    const id = (await next.getAttribute('href')).split('/').pop();
    await page.keyboard.press('Enter');
    await page.locator(`article[data-operation=${id}]`).waitFor();
    await page.goBack();
    await heading(page, 'Create an app');
  });
});

test('every operation has a focusable link and an address', async () => {
  await browse(async (page, open) => {
    await open('/reference');
    const links = await page.locator('nav details a').evaluateAll((anchors) => anchors.map((anchor) => [anchor.pathname, anchor.tabIndex]));
    assert.ok(links.length >= 388 && links.every(([, tabIndex]) => tabIndex === 0));
    const folder = await page.locator('html').getAttribute('data-pieces');
    const paths = links.flatMap(([path]) => [path, path.replace('/reference/', folder) + '.json', `${path}.md`]);
    // Requests a few of each kind, one after the other. It never uses up the burst budget of the network, because the
    // next test needs some of it.
    const asked = await page.evaluate(async (all) => {
      const refused = [];
      for (const path of all) {
        const answer = await fetch(path, { method: 'HEAD' });
        if (!answer.ok) refused.push(`${answer.status} ${path}`);
        if (Number(answer.headers.get('X-RateLimit-Remaining')) < 25) await new Promise((done) => setTimeout(done, 1000));
      }
      return refused;
    }, paths.filter((_, at) => at % 60 < 3));
    assert.deepEqual(asked, []);
  });
});

test('search finds operation, field, code, scope and term', async () => {
  await browse(async (page, open) => {
    await open('/reference');
    const cases = [['accept an invitation', 'Accept an invitation'], ['tagline', 'tagline'], ['ILLEGAL_TRANS', 'ILLEGAL_TRANSITION'], ['marketplace.apps:write', 'marketplace.apps:write']];
    for (const [text, title] of cases) {
      await page.getByRole('combobox', { name: /Search/ }).fill(text);
      const option = page.getByRole('option').filter({ hasText: title }).first();
      await option.click();
      await page.getByRole('heading', { level: 1 }).filter({ hasText: title }).waitFor();
    }
    await open('/reference#/glossary/tier');
    await page.locator('dt#tier:focus').waitFor();
    await page.getByRole('combobox', { name: /Search/ }).fill('zzz qqqqqqqq');
    await page.getByText('No match. Try another word.').waitFor();
    await page.keyboard.press('Escape');
    assert.ok(await page.getByRole('listbox').isHidden());
  });
});

test('navigation shows one audience at a time', async () => {
  await browse(async (page, open) => {
    await open('/reference');
    const shown = () => page.locator('nav div[data-audience]:visible').evaluateAll((lists) => lists.map((list) => list.dataset.audience));
    assert.deepEqual(await shown(), ['partner']);
    await page.getByRole('button', { name: 'Storefront' }).first().click();
    assert.deepEqual(await shown(), ['storefront']);
    await open('/reference/operations/admin_partners_list');
    assert.deepEqual(await shown(), ['staff'], 'an operation brings its own list');
    const links = await page.locator('nav div[data-audience=staff] a').count();
    assert.ok(links > 100 && links < 388);
  });
});

test('operation shows scope, codes, version, tier and changelog', async () => {
  await browse(async (page, open) => {
    await open('/reference/operations/marketplace_apps_create');
    const facts = page.locator('.facts');
    await facts.getByRole('link', { name: 'marketplace.apps:write' }).waitFor();
    assert.match(await facts.innerText(), /Since\s+1\.0\.0/);
    await facts.getByText('Marketplace: in every tier').waitFor();
    await facts.getByText(/error codes/).click();
    await facts.getByRole('link', { name: 'ENTITLEMENT_EXCEEDED' }).click();
    await heading(page, 'ENTITLEMENT_EXCEEDED');
    await page.getByRole('heading', { name: 'What to do' }).waitFor();
    if (!service.mock) return; // an empty service has no entries
    await open('/reference/operations/marketplace_apps_create');
    await page.getByRole('link', { name: 'Apps have <i>taglines</i>' }).waitFor();
  });
});

test('former addresses still work', async () => {
  await browse(async (page, open, expect) => {
    await open('/reference#/operations/system_health_get');
    await page.locator('article[data-operation=system_health_get]').waitFor();
    assert.equal(page.url(), `${service.base}/reference/operations/system_health_get`);
    await open('/reference#errors');
    assert.equal(await focused(page), 'Errors');
    expect(`${await page.locator('html').getAttribute('data-pieces')}operations/no_such_thing.json`, 404);
    await page.goto(`${service.base}/reference#/operations/no_such_thing`);
    await heading(page, 'Page not found');
  });
});

test('form sends its request and shows the response', async () => {
  await browse(async (page, open, expect) => {
    await open('/reference/operations/system_health_get');
    const answered = page.waitForResponse((response) => response.url() === `${service.base}/v1/system/health`);
    await page.getByRole('button', { name: 'Send GET' }).click();
    assert.equal((await answered).status(), 200);
    await page.locator('.verdict').getByText('200').waitFor();
    await page.locator('.result').getByText('x-request-id').waitFor();
    await page.locator('.result pre').getByText('"status": "OK"').waitFor();

    await open('/reference/operations/marketplace_apps_update');
    await page.route(/\/v1\/marketplace\/apps\//, (route) => route.fulfill({ status: 409, contentType: 'application/problem+json', headers: { 'X-Request-Id': 'r-1', ETag: '"2"' }, body: '{"code":"CONFLICT","name":"<img src=x onerror=alert(1)>"}' }));
    await page.getByLabel('Access token').fill('Bearer not-to-be-kept');
    await page.getByLabel('app_uuid').fill('a b/c');
    await page.getByLabel('If-Match').fill('"1"');
    await page.getByLabel(/^Body,/).fill('{"tagline": null}');
    expect('/v1/marketplace/apps/a%20b%2Fc', 409);
    const sent = page.waitForRequest(/\/v1\/marketplace\/apps\//);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const request = await sent;
    assert.equal(request.method(), 'PATCH');
    assert.equal(new URL(request.url()).pathname, '/v1/marketplace/apps/a%20b%2Fc');
    assert.equal(request.postData(), '{"tagline": null}');
    const headers = await request.allHeaders();
    assert.deepEqual([headers.authorization, headers['if-match'], headers['content-type'], headers.cookie], ['Bearer not-to-be-kept', '"1"', 'application/json', undefined]);
    await page.locator('.verdict').getByText('409').waitFor();
    await page.locator('.result').getByText('<img src=x onerror=alert(1)>').waitFor(); // as text
    assert.doesNotMatch(await page.locator('.result').innerText(), /not-to-be-kept/);

    await page.getByLabel(/^Body,/).fill('{"tagline": ');
    await page.getByRole('button', { name: 'Send PATCH' }).click();
    await page.getByText(/The body is not valid JSON/).waitFor();
  });
});

test('each request has a new idempotency key by default', async () => {
  await browse(async (page, open) => {
    await open('/reference/operations/marketplace_apps_create');
    await page.route(/\/v1\/marketplace\/apps$/, (route) => route.fulfill({ status: 201, json: { uuid: APP } }));
    const keys = [];
    page.on('request', (request) => request.method() === 'POST' && keys.push(request.headers()['idempotency-key']));
    const send = async () => {
      await page.getByRole('button', { name: 'Send POST' }).click();
      await page.locator('.verdict').waitFor();
    };
    await send();
    await send();
    await page.getByLabel('Idempotency-Key').fill('mine');
    await send();
    assert.equal(keys.length, 3);
    assert.match(keys[0], /^[0-9a-f-]{36}$/);
    assert.notEqual(keys[0], keys[1]);
    assert.equal(keys[2], 'mine');
  });
});

test('typed token stays only in memory', async () => {
  await browse(async (page, open) => {
    await open('/reference/operations/marketplace_apps_list');
    await page.getByLabel('Access token').fill('not-to-be-kept');
    await page.locator('nav').getByRole('link', { name: 'GET Get an app', exact: true }).click();
    await heading(page, 'Get an app');
    assert.equal(await page.getByLabel('Access token').inputValue(), 'not-to-be-kept');
    const kept = await page.evaluate(async () => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state, window.name, await indexedDB.databases(), await caches.keys()]));
    assert.doesNotMatch(kept, /not-to-be-kept/);
    await open('/reference/operations/marketplace_apps_list');
    await page.reload();
    await ready(page);
    assert.equal(await page.getByLabel('Access token').inputValue(), '');
  });
});

test('selected file is uploaded', async (t) => {
  if (!service.mock) return t.skip('the samples upload to the service itself');
  await browse(async (page, open) => {
    await open('/reference/operations/marketplace_media_upload');
    await page.getByLabel('app_uuid').fill(APP);
    await page.getByLabel('Access token').fill('some-token');
    await page.getByLabel('file', { exact: false }).first().setInputFiles({ name: 'icon.png', mimeType: 'image/png', buffer: Buffer.alloc(300, 7) });
    await page.getByLabel('kind').selectOption('BANNER');
    await page.getByRole('button', { name: 'Send POST' }).click();
    await page.locator('.verdict').getByText('201').waitFor();
    const told = JSON.parse(await page.locator('.result pre').first().innerText());
    assert.deepEqual([told.kind, told.file, told.authorization], ['BANNER', { name: 'icon.png', type: 'image/png', size: 300 }, 'Bearer some-token']);
    assert.match(told.idempotency_key, /^[0-9a-f-]{36}$/);
  });
});

for (const colorScheme of ['light', 'dark']) {
  test(`reference has no accessibility errors, ${colorScheme}`, async () => {
    await browse(async (page, open) => {
      for (const path of ['/reference', '/reference/operations/marketplace_media_upload', '/reference/codes/REFRESH_REUSED', '/reference/concepts/files', '/reference/concepts/client-generators', '/reference#/codes', '/reference#/scopes', '/reference#/changes', '/reference#/glossary', '/reference#/fields/tagline', '/reference#/schemas/App']) {
        await open(path);
        assert.deepEqual(await allFaults(page), [], path);
      }
      await page.keyboard.press('/');
      await page.keyboard.type('tagline');
      await page.getByRole('option').first().waitFor();
      assert.deepEqual(await allFaults(page), [], 'search');
    }, { colorScheme });
  });
}

test('theme follows the system until the user selects one', async () => {
  await browse(async (page, open) => {
    const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    await open('/reference');
    const dark = await ground();
    await page.getByRole('button', { name: 'Theme: system' }).click();
    const light = await ground();
    assert.notEqual(light, dark);
    await page.reload();
    await ready(page);
    assert.equal(await ground(), light);
  }, { colorScheme: 'dark' });
});

test('reference fits a phone and has a menu button', async () => {
  await browse(async (page, open) => {
    await page.setViewportSize({ width: 390, height: 844 });
    for (const path of ['/reference', '/reference/operations/marketplace_media_upload', '/reference#/codes', '/reference#/scopes', '/reference#/glossary']) {
      await open(path);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, path);
    }
    assert.ok(await page.locator('nav').isHidden());
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.locator('nav summary').filter({ hasText: 'Marketplace' }).first().click();
    await page.locator('nav').getByRole('link', { name: 'POST Create an app', exact: true }).click();
    await heading(page, 'Create an app');
    assert.ok(await page.locator('nav').isHidden(), 'the list closes behind its link');
  });
});

test(`page is usable after ${MOST_BYTES / 1000} kB`, async (t) => {
  await browse(async (page) => {
    const wire = await page.context().newCDPSession(page);
    await wire.send('Network.enable');
    await wire.send('Performance.enable');
    let bytes = 0;
    wire.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
    await page.goto(`${service.base}/reference/operations/marketplace_apps_create`);
    await ready(page);
    const { metrics } = await wire.send('Performance.getMetrics');
    const seconds = (name) => metrics.find((metric) => metric.name === name).value;
    t.diagnostic(`${bytes} bytes; ${seconds('ScriptDuration').toFixed(2)} s of script, ${seconds('TaskDuration').toFixed(2)} s of work in all`);
    assert.ok(bytes > 10_000 && bytes <= MOST_BYTES, `${bytes} bytes`);
    assert.ok(seconds('ScriptDuration') < 5);
  });
});
