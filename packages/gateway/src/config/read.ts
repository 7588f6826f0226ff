import { dirname, resolve } from 'node:path';
import { nearest } from '@plugboard/host';
import type { Checked, Fields, SourceDocument } from '@plugboard/host/profile';
import { agentNames, readAgents } from './agents.ts';
import type { Config, PlatformConfig } from './config.ts';
import { ConfigError } from './error.ts';
import { hideValues } from './hide-values.ts';
import { isProfile, PROFILE_GIVEN } from './mistaken.ts';
import { readPlatforms } from './platforms.ts';
import { checkFields, isRecord, meant, parseSource, problemAt, readSource } from './reader.ts';
import type { ReadConfigOptions, Reading } from './reading.ts';
import { fillReferences } from './references.ts';
import { remarksOn } from './remarks.ts';
import { type ConfigFields, configFields } from './schema.ts';
import { readSecrets } from './secrets.ts';
import { shapeConfig } from './shape.ts';
import { shownFields } from './shown-fields.ts';
import { shapeStoreUrl, storeUrlProblem, withStoreUrl } from './store-url.ts';

/**
 * Reads the configuration from a file; without `path`, the demo agents answer on this machine only. Rejects with a
 * `ConfigError` that lists all problems.
 */
export async function readConfig(path: string | undefined, options: ReadConfigOptions): Promise<Config> {
  const file = path === undefined ? undefined : resolve(path);
  const files = new Set(file === undefined ? [] : [file]);
  const source =
    path === undefined ? parseSource('plugboard.yaml', '') : await readSource(path, 'configuration');
  if (!source.ok) throw new ConfigError(source.problems, [...files]);
  const directory = file === undefined ? resolve('.') : dirname(file);
  const reading = beginReading(source.value, { directory, options, files });
  if (!reading.ok) throw new ConfigError(reading.problems, [...files]);
  const config = await finishReading(reading.value);
  return file === undefined ? config : { file, ...config };
}

function beginReading(source: SourceDocument, rest: Omit<Reading, 'source' | 'filled'>): Checked<Reading> {
  const value = withoutEmptyParts(source.value ?? {});
  if (!isRecord(value)) {
    return {
      ok: false,
      problems: [`${source.place([])}: A configuration is a map of fields; this file is not one.`],
    };
  }
  if (isProfile(value)) return { ok: false, problems: [`${source.file}: ${PROFILE_GIVEN}`] };
  const listed = new Set(
    Array.isArray(value.env) ? value.env.filter((name) => typeof name === 'string') : [],
  );
  const filled = fillReferences(
    { source, value, base: [] },
    { listed, environment: rest.options.environment },
  );
  return { ok: true, value: { source, filled, ...rest } };
}

/** Removes top-level parts that are null, as when all lines of a part are commented out. */
function withoutEmptyParts(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const known = Object.keys(configFields.shape);
  const parts = Object.entries(value).filter(([key, part]) => part !== null || !known.includes(key));
  return withStoreUrl(Object.fromEntries(parts));
}

/** Validates each part even if an earlier one failed, so that all problems are reported at once. */
async function finishReading(reading: Reading): Promise<Omit<Config, 'file'>> {
  const { source, filled, files } = reading;
  const fields: Fields = { source, value: filled.value, base: [] };
  const problems = [...filled.problems];
  const checked = checkFields(fields, configFields);
  if (!checked.ok) problems.push(...checked.problems);
  const agents = await readAgents(reading, problems);
  const platforms = await readPlatforms(reading, problems);
  problems.push(...channelAgentProblems(reading, fields, platforms));
  problems.push(...defaultAgentProblems(reading, fields));
  const value = checked.ok ? await readSecrets(reading, checked.value, problems) : undefined;
  problems.push(...storeProblems(reading, fields, value));
  if (value === undefined || problems.length > 0) {
    throw new ConfigError(
      inOrder(problems).map((problem) => hideValues(problem, filled.used)),
      [...files],
    );
  }
  const config = shapeConfig(reading, value, agents, platforms);
  const remarks = remarksOn(fields, config.server);
  return {
    ...config,
    shown: shownFields(reading, value, config),
    ...(remarks.length === 0 ? {} : { remarks }),
  };
}

function storeProblems(reading: Reading, fields: Fields, value: ConfigFields | undefined): string[] {
  if (value === undefined) return [];
  const problem = storeUrlProblem(value.store, shapeStoreUrl(value.store, reading.options.environment));
  return problem === undefined ? [] : [problemAt(fields, ['store'], problem)];
}

function defaultAgentProblems(reading: Reading, fields: Fields): string[] {
  const name = isRecord(fields.value) ? fields.value.default_agent : undefined;
  const known = knownAgents(reading);
  if (typeof name !== 'string' || known.includes(name)) return [];
  return [problemAt(fields, ['default_agent'], noSuchAgent(name, known))];
}

/** A channel may name an agent of the file alone. */
function channelAgentProblems(
  reading: Reading,
  fields: Fields,
  platforms: ReadonlyMap<string, PlatformConfig>,
): string[] {
  const known = knownAgents(reading);
  return [...platforms.values()].flatMap(({ name, agent, agents = [] }) =>
    agents
      .filter((one) => !known.includes(one))
      .map((one) => {
        const field = one === agent ? 'agent' : 'agents';
        return problemAt(fields, ['channels', name, field], noSuchAgent(one, known));
      }),
  );
}

function knownAgents(reading: Reading): readonly string[] {
  const names = agentNames(reading);
  return names.length === 0 ? [...reading.options.demos.keys()] : names;
}

function noSuchAgent(name: string, known: readonly string[]): string {
  return `There is no such agent.${meant(nearest(name, known))} There are: ${known.join(', ')}.`;
}

/** Sorts problems by file, line and column. */
function inOrder(problems: readonly string[]): string[] {
  const place = (problem: string): readonly [string, number, number] => {
    const [, file = '', line = '0', column = '0'] = /^(.*?):(\d+):(\d+): /.exec(problem) ?? [];
    return [file, Number(line), Number(column)];
  };
  return [...new Set(problems)].sort((a, b) => {
    const [fileA, lineA, columnA] = place(a);
    const [fileB, lineB, columnB] = place(b);
    return fileA === fileB ? lineA - lineB || columnA - columnB : 0;
  });
}
