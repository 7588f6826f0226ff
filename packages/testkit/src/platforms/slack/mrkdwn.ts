const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

/** A text in mrkdwn as people read it: without marks, with the labels of links. */
export function readMrkdwn(text: string): string {
  return text
    .replace(/<([^>|]*)(?:\|([^>]*))?>/g, (_all, target: string, label?: string) => label ?? target)
    .replace(/```\n?([\s\S]*?)\n?```/g, '$1')
    .replace(/`([^`\n]+)`/g, '$1')
    .replace(/(?<![\p{L}\p{N}])([*_~])(\S(?:[^\n]*?\S)?)\1(?![\p{L}\p{N}])/gu, '$2')
    .replaceAll('\u200b', '')
    .replace(/&(?:amp|lt|gt);/g, (entity) => ENTITIES[entity] ?? entity);
}

/** The mentions in a text that would call people: `<!channel>`, `<@U1>` and the like. */
export function findPings(text: string): readonly string[] {
  return text.match(/<[!@][^>]*>/g) ?? [];
}
