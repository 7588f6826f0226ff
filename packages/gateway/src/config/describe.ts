import type { Config } from './config.ts';

/** The configuration in effect for people: each field, its value or what refers to it, and where that comes from. */
export function describeConfig({ shown }: Config): string {
  const lines = shown.map(({ field, value, origin }) => ({ said: `${field}: ${oneLine(value)}`, origin }));
  const width = Math.min(60, Math.max(...lines.map(({ said }) => said.length)));
  return lines.map(({ said, origin }) => `${said.padEnd(width)}  # ${origin}\n`).join('');
}

/** A value with line feeds or control characters must not look like further lines. */
function oneLine(value: string): string {
  return value.replace(/[\p{Cc}\u2028\u2029]/gu, (sign) => {
    return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
