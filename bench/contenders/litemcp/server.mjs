// A LiteMCP server has one tool, so the first argument selects between echo and usage.

import { LiteMcpServer, serveLiteMcp } from '../../../dist/entry/litemcp.js';
import { MAX_MESSAGE_BYTES } from '../limits.mjs';
import { usage } from '../usage.mjs';

const parameters = [
  { name: 'what', type: 'string' },
  { name: 'text', type: 'string' },
];
const echo = new LiteMcpServer({ name: 'echo', parameters }, ({ what, text }) => (what === 'usage' ? usage() : text));
await serveLiteMcp(echo, { maxFrameBytes: MAX_MESSAGE_BYTES });
