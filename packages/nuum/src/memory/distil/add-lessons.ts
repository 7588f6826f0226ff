import { MemoryError } from '../../database/error.ts';
import type { Source } from '../knowledge/entry.ts';
import { isStanding, proposalSlug } from '../knowledge/standing.ts';
import type { Memory } from '../memory.ts';
import type { Lesson } from './keep-tool.ts';

const MOST_LESSONS = 8;
/** A longer entry is not extended by the distiller. */
const MOST_BODY = 8_000;

/**
 * Adds the lessons of a summary to knowledge. The model has not seen the existing entries, so that their text is
 * extended and never replaced. Lessons that cannot be written are logged.
 */
export function addLessons(
  memory: Memory,
  lessons: readonly Lesson[],
  source: Source,
  log: (text: string) => void,
): void {
  for (const lesson of lessons.slice(0, MOST_LESSONS)) {
    try {
      addLesson(memory, lesson, source);
      if (isStanding(lesson.slug)) log(proposalNotice(lesson.slug));
    } catch (error) {
      if (!(error instanceof MemoryError) || !['invalid', 'not-found', 'conflict'].includes(error.code))
        throw error;
      log(`Distillation could not keep "${lesson.slug}": ${error.message}`);
    }
  }
}

function proposalNotice(slug: string): string {
  return `Distillation proposes to change "${slug}", which stands in every prompt: \`nuum memory accept ${slug}\` shows it and asks.`;
}

function addLesson({ knowledge }: Memory, lesson: Lesson, source: Source): void {
  const nodes = knowledge.tree();
  const { title, body } = lesson;
  const slug = isStanding(lesson.slug) ? proposalSlug(lesson.slug) : lesson.slug;
  const by = 'distiller';
  if (!nodes.some((node) => node.slug === slug)) {
    const parent = nodes.find((node) => node.slug === lesson.parent)?.slug ?? null;
    knowledge.write({ slug, title, parent, body, expected: 0, by, source });
    return;
  }
  const entry = knowledge.read(slug);
  if (entry === undefined || entry.body.includes(body)) return;
  const grown = `${entry.body}\n\n${body}`;
  if (grown.length > MOST_BODY) return;
  knowledge.write({ slug, title: entry.title, body: grown, expected: entry.version, by, source });
}
