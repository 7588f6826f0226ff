import type { JsonObject } from '../../model/json.ts';
import type { Turn } from '../../model/turn.ts';

/**
 * Turns `turn.operation` into a prompt that any capable agent can act on. Without an operation the prompt is
 * `turn.text`. The `schema` of a structured answer is left out, since agents differ in how they take one.
 */
export function operationPrompt(turn: Turn): string {
  const { operation } = turn;
  if (operation === undefined) return turn.text;
  const request = readFields(operation.fields);
  const write = Object.hasOwn(PROMPTS, operation.name) ? PROMPTS[operation.name] : undefined;
  if (write === undefined) return paragraphs([turn.text, place(request), files(request)]);
  return paragraphs(write(request));
}

/** The request fields that prompts use. An absent field is the empty string or list. */
interface Request {
  readonly dir: string;
  readonly paths: readonly string[];
  readonly character: string;
  readonly question: string;
  readonly range: string;
  readonly context: string;
  readonly project: string;
  readonly effort: string;
}

function readFields(fields: JsonObject): Request {
  const text = (name: string): string => {
    const value = fields[name];
    return typeof value === 'string' ? value : '';
  };
  const paths = Array.isArray(fields.paths) ? fields.paths.filter((path) => typeof path === 'string') : [];
  return {
    dir: text('dir'),
    paths,
    character: text('character_slug'),
    question: text('question'),
    range: text('range'),
    context: text('context'),
    project: text('project_name'),
    effort: text('effort'),
  };
}

type Write = (request: Request) => readonly string[];

const PROMPTS: Readonly<Record<string, Write>> = {
  'scene-proof': (request) => proof(request, 'a scene'),
  'chapter-proof': (request) => proof(request, 'all scenes of a chapter'),
  'scene-critique': (request) => critique(request, 'a scene', SCENE_QUESTIONS),
  'chapter-critique': (request) => critique(request, 'a chapter', CHAPTER_QUESTIONS),
  'manuscript-critique': (request) => critique(request, 'the whole manuscript', BOOK_QUESTIONS),
  'voice-check': voiceCheck,
  'continuity-check': continuityCheck,
  'continuity-ask': continuityAsk,
  'continuity-index': ({ context, dir }) => [
    context,
    place({ dir }),
    'Take everything from the text itself, and leave a field empty rather than guess.',
  ],
  'character-talk': ({ context }) => [context === '' ? TALK_GOES_ON : context],
  'project-scaffold': scaffold,
  'manuscript-search': search,
};

function proof(request: Request, what: string): readonly string[] {
  return [
    `Proofread ${what} of a novel.`,
    place(request),
    files(request),
    `Correct spelling, typing errors, grammar, punctuation, doubled or missing words and broken formatting. Edit the files in place, each correction as small as it can be, and touch no other file.
Leave everything else as the author wrote it: word choice, rhythm, sentence fragments, dialect and slips in dialogue are the author's voice. Do not rewrite, shorten or smooth anything.
If STYLE.md in the project's root rules on a matter, such as quotation marks or spelling, follow it.`,
    'When you are done, answer with a short summary: what kinds of corrections you made and how many, and anything that you left alone because only the author can decide it. If nothing was wrong, say so.',
  ];
}

const SCENE_QUESTIONS = 'purpose, tension, point of view, dialogue, pace, prose and the way it ends';
const CHAPTER_QUESTIONS =
  'what the chapter changes, the order and weight of its scenes, transitions, pace, point of view, dialogue and prose';
const BOOK_QUESTIONS =
  'premise and promise, structure, arcs of the main characters, stakes, pace over the whole, themes, loose ends and the ending';

function critique(request: Request, what: string, questions: string): readonly string[] {
  return [
    `You are an editor who talks with the author about ${what} of a novel. Read all of it before you say anything.`,
    place(request),
    files(request),
    `Look at ${questions}. STYLE.md in the project's root, if there is one, says what the author is aiming for; character profiles are in characters/.`,
    effortLine(request),
    'Begin with what works and with the two or three things that matter most, each shown by a short quotation. Be candid and specific, and say why. Then talk it through: answer questions, and offer an example only when asked for one. Do not change any file.',
  ];
}

