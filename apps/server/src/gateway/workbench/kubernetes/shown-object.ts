import { yamlLines } from '../../connectors/kubernetes/prompt/yaml-text.ts'
import type { ObjectKind } from './kinds.ts'

export interface WireObject {
  kind?: string
  metadata?: { name?: string; managedFields?: unknown; annotations?: Record<string, unknown> } & Record<string, unknown>
  data?: object
  [field: string]: unknown
}

/** An object for a page: as the API has it, and as YAML. */
export interface ShownObject {
  object: WireObject
  yaml: string
}

/**
 * Without who manages which field, as `kubectl` leaves it out, and of a secret without any value: not
 * in its annotations either, where tools keep the whole of what they have applied.
 */
export function shownObject(found: WireObject, { kind, root }: ObjectKind): ShownObject {
  const { managedFields: _, ...metadata } = found.metadata ?? {}
  const whole = { apiVersion: root.replace(/^\/apis?\//, ''), kind, ...found, metadata }
  const object = kind === 'Secret' ? withoutValues(whole) : whole
  return { object, yaml: yamlLines(object).join('\n') }
}

function withoutValues({ data, stringData: _, metadata, ...rest }: WireObject): WireObject {
  const { annotations, ...named } = metadata ?? {}
  return {
    ...rest,
    metadata: {
      ...named,
      ...(annotations ? { annotations: sizesOf(annotations, (text) => Buffer.byteLength(text)) } : {}),
    },
    ...(data ? { data: sizesOf(data, (text) => Buffer.from(text, 'base64').length) } : {}),
  }
}

/** How long each value is, as `kubectl describe secret` has it. */
const sizesOf = (values: object, sizeOf: (text: string) => number): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, `${sizeOf(String(value))} bytes`]))
