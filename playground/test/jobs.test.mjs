// Performs the daily jobs of staff from the sign-in to the result, through the pages only, and counts the steps of each. Needs a
// service with sample data, and one staff member for each role.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { complaints, openBrowser } from './browser.mjs';
import { enterCredentials, SIGN_IN_REFUSALS } from './house.mjs';
import { Api, apiOf, Job } from './jobs/job.mjs';
import { ACCOUNT_JOBS } from './jobs/accounts.mjs';
import { BOARD_JOBS } from './jobs/board.mjs';
import { OPERATIONS_JOBS } from './jobs/operations.mjs';
import { PUBLICATION_JOBS } from './jobs/publication.mjs';
import { REVIEW_JOBS } from './jobs/review.mjs';
import { SUPPORT_JOBS } from './jobs/support.mjs';

const MOST_STEPS = 4;
/** Jobs that need more steps, with the reason. */
const LONGER = {
  'request changes with two findings': [5, 'each finding needs its place'],
  'change the tier of a partner': [5, 'partner and tier are two choices'],
};
const ROLES = {
  REVIEWER: REVIEW_JOBS,
  COMMUNITY: BOARD_JOBS,
  EDITOR: PUBLICATION_JOBS,
  SUPPORT: SUPPORT_JOBS,
  ACCOUNT_MANAGER: ACCOUNT_JOBS,
  ADMINISTRATOR: OPERATIONS_JOBS,
};

const base = process.env.LABS_TEST_BASE?.replace(/\/$/, '');
const hasService = Boolean(base && process.env.LABS_FOLDER && process.env.LABS_TEST_REVIEWER_EMAIL);
const skip = hasService ? false : 'needs a service with sample data and a staff member for each role';

let browser;
before(async () => {
  if (hasService) browser = await openBrowser();
});
after(() => browser?.close());

for (const [role, jobs] of Object.entries(ROLES)) {
  test(`daily jobs: ${role.toLowerCase().replaceAll('_', ' ')}`, { skip }, async (context) => {
    const { page, watch } = browser;
    page.setDefaultTimeout(20_000);
    const world = await enter(page, role);
    for (const [title, perform] of Object.entries(jobs)) {
      await context.test(title, async (inner) => {
        const job = new Job(page);
        await perform(job, world);
        const most = LONGER[title]?.[0] ?? MOST_STEPS;
        inner.diagnostic(`${role} · ${title} · ${job.steps} ${job.steps === 1 ? 'step' : 'steps'}`);
        assert.ok(job.steps <= most, `${job.steps} steps, at most ${most}`);
      });
    }
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByLabel('E-mail').waitFor();
    assert.deepEqual(complaints(watch, base, SIGN_IN_REFUSALS), []);
  });
}

/** Signs a staff member in on the page. Returns what the jobs of the role share: the API with the token of the page. */
async function enter(page, role) {
  const [email, password, secret] = ['EMAIL', 'PASSWORD', 'TOTP_SECRET'].map((name) => process.env[`LABS_TEST_${role}_${name}`]);
  const asked = page.waitForRequest((request) => request.url().endsWith('/playground/graphql'));
  await page.goto(`${base}/playground`);
  await enterCredentials(page, { email, password, secret });
  const { authorization } = (await asked).headers();
  const api = new Api(base, authorization.replace('Bearer ', ''));
  const name = await page.locator('.topbar .who').textContent();
  return { api, name, used: new Set(), signIn: (address) => apiOf(base, address) };
}
