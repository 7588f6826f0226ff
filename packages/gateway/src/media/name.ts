import { extname } from 'node:path';

const LONGEST_NAME = 200;
const LONGEST_EXTENSION = 20;

/** Display name of a file: the last path segment without control and format characters. Never used as a path. */
export function displayName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const clean = last
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .trim();
  const short = shortenName(clean);
  return /^\.*$/.test(short) ? 'file' : short;
}

/** Keeps the extension: it decides how a platform shows the file. */
function shortenName(name: string): string {
  const characters = [...name];
  if (characters.length <= LONGEST_NAME) return name;
  const extension = [...extname(name)];
  const kept = extension.length <= LONGEST_EXTENSION ? extension : [];
  return [...characters.slice(0, LONGEST_NAME - kept.length), ...kept].join('');
}
