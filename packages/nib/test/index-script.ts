import { READ } from './backend-project.ts';

/** A valid extraction of a scene. */
export const FOUND = {
  scene: {
    pov: 'ada',
    scene_type: 'regular',
    location: 'the-mill',
    date: '1952-03-01',
    time: 'dawn',
    summary: 'Ada sees the mill.',
  },
  facts: [
    {
      category: 'description',
      summary: 'Ada has grey eyes.',
      detail: '',
      source_text: 'Ada had grey eyes.',
      date: '',
      time: '',
    },
    { category: 'state', summary: 'The mill stands still.', detail: '', source_text: '', date: '', time: '' },
  ],
  characters: [
    { character: 'ada', role: 'pov' },
    { character: 'bo', role: 'mentioned' },
  ],
  locations: [{ id: 'the-mill', name: 'The Mill', type: 'workplace', description: 'Old.' }],
};

/** A script that runs `first` and answers every index request with `data`. */
export function createIndexScript(data: unknown = FOUND, first = ':'): string {
  const answer = JSON.stringify({ type: 'success', operation: 'continuity-index', data });
  return `${READ}\n${first}\ncat <<'END'\n${answer}\nEND`;
}
