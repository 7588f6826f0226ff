#!/usr/bin/env node
import { run } from '../../hosts/terminal.mjs';

// Takes a broken pipe for an error.
await run({ manners: { onInputError: () => {} } });
