import { createHash } from 'node:crypto';
import { type Conversation, textOf, type Utterance } from './conversation.ts';

/** Finds the session of a conversation that a client sends in full with every request. */
export interface Continuations {
  /** Removes and returns the session with this fingerprint. The next message changes its fingerprint. */
  take(fingerprint: string): string | undefined;
  keep(fingerprint: string, sessionId: string): void;
}

const MOST_KEPT = 10_000;

/** In memory: after a loss the agent is sent the whole conversation as text. */
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
      // A `Map` iterates in insertion order: the oldest entry is dropped.
      const [oldest] = kept.keys();
      if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
    },
  };
}

/** The token and the agent of a conversation. */
export interface Pair {
  readonly principal: string;
  readonly model: string;
}

/** Fingerprint of the conversation before its last user message; undefined when it has no answer yet. */
export function fingerprintBefore(pair: Pair, { utterances, last }: Conversation): string | undefined {
  const before = utterances.slice(0, last);
  return before.some(({ role }) => role === 'assistant') ? fingerprintOf(pair, before) : undefined;
}

/** Fingerprint of the conversation including `answer`. */
export function fingerprintAfter(pair: Pair, { utterances }: Conversation, answer: string): string {
  return fingerprintOf(pair, [...utterances, { role: 'assistant', parts: [{ kind: 'text', text: answer }] }]);
}

function fingerprintOf({ principal, model }: Pair, utterances: readonly Utterance[]): string {
  const said: [role: string, text: string, files: unknown][] = [];
  for (const utterance of utterances) {
    const before = said.at(-1);
    const text = textOf(utterance);
    // A client may send one answer back as several assistant messages.
    if (before?.[0] === 'assistant' && utterance.role === 'assistant') before[1] += text;
    else said.push([utterance.role, text, utterance.parts.filter(({ kind }) => kind !== 'text')]);
  }
  // Clients may trim a text before they show it and send it back.
  const shown = said.map(([role, text, files]) => [role, text.trim(), files]);
  return createHash('sha256')
    .update(JSON.stringify([principal, model, shown]))
    .digest('base64url');
}
