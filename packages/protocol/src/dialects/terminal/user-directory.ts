const SAFE = /^[A-Za-z0-9._-]{1,128}$/;

/** Longest part of an encoded name; file systems allow 255 bytes. */
const PART = 120;

/**
 * The place of a chat's own directory below the workspace: `users/<chat id>` for an id that is a safe file name.
 * Any other id is encoded so that two ids never share a directory and none leads out of `users`: each character
 * that is not a letter, digit, `_` or `-` becomes `.` and its four-digit code, `~` goes in front, and a long name
 * becomes nested directories.
 */
export function userDirectoryOf(chatId: string): string {
  if (SAFE.test(chatId) && chatId !== '.' && chatId !== '..') return `users/${chatId}`;
  const encoded = `~${[...chatId].flatMap(encodeCharacter).join('')}`;
  const parts: string[] = [];
  for (let at = 0; at < encoded.length; at += PART) parts.push(encoded.slice(at, at + PART));
  return `users/${parts.join('/')}`;
}

function encodeCharacter(char: string): string[] {
  if (/^[A-Za-z0-9_-]$/.test(char)) return [char];
  return char.split('').map((unit) => `.${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
