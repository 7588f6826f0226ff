/** Letters that NFKD does not decompose into a plain letter and an accent. */
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

/** File names may have 255 bytes; prefixes and suffixes around a slug need some of them. */
const SLUG_BYTES = 200;

/**
 * Converts a title to a file name: lower case, words joined by hyphens, Latin letters without accents. Letters of other
 * scripts stay, because a title must remain readable. Returns '' for a title without letters or digits.
 */
export function toSlug(title: string): string {
  const plain = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
    .replace(/[ßæœøđðłþı]/g, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFC')
    .replace(/['’]/g, '')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-');
  return truncateSlug(plain).replace(/^-+|-+$/g, '');
}

/** Whether `text` may name a character or a project: lower-case ASCII words joined by hyphens. */
export function isStrictSlug(text: string): boolean {
  return /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text) && text.length <= SLUG_BYTES;
}

/**
 * Why a scene's slug is no valid path in its chapter's directory; undefined when it is. `part-1/dawn` names a folder
 * too.
 */
export function describeSlugProblem(slug: string): string | undefined {
  if (slug.trim() === '') return 'is empty';
  if (slug.includes('\\')) return 'has a backslash in it';
  if (/\p{Cc}/u.test(slug)) return 'has a control character in it';
  const parts = slug.split('/');
  if (parts.some((part) => part.trim() === '')) return 'has a slash at its beginning or end, or two in a row';
  if (parts.some((part) => part === '.' || part === '..')) return 'leads out of its directory';
  if (parts.some((part) => Buffer.byteLength(part) > 250)) return 'is too long for a file name';
  return undefined;
}

/**
 * Converts a typed name to a slug: a title becomes one word, and the path `part-1/dawn`, whose parts are slugs, stays.
 */
export function parseSlug(name: string): string {
  const parts = name.split('/');
  return parts.every((part) => part !== '' && toSlug(part) === part) ? name : toSlug(name);
}

function truncateSlug(text: string): string {
  let result = text;
  while (Buffer.byteLength(result) > SLUG_BYTES) result = Array.from(result).slice(0, -1).join('');
  return result;
}
