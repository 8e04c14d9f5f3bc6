import { CHANGEABLE_TYPES } from '@sallyport/contract/resources/accounts/app-change-auth-plan.ts'
import { breakGlassBundle } from '@sallyport/contract/resources/accounts/break-glass-bundle.ts'
import { PASSWORD_LENGTH } from '@sallyport/contract/resources/accounts/change-auth.ts'
import { eq, sql } from 'drizzle-orm'
import { type Call, callerOf } from '../../../kernel/access/call.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { refused } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { generateSshKey } from '../../../kernel/ssh/keys/plain-key.ts'
import { accountsOfApplications } from '../../applications/index.ts'
import { startPlan } from '../executions/start.ts'
import {
  accountsChangePlan,
  accountsChangePlanApp,
  accountsChangePlanAsset,
  accountsChangePlanSystemUser,
} from '../tables.ts'
import type { Bundle } from './contents.ts'
import { accountsBreakGlass } from './tables.ts'

export interface AfterOpening {
  /** The runs that change what was opened. */
  tasks: string[]
  /** Accounts that no plan can change, as `target: user name`. */
  by_hand: string[]
}

/**
 * Notes that a bundle was opened, and has plans change all that its files hold: what people have
 * seen works no longer. One transaction, the jobs of the runs included: a bundle that reads as opened
 * is one whose accounts are being changed. Throws 400 where it is not sealed.
 */
export async function changeAfterOpening(kernel: Kernel, call: Call, id: string): Promise<AfterOpening> {
  return kernel.db.transaction(async (db) => {
    const [bundle] = await db.select().from(accountsBreakGlass).where(eq(accountsBreakGlass.id, id)).for('update')
    if (bundle?.state !== 'sealed') throw refused('not_sealed', 'Only a bundle that is sealed can be opened')
    await db
      .update(accountsBreakGlass)
      .set({ state: 'opened', date_opened: new Date() })
      .where(eq(accountsBreakGlass.id, id))
    await kernel.audit.record(db, call, [
      {
        ...{ action: 'update', resourceType: breakGlassBundle.label, resource: bundle.name, orgId: bundle.org_id },
        object: { type: breakGlassBundle.name, id },
        changes: [{ field: 'state', before: bundle.state, after: 'opened' }],
      },
    ])
    const date = new Date().toISOString()
    let count = 0
    // Numbered: names that begin alike would be one, and no two plans have one name.
    const about = (what: string) =>
      translate(call.language, 'After the opening of {{name}}, {{date}}: {{what}}', {
        ...{ name: bundle.name.slice(0, 40), date },
        what: `${what.slice(0, 24)} #${++count}`,
      })
    const shared: NewPlans['shared'] = {
      ...{ org_id: bundle.org_id, is_periodic: false, created_by: callerOf(call).name.slice(0, 30) },
      ...{ password_strategy: 'random_all', password_rules: { length: PASSWORD_LENGTH.default } },
    }
    const ofAssets = await plansOfAssets(kernel, db, bundle, { shared, about })
    const ofApps = await plansOfApplications(db, bundle, { shared, about })
    const within = { ...kernel, db }
    const tasks: string[] = []
    for (const plan of [...ofAssets, ...ofApps.plans])
      tasks.push(await startPlan(within, { plan, trigger: 'manual', call }))
    return { tasks, by_hand: [...(await namelessOf(db, bundle)), ...ofApps.byHand] }
  })
}

interface NewPlans {
  shared: Omit<typeof accountsChangePlan.$inferInsert, 'family' | 'name'>
  /** Name of a plan, another each time. */
  about(what: string): string
}

/** A plan for each user name, and for those with keys another, as they get a key as well. */
async function plansOfAssets({ secrets }: Kernel, db: Database, { id }: Bundle, { shared, about }: NewPlans) {
  const { rows } = await db.execute<{ username: string; has_key: boolean; assets: string[] }>(sql`
    SELECT username, has_key, array_agg(DISTINCT asset) AS assets FROM accounts_break_glass_account
    WHERE bundle = ${id} AND asset IS NOT NULL AND username <> '' GROUP BY username, has_key ORDER BY username, has_key`)
  const plans: string[] = []
  for (const { username, has_key: is_ssh_key, assets } of rows) {
    const key = is_ssh_key ? generateSshKey() : undefined
    const [plan] = await db
      .insert(accountsChangePlan)
      .values({
        ...shared,
        family: 'asset',
        ...{ name: about(is_ssh_key ? `${username} (SSH)` : username), username, is_ssh_key },
        // The keys that were seen are taken from the machine, no matter who put them there.
        ...(key && {
          ssh_key_strategy: 'set',
          private_key_sealed: secrets.seal(key.privateKey),
          public_key: key.publicKey,
        }),
      })
      .returning({ id: accountsChangePlan.id })
    if (!plan) continue
    await db.insert(accountsChangePlanAsset).values(assets.map((asset) => ({ plan: plan.id, asset })))
    plans.push(plan.id)
  }
  return plans
}

/** A plan for each application: the system users of its accounts. */
async function plansOfApplications(db: Database, { id }: Bundle, { shared, about }: NewPlans) {
  const { rows } = await db.execute<{ app: string; name: string; type: string; usernames: string[] }>(sql`
    SELECT c.app, a.name, a.type, array_agg(DISTINCT c.username) AS usernames
    FROM accounts_break_glass_account c JOIN applications_listed_application a ON a.id = c.app
    WHERE c.bundle = ${id} GROUP BY c.app, a.name, a.type ORDER BY a.name`)
  const accounts = await accountsOfApplications(
    db,
    rows.map(({ app }) => app),
  )
  const plans: string[] = []
  const byHand: string[] = []
  for (const { app, name, type, usernames } of rows) {
    const isChangeable = CHANGEABLE_TYPES.some((one) => one === type)
    // A plan changes system users of the application's own protocol, and finds no others.
    const users = new Map(
      accounts.flatMap((one) =>
        isChangeable && one.app === app && one.systemuser && one.protocol === type && usernames.includes(one.username)
          ? [[one.username, one.systemuser] as const]
          : [],
      ),
    )
    byHand.push(...usernames.filter((one) => !users.has(one)).map((one) => `${name}: ${one}`))
    if (!users.size) continue
    const [plan] = await db
      .insert(accountsChangePlan)
      .values({ ...shared, family: 'application', name: about(name), category: 'db', type })
      .returning({ id: accountsChangePlan.id })
    if (!plan) continue
    await db.insert(accountsChangePlanApp).values({ plan: plan.id, app })
    await db
      .insert(accountsChangePlanSystemUser)
      .values([...new Set(users.values())].map((system_user) => ({ plan: plan.id, system_user })))
    plans.push(plan.id)
  }
  return { plans, byHand }
}

/** Accounts of assets without a user name: nobody can say which account of the machine it is. */
async function namelessOf(db: Database, { id }: Bundle): Promise<string[]> {
  const { rows } = await db.execute<{ hostname: string }>(sql`
    SELECT DISTINCT a.hostname FROM accounts_break_glass_account c JOIN assets_listed_asset a ON a.id = c.asset
    WHERE c.bundle = ${id} AND c.username = '' ORDER BY a.hostname`)
  return rows.map(({ hostname }) => `${hostname}:`)
}
