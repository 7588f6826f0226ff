#!/usr/bin/env node
import { plain, run } from '../../good/terminal.mjs';

// Has nothing to say to nothing.
await run((envelope) => (envelope.text === '' ? undefined : plain(envelope)));
