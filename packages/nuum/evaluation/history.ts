import type { Entry } from '../src/memory/messages/message.ts';

/** Something that is said once in a long history, what to search for, and what the find has to hold. */
export interface Planted {
  readonly said: string;
  readonly query: string;
  readonly answer: string;
}

const NAMES = [
  'Ottoline',
  'Bartholomew',
  'Xiomara',
  'Thelonious',
  'Ingeborg',
  'Zbigniew',
  'Perpetua',
  'Anselm',
  'Eudora',
  'Casimir',
];
const PLACES = [
  '東京都庁',
  '札幌時計台',
  '神戸異人館',
  '金沢兼六園',
  '長崎平和公園',
  '北京故宫',
  '上海外滩',
  '서울시청',
  '부산항만',
  '大阪城公園',
];

/** Fifty facts in ten forms, five of each. */
export const PLANTED: readonly Planted[] = Array.from({ length: 5 }, (_, n): Planted[] => [
  {
    said: `The contact for invoices is ${NAMES[n]} and nobody else.`,
    query: 'Who is the contact for invoices?',
    answer: `${NAMES[n]}`,
  },
  {
    said: `Please remember: locker ${n} opens with ${4711 + n * 1313}.`,
    query: `locker ${n} opens with`,
    answer: `${4711 + n * 1313}`,
  },
  {
    said: `The crash came from reconcileLedger${n}Async in the billing code.`,
    query: `reconcileLedger${n}Async`,
    answer: 'billing code',
  },
  {
    said: `Set FEATURE_FLAG_ZEBRA_${n}=on before the migration.`,
    query: `FEATURE_FLAG_ZEBRA_${n}`,
    answer: 'before the migration',
  },
  { said: `集合場所は${PLACES[n]}です。`, query: (PLACES[n] ?? '').slice(1, 3), answer: PLACES[n] ?? '' },
  {
    said: `He wrote "the owl lands at ${n} past noon" and underlined it.`,
    query: `"owl lands at ${n} past noon"`,
    answer: 'underlined',
  },
  {
    said: `The log is under /var/opt/quasar-${n}/trace.ndjson on that machine.`,
    query: `/var/opt/quasar-${n}/trace.ndjson`,
    answer: 'on that machine',
  },
  {
    said: `Die Kellerlüftungssteuerung${n} steht im Haus ${NAMES[n + 5]}.`,
    query: `lüftungssteuerung${n}`,
    answer: `${NAMES[n + 5]}`,
  },
  {
    said: `Price agreed: €${n + 12}.${n}9 per unit (C++ licence no. ${n}).`,
    query: `€${n + 12}.${n}9`,
    answer: `C++ licence no. ${n}`,
  },
  {
    said: `https://status.example.org/incident/${n}f3a-${n} tells why: a NULL pointer AND a typo.`,
    query: `incident/${n}f3a-${n}`,
    answer: 'NULL pointer AND a typo',
  },
]).flat();

/** Numbers from 0 to 1 that are the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const WORDS =
  'the of and to a file test build error value server config list type name return call model read write again now then with from this that should will when because module path line'.split(
    ' ',
  );

/** A text of so many words, common ones and some that are rare. */
export function prose(random: () => number, words: number): string {
  return Array.from({ length: words }, () => {
    if (random() < 0.7) return WORDS[Math.floor(random() * WORDS.length)];
    return `w${Math.floor(random() ** 2 * 20_000).toString(36)}`;
  }).join(' ');
}

/** The turns of a long history of about so many tokens; each fact is said in one of them, far from each other. */
export function* history(tokens: number, seed: number): Generator<Entry[], void, undefined> {
  const random = seeded(seed);
  // About what one turn takes.
  const turns = Math.floor(tokens / 950);
  const every = Math.floor(turns / (PLANTED.length + 1));
  for (let turn = 1; turn <= turns; turn += 1) {
    const fact = turn % every === 0 ? PLANTED[turn / every - 1]?.said : undefined;
    const id = `call_${turn % 7}`;
    yield [
      { kind: 'user', text: [prose(random, 60), fact, prose(random, 40)].filter(Boolean).join('. ') },
      { kind: 'assistant', text: prose(random, 80) },
      { kind: 'call', callId: id, name: 'bash', input: { command: `cat src/${prose(random, 1)}.ts` } },
      { kind: 'result', callId: id, content: prose(random, 500), isError: false },
      { kind: 'assistant', text: prose(random, 60) },
    ];
  }
}
