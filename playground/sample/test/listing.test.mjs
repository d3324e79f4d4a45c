// Tests the details of the storefront's design in a real Chromium: what shoppers know from other app stores.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { leads, overflow, ready, skip, startSample, visit } from './house.mjs';

let sample;
before(async () => {
  if (!skip) sample = await startSample();
});
after(() => sample?.close());

const PHONE = { viewport: { width: 390, height: 844 } };
const LISTING = '/listings/mise-table-planner';

/** Returns the different values of a number for all elements, rounded. */
const distinct = (page, selector, what) => page.locator(selector).evaluateAll((all, name) => [...new Set(all.map((one) => Math.round(one.getBoundingClientRect()[name])))], what);

test('website button is filled and visible without scrolling', { skip }, async () => {
  for (const options of [{}, PHONE]) {
    const steps = async (page) => {
      const button = page.locator('.head').getByRole('link', { name: 'Visit website' });
      const { y, height } = await button.boundingBox();
      assert.ok(y + height < page.viewportSize().height, `at ${y}`);
      const [own, accent] = await button.evaluate((one) => [getComputedStyle(one).backgroundColor, getComputedStyle(one).borderColor]);
      assert.equal(own, accent, 'the ground has the colour of the border');
      assert.match(await button.getAttribute('href'), /^https:/);
    };
    await visit(sample, LISTING, steps, options);
  }
});

test('gallery has one height, arrows, and a viewer for the keyboard', { skip }, async () => {
  const steps = async (page) => {
    assert.equal((await distinct(page, '.strip img', 'height')).length, 1);
    const strip = page.locator('.strip');
    assert.ok(await page.getByRole('button', { name: 'Scroll back' }).isHidden());
    await page.getByRole('button', { name: 'Scroll forward' }).click();
    await page.getByRole('button', { name: 'Scroll back' }).waitFor();
    assert.ok((await strip.evaluate((one) => one.scrollLeft)) > 0);

    const first = page.locator('.shot').first();
    const images = await page.locator('.shot').count();
    await first.focus();
    await page.keyboard.press('Enter');
    const viewer = page.getByRole('dialog', { name: 'Images' });
    await viewer.getByText(`Image 1 of ${images}`).waitFor();
    const alt = await viewer.getByRole('img').getAttribute('alt');
    await page.keyboard.press('ArrowRight');
    await viewer.getByText(`Image 2 of ${images}`).waitFor();
    assert.notEqual(await viewer.getByRole('img').getAttribute('alt'), alt);
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowLeft');
    await viewer.getByText(`Image ${images} of ${images}`).waitFor();
    await page.keyboard.press('Escape');
    await viewer.waitFor({ state: 'detached' });
    assert.ok(await first.evaluate((one) => one === document.activeElement), 'the focus returns to the image');
    await first.click();
    await viewer.getByRole('button', { name: 'Close' }).click();
    await viewer.waitFor({ state: 'detached' });
  };
  await visit(sample, LISTING, steps, { viewport: { width: 1000, height: 800 } });
});

test('stars are drawn to the nearest half', { skip }, async () => {
  await visit(sample, '/listings?sort=name', async (page) => {
    const rows = await page.locator('.card .drawn').evaluateAll((all) => all.map((one) => ({ label: one.ariaLabel, full: one.querySelectorAll('.full').length, half: one.querySelectorAll('.half').length, stars: one.children.length })));
    assert.ok(rows.some(({ half }) => half === 1), 'a rating between two stars');
    for (const { label, full, half, stars } of rows) {
      const average = Number(/^([\d.]+) of 5 stars$/.exec(label)[1]);
      assert.equal(stars, 5);
      assert.ok(Math.abs(full + half / 2 - average) <= 0.3, `${label}: ${full} and ${half} half`);
    }
  });
});

test('reviews with text come before ratings without', { skip }, async () => {
  await visit(sample, LISTING, async (page) => {
    const bare = await page.locator('.reviews > li').evaluateAll((all) => all.map((one) => one.classList.contains('bare')));
    assert.ok(bare.includes(true) && bare.includes(false), 'the first page has both');
    assert.deepEqual(bare, bare.toSorted((one, other) => Number(one) - Number(other)));
  });
});

test('permissions are sentences in the language of the page', { skip }, async () => {
  await visit(sample, LISTING, async (page) => {
    const panel = page.locator('.permissions');
    await panel.getByText('View and change reservations', { exact: true }).waitFor();
    assert.doesNotMatch(await panel.textContent(), /\w:write/);
    await leads(page, () => page.goto(`${sample.base}${LISTING}?locale=fr`), /locale=fr/);
    await panel.getByText('Consulter et modifier les réservations', { exact: true }).waitFor();
  });
});

