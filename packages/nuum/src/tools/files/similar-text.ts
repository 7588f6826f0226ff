const LINES_SHOWN = 40;
const WIDTH = 500;

/**
 * A hint where a text resembles `piece`: a range that differs in white space alone, or the place of its first line.
 * Never applied, since a similar text may not be the one that is meant.
 */
export function nearestPlace(text: string, piece: string): string {
  const lines = text.split(/\r?\n/);
  const wanted = piece.split(/\r?\n/).map(collapseSpaces);
  while (wanted.length > 1 && wanted.at(-1) === '') wanted.pop();
  while (wanted.length > 1 && wanted[0] === '') wanted.shift();
  const squeezed = lines.map(collapseSpaces);
  const same = placesWhere(squeezed, wanted);
  const [first] = same;
  if (first !== undefined) {
    const there = lines
      .slice(first, first + Math.min(wanted.length, LINES_SHOWN))
      .map((line) => line.slice(0, WIDTH));
    const where = `Lines ${first + 1} to ${first + wanted.length} differ from it in white space only; they are`;
    return `${where}:\n${there.join('\n')}`;
  }
  const start = wanted.find((line) => line.length > 3);
  const line = start === undefined ? -1 : squeezed.indexOf(start);
  if (line < 0) return 'No line of it was found; read the file again.';
  return `Line ${line + 1} is like a line of it, but what is around it differs; read the file from there.`;
}

function collapseSpaces(line: string): string {
  return line.replace(/\s+/g, ' ').trim();
}

function placesWhere(lines: readonly string[], wanted: readonly string[]): number[] {
  const places: number[] = [];
  if (wanted.every((line) => line === '')) return places;
  for (let at = 0; at + wanted.length <= lines.length; at += 1) {
    if (wanted.every((line, index) => lines[at + index] === line)) places.push(at);
  }
  return places;
}
