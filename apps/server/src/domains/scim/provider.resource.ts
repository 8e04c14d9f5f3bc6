import { scimProvider as definition } from '@sallyport/contract/resources/scim/scim-provider.ts'
import { inArray, sql } from 'drizzle-orm'
import { refuseLimited } from '../../kernel/access/limited-key.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { DeleteContext, ReadContext, WrittenContext } from '../../kernel/resource/mount.ts'
import { mountResource } from '../../kernel/resource/routes.ts'
import { checkIpGroup } from '../acls/index.ts'
import { settingsOf } from '../settings/index.ts'
import { renameProvider } from '../users/managed/index.ts'
import { scimGroup, scimPerson, scimProvider } from './tables.ts'

export const SCIM_PATH = '/scim/v2'

/** Identity providers that keep people and groups of an organization. */
export default function mountScimProviders(kernel: Kernel): void {
  mountResource(kernel, definition, {
    table: scimProvider,
    computed: [
      { fields: ['url'], load: async (rows) => rows.map(() => ({ url: addressOf(kernel) })) },
      { fields: ['people_amount', 'groups_amount'], load: countKept },
    ],
    // Its people come in from everywhere.
    rules: {
      beforeWrite: [({ call }) => refuseLimited(call), ({ call, draft }) => checkIpGroup(call, draft.ip_group ?? [])],
      afterWrite: [rename],
      afterDelete: [letGo],
    },
  })
}

const addressOf = (kernel: Kernel) => `${settingsOf(kernel).get('SITE_URL')}${SCIM_PATH}`

async function countKept(rows: readonly { id: string }[], { db }: ReadContext) {
  const ids = rows.map(({ id }) => id)
  const count = async (table: typeof scimPerson | typeof scimGroup, condition = sql`true`) => {
    const found = await db
      .select({ id: table.provider_id, amount: sql<number>`count(*)::int` })
      .from(table)
      .where(sql`${inArray(table.provider_id, ids)} AND ${condition}`)
      .groupBy(table.provider_id)
    return new Map(found.map(({ id, amount }) => [id, amount]))
  }
  const people = await count(scimPerson, sql`${scimPerson.date_deleted} IS NULL`)
  const groups = await count(scimGroup)
  return rows.map(({ id }) => ({ people_amount: people.get(id) ?? 0, groups_amount: groups.get(id) ?? 0 }))
}

async function rename({ db, row, stored }: WrittenContext<typeof definition, typeof scimProvider>): Promise<void> {
  if (row && row.name !== stored.name) await renameProvider(db, row.name, stored.name)
}

/** Its people and groups stay, and are changed here from now on. */
async function letGo({ db, rows }: DeleteContext<typeof scimProvider>): Promise<void> {
  for (const { name } of rows) await renameProvider(db, name, '')
}
