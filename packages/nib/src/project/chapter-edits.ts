import type { Node, YAMLMap } from 'yaml';
import { type BookEdit, listIn, type MakeNode, mapAt } from './book-edit.ts';

/** What a new chapter is made of. */
export interface NewChapter {
  readonly name: string;
  readonly interlude: boolean;
}

/** Where a scene stands or shall stand, both numbers from 1. */
export interface Spot {
  readonly chapter: number;
  readonly position: number;
}

/** Puts a chapter at a number, pushing what is there further back. */
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

/** Takes a chapter out. */
export function deleteChapter(number: number): BookEdit {
  return (chapters) => void chapters.items.splice(number - 1, 1);
}

/** Takes a chapter from one number to another. */
export function moveChapter(from: number, to: number): BookEdit {
  return (chapters) => chapters.items.splice(to - 1, 0, ...chapters.items.splice(from - 1, 1));
}

/** Gives a chapter a name, or takes it away when the name is empty. */
export function nameChapter(number: number, name: string): BookEdit {
  return (chapters, make) => {
    const chapter = mapAt(chapters, number - 1);
    if (name === '') chapter.delete('name');
    else if (chapter.has('name')) chapter.set('name', make(name));
    else chapter.items.unshift(pairOf(chapter, make, name));
  };
}

/** Puts a scene at a spot, pushing what is there further back. */
export function insertScene({ chapter, position }: Spot, slug: string): BookEdit {
  return (chapters, make) => {
    const scenes = listIn(mapAt(chapters, chapter - 1), 'scenes', make);
    if (scenes.items.length === 0) scenes.flow = false;
    scenes.items.splice(position - 1, 0, make(slug));
  };
}

/** Takes the scene at a spot out. */
export function deleteScene({ chapter, position }: Spot): BookEdit {
  return (chapters, make) =>
    void listIn(mapAt(chapters, chapter - 1), 'scenes', make).items.splice(position - 1, 1);
}

/** Gives the scene at a spot another slug; the comment on its line stays. */
export function renameScene({ chapter, position }: Spot, slug: string): BookEdit {
  return (chapters, make) => {
    const { items } = listIn(mapAt(chapters, chapter - 1), 'scenes', make);
    const fresh = make(slug);
    keepComments(items[position - 1], fresh);
    items[position - 1] = fresh;
  };
}

/** Takes a scene from one spot to another; the second is counted after it has been taken out of the first. */
export function moveScene(from: Spot, to: Spot): BookEdit {
  return (chapters, make) => {
    const source = listIn(mapAt(chapters, from.chapter - 1), 'scenes', make);
    const taken = source.items.splice(from.position - 1, 1);
    const target = listIn(mapAt(chapters, to.chapter - 1), 'scenes', make);
    if (target.items.length === 0) target.flow = false;
    target.items.splice(to.position - 1, 0, ...taken);
  };
}

function pairOf(chapter: YAMLMap, make: MakeNode, name: string): YAMLMap['items'][number] {
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
