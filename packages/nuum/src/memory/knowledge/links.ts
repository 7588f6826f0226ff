/** The slugs of links `[[slug]]` and `[[slug|text]]` in a body, each once. */
export function linksIn(body: string): string[] {
  const found = [...body.matchAll(/\[\[([^[\]|\n]+)(?:\|[^[\]\n]*)?\]\]/g)];
  return [...new Set(found.map(([, slug = '']) => slug.trim()).filter((slug) => slug !== ''))];
}
