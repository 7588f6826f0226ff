/** Letters that do not come apart into a plain letter and an accent. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ı: 'i',
};

/** File names may have 255 bytes; what nib puts around a slug needs some of them. */
const SLUG_BYTES = 200;

/**
 * A name for files out of a title: lower case, words joined by hyphens, accents taken from Latin letters. Letters of other
 * scripts stay, since a title has to remain readable. Empty when the title has neither letters nor digits.
 */
export function slugify(title: string): string {
  const plain = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
    .replace(/[ßæœøđðłþı]/g, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFC')
    .replace(/['’]/g, '')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-');
  return cut(plain).replace(/^-+|-+$/g, '');
}

/** Whether this may name a character or a project: lower-case ASCII words joined by hyphens. */
export function isStrictSlug(text: string): boolean {
  return /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text) && text.length <= SLUG_BYTES;
}

/** Why a scene's slug cannot be a file name in the project, or undefined when it can. */
export function slugProblem(slug: string): string | undefined {
  if (slug.trim() === '') return 'is empty';
  if (/[/\\]/.test(slug)) return 'has a slash in it';
  if (slug === '.' || slug === '..') return 'is the name of a directory';
  if (/\p{Cc}/u.test(slug)) return 'has a control character in it';
  if (Buffer.byteLength(slug) > 250) return 'is too long for a file name';
  return undefined;
}

function cut(text: string): string {
  let result = text;
  while (Buffer.byteLength(result) > SLUG_BYTES) result = Array.from(result).slice(0, -1).join('');
  return result;
}
