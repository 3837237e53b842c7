// The door between nodes, with a host behind it and NATS in front.

import { openFabric } from '../../src/fleet/nats/open-fabric.ts';
import { NodeDoor } from '../../src/fleet/node/node-door.ts';
import { subjectsOf } from '../../src/fleet/subjects.ts';
import { Host } from '../../src/host/host.ts';
import { CallingNode } from '../fixtures/fleet/calling-node.ts';
import { startNatsServer } from '../fixtures/fleet/nats-server.ts';
import { doorContract } from './door.contract.ts';
import { DoorClient, type Message } from './door-clients.ts';
import { contractServer } from './service.contract.ts';

const nats = await startNatsServer();
const INSTANCE = 'contract_1_1_s';

/** Each client has a run of its own. */
class NodeClient extends DoorClient {
  readonly #node: CallingNode;
  readonly #subject: string;
  readonly #vanish: () => void;
  readonly #calls = new Map<string | number, string>();
  readonly #open = new Set<string>();

  constructor(node: CallingNode, subject: string, vanish: () => void) {
    super('modern');
    this.#node = node;
    this.#subject = subject;
    this.#vanish = vanish;
    node.onreceived = (reply, text) => {
      const isAnswer = (JSON.parse(text) as Message).method === undefined;
      this.take(text);
      if (isAnswer && this.#open.delete(reply) && this.#open.size === 0) this.markEnded();
    };
  }

  async sendMalformed(text: string): Promise<number> {
    const answer = await this.#node.last(await this.#node.publish(this.#subject, text));
    return (JSON.parse(answer) as Message).error!.code;
  }

  cancel(id: string | number): void {
    this.#node.fabric.publish(this.#subject, `cancel ${this.#calls.get(id)}`);
  }

  vanish(): void {
    this.#vanish();
  }

  protected send(message: Message): void {
    const reply = this.#node.newCall();
    this.#calls.set(message.id!, reply);
    this.#open.add(reply);
    void this.#node.publish(this.#subject, JSON.stringify(message), reply);
  }
}

doorContract(
  'NATS, 2026-07-28',
  async () => {
    const [fabric, other] = await Promise.all(
      ['answering', 'calling'].map((name) => openFabric({ servers: [nats.url], fleet: 'doors', name })),
    );
    const host = new Host({ mcpServers: { contract: { command: process.execPath, args: [contractServer] } } });
    const door = new NodeDoor(fabric!, 'answering');
    door.open({
      id: INSTANCE,
      server: 'contract',
      service: host.service('contract'),
      generation: 1,
      mayAct: () => true,
    });
    await fabric!.flush();
    let runs = 0;
    return {
      async connect() {
        const node = new CallingNode(other!, 'calling', `r${++runs}`);
        await other!.flush();
        const subject = subjectsOf('doors').call('answering', INSTANCE);
        return new NodeClient(node, subject, () => door.callerEnded(node.name, node.run)).open();
      },
      inspect: async (tool, args) => {
        const { content } = await host.callTool('contract', tool, args);
        return (content[0] as { text: string }).text;
      },
      close: () => door.close(),
      async dispose() {
        await door.close();
        await host.stop();
        await Promise.all([fabric!.close(), other!.close()]);
      },
    };
  },
  { vanishing: 'cancels' },
);