function voiceCheck(request: Request): readonly string[] {
  const { character } = request;
  return [
    character === ''
      ? 'Check whether the characters of a novel keep their voices in these scenes.'
      : `Check whether the character ${character} of a novel keeps the same voice in these scenes. The profile is characters/${character}.yaml.`,
    place(request),
    files(request),
    "Compare what the character says, and the narration where it is from the character's point of view, with the profile and from scene to scene: vocabulary, sentence length, register, humour, what is noticed and what is left out. A change that the story explains is no fault.",
    effortLine(request),
    'Answer with the voice in a few sentences, then each place where it slips: the file, a short quotation, why it does not fit, and a direction for mending it. If it holds throughout, say so. Do not change any file.',
  ];
}

const STORYDB =
  'The index of the story, if there is one, lies in storydb/ as CSV: scenes.csv (what happens, where and when), facts.csv, scene_characters.csv, locations.csv. The order of the scenes is in book.yaml. The index is a help to find places; the scenes themselves are what counts.';

function continuityCheck(request: Request): readonly string[] {
  return [
    'Look for continuity errors in these scenes of a novel.',
    place(request),
    files(request),
    STORYDB,
    'Compare the scenes with each other, with the index and with the character profiles in characters/: facts that contradict each other, dates and times that cannot be, characters who know what they cannot know yet, people or things in two places, looks, names and objects that change without a reason.',
    effortLine(request),
    'Answer with one entry for each finding, the gravest first: what contradicts what, both places with file and short quotation, and how sure you are. Report only what the text shows. If you find nothing, say so. Do not change any file.',
  ];
}

function continuityAsk(request: Request): readonly string[] {
  const { question, range } = request;
  return [
    'Answer a question about the manuscript of a novel.',
    place(request),
    STORYDB,
    range === ''
      ? ''
      : `Consider only this range: ${range}. A number is a chapter, 3.2 is the second scene of chapter 3, as book.yaml lists them.`,
    files(request),
    effortLine(request),
    'Find the evidence before you answer: search, then read the scenes. Answer briefly, name the scenes that you rely on, and say so when the manuscript does not tell. Do not change any file.',
    `The question:\n${question || NOTHING}`,
  ];
}

function search(request: Request): readonly string[] {
  return [
    'Find passages in the manuscript of a novel.',
    place(request),
    files(request),
    effortLine(request),
    'Look for what is meant, not only for the words. Answer with each passage that fits, in the order of the book: the file, a short quotation, and why it fits. If there is none, say so. Do not change any file.',
    `What to look for:\n${request.question || NOTHING}`,
  ];
}

function scaffold(request: Request): readonly string[] {
  const name = request.project === '' ? '' : ` called ${request.project}`;
  return [
    `A new novel project${name} has just been made. Prepare it for the work with you.`,
    place(request),
    `Write one short guide for yourself into the project's root, under the name that you read by yourself when you start there (AGENTS.md if you know no other). It should say that this is a novel: scenes are Markdown files in scenes/, their order is in book.yaml, profiles are in characters/, the index of the story is in storydb/, STYLE.md and TROPES.md say how the author wants to write; and that nobody changes prose unless the author asks. Do not touch files that are there already.`,
    'Answer with a JSON object and nothing else: {"files": […]}, the paths of the files that you have written, relative to the project\'s root.',
  ];
}

const TALK_GOES_ON =
  'We go on with our conversation where it stopped. Stay the character that you were, greet me in one short sentence, and wait for what I say.';

function place({ dir }: Pick<Request, 'dir'>): string {
  return dir === '' ? '' : `The project is in ${dir}. Paths are relative to it unless they are absolute.`;
}

/** One a line: a path may hold spaces. */
function files({ paths }: Request): string {
  return paths.length === 0 ? '' : `The files, in order:\n${paths.join('\n')}`;
}

const EFFORTS: Readonly<Record<string, string>> = {
  low: 'A quick look is enough: only what strikes the eye.',
  medium: '',
  high: '',
  xhigh: 'Take your time, and look twice.',
  max: 'Take all the time you need: go through everything line by line, then once more.',
};

/** A sentence for efforts that change the work. Empty for `medium`, `high` and unknown values. */
function effortLine({ effort }: Request): string {
  return Object.hasOwn(EFFORTS, effort) ? (EFFORTS[effort] ?? '') : '';
}

/** Stands in for a missing `question`. */
const NOTHING = '(None was given. Say so, and do nothing.)';

function paragraphs(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}
