// The tasks that e-mailed tokens are for. Each task has its own address below /account.
import { ask, type Answer } from './service';

export interface Field {
  /** Its name in the body; none for what is only shown. */
  name?: string;
  label: string;
  type: 'text' | 'email' | 'password';
  autocomplete: AutoFill;
  hint?: string;
  /** What it says, where that cannot be changed. */
  value?: string;
}

/** A button and what it asks of the service. */
export interface Step {
  button: string;
  path: string;
  /** Whether what was typed in goes with the token. */
  sendsFields: boolean;
  /** What is so once it is done. */
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
const PLAYGROUND = { href: '/playground', text: 'Sign in to the playground, as a member of staff' };

const NEW_PASSWORD: Field = { name: 'password', label: 'New password', type: 'password', autocomplete: 'new-password', hint: '12 characters or more, of any kind.' };

/** The task at each address. That of an invitation depends on whose address is invited. */
export const TASKS: Record<string, (token: string) => Task | Promise<Task>> = {
  'verify-email': () => ({
    title: 'Confirm your e-mail address',
    text: 'You registered a company. Confirm it with the password that you chose then.',
    fields: [{ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' }],
    steps: [{
      button: 'Confirm',
      path: '/v1/auth/registrations:verify-email',
      sendsFields: true,
      done: ({ email }) => ({ title: 'Your address is confirmed', text: `You sign in as ${email}.`, links: [SIGN_IN, REFERENCE] }),
    }],
  }),
  'reset-password': () => ({
    title: 'Choose a new password',
    text: 'Every session of your account ends, and you sign in with the new password.',
    fields: [NEW_PASSWORD],
    steps: [{
      button: 'Set the password',
      path: '/v1/auth/password-resets:confirm',
      sendsFields: true,
      done: () => ({ title: 'The new password is set', text: 'Sign in with it.', links: [SIGN_IN, PLAYGROUND, REFERENCE] }),
    }],
  }),
  'confirm-email': () => ({
    title: 'Confirm your new e-mail address',
    text: 'From then on you sign in with this address.',
    fields: [],
    steps: [{
      button: 'Confirm',
      path: '/v1/auth/account:confirm-email',
      sendsFields: false,
      done: ({ email }) => ({ title: 'Your new address is in force', text: `You sign in as ${email}.`, links: [SIGN_IN, REFERENCE] }),
    }],
  }),
  'cancel-email-change': () => ({
    title: 'Take back a change of your e-mail address',
    text: 'For when it was not you who changed it. You keep the former address, every session of your account ends, and you choose a new password.',
    fields: [],
    steps: [{
      button: 'Take the change back',
      path: '/v1/auth/account:cancel-email-change',
      sendsFields: false,
      done: ({ email }) => ({ title: 'The change is taken back', text: `Your address is ${email}. A mail on its way there lets you choose a new password.`, links: [REFERENCE] }),
    }],
  }),
  invitation: async (token) => invitation(await ask('/v1/auth/invitations:inspect', { token })),
};

function invitation({ company_name, inviter_name, email, role, account }: Answer): Task {
  const who = inviter_name ? `${inviter_name} of ${company_name}` : `${company_name}`;
  const offer = `${who} invites ${email} into their team, as ${role?.toLowerCase()}.`;
  const decline: Step = {
    button: 'Decline',
    path: '/v1/auth/invitations:decline',
    sendsFields: false,
    done: () => ({ title: 'The invitation is declined', text: 'Nothing else happens.', links: [REFERENCE] }),
  };
  const title = `Join ${company_name}`;
  if (account === 'ELSEWHERE') return { title, text: `${offer} This address belongs to a member of another team, and a person belongs to one.`, fields: [], steps: [decline] };
  const isNew = account === 'NEW';
  return {
    title,
    text: isNew ? offer : `${offer} You keep your name and your password.`,
    fields: isNew ? [
      { label: 'E-mail', type: 'email', autocomplete: 'username', value: email ?? '' },
      { name: 'name', label: 'Full name', type: 'text', autocomplete: 'name' },
      { ...NEW_PASSWORD, label: 'Password' },
    ] : [],
    steps: [{
      button: 'Accept',
      path: '/v1/auth/invitations:accept',
      sendsFields: true,
      done: (answer) => ({ title: `You are in the team of ${company_name}`, text: `You sign in as ${answer.email}.`, links: [SIGN_IN, REFERENCE] }),
    }, decline],
  };
}
