// Tests the storefront in a real Chromium against a service with sample data.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { barriers, leads, overflow, ready, skip, startSample, visit } from './house.mjs';

let sample;
before(async () => {
  if (!skip) sample = await startSample();
});
after(() => sample?.close());

const cards = (page) => page.locator('.cards .card');
const said = (page) => page.locator('main [role=status]');

test('user visits search, listing, vendor, category and collection', { skip }, async () => {
  await visit(sample, '/', async (page) => {
    await page.getByRole('heading', { name: 'Beer garden season' }).waitFor();
    await page.getByRole('combobox', { name: 'Search apps' }).fill('table planner');
    await leads(page, () => page.keyboard.press('Enter'), /\/listings\?q=table\+planner/);
    await leads(page, () => page.getByRole('link', { name: 'Mise Table Planner' }).click(), '**/listings/mise-table-planner');
    assert.equal(await page.title(), 'Mise Table Planner · Marketplace sample');
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Mise Table Planner', 'the heading is read first');

    const pictures = page.locator('.gallery img');
    await pictures.first().scrollIntoViewIfNeeded();
    await page.waitForFunction(() => document.querySelector('.gallery img').naturalWidth > 0);
    assert.ok(await pictures.first().getAttribute('alt'), 'an image has an alternative text');

    await leads(page, () => page.locator('.head').getByRole('link', { name: 'Belle Tablée' }).click(), '**/partners/belle-tablee');
    await page.getByRole('heading', { name: '7 apps' }).waitFor();
    assert.equal(await cards(page).count(), 7);

    await leads(page, () => page.getByRole('link', { name: 'Labs sample' }).click(), `${sample.base}/`);
    await leads(page, () => page.locator('.shelf').getByRole('link', { name: 'Beer garden season', exact: true }).click(), '**/collections/beer-garden-season');
    assert.equal(await cards(page).count(), 5);
    await leads(page, () => page.goBack(), `${sample.base}/`);
    await leads(page, () => page.getByRole('navigation', { name: 'Categories' }).getByRole('link', { name: 'Point of sale' }).click(), '**/categories/point-of-sale');
    await leads(page, () => page.getByRole('navigation', { name: 'Subcategories' }).getByRole('link', { name: 'Payments' }).click(), '**/categories/payments');
    await page.getByRole('heading', { name: '4 apps' }).waitFor();
    assert.equal(await cards(page).count(), 4);
  });
});

test('reviews are counted, filtered, sorted and paged', { skip }, async () => {
  await visit(sample, '/listings/mise-table-planner', async (page) => {
    const reviews = page.locator('#reviews .reviews > li');
    const before = await reviews.count();
    await page.locator('#reviews').getByRole('button', { name: 'Show more' }).click();
    await page.waitForFunction((number) => document.querySelectorAll('.reviews > li').length > number, before);
    assert.ok(await reviews.nth(before).evaluate((one) => one === document.activeElement), 'the first of the new ones has the focus');

    await page.getByLabel('Sort by').selectOption('Worst first');
    await page.locator('.reviews > li').first().getByLabel('3 of 5 stars').waitFor();
    const five = page.getByRole('button', { name: /^Only 5 stars: 10 reviews/ });
    await five.click();
    await page.waitForFunction(() => [...document.querySelectorAll('.reviews [role=img]')].every((one) => one.ariaLabel === '5 of 5 stars'));
    assert.equal(await five.getAttribute('aria-pressed'), 'true');
    await page.getByRole('button', { name: /^Only 1 star: 0 reviews/ }).click();
    await page.getByText('No reviews with this rating.').waitFor();
  });
  await visit(sample, '/listings/tip-jar', async (page) => {
    await page.locator('.reviews blockquote').first().getByText('Reply of the vendor').waitFor();
    assert.match(await page.locator('.reviews blockquote').first().textContent(), /one-tap entry/);
  });
});

test('filters match their counts, are in the address, and can be cleared', { skip }, async () => {
  await visit(sample, '/listings', async (page) => {
    const all = await said(page).textContent();
    // Operates the filter by keyboard; the menu stays open and the focus stays in place.
    await page.locator('#menu-category > summary').focus();
    await page.keyboard.press('Enter');
    const payments = page.getByLabel('Payments 4');
    await payments.focus();
    await leads(page, () => page.keyboard.press('Space'), /category=payments/);
    assert.equal(await said(page).textContent(), '4 apps');
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'category-payments');
    await page.keyboard.press('Escape');
    assert.ok(await payments.isHidden());
    assert.equal(await page.evaluate(() => document.activeElement?.parentElement?.id), 'menu-category');

    await page.locator('#menu-language > summary').click();
    await leads(page, () => page.locator('.menu').getByText('Deutsch').click(), /language=de/);
    await page.getByRole('heading', { level: 1 }).click();
    assert.equal(await page.locator('.menu[open]').count(), 0, 'a click elsewhere closes the menu');
    await leads(page, () => page.locator('#sort').selectOption('Best rated'), /sort=-rating/);
    const address = page.url();
    await leads(page, () => page.getByRole('link', { name: 'Remove the filter Payments' }).click(), (url) => !url.search.includes('category') && url.search.includes('language=de'));
    await leads(page, () => page.getByRole('link', { name: 'Clear all filters' }).click(), (url) => !url.search.includes('language'));
    assert.equal(await said(page).textContent(), all);
    await page.goto(address);
    await ready(page);
    assert.ok(await page.locator('#category-payments').isChecked());
  });
});

