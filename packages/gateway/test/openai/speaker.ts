import { serve } from '@plugboard/agent';

/** An agent that speaks in every way the clients of the other API have to be shown. */
await serve(async ({ text }, io) => {
  switch (text.split(' ')[0]) {
    case 'count':
      return { text: 'counted', usage: { input_tokens: 3, output_tokens: 4 } };
    case 'miscount':
      return { text: 'counted', usage: { prompt_tokens: -1, completion_tokens: 1e300 } };
    case 'think':
      await io.emit({ type: 'delta', kind: 'thinking', text: 'hm ' });
      await io.emit({ type: 'delta', kind: 'thinking', text: 'hm' });
      await io.delta('so ');
      await io.delta('be it');
      return 'so be it';
    case 'twice': {
      await io.reply('one');
      await io.progress('still here');
      const seen = await io.tool('look', {});
      await seen('nothing');
      await io.reply('two');
      return;
    }
    case 'nothing':
      return;
    default:
      return text;
  }
});
