// The code samples: one tab for each language, and copy buttons.
import { element } from './dom';
import { remember, remembered } from './theme';

const KEY = 'labs-reference-language';

export function wakeTabs(within: HTMLElement): void {
  const tabs = [...within.querySelectorAll<HTMLButtonElement>('[role=tab]')];
  const choose = (tab: HTMLButtonElement) => {
    for (const one of tabs) {
      one.setAttribute('aria-selected', String(one === tab));
      one.tabIndex = one === tab ? 0 : -1;
      const panel = document.getElementById(one.getAttribute('aria-controls') ?? '');
      if (panel) panel.hidden = one !== tab;
    }
  };
  const kept = tabs.find((tab) => tab.id === remembered(KEY));
  if (kept) choose(kept);
  tabs.forEach((tab, at) => {
    tab.addEventListener('click', () => (choose(tab), remember(KEY, tab.id)));
    tab.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const next = step === undefined ? undefined : tabs[(at + step + tabs.length) % tabs.length];
      if (!next) return;
      event.preventDefault();
      choose(next);
      remember(KEY, next.id);
      next.focus();
    });
  });
  for (const button of within.querySelectorAll<HTMLButtonElement>('button.copy')) button.addEventListener('click', () => void copy(button));
}

/** Adds a copy button to each block of code of a concept. */
export function wakeCode(within: HTMLElement): void {
  for (const block of within.querySelectorAll('.concept pre')) {
    const button = element('button', { type: 'button', class: 'copy' }, 'Copy');
    const frame = element('div', { class: 'block' });
    block.replaceWith(frame);
    frame.append(block, button);
    button.addEventListener('click', () => void copy(button));
  }
}

async function copy(button: HTMLButtonElement): Promise<void> {
  const text = button.previousElementSibling?.textContent ?? '';
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'Copying failed';
  }
  setTimeout(() => (button.textContent = 'Copy'), 2000);
}
