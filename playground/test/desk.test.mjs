// Tests start page, record pages and search in Chromium, against the mock.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { complaints, openBrowser } from './browser.mjs';
import { answerTo, editorReady, enterCredentials, execute, SIGN_IN_REFUSALS } from './house.mjs';
import { PICTURES } from './mock-graphql.mjs';
import { IDS, MARKUP } from './mock-records.mjs';
import { PEOPLE, startMock } from './mock.mjs';

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const [STAFF, LIMITED, , REVIEWER] = PEOPLE;
const SUBMISSION = '0193a4b2-7c10-7d4e-9b1a-3f2b8c6d5e01';
const MISSING_PICTURE = { path: `/v1/marketplace/internal/submissions/${SUBMISSION}/media/${PICTURES[1].uuid}/content?variant=LARGE`, status: 404 };

let mock;
before(async () => {
  mock = await startMock();
});
after(() => mock.close());

/** Opens the page with the refresh cookie of a user, runs the steps, and checks for console errors and policy violations. */
async function as(person, hash, steps, { expected = [], ...options } = {}) {
  const { page, context, watch, close } = await openBrowser(options);
  try {
    const { hostname } = new URL(mock.base);
    await context.addCookies([
      { name: '__Host-refresh', value: mock.cookieFor(person.email), domain: hostname, path: '/', secure: true, httpOnly: true, sameSite: 'Strict' },
    ]);
    await page.goto(`${mock.base}/playground${hash}`);
    await steps(page, watch);
    assert.deepEqual(complaints(watch, mock.base, expected), []);
  } finally {
    await close();
  }
}

const heading = (page, name) => page.getByRole('heading', { name, exact: true, level: 2 });
const section = (page, name) => page.getByRole('region', { name, exact: true }).first();
const loaded = (page) => page.waitForFunction(() => document.querySelector('.view h2') && !document.querySelector('.view .loading'));

test('sign-in ends on the start page, which shows what waits', async () => {
  const { page, watch, close } = await openBrowser();
  try {
    await page.goto(`${mock.base}/playground`);
    await enterCredentials(page, STAFF);
    await heading(page, 'Start').waitFor();
    assert.equal(await page.title(), 'Start – Labs playground');
    assert.equal(await heading(page, 'Start').evaluate((element) => element === document.activeElement), true);
    const cards = page.locator('.waiting .head');
    await cards.nth(3).waitFor();
    const titles = await cards.allTextContents();
    assert.deepEqual(titles.slice(0, 4), [
      'Support tickets waiting for a reply1urgent',
      'Submissions waiting for a reviewer1',
      'Customer reviews waiting for a moderator1',
      'Paused jobs1',
    ]);
    await page.getByText('Oldest:').first().waitFor();

    await page.getByRole('button', { name: 'Show entries' }).first().click();
    await page
      .getByRole('list', { name: 'Support tickets waiting for a reply' })
      .getByRole('link', { name: 'Requests return 429 since Monday' })
      .waitFor();
    const answered = answerTo(page, 'tickets_waiting');
    await page.getByRole('button', { name: 'Support tickets waiting for a reply' }).click();
    assert.equal((await answered).status, 200, 'the task runs');
    await page.getByRole('tab', { name: 'tickets_waiting' }).waitFor();
    assert.equal(new URL(page.url()).hash, '#/queries');
    await page.goBack();
    await heading(page, 'Start').waitFor();
    await section(page, 'Recent work').getByRole('button', { name: 'Tickets waiting for an answer' }).waitFor();
    assert.deepEqual(complaints(watch, mock.base, SIGN_IN_REFUSALS), []);
  } finally {
    await close();
  }
});

