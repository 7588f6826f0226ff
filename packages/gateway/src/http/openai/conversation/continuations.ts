import { createHash } from 'node:crypto';
import { type Conversation, textOf, type Utterance } from './conversation.ts';

/** Which session holds a conversation that a client sends again with every request. */
export interface Continuations {
  /** The session that has come exactly so far. It is known no longer: what is said next takes it elsewhere. */
  take(fingerprint: string): string | undefined;
  keep(fingerprint: string, sessionId: string): void;
}

const MOST_KEPT = 10_000;

/** Kept in memory: what is forgotten costs the agent a transcript to read. */
export function createContinuations(): Continuations {
  const kept = new Map<string, string>();
  return {
    take(fingerprint) {
      const sessionId = kept.get(fingerprint);
      kept.delete(fingerprint);
      return sessionId;
    },
    keep(fingerprint, sessionId) {
      kept.delete(fingerprint);
      kept.set(fingerprint, sessionId);
      // The one that was kept longest ago stands first.
      const [oldest] = kept.keys();
      if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
    },
  };
}

/** Who talks to whom. */
export interface Pair {
  readonly principal: string;
  readonly model: string;
}

/** How far a conversation had come before its last message; undefined when nobody had answered yet. */
export function fingerprintBefore(pair: Pair, { utterances, last }: Conversation): string | undefined {
  const before = utterances.slice(0, last);
  return before.some(({ role }) => role === 'assistant') ? fingerprint(pair, before) : undefined;
}

/** How far a conversation has come with this answer. */
export function fingerprintAfter(pair: Pair, { utterances }: Conversation, answer: string): string {
  return fingerprint(pair, [...utterances, { role: 'assistant', parts: [{ kind: 'text', text: answer }] }]);
}

function fingerprint({ principal, model }: Pair, utterances: readonly Utterance[]): string {
  const said: [role: string, text: string, files: unknown][] = [];
  for (const utterance of utterances) {
    const before = said.at(-1);
    const text = textOf(utterance);
    // One answer may come back as several pieces.
    if (before?.[0] === 'assistant' && utterance.role === 'assistant') before[1] += text;
    else said.push([utterance.role, text, utterance.parts.filter(({ kind }) => kind !== 'text')]);
  }
  // Clients trim what they show, and send what they show.
  const shown = said.map(([role, text, files]) => [role, text.trim(), files]);
  return createHash('sha256')
    .update(JSON.stringify([principal, model, shown]))
    .digest('base64url');
}
