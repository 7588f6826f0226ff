import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/contract/store.ts';
import { claimed, claimOne, message, type OpenStore, place, say, success, useStore } from './setup.ts';

/** Begins a session in which this was said. */
async function sessionWith(store: Store, name: string, ...texts: string[]): Promise<void> {
  const session = await store.sessions.open(place(name));
  for (const text of texts) await say(store, session, text);
}

async function found(store: Store, search: string): Promise<string[]> {
  return (await store.sessions.list({ limit: 50, search })).map((session) => session.place).sort();
}

export function describeSearch(open: OpenStore): void {
  describe('search', () => {
    const its = useStore(open);

    it('search finds messages of people in any case and inside words', async () => {
      await sessionWith(its.store, 'hall', 'The Plugboard is wired');
      await sessionWith(its.store, 'yard', 'nothing here');
      expect(await found(its.store, 'plugBOARD')).toEqual(['hall']);
      expect(await found(its.store, 'gboar')).toEqual(['hall']);
      expect(await found(its.store, 'absent')).toEqual([]);
    });

    it('search finds messages of the agent', async () => {
      const claim = await claimed(its.store);
      await its.store.turns.record(claim, { events: [message('a marvellous answer')] });
      expect(await found(its.store, 'marvellous')).toEqual(['hall']);
      await its.store.turns.record(claim, {
        events: [message('and a postscript')],
        end: success(''),
        deliveries: [],
      });
      expect(await found(its.store, 'postscript')).toEqual(['hall']);
    });

    it('search finds the present title and not the one before', async () => {
      const { id } = await its.store.sessions.open(place('hall'));
      await its.store.sessions.rename(id, 'Holiday plans');
      expect(await found(its.store, 'holiday')).toEqual(['hall']);
      await its.store.sessions.rename(id, 'Taxes');
      expect(await found(its.store, 'holiday')).toEqual([]);
      expect(await found(its.store, 'taxes')).toEqual(['hall']);
    });

    it('search needs each word, but not in one message', async () => {
      await sessionWith(its.store, 'hall', 'rain in Berlin', 'sun tomorrow');
      await sessionWith(its.store, 'yard', 'rain in Paris');
      expect(await found(its.store, 'rain sun')).toEqual(['hall']);
      expect(await found(its.store, 'rain')).toEqual(['hall', 'yard']);
      expect(await found(its.store, 'sun paris')).toEqual([]);
    });

    it('search finds single characters of scripts without spaces', async () => {
      await sessionWith(its.store, 'hall', '今天天气很好');
      await sessionWith(its.store, 'yard', '明日の会議');
      expect(await found(its.store, '天气很')).toEqual(['hall']);
      expect(await found(its.store, '天气')).toEqual(['hall']);
      expect(await found(its.store, '好')).toEqual(['hall']);
      expect(await found(its.store, '会議')).toEqual(['yard']);
    });

    it('search finds words of one or two characters in any case', async () => {
      await sessionWith(its.store, 'hall', 'Go Ärzte');
      expect(await found(its.store, 'gO')).toEqual(['hall']);
      expect(await found(its.store, 'ä')).toEqual(['hall']);
      expect(await found(its.store, 'go zz')).toEqual([]);
    });

    it.each([
      ['İstanbul', ['istanbul', 'ISTANBUL', 'İSTANBUL', 'ıstanbul', 'is', 'İ']],
      ['istanbul', ['İstanbul', 'İs', 'ı']],
      ['in der Straße', ['STRASSE', 'straße', 'STRAẞE', 'trass', 'ß', 'SS']],
      ['STRASSE', ['straße', 'ß', 'aß']],
      ['\u00c5ngstr\u00f6m', ['A\u030angstro\u0308m', '\u212bngstr\u00f6m', 'a\u030a', '\u212b']],
      ['A\u030angstro\u0308m', ['\u00e5ngstr\u00f6m', '\u00c5', '\u00f6m']],
      ['ΟΔΟΣ', ['οδός'.normalize('NFD').replaceAll('\u0301', ''), 'οδοσ', 'ος', 'Σ']],
      ['a ﬁne ＷＩＤＥ word', ['fine', 'FI', 'wide', 'ＦＩ']],
      ['\u1112\u1161\u11ab\u1100\u1173\u11af', ['한글', '글']],
    ])('search finds %s in each of its spellings', async (text, searches) => {
      await sessionWith(its.store, 'hall', text);
      await its.store.sessions.rename((await its.store.sessions.open(place('attic'))).id, text);
      await sessionWith(its.store, 'yard', 'zzz');
      for (const search of searches)
        expect([search, await found(its.store, search)]).toEqual([search, ['attic', 'hall']]);
    });

    it('search tells letters with and without accents apart', async () => {
      await sessionWith(its.store, 'hall', 'Ärzte, résumé');
      for (const search of ['arzte', 'resume', 'aerzte']) expect(await found(its.store, search)).toEqual([]);
    });

    it.each([
      '"',
      '""',
      '*',
      'a*',
      'text:hall',
      'NEAR(a b)',
      'AND',
      'OR NOT',
      'that"s',
      '(',
      '-x',
      '^a',
      '%',
      '_',
      '\\',
      "'",
    ])('search takes %s literally', async (odd) => {
      await sessionWith(its.store, 'hall', `before ${odd} after`);
      await sessionWith(its.store, 'yard', 'something else entire1y');
      expect(await found(its.store, odd)).toEqual(['hall']);
    });

    it('a search for white space lists all sessions', async () => {
      await sessionWith(its.store, 'hall', 'hello');
      expect(await found(its.store, '  ')).toEqual(['hall']);
    });

    it('a search has pages and channels as a list has', async () => {
      for (const name of ['a', 'b', 'c']) {
        its.clock.now += 1;
        await sessionWith(its.store, name, 'common word');
      }
      const [first] = await its.store.sessions.list({ limit: 1, search: 'common' });
      expect(first?.place).toBe('c');
      if (first === undefined) return;
      const rest = await its.store.sessions.list({ limit: 9, search: 'common', before: first });
      expect(rest.map((session) => session.place)).toEqual(['b', 'a']);
      expect(await its.store.sessions.list({ limit: 9, search: 'common', channel: 'mail' })).toEqual([]);
      expect(await its.store.sessions.list({ limit: 9, search: 'common', exceptChannel: 'mail' })).toEqual(
        await its.store.sessions.list({ limit: 9, search: 'common' }),
      );
      expect(await its.store.sessions.list({ limit: 9, search: 'common', exceptChannel: 'web' })).toEqual([]);
    });

    it('search does not find a refused message', async () => {
      await sessionWith(its.store, 'hall', 'hello');
      const claim = await claimOne(its.store);
      await its.store.turns.record(claim, { events: [], end: success(''), deliveries: [] });
      await expect(its.store.turns.record(claim, { events: [message('too late')] })).rejects.toThrow();
      expect(await found(its.store, 'late')).toEqual([]);
    });
  });
}
