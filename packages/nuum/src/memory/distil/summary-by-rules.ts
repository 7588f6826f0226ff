import type { JsonValue } from '@plugboard/protocol';
import type { Remembered } from '../messages/message.ts';
import type { Gist } from '../summaries/summaries.ts';
import { shortenText } from '../tokens.ts';
import { CONTEXT_SHARE, fitGist } from './fit-gist.ts';

/** The most characters of a message that are searched for sentences. */
const MOST_TEXT = 20_000;
const MOST_LINES = 12;

/** A summary without a model: requests, answers, calls, and the sentences with the most `SIGNS`. Deterministic. */
export function gistByRules(messages: readonly Remembered[], tokens: number): Gist {
  return fitGist({ context: contextOf(messages, tokens * CONTEXT_SHARE), facts: factsOf(messages) }, tokens);
}

/** A summary of summaries without a model: the contexts one after the other, and the facts of each in turn. */
export function mergedByRules(gists: readonly Gist[], tokens: number): Gist {
  const share = Math.floor((tokens * CONTEXT_SHARE) / Math.max(1, gists.length));
  const context = gists.map((gist) => shortenText(gist.context, share)).join('\n');
  const longest = Math.max(0, ...gists.map(({ facts }) => facts.length));
  const inTurns = Array.from({ length: longest }, (_, index) =>
    gists.flatMap(({ facts }) => facts[index] ?? []),
  );
  return fitGist({ context, facts: byWorth(inTurns.flat()) }, tokens);
}

function contextOf(messages: readonly Remembered[], tokens: number): string {
  const asked = messages.flatMap((message) => (message.kind === 'user' ? [firstLine(message.text)] : []));
  const said = messages.flatMap((message) => (message.kind === 'assistant' ? [firstLine(message.text)] : []));
  const done = messages.flatMap((message) => (message.kind === 'call' ? [describeCall(message)] : []));
  const parts = [
    listLines('Asked', asked),
    listLines('Answered', said.slice(-MOST_LINES)),
    listLines('Done', [...new Set(done)]),
  ];
  const some = parts.filter((part) => part !== '');
  return (
    some.map((part) => shortenText(part, Math.floor(tokens / some.length))).join('\n') ||
    `${messages.length} messages without words.`
  );
}

function listLines(title: string, lines: readonly string[]): string {
  const some = lines.filter((line) => line !== '').slice(0, MOST_LINES);
  if (some.length === 0) return '';
  const more = lines.length > some.length ? ` (and ${lines.length - some.length} more)` : '';
  return `${title}: ${some.join('; ')}${more}`;
}

function firstLine(text: string): string {
  const line = text
    .slice(0, MOST_TEXT)
    .split('\n')
    .find((part) => part.trim() !== '');
  return shortenText((line ?? '').trim(), 30);
}

/** The name of a call and the first text of its input that looks like a path or a command. */
function describeCall(call: { readonly name: string; readonly input: JsonValue }): string {
  const texts = textsIn(call.input);
  const telling = texts.find((text) => /[/\\.]/.test(text)) ?? texts[0] ?? '';
  return `${call.name} ${shortenText(firstLine(telling), 25)}`.trim();
}

function textsIn(value: JsonValue | undefined): string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value as Record<string, JsonValue>).flatMap(textsIn);
}

function factsOf(messages: readonly Remembered[]): string[] {
  const sentences = messages.flatMap((message) => {
    if (message.kind === 'call' || message.kind === 'result') return [];
    return sentencesIn(message.text.slice(0, MOST_TEXT)).map((text) => ({
      text,
      bonus: message.kind === 'user' ? 1 : 0,
    }));
  });
  return byWorth(
    sentences.map(({ text }) => text),
    new Map(sentences.map(({ text, bonus }) => [text, bonus])),
  );
}

function sentencesIn(text: string): string[] {
  return text
    .split(/(?<=[.!?])\s+|(?<=[。！？])|\n+/u)
    .map((sentence) => sentence.replaceAll(/\s+/g, ' ').trim())
    .filter((sentence) => sentence.length >= 8);
}

/** Signs of sentences that cannot be reconstructed: numbers, paths, identifiers, quotations, URLs, decisions. */
const SIGNS: readonly RegExp[] = [
  /\d/,
  /(?:^|\s)[~.]?\/?[\w.-]+\/[\w./-]+/,
  /\b\w+_\w+|\b[a-z]+[A-Z]\w+|`[^`]+`/,
  /"[^"]+"|“[^”]+”|「[^」]+」/,
  /\bhttps?:\/\//,
  /\b(?:is called|named|password|always|never|must|remember|decided|prefer|because|deadline)\b/i,
];

function byWorth(sentences: readonly string[], bonus: ReadonlyMap<string, number> = new Map()): string[] {
  const worth = (text: string): number =>
    SIGNS.filter((sign) => sign.test(text)).length * 2 + (bonus.get(text) ?? 0);
  return sentences
    .map((text) => ({ text, worth: worth(text) }))
    .filter((item) => item.worth > 1)
    .sort((a, b) => b.worth - a.worth)
    .map(({ text }) => text);
}
