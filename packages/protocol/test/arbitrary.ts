import fc from 'fast-check';

/** Text of every kind that JSON can carry: empty, long, emoji, and the separators that some readers split lines at. */
export function text(): fc.Arbitrary<string> {
  const awkward = fc.constantFrom(
    '\u2028',
    '\u2029',
    '\u0085',
    '\uFEFF',
    '\0',
    '\r\n',
    '"',
    '\\',
    '👩‍👩‍👧',
    'é',
    ' ',
  );
  const piece = fc.oneof(awkward, fc.string({ unit: 'grapheme' }));
  const mixed = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
  const long = fc.integer({ min: 1, max: 20_000 }).map((length) => 'lange Zeile '.repeat(length));
  return fc.oneof({ weight: 9, arbitrary: mixed }, { weight: 1, arbitrary: long });
}

/** A line that nobody promised anything about. */
export function anyLine(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc.jsonValue().map((value) => JSON.stringify({ type: value, subtype: value, message: value })),
  );
}

/** One of the given lines, damaged: a value replaced by another, or a piece cut out. */
export function mutated(lines: readonly string[]): fc.Arbitrary<string> {
  const line = fc.constantFrom(...lines);
  const replaced = fc
    .tuple(line, fc.nat(), fc.jsonValue())
    .map(([source, at, value]) => JSON.stringify(withReplaced(JSON.parse(source), { left: at % 12 }, value)));
  const cut = fc
    .tuple(line, fc.nat(), fc.nat(20))
    .map(
      ([source, at, length]) =>
        source.slice(0, at % source.length) + source.slice((at % source.length) + length),
    );
  return fc.oneof(replaced, cut);
}

/** Walks the value and puts `replacement` in place of the part that is reached when the count runs out. */
function withReplaced(value: unknown, count: { left: number }, replacement: unknown): unknown {
  if (count.left-- === 0) return replacement;
  if (Array.isArray(value)) return value.map((part) => withReplaced(part, count, replacement));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, withReplaced(part, count, replacement)]),
  );
}
