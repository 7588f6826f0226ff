import type { Extraction, ListName } from '../indexing/schema.ts';
import { validateExtraction } from '../indexing/validate.ts';
import { oneLine } from '../one-line.ts';

/** One thing that was found in a scene, to be judged by itself. */
export interface FoundRecord {
  readonly part: 'scene' | ListName;
  readonly value: Readonly<Record<string, string>>;
}

const LISTS: readonly ListName[] = ['facts', 'characters', 'locations'];

const TITLES: Readonly<Record<FoundRecord['part'], string>> = {
  scene: 'Scene',
  facts: 'Fact',
  characters: 'Character',
  locations: 'Location',
};

/** Everything that was found, in the order in which it is judged: the scene itself comes first. */
export function recordsOf(found: Extraction): readonly FoundRecord[] {
  const lists = LISTS.flatMap((part) => found[part].map((value): FoundRecord => ({ part, value })));
  return [{ part: 'scene', value: found.scene }, ...lists];
}

/** Puts records together again; undefined when the scene itself is not among them. */
export function gather(records: readonly FoundRecord[]): Extraction | undefined {
  const of = (part: FoundRecord['part']) =>
    records.filter((one) => one.part === part).map(({ value }) => value);
  const [scene] = of('scene');
  const whole = {
    scene,
    facts: of('facts'),
    characters: of('characters'),
    locations: of('locations'),
  };
  const checked = validateExtraction(whole);
  return checked.ok ? checked.extraction : undefined;
}

/** What is wrong with a record that a person has edited. */
export function problemsOf(
  part: FoundRecord['part'],
  value: unknown,
  scene: Extraction['scene'],
): readonly string[] {
  const nothing = { scene, facts: [], characters: [], locations: [] };
  const checked = validateExtraction({ ...nothing, [part]: part === 'scene' ? value : [value] });
  return checked.ok
    ? []
    : checked.problems.map((problem) => problem.replace(/^(\w+\.0|scene)\.?/, '') || problem);
}

/** A record for a person to read; nothing in it can do anything to a terminal. */
export function formatRecord({ part, value }: FoundRecord): string {
  const lines = Object.entries(value)
    .map(([key, text]) => [key, oneLine(text)] as const)
    .filter(([, text]) => text !== '')
    .map(([key, text]) => `  ${key}: ${text}\n`);
  return `${TITLES[part]}\n${lines.join('')}`;
}
