import type { Node, YAMLMap } from 'yaml';
import { type BookEdit, getMap, getOrCreateList, type MakeNode } from './book-edit.ts';

/** The fields of a new chapter. */
export interface NewChapter {
  readonly name: string;
  readonly interlude: boolean;
}

/** The position of a scene, both numbers from 1. */
export interface ScenePosition {
  readonly chapter: number;
  readonly position: number;
}

/** Inserts a chapter at `number`; later chapters move back. */
export function insertChapter(number: number, { name, interlude }: NewChapter): BookEdit {
  return (chapters, make) => {
    const chapter = make({}) as YAMLMap;
    if (name !== '') chapter.set(make('name'), make(name));
    if (interlude) chapter.set(make('interlude'), make('true'));
    chapter.set(make('scenes'), make([]));
    chapters.flow = false;
    chapters.items.splice(number - 1, 0, chapter);
  };
}

/** Deletes a chapter. */
export function deleteChapter(number: number): BookEdit {
  return (chapters) => void chapters.items.splice(number - 1, 1);
}

/** Moves a chapter from one number to another. */
export function moveChapter(from: number, to: number): BookEdit {
  return (chapters) => chapters.items.splice(to - 1, 0, ...chapters.items.splice(from - 1, 1));
}

/** Sets the name of a chapter; an empty `name` deletes it. */
export function nameChapter(number: number, name: string): BookEdit {
  return (chapters, make) => {
    const chapter = getMap(chapters, number - 1);
    if (name === '') chapter.delete('name');
    else if (chapter.has('name')) chapter.set('name', make(name));
    else chapter.items.unshift(createNamePair(chapter, make, name));
  };
}

/** Inserts a scene at a position; later scenes move back. */
export function insertScene({ chapter, position }: ScenePosition, slug: string): BookEdit {
  return (chapters, make) => {
    const scenes = getOrCreateList(getMap(chapters, chapter - 1), 'scenes', make);
    if (scenes.items.length === 0) scenes.flow = false;
    scenes.items.splice(position - 1, 0, make(slug));
  };
}

/** Deletes the scene at a position. */
export function deleteScene({ chapter, position }: ScenePosition): BookEdit {
  return (chapters, make) =>
    void getOrCreateList(getMap(chapters, chapter - 1), 'scenes', make).items.splice(position - 1, 1);
}

/** Changes the slug of a scene; the comment on its line stays. */
export function renameScene({ chapter, position }: ScenePosition, slug: string): BookEdit {
  return (chapters, make) => {
    const { items } = getOrCreateList(getMap(chapters, chapter - 1), 'scenes', make);
    const fresh = make(slug);
    keepComments(items[position - 1], fresh);
    items[position - 1] = fresh;
  };
}

/** Moves a scene; `to` is counted after the scene was removed from `from`. */
export function moveScene(from: ScenePosition, to: ScenePosition): BookEdit {
  return (chapters, make) => {
    const source = getOrCreateList(getMap(chapters, from.chapter - 1), 'scenes', make);
    const taken = source.items.splice(from.position - 1, 1);
    const target = getOrCreateList(getMap(chapters, to.chapter - 1), 'scenes', make);
    if (target.items.length === 0) target.flow = false;
    target.items.splice(to.position - 1, 0, ...taken);
  };
}

function createNamePair(chapter: YAMLMap, make: MakeNode, name: string): YAMLMap['items'][number] {
  const holder = make({}) as YAMLMap;
  holder.set(make('name'), make(name));
  const [pair] = holder.items;
  return pair ?? (chapter.items[0] as YAMLMap['items'][number]);
}

function keepComments(from: Node | undefined, to: Node): void {
  if (from === undefined) return;
  if (from.comment != null) to.comment = from.comment;
  if (from.commentBefore != null) to.commentBefore = from.commentBefore;
  if (from.spaceBefore === true) to.spaceBefore = true;
}
