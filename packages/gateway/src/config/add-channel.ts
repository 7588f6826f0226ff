import { type Document, isMap, isSeq, parseDocument } from 'yaml';

/** A channel to be written into a configuration. */
export interface NewChannel {
  readonly name: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Variables of the environment that the fields refer to. */
  readonly env: readonly string[];
}

/** Adds a channel to the text of a configuration, and keeps its comments. Throws a sentence when it cannot be read. */
export function addChannelTo(source: string, { name, fields, env }: NewChannel): string {
  const document = readDocument(source);
  const listed = document.get('env');
  const before = isSeq(listed) ? (listed.toJSON() as string[]) : [];
  const names = [...new Set([...before, ...env])];
  if (names.length > before.length) document.set('env', document.createNode(names));
  document.setIn(['channels', name], document.createNode(fields));
  return document.toString({ lineWidth: 0 });
}

/** Whether the text of a configuration has a channel of this name. */
export function hasChannelIn(source: string, name: string): boolean {
  return readDocument(source).hasIn(['channels', name]);
}

function readDocument(source: string): Document.Parsed {
  const document = parseDocument(source.trim() === '' ? '{}' : source);
  const [problem] = document.errors;
  if (problem !== undefined) throw new Error(`It is not valid YAML: ${problem.message}`);
  if (document.contents !== null && !isMap(document.contents))
    throw new Error('It is no map of fields, as a configuration is.');
  if (isMap(document.contents) && document.contents.items.length === 0) document.contents.flow = false;
  return document;
}
