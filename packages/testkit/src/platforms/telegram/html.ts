/** A text with marks, as the Bot API has it after parsing. */
export interface MarkedText {
  readonly text: string;
  readonly entities: readonly MarkedRange[];
}

export interface MarkedRange {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
  readonly language?: string;
}

/** A refusal of the Bot API. */
export class BotApiError extends Error {
  readonly status: number;
  readonly parameters: Readonly<Record<string, number>> | undefined;

  constructor(status: number, description: string, parameters?: Readonly<Record<string, number>>) {
    super(description);
    this.status = status;
    this.parameters = parameters;
  }
}

const TYPES: Readonly<Record<string, string>> = {
  ...{ b: 'bold', strong: 'bold', i: 'italic', em: 'italic', u: 'underline', ins: 'underline' },
  ...{ s: 'strikethrough', strike: 'strikethrough', del: 'strikethrough', a: 'text_link', code: 'code' },
  ...{ pre: 'pre', blockquote: 'blockquote', 'tg-spoiler': 'spoiler' },
};

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

interface OpenTag {
  readonly name: string;
  readonly offset: number;
  readonly attributes: string;
}

/** Parses the HTML of the Bot API. Throws its refusals. */
export function parseHtml(html: string): MarkedText {
  const open: OpenTag[] = [];
  const entities: MarkedRange[] = [];
  let text = '';
  for (const [token, slash, name = '', attributes = ''] of html.matchAll(
    /<(\/?)([a-zA-Z][a-zA-Z0-9-]*)?([^<>]*)>|&(?:#\d+|[a-z]+);|[^<&]+|[<&]/g,
  )) {
    if (token.length > 1 && token.startsWith('&')) text += decode(token);
    else if (!token.startsWith('<')) text += token;
    else if (TYPES[name.toLowerCase()] === undefined)
      throw cannotParse(`Unsupported start tag "${name}" at byte offset ${byteOffset(html, token)}`);
    else if (slash === '') open.push({ name, offset: text.length, attributes });
    else entities.push(closeTag(open, name, text.length));
  }
  const [unclosed] = open.slice(-1);
  if (unclosed !== undefined)
    throw cannotParse(`Can't find end tag corresponding to start tag "${unclosed.name}"`);
  return trim(text, entities);
}

function closeTag(open: OpenTag[], name: string, end: number): MarkedRange {
  const start = open.pop();
  if (start?.name !== name)
    throw cannotParse(`Unmatched end tag, expected "</${start?.name ?? ''}>", found "</${name}>"`);
  const { offset, attributes } = start;
  const url = /href="([^"]*)"/.exec(attributes)?.[1];
  const language = /class="language-([^"]*)"/.exec(attributes)?.[1];
  return {
    type: TYPES[name.toLowerCase()] ?? name,
    offset,
    length: end - offset,
    ...(url === undefined ? {} : { url: url.replace(/&[a-z]+;/g, decode) }),
    ...(language === undefined ? {} : { language }),
  };
}

function decode(entity: string): string {
  const name = entity.slice(1, -1);
  return name.startsWith('#') ? String.fromCodePoint(Number(name.slice(1))) : (NAMED[name] ?? entity);
}

function cannotParse(reason: string): BotApiError {
  return new BotApiError(400, `Bad Request: can't parse entities: ${reason}`);
}

function byteOffset(html: string, token: string): number {
  return Buffer.byteLength(html.slice(0, html.indexOf(token)));
}

/** White space around a message is dropped. */
function trim(text: string, entities: readonly MarkedRange[]): MarkedText {
  const front = text.length - text.trimStart().length;
  return {
    text: text.trim(),
    entities: entities.map((entity) => ({ ...entity, offset: Math.max(0, entity.offset - front) })),
  };
}
