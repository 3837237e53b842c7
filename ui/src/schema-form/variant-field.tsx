// A value with alternative schemas: a selection of the alternative, and its field.

import { useState } from 'react';
import type { Schema } from '../api/shapes.ts';
import { visibleLine } from '../text/visible.ts';
import { Field, type InputProps } from './fields.tsx';
import { firstValue } from './first-value.ts';
import { type Meaning, typeOf } from './read-schema.ts';

type Props = InputProps & { meaning: Extract<Meaning, { form: 'variants' }> };

export function VariantField({ meaning, value, root, depth, name, label, required, onChange }: Props) {
  const { variants } = meaning;
  const [chosen, setChosen] = useState(() =>
    Math.max(
      0,
      variants.findIndex(({ schema }) => looksLike(value, schema)),
    ),
  );
  const variant = variants[chosen] ?? variants[0]!;
  return (
    <>
      <select
        aria-label={`Kind of ${label}`}
        value={chosen}
        onChange={(event) => {
          const next = Number(event.target.value);
          setChosen(next);
          onChange(firstValue(variants[next]!.schema, root));
        }}
      >
        {variants.map(({ title }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: titles may repeat, positions are fixed
          <option key={at} value={at}>
            {visibleLine(title)}
          </option>
        ))}
      </select>
      <Field
        key={chosen}
        name={name}
        schema={{ ...variant.schema, title: variant.title }}
        root={root}
        depth={depth + 1}
        value={value}
        required={required}
        onChange={onChange}
      />
    </>
  );
}

function looksLike(value: unknown, schema: Schema): boolean {
  const type = typeOf(schema);
  if (Array.isArray(value)) return type === 'array';
  if (typeof value !== 'object' || value === null)
    return type === (typeof value === 'number' && type === 'integer' ? type : typeof value);
  const members = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  return (
    type === 'object' &&
    members.every(([name, member]) => !('const' in member) || (value as Schema)[name] === member.const)
  );
}
