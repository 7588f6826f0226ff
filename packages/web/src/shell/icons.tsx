import type { ReactNode } from 'react';

/** Drawn on a grid of 20, in the colour of the text around them. */
const PATHS = {
  menu: 'M3 6h14M3 10h14M3 14h14',
  plus: 'M10 4v12M4 10h12',
  search: 'M9 3.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11ZM13 13l4 4',
  send: 'M10 16V4M5 9l5-5 5 5',
  clip: 'm15.5 9-5.8 5.8a3.3 3.3 0 0 1-4.7-4.7l6.3-6.2a2.2 2.2 0 0 1 3.1 3.1l-6.2 6.2a1 1 0 0 1-1.5-1.5L12 6.500',
  close: 'm5 5 10 10M15 5 5 15',
  down: 'M10 4v12M5 11l5 5 5-5',
  pencil: 'm4 13.500 8.500-8.500 2.500 2.500L6.500 16H4v-2.500ZM11 6.500 13.500 9',
  end: 'M10 3v7M6 5.500a6.500 6.500 0 1 0 8 0',
  back: 'M12 4 6 10l6 6',
  file: 'M6 3h5l4 4v10H6V3ZM11 3v4h4',
  tool: 'M12.500 3.500a4 4 0 0 0-3.800 5.300L3.500 14 6 16.500l5.200-5.200A4 4 0 0 0 16.300 6l-2.300 2.300-2.300-2.300L14 3.800a4 4 0 0 0-1.500-.3Z',
  alarm: 'M10 5a6 6 0 1 1 0 12 6 6 0 0 1 0-12ZM10 8v3.500l2 1.500M3 6l3-3M17 6l-3-3',
  look: 'M3 10s2.500-5 7-5 7 5 7 5-2.500 5-7 5-7-5-7-5ZM10 8a2 2 0 1 1 0 4 2 2 0 0 1 0-4Z',
  copy: 'M7 7h9v9H7V7ZM4 13V4h9',
  check: 'm4 10.500 4 4 8-9',
  auto: 'M10 3a7 7 0 1 0 0 14ZM10 3a7 7 0 0 1 0 14',
  light:
    'M10 6.500a3.500 3.500 0 1 1 0 7 3.500 3.500 0 0 1 0-7ZM10 2v1.500M10 16.500V18M2 10h1.500M16.500 10H18M4.300 4.300l1.100 1.100M14.600 14.600l1.100 1.100M15.700 4.300l-1.100 1.100M5.400 14.600l-1.100 1.100',
  dark: 'M16 11.500A6.500 6.500 0 0 1 8.500 4 6.500 6.500 0 1 0 16 11.500Z',
  leave: 'M8 4H4v12h4M12 6.500l3.500 3.500-3.500 3.500M15.500 10H8',
  again: 'M15.500 8A6 6 0 1 0 16 11.500M16 4v4h-4',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }): ReactNode {
  return (
    <svg className="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** The sign of the program. */
export function Mark(): ReactNode {
  return <img className="mark" src="/icon.svg" alt="" width={40} height={40} />;
}
