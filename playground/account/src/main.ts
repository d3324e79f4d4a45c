// The page that links in e-mails open, and the page that requests such a link. The token is in the URL fragment (after
// `#`), which browsers do not send to a server. The page removes it from the address bar at once, so that it is not
// visible in the history or on the screen. The page does nothing until the user presses a button, because mail programs
// open links automatically.
import { byId, element } from '../../reference/src/dom';
import { ask, Refusal } from './service';
import { REQUESTS, TASKS, type Field, type Link, type Step, type Task } from './tasks';

const main = byId('main');
const said = byId('said');

const page = location.pathname.split('/').pop() ?? '';
const request = REQUESTS[page];
/** Empty if the task needs no token. */
const token = request ? '' : location.hash.slice(1);
history.replaceState(null, '', location.pathname);
// If the user opens another link to this page in the same tab, only the fragment (after `#`) changes and the browser
// does not reload.
addEventListener('hashchange', () => location.reload());

await begin();

async function begin(): Promise<void> {
  if (request) return present(request());
  const task = TASKS[page];
  if (!token || !task) return show('This link is incomplete', 'Open the link in the e-mail again. It contains a token after the #, which a reload of this page loses.', []);
  try {
    present(await task(token));
  } catch (error) {
    show('This link cannot be used', sentence(error), [{ href: '/reference', text: 'Read the API reference' }]);
  }
}

/** Shows a task as a form. */
function present({ title, text, fields, steps }: Task): void {
  const fault = element('p', { class: 'fault', role: 'alert' });
  const inputs = fields.map(input);
  const [first, ...others] = steps.map((step, place) => element('button', { type: place === 0 ? 'submit' : 'button', class: place === 0 ? '' : 'plain' }, step.button));
  const form = element('form', { novalidate: true }, fault, ...inputs.map(({ whole }) => whole), element('div', { class: 'steps' }, ...(first ? [first] : []), ' ', ...others));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (steps[0]) void take(steps[0], form, fault, inputs);
  });
  others.forEach((button, place) => button.addEventListener('click', () => void take(steps[place + 1]!, form, fault, inputs)));
  render(title, text, form);
}

interface Input { field: Field; whole: HTMLElement; box: HTMLInputElement; fault: HTMLElement }

function input(field: Field, place: number): Input {
  const id = `field-${place}`;
  const fault = element('p', { class: 'fault', id: `${id}-fault` });
  const described = field.hint ? `${id}-hint ${id}-fault` : `${id}-fault`;
  const shown = field.value !== undefined;
  const box = element('input', { id, type: field.type, autocomplete: field.autocomplete, 'aria-describedby': described, required: !shown, readonly: shown });
  box.value = field.value ?? '';
  const hint = field.hint ? [element('p', { class: 'hint', id: `${id}-hint` }, field.hint)] : [];
  return { field, box, fault, whole: element('div', { class: 'field' }, element('label', { for: id }, field.label), box, ...hint, fault) };
}

/** Sends the request of a step and shows the result. It ignores further clicks during the request. */
async function take(step: Step, form: HTMLFormElement, fault: HTMLElement, inputs: Input[]): Promise<void> {
  if (form.ariaBusy === 'true') return;
  const typed = inputs.filter(({ field }) => step.sendsFields && field.name);
  complain(fault, inputs, '', typed.filter(({ box }) => !box.value).map(({ field }) => ({ pointer: `/${field.name}`, message: `${field.label} is missing.` })));
  if (typed.some(({ box }) => !box.value)) return;
  wait(form, true);
  try {
    const answer = await ask(step.path, { ...(token ? { token } : {}), ...Object.fromEntries(typed.map(({ field, box }) => [field.name, box.value])) });
    const { title, text, links } = step.done(answer);
    show(title, text, links);
  } catch (error) {
    wait(form, false);
    complain(fault, inputs, sentence(error), error instanceof Refusal ? error.faults : []);
  }
}

function wait(form: HTMLFormElement, isBusy: boolean): void {
  form.ariaBusy = String(isBusy);
  for (const button of form.querySelectorAll('button')) button.ariaDisabled = String(isBusy);
  said.textContent = isBusy ? 'Please wait.' : '';
}

/** Shows each error at its field, and errors without a field above the form. The first field with an error gets the focus. */
function complain(fault: HTMLElement, inputs: Input[], whole: string, faults: Refusal['faults']): void {
  const isAt = ({ pointer }: { pointer?: string }, { field }: Input) => field.name !== undefined && pointer === `/${field.name}`;
  for (const each of inputs) {
    each.fault.textContent = faults.filter((one) => isAt(one, each)).map(({ message }) => message).join(' ');
    if (each.fault.textContent) each.box.setAttribute('aria-invalid', 'true');
    else each.box.removeAttribute('aria-invalid');
  }
  const others = faults.filter((one) => !inputs.some((each) => isAt(one, each))).map(({ message }) => message);
  fault.textContent = others.length > 0 || faults.length > 0 ? others.join(' ') : whole;
  inputs.find(({ box }) => box.hasAttribute('aria-invalid'))?.box.focus();
}

function sentence(error: unknown): string {
  if (error instanceof Refusal) return error.faults.map(({ message }) => message).join(' ') || error.message;
  throw error;
}

/** Shows a result with links. Screen readers announce it. */
function show(title: string, text: string, links: Link[]): void {
  const list = links.map(({ href, text: name }) => element('li', {}, element('a', { href }, name)));
  render(title, text, ...(list.length > 0 ? [element('ul', { class: 'next' }, ...list)] : []));
  said.textContent = `${title}. ${text}`;
}

function render(title: string, text: string, ...rest: HTMLElement[]): void {
  document.title = `${title} · Labs`;
  const heading = element('h1', { tabindex: '-1' }, title);
  main.replaceChildren(heading, element('p', { class: 'lead' }, text), ...rest);
  heading.focus();
}