test('reviewer sees the lists of the review desk and acts from a row', async () => {
  await as(
    REVIEWER,
    '',
    async (page, watch) => {
      await page.getByRole('list', { name: 'Customer reviews waiting for a moderator' }).waitFor();
      await loaded(page);
      const lists = await page.locator('.waiting .head .link').allTextContents();
      assert.deepEqual(lists, [
        'My claimed submissions',
        'Appeals waiting for another reviewer',
        'Customer reviews flagged by the partner',
        'Customer reviews reported by customers',
        'Customer reviews waiting for a moderator',
        'Submissions waiting for a reviewer',
      ]);
      const asked = watch.requests.filter((url) => url.endsWith('/playground/graphql')).length;
      assert.equal(asked, lists.length, 'one request per list');
      await page.getByText(MARKUP).first().waitFor();
      assert.equal(await page.locator('.view img, .view b').count(), 0, 'markup is shown as text');
      await page.getByText('Overdue, was due').first().waitFor();

      await page.getByRole('list', { name: 'Submissions waiting for a reviewer' }).getByRole('button', { name: 'Claim: Tableside Orders' }).click();
      await page.getByRole('tab', { name: 'submission_claim' }).waitFor();
      const answered = answerTo(page, 'submission_claim');
      await execute(page);
      await page.getByRole('dialog', { name: 'Run this mutation?' }).getByText(SUBMISSION).waitFor();
      await page.keyboard.press('Enter');
      assert.equal((await answered).body.data.marketplace_submissions_claim.uuid, SUBMISSION);
    },
    { expected: [{ path: '/playground/graphql', status: 403 }] },
  );
});

test('record page links to related records and keeps the history', async () => {
  await as(STAFF, `#/partners/${IDS.partner}`, async (page) => {
    await heading(page, 'Brasserie Software SARL').waitFor();
    await loaded(page);
    assert.equal(await page.title(), 'Brasserie Software SARL – Partner – Labs playground');
    const titles = await page.locator('.sections > .block h3').allTextContents();
    for (const title of ['Team', 'Apps', 'Machine clients', 'Subscription', 'Support tickets', 'Budgets', 'Latest rejected requests'])
      assert.ok(titles.includes(title), title);
    await section(page, 'Subscription').getByText('€49.00').waitFor();
    await section(page, 'Budgets').getByText('12,345').waitFor();
    await section(page, 'Latest rejected requests').getByText('marketplace_apps_list').waitFor();

    await section(page, 'Team').getByRole('link', { name: 'Claire Fontaine' }).click();
    await heading(page, 'Claire Fontaine').waitFor();
    assert.equal(new URL(page.url()).hash, `#/users/${IDS.user}`);
    await page.waitForFunction(() => document.activeElement?.tagName === 'H2');
    await section(page, 'Summary').getByRole('link', { name: 'Brasserie Software SARL' }).click();
    await heading(page, 'Brasserie Software SARL').waitFor();
    await section(page, 'Apps').getByRole('link', { name: 'Tableside Orders' }).click();
    await heading(page, 'Tableside Orders').waitFor();
    await section(page, 'Summary').getByText(MARKUP).waitFor();
    assert.equal(await page.locator('.view img').count(), 0);

    await page.goBack();
    await heading(page, 'Brasserie Software SARL').waitFor();
    await page.goForward();
    await heading(page, 'Tableside Orders').waitFor();
    await page.getByRole('link', { name: 'Start', exact: true }).click();
    await section(page, 'Recent work').getByRole('link').nth(2).waitFor();
    const recent = await section(page, 'Recent work').getByRole('link').allTextContents();
    assert.deepEqual(recent, ['Tableside Orders', 'Brasserie Software SARL', 'Claire Fontaine']);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('E-mail').waitFor();
    assert.deepEqual(await page.evaluate(() => [sessionStorage.length, location.hash]), [0, '']);
  });
});

test('next steps follow the allowed actions and open the task with the id', async () => {
  await as(STAFF, `#/tickets/${IDS.ticket}`, async (page) => {
    const steps = page.getByRole('list', { name: 'Next steps', exact: true });
    await steps.getByRole('button').first().waitFor();
    assert.equal(await steps.getByRole('button').count(), 3);
    await steps.getByRole('button', { name: /^Resolve/ }).click();
    await page.locator('.place').waitFor();
    await editorReady(page);
    const read = () =>
      page.evaluate(() =>
        globalThis.__MONACO.editor
          .getModels()
          .find(({ uri }) => uri.path.endsWith('variables.json'))
          .getValue(),
      );
    await page.waitForFunction(() =>
      globalThis.__MONACO?.editor.getModels().some(({ uri, getValue }) => uri.path.endsWith('variables.json') && getValue !== undefined),
    );
    await page.getByRole('tab', { name: /resolve|partner_support_desk_update/ }).waitFor();
    assert.equal(JSON.parse(await read()).ticket_uuid, IDS.ticket);
  });
});

