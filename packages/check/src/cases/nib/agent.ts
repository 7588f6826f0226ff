import {
  endsAfterSignal,
  endsAsBefore,
  endsByItself,
  leavesNothingBehind,
  writesUtf8,
} from '../../expect/process.ts';
import { keepsText } from '../../expect/text.ts';
import type { AgentCase, Scene } from '../scene.ts';
import {
  conformsToSchema,
  endsLikeFirst,
  failsInWords,
  givesOneAnswer,
  isWellFormed,
  listedFiles,
  refuses,
  refusesInWords,
  saysNoJson,
  succeeds,
  takesTheFile,
  wroteTheFiles,
} from './expect.ts';
import { keepsFiles, listsNewFiles, mendsScenes } from './expect-files.ts';
import { CRITIQUE_SCENES, NIB_STARTS, OPERATION_SCENES } from './starts.ts';

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

function proofCase(operation: 'scene-proof' | 'chapter-proof', count: number): AgentCase {
  return {
    id: `nib/${operation}-edits`,
    title: `${operation} mends the scenes that it is given and leaves everything else as it is.`,
    level: 'must',
    hint: 'Edit the files in `paths` alone: mend grammar, spelling and punctuation, and leave the prose to its author.',
    given: sceneOf(operation),
    expect: [mendsScenes, keepsFiles(({ place }) => place.scenes.slice(0, count))],
  };
}

/** Operations that change no file of the project. */
const READERS = ['voice-check', 'continuity-check', 'continuity-ask', 'continuity-index', 'project-scaffold'];

function readerCase(operation: string): AgentCase {
  return {
    id: `nib/${operation}-keeps-files`,
    title: `${operation} leaves the files of the project as they are.`,
    level: 'must',
    hint: 'Only scene-proof and chapter-proof edit scenes; project-scaffold adds files of its own.',
    given: sceneOf(operation),
    expect: [keepsFiles()],
  };
}

function critiqueCase([operation, given]: readonly [string, Scene]): AgentCase {
  return {
    id: `nib/${operation}`,
    title: `The request file of ${operation} is read and deleted, and the process ends with its input.`,
    level: 'must',
    hint: 'When NIB_AGENT_REQUEST_FILE is set, read the request from there, delete the file, and leave when stdin ends.',
    given,
    expect: [endsByItself, takesTheFile, failsInWords],
  };
}

/** Rules for nib agents. */
export const NIB_AGENT_CASES: readonly AgentCase[] = [
  ...Object.entries(OPERATION_SCENES).map(operationCase),
  proofCase('scene-proof', 1),
  proofCase('chapter-proof', 2),
  ...READERS.map(readerCase),
  {
    id: 'nib/at-work',
    title: 'A scene is proofread, or a question answered, with success.',
    level: 'should',
    hint: 'Both answers were failures: see what stderr says, and whether the agent lacks a key or a server.',
    given: { first: sceneOf('scene-proof').first, second: NIB_STARTS.again },
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
    id: 'nib/text-kept',
    title: 'An agent that repeats the question repeats it unchanged, also outside ASCII.',
    level: 'must',
    hint: 'Decode stdin as UTF-8, with a decoder that keeps the rest of a character for the next read.',
    given: NIB_STARTS.nonAscii,
    expect: [keepsText],
  },
  {
    id: 'nib/split-request',
    title: 'A request that comes in two pieces is one request.',
    level: 'must',
    hint: 'Read stdin to its end before you parse it: what one read gives you is not the request.',
    given: NIB_STARTS.split,
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
    id: 'nib/scaffold-complete',
    title: 'Every file that project-scaffold has created is listed.',
    level: 'should',
    hint: 'Put each new file into `files`, so that the user learns of it.',
    given: sceneOf('project-scaffold'),
    expect: [listsNewFiles(listedFiles)],
  },
  {
    id: 'nib/request-file',
    title:
      'The request file of an interactive operation is read and deleted, and the process ends with its input.',
    level: 'must',
    hint: 'When NIB_AGENT_REQUEST_FILE is set, read the request from there, delete the file, and leave when stdin ends.',
    given: NIB_STARTS.talk,
    expect: [endsByItself, takesTheFile, failsInWords],
  },
  ...Object.entries(CRITIQUE_SCENES).map(critiqueCase),
  {
    id: 'nib/talk-resumes',
    title: 'A conversation is taken up again by its session id, without a context.',
    level: 'should',
    hint: 'With `resume` the context is absent: keep what you need under the id, or begin anew.',
    given: NIB_STARTS.talkAgain,
    expect: [endsByItself, takesTheFile, endsLikeFirst],
  },
  {
    id: 'nib/talk-anew',
    title: 'A conversation is begun anew under the same session id.',
    level: 'should',
    hint: 'With `new`, delete what you keep under the id and start fresh.',
    given: NIB_STARTS.talkAnew,
    expect: [endsByItself, takesTheFile, endsLikeFirst],
  },
  {
    id: 'nib/talk-in-words',
    title: 'Stdout of an interactive operation has no JSON response.',
    level: 'should',
    hint: 'Stdout is the terminal of the user: talk, or write to stderr and exit non-zero.',
    given: NIB_STARTS.talk,
    expect: [saysNoJson],
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