test('front page shows a featured app, and categories with icons', { skip }, async () => {
  await visit(sample, '/', async (page) => {
    const icons = await page.getByRole('navigation', { name: 'Categories' }).locator('path').evaluateAll((all) => all.map((one) => one.getAttribute('d')));
    assert.equal(new Set(icons).size, icons.length, 'each category has another icon');
    assert.ok(icons.length >= 6);
    const featured = page.getByRole('region', { name: 'Featured app' });
    await page.waitForFunction(() => document.querySelector('.featured-image img').naturalWidth > 0);
    const name = await featured.getByRole('heading').textContent();
    await leads(page, () => featured.getByRole('link', { name: 'View app' }).click(), '**/listings/*');
    assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), name);
  });
});

test('cards have one height and use the width of the window', { skip }, async () => {
  // The name of one of these apps is two lines long.
  await visit(sample, '/listings?sort=name', async (page) => {
    assert.equal((await distinct(page, '.cards .card', 'height')).length, 1);
    const columns = (await distinct(page, '.cards .card', 'left')).length;
    const list = await page.locator('.cards').boundingBox();
    assert.equal(columns, 4);
    assert.ok(list.width > 1440 * 0.9, `${list.width} of 1440 pixels`);
  });
});

test('views fit windows of every width', { skip }, async () => {
  for (const width of [320, 768, 1024, 1920]) {
    const steps = async (page) => {
      for (const path of ['/?locale=fr', '/listings?locale=de', `${LISTING}?locale=fr`]) {
        await page.goto(`${sample.base}${path}`);
        await ready(page);
        assert.equal(await overflow(page), 0, `${path} at ${width} pixels`);
        await page.evaluate(() => [...document.querySelectorAll('.menu > summary')].at(-1)?.click());
        assert.equal(await overflow(page), 0, `the last menu of ${path} at ${width} pixels`);
        const cut = await page.locator('.featured-text').evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length);
        assert.equal(cut, 0, `${path} cuts no text at ${width} pixels`);
      }
    };
    await visit(sample, '/', steps, { viewport: { width, height: 800 } });
  }
});

test('language of the browser applies unless the address names another', { skip }, async () => {
  await visit(sample, '/', async (page) => {
    await page.addInitScript(() => Object.defineProperty(navigator, 'languages', { get: () => ['nl-NL', 'de-AT', 'en'] }));
    await page.goto(`${sample.base}/`);
    await page.getByRole('heading', { name: 'Apps für Ihr Restaurant' }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.lang), 'de');
    await page.goto(`${sample.base}${LISTING}`);
    await page.getByRole('heading', { name: 'Mise Tischplaner' }).waitFor();
    await leads(page, () => page.getByLabel('Sprache', { exact: true }).selectOption('English'), /locale=en$/);
    await page.getByRole('heading', { name: 'Mise Table Planner' }).waitFor();
    await page.goto(`${sample.base}/listings/kontor-till?locale=original`);
    await page.getByRole('heading', { name: 'Kontor Kasse' }).waitFor();
  });
});

test('views of a phone shift by less than 0.02 while they load', { skip }, async () => {
  const steps = async (page) => {
    await page.addInitScript(() => {
      window.shifts = [];
      new PerformanceObserver((list) => {
        for (const { value, hadRecentInput, sources } of list.getEntries()) if (!hadRecentInput) window.shifts.push({ value, of: sources.map(({ node }) => node?.className || node?.nodeName) });
      }).observe({ type: 'layout-shift', buffered: true });
    });
    for (const path of ['/', '/listings?q=till', LISTING, '/partners/elbkontor', '/collections/beer-garden-season', '/categories/point-of-sale']) {
      await page.goto(`${sample.base}${path}`);
      await ready(page);
      // Reaches every lazy image, then waits until nothing loads any more.
      await page.evaluate(async () => {
        for (let y = 0; y < document.body.scrollHeight; y += 600) {
          scrollTo(0, y);
          await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
        }
      });
      await page.waitForLoadState('networkidle');
      const shifts = await page.evaluate(() => window.shifts);
      const sum = shifts.reduce((all, { value }) => all + value, 0);
      assert.ok(sum < 0.02, `${path} shifts by ${sum}: ${JSON.stringify(shifts)}`);
    }
  };
  await visit(sample, '/', steps, PHONE);
});
