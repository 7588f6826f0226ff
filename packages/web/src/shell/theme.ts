import { browserKeep } from '../state/keep.ts';

/** `auto` follows the system. */
export type Theme = 'auto' | 'light' | 'dark';

const PLACE = 'plugboard.theme';
const ORDER: readonly Theme[] = ['auto', 'light', 'dark'];

export function storedTheme(): Theme {
  const kept = browserKeep.read(PLACE);
  return ORDER.find((theme) => theme === kept) ?? 'auto';
}

export function applyTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === 'auto') delete dataset.theme;
  else dataset.theme = theme;
  browserKeep.write(PLACE, theme);
}

export function themeAfter(theme: Theme): Theme {
  return ORDER[(ORDER.indexOf(theme) + 1) % ORDER.length] ?? 'auto';
}
