/** The initial TROPES.md: habits of machine-made prose that a reviewer should report. */
export const TROPES: string = `# Habits to avoid

Turns of phrase that have worn thin, many of them favourites of language models. None is forbidden. Each has to earn its
place, and two on one page have not.

## In the sentence

- Contrast by denial: telling what a thing was not, then what it was.
- Threes. Three adjectives, three clauses, three short sentences in a row.
- A closing line that explains what the scene has just shown.
- Dashes where a full stop would do.
- Similes that reach for weather, glass, or a held breath.
- "Something" as a shadow: something shifted, something in her voice, something like grief.

## In the body

- Breath that was held without knowing it; hearts that hammer; jaws that tighten.
- Eyes that do what faces do: darken, soften, flash, search.
- Silences that stretch, hang, settle or grow thick.
- Small smiles that do not reach anything.

## In the telling

- Characters who say what they feel in whole sentences, and understand each other at once.
- A scene that ends on a lesson, or on somebody looking out of a window.
- Everybody equally clever, and clever in the same way.
- Names that come first to mind. Look at the last ten you gave.
- Smells listed on entering a room.
- A stranger with a past that is told in the first conversation.

## In the plot

- Trouble that is solved by an honest talk.
- Coincidence that helps. Coincidence that harms is allowed.
- A secret everyone would have asked about.
`;
