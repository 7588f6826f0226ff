import { type ReactNode, useState } from 'react';
import { Icon } from './icons.tsx';
import { applyTheme, storedTheme, themeAfter } from './theme.ts';

const WORDS = { auto: 'as the system has it', light: 'light', dark: 'dark' } as const;

export function ThemeSwitch(): ReactNode {
  const [theme, setTheme] = useState(storedTheme);
  const change = (): void => {
    const next = themeAfter(theme);
    applyTheme(next);
    setTheme(next);
  };
  const label = `Colours: ${WORDS[theme]}`;
  return (
    <button type="button" className="icon-button" aria-label={label} title={label} onClick={change}>
      <Icon name={theme} />
    </button>
  );
}
