import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import type { Call } from '../../kernel/access/call.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { readPage } from '../../kernel/resource/read.ts'
import { resourcesOf } from '../../kernel/resource/registry.ts'
import { quantile, timed } from './figures.ts'
import type { Pace } from './pace.ts'

/** Those that grow. */
const LISTS = ['asset', 'session', 'command'] as const
const PAGES = 15
const PAGE = { limit: 15, offset: 0 }

/** As a super administrator sees it in the root organization: all rows. */
const CALL: Call = {
  user: { id: '00000000-0000-0000-0000-000000000000', name: 'capacity', username: 'capacity', role: 'Admin' },
  via: undefined,
  sessionId: undefined,
  org: { id: ROOT_ORG_ID, name: '' },
  orgRoles: [],
  language: 'en',
  timeZone: 'UTC',
  remoteAddress: '127.0.0.1',
}

/** First pages with their counts, as JSON. */
export async function measureLists(kernel: Kernel, pace: Pace): Promise<{ list_p95: number }> {
  const took: number[] = []
  for (let n = 0; n < PAGES; n++)
    for (const name of LISTS) {
      const resource = resourcesOf(kernel).find(name)
      if (!resource) continue
      const context = { kernel, db: kernel.db, call: CALL, parameters: { storages: 'all' }, query: {} }
      const { milliseconds } = await pace.turn(() =>
        timed(async () => JSON.stringify(await readPage(resource, context, PAGE, `http://localhost/${name}/`))),
      )
      took.push(milliseconds)
    }
  return { list_p95: quantile(took, 0.95) }
}
