/** Characters of two, three and four bytes, and one of several code points. */
export const NON_ASCII = 'Grüße, 你好, 👩‍🚀';

/** What an agent is asked when anything will do. Each case has its own words, so that its turn can be told apart. */
export const TEXTS = {
  plain: 'Say hello in one short sentence.',
  bare: 'Say good morning in one short sentence.',
  unknown: 'Say good evening in one short sentence.',
  media: 'Say in one short sentence what you were given.',
  // A line separator of Unicode inside the text ends no line of the protocol.
  nonAscii: `${NON_ASCII}: say it back.\u2028And this too.`,
  waiting: 'Say good night in one short sentence.',
  again: 'Say it once more, shorter.',
  whole: 'Say hello without streaming.',
  leaving: 'Say goodbye in one short sentence.',
} as const;

/** A megabyte of words, for whoever reads input in pieces. */
export const LARGE_TEXT: string = `Answer in one short sentence. ${'All work and no play. '.repeat(47_700)}`;
