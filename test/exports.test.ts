import { expect, it } from 'vitest';

/** The names that users of each package rely on: a change here is a change of the public surface. */
const SURFACE: Record<string, readonly string[]> = {
  '@plugboard/agent': ['serve'],
  '@plugboard/host': [
    'ProfileError',
    'bridge',
    'bridgeUnasked',
    'createRecorder',
    'createTurn',
    'fileMemory',
    'isDialectName',
    'nearest',
    'open',
    'openMedia',
    'readProfile',
    'readRecording',
    'replay',
    'shortMemory',
  ],
  '@plugboard/process': [
    'ENVIRONMENT_VALUE_LIMIT',
    'baseEnvironment',
    'createPool',
    'spawn',
    'withoutUndefined',
  ],
  '@plugboard/protocol': [
    'MAX_DEPTH',
    'OPERATION_NAMES',
    'agentproc',
    'agentprocV4',
    'attachmentAt',
    'createLines',
    'createTurn',
    'describeExit',
    'dialects',
    'endBytes',
    'fault',
    'faultEvent',
    'isObject',
    'kindOf',
    'nib',
    'nuum',
    'parseJson',
    'pushBytes',
    'templateProblem',
    'terminal',
  ],
  '@plugboard/store': ['LostClaimError', 'StoreError'],
  '@plugboard/store/sqlite': ['openSqlite'],
};

it.each(Object.entries(SURFACE))('%s exports what it promises, and no more', async (name, names) => {
  const module: Record<string, unknown> = await import(name);
  expect(Object.keys(module).sort()).toEqual([...names].sort());
});
