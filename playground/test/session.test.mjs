// Tests how the page keeps a session, in cases that only the mock can simulate.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { complaints, openBrowser } from './browser.mjs';
import { answerTo, choose, editorReady, execute, openAndRun, openQuestion, run, SIGN_IN_REFUSALS } from './house.mjs';
import { PICTURES } from './mock-graphql.mjs';
import { PEOPLE, startMock } from './mock.mjs';

const [STAFF, LIMITED, PARTNER] = PEOPLE;
const REFRESH_REFUSED = { path: '/v1/auth/sessions:refresh', status: 401 };
const ASKING_REFUSED = { path: '/playground/graphql', status: 401 };

let mock;
before(async () => {
  mock = await startMock();
});
after(() => mock.close());

/** Opens the page with the refresh cookie of a user, like after a reload. */
async function openAs(person, options) {
  const browser = await openBrowser(options);
  const { hostname } = new URL(mock.base);
  const cookie = { name: '__Host-refresh', value: mock.cookieFor(person.email), domain: hostname, path: '/', secure: true, httpOnly: true, sameSite: 'Strict' };
  await browser.context.addCookies([cookie]);
  await browser.page.goto(`${mock.base}/playground#/queries`);
  return browser;
}

test('expired token is renewed between two queries', async () => {
  const { page, watch, close } = await openAs(STAFF);
  try {
    await editorReady(page);
    await openAndRun(page, 'Category tree', 'categories_tree');
    mock.expireTokens();
    const answered = page.waitForResponse((response) => response.url().endsWith('/playground/graphql') && response.ok());
    await execute(page);
    await answered;
    await page.locator('.graphiql-response').getByText('marketplace_categories_list').waitFor();
    assert.deepEqual(complaints(watch, mock.base, [ASKING_REFUSED]), []);
  } finally {
    await close();
  }
});

test('ended session shows the sign-in with a notice', async () => {
  const { page, watch, close } = await openAs(STAFF);
  try {
    await editorReady(page);
    await openAndRun(page, 'Category tree', 'categories_tree');
    mock.endSessions();
    await execute(page);
    await page.getByText('Your session has ended').waitFor();
    assert.deepEqual(complaints(watch, mock.base, [ASKING_REFUSED, REFRESH_REFUSED]), []);
  } finally {
    await close();
  }
});

test('partner user is rejected and can sign out', async () => {
  const { page, watch, close } = await openAs(PARTNER);
  try {
    await page.getByRole('heading', { name: 'This page is for staff' }).waitFor();
    await page.getByRole('button', { name: /^Sign out/ }).click();
    await page.getByLabel('E-mail').waitFor();
    assert.deepEqual(complaints(watch, mock.base), []);
  } finally {
    await close();
  }
});

test('editor works without permission to read the schema', async () => {
  const { page, watch, close } = await openAs(LIMITED);
  try {
    await editorReady(page);
    await page.getByText('Working without the schema.').waitFor();
    const { body } = await openAndRun(page, 'Submissions waiting for review', 'submissions_waiting');
    assert.equal(body.data.marketplace_submissions_list.data.length, 2);
    assert.deepEqual(complaints(watch, mock.base, [{ path: '/playground/graphql', status: 403 }]), []);
  } finally {
    await close();
  }
});

test('images are below the response, and a missing one shows an error', async () => {
  const { page, watch, close } = await openAs(LIMITED);
  try {
    await editorReady(page);
    await openQuestion(page, 'A submission and its images');
    const bytes = page.waitForResponse((response) => response.url().includes(PICTURES[0].uuid));
    const read = answerTo(page, 'submission_review');
    await choose(page, 'Submission', /^Minibar Stock/);
    await read;
    assert.match((await bytes).request().headers().authorization, /^Bearer /, 'the token goes in a header, never in an address');
    const shown = page.locator('.pictures').getByRole('img', { name: PICTURES[0].alt_text });
    await shown.waitFor();
    assert.match(await shown.getAttribute('src'), /^blob:/);
    assert.equal(await shown.evaluate((image) => image.decode().then(() => image.naturalWidth)), 1);
    await page.locator('.pictures').getByText('The media item of this submission does not exist, or it does not belong to you.').waitFor();
    await page.locator('.pictures').getByText(PICTURES[1].caption).waitFor();

    await openAndRun(page, 'Submissions waiting for review', 'submissions_waiting');
    await page.locator('.pictures').waitFor({ state: 'detached' });
    const missing = watch.requests.find((url) => url.includes(PICTURES[1].uuid));
    const refused = [{ path: '/playground/graphql', status: 403 }, { path: missing.slice(mock.base.length), status: 404 }];
    assert.deepEqual(complaints(watch, mock.base, refused), []);
  } finally {
    await close();
  }
});

test('submission is read and claimed from the list', async () => {
  const { page, watch, close } = await openAs(STAFF);
  try {
    await editorReady(page);
    const { body } = await openAndRun(page, 'Submissions waiting for review', 'submissions_waiting');
    const waiting = body.data.marketplace_submissions_list.data;
    assert.deepEqual(waiting.map(({ app_name }) => app_name), ['Minibar Stock', 'Tableside Orders'], 'oldest first, and none that is decided');

    await page.getByRole('button', { name: 'Table', exact: true }).click();
    await page.getByTitle(`Open ${waiting[1].uuid}`).click();
    await page.getByRole('heading', { name: 'Tableside Orders 1.0.3' }).waitFor();

    await page.getByRole('list', { name: 'Next steps', exact: true }).getByRole('button', { name: 'Claim a submission' }).click();
    await execute(page);
    const asking = page.getByRole('dialog', { name: 'Run this mutation?' });
    await asking.getByText('Claim a submission.').waitFor();
    await asking.getByText(waiting[1].uuid).waitFor();
    const claimed = answerTo(page, 'submission_claim');
    await page.keyboard.press('Enter');
    assert.equal((await claimed).body.data.marketplace_submissions_claim.state, 'IN_REVIEW');
    const missing = watch.requests.find((url) => url.includes(PICTURES[1].uuid));
    assert.deepEqual(complaints(watch, mock.base, missing ? [{ path: missing.slice(mock.base.length), status: 404 }] : []), []);
  } finally {
    await close();
  }
});

test('wrong password and wrong code show errors and keep the input', async () => {
  const { page, watch, close } = await openBrowser();
  try {
    await page.goto(`${mock.base}/playground`);
    await page.getByLabel('E-mail').fill(STAFF.email);
    await page.getByLabel('Password').fill('not the password');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Wrong e-mail or password').waitFor();
    assert.equal(await page.getByLabel('E-mail').inputValue(), STAFF.email);

    await page.getByLabel('Password').fill(STAFF.password);
    await page.keyboard.press('Enter');
    await page.getByLabel('Code').fill('000000x');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Wrong code').waitFor();
    await page.getByRole('button', { name: 'Start again' }).click();
    await page.getByLabel('E-mail').waitFor();
    assert.deepEqual(complaints(watch, mock.base, SIGN_IN_REFUSALS), []);
  } finally {
    await close();
  }
});
