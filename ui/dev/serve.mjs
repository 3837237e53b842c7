// For whoever works on the page: the built page with real servers behind it. `--large` shows a made-up recording of 200,000
// events instead. Needs `npm run build && npm run build:ui`; not part of the package.

import { fileURLToPath } from 'node:url';
import { Host } from '../../dist/host/host.js';
import { inspectorInputs } from '../../dist/inspector/calls/questions.js';
import { startInspector } from '../../dist/inspector/server.js';
import { hostSource } from '../../dist/inspector/sources/host-source.js';
import { largeRecording } from './large-recording.mjs';
import { configOf } from './server-config.mjs';

const folder = fileURLToPath(new URL('../../test/browser/servers', import.meta.url));

if (process.argv.includes('--large')) {
  const { FlowStore } = await import('../../dist/flow/store.js');
  const inspector = await startInspector(largeRecording(FlowStore, 200_000));
  console.log(inspector.url);
} else {
  const questions = inspectorInputs();
  const servers = ['workbench', 'hostile', 'falls'].map((name) => configOf(name, `${folder}/${name}.mjs`));
  const host = new Host(servers, { inputs: questions.inputs });
  await host.start();
  const inspector = await startInspector(hostSource(host, { title: 'development', questions }));
  console.log(inspector.url);
  process.once('SIGINT', async () => {
    await inspector.close();
    await host.stop();
  });
}
