import {
  endsAfterSignal,
  endsAsBefore,
  endsByItself,
  leavesNothingBehind,
  writesUtf8,
} from '../../expect/process.ts';
import type { AgentCase, Scene } from '../scene.ts';
import {
  conformsToSchema,
  givesOneAnswer,
  isWellFormed,
  refuses,
  refusesInWords,
  succeeds,
  takesTheFile,
  wroteTheFiles,
} from './expect.ts';
import { NIB_STARTS, OPERATION_SCENES } from './starts.ts';

const CONTENTS: Readonly<Record<string, 'data' | 'files'>> = {
  'continuity-index': 'data',
  'project-scaffold': 'files',
};

function operationCase([operation, given]: readonly [string, Scene]): AgentCase {
  const content = CONTENTS[operation] ?? 'text';
  return {
    id: `nib/${operation}`,
    title: `${operation} is answered by one JSON object.`,
    level: 'must',
    hint: `Print {"type":"success","operation":"${operation}","${content}":…} or {"type":"error","error":"…"}, once, and nothing else.`,
    given,
    expect: [givesOneAnswer, isWellFormed(operation, content)],
  };
}

function sceneOf(operation: string): Scene {
  return OPERATION_SCENES[operation] ?? NIB_STARTS.ask;
}

/** What a nib agent must and should do. */
export const NIB_AGENT_CASES: readonly AgentCase[] = [
  ...Object.entries(OPERATION_SCENES).map(operationCase),
  {
    id: 'nib/at-work',
    title: 'A scene is proofread with success.',
    level: 'should',
    hint: 'Every answer was a failure: see what stderr says, and whether the agent lacks a key or a server.',
    given: sceneOf('scene-proof'),
    expect: [succeeds],
  },
  {
    id: 'nib/unknown-operation',
    title: 'An operation that the agent does not know is not reported as done.',
    level: 'must',
    hint: 'Answer operations you do not implement with {"type":"error","error":"…"}.',
    given: NIB_STARTS.unknownOperation,
    expect: [endsByItself, refuses],
  },
  {
    id: 'nib/unknown-operation-in-words',
    title: 'An unknown operation is refused by an error object rather than by the exit code.',
    level: 'should',
    hint: 'Print {"type":"error","error":"…"} and exit 0: the host shows the sentence as it is.',
    given: NIB_STARTS.unknownOperation,
    expect: [refusesInWords],
  },
  {
    id: 'nib/newer-operation',
    title: 'manuscript-search is answered or refused like any other operation.',
    level: 'must',
    hint: 'Hosts get newer operations: answer with success and its text, or with an error.',
    given: NIB_STARTS.search,
    expect: [givesOneAnswer, isWellFormed('manuscript-search', 'text')],
  },
  {
    id: 'nib/unknown-fields',
    title: 'Fields of the request that the agent does not know are ignored.',
    level: 'must',
    hint: 'Take the fields you need and leave the others alone: newer hosts send `effort`, for one.',
    given: NIB_STARTS.unknownFields,
    expect: [givesOneAnswer, endsAsBefore],
  },
  {
    id: 'nib/optional-fields-absent',
    title: 'A request that holds nothing but its operation is answered or refused.',
    level: 'must',
    hint: 'Every field but `operation` is optional: work with the current directory, or refuse in words.',
    given: NIB_STARTS.bare,
    expect: [givesOneAnswer, isWellFormed('continuity-ask', 'text')],
  },
  {
    id: 'nib/non-ascii',
    title: 'A request outside ASCII is read, also with a line separator of Unicode in it.',
    level: 'must',
    hint: 'Read stdin to its end and decode it as UTF-8.',
    given: NIB_STARTS.nonAscii,
    expect: [givesOneAnswer, endsAsBefore],
  },
  {
    id: 'nib/large-request',
    title: 'A request of one megabyte is answered, if only by an error.',
    level: 'must',
    hint: 'The request comes in many pieces: read stdin to its end before parsing it.',
    given: NIB_STARTS.large,
    expect: [givesOneAnswer, isWellFormed('continuity-index', 'data')],
  },
  {
    id: 'nib/index-schema',
    title: 'The data of continuity-index conform to the schema of the request.',
    level: 'must',
    hint: 'Validate what your model says against `schema`, and answer with an error where it does not fit.',
    given: sceneOf('continuity-index'),
    expect: [conformsToSchema],
  },
  {
    id: 'nib/scaffold-files',
    title: 'The files of project-scaffold exist inside the project.',
    level: 'must',
    hint: 'List paths relative to `dir`, of files you have written.',
    given: sceneOf('project-scaffold'),
    expect: [wroteTheFiles],
  },
  {
    id: 'nib/request-file',
    title:
      'The request file of an interactive operation is read and deleted, and the process ends with its input.',
    level: 'must',
    hint: 'When NIB_AGENT_REQUEST_FILE is set, read the request from there, delete the file, and leave when stdin ends.',
    given: NIB_STARTS.talk,
    expect: [endsByItself, takesTheFile],
  },
  {
    id: 'nib/utf8',
    title: 'Output is UTF-8.',
    level: 'must',
    hint: 'Set the encoding of stdout; in Python, PYTHONIOENCODING=utf-8 or sys.stdout.reconfigure.',
    given: NIB_STARTS.nonAscii,
    expect: [writesUtf8],
  },
  {
    id: 'nib/request-file-gone',
    title: 'A request file that does not exist is no reason to fail when stdin holds the request.',
    level: 'should',
    hint: 'The variable may be left over from the program you were started from: fall back to stdin.',
    given: NIB_STARTS.fileGone,
    expect: [givesOneAnswer, endsAsBefore],
  },
  {
    id: 'nib/sigterm',
    title: 'The process ends within five seconds of SIGTERM.',
    level: 'should',
    hint: 'Do not ignore SIGTERM, and hand it on to programs you have started.',
    given: NIB_STARTS.terminated,
    expect: [endsAfterSignal],
  },
  {
    id: 'nib/leftovers',
    title: 'No process is left running when the agent has ended.',
    level: 'should',
    hint: 'Wait for the programs you start, or end them; what holds stdout open blocks the host.',
    given: NIB_STARTS.leaving,
    expect: [leavesNothingBehind],
  },
];
