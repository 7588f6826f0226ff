import { styleText } from 'node:util';

/** Functions that colour a text; they return it unchanged without colour support or with `NO_COLOR`. */
export interface Style {
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  bold(text: string): string;
}

type Format = Parameters<typeof styleText>[0];

/** Colours for a stream: Node looks at the terminal, NO_COLOR and FORCE_COLOR. */
export function styleFor(stream: NodeJS.WriteStream): Style {
  const paint = (format: Format) => (text: string) =>
    styleText(format, text, { stream, validateStream: true });
  return {
    dim: paint('dim'),
    red: paint('red'),
    green: paint('green'),
    yellow: paint('yellow'),
    bold: paint('bold'),
  };
}
