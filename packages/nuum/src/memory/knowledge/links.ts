/** Slugs that a body refers to, as `[[slug]]` or `[[slug|words for it]]`, each once. */
export function linksIn(body: string): string[] {
  const found = [...body.matchAll(/\[\[([^[\]|\n]+)(?:\|[^[\]\n]*)?\]\]/g)];
  return [...new Set(found.map(([, slug = '']) => slug.trim()).filter((slug) => slug !== ''))];
}
