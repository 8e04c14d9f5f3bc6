import type { FollowedList, ObjectChange } from '@sallyport/contract/socket/cluster.ts'
import { followJson } from '../../connectors/kubernetes/follow.ts'
import { AS_TABLE, cellText, type WireTable } from '../../connectors/kubernetes/prompt/object-table.ts'
import type { RequestSession } from '../../kinds/requests/request-session.ts'
import { readRequest } from '../../protocols/kubernetes/read-request.ts'
import { momentOf, outcomeOf } from './cluster-browser.ts'
import { KINDS, pathOf } from './kinds.ts'

interface WireChange {
  type?: unknown
  object?: WireTable
}

/** Changes that come within so many milliseconds are sent together, the last of each object. */
const GATHER_MS = 500
/** Limit of changes in one message. */
const CHANGES_MAX = 500

/**
 * Reports the changes of a list, as long as the cluster does; one request, judged and recorded as
 * any client's watch is. It is no input: a page that only looks becomes idle. Returns from where on
 * it can be followed again; undefined where it must be read again. Throws what a request throws.
 */
export async function followList(
  live: RequestSession,
  { kind, namespace, selector, since }: FollowedList,
  dropped: AbortSignal,
  tell: (changes: ObjectChange[]) => void,
): Promise<string | undefined> {
  const query = new URLSearchParams({
    watch: '1',
    resourceVersion: since,
    ...(selector ? { labelSelector: selector } : {}),
  })
  const wanted = readRequest('GET', `${pathOf(kind, namespace)}?${query}`)
  const running = await live.begin(wanted, dropped)
  const signal = AbortSignal.any([dropped, running.signal])
  const gathered = new Map<string, ObjectChange>()
  let reporting: NodeJS.Timeout | undefined
  const reportNow = () => {
    clearTimeout(reporting)
    reporting = undefined
    if (gathered.size && !signal.aborted) tell([...gathered.values()])
    gathered.clear()
  }
  let last: string | undefined = since
  const isOfOne = namespace !== '' || !KINDS[kind].isNamespaced
  try {
    const path = `${wanted.path}?${wanted.query}`
    for await (const event of followJson(live.target, path, { accept: AS_TABLE, signal })) {
      const { type, object } = (event ?? {}) as WireChange
      // That was too long ago: it tells nothing more.
      if (type === 'ERROR') {
        last = undefined
        break
      }
      last = momentIn(object) || last
      for (const change of changesIn(type, object, isOfOne ? namespace : undefined)) {
        gathered.set(`${change.namespace}/${change.name}`, change)
        reporting ??= setTimeout(reportNow, GATHER_MS)
        if (gathered.size >= CHANGES_MAX) reportNow()
      }
    }
    reportNow()
    running.end({ status: 200 })
    return last
  } catch (error) {
    clearTimeout(reporting)
    // A person who goes elsewhere ends it as it is meant to be ended.
    running.end(signal.aborted ? { status: 200 } : outcomeOf(error))
    throw error
  }
}

const momentIn = (table: WireTable | undefined): string =>
  momentOf(Array.isArray(table?.rows) ? table.rows.at(-1)?.object?.metadata?.resourceVersion : undefined)

function* changesIn(type: unknown, table: WireTable | undefined, namespace: string | undefined) {
  if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') return
  for (const { cells, object } of Array.isArray(table?.rows) ? table.rows : []) {
    const name = String(object?.metadata?.name ?? '')
    const at = { name, namespace: namespace ?? String(object?.metadata?.namespace ?? '') }
    if (name) yield type === 'DELETED' ? at : { ...at, cells: (Array.isArray(cells) ? cells : []).map(cellText) }
  }
}
