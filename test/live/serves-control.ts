// A process that serves the control socket on demand and reports the outcome. Bundled before it is run: see
// control-race.full.test.ts.

import { type ControlServer, serveControl } from '../../src/host/control/control-server.ts';
import type { Host } from '../../src/host/host.ts';
import { FlowClients } from '../../src/observe/flow/clients.ts';
import { FlowStore } from '../../src/observe/flow/store.ts';

const flow = new FlowStore();
/** The part of a host that its status needs. */
const host = { status: () => [], names: [], flow, clients: new FlowClients(flow) } as unknown as Host;
let control: ControlServer | undefined;

process.on('message', async (task: { serve: string } | 'close') => {
  if (task === 'close') {
    await control?.close();
    control = undefined;
    process.send!('closed');
    return;
  }
  try {
    control = await serveControl(host, task.serve);
    process.send!('serves');
  } catch (error) {
    process.send!((error as NodeJS.ErrnoException).code ?? String(error));
  }
});
process.once('disconnect', () => process.exit());
