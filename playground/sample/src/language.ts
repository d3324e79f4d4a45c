// The reader's languages: the locale of the service's texts, and the language of the pages' own texts.
import { de } from './texts/de';
import { en, type Texts } from './texts/en';
import { fr } from './texts/fr';

const PAGE_LANGUAGES: Record<string, Texts> = { en, de, fr };

/** Value of `locale` in the address that shows every text of the service in its original language. */
export const ORIGINAL = 'original';

/** Returns the locale in the address. Undefined if the browser's language applies. */
export function chosenLocale(): string | undefined {
  return new URLSearchParams(location.search).get('locale') ?? undefined;
}

/** Returns the locale of the service's texts: the one in the address, else the browser's. Undefined for the original language. */
export function locale(): string | undefined {
  const chosen = chosenLocale();
  return chosen === ORIGINAL ? undefined : (chosen ?? browserLocale());
}

/** Returns the first preferred language of the browser that the pages have, else the first one. */
export function browserLocale(): string {
  const preferred = navigator.languages.flatMap(canonicalize);
  return preferred.find((one) => toBase(one) in PAGE_LANGUAGES) ?? preferred[0] ?? 'en';
}

/** Returns the language of the pages' own texts. The board is in English, because developers use it. */
export function pageLanguage(): string {
  if (location.pathname.startsWith('/board')) return 'en';
  return [locale(), browserLocale()].map((one) => toBase(one ?? '')).find((one) => one in PAGE_LANGUAGES) ?? 'en';
}

/** Returns the pages' own texts in the language of the page. */
export function texts(): Texts {
  return PAGE_LANGUAGES[pageLanguage()] ?? en;
}

function toBase(tag: string): string {
  return tag.split('-')[0] ?? tag;
}

/** Returns a language tag in canonical form, or nothing if it is not valid. */
function canonicalize(tag: string): string[] {
  try {
    return Intl.getCanonicalLocales(tag);
  } catch {
    return [];
  }
}
