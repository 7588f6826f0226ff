/** The points of view of the style guide templates. */
export const STYLES = ['first-person', 'third-close', 'third-omniscient'] as const;

export type Style = (typeof STYLES)[number];

const VIEW: Readonly<Record<Style, string>> = {
  'first-person': `## Point of view

- One voice tells the book and says "I". It knows what it saw, heard, was told or worked out, and nothing else.
- The voice may be wrong. When it is, the reader should be able to notice before it does.
- It does not describe itself from outside: no mirrors, no "my green eyes".
- It was there. What it felt at the time and what it thinks of it now are kept apart.`,
  'third-close': `## Point of view

- Each scene stays with one person from its first line to its last, and knows what that person knows.
- The narration borrows that person's words and attention. A carpenter notices the door frame.
- Thoughts stand in plain prose, without italics and without "she thought", wherever it is clear whose they are.
- A change of view needs a scene break.`,
  'third-omniscient': `## Point of view

- The narrator knows everyone and chooses what to tell. The choice is the voice: keep it steady.
- Going from one mind to another is done in the open, once per paragraph at most, and for a reason.
- The narrator may know the future. Use that seldom; each time it costs suspense.
- Opinions of the narrator are allowed and have to be worth having.`,
};

/** The initial STYLE.md, which the author then edits. */
export function formatStyleGuide(style: Style): string {
  return `# Style

This is what the manuscript holds itself to. Change it until it is yours: people and models who proofread or review
the book read it first.

${VIEW[style]}

## Tense and time

- Past tense. Habits and lasting facts too, unless the narrator speaks from now.
- Each scene lets the reader know where and when it is within its first lines.

## Dialogue

- Double quotation marks; "said" is enough almost always.
- People answer the question they would rather have been asked.
- Dialect is shown by word order and choice of words, not by spelling.

## Prose

- The concrete thing before the word for it. One good detail rather than three fair ones.
- Sentences may be long when the thought is, and are short when something happens.
- Numbers to a hundred in words; times as people say them.

## Settled spellings

Write down here how names, places and invented words are spelt.
`;
}
