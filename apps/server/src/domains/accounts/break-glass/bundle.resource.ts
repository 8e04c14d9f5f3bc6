import { breakGlassBundle } from '@sallyport/contract/resources/accounts/break-glass-bundle.ts'
import { sql } from 'drizzle-orm'
import { invalid, refused } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { DeleteContext, ReadContext, WriteContext } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { wasReplaced } from '../../../kernel/secrets/versions.ts'
import {
  accountsBreakGlass,
  accountsBreakGlassApp,
  accountsBreakGlassAsset,
  accountsBreakGlassHolder,
} from './tables.ts'

type Writing = WriteContext<typeof breakGlassBundle, typeof accountsBreakGlass>

/** Accounts sealed for people who open them together while Sallyport is not there. */
export default function mountBundles(kernel: Kernel): void {
  mountResource(kernel, breakGlassBundle, {
    table: accountsBreakGlass,
    relations: {
      assets: {
        table: accountsBreakGlassAsset,
        owner: accountsBreakGlassAsset.bundle,
        target: accountsBreakGlassAsset.asset,
      },
      apps: { table: accountsBreakGlassApp, owner: accountsBreakGlassApp.bundle, target: accountsBreakGlassApp.app },
      holders: {
        table: accountsBreakGlassHolder,
        owner: accountsBreakGlassHolder.bundle,
        target: accountsBreakGlassHolder.user,
      },
    },
    computed: [{ fields: ['accounts_amount', 'outdated_amount'], load: countAccounts }],
    rules: { beforeWrite: [checkThreshold], beforeDelete: [keepWhatIsOut] },
  })
}

/** No more holders are needed than there are, once some are named. */
async function checkThreshold({ db, draft, row }: Writing): Promise<void> {
  const threshold = Number(draft.threshold ?? row?.threshold ?? 2)
  const holders = draft.holders?.length ?? (row ? await countHolders(db, row.id) : 0)
  if (holders && threshold > holders) throw invalid({ threshold: 'There are not so many holders' })
}

async function countHolders(db: ReadContext['db'], bundle: string): Promise<number> {
  const { rows } = await db.execute<{ count: number }>(
    sql`SELECT count(*)::int AS count FROM accounts_break_glass_holder WHERE bundle = ${bundle}`,
  )
  return rows[0]?.count ?? 0
}

/** What its holders still have that works is known by the bundle alone. */
async function keepWhatIsOut({ rows, db }: DeleteContext<typeof accountsBreakGlass>): Promise<void> {
  const sealed = rows.filter(({ state }) => state === 'sealed')
  const counts = sealed.length ? await countAccounts(sealed, { db }) : []
  if (counts.some(({ accounts_amount, outdated_amount }) => accounts_amount > outdated_amount))
    throw refused(
      'bundle_is_out',
      'Its holders have secrets that still work: say that it was opened, which changes them, before it is deleted',
    )
}

/** How many accounts its files hold, and of how many the secret has been replaced since. */
async function countAccounts(rows: readonly { id: string }[], { db }: Pick<ReadContext, 'db'>) {
  const kind = sql`CASE WHEN c.asset IS NULL THEN 'application_account' ELSE 'asset_account' END`
  const { rows: counts } = await db.execute<{ accounts: number; outdated: number }>(sql`
    SELECT count(c.account)::int AS accounts,
      count(*) FILTER (WHERE ${wasReplaced({ kind, id: sql`c.account`, since: sql`c.date_sent` })})::int AS outdated
    FROM unnest(${sql.param(rows.map(({ id }) => id))}::uuid[]) WITH ORDINALITY AS b (id, place)
    LEFT JOIN accounts_break_glass_account c ON c.bundle = b.id GROUP BY b.place ORDER BY b.place`)
  return counts.map(({ accounts, outdated }) => ({ accounts_amount: accounts, outdated_amount: outdated }))
}
