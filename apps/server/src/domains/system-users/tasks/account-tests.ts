import { and, eq, inArray, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Call } from '../../../kernel/access/call.ts'
import { AppError } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { listConditions } from '../../../kernel/resource/conditions.ts'
import { plainFields } from '../../../kernel/resource/plain-fields.ts'
import { getStored } from '../../../kernel/resource/read.ts'
import type { MountedResource } from '../../../kernel/resource/registry.ts'
import { contextOf } from '../../../kernel/resource/routes.ts'
import { assetsListedAsset, assetsListedPlatform } from '../../assets/index.ts'
import { type HostResults, type RunSummary, startRun, type TaskRun, taskKind } from '../../ops/index.ts'
import { assetsAccount, assetsSystemUser } from '../tables.ts'
import { contact, isContactable, PING, stateOf, successOf, title } from './contact.ts'

/** Accounts in one task; more are narrowed by filters. */
const MAX_ACCOUNTS = 10_000
const KIND = 'assets.test_accounts'

const body = z.object({ action: z.enum(['test']) })

/** Tries whether accounts can log in (docs/rules/accounts.md#asset_account). */
export function registerAccountTests(kernel: Kernel, accounts: MountedResource<typeof assetsAccount>): void {
  const { app } = kernel
  const { path, needsLicense } = accounts.definition
  taskKind(KIND, testAccounts)
  app.route({
    method: 'POST',
    url: `${path}:id/verify/`,
    config: {
      access: ['org_admin'],
      needsLicense,
      summary: 'Test the login of an asset account',
      answers: { fields: plainFields({ task: 'uuid' }) },
      takes: body,
    },
    handler: async (request) => {
      body.parse(request.body)
      const { id } = request.params as { id: string }
      const account = await getStored(accounts, id, contextOf(kernel, request))
      return { task: await start(kernel, request.call, account.org_id, [account.id]) }
    },
  })
  app.route({
    method: 'POST',
    url: `${path}tasks/`,
    config: {
      access: ['org_admin', 'component'],
      needsLicense,
      summary: 'Test the logins of the asset accounts that the filters of the list select',
      answers: { fields: plainFields({ task: 'uuid' }) },
      answerStatus: 201,
      takes: body,
    },
    handler: async (request, reply) => {
      body.parse(request.body)
      const ids = await selected(kernel, accounts, request)
      return reply.status(201).send({ task: await start(kernel, request.call, request.call.org.id, ids) })
    },
  })
}

async function selected(
  kernel: Kernel,
  accounts: MountedResource<typeof assetsAccount>,
  request: FastifyRequest,
): Promise<string[]> {
  const { where } = await listConditions(accounts as unknown as MountedResource, contextOf(kernel, request))
  const rows = await kernel.db
    .select({ id: assetsAccount.id })
    .from(assetsAccount)
    .where(where)
    .limit(MAX_ACCOUNTS + 1)
  if (rows.length <= MAX_ACCOUNTS) return rows.map(({ id }) => id)
  const error = 'At most 10000 accounts are tested at once: narrow them by filters.'
  throw new AppError(400, 'too_large', error, { body: { error } })
}

async function start(kernel: Kernel, call: Call, orgId: string, accounts: readonly string[]): Promise<string> {
  const rows = await rowsOf(kernel, accounts)
  const [one] = rows
  return startRun(kernel, call, {
    title: 'Test accounts',
    ...(one && rows.length === 1 ? { subject: `${one.username || '*'}@${one.asset.hostname}` } : {}),
    kind: KIND,
    data: { accounts: [...accounts].sort() },
    steps: [PING],
    runAs: '*',
    hosts: [...new Set(rows.map(({ asset }) => asset.id))],
    orgId,
  })
}

/** The accounts with their assets, those alone whose name and secret there is something to prove of. */
async function rowsOf({ db }: Kernel, ids: readonly string[]) {
  if (!ids.length) return []
  const username = sql<string>`coalesce(nullif(${assetsAccount.username}, ''), ${assetsSystemUser.username}, '')`
  const { id, hostname, ip, is_active, protocols, platform } = assetsListedAsset
  return db
    .select({ account: assetsAccount.id, asset: { id, hostname, ip, is_active, protocols, platform }, username })
    .from(assetsAccount)
    .innerJoin(assetsListedAsset, eq(assetsListedAsset.id, assetsAccount.asset))
    .innerJoin(assetsListedPlatform, eq(assetsListedPlatform.name, assetsListedAsset.platform))
    .leftJoin(assetsSystemUser, eq(assetsSystemUser.id, assetsAccount.systemuser))
    .where(
      and(
        inArray(assetsAccount.id, [...ids]),
        sql`${assetsListedPlatform.base} <> 'Other'`,
        sql`(${assetsSystemUser.id} IS NULL OR ${assetsSystemUser.protocol} = 'ssh'
          AND ${assetsSystemUser.login_mode} = 'auto' AND NOT ${assetsSystemUser.username_same_with_user})`,
      ),
    )
    .orderBy(assetsListedAsset.hostname, assetsAccount.id)
}

/**
 * Logs in over SSH with each account's own login, and stores with the account whether that worked.
 * Others are skipped: there is nothing to prove of them, no name, or nobody to ask for the password.
 */
async function testAccounts(kernel: Kernel, run: TaskRun): Promise<RunSummary> {
  const ids = run.data.accounts as string[]
  const rows = (await rowsOf(kernel, ids)).filter(({ asset }) => run.hosts.includes(asset.id) && isContactable(asset))
  const hosts = [...Map.groupBy(rows, ({ asset }) => asset.id).values()].flatMap((accounts) => {
    const [first] = accounts
    return first ? [{ id: first.asset.id, name: title(first.asset), accounts }] : []
  })
  const summary = await run.each(
    hosts,
    async (host) => {
      const results: HostResults = {}
      for (const { account, username } of host.accounts) {
        const ping = await contact(kernel, host, { account }, run, async (machine) => {
          await run.log(successOf(host, machine))
        })
        await kernel.db
          .update(assetsAccount)
          .set({
            connectivity: stateOf(ping),
            date_verified: sql`now()` as unknown as Date,
            date_updated: sql`date_updated`,
          })
          .where(eq(assetsAccount.id, account))
        results[`ping ${username || account}`] = ping
      }
      return results
    },
    'steps',
  )
  return { ...summary, skipped: ids.length - rows.length }
}
