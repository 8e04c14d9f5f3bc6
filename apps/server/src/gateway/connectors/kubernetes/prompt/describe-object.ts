import { ObjectTable, type WireTable } from './object-table.ts'
import { yamlLines } from './yaml-text.ts'

interface Described {
  kind?: unknown
  metadata?: {
    name?: unknown
    namespace?: unknown
    creationTimestamp?: unknown
    labels?: Record<string, unknown>
    annotations?: Record<string, unknown>
  }
}

/** The fields before the rest, which is shown as it is. */
const HEAD = new Set(['apiVersion', 'kind', 'metadata'])
const WIDTH = 14
/** Nobody reads it, and it holds all of the object once more. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** An object in words, with what has happened to it. `ask`: a table at that path. */
export async function describe(object: Described & object, ask: (path: string) => Promise<unknown>): Promise<string[]> {
  const { name, namespace, creationTimestamp, labels, annotations } = object.metadata ?? {}
  const lines = [
    pair('Name', name),
    ...(namespace === undefined ? [] : [pair('Namespace', namespace)]),
    pair('Kind', object.kind),
    pair('Created', creationTimestamp),
    ...pairs('Labels', labels),
    ...pairs('Annotations', annotations),
  ]
  for (const [key, value] of Object.entries(object)) {
    if (HEAD.has(key)) continue
    const title = `${key.slice(0, 1).toUpperCase()}${key.slice(1)}:`
    lines.push(title, ...yamlLines(value, '  '))
  }
  return [...lines, ...(await eventsOf(object, ask))]
}

const pair = (title: string, value: unknown) => `${`${title}:`.padEnd(WIDTH)}${String(value ?? '<none>')}`

function pairs(title: string, values: Record<string, unknown> = {}): string[] {
  const shown = Object.entries(values).filter(([key]) => key !== LAST_APPLIED)
  if (!shown.length) return [pair(title, undefined)]
  return shown.map(([key, value], at) => pair(at ? '' : title, `${key}=${String(value)}`).replace(/^:/, ' '))
}

async function eventsOf(
  { kind, metadata: { name, namespace } = {} }: Described,
  ask: (path: string) => Promise<unknown>,
): Promise<string[]> {
  if (typeof name !== 'string') return []
  const selector = `involvedObject.kind=${String(kind)},involvedObject.name=${name}`
  const where = typeof namespace === 'string' ? `/namespaces/${encodeURIComponent(namespace)}` : ''
  const query = new URLSearchParams({ fieldSelector: selector, limit: '100' })
  try {
    const table = (await ask(`/api/v1${where}/events?${query}`)) as WireTable
    if (!table.rows?.length) return [pair('Events', undefined)]
    const lines = new ObjectTable().lines(table)
    return ['Events:', ...lines.map((line) => `  ${line}`)]
  } catch {
    // An account that may see an object may not see its events everywhere.
    return ['Events:       <not readable>']
  }
}
