// The same with the messages of the revisions before 2026-07-28, which say less about themselves.

import { connect as connectRaw } from './client.mjs';

export const connect = () => connectRaw(null);
