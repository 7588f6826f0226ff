import { nearest, type Profile } from '@plugboard/host';
import { dialects, type Settings } from '@plugboard/protocol';
import { CommandFailure } from './failure.ts';

/** Imported lazily: only `--set` needs the readers of profiles. */
type Reader = typeof import('@plugboard/host/profile');

/** The settings of a profile with fields that were given beside it; each is read as a profile's own would be. */
export async function withFields(profile: Profile, assignments: readonly string[]): Promise<Settings> {
  if (assignments.length === 0) return profile.settings;
  const reader = await import('@plugboard/host/profile');
  const given = assignments.map((assignment) => settingOf(reader, profile, assignment));
  return { ...profile.settings, ...Object.fromEntries(given) } as Settings;
}

function settingOf(reader: Reader, profile: Profile, assignment: string): [string, unknown] {
  const at = assignment.indexOf('=');
  if (at <= 0) throw new CommandFailure(`--set ${assignment}: say which value, as in --set streaming=false.`);
  const field = assignment.slice(0, at);
  const known = listSettable(reader, profile);
  if (!known.includes(field))
    throw new CommandFailure(`--set ${assignment}: ${notSettable(profile, field, known)}`);
  const value = readAs(defaultOf(profile, field), assignment.slice(at + 1));
  const read = reader.profileFrom(
    {
      source: { file: '--set', value, place: () => `--set ${assignment}`, keys: () => [] },
      value: { dialect: profile.dialect, command: ['agent'], [field]: value },
      base: [],
    },
    { file: '', directory: '/', workspace: '/', name: profile.name, home: '/' },
  );
  if (!read.ok) throw new CommandFailure(read.problems.join('\nplugboard: '));
  return [
    settingName(field),
    Object.entries(read.value.settings).find(([name]) => name === settingName(field))?.[1],
  ];
}

/** The fields of a dialect that are one word, a number, or yes or no. */
function listSettable({ profileSchemas }: Reader, profile: Profile): readonly string[] {
  return Object.keys(profileSchemas[profile.dialect].shape).filter((field) =>
    ['string', 'number', 'boolean'].includes(typeof defaultOf(profile, field)),
  );
}

function notSettable({ dialect }: Profile, field: string, known: readonly string[]): string {
  const meant = nearest(field, known);
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
  return `this is no field of ${dialect} that can be set here.${hint} There are: ${known.join(', ')}.`;
}

/** Converts `text` to the type of the field's default; unconvertible text stays a string, which the schema refuses. */
function readAs(standard: unknown, text: string): unknown {
  if (typeof standard === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (typeof standard === 'number')
    return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
  return text;
}

function defaultOf({ dialect }: Profile, field: string): unknown {
  return Object.entries(dialects[dialect].defaults).find(([name]) => name === settingName(field))?.[1];
}

function settingName(field: string): string {
  return field.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}
