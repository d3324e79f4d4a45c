// The code samples: one tab for each language, and a copy button.
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
