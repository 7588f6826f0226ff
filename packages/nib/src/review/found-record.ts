import type { Extraction, ListName } from '../indexing/extraction-schema.ts';
import { validateExtraction } from '../indexing/validate-extraction.ts';
import { toOneLine } from '../one-line.ts';

/** One record of an extraction, reviewed separately. */
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

/** All records in the order of the review: the scene itself comes first. */
export function listRecords(found: Extraction): readonly FoundRecord[] {
  const lists = LISTS.flatMap((part) => found[part].map((value): FoundRecord => ({ part, value })));
  return [{ part: 'scene', value: found.scene }, ...lists];
}

/** Combines records into an extraction; undefined when the scene record is missing. */
export function combineRecords(records: readonly FoundRecord[]): Extraction | undefined {
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

/** The schema errors of an edited record. */
export function validateRecord(
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

/** Formats a record for a person; `toOneLine` removes control characters. */
export function formatRecord({ part, value }: FoundRecord): string {
  const lines = Object.entries(value)
    .map(([key, text]) => [key, toOneLine(text)] as const)
    .filter(([, text]) => text !== '')
    .map(([key, text]) => `  ${key}: ${text}\n`);
  return `${TITLES[part]}\n${lines.join('')}`;
}
