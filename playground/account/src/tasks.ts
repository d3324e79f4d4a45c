// The tasks that e-mailed tokens are for, and the request for such an e-mail. Each task has its own address below /account.
import { ask, type Answer } from './service';

export interface Field {
  /** Name in the request body. Absent if the field is read-only. */
  name?: string;
  label: string;
  type: 'text' | 'email' | 'password';
  autocomplete: AutoFill;
  hint?: string;
  /** Value of a read-only field. */
  value?: string;
}

/** A button and its request to the service. */
export interface Step {
  button: string;
  path: string;
  /** Whether the request contains the fields in addition to the token. */
  sendsFields: boolean;
  /** Returns the result to show. */
  done: (answer: Answer) => { title: string; text: string; links: Link[] };
}

export interface Link { href: string; text: string }

export interface Task {
  title: string;
  text: string;
  fields: Field[];
  steps: Step[];
}

const REFERENCE = { href: '/reference', text: 'Read the API reference' };
const SIGN_IN = { href: '/reference/operations/auth_sessions_create', text: 'Sign in: POST /v1/auth/sessions' };
const PLAYGROUND = { href: '/playground', text: 'Sign in to the playground (staff members)' };

const NEW_PASSWORD: Field = { name: 'password', label: 'New password', type: 'password', autocomplete: 'new-password', hint: 'At least 12 characters. All characters are allowed.' };

/** The tasks that need no token. */
export const REQUESTS: Record<string, () => Task> = {
  'forgot-password': () => ({
    title: 'Request a new password',
    text: 'Enter the e-mail address of your account. You receive a link to choose a new password. The current password stays valid until then.',
    fields: [{ name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username' }],
    steps: [{
      button: 'Send the link',
      path: '/v1/auth/password-resets',
      sendsFields: true,
      done: ({ email, expires_in }) => ({ title: 'Check your e-mails', text: `If ${email} has an account, an e-mail with a link is on its way. The link is valid for ${Number(expires_in) / 60} minutes.`, links: [REFERENCE] }),
    }],
  }),
};

/** The task of each address. The task of an invitation depends on the account of the invited address. */
export const TASKS: Record<string, (token: string) => Task | Promise<Task>> = {
  'verify-email': () => ({
    title: 'Confirm your e-mail address',
    text: 'You registered a company. To confirm the address, enter the password that you chose at registration.',
    fields: [{ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' }],
    steps: [{
      button: 'Confirm',
      path: '/v1/auth/registrations:verify-email',
      sendsFields: true,
      done: ({ email }) => ({ title: 'Your address is confirmed', text: `You can now sign in as ${email}.`, links: [SIGN_IN, REFERENCE] }),
    }],
  }),
  'reset-password': () => ({
    title: 'Choose a new password',
    text: 'All sessions of your account end. Then sign in with the new password.',
    fields: [NEW_PASSWORD],
    steps: [{
      button: 'Set the password',
      path: '/v1/auth/password-resets:confirm',
      sendsFields: true,
      done: () => ({ title: 'The new password is set', text: 'Sign in with the new password.', links: [SIGN_IN, PLAYGROUND, REFERENCE] }),
    }],
  }),
  'confirm-email': () => ({
    title: 'Confirm your new e-mail address',
    text: 'After the confirmation, you sign in with this address.',
    fields: [],
    steps: [{
      button: 'Confirm',
      path: '/v1/auth/account:confirm-email',
      sendsFields: false,
      done: ({ email }) => ({ title: 'Your new address is active', text: `You can now sign in as ${email}.`, links: [SIGN_IN, REFERENCE] }),
    }],
  }),
  'cancel-email-change': () => ({
    title: 'Cancel the change of your e-mail address',
    text: 'Use this page if you did not request the change. You keep the previous address, all sessions of your account end, and you choose a new password.',
    fields: [],
    steps: [{
      button: 'Cancel the change',
      path: '/v1/auth/account:cancel-email-change',
      sendsFields: false,
      done: ({ email }) => ({ title: 'The change is cancelled', text: `Your address is ${email}. You will receive an e-mail with a link to choose a new password.`, links: [REFERENCE] }),
    }],
  }),
  invitation: async (token) => invitation(await ask('/v1/auth/invitations:inspect', { token })),
};

function invitation({ company_name, inviter_name, email, role, account }: Answer): Task {
  const who = inviter_name ? `${inviter_name} of ${company_name}` : `${company_name}`;
  const offer = `${who} invites ${email} to join their team as ${String(role).toLowerCase()}.`;
  const decline: Step = {
    button: 'Decline',
    path: '/v1/auth/invitations:decline',
    sendsFields: false,
    done: () => ({ title: 'The invitation is declined', text: 'You do not need to do anything else.', links: [REFERENCE] }),
  };
  const title = `Join ${company_name}`;
  if (account === 'ELSEWHERE') return { title, text: `${offer} This address belongs to a member of another team, and a user can belong to only one team.`, fields: [], steps: [decline] };
  const isNew = account === 'NEW';
  return {
    title,
    text: isNew ? offer : `${offer} You keep your name and your password.`,
    fields: isNew ? [
      { label: 'E-mail', type: 'email', autocomplete: 'username', value: String(email ?? '') },
      { name: 'name', label: 'Full name', type: 'text', autocomplete: 'name' },
      { ...NEW_PASSWORD, label: 'Password' },
    ] : [],
    steps: [{
      button: 'Accept',
      path: '/v1/auth/invitations:accept',
      sendsFields: true,
      done: (answer) => ({ title: `You joined the team of ${company_name}`, text: `You can now sign in as ${answer.email}.`, links: [SIGN_IN, REFERENCE] }),
    }, decline],
  };
}
