/** A field of a nanobot channel, whose keys are in camelCase or in snake_case. */
type Fields = Readonly<Record<string, unknown>>;

/** A channel of nanobot in the fields of ours. A secret is a text, to be kept elsewhere. */
export interface ConvertedChannel {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, string>>;
  /** What is different from nanobot, for the operator. */
  readonly notes: readonly string[];
}

/** Reads a field under its camelCase name, or the same name in snake_case. */
export function fieldOf(fields: Fields, name: string): unknown {
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return fields[name] ?? fields[snake];
}

/** The secret fields of each platform: its name in nanobot, and its name in our configuration. */
const SECRETS: Readonly<Record<string, readonly (readonly [theirs: string, ours: string])[]>> = {
  telegram: [['token', 'token']],
  discord: [['token', 'token']],
  slack: [
    ['botToken', 'bot_token'],
    ['appToken', 'app_token'],
  ],
};

/** Fields that change what the channel does, and that have no counterpart. */
const LEFT_OUT: readonly string[] = [
  'proxy',
  'reactEmoji',
  'doneEmoji',
  'workingEmoji',
  'readReceiptEmoji',
  'allowChannels',
  'includeThreadContext',
  'groupAllowFrom',
];

const GROUPS: Readonly<Record<string, string>> = { mention: 'mention', allowlist: 'mention', open: 'all' };

/** Translates a channel; undefined for a platform that has no counterpart. */
export function convertChannel(name: string, fields: Fields, shared: Fields): ConvertedChannel | undefined {
  const wanted = SECRETS[name];
  if (wanted === undefined) return undefined;
  const secrets = wanted.map(([theirs, ours]) => [ours, textOf(fieldOf(fields, theirs))] as const);
  const missing = secrets.filter(([, value]) => value === '').map(([ours]) => ours);
  const people = peopleOf(fields);
  // Names can be changed by those who bear them, so that only ids are taken over.
  const [names, allow] = [people.filter(isName), people.filter((one) => !isName(one))];
  const groups = GROUPS[textOf(fieldOf(fields, 'groupPolicy'))];
  const quiet = (fieldOf(fields, 'sendProgress') ?? fieldOf(shared, 'sendProgress')) === false;
  return {
    fields: {
      allow,
      ...(groups === undefined ? {} : { groups }),
      ...(quiet ? { progress: 'off' } : {}),
    },
    secrets: Object.fromEntries(secrets.filter(([, value]) => value !== '')),
    notes: [
      ...missing.map((field) => `${name}: ${field} is not set, so that the channel cannot start.`),
      ...(allow.length === 0
        ? [
            `${name}: allowFrom is empty. Nobody may talk until you let people in: plugboard channel invite ${name}`,
          ]
        : []),
      ...names.map(
        (one) => `${name}: ${one} is a name, and not an id: that person may talk after plugboard pair.`,
      ),
      ...(allow.includes('*') ? [`${name}: everybody may talk, as allowFrom says.`] : []),
      ...LEFT_OUT.filter((field) => isSet(fieldOf(fields, field))).map(
        (field) => `${name}: ${field} has no counterpart and is left out.`,
      ),
      ...(textOf(fieldOf(fields, 'mode')) === 'webhook'
        ? [`${name}: it uses a connection of its own instead of webhooks.`]
        : []),
    ],
  };
}

/** The ids of `allowFrom`, of people and of direct messages. `id|username` is the id: names can be changed. */
function peopleOf(fields: Fields): string[] {
  const direct = fieldOf(fields, 'dm');
  const lists = [fields, isFields(direct) ? direct : {}].map((one) => fieldOf(one, 'allowFrom'));
  const said = lists.flatMap((list) => (Array.isArray(list) ? list : []));
  return [...new Set(said.map((one) => String(one).split('|', 1)[0] ?? '').filter((one) => one !== ''))];
}

function isSet(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== '' && value !== false;
}

function isName(person: string): boolean {
  return person.startsWith('@');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
