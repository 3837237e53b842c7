// The parameters of a tool that is served, prepared once for all its calls: strings to values by type, and to the text of
// `params` in the result.

import { toError } from '../base/errors.ts';
import { setOwn } from './shape.ts';
import type { Parameter } from './tool.ts';
import { parserOf } from './values.ts';

interface Prepared {
  name: string;
  /** As it stands in JSON, with its colon. */
  key: string;
  parse: (text: string) => unknown;
}

export class ServedParameters {
  readonly #prepared: readonly Prepared[];

  constructor(parameters: readonly Parameter[]) {
    this.#prepared = parameters.map(({ name, type }) => ({
      name,
      key: `${JSON.stringify(name)}:`,
      parse: parserOf(type),
    }));
  }

  /** Throws with what does not fit. */
  values(args: readonly string[]): object {
    const values: Record<string, unknown> = {};
    for (let i = 0; i < this.#prepared.length; i++) {
      const { name, parse } = this.#prepared[i]!;
      try {
        setOwn(values, name, parse(args[i]!));
      } catch (error) {
        throw new Error(`The argument ${JSON.stringify(name)} does not fit: ${toError(error).message}`);
      }
    }
    return values;
  }

  /** As far as both reach: the arguments of a refused call are shown too. */
  print(args: readonly string[]): string {
    let text = '';
    for (let i = 0; i < this.#prepared.length && i < args.length; i++) {
      text += `${i === 0 ? '' : ','}${this.#prepared[i]!.key}${JSON.stringify(args[i])}`;
    }
    return `{${text}}`;
  }
}