test('query behind a section stays reachable', async () => {
  await as(STAFF, `#/partners/${IDS.partner}`, async (page) => {
    await section(page, 'Apps').getByRole('link', { name: 'Tableside Orders' }).waitFor();
    const again = answerTo(page, 'partner_apps');
    await page.getByRole('button', { name: 'Open as query: Apps' }).click();
    assert.equal((await again).body.data.admin_apps_list_of_partner.data[0].uuid, IDS.app);
    await page.getByRole('tab', { name: 'partner_apps' }).waitFor();
  });
});

test('sections outside the scopes are named and not requested', async () => {
  await as(
    LIMITED,
    `#/submissions/${SUBMISSION}`,
    async (page, watch) => {
      await heading(page, 'Tableside Orders 1.0.3').waitFor();
      await loaded(page);
      await page.getByRole('img', { name: PICTURES[0].alt_text }).waitFor();
      const closed = section(page, 'Not in your scopes');
      await closed.getByText('labs.admin.partners').waitFor();
      await closed.getByText('labs.admin.audit').waitFor();
      assert.equal(await section(page, 'Summary').getByRole('link').count(), 0, 'no link to a page that shows nothing');
      assert.equal(watch.requests.filter((url) => url.endsWith('/playground/graphql')).length, 4, 'one request per open section');
    },
    { expected: [MISSING_PICTURE] },
  );
});

test('failed section shows the problem and the required scope, and can be repeated', async () => {
  await as(
    STAFF,
    `#/apps/${IDS.app}`,
    async (page) => {
      await heading(page, 'Tableside Orders').waitFor();
      await loaded(page);
      let isBroken = true;
      await page.route('**/playground/graphql', (route) => {
        if (!isBroken || !route.request().postDataJSON().query.includes('app_events')) return route.continue();
        const problem = {
          status: 403,
          title: 'Scope missing',
          code: 'SCOPE_MISSING',
          detail: 'This operation requires another scope.',
          required_scope: 'labs.admin.apps',
        };
        return route.fulfill({ status: 403, contentType: 'application/problem+json', body: JSON.stringify(problem) });
      });
      await page.getByRole('button', { name: 'Reload' }).click();
      const alert = section(page, 'Events').getByRole('alert');
      await alert.getByText('Scope missing', { exact: true }).waitFor();
      await alert.getByText('This operation requires another scope.').waitFor();
      await alert.getByText('labs.admin.apps', { exact: true }).waitFor();
      await loaded(page);
      assert.equal(await page.getByRole('alert').count(), 1, 'the other sections are not affected');
      isBroken = false;
      await alert.getByRole('button', { name: 'Try again' }).click();
      await section(page, 'Events').getByText('None.').waitFor();
    },
    { expected: [{ path: '/playground/graphql', status: 403 }] },
  );
});

test('at most four requests run at the same time', async () => {
  await as(STAFF, '', async (page) => {
    await heading(page, 'Start').waitFor();
    await loaded(page);
    const held = [];
    let most = 0;
    let running = 0;
    await page.route('**/playground/graphql', async (route) => {
      most = Math.max(most, (running += 1));
      if (held.length < 4) await new Promise((resolve) => held.push(resolve) === 4 && held.forEach((release) => release()));
      running -= 1;
      await route.continue();
    });
    await page.evaluate((id) => (location.hash = `#/partners/${id}`), IDS.partner);
    await section(page, 'Latest changes by staff').getByText('None.').waitFor();
    assert.equal(most, 4);
  });
});

