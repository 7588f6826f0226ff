const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' };

/** Decodes `<@U1>`, `<#C1|name>`, links and entities, and removes mentions of `botUser`. */
export function readText(text: string, botUser: string): string {
  const bot = `<@${botUser}(?:\\|[^>]*)?>`;
  return text
    .replace(new RegExp(`^\\s*${bot}[:,]?\\s*`), '')
    .replace(new RegExp(`[ \\t]*${bot}`, 'g'), '')
    .replace(/<([^<>]+)>/g, (_all, inner: string) => readMark(inner))
    .replace(/&(?:lt|gt|amp);/g, (entity) => ENTITIES[entity] ?? entity);
}

function readMark(inner: string): string {
  const at = inner.indexOf('|');
  const [target, label] = at === -1 ? [inner, ''] : [inner.slice(0, at), inner.slice(at + 1)];
  if (target.startsWith('@')) return `@${label || target.slice(1)}`;
  if (target.startsWith('#')) return `#${label || target.slice(1)}`;
  if (target.startsWith('!')) return readSpecial(target.slice(1), label);
  const address = target.replace(/^mailto:/, '');
  const isSame = label === '' || label === address || address.replace(/^https?:\/\/|\/$/g, '') === label;
  return isSame ? address : `${label} (${address})`;
}

/** `<!here>`, `<!subteam^S1|@team>`, `<!date^…|fallback>`. */
function readSpecial(name: string, label: string): string {
  if (label !== '') return label.startsWith('@') || name.startsWith('date') ? label : `@${label}`;
  return `@${name.replace(/\^.*$/, '')}`;
}
