import type { Config } from './config.ts';

/** Formats the configuration: each field, its value or reference, and its origin. */
export function describeConfig({ shown }: Config): string {
  const lines = shown.map(({ field, value, origin }) => ({ said: `${field}: ${oneLine(value)}`, origin }));
  const width = Math.min(60, Math.max(...lines.map(({ said }) => said.length)));
  return lines.map(({ said, origin }) => `${said.padEnd(width)}  # ${origin}\n`).join('');
}

/** Escapes control characters, so that a value cannot imitate further lines. */
function oneLine(value: string): string {
  return value.replace(/[\p{Cc}\u2028\u2029]/gu, (sign) => {
    return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
