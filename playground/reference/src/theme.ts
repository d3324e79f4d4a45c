// Light theme, dark theme or system setting. The choice is stored in local storage, which otherwise contains only the
// language of the samples.
import { byId } from './dom';

const KEY = 'labs-reference-theme';
const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

export function wakeTheme(): void {
  const button = byId<HTMLButtonElement>('theme');
  let theme: Theme = THEMES.find((one) => one === remembered(KEY)) ?? 'system';
  const apply = () => {
    document.documentElement.dataset.theme = theme;
    button.textContent = `Theme: ${theme}`;
  };
  apply();
  button.addEventListener('click', () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
    remember(KEY, theme);
    apply();
  });
}

/** Returns the stored value, or null if the value is not set or the browser does not allow storage. */
export function remembered(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Without local storage, the choice is lost at the next visit.
  }
}
