// Puts values into requests in place of the placeholders that stand for secrets in a recording.

import { isObject, type JsonObject, setOwn } from '../../base/json-object.ts';
import { isAtEnd, type PathsLeft, parseJsonPath, stepInto } from '../../base/json-path.ts';
import type { Params } from '../../mcp/service.ts';
import { filledIn, hasPlaceholder } from '../replay/placeholders.ts';
import { pathText } from './compare.ts';
import type { SetValue } from './options.ts';

interface ValueLeft {
  readonly value: unknown;
  readonly left: PathsLeft;
}

type Environment = Readonly<Record<string, string | undefined>>;

export class HiddenValues {
  readonly #values: readonly ValueLeft[];
  /** Variables that the server gets, so that a recording cannot read others. */
  readonly #env: Environment;

  constructor(given: readonly SetValue[], env: Environment) {
    this.#values = given.map(({ path, value }) => ({ value, left: [parseJsonPath(path)] }));
    this.#env = env;
  }

  /** The parameters with the given values, and the path of the first placeholder that is left. */
  filled(params: Params): { params: Params; missing: string | undefined } {
    let missing: string | undefined;
    const fill = (value: unknown, values: readonly ValueLeft[], path: readonly string[]): unknown => {
      const given = values.find(({ left }) => isAtEnd(left));
      if (given) return given.value;
      if (typeof value === 'string' && hasPlaceholder(value)) {
        const text = filledIn(value, this.#env);
        if (hasPlaceholder(text)) missing ??= pathText(path);
        return text;
      }
      const into = (key: string, each: unknown) => fill(each, below(values, key), [...path, key]);
      if (Array.isArray(value)) return value.map((each, at) => into(String(at), each));
      if (!isObject(value)) return value;
      const members: JsonObject = {};
      for (const [name, each] of Object.entries(value)) setOwn(members, name, into(name, each));
      return members;
    };
    return { params: fill(params, this.#values, []) as Params, missing };
  }
}

function below(values: readonly ValueLeft[], key: string): readonly ValueLeft[] {
  if (values.length === 0) return values;
  return values.map(({ value, left }) => ({ value, left: stepInto(left, key) })).filter(({ left }) => left.length > 0);
}
