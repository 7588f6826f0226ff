import { dirname, resolve } from 'node:path';
import { nearest } from '@plugboard/host';
import type { Checked, Fields, SourceDocument } from '@plugboard/host/profile';
import { agentNames, readAgents } from './agents.ts';
import type { Config } from './config.ts';
import { ConfigError } from './error.ts';
import { isProfile, PROFILE_GIVEN } from './mistaken.ts';
import { checkFields, isRecord, meant, parseSource, problemAt, readSource } from './reader.ts';
import type { ReadConfigOptions, Reading } from './reading.ts';
import { fillReferences } from './references.ts';
import { remarksOn } from './remarks.ts';
import { configFields } from './schema.ts';
import { scrub } from './scrub.ts';
import { readSecrets } from './secrets.ts';
import { shapeConfig } from './shape.ts';
import { shownFields } from './shown.ts';

/**
 * Reads the configuration in a file; without one, the demo agents answer on this machine alone. Rejects with a
 * ConfigError that lists every problem at once.
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
  const config = await finish(reading.value);
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

/** A part with nothing below its name, as when all of it is commented out, is as good as absent. */
function withoutEmptyParts(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const known = Object.keys(configFields.shape);
  return Object.fromEntries(
    Object.entries(value).filter(([key, part]) => part !== null || !known.includes(key)),
  );
}

/** Every part is looked at whatever is wrong with the others, so that all problems are told at once. */
async function finish(reading: Reading): Promise<Omit<Config, 'file'>> {
  const { source, filled, files } = reading;
  const fields: Fields = { source, value: filled.value, base: [] };
  const problems = [...filled.problems];
  const checked = checkFields(fields, configFields);
  if (!checked.ok) problems.push(...checked.problems);
  const agents = await readAgents(reading, problems);
  problems.push(...defaultAgentProblems(reading, fields));
  const value = checked.ok ? await readSecrets(reading, checked.value, problems) : undefined;
  if (value === undefined || problems.length > 0) {
    throw new ConfigError(
      inOrder(problems).map((problem) => scrub(problem, filled.used)),
      [...files],
    );
  }
  const config = shapeConfig(reading, value, agents);
  const remarks = remarksOn(fields, config.server);
  return {
    ...config,
    shown: shownFields(reading, value, config),
    ...(remarks.length === 0 ? {} : { remarks }),
  };
}

function defaultAgentProblems(reading: Reading, fields: Fields): string[] {
  const name = isRecord(fields.value) ? fields.value.default_agent : undefined;
  const names = agentNames(reading);
  const known = names.length === 0 ? [...reading.options.demos.keys()] : names;
  if (typeof name !== 'string' || known.includes(name)) return [];
  const sentence = `There is no such agent.${meant(nearest(name, known))} There are: ${known.join(', ')}.`;
  return [problemAt(fields, ['default_agent'], sentence)];
}

/** By their place in the file, as a person goes through it. */
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
