/** Characters of 2, 3 and 4 bytes, and one of several code points. */
export const NON_ASCII = 'Grüße, 你好, 👩‍🚀';

/** Prompts without special requirements. Each one differs, so that test agents can recognise the case by its text. */
export const TEXTS = {
  plain: 'Say hello in one short sentence.',
  bare: 'Say good morning in one short sentence.',
  unknown: 'Say good evening in one short sentence.',
  media: 'Say in one short sentence what you were given.',
  // U+2028 ends a line in some line readers, but not in the protocols.
  nonAscii: `${NON_ASCII}: say it back.\u2028And this too.`,
  waiting: 'Say good night in one short sentence.',
  again: 'Say it once more, shorter.',
  whole: 'Say hello without streaming.',
  leaving: 'Say goodbye in one short sentence.',
} as const;

/** About 1 MiB, so that an agent gets it in many reads. */
export const LARGE_TEXT: string = `Answer in one short sentence. ${'All work and no play. '.repeat(47_700)}`;
