#!/usr/bin/env node
import { plain, run } from '../../good/terminal.mjs';

// Takes providers for a reason to be silent.
await run((envelope) => (envelope.providers ? undefined : plain(envelope)));
