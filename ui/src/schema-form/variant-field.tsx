// A value with alternative schemas: a selection of the alternative, and its field.

import { useContext, useEffect } from 'react';
import type { Schema } from '../api/shapes.ts';
import { visibleLine } from '../text/visible.ts';
import { Field, type InputProps } from './fields.tsx';
import { firstValue } from './first-value.ts';
import { type Meaning, typeOf, type Variant } from './read-schema.ts';
import { FormContext } from './use-draft.ts';

type Props = InputProps & { meaning: Extract<Meaning, { form: 'variants' }> };

export function VariantField({ meaning, value, root, depth, label, required, path, onChange }: Props) {
  const { draft } = useContext(FormContext);
  const { variants } = meaning;
  const isChosen = ({ keyword, at }: Variant) =>
    draft?.choices[path]?.keyword === keyword && draft.choices[path]?.at === at;
  const remembered = variants.findIndex(isChosen);
  const alike = variants.findIndex(({ schema }) => looksLike(value, schema));
  const chosen = remembered >= 0 ? remembered : Math.max(0, alike);
  const variant = variants[chosen] ?? variants[0]!;
  const { keyword, at } = variant;
  // The check of the value must know which alternative is shown.
  // biome-ignore lint/correctness/useExhaustiveDependencies: reports the alternative that is shown first
  useEffect(() => {
    if (remembered < 0) draft?.choose(path, { keyword, at });
  }, [remembered, path]);
  return (
    <>
      <select
        aria-label={`Kind of ${label}`}
        value={chosen}
        onChange={(event) => {
          const next = variants[Number(event.target.value)]!;
          draft?.choose(path, { keyword: next.keyword, at: next.at });
          onChange(firstValue(next.schema, root));
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
        name={variant.title}
        path={path}
        schema={{ ...variant.schema, title: undefined }}
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
