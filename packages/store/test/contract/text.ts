import { describe, expect, it } from 'vitest';
import { claimOne, message, type OpenStore, place, say, success, useStore } from './setup.ts';

const ODD = 'a\0b\uD800c\uDC00d';
const KEPT = 'a\uFFFDb\uFFFDc\uFFFDd';

export function describeText(open: OpenStore): void {
  describe('text', () => {
    const its = useStore(open);

    it.each([
      ['an emoji', '👩‍👩‍👧 🏳️‍🌈'],
      ['control characters', '\u0001\u001b[31m\r\n\t\u007f'],
      ['line separators', 'a\u2028b\u2029c'],
      ['what looks like an escape', '\\u0000 \\ud800 \\\\u0000'],
      ['quotes', `'"\`; drop table sessions; --`],
      ['a byte order mark', '\uFEFFtext'],
      ['nothing', ''],
      ['a megabyte', 'é'.repeat(1_000_000)],
    ])('text is read as it was written: %s', async (_what, text) => {
      const session = await its.store.sessions.open(place(text));
      expect(session.place).toBe(text);
      expect((await say(its.store, session, text)).message.text).toBe(text);
      const claim = await claimOne(its.store);
      expect(claim.message?.text).toBe(text);
      await its.store.turns.record(claim, { events: [message(text)] });
      const [said] = await its.store.log.read(session.id, { after: 1, limit: 1 });
      expect(said?.event).toEqual(message(text));
    });

    it('NUL and unpaired surrogates become U+FFFD in every field', async () => {
      const where = { channel: ODD, place: ODD, agent: ODD };
      const session = await its.store.sessions.open(where);
      expect(session).toMatchObject({ channel: KEPT, place: KEPT, agent: KEPT });
      expect((await its.store.sessions.open(where)).id).toBe(session.id);
      const odd = {
        source: ODD,
        sessionId: session.id,
        text: ODD,
        sender: ODD,
        attachments: [{ kind: 'file', name: ODD }],
      } as const;
      const admission = await its.store.inbox.admit(odd);
      expect(admission.message).toMatchObject({ text: KEPT, sender: KEPT, attachments: [{ name: KEPT }] });
      expect((await its.store.inbox.admit(odd)).duplicate).toBe(true);
      await its.store.sessions.rename(session.id, ODD);
      expect((await its.store.sessions.list({ limit: 9, search: ODD })).map(({ title }) => title)).toEqual([
        KEPT,
      ]);
      const claim = await claimOne(its.store);
      const call = {
        type: 'tool-call',
        id: 'x',
        name: 'y',
        input: { [ODD]: [ODD, { deep: ODD }, 1, null] },
      } as const;
      await its.store.turns.record(claim, {
        events: [message(ODD), call],
        end: success(ODD),
        deliveries: [{ channel: ODD, place: ODD, body: [ODD], expiresInMs: 1_000 }],
      });
      const said = await its.store.log.read(session.id, { after: 1, limit: 9 });
      expect(said.map(({ event }) => event)).toEqual([
        message(KEPT),
        { ...call, input: { [KEPT]: [KEPT, { deep: KEPT }, 1, null] } },
        success(KEPT),
      ]);
      const [taken] = await its.store.outbox.take({ channel: ODD, node: 'n', limit: 1 });
      expect(taken).toMatchObject({ channel: KEPT, place: KEPT, body: [KEPT] });
    });
  });
}
