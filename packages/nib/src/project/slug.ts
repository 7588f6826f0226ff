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

/** Why a scene's slug cannot be a file in its chapter's directory, or undefined when it can; `part-1/dawn` names a folder too. */
export function slugProblem(slug: string): string | undefined {
  if (slug.trim() === '') return 'is empty';
  if (slug.includes('\\')) return 'has a backslash in it';
  if (/\p{Cc}/u.test(slug)) return 'has a control character in it';
  const parts = slug.split('/');
  if (parts.some((part) => part.trim() === '')) return 'has a slash at its beginning or end, or two in a row';
  if (parts.some((part) => part === '.' || part === '..')) return 'leads out of its directory';
  if (parts.some((part) => Buffer.byteLength(part) > 250)) return 'is too long for a file name';
  return undefined;
}

/** The slug for a name that a person typed: a title becomes one word, and `part-1/dawn`, all of slugs, stays a path. */
export function slugFromName(name: string): string {
  const parts = name.split('/');
  return parts.every((part) => part !== '' && slugify(part) === part) ? name : slugify(name);
}

function cut(text: string): string {
  let result = text;
  while (Buffer.byteLength(result) > SLUG_BYTES) result = Array.from(result).slice(0, -1).join('');
  return result;
}
