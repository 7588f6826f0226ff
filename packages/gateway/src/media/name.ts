const LONGEST_NAME = 200;

/** What a person sees: the last part of whatever was said, without what would deceive the eye. It is never used as a path. */
export function displayName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const clean = last
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .trim();
  const short = [...clean].slice(0, LONGEST_NAME).join('');
  return /^\.*$/.test(short) ? 'file' : short;
}
