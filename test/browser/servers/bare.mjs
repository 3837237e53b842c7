// A server with resources and without templates: the method of the templates is unknown to it.

import { initialize, serve } from './line-peer.mjs';

serve({
  initialize: initialize('bare', { resources: {} }),
  'resources/list': () => ({ resources: [{ uri: 'file:///a', name: 'a' }] }),
  'resources/read': ({ uri }) => ({ contents: [{ uri, mimeType: 'text/plain', text: 'A' }] }),
});
