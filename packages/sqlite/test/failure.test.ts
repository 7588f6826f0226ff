import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TemporaryDirectory, temporaryDirectory } from '@plugboard/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeFailure, type FailureWords, openConnection, runStatement } from '../src/index.ts';

let home: TemporaryDirectory;
beforeEach(() => {
  home = temporaryDirectory();
});
afterEach(() => home[Symbol.dispose]());

const WORDS: FailureWords<string> = {
  duplicate: ['twice', '{file} has it.'],
  'not-a-database': ['text', '{file} is text.'],
  'no-directory': ['nowhere', '{file} is nowhere.'],
  closed: ['closed', '{file} is closed.'],
  other: ['other', '{file}: {message} {unknown}'],
};

function describeThrown(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return describeFailure(error, 'F$&', WORDS);
  }
  throw new Error('It did not throw.');
}

it('puts failures of SQLite and of the file system into the words of the program', () => {
  const connection = openConnection(join(home.path, 'a.db'));
  connection.database.exec('create table a (x primary key); insert into a values (1)');
  expect(describeThrown(() => runStatement(connection, 'insert into a values (1)'))).toEqual([
    'twice',
    'F$& has it.',
  ]);
  connection.database.close();
  expect(describeThrown(() => runStatement(connection, 'select 1'))).toEqual(['closed', 'F$& is closed.']);
  writeFileSync(join(home.path, 'b.db'), 'a text '.repeat(200));
  const text = openConnection(join(home.path, 'b.db'));
  expect(describeThrown(() => runStatement(text, 'create table a (x)'))).toEqual(['text', 'F$& is text.']);
  text.database.close();
  expect(describeThrown(() => readFileSync(join(home.path, 'none')))).toEqual(['nowhere', 'F$& is nowhere.']);
});

it('says what SQLite or Node says where the program has no words for a failure', () => {
  mkdirSync(join(home.path, 'directory'));
  expect(describeThrown(() => readFileSync(join(home.path, 'directory')))).toEqual([
    'other',
    expect.stringMatching(/^F\$&: EISDIR.* \{unknown\}$/),
  ]);
});

it('has no words for an error that is none of the database', () => {
  expect(describeFailure(new Error('no'), 'f', WORDS)).toBeUndefined();
  expect(describeFailure('no', 'f', WORDS)).toBeUndefined();
});

it('lets a connection throw the errors of its program', () => {
  const connection = openConnection(join(home.path, 'a.db'), { toError: () => new Error('mine') });
  expect(() => runStatement(connection, 'nonsense')).toThrow('mine');
  connection.database.close();
});