test('list loads page by page to its end', { skip }, async () => {
  await visit(sample, '/listings?sort=name', async (page) => {
    const more = page.getByRole('button', { name: 'Show more' });
    const total = Number.parseInt(await said(page).textContent(), 10);
    for (let shown = await cards(page).count(); shown < total; shown = await cards(page).count()) {
      await more.click();
      await page.waitForFunction((before) => document.querySelectorAll('.cards .card').length > before, shown);
    }
    assert.ok(await more.isHidden());
    const names = await cards(page).locator('h3').allTextContents();
    assert.equal(new Set(names).size, total, 'none twice');
  });
});

test('suggestions appear while typing and are selected by keyboard', { skip }, async () => {
  await visit(sample, '/', async (page) => {
    const field = page.getByRole('combobox', { name: 'Search apps' });
    const options = page.getByRole('option');
    await field.pressSequentially('tip ja');
    await options.filter({ hasText: 'Tip Jar' }).waitFor();
    assert.equal(await field.getAttribute('aria-expanded'), 'true');
    await page.keyboard.press('Escape');
    assert.ok(await page.locator('#suggestions').isHidden());
    await field.pressSequentially('r');
    await options.filter({ hasText: 'Tip Jar' }).waitFor();
    const place = (await options.allTextContents()).findIndex((text) => text.startsWith('Tip Jar'));
    for (let step = 0; step <= place; step += 1) await page.keyboard.press('ArrowDown');
    assert.equal(await field.getAttribute('aria-activedescendant'), `suggestion-${place}`);
    await leads(page, () => page.keyboard.press('Enter'), '**/listings/tip-jar');
  });
});

test('texts use the selected language, and links keep it', { skip }, async () => {
  await visit(sample, '/listings/mise-table-planner', async (page) => {
    await leads(page, () => page.getByLabel('Language', { exact: true }).selectOption('Deutsch'), /locale=de/);
    const heading = page.getByRole('heading', { level: 1 });
    assert.equal(await heading.textContent(), 'Mise Tischplaner');
    assert.equal(await heading.getAttribute('lang'), 'de');
    await page.getByRole('link', { name: 'Website besuchen' }).waitFor();
    await leads(page, () => page.locator('.head').getByRole('link', { name: 'Tischplanung' }).click(), '**/categories/table-planning?locale=de');
    assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Tischplanung');
  });
});

test('missing results, pages and vendor pages are explained', { skip }, async () => {
  const expected = [{ path: '/partners/murzeit', status: 404 }, { path: '/listings/no-such-app', status: 404 }];
  const steps = async (page) => {
    await page.getByRole('heading', { name: 'No apps match' }).waitFor();
    await page.goto(`${sample.base}/listings/no-such-app`);
    await ready(page);
    assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Not found');
    assert.match(await page.locator('main').textContent(), /listing does not exist/i);
    await page.goto(`${sample.base}/partners/murzeit`);
    await ready(page);
    assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Murzeit');
    assert.ok((await cards(page).count()) > 0);
  };
  await visit(sample, '/listings?q=xyzzyplugh', steps, { expected });
});

test('429 is retried after its time; other errors offer a retry', { skip }, async () => {
  const asked = [];
  const expected = [{ path: '/public/listings', status: 429 }, { path: '/public/listings', status: 503 }];
  const steps = async (page) => {
    let answers = [{ status: 429, headers: { 'Retry-After': '1' } }, null];
    await page.route(/\/v1\/marketplace\/public\/listings\?.*q=till/, (route) => {
      asked.push(Date.now());
      const answer = answers.shift();
      return answer ? route.fulfill({ contentType: 'application/problem+json', body: JSON.stringify({ title: 'Not now', status: answer.status, detail: 'The kitchen is on fire.' }), ...answer }) : route.continue();
    });
    await page.getByRole('combobox', { name: 'Search apps' }).fill('till');
    await leads(page, () => page.keyboard.press('Enter'), /q=till/);
    await page.getByRole('heading', { name: 'Apps for “till”' }).waitFor();
    assert.ok(asked[1] - asked[0] >= 1000, 'not before the second has passed');

    answers = [{ status: 503 }, null];
    await page.reload();
    await page.getByRole('alert').getByText('The kitchen is on fire.').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Apps for “till”' }).waitFor();
  };
  await visit(sample, '/', steps, { expected });
});

for (const [name, options] of Object.entries({ 'in the dark': { colorScheme: 'dark' }, 'on a phone': { viewport: { width: 390, height: 844 } } })) {
  test(`every view of the storefront is usable ${name}`, { skip }, async () => {
    const steps = async (page) => {
      for (const path of ['/', '/listings?q=till', '/listings/mise-table-planner', '/partners/elbkontor', '/collections/beer-garden-season', '/categories/point-of-sale']) {
        await page.goto(`${sample.base}${path}`);
        await ready(page);
        assert.deepEqual(await barriers(page), [], path);
        assert.equal(await overflow(page), 0, `${path} fits the page`);
        await page.evaluate(() => document.querySelector('.shot, .menu > summary')?.click());
        assert.deepEqual(await barriers(page), [], `${path} with an open dialog or menu`);
      }
    };
    await visit(sample, '/', steps, options);
  });
}
