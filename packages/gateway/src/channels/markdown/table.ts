const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** East Asian wide characters and emoji take two columns in a fixed-width font. */
const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Extended_Pictographic}/u;

/** Aligns the cells of a table with spaces, for platforms that show it in a fixed-width font. The first row is the header. */
export function layOutTable(rows: readonly (readonly string[])[]): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(1, ...rows.map((row) => widthOf(row[column] ?? ''))),
  );
  const lines = rows.map((row) =>
    widths
      .map((width, column) => padEnd(row[column] ?? '', width))
      .join('  ')
      .trimEnd(),
  );
  const [header = '', ...rest] = lines;
  return [header, widths.map((width) => '─'.repeat(width)).join('  '), ...rest].join('\n');
}

function padEnd(text: string, width: number): string {
  return text + ' '.repeat(width - widthOf(text));
}

function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}