test('slash opens the search, and the keyboard opens a result', async () => {
  await as(STAFF, '', async (page) => {
    await heading(page, 'Start').waitFor();
    await page.keyboard.press('/');
    const box = page.getByRole('combobox', { name: 'Search records and tasks' });
    assert.equal(await box.evaluate((element) => element === document.activeElement), true);
    await page.keyboard.type('claire font');
    await page.getByRole('option', { name: /Claire Fontaine/ }).waitFor();
    assert.equal(await box.getAttribute('aria-expanded'), 'true');
    await page.keyboard.press('Enter');
    await heading(page, 'Claire Fontaine').waitFor();

    await page.keyboard.press('/');
    const dialog = page.getByRole('dialog', { name: 'Search' });
    await dialog.getByRole('combobox').fill('ticket');
    const options = dialog.getByRole('option');
    await options.nth(1).waitFor();
    await page.keyboard.press('ArrowDown');
    const chosen = await dialog.getByRole('combobox').getAttribute('aria-activedescendant');
    assert.equal(await options.nth(1).getAttribute('id'), chosen);
    assert.equal(await options.nth(1).getAttribute('aria-selected'), 'true');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await heading(page, 'Claire Fontaine').waitFor();
  });
});

test('search of a user without the overview covers their scopes', async () => {
  await as(REVIEWER, '', async (page, watch) => {
    await heading(page, 'Start').waitFor();
    await loaded(page);
    watch.requests.length = 0;
    await page.getByRole('combobox', { name: 'Search records and tasks' }).fill('tableside');
    await page.getByRole('option', { name: /App Tableside Orders/ }).click();
    await heading(page, 'Tableside Orders').waitFor();
    const asked = page.getByRole('combobox');
    assert.equal(await asked.count(), 0);
  });
});

test('tasks outside the scopes are folded at the end of the panel', async () => {
  await as(
    LIMITED,
    '#/queries',
    async (page) => {
      await editorReady(page);
      const fold = page.locator('.questions ~ .beyond');
      assert.equal(await fold.getAttribute('open'), null);
      assert.equal(await page.locator('.questions .needs:visible').count(), 0);
      await fold.locator('summary').click();
      await fold.getByText('Missing scope: labs.admin.audit').first().waitFor();
    },
    { expected: [{ path: '/playground/graphql', status: 403 }] },
  );
});

test('unknown record shows the error of the service', async () => {
  const unknown = '0193a4b0-0000-7000-8000-0000000000ff';
  await as(STAFF, `#/partners/${unknown}`, async (page) => {
    await section(page, 'Summary').getByText('does not exist').first().waitFor();
    await heading(page, `Partner ${unknown.slice(-12)}`).waitFor();
  });
});

for (const colorScheme of ['light', 'dark']) {
  test(`start page and record pages have no accessibility errors: ${colorScheme}`, async () => {
    await as(
      STAFF,
      '',
      async (page) => {
        await heading(page, 'Start').waitFor();
        await page.getByRole('button', { name: 'Show entries' }).first().click();
        await loaded(page);
        await page.getByRole('combobox').fill('br');
        await page.getByRole('option').first().waitFor();
        assert.deepEqual(await violations(page), []);
        for (const hash of [
          `#/partners/${IDS.partner}`,
          `#/submissions/${SUBMISSION}`,
          `#/feature-requests/${IDS.request}`,
          `#/publication-items/${IDS.item}`,
          `#/machine-clients/${IDS.client}`,
        ]) {
          await page.evaluate((next) => (location.hash = next), hash);
          await page.locator('.record').waitFor();
          await loaded(page);
          assert.deepEqual(await violations(page), [], hash);
        }
        await page.setViewportSize({ width: 390, height: 844 });
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, 'nothing stands out sideways');
        assert.deepEqual(await violations(page), []);
      },
      { colorScheme, expected: [MISSING_PICTURE] },
    );
  });
}

/** Returns the serious and critical findings of axe. */
async function violations(page) {
  await page.evaluate(AXE);
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 140)).join(' | ')}`);
}
