// The contract of gateways for the endpoint of a node, with a host behind it and NATS in front.

import { openNetwork } from '../../src/host/fleet/nats/open-network.ts';
import { NodeEndpoint } from '../../src/host/fleet/node/node-endpoint.ts';
import { subjectsOf } from '../../src/host/fleet/subjects.ts';
import { Host } from '../../src/host/host.ts';
import { CallingNode } from '../fixtures/fleet/calling-node.ts';
import { startNatsServer } from '../fixtures/fleet/nats-server.ts';
import { gatewayContract } from './gateway.contract.ts';
import { GatewayClient, type Message } from './gateway-clients.ts';
import { contractServer } from './service.contract.ts';

const nats = await startNatsServer();
const INSTANCE = 'contract_1_1_s';

/** A client with its own run. */
class NodeClient extends GatewayClient {
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
    this.#node.network.publish(this.#subject, `cancel ${this.#calls.get(id)}`);
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

gatewayContract(
  'NATS, 2026-07-28',
  async () => {
    const [network, other] = await Promise.all(
      ['answering', 'calling'].map((name) => openNetwork({ servers: [nats.url], fleet: 'doors', name })),
    );
    const host = new Host({ mcpServers: { contract: { command: process.execPath, args: [contractServer] } } });
    const endpoint = new NodeEndpoint(network!, 'answering');
    endpoint.open({
      id: INSTANCE,
      server: 'contract',
      service: host.service('contract'),
      generation: 1,
      mayAct: () => true,
    });
    await network!.flush();
    let runs = 0;
    return {
      async connect() {
        const node = new CallingNode(other!, 'calling', `r${++runs}`);
        await other!.flush();
        const subject = subjectsOf('doors').call('answering', INSTANCE);
        return new NodeClient(node, subject, () => endpoint.callerEnded(node.name, node.run)).open();
      },
      inspect: async (tool, args) => {
        const { content } = await host.callTool('contract', tool, args);
        return (content[0] as { text: string }).text;
      },
      close: () => endpoint.close(),
      async dispose() {
        await endpoint.close();
        await host.stop();
        await Promise.all([network!.close(), other!.close()]);
      },
    };
  },
  { vanishing: 'cancels' },
);
