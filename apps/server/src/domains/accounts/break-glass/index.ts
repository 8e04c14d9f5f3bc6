import { breakGlassBundle } from '@sallyport/contract/resources/accounts/break-glass-bundle.ts'
import { sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { invalid, refused } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { DeleteContext, ReadContext, WriteContext } from '../../../kernel/resource/mount.ts'
import { getStored } from '../../../kernel/resource/read.ts'
import { contextOf, mountResource } from '../../../kernel/resource/routes.ts'
import { wasReplaced } from '../../../kernel/secrets/versions.ts'
import { runTask, startTask } from '../../ops/index.ts'
import { onMembershipEnded } from '../../orgs/index.ts'
import { requireFreshMfa } from '../../users/index.ts'
import { changeAfterOpening } from './after-opening.ts'
import { accountsOf, type Bundle } from './contents.ts'
import { holdersOf, sealBundle } from './seal-bundle.ts'
import {
  accountsBreakGlass,
  accountsBreakGlassApp,
  accountsBreakGlassAsset,
  accountsBreakGlassHolder,
} from './tables.ts'

type Writing = WriteContext<typeof breakGlassBundle, typeof accountsBreakGlass>

const SEAL = 'accounts.seal_bundle'

/** Accounts sealed for people who open them together while Sallyport is not there. */
export function registerBreakGlass(kernel: Kernel): void {
  const bundles = mountResource(kernel, breakGlassBundle, {
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
  onMembershipEnded({
    label: breakGlassBundle.label,
    links: accountsBreakGlassHolder,
    person: accountsBreakGlassHolder.user,
    thing: accountsBreakGlassHolder.bundle,
    orgId: accountsBreakGlass.org_id,
  })
  kernel.jobs.work<{ task: string; bundle: string }>(
    SEAL,
    ({ task, bundle }) => runTask(kernel, task, (log) => sealBundle(kernel, bundle, log)),
    { concurrency: 1 },
  )
  registerCalls(kernel, (request) => {
    const { id } = request.params as { id: string }
    return getStored(bundles, id, contextOf(kernel, request))
  })
}

function registerCalls(kernel: Kernel, bundleOf: (request: FastifyRequest) => Promise<Bundle>): void {
  const { app, db, audit } = kernel
  const url = `${breakGlassBundle.path}:id/`
  const config = { access: ['org_admin'] as const }
  app.route({
    method: 'POST',
    url: `${url}seal/`,
    config: { ...config, needsLicense: true, summary: 'Seal a bundle, and send each holder their file' },
    handler: async (request) => {
      const { call } = request
      const bundle = await bundleOf(request)
      // Secrets leave Sallyport, as by an export.
      await requireFreshMfa(kernel, call)
      await holdersOf(kernel, bundle, call.language)
      if (!(await accountsOf(db, bundle)).length) throw refused('bundle_is_empty', 'The bundle has no accounts')
      const { id, name, org_id: orgId } = bundle
      await audit.record(db, call, [
        {
          ...{ action: 'export', resourceType: breakGlassBundle.label, resource: name, orgId },
          object: { type: breakGlassBundle.name, id },
        },
      ])
      const task = { name: 'Seal a break-glass bundle', job: SEAL, data: { bundle: id }, orgId, isLogged: true }
      return { task: await startTask(kernel, call, task) }
    },
  })
  app.route({
    method: 'POST',
    url: `${url}opened/`,
    config: { ...config, summary: 'Say that a bundle was opened: all that is in it is changed' },
    handler: async (request) => changeAfterOpening(kernel, request.call, (await bundleOf(request)).id),
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
