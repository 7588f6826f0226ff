#!/usr/bin/env node
import { plain, run } from '../../good/agentproc-v4.mjs';

// Cannot do without a version.
await run((turn) => {
  if (!turn.protocol_version) throw new Error('Which version?');
  plain(turn);
});
